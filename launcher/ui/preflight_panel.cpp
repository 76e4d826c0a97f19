// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/preflight_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/progress_line.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::State;
using Level = PreflightCheck::Level;

namespace {

State stateOf(Level level) {
  switch (level) {
    case Level::Passed:
      return State::Ok;
    case Level::Warning:
      return State::Warning;
    case Level::Error:
      return State::Error;
  }
  return State::Idle;
}

constexpr int iconSize = 20;
constexpr int buttonRow = 320;

void followState(QLabel* label, State state, int size) {
  theme::followTheme(label, [label, state, size](const theme::Palette& palette) {
    label->setPixmap(theme::statePixmap(state, size, palette, label->devicePixelRatioF()));
  });
}

/// Text of a row. Can be selected from when the pointer is on it: a QLabel whose text can be
/// selected lays out a QTextDocument for each question of its layout, and hundreds of them are
/// asked at once when the list appears.
class RowText : public QLabel {
 public:
  RowText(const QString& text, const char* role, QWidget* parent) : QLabel(text, parent) {
    setProperty("role", QByteArray(role));
    setTextFormat(Qt::PlainText);
    setWordWrap(true);
    setCursor(Qt::IBeamCursor);
  }
  int heightForWidth(int width) const override {
    const auto known = heights_.constFind(width);
    return known != heights_.constEnd() ? *known
                                        : *heights_.insert(width, QLabel::heightForWidth(width));
  }

 protected:
  void enterEvent(QEnterEvent* event) override {
    setTextInteractionFlags(Qt::TextSelectableByMouse);
    QLabel::enterEvent(event);
  }
  void changeEvent(QEvent* event) override {
    heights_.clear();
    QLabel::changeEvent(event);
  }

 private:
  mutable QHash<int, int> heights_;
};

/// A row with the line below it.
class CheckRow : public QWidget {
 public:
  using QWidget::QWidget;

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter(this).fillRect(0, height() - 1, width(), 1,
                            theme::Palette::of(this)[theme::Token::LineSubtle]);
  }
};

/// The row's background is the state's tint; a plain widget with a palette, no style sheet.
void followTint(QWidget* widget, State state) {
  widget->setAutoFillBackground(true);
  widget->setBackgroundRole(QPalette::Window);  // Else the list's role is inherited.
  theme::followTheme(widget, [widget, state](const theme::Palette& palette) {
    auto changed = palette.toQPalette();
    changed.setColor(QPalette::Window, theme::colors(state, palette).tint);
    widget->setPalette(changed);
  });
}

/// Nothing that a button could do.
bool isAdvice(const PreflightFix& fix) {
  return !fix.edit && fix.command.isEmpty() && fix.action.isEmpty();
}

QString plain(const PreflightCheck& check) {
  QStringList lines{check.title};
  if (!check.detail.isEmpty()) lines << check.detail;
  if (!check.where.isEmpty()) lines << check.where;
  for (const auto& fix : check.fixes) lines << (fix.command.isEmpty() ? fix.label : fix.command);
  return lines.join(u'\n');
}

}  // namespace

PreflightPanel::PreflightPanel(QWidget* parent)
    : QWidget(parent),
      icon_(new QLabel(this)),
      headline_(theme::makeLabel(tr("Checking"), "title", this)),
      summary_(theme::makeLabel({}, "caption", this)),
      again_(new QPushButton(tr("Check again"), this)),
      write_(new QPushButton(theme::icon(QStringLiteral("document")), tr("Write plan…"), this)),
      progress_(new theme::ProgressLine(QStringLiteral("preflightProgress"), this)),
      scroll_(new QScrollArea(this)) {
  setObjectName(QStringLiteral("preflightPanel"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  icon_->setObjectName(QStringLiteral("preflightIcon"));
  icon_->setFixedWidth(iconSize);
  theme::followTheme(icon_, [this](const theme::Palette&) { showState(); });
  headline_->setObjectName(QStringLiteral("preflightHeadline"));
  headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  summary_->setObjectName(QStringLiteral("preflightSummary"));
  again_->setObjectName(QStringLiteral("preflightAgain"));
  again_->setProperty("dense", true);
  write_->setObjectName(QStringLiteral("writePlan"));
  write_->setToolTip(
      tr("Write both plans, run.sh and a batch script into a folder, as tutti plan -o does"));
  scroll_->setObjectName(QStringLiteral("preflightScroll"));
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->viewport()->setBackgroundRole(QPalette::Base);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(16, 12, 16, 12);
  head->setSpacing(10);
  head->addWidget(icon_);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(0);
  texts->addWidget(headline_);
  texts->addWidget(summary_);
  head->addLayout(texts, 1);
  head->addWidget(again_);
  column->addLayout(head);
  column->addWidget(theme::rule(this));
  column->addWidget(progress_);
  column->addWidget(scroll_, 1);
  column->addWidget(theme::rule(this));
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(16, 12, 16, 12);
  foot->addWidget(write_, 1);
  column->addLayout(foot);
  connect(again_, &QPushButton::clicked, this, &PreflightPanel::checkAgainRequested);
  connect(progress_, &theme::ProgressLine::cancelRequested, this, &PreflightPanel::cancelRequested);
  connect(write_, &QPushButton::clicked, this, &PreflightPanel::writePlanRequested);
}

QString PreflightPanel::headline() const { return headline_->text(); }

void PreflightPanel::showHeadline() {
  if (!known_) return;
  headline_->setText(errors_ > 1                       ? tr("%1 things stop the run").arg(errors_)
                     : errors_ == 1                    ? tr("1 thing stops the run")
                     : progress_->progress().isEmpty() ? tr("Ready to run")
                                                       : tr("Nothing stops the run so far"));
  state_ = errors_ > 0                       ? State::Error
           : progress_->progress().isEmpty() ? State::Ok
                                             : State::Starting;
  showState();
}

void PreflightPanel::setProgress(const QString& what) {
  progress_->setProgress(what);
  showHeadline();
}

void PreflightPanel::setChecking(bool checking) {
  again_->setEnabled(!checking);
  again_->setText(checking ? tr("Checking…") : tr("Check again"));
}

QWidget* PreflightPanel::row(const PreflightCheck& check, bool primary) {
  const auto state = stateOf(check.level);
  auto* widget = new CheckRow(list_);
  widget->setObjectName(QStringLiteral("check-") + check.id);
  widget->setAccessibleName(tr("%1: %2").arg(theme::stateWord(state), check.title));
  if (check.level != Level::Passed) followTint(widget, state);
  auto* column = new QVBoxLayout(widget);
  column->setContentsMargins(16, 7, 12, 9);
  column->setSpacing(6);
  auto* line = new QHBoxLayout;
  line->setSpacing(10);
  auto* mark = new QLabel(widget);
  mark->setFixedSize(14, 18);
  mark->setAlignment(Qt::AlignBottom);
  followState(mark, state, 14);
  line->addWidget(mark, 0, Qt::AlignTop);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(1);
  const auto addText = [&](const QString& text, const char* role) {
    auto* label = new RowText(text, role, widget);
    texts->addWidget(label);
    return label;
  };
  addText(check.title, check.level == Level::Passed ? "label-strong" : "dock")
      ->setObjectName(QStringLiteral("checkTitle"));
  if (!check.detail.isEmpty())
    addText(check.detail, check.level == Level::Passed ? "caption" : "table");
  // A federate's name alone says nothing that the title does not.
  if (check.where.contains(u'/') && check.level != Level::Passed &&
      !check.detail.contains(check.where))
    addText(check.where, "caption");
  for (const auto& fix : check.fixes) {
    if (isAdvice(fix)) addText(fix.label + u'.', "table")->setObjectName(QStringLiteral("advice"));
  }
  line->addLayout(texts, 1);
  if (check.level != Level::Passed) {
    auto* copy = theme::smallButton(QStringLiteral("copy"), tr("Copy this message"), widget);
    connect(copy, &QToolButton::clicked, widget,
            [text = plain(check)] { QApplication::clipboard()->setText(text); });
    line->addWidget(copy, 0, Qt::AlignTop);
  }
  column->addLayout(line);
  if (!std::all_of(check.fixes.begin(), check.fixes.end(), isAdvice) ||
      (!check.federates.isEmpty() && check.level != Level::Passed)) {
    auto* buttons = new QVBoxLayout;
    buttons->setContentsMargins(24, 0, 0, 2);
    buttons->setSpacing(6);
    QHBoxLayout* row = nullptr;
    int used = 0;
    // As many beside each other as the pane is wide by default.
    const auto add = [&](QPushButton* button) {
      const int wide = button->sizeHint().width() + 8;
      if (row == nullptr || used + wide > buttonRow) {
        row = new QHBoxLayout;
        row->setSpacing(8);
        row->addStretch();
        buttons->addLayout(row);
        used = 0;
      }
      used += wide;
      row->insertWidget(row->count() - 1, button);
    };
    for (const auto& fix : check.fixes) {
      if (isAdvice(fix)) continue;
      auto* button = new QPushButton(fix.label, widget);
      button->setObjectName(QStringLiteral("fix"));
      button->setProperty("dense", true);
      if (primary) button->setProperty("role", QByteArray("primary"));
      primary = false;
      if (!fix.command.isEmpty()) button->setToolTip(fix.command);
      connect(button, &QPushButton::clicked, this, [this, button, fix] {
        if (!fix.command.isEmpty()) {
          QApplication::clipboard()->setText(fix.command);
          button->setText(tr("Copied"));
        }
        Q_EMIT fixRequested(fix);
      });
      add(button);
    }
    if (!check.federates.isEmpty()) {
      auto* show = new QPushButton(tr("Show it"), widget);
      show->setObjectName(QStringLiteral("showFederate"));
      show->setProperty("dense", true);
      connect(show, &QPushButton::clicked, this,
              [this, id = check.federates.front()] { Q_EMIT federateRequested(id); });
      add(show);
    }
    column->addLayout(buttons);
  }
  return widget;
}

void PreflightPanel::showState() {
  icon_->setPixmap(
      theme::statePixmap(state_, iconSize, theme::Palette::of(icon_), icon_->devicePixelRatioF()));
}

void PreflightPanel::setChecks(const std::vector<PreflightCheck>& checks) {
  setChecking(false);
  if (known_ && checks == checks_) return;
  known_ = true;
  checks_ = checks;
  const auto count = [&](Level level) {
    return std::count_if(checks.begin(), checks.end(),
                         [&](const auto& check) { return check.level == level; });
  };
  const auto errors = count(Level::Error);
  const auto warnings = count(Level::Warning);
  errors_ = static_cast<int>(errors);
  showHeadline();
  const auto passed = theme::formatNoun(count(Level::Passed), tr("check"), tr("checks"));
  summary_->setText(
      warnings == 0 ? tr("%1 passed").arg(passed)
                    : tr("%1, %2 passed")
                          .arg(theme::formatNoun(warnings, tr("warning"), tr("warnings")), passed));

  stale_ = true;
  if (isVisible()) rebuild();
}

void PreflightPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) rebuild();
}

void PreflightPanel::rebuild() {
  stale_ = false;
  const auto position = scroll_->verticalScrollBar()->value();
  auto* list = new QWidget(scroll_);
  list->setObjectName(QStringLiteral("preflightList"));
  list->setBackgroundRole(QPalette::Base);
  list_ = list;
  auto* column = new QVBoxLayout(list);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  int shown = 0;
  int hidden = 0;
  for (const auto& check : checks_) {
    if (check.level != Level::Passed && shown >= mostShown) {
      ++hidden;
      continue;
    }
    ++shown;
    // One primary button a page: the fix of what is worst.
    column->addWidget(row(check, shown == 1 && check.level == Level::Error));
  }
  if (hidden > 0) {
    auto* more = theme::makeLabel(
        tr("and %1 more; the Problems list on Compose has them all").arg(hidden), "muted", list);
    more->setContentsMargins(16, 8, 16, 8);
    column->addWidget(more);
  }
  column->addStretch();
  scroll_->setWidget(list);  // Deletes the old one.
  scroll_->verticalScrollBar()->setValue(position);
}

}  // namespace tutti::launcher
