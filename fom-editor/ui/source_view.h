// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <QString>

namespace tutti::fomedit {

/// A module's text, read only, with line numbers and one line marked.
class SourceView : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit SourceView(QWidget* parent = nullptr);

  /// Shows `file` (or, for the MIM's designator, the built-in text) with `line` marked and in the
  /// middle. A file that cannot be read is said so in its place.
  void showPlace(const QString& file, int line);
  QString file() const { return file_; }
  int markedLine() const { return line_; }
  /// Forgets the text, so that a changed file is read again.
  void forget();

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void paintNumbers(QPaintEvent* event);
  int numbersWidth() const;
  void mark();

  QWidget* numbers_;
  QString file_;
  int line_ = 0;
};

}  // namespace tutti::fomedit
