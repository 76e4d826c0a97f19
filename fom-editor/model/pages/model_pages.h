// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <tl/expected.hpp>

#include "fom-editor/model/loaded_model.h"

namespace tutti::fomedit {

/// A file of a set of pages.
struct ModelPage {
  QString name;  ///< "object-HLAobjectRoot.Track.html"; without folders
  QByteArray content;
};

/// The object model as pages for a browser: index.html with the modules and class trees, one page a
/// class with inherited attributes or parameters, one a datatype with its layout, dimensions and
/// the other tables, who uses what, one a module, and a search that works from file://. They need
/// nothing else: no other addresses, light and dark as the browser asks. The same model gives the
/// same bytes. The error is a sentence: the pages would have more than maxPagesBytes.
tl::expected<QList<ModelPage>, QString> modelPages(const LoadedModel& loaded);

inline constexpr qint64 maxPagesBytes = qint64{256} << 20;

/// Writes pages into a folder that is new, empty, or was written by this before. What another
/// export left there and the new one does not have is removed; files of others stay, and a folder
/// that has only those is refused. A new folder appears with all pages or not at all; in an old one
/// each page does. What an export that was killed has left beside the folder is removed. The error says what, where and why.
tl::expected<void, QString> writePages(const QString& folder, const QList<ModelPage>& pages);

/// The file in a folder of pages that lists them.
inline constexpr const char* pagesListName = "pages.txt";

}  // namespace tutti::fomedit
