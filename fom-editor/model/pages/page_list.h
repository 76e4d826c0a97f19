// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSet>
#include <QString>
#include <QStringList>
#include <optional>

namespace tutti::fomedit {

/// The content of pages.txt: the files that an export has written into its folder.
QByteArray pageList(const QSet<QString>& names);
/// The files of such a list, without those of other folders, whoever wrote the list; nothing: it is
/// none.
std::optional<QSet<QString>> pagesOfList(const QByteArray& list);

/// How new pages get into a folder with those of an earlier export.
struct PageReplacement {
  QString foreign;          ///< a file at the place of a page that no export wrote; empty: none
  QStringList removeFirst;  ///< pages whose new names differ in case only
  QStringList removeLast;   ///< pages that the model no longer has
  bool operator==(const PageReplacement&) const = default;
};

/// `own`: pages of the earlier export, `names`: the new ones, `present`: what the folder has, as
/// its file system spells it. `ignoresCase`: to the file system, Foo.html and foo.html are one
/// file.
PageReplacement replacementOf(const QSet<QString>& own, const QSet<QString>& names,
                              const QStringList& present, bool ignoresCase);

}  // namespace tutti::fomedit
