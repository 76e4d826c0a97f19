// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>
#include <QList>
#include <QStringList>
#include <QWidget>
#include <array>

#include "fom-editor/model/merge_session.h"

class QLabel;
class QPushButton;

namespace tutti::fomedit {

/// A file by its path: written, chosen from a list, or dropped.
class FileField : public QComboBox {
  Q_OBJECT
 public:
  explicit FileField(QWidget* parent = nullptr);
  /// Modules that are open, to choose from.
  void setOffered(const QStringList& paths);
  QString path() const;
  void setPath(const QString& path);

 Q_SIGNALS:
  /// All that were dropped, if they are several.
  void dropped(const QStringList& paths);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
};

/// Asks for the three versions of a merge.
class MergeFiles : public QWidget {
  Q_OBJECT
 public:
  explicit MergeFiles(QWidget* parent = nullptr);
  void setOffered(const QStringList& paths);
  void setPath(int side, const QString& path);
  QString path(int side) const;
  void focusFirst();
  /// What went wrong with these files; empty: nothing.
  void setFault(const QString& fault);

 Q_SIGNALS:
  void mergeRequested(const QString& base, const QString& ours, const QString& theirs);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void choose(int side);
  void take(int first, const QStringList& paths);
  void check();

  std::array<FileField*, MergeState::SideCount> fields_{};
  QLabel* why_;
  QLabel* fault_;
  QPushButton* merge_;
};

}  // namespace tutti::fomedit
