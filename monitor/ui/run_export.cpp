// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/run_export.h"

#include <QDateTime>
#include <QDir>
#include <QPainter>
#include <utility>
#include <vector>

#include "monitor/engine/feed.h"
#include "monitor/engine/recorder.h"
#include "monitor/ui/federate_table.h"
#include "monitor/ui/link_table.h"
#include "monitor/ui/log_panel.h"
#include "monitor/ui/run_plots.h"
#include "monitor/ui/time_axis.h"
#include "monitor/ui/topology_view.h"
#include "resources/theme/exporter.h"

namespace tutti::monitor {

namespace {

QString tr(const char* text) { return QObject::tr(text); }

constexpr double pictureBorder = 12;

}  // namespace

QString RunExport::titleOf(const QString& what) const {
  const SnapshotPointer snapshot = views_.feed->current();
  QString title = what;
  if (!snapshot->federation.isEmpty()) title += QStringLiteral(", ") + snapshot->federation;
  if (views_.recorder != nullptr && views_.recorder->runId() != 0) {
    title += tr(", run %1").arg(views_.recorder->runId());
  }
  return title + QStringLiteral(", ") + QDateTime::currentDateTime().toString(Qt::ISODate);
}

QString RunExport::fileName(What what) const {
  const char* const names[] = {"topology", "time",        "federates", "log",
                               "plots",    "plot-values", "links"};
  return theme::fileNameOf({views_.feed->current()->federation,
                            QString::fromLatin1(names[static_cast<std::size_t>(what)])});
}

tl::expected<void, QString> RunExport::write(What what, const QString& path) const {
  switch (what) {
    case What::Topology: {
      const QSizeF size =
          views_.topology->contentRect().size() + QSizeF(2 * pictureBorder, 2 * pictureBorder);
      return theme::exportPicture(
          titleOf(tr("Topology")), size.toSize(), path,
          [&](QPainter& painter) { views_.topology->renderAll(painter, QRectF({}, size)); });
    }
    case What::Time: {
      const QSize size = views_.timeAxis->fullSize();
      return theme::exportPicture(
          titleOf(tr("Logical time in s")), size, path, [&](QPainter& painter) {
            views_.timeAxis->renderAll(painter, size, theme::Palette(theme::Mode::Light));
          });
    }
    case What::Federates:
      return theme::exportCsv(
          views_.federates->rows(),
          titleOf(views_.federates->model().isOver() ? tr("Federates, totals of the run")
                                                     : tr("Federates, rates are means of 5 s")),
          path, FederateModel::SortRole);
    case What::Plots:
      return theme::exportPicture(
          titleOf(tr("Plots")), views_.plots->fullSize(), path,
          [&](QPainter& painter) { views_.plots->renderLight(painter, views_.plots->fullSize()); });
    case What::PlotValues:
      return theme::exportText(
          QStringLiteral("# ") + titleOf(tr("Values of the plots")) + u'\n' + views_.plots->csv(),
          path);
    case What::Links:
      return theme::exportCsv(
          views_.links->rows(),
          titleOf(tr("Links to other hosts, rates are means of 5 s, round trips in s")), path,
          LinkModel::SortRole);
    case What::Log:
      break;
  }
  return theme::exportCsv(*views_.log->filter(), titleOf(tr("Log")), path);
}

RunExport::Result RunExport::one(What what, QWidget* window) const {
  const bool picture = what == What::Topology || what == What::Time || what == What::Plots;
  const QString suggestion =
      fileName(what) + (picture ? QStringLiteral(".svg") : QStringLiteral(".csv"));
  const QString path = theme::askForFile(
      window, suggestion, picture ? tr("Pictures (*.svg *.png)") : tr("Tables (*.csv)"));
  if (path.isEmpty()) return QString();
  const auto written = write(what, path);
  if (!written) return tl::unexpected(written.error());
  return tr("Exported %1").arg(path);
}

RunExport::Result RunExport::all(QWidget* window) const {
  const QString folder = theme::askForFolder(window);
  if (folder.isEmpty()) return QString();
  const auto files = into(folder);
  if (!files) return tl::unexpected(files.error());
  return tr("Exported %1 files to %2").arg(*files).arg(folder);
}

tl::expected<int, QString> RunExport::into(const QString& folder) const {
  int files = 0;
  std::vector<std::pair<What, const char*>> wanted{
      {What::Topology, "svg"},   {What::Topology, "png"},  {What::Time, "svg"},
      {What::Time, "png"},       {What::Plots, "svg"},     {What::Plots, "png"},
      {What::PlotValues, "csv"}, {What::Federates, "csv"}, {What::Log, "csv"}};
  // A run on one host has none.
  if (views_.links->rows().rowCount() > 0) wanted.emplace_back(What::Links, "csv");
  for (const auto& [what, ending] : wanted) {
    const QString name = fileName(what) + u'.' + QString::fromLatin1(ending);
    const auto written = write(what, QDir(folder).filePath(name));
    if (!written) return tl::unexpected(written.error());
    ++files;
  }
  return files;
}

}  // namespace tutti::monitor
