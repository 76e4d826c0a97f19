// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/canvas_export.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QPainter>

#include "composer/model/document.h"
#include "composer/ui/canvas_scene.h"
#include "resources/csv.h"
#include "resources/theme/exporter.h"

namespace tutti::composer {

namespace {

constexpr qreal kBorder = 12;

QString tr(const char* text) { return QCoreApplication::translate("CanvasExport", text); }

QString titleOf(const Document& document, const QString& what) {
  return QStringLiteral("%1, %2, %3")
      .arg(document.composition().settings.federation, what,
           QDateTime::currentDateTime().toString(Qt::ISODate));
}

}  // namespace

tl::expected<void, QString> exportCanvas(const CanvasScene& scene, const QString& path) {
  const QRectF content = scene.contentRect().adjusted(-kBorder, -kBorder, kBorder, kBorder);
  const QString widths = scene.equalWidths()
                             ? tr("data flow")
                             : tr("data flow, width of a line: expected messages per second");
  return theme::exportPicture(
      titleOf(scene.document(), widths), content.size().toSize(), path, [&](QPainter& painter) {
        // Rendering only paints, but QGraphicsScene does not say so.
        const_cast<CanvasScene&>(scene).render(&painter, QRectF({}, content.size()), content);
      });
}

tl::expected<void, QString> exportDataFlow(const Document& document, const QString& path) {
  const auto nameOf = [&](const QString& id) {
    const Federate* federate = document.federate(id);
    return federate ? federate->name : id;
  };
  QString text =
      QStringLiteral("# ") +
      titleOf(document, tr("data flow, rates are expected messages per second")) +
      QStringLiteral("\nClass,Kind,Federate,Instances,Does,Class subscribed,Messages in 1/s\n");
  const auto row = [&](const QString& className, bool isObject, const FlowEnd& end,
                       const QString& does) {
    const QStringList fields{className,
                             isObject ? tr("object class") : tr("interaction class"),
                             nameOf(end.federate),
                             QString::number(end.count),
                             does,
                             end.asClass,
                             end.rate ? QString::number(*end.rate, 'g', 10) : QString()};
    QStringList cells;
    for (const QString& field : fields) cells << csvField(field);
    text += cells.join(u',') + u'\n';
  };
  const DataFlow& flow = document.dataFlow();
  for (const ClassFlow& one : flow.flows) {
    for (const FlowEnd& end : one.publishers)
      row(one.className, one.isObject, end, tr("publishes"));
    for (const FlowEnd& end : one.subscribers)
      row(one.className, one.isObject, end, tr("subscribes"));
  }
  for (const UnmetSubscription& unmet : flow.unmet) {
    const Federate* federate = document.federate(unmet.federate);
    row(unmet.className, unmet.isObject,
        {unmet.federate, federate ? federate->count : 1, {}, {}, unmet.className},
        tr("subscribes, nobody publishes"));
  }
  return theme::exportText(text, path);
}

}  // namespace tutti::composer
