// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/table_csv.h"

#include <QAbstractItemModel>
#include <QSaveFile>
#include <QStringList>

#include "resources/theme/format.h"

namespace tutti::launcher {

namespace {

QString field(QString text) {
  // What stands for no value is an empty field.
  if (text == theme::noValue()) return {};
  text.replace(QChar(0x202F), u' ').replace(QChar(0x2212), u'-');
  const bool plain = !text.contains(u',') && !text.contains(u'"') && !text.contains(u'\n') &&
                     !text.contains(u'\r');
  return plain ? text : u'"' + text.replace(u'"', QStringLiteral("\"\"")) + u'"';
}

}  // namespace

QString tableCsv(const QAbstractItemModel& model, const QString& title) {
  QString text = QStringLiteral("# ") + QString(title).replace(u'\n', u' ') + u'\n';
  QStringList cells;
  for (int column = 0; column < model.columnCount(); ++column)
    cells << field(model.headerData(column, Qt::Horizontal).toString());
  text += cells.join(u',') + u'\n';
  for (int row = 0; row < model.rowCount(); ++row) {
    cells.clear();
    for (int column = 0; column < model.columnCount(); ++column)
      cells << field(model.index(row, column).data().toString());
    text += cells.join(u',') + u'\n';
  }
  return text;
}

tl::expected<void, QString> saveText(const QString& text, const QString& file) {
  QSaveFile output(file);
  if (!output.open(QIODevice::WriteOnly) || output.write(text.toUtf8()) < 0 || !output.flush() ||
      !output.commit())
    return tl::unexpected(QStringLiteral("%1 cannot be written: %2. Choose another folder.")
                              .arg(file, output.errorString()));
  return {};
}

}  // namespace tutti::launcher
