// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <QWidget>

#include "fom-editor/model/merge_rows.h"

class QLabel;
class QPushButton;

namespace tutti::theme {
class ElidedLabel;
}

namespace tutti::fomedit {

/// What one version has at a conflict, as its file says it, with a button that takes it.
class DeclarationView : public QWidget {
  Q_OBJECT
 public:
  /// `name` begins the object names.
  DeclarationView(MergeChoice side, const QString& name, QWidget* parent = nullptr);

  /// `file` is what the title calls the version.
  void setSide(const MergeExcerpt& excerpt, const MergeSide& side, const QString& file);
  void setChoice(bool isOffered, bool isChosen);

 Q_SIGNALS:
  void taken(tutti::fomedit::MergeChoice side);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void mark();

  MergeChoice side_;
  theme::ElidedLabel* place_;
  QPushButton* take_;
  QPlainTextEdit* text_;
  int marked_ = -1;
};

}  // namespace tutti::fomedit
