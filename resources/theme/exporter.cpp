// SPDX-License-Identifier: GPL-3.0-or-later
#include "resources/theme/exporter.h"

#include <QAbstractItemModel>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QPainter>
#include <QSaveFile>
#include <QSettings>
#include <QSvgGenerator>
#include <algorithm>
#include <utility>

#include "resources/csv.h"
#include "resources/theme/format.h"
#include "resources/theme/theme.h"
#include "resources/theme/workspace.h"

namespace tutti::theme {
namespace {

constexpr int titleHeight = 36;
constexpr int titleMargin = 12;

QString quoted(QString text) {
  text.replace(QChar(0x202F), u' ').replace(QChar(0x2212), u'-');
  if (text == noValue()) return {};
  return csvField(std::move(text));
}

QString cannotWrite(const QString& path, const QString& why) {
  return QStringLiteral("%1 cannot be written: %2. Choose another folder.").arg(path, why);
}

}  // namespace

tl::expected<void, QString> exportCsv(const QAbstractItemModel& model, const QString& title,
                                      const QString& path, int numberRole, const CsvColumns& more) {
  QString text = QStringLiteral("# ") + QString(title).replace(u'\n', u' ') + u'\n';
  QList<int> columns;
  QStringList heads;
  for (int column = 0; column < model.columnCount(); ++column) {
    const QString head = model.headerData(column, Qt::Horizontal).toString();
    if (head.isEmpty()) continue;  // a picture
    columns << column;
    heads << quoted(head);
  }
  text += (heads + more.heads).join(u',') + u'\n';
  for (int row = 0; row < model.rowCount(); ++row) {
    QStringList cells;
    for (const int column : std::as_const(columns)) {
      const QModelIndex index = model.index(row, column);
      const QVariant checked = index.data(Qt::CheckStateRole);
      const QVariant shown = checked.isValid()
                                 ? QVariant(checked.toInt() == Qt::Checked ? QStringLiteral("yes")
                                                                           : QStringLiteral("no"))
                                 : index.data();
      const QVariant number = numberRole >= 0 ? index.data(numberRole) : QVariant();
      const bool plain = shown.isValid() && number.typeId() == QMetaType::Double;
      cells << (plain ? QString::number(number.toDouble(), 'g', 10) : quoted(shown.toString()));
    }
    if (more.fields) cells += more.fields(row);
    text += cells.join(u',') + u'\n';
  }
  return exportText(text, path);
}

tl::expected<void, QString> exportText(const QString& text, const QString& path) {
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) {
    return tl::unexpected(cannotWrite(path, file.errorString()));
  }
  file.write(text.toUtf8());
  if (!file.flush() || !file.commit()) return tl::unexpected(cannotWrite(path, file.errorString()));
  return {};
}

tl::expected<void, QString> exportPicture(const QString& title, QSize size, const QString& path,
                                          const std::function<void(QPainter&)>& paint) {
  const QFont heading = textFont(TextStyle::Heading);
  const int titleWidth = QFontMetrics(heading).horizontalAdvance(title) + 2 * titleMargin;
  const QSize whole(std::max(size.width(), titleWidth), size.height() + titleHeight);
  const Palette palette{Mode::Light};
  const auto draw = [&](QPainter& painter) {
    painter.fillRect(QRect({}, whole), palette[Token::BgPanel]);
    painter.setFont(heading);
    painter.setPen(palette[Token::TextPrimary]);
    painter.drawText(QRect(titleMargin, 0, whole.width() - titleMargin, titleHeight),
                     Qt::AlignVCenter | Qt::AlignLeft, title);
    painter.translate(0, titleHeight);
    painter.setClipRect(QRect({}, size));
    paint(painter);
  };
  if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
      return tl::unexpected(cannotWrite(path, file.errorString()));
    }
    QSvgGenerator svg;
    svg.setOutputDevice(&file);
    svg.setSize(whole);
    svg.setViewBox(QRect({}, whole));
    svg.setTitle(title);
    QPainter painter(&svg);
    draw(painter);
    painter.end();
    if (!file.flush() || !file.commit())
      return tl::unexpected(cannotWrite(path, file.errorString()));
    return {};
  }
  QImage image(whole * 2, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(2);
  image.setText(QStringLiteral("Title"), title);
  image.fill(Qt::white);
  QPainter painter(&image);
  draw(painter);
  painter.end();
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || !image.save(&file, "PNG") || !file.flush() ||
      !file.commit()) {
    return tl::unexpected(cannotWrite(path, file.errorString()));
  }
  return {};
}

QString askForFile(QWidget* parent, const QString& suggestion, const QString& filters) {
  QSettings settings;
  const QString folder =
      settings.value(QStringLiteral("export/folder"), QDir::homePath()).toString();
  const QString path =
      QFileDialog::getSaveFileName(parent, {}, folder + u'/' + suggestion, filters);
  if (!path.isEmpty()) {
    settings.setValue(QStringLiteral("export/folder"), QFileInfo(path).absolutePath());
  }
  return path;
}

QString askForFolder(QWidget* parent) {
  QSettings settings;
  const QString folder =
      settings.value(QStringLiteral("export/folder"), QDir::homePath()).toString();
  const QString path = QFileDialog::getExistingDirectory(parent, {}, folder);
  if (!path.isEmpty()) settings.setValue(QStringLiteral("export/folder"), path);
  return path;
}

void exportAsked(Workspace& page, const QString& what, const QString& suggestion,
                 const QString& filters,
                 const std::function<tl::expected<void, QString>(const QString& path)>& write) {
  const QString path = askForFile(&page, suggestion, filters);
  if (path.isEmpty()) return;
  if (const auto written = write(path))
    Q_EMIT page.done(Workspace::tr("Exported %1").arg(path));
  else
    Q_EMIT page.failed(Workspace::tr("%1 was not exported").arg(what), written.error());
}

QString fileNameOf(const QStringList& parts) {
  QString result;
  for (const QString& part : parts) {
    if (part.isEmpty()) continue;
    if (!result.isEmpty()) result += u'-';
    for (const QChar letter : part.toLower()) {
      result +=
          letter.isLetterOrNumber() || letter == u'-' || letter == u'.' ? letter : QChar(u'-');
    }
  }
  return result;
}

}  // namespace tutti::theme
