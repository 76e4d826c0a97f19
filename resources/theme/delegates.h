// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>
#include <array>

#include "resources/theme/rows.h"
#include "resources/theme/state.h"

namespace tutti::theme {

/// What the delegates read from a model beside Qt::DisplayRole. The names are stable, the numbers
/// far from Qt::UserRole so that a model's own roles do not collide.
enum Role {
  StateRole = Qt::UserRole + 1000,  ///< State (as QVariant::fromValue) of the icon.
  TintRole,       ///< State whose tint colours the whole row (late, dead); absent for none.
  DetailRole,     ///< QString: second line of TwoLine.
  IconNameRole,   ///< QString: icon name, see icons.h.
  SparklineRole,  ///< const SparkBuffer*, valid while the row is.
  FractionRole,   ///< double 0 to 1: length of BarNumber's bar; not a number hides it.
  BarStateRole,   ///< State of the bar (late from 50 %); Running or absent is the accent.
  SeriesRole,     ///< int 0 to 7: series colour of a sparkline; absent is series 1.
  StaleRole,      ///< bool: the value is old and drawn muted.
  EmphasisRole,   ///< bool: drawn in weight 600.
  FixRole,        ///< QString: text of FixButton; empty draws none.
  LinkRole,       ///< QString: target of Link; empty draws plain text.
};

/// The last 60 samples of a value for a sparkline. Not a number is a gap.
class SparkBuffer {
 public:
  static constexpr int kSize = 60;

  void push(double value);
  void clear();
  int size() const { return size_; }
  /// 0 is the oldest.
  double at(int index) const;
  double latest() const { return size_ ? at(size_ - 1) : 0; }
  /// Largest finite sample, 0 when there is none.
  double maximum() const;

 private:
  std::array<double, kSize> samples_{};
  int next_ = 0;
  int size_ = 0;
};

/// Base of all: paints the row's background (selection, hover, tint, line below) so that every
/// column of a row looks the same, and gives the row its height: `rowHeight` where rows are dense,
/// what rows.h makes of it else.
class RowDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  explicit RowDelegate(QObject* parent = nullptr, int rowHeight = height::kRow);

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

  /// Line under each row; tables have it, trees do not.
  void setRuled(bool ruled) { ruled_ = ruled; }

 protected:
  /// Draws inside `content`, the cell without its padding.
  virtual void paintContent(QPainter& painter, const QRect& content,
                            const QStyleOptionViewItem& option, const QModelIndex& index,
                            const Palette& palette) const;
  void paintBackground(QPainter& painter, const QStyleOptionViewItem& option,
                       const QModelIndex& index, const Palette& palette) const;
  /// Text colour of a cell: muted when stale or disabled.
  QColor textColor(const QModelIndex& index, const Palette& palette) const;
  /// Draws text elided to fit; right-aligned when the model says so.
  void paintText(QPainter& painter, const QRect& rect, const QString& text, const QColor& color,
                 const QFont& font, Qt::Alignment alignment) const;
  int rowHeight() const { return theme::rowHeight(rowHeight_); }

 private:
  int rowHeight_;
  bool ruled_ = true;
};

/// The background a row has in that state; for views that paint beside the delegates.
QColor rowBackground(const QStyleOptionViewItem& option, const QModelIndex& index,
                     const Palette& palette);

/// State icon, optional item icon, name; the name in the state's colour when it needs somebody.
class StatusNameDelegate : public RowDelegate {
  Q_OBJECT
 public:
  using RowDelegate::RowDelegate;
  /// State icon at the right end of the cell instead of before the name (outlines).
  void setStateAtEnd(bool atEnd) { stateAtEnd_ = atEnd; }
  /// Sentences are QFont::Normal; names are QFont::Medium unless set.
  void setWeight(QFont::Weight weight) { weight_ = weight; }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const Palette& palette) const override;

 private:
  bool stateAtEnd_ = false;
  QFont::Weight weight_ = QFont::Medium;
};

/// 60 samples as one line with a dot at the latest; a gap stays a gap.
class SparklineDelegate : public RowDelegate {
  Q_OBJECT
 public:
  using RowDelegate::RowDelegate;
  /// A fixed top of the scale (1 for shares); 0 takes each line's own maximum.
  void setMaximum(double maximum) { maximum_ = maximum; }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const Palette& palette) const override;

 private:
  double maximum_ = 0;
};

/// A number of fixed width, right-aligned, "–" when the model has none.
class NumberDelegate : public RowDelegate {
  Q_OBJECT
 public:
  /// `widest` reserves the width: "888.88 k".
  explicit NumberDelegate(const QString& widest, QObject* parent = nullptr,
                          int rowHeight = height::kRow);
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const Palette& palette) const override;

 private:
  QString widest_;
};

/// A bar of FractionRole before the number.
class BarNumberDelegate : public NumberDelegate {
  Q_OBJECT
 public:
  using NumberDelegate::NumberDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const Palette& palette) const override;
};

/// Text that jumps somewhere: click, Return or Space.
class LinkDelegate : public RowDelegate {
  Q_OBJECT
 public:
  using RowDelegate::RowDelegate;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

 Q_SIGNALS:
  void activated(const QModelIndex& index);

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const Palette& palette) const override;
};

/// A painted push button with FixRole's text: click, or Space on the row.
class FixButtonDelegate : public RowDelegate {
  Q_OBJECT
 public:
  using RowDelegate::RowDelegate;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  /// Where the button is in that cell; for tests and tool tips.
  QRect buttonRect(const QStyleOptionViewItem& option, const QModelIndex& index) const;

 Q_SIGNALS:
  void clicked(const QModelIndex& index);

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const Palette& palette) const override;

 private:
  mutable QPersistentModelIndex pressed_;
};

/// Icon, name and a muted second line: catalogs, hosts, recent files. 40 px.
class TwoLineDelegate : public RowDelegate {
  Q_OBJECT
 public:
  explicit TwoLineDelegate(QObject* parent = nullptr, int rowHeight = 40);
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const Palette& palette) const override;
};

}  // namespace tutti::theme

Q_DECLARE_METATYPE(const tutti::theme::SparkBuffer*)
