// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/glyph.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QBuffer>
#include <QFile>
#include <QFileInfo>
#include <QImageReader>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "fom-editor/model/checks/checked_module.h"
#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/module_edits.h"

namespace tutti::fomedit {

namespace {

/// The pictures that the schemas name, and how their files begin.
struct Format {
  const char* type;
  const char* qtFormat;
  const char* suffix;
  QByteArrayView head;
};
const std::array<Format, 6> kFormats{{{"PNG", "png", "png", "\x89PNG\r\n\x1A\n"},
                                      {"JPG", "jpeg", "jpg", "\xFF\xD8\xFF"},
                                      {"GIF", "gif", "gif", "GIF8"},
                                      {"BITMAP", "bmp", "bmp", "BM"},
                                      {"TIFF", "tiff", "tif", QByteArrayView("II*\0", 4)},
                                      {"TIFF", "tiff", "tif", QByteArrayView("MM\0*", 4)}}};

const Format* formatOf(const QByteArray& picture) {
  const auto found = std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& format) {
    return QByteArrayView(picture).startsWith(format.head);
  });
  return found == kFormats.end() ? nullptr : &*found;
}

ElementId glyphElement(const ModuleSource& source) {
  return findTable(source, {"modelIdentification", "glyph"});
}

QString attributeText(const ModuleSource& source, ElementId id, std::string_view name) {
  const auto a = source.attribute(id, name);
  return a ? text(source.resolved(a->value)) : QString();
}

/// Format and size, from the head of the picture.
void look(Glyph& glyph) {
  const Format* format = formatOf(glyph.picture);
  if (format == nullptr) {
    glyph.problem = QStringLiteral("The glyph is no PNG, JPG, GIF, bitmap or TIFF picture.");
    return;
  }
  glyph.format = QLatin1String(format->type);
  QBuffer buffer(&glyph.picture);
  QImageReader reader(&buffer, format->qtFormat);
  if (!QImageReader::supportedImageFormats().contains(format->qtFormat)) {
    glyph.problem = QStringLiteral("%1 pictures cannot be shown here; save it to look at it.")
                        .arg(glyph.format);
    return;
  }
  glyph.size = reader.size();
  if (!glyph.size.isValid() || glyph.size.isEmpty()) {
    glyph.problem = QStringLiteral("The glyph is a damaged %1 picture: %2.")
                        .arg(glyph.format, reader.errorString());
  } else if (std::max(glyph.size.width(), glyph.size.height()) > maxGlyphSide) {
    glyph.problem = QStringLiteral(
                        "The glyph says that it has %1 × %2 pixels; at most %3 × %3 are "
                        "shown.")
                        .arg(glyph.size.width())
                        .arg(glyph.size.height())
                        .arg(maxGlyphSide);
  }
}

tl::expected<const ModuleSource*, QString> sourceFor(const ModelChanges& changes, int module) {
  const EditableModules& modules = changes.modules();
  if (module < 0 || module >= modules.size()) {
    return tl::unexpected(QStringLiteral("The module is closed."));
  }
  if (!modules[module].isWritable()) return tl::unexpected(modules[module].readOnlyReason);
  if (modules[module].source->isOf2000()) {
    return tl::unexpected(QStringLiteral(
        "IEEE 1516-2000 has no glyph. Convert the module to a later edition to have one."));
  }
  return modules[module].source;
}

/// What a module calls a kind of picture, in the words of the schema: "image/jpeg" is a JPG.
QString usualType(const QString& type) {
  QString word = type.toLower().remove(QStringLiteral("image/"));
  if (word == u"jpeg") word = QStringLiteral("jpg");
  if (word == u"bmp") word = QStringLiteral("bitmap");
  if (word == u"tif") word = QStringLiteral("tiff");
  return word.toUpper();
}

/// In lines that a person can scroll past.
std::string encoded(const QByteArray& picture) {
  constexpr qsizetype width = 76;
  const QByteArray all = picture.toBase64();
  std::string lines;
  for (qsizetype at = 0; at < all.size(); at += width) {
    if (at > 0) lines += '\n';
    lines += all.mid(at, width).toStdString();
  }
  return lines;
}

}  // namespace

std::string_view glyphText(const ModuleSource& source) {
  const ElementId id = source.isOf2000() ? noElement : glyphElement(source);
  return id == noElement ? std::string_view()
                         : source.text(source.at(id).whole).substr(0, maxGlyphText);
}

Glyph glyphOf(const ModuleSource& source) {
  Glyph glyph;
  if (source.isOf2000()) return glyph;
  const ElementId id = glyphElement(source);
  if (id == noElement) return glyph;
  glyph.exists = true;
  glyph.line = source.lineOf(id);
  glyph.type = attributeText(source, id, "type");
  glyph.alt = attributeText(source, id, "alt");
  glyph.href = attributeText(source, id, "href");
  if (const std::size_t size = source.at(id).content.size(); size > maxGlyphText) {
    glyph.problem = QStringLiteral("The glyph has %1 KiB of text; at most %2 KiB are looked at.")
                        .arg((size + 1023) / 1024)
                        .arg(maxGlyphText / 1024);
    return glyph;
  }
  std::string base64 = source.rawText(id);
  std::erase_if(base64, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  if (base64.empty()) {
    glyph.problem =
        glyph.href.isEmpty()
            ? QStringLiteral("The glyph is empty.")
            : QStringLiteral("The module has only the address of the glyph, %1.").arg(glyph.href);
    return glyph;
  }
  auto decoded = QByteArray::fromBase64Encoding(QByteArray::fromStdString(base64),
                                                QByteArray::AbortOnBase64DecodingErrors);
  if (!decoded) {
    glyph.problem = decoded.decodingStatus == QByteArray::Base64DecodingStatus::IllegalCharacter
                        ? QStringLiteral("The glyph is not base64: it has other characters.")
                        : QStringLiteral("The glyph is not base64: its end is missing.");
    return glyph;
  }
  glyph.picture = std::move(*decoded);
  look(glyph);
  return glyph;
}

QImage glyphImage(Glyph& glyph, const QSize& most) {
  if (!glyph.problem.isEmpty() || glyph.picture.isEmpty() || !glyph.size.isValid()) return {};
  QBuffer buffer(&glyph.picture);
  const Format* format = formatOf(glyph.picture);
  QImageReader reader(&buffer, format->qtFormat);
  const QSize shown = glyph.size.scaled(most, Qt::KeepAspectRatio);
  // Small pictures stay sharp.
  if (shown.width() < glyph.size.width()) reader.setScaledSize(shown.expandedTo({1, 1}));
  QImage image = reader.read();
  if (image.isNull()) {
    glyph.problem = QStringLiteral("The glyph is a damaged %1 picture: %2.")
                        .arg(glyph.format, reader.errorString());
  }
  return image;
}

tl::expected<Glyph, QString> readGlyph(const QString& path) {
  const QString name = QFileInfo(path).fileName();
  const auto unreadable = [&](const QString& why) {
    return tl::unexpected(QStringLiteral("%1 cannot be read: %2.").arg(name, why));
  };
  // Opening a pipe would wait for a program that writes into it.
  const int descriptor =
      ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return unreadable(QString::fromLocal8Bit(std::strerror(errno)));
  QFile file;
  if (!file.open(descriptor, QIODevice::ReadOnly, QFileDevice::AutoCloseHandle)) {
    ::close(descriptor);
    return unreadable(file.errorString());
  }
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    return unreadable(QString::fromLocal8Bit(std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) return unreadable(QStringLiteral("it is a folder"));
  if (!S_ISREG(status.st_mode)) {
    return unreadable(QStringLiteral("it is a pipe or a device, not a file"));
  }
  Glyph glyph;
  glyph.picture = file.read(maxGlyphBytes + 1);
  if (file.error() != QFile::NoError) return unreadable(file.errorString());
  if (glyph.picture.size() > maxGlyphBytes) {
    return tl::unexpected(
        QStringLiteral("%1 has more than %2 KiB: it would make the module as large. Choose a "
                       "smaller picture.")
            .arg(name)
            .arg(maxGlyphBytes / 1024));
  }
  look(glyph);
  if (glyph.format.isEmpty()) {
    return tl::unexpected(
        QStringLiteral("%1 is no PNG, JPG, GIF, bitmap or TIFF picture: others have no type in an "
                       "object model.")
            .arg(name));
  }
  Glyph tried = glyph;
  if (glyph.problem.isEmpty()) glyphImage(tried, QSize(64, 64));
  // TIFF is kept although it cannot be shown.
  if (!tried.problem.isEmpty() && (glyph.size.isValid() || glyph.format != u"TIFF")) {
    return tl::unexpected(QString(tried.problem).replace(QStringLiteral("The glyph"), name));
  }
  glyph.problem.clear();
  glyph.exists = true;
  glyph.type = glyph.format;
  return glyph;
}

QString glyphSuffix(const Glyph& glyph) {
  const Format* format = formatOf(glyph.picture);
  return format != nullptr ? QLatin1String(format->suffix) : QStringLiteral("bin");
}

ModelChanges::Result setGlyph(const ModelChanges& changes, int module, const Glyph& glyph) {
  const auto found = sourceFor(changes, module);
  if (!found) return tl::unexpected(found.error());
  EditDraft draft(changes.modules());
  std::vector<std::pair<std::string, std::string>> attributes;
  if (!(*found)->isOf2025()) {
    attributes.emplace_back("type", glyph.format.toStdString());
    if (glyph.size.isValid()) {
      attributes.emplace_back("height", std::to_string(glyph.size.height()));
      attributes.emplace_back("width", std::to_string(glyph.size.width()));
    }
  }
  const ElementId id = glyphElement(**found);
  if (id == noElement) {
    draft.apply(module, addToTable(**found, {"modelIdentification"},
                                   {"glyph", encoded(glyph.picture), {}, attributes}));
  } else {
    // The start tag changes; the element stays the same.
    draft.apply(module, replaceContent(**found, id, encoded(glyph.picture)));
    for (const auto& [name, value] : attributes) {
      draft.apply(module, setAttribute(draft.source(module), id, name, value));
    }
    for (const char* name : {"height", "width"}) {
      if (!glyph.size.isValid()) {
        draft.apply(module, removeAttribute(draft.source(module), id, name));
      }
    }
  }
  return draft.edit(QStringLiteral("set the glyph"));
}

ModelChanges::Result setGlyphAlt(const ModelChanges& changes, int module, const QString& alt) {
  const auto found = sourceFor(changes, module);
  if (!found) return tl::unexpected(found.error());
  const ElementId id = glyphElement(**found);
  if (id == noElement) return tl::unexpected(QStringLiteral("The module has no glyph."));
  EditDraft draft(changes.modules());
  if (attributeText(**found, id, "alt") != alt) {
    draft.apply(module, alt.isEmpty() ? removeAttribute(**found, id, "alt")
                                      : setAttribute(**found, id, "alt", alt.toStdString()));
  }
  return draft.edit(QStringLiteral("describe the glyph"));
}

ModelChanges::Result removeGlyph(const ModelChanges& changes, int module) {
  const auto found = sourceFor(changes, module);
  if (!found) return tl::unexpected(found.error());
  EditDraft draft(changes.modules());
  const ElementId id = glyphElement(**found);
  if (id != noElement) draft.apply(module, removeElement(**found, id));
  return draft.edit(QStringLiteral("remove the glyph"));
}

QList<Finding> glyphFindings(const CheckedModule& module) {
  QList<Finding> findings;
  if (module.source.isOf2000()) return findings;
  const ElementId id = glyphElement(module.source);
  if (id == noElement) return findings;
  Glyph glyph = glyphOf(module.source);
  if (glyph.picture.isEmpty() && !glyph.href.isEmpty()) return findings;
  const QString remedy =
      QStringLiteral("Choose another picture on the page of the module, or remove the glyph.");
  glyphImage(glyph, QSize(64, 64));
  const bool cannotShow = glyph.problem.contains(QStringLiteral("cannot be shown here"));
  if (!glyph.problem.isEmpty() && !cannotShow) {
    findings << findingAt(module, id, Level::Described, QStringLiteral("omt/glyph"), glyph.problem,
                          remedy);
  } else if (!glyph.type.isEmpty() && usualType(glyph.type) != glyph.format) {
    findings << findingAt(module, id, Level::Described, QStringLiteral("omt/glyph"),
                          QStringLiteral("The glyph is a %1 picture, and its type says %2.")
                              .arg(glyph.format, glyph.type),
                          remedy);
  }
  return findings;
}

}  // namespace tutti::fomedit
