// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QString>
#include <QStringList>
#include <functional>
#include <stop_token>
#include <vector>

#include "launcher/engine/relay_link.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace tutti::app {

/// Asks for a machine, lists its runs and takes one of them. Return lists, or watches the run that
/// is selected; Escape closes. Not modal: it changes nothing.
class FarRunDialog : public QDialog {
  Q_OBJECT
 public:
  explicit FarRunDialog(QWidget* parent = nullptr);
  ~FarRunDialog() override;

  /// Where names of machines are looked up, asked for each time; empty: nowhere but by ssh.
  void setHostsFile(std::function<QString()> file) { hostsFile_ = std::move(file); }
  /// Shows it, with the machines that can be named now.
  void ask();
  /// Of the run that was taken: the dialog stays, and says so.
  void showProblem(const QString& what, const QString& next);

 Q_SIGNALS:
  void chosen(const tutti::launcher::Host& host, const QString& run);

 private:
  void completeNames();
  void list();
  void fill(const tl::expected<std::vector<launcher::FarRun>, launcher::Agent::Loss>& runs);
  void take();
  void setBusy(const QString& what);
  void update();

  std::function<QString()> hostsFile_;
  QComboBox* machine_;
  QPushButton* list_;
  QTreeWidget* runs_;
  QLabel* said_;
  QLabel* problem_;
  QPushButton* copy_;
  QPushButton* watch_;
  launcher::Host host_;  ///< whose runs are shown
  int number_ = 0;       ///< of the question: what comes of an earlier one is dropped
  std::stop_source stop_{std::nostopstate};
};

}  // namespace tutti::app
