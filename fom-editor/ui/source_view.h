// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPlainTextEdit>
#include <QString>
#include <QTimer>
#include <functional>
#include <optional>

#include "fom-editor/model/line_changes.h"

class QLabel;

namespace tutti::fomedit {

/// A module as it is edited.
struct SourceText {
  std::optional<QString> text;  ///< none: it is not open
  LineChanges changes;          ///< against the saved file
};

/// A module's text, read only, with line numbers and one line marked; lines that were changed have
/// a sign and a colour. A long text comes in turns of the event loop.
class SourceView : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit SourceView(QWidget* parent = nullptr);

  /// Gives the text of modules that are open; other files are read.
  void setProvider(std::function<SourceText(const QString& file)> provider);
  /// Shows `file` (or, for the MIM's designator, the built-in text) with `line` marked and in the
  /// middle. A file that cannot be read is said so in its place.
  void showPlace(const QString& file, int line);
  QString file() const { return file_; }
  int markedLine() const { return line_; }
  /// Forgets the text, so that a changed file is read again.
  void forget();
  /// Takes over what was changed; what is looked at stays where it is.
  void refresh();
  const LineChanges& changes() const { return changes_; }
  /// Whether all of the text is there.
  bool isWhole() const { return filled_ == text_.size(); }
  /// To the next run of changed lines, or the one before (-1); around the ends.
  void stepChange(int direction);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void showChanges();
  void arrange();
  void paintNumbers(QPaintEvent* event);
  int numbersWidth() const;
  void mark();
  SourceText textOf(const QString& file) const;
  void setText(const QString& text);
  void replaceText(const QString& text);
  void fill(int milliseconds);
  void goToLine();
  LineChange changeOf(int line) const;

  std::function<SourceText(const QString& file)> provider_;
  LineChanges changes_;
  QWidget* numbers_;
  QWidget* bar_;  ///< above the text, while lines are changed
  QLabel* caption_;
  QString file_;
  int line_ = 0;            ///< marked, as soon as it is there
  bool isAwaited_ = false;  ///< the line is to be shown as soon as it is there
  QString text_;            ///< with \n at ends of lines
  qsizetype filled_ = 0;    ///< characters of it that are shown
  QTimer turns_;
};

}  // namespace tutti::fomedit
