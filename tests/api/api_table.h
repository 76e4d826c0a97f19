// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QFile>
#include <QHash>
#include <QList>
#include <QString>

// Reads a table of tests/data: the first line names the columns.
inline QList<QHash<QByteArray, QByteArray>> readTable(const char* name) {
  QFile file(QStringLiteral(TUTTI_SOURCE_DIR "/tests/data/") + QString::fromLatin1(name));
  QList<QHash<QByteArray, QByteArray>> rows;
  if (!file.open(QIODevice::ReadOnly)) return rows;
  const QList<QByteArray> lines = file.readAll().split('\n');
  const QList<QByteArray> columns = lines.first().split('\t');
  for (qsizetype i = 1; i < lines.size(); ++i) {
    if (lines[i].isEmpty()) continue;
    const QList<QByteArray> cells = lines[i].split('\t');
    QHash<QByteArray, QByteArray> row;
    for (qsizetype c = 0; c < columns.size(); ++c) row[columns[c]] = cells.value(c);
    rows.append(row);
  }
  return rows;
}
