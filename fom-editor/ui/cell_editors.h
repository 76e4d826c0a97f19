// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <functional>

class QLabel;
class QListView;

namespace tutti::fomedit {

/// How a person leaves a cell.
enum class Leave {
  Cancel,
  Enter,
  Next,
  Previous,
  FocusLost,
  Commit  ///< what is written is taken, as something else needs it: saving, closing
};

/// What a cell may become.
struct CellChoice {
  QString text;
  QString detail;      ///< "enum, 4 values, 4 B", at the right
  bool isNew = false;  ///< "New datatype “X”…": choosing it asks what it is to be
  QString icon = QStringLiteral("datatype");  ///< before one with a detail
};

/// One sentence below an editor that says why its text is refused. A child of the window.
class RefusalBubble : public QFrame {
  Q_OBJECT
 public:
  explicit RefusalBubble(QWidget* editor);
  void say(const QString& reason);
  QString reason() const;

 private:
  QWidget* editor_;
  QLabel* label_;
};

/// One line of text with a list of choices below it. Up and Down choose, Return and Tab take what
/// is chosen or written, Escape leaves it as it was.
class CellField : public QLineEdit {
  Q_OBJECT
 public:
  using Choices = std::function<QList<CellChoice>(const QString& typed)>;
  enum class Take {
    One,      ///< the best match of what is typed
    Written,  ///< what is typed, unless a choice begins with it
    Several   ///< choosing one adds it, or takes it away
  };

  explicit CellField(QWidget* parent);
  ~CellField() override;

  void setChoices(Choices choices, Take take);
  /// With the text selected; or with what was typed to begin.
  void start(const QString& text, const QString& typed = {});
  void refuse(const QString& reason);
  bool isRefused() const { return bubble_ != nullptr && bubble_->isVisible(); }
  /// What is written is not taken yet.
  bool isOpen() const { return !left_; }
  /// Takes it as it is; while it is refused the field stays open and says why.
  void commit() { leave(Leave::Commit); }
  /// The list below; null while there is none.
  QListView* list() const { return list_; }

 Q_SIGNALS:
  void left(tutti::fomedit::Leave how);
  /// "New datatype" was chosen.
  void newRequested(const QString& name);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void moveEvent(QMoveEvent* event) override;

 private:
  void fillList(const QString& typed, bool all);
  void placeList();
  void moveChoice(int by);
  void choose(int row);
  bool takeChoice();
  void leave(Leave how);
  void closeList();

  Choices choices_;
  Take take_ = Take::Written;
  QList<CellChoice> shown_;
  QPointer<QFrame> frame_;
  QPointer<QListView> list_;
  QPointer<RefusalBubble> bubble_;
  bool moved_ = false;  ///< a choice was pointed to by hand
  bool left_ = false;
};

/// Several lines: Return takes them, Shift+Return begins a line, Escape leaves them as they were.
class ProseField : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit ProseField(QWidget* parent);
  ~ProseField() override;
  void start(const QString& text, const QString& typed = {});
  void refuse(const QString& reason);
  QString text() const { return toPlainText(); }
  bool isOpen() const { return !left_; }
  void commit() { leave(Leave::Commit); }

 Q_SIGNALS:
  void left(tutti::fomedit::Leave how);

 protected:
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void leave(Leave how);
  QPointer<RefusalBubble> bubble_;
  bool left_ = false;
};

}  // namespace tutti::fomedit
