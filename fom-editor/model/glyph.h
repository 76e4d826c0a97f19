// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>
#include <QSize>
#include <QString>
#include <string_view>
#include <tl/expected.hpp>

#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/model_changes.h"

/// The glyph of a module's identification (IEEE 1516.2-2010, 4.1): a small picture in base64.
namespace tutti::fomedit {

struct CheckedModule;

/// The largest picture that is put into a module, in bytes; in the module it takes a third more.
inline constexpr qint64 maxGlyphBytes = qint64{1} << 20;
/// The most text of a glyph that is looked at, in bytes: a picture of that size in lines, and room
/// for larger ones of other programs.
inline constexpr qint64 maxGlyphText = 4 * maxGlyphBytes;
/// The largest picture that is decoded, in pixels of each side: at most 64 MB in memory.
inline constexpr int maxGlyphSide = 4096;

struct Glyph {
  bool exists = false;
  QString type;        ///< as the module says it: "PNG", "JPG", "GIF", "BITMAP", "TIFF"
  QString alt;         ///< in words
  QString href;        ///< where the picture is besides; it is never fetched
  QByteArray picture;  ///< decoded; empty where it cannot be, or there is only an address
  QString format;      ///< what the picture is, in the words of `type`; empty: none of them
  QSize size;          ///< pixels; invalid where it is not known
  QString problem;     ///< why there is nothing to show, in one sentence; empty: there is
  int line = 0;
};

/// The element of the glyph as the module has it, at most maxGlyphText of it; empty: there is none.
/// The same text is the same glyph. Valid until the next change of the module.
std::string_view glyphText(const ModuleSource& source);
/// Never decodes more than the head of the picture, nor base64 of more than maxGlyphText.
Glyph glyphOf(const ModuleSource& source);
/// The picture, no larger than `most`; null with glyph.problem set where it cannot be decoded.
/// Thread-safe; at most some 64 MB are allocated whatever the picture says of itself.
QImage glyphImage(Glyph& glyph, const QSize& most);
/// A picture from a file. The error says what the file is not. Waits for the disk, but not for a
/// program at the other end of a pipe: only files are taken.
tl::expected<Glyph, QString> readGlyph(const QString& path);
/// "png", "jpg": what a file of the picture ends in.
QString glyphSuffix(const Glyph& glyph);

/// Plans that a module has this picture, with its type and size where the edition has cells for
/// them; words and address of a glyph that was there stay.
ModelChanges::Result setGlyph(const ModelChanges& changes, int module, const Glyph& glyph);
ModelChanges::Result setGlyphAlt(const ModelChanges& changes, int module, const QString& alt);
ModelChanges::Result removeGlyph(const ModelChanges& changes, int module);

/// What is wrong with the glyph of a module.
QList<Finding> glyphFindings(const CheckedModule& module);

}  // namespace tutti::fomedit
