// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "launcher/engine/slurm_account.h"

class QGridLayout;
class QLabel;

namespace tutti::launcher {

/// What the account has left of its limits, and what the job that is asked for takes of them.
class AccountPane : public QWidget {
  Q_OBJECT

 public:
  explicit AccountPane(QWidget* parent = nullptr);

  struct Figures {
    QString cluster;
    std::optional<SlurmAccount> account;  ///< nothing: not known
    QString problem;                      ///< why it is not known; empty: it was not asked yet
    std::optional<double> jobHours;       ///< node hours of what is asked for, at most
    bool isAskedFor = false;              ///< something is
    int jobs = 0;                         ///< of the user that run
    friend bool operator==(const Figures&, const Figures&) = default;
  };
  void setFigures(const Figures& figures);

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QLabel* add(const char* name, const QString& text);

  Figures figures_;
  QGridLayout* grid_;
  QLabel* sentence_;
  QLabel* usedLabel_;
  QLabel* used_;
  QWidget* bar_;
  QLabel* job_;
  QLabel* jobs_;
  QLabel* shareLabel_;
  QLabel* share_;
};

}  // namespace tutti::launcher
