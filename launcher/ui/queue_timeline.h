// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDateTime>
#include <QHeaderView>
#include <QTreeView>
#include <optional>
#include <vector>

#include "launcher/engine/slurm.h"
#include "resources/theme/delegates.h"

// The jobs of a queue as bars on one time axis.
namespace tutti::launcher {

/// When a job has its nodes: it runs, or Slurm plans its start.
struct QueueBar {
  QDateTime from;
  QDateTime to;  ///< its time limit; invalid: it has none
  bool runs = false;
  bool own = false;
  friend bool operator==(const QueueBar&, const QueueBar&) = default;
};
/// Nothing for a job that waits without a planned start.
std::optional<QueueBar> barOf(const SlurmJob& job, bool own);
/// When a job ends at the latest, if it starts as planned; invalid: not known.
QDateTime endOf(const SlurmJob& job);
/// The first job that a waiting one depends on; or the one whose nodes it probably gets: of those
/// of its partition the one that ends last before its planned start, at most 5 min before.
/// 0: not known.
qint64 endsFirst(const SlurmJob& job, const std::vector<SlurmJob>& jobs);
/// "job 7 must end first", "probably when job 7 ends"; empty: not known.
QString endsFirstText(const SlurmJob& job, const std::vector<SlurmJob>& jobs);
/// The bar in words, "planned from 14:52 to 15:52"; of a job without one, why:
/// "after 48216, no start planned".
QString barText(const SlurmJob& job, const QDateTime& now);

/// The time that the bars are drawn on.
struct QueueAxis {
  QDateTime now;
  QDateTime from;  ///< a little before now
  QDateTime to;
  /// 0 at `from`, 1 at `to`; beyond them below 0 and above 1.
  [[nodiscard]] double at(const QDateTime& time) const;
  friend bool operator==(const QueueAxis&, const QueueAxis&) = default;
};
/// With bars of ours, an axis that shows those; else one that shows what is planned, or runs, at
/// most a day. An hour at least.
QueueAxis axisOf(const std::vector<QueueBar>& bars, const QDateTime& now);

struct AxisTick {
  QDateTime at;
  QString text;
};
/// Round local times behind now, at most so many.
std::vector<AxisTick> ticksOf(const QueueAxis& axis, int most);
/// That fit into so many pixels.
std::vector<AxisTick> ticksIn(const QueueAxis& axis, int width);

/// The bar of a job: filled while it runs, dashed as planned; ours in colour. Words where it has
/// none on the axis.
class QueueBarDelegate : public theme::RowDelegate {
  Q_OBJECT

 public:
  using RowDelegate::RowDelegate;

 protected:
  void paintContent(QPainter& painter, const QRect& content, const QStyleOptionViewItem& option,
                    const QModelIndex& index, const theme::Palette& palette) const override;
};

/// The head of the table of jobs, which says the times above the bars.
class QueueHeader : public QHeaderView {
  Q_OBJECT

 public:
  using QHeaderView::QHeaderView;

 protected:
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;
};

/// The table of jobs; the bars take the width that is left, and enough to be read.
class QueueView : public QTreeView {
  Q_OBJECT

 public:
  explicit QueueView(QWidget* parent = nullptr) : QTreeView(parent) {}
  void fitBars();

 protected:
  void resizeEvent(QResizeEvent* event) override;
};

}  // namespace tutti::launcher

Q_DECLARE_METATYPE(tutti::launcher::QueueBar)
Q_DECLARE_METATYPE(tutti::launcher::QueueAxis)
