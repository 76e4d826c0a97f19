// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <QWidget>

class QStyle;

namespace tutti::theme {

/// Changes the style of the application without keeping the window away for long: what is in sight
/// changes at once, what is not (the other pages) a few widgets at a time while the event loop has
/// nothing else to do. Whatever is shown before its turn changes just before it shows.
class Restyler : public QObject {
  Q_OBJECT
 public:
  explicit Restyler(QObject* parent = nullptr);

  /// Takes the style.
  void apply(QStyle* style);
  /// Whether some widgets out of sight still have the looks of before.
  bool isBusy() const { return !waiting_.isEmpty(); }
  /// Changes all that wait, at once.
  void finish();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void proceed();
  void restyle(QWidget* widget);

  /// By address; a widget that went leaves a pointer to nothing.
  QHash<const QObject*, QPointer<QWidget>> waiting_;
  QList<QPointer<QWidget>> order_;
  QTimer idle_;
};

}  // namespace tutti::theme
