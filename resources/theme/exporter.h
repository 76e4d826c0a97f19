// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>
#include <functional>
#include <tl/expected.hpp>

class QAbstractItemModel;
class QPainter;
class QWidget;

/// Pictures and tables leave the console with what they are: title, run and units. Pictures are
/// always light, for paper.
namespace tutti::theme {

class Workspace;

/// Columns of a file that are on no screen.
struct CsvColumns {
  QStringList heads;
  std::function<QStringList(int row)> fields;  ///< ready for the file: csvField()
};

/// The first line says what it is ("# Federates, air-traffic, run 42"), the second names the
/// columns; values are those on the screen, without unit prefixes where the model has a sort role.
tl::expected<void, QString> exportCsv(const QAbstractItemModel& model, const QString& title,
                                      const QString& path, int numberRole = -1,
                                      const CsvColumns& more = {});

/// Replaces the file in one step.
tl::expected<void, QString> exportText(const QString& text, const QString& path);

/// `paint` draws into a rectangle of `size` at the origin. The format follows the path's ending:
/// .png (at 2 px a point) or .svg. `title` is drawn above.
tl::expected<void, QString> exportPicture(const QString& title, QSize size, const QString& path,
                                          const std::function<void(QPainter&)>& paint);

/// Asks for a path; empty when the person does not want to. Remembers the folder.
QString askForFile(QWidget* parent, const QString& suggestion, const QString& filters);
QString askForFolder(QWidget* parent);
/// What a person exports from a page: asks for the file, has it written, and the window says what
/// came of it. `what` stands at the start of a sentence: "The launch order".
void exportAsked(Workspace& page, const QString& what, const QString& suggestion,
                 const QString& filters,
                 const std::function<tl::expected<void, QString>(const QString& path)>& write);
/// "air-traffic-run-42-federates": fit for a file name.
QString fileNameOf(const QStringList& parts);

}  // namespace tutti::theme
