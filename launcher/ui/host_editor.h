// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>

#include "launcher/engine/hosts.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QDoubleSpinBox;

namespace tutti::launcher {

/// The form of one host, in the pane itself. Return takes it over, Escape leaves it.
class HostEditor : public QFrame {
  Q_OBJECT

 public:
  explicit HostEditor(QWidget* parent = nullptr);

  /// Shows it for a host of the file, or for a new one (no name).
  void edit(const Host& host);
  /// What the form says.
  Host host() const;
  /// The name it had; empty: it is new.
  const QString& before() const { return before_.name; }
  /// Says why the host cannot be taken over.
  void setProblem(const QString& problem);

 Q_SIGNALS:
  void accepted();
  void cancelled();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  Host before_;
  QLabel* title_;
  QLineEdit* name_;
  QLineEdit* destination_;
  QLineEdit* identity_;
  QSpinBox* port_;
  QSpinBox* cores_;
  QDoubleSpinBox* memory_;
  QLineEdit* labels_;
  QCheckBox* spare_;
  QLabel* problem_;
  QPushButton* accept_;
};

/// A question with one text or number, in the pane itself: the login host of a cluster, how many
/// practice hosts.
class OneQuestion : public QFrame {
  Q_OBJECT

 public:
  explicit OneQuestion(QWidget* parent = nullptr);

  void askText(const QString& title, const QString& explanation, const QString& placeholder,
               const QString& button);
  void askNumber(const QString& title, const QString& explanation, int value, int most,
                 const QString& button);
  /// After askText() or askNumber(): a box to check beside the answer.
  void offer(const QString& what, bool taken);
  QString text() const;
  int number() const;
  bool isOfferTaken() const;

 Q_SIGNALS:
  void accepted();
  void cancelled();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void show(const QString& title, const QString& explanation, const QString& button);

  QLabel* title_;
  QLabel* explanation_;
  QLineEdit* text_;
  QSpinBox* number_;
  QCheckBox* offer_;
  QPushButton* accept_;
};

}  // namespace tutti::launcher
