// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_source.h"

#include <expat.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <type_traits>
#include <utility>

#include "fom-editor/model/fed_source.h"
#include "omt/reader.h"
#include "omt/text.h"
#include "omt/xml_limits.h"

namespace tutti::fomedit {

namespace {

std::string_view withoutPrefix(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

/// Takes what the parser meets and builds the elements.
struct Builder {
  XML_Parser parser = nullptr;
  std::string_view text;
  std::vector<SourceElement>* elements = nullptr;
  ElementId open = noElement;  ///< the innermost that has begun and not ended

  void start(std::size_t begin, std::size_t size) {
    const auto id = static_cast<ElementId>(elements->size());
    SourceElement e;
    e.parent = open;
    e.startTag = {begin, begin + size};
    e.whole = e.startTag;
    e.content = {e.startTag.end, e.startTag.end};
    const std::string_view tag = text.substr(begin, size);
    const std::size_t nameEnd = tag.find_first_of(" \t\r\n/>", 1);
    e.name = {begin + 1, begin + std::min(nameEnd, size)};
    if (open != noElement) {
      SourceElement& parent = (*elements)[open];
      e.previous = parent.lastChild;
      if (parent.lastChild == noElement) {
        parent.firstChild = id;
      } else {
        (*elements)[parent.lastChild].next = id;
      }
      parent.lastChild = id;
    }
    elements->push_back(e);
    open = id;
  }

  /// `size` is 0 for an empty tag.
  void end(std::size_t begin, std::size_t size) {
    SourceElement& e = (*elements)[open];
    if (size > 0) {
      e.content.end = begin;
      e.whole.end = begin + size;
    }
    open = e.parent;
  }
};

std::pair<std::size_t, std::size_t> eventOf(const Builder& builder) {
  return {static_cast<std::size_t>(XML_GetCurrentByteIndex(builder.parser)),
          static_cast<std::size_t>(XML_GetCurrentByteCount(builder.parser))};
}

extern "C" {
static void XMLCALL startElement(void* data, const XML_Char* /*name*/,
                                 const XML_Char** /*values*/) {
  auto& builder = *static_cast<Builder*>(data);
  const auto [begin, size] = eventOf(builder);
  builder.start(begin, size);
}
static void XMLCALL endElement(void* data, const XML_Char* /*name*/) {
  auto& builder = *static_cast<Builder*>(data);
  const auto [begin, size] = eventOf(builder);
  builder.end(begin, size);
}
}

struct ParserDeleter {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};

void appendCharacter(std::string& text, std::uint32_t c) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return add(c);
  if (c >= 0x10000) {
    add(0xF0U | (c >> 18U));
    add(0x80U | ((c >> 12U) & 0x3FU));
  } else if (c >= 0x800) {
    add(0xE0U | (c >> 12U));
  }
  if (c >= 0x800) {
    add(0x80U | ((c >> 6U) & 0x3FU));
  } else {
    add(0xC0U | (c >> 6U));
  }
  add(0x80U | (c & 0x3FU));
}

/// What "amp", "#64" or "#x40" stands for. Others stand for nothing, as for the RTI's reader.
void appendReference(std::string& text, std::string_view name) {
  if (name == "lt") text += '<';
  if (name == "gt") text += '>';
  if (name == "amp") text += '&';
  if (name == "quot") text += '"';
  if (name == "apos") text += '\'';
  if (!name.starts_with('#')) return;
  const int base = name.starts_with("#x") ? 16 : 10;
  name.remove_prefix(base == 16 ? 2 : 1);
  std::uint32_t code = 0;
  std::from_chars(name.data(), name.data() + name.size(), code, base);
  if (code > 0 && code < 0x110000) appendCharacter(text, code);
}

std::size_t sizeOf(const Splices& splices) {
  std::size_t bytes = 0;
  for (const Splice& s : splices) bytes += sizeof(Splice) + s.inserted.size();
  return bytes;
}

/// Characters behind the last line end of a text (UTF-8) that has `before` on its first line.
int columnsAt(std::string_view text, int before) {
  if (const std::size_t end = text.find_last_of("\r\n"); end != std::string_view::npos) {
    text.remove_prefix(end + 1);
    before = 0;
  }
  return before + static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
           return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
         }));
}

}  // namespace

bool arrange(Splices& splices, std::size_t size) {
  std::stable_sort(splices.begin(), splices.end(), [](const Splice& a, const Splice& b) {
    return a.at != b.at ? a.at < b.at : a.removed == 0 && b.removed > 0;
  });
  std::size_t end = 0;
  for (const Splice& s : splices) {
    if (s.at < end || s.at > size || s.removed > size - s.at) return false;
    end = s.at + s.removed;
  }
  return true;
}

std::string spliced(std::string_view text, const Splices& splices) {
  std::string result;
  std::size_t at = 0;
  for (const Splice& s : splices) {
    result += text.substr(at, s.at - at);
    result += s.inserted;
    at = s.at + s.removed;
  }
  result += text.substr(at);
  return result;
}

tl::expected<ModuleSource, omt::Error> ModuleSource::parse(std::string bytes,
                                                           std::string displayName) {
  return read(std::move(bytes), std::move(displayName), false);
}

tl::expected<ModuleSource, omt::Error> ModuleSource::parseFed(std::string bytes,
                                                              std::string displayName) {
  return read(std::move(bytes), std::move(displayName), true);
}

tl::expected<ModuleSource, omt::Error> ModuleSource::withoutHistory() const {
  return read(bytes(), displayName_, fed_);
}

tl::expected<ModuleSource, omt::Error> ModuleSource::read(std::string bytes,
                                                          std::string displayName, bool fed) {
  ModuleSource module;
  module.fed_ = fed;
  module.displayName_ = std::move(displayName);
  if (bytes.size() > omt::maxModuleBytes) {
    return tl::unexpected(
        module.error(0, "The file is larger than 64 MiB.", "Split it into modules."));
  }
  auto source = fed ? decodedFed(std::move(bytes)) : decoded(std::move(bytes));
  if (!source) return tl::unexpected(module.error(0, source.error(), "Save it in UTF-8."));
  module.source_ = std::move(*source);
  module.countLines();
  if (const auto read = module.readElements(); !read) return tl::unexpected(read.error());
  if (fed) return module;
  module.of2000_ = module.attribute(root(), "DTDversion").has_value();
  for (const SourceElement& e : module.elements_) {
    if (module.of2000_) break;
    const std::string_view name = withoutPrefix(module.text(e.name));
    const auto id = static_cast<ElementId>(&e - module.elements_.data());
    module.of2000_ = (name == "objectClass" || name == "interactionClass") &&
                     module.attribute(id, "name").has_value();
  }
  return module;
}

omt::Error ModuleSource::error(std::size_t at, std::string message, std::string hint) const {
  omt::Error e;
  e.kind = omt::ErrorKind::ErrorReading;
  e.file = displayName_;
  e.line = lineOf(at);
  e.message = std::move(message);
  e.hint = std::move(hint);
  return e;
}

tl::expected<void, omt::Error> ModuleSource::readLists() {
  auto lists = readFedElements(source_.text);
  if (!lists) {
    omt::Error e = error(0, "FED file of HLA 1.3: " + lists.error().message, lists.error().hint);
    e.line = lists.error().line;
    return tl::unexpected(e);
  }
  elements_ = std::move(lists->elements);
  names_ = std::move(lists->names);
  return {};
}

tl::expected<void, omt::Error> ModuleSource::readElements() {
  if (fed_) return readLists();
  const std::string_view document = source_.text;
  const omt::XmlScan scan = omt::scanXml(document);
  if (scan.excess) {
    omt::Error e = error(0, scan.excess->message, scan.excess->hint);
    e.line = scan.excess->line;
    return tl::unexpected(e);
  }
  // The text is UTF-8 now, whatever its declaration says.
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, ParserDeleter> parser(
      XML_ParserCreate("UTF-8"));
  if (!parser) return tl::unexpected(error(0, "No memory to read it.", "Close other programs."));
  std::vector<SourceElement> elements;
  elements.reserve(elements_.size() + 8);  // an edit leaves about as many
  Builder builder{parser.get(), document, &elements};
  XML_SetUserData(parser.get(), &builder);
  XML_SetElementHandler(parser.get(), &startElement, &endElement);
  // What is beyond the first fault is not given to the parser.
  const auto size = static_cast<int>(scan.bytes);
  const XML_Status status = XML_Parse(parser.get(), document.data(), size, XML_TRUE);
  if (status != XML_STATUS_OK || scan.bytes < document.size()) {
    const XML_Error code = XML_GetErrorCode(parser.get());
    const XML_LChar* words = code != XML_ERROR_NONE ? XML_ErrorString(code) : nullptr;
    const XML_Index at = XML_GetErrorByteIndex(parser.get());
    return tl::unexpected(error(at > 0 ? static_cast<std::size_t>(at) : 0,
                                std::string("Not well-formed XML: ") +
                                    (words != nullptr ? words : "it ends too early") + '.',
                                "Correct the file or export it again."));
  }
  if (withoutPrefix(text(elements.front().name)) != "objectModel") {
    return tl::unexpected(error(elements.front().whole.begin,
                                "The root element is <" +
                                    omt::shortened(text(elements.front().name)) +
                                    ">, not <objectModel>.",
                                "This is no object model of IEEE 1516."));
  }
  elements_ = std::move(elements);
  return {};
}

std::string ModuleSource::bytesOf(std::string_view text) const {
  if (fed_) return encoded({std::string(text), source_.encoding, source_.byteOrderMark});
  const ReferenceWriter writer(text, source_.encoding);
  return encoded({writer.written(0, text.size()), source_.encoding, source_.byteOrderMark});
}

std::string_view ModuleSource::nameOf(ElementId id) const {
  return fed_ ? names_[id] : withoutPrefix(text(elements_[id].name));
}

void ModuleSource::countLines() {
  linesBefore_.clear();
  columnsBefore_.clear();
  int lines = 0;
  int columns = 0;
  for (std::size_t begin = 0; begin < text().size(); begin += lineBlock) {
    linesBefore_.push_back(lines);
    columnsBefore_.push_back(columns);
    const std::string_view block = text().substr(begin, lineBlock);
    lines += static_cast<int>(std::count(block.begin(), block.end(), '\n'));
    columns = columnsAt(block, columns);
  }
}

int ModuleSource::lineOf(std::size_t at) const {
  at = std::min(at, text().size());
  if (at == 0) return 1;
  const std::size_t block = (at - 1) / lineBlock;
  const std::string_view before = text({block * lineBlock, at});
  return 1 + linesBefore_[block] + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

int ModuleSource::columnOf(std::size_t at) const {
  at = std::min(at, text().size());
  if (at == 0) return 1;
  const std::size_t block = (at - 1) / lineBlock;
  return 1 + columnsAt(text({block * lineBlock, at}), columnsBefore_[block]);
}

std::vector<ElementId> ModuleSource::children(ElementId id) const {
  std::vector<ElementId> ids;
  for (ElementId c = at(id).firstChild; c != noElement; c = at(c).next) ids.push_back(c);
  return ids;
}

ElementId ModuleSource::child(ElementId id, std::string_view name) const {
  ElementId c = at(id).firstChild;
  while (c != noElement && nameOf(c) != name) c = at(c).next;
  return c;
}

std::vector<SourceRun> ModuleSource::runs(ByteRange between) const {
  if (fed_) return fedRuns(text(), between);
  std::vector<SourceRun> found;
  const std::string_view all = text();
  std::size_t at = between.begin;
  const auto take = [&](SourceRun::Kind kind, std::string_view mark) {
    const std::size_t end = std::min(all.find(mark, at), between.end);
    found.push_back({kind, {at, std::min(end + mark.size(), between.end)}});
    at = found.back().range.end;
  };
  while (at < between.end) {
    const std::string_view rest = all.substr(at);
    if (rest.starts_with("<!--")) {
      take(SourceRun::Kind::Other, "-->");
    } else if (rest.starts_with("<![CDATA[")) {
      take(SourceRun::Kind::CData, "]]>");
    } else if (rest.starts_with("<?")) {
      take(SourceRun::Kind::Other, "?>");
    } else {
      const std::size_t end = std::min(all.find('<', at + 1), between.end);
      found.push_back({SourceRun::Kind::Text, {at, end}});
      at = end;
    }
  }
  return found;
}

std::vector<SourceRun> ModuleSource::runs(ElementId id) const {
  std::vector<SourceRun> found;
  const SourceElement& e = at(id);
  std::size_t from = e.content.begin;
  const auto add = [&](std::size_t end) {
    const std::vector<SourceRun> more = runs(ByteRange{from, end});
    found.insert(found.end(), more.begin(), more.end());
  };
  for (ElementId c = e.firstChild; c != noElement; c = at(c).next) {
    add(at(c).whole.begin);
    from = at(c).whole.end;
  }
  add(e.content.end);
  return found;
}

std::string ModuleSource::resolved(ByteRange range) const {
  if (fed_) return std::string(text(range));
  std::string result;
  std::string_view rest = text(range);
  while (!rest.empty()) {
    const std::size_t mark = std::min(rest.find('&'), rest.size());
    result += rest.substr(0, mark);
    rest.remove_prefix(mark);
    if (rest.empty()) break;
    const std::size_t end = std::min(rest.find(';'), rest.size());
    appendReference(result, rest.substr(1, end - 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

std::string ModuleSource::rawText(ElementId id) const {
  // Of a list the words are its cells.
  if (fed_) return at(id).startTag.size() == 0 ? std::string(text(at(id).content)) : std::string();
  constexpr std::size_t opening = std::string_view("<![CDATA[").size();
  constexpr std::size_t closing = std::string_view("]]>").size();
  std::string result;
  for (const SourceRun& run : runs(id)) {
    if (run.kind == SourceRun::Kind::Text) result += resolved(run.range);
    if (run.kind == SourceRun::Kind::CData) {
      result += text({run.range.begin + opening, run.range.end - closing});
    }
  }
  return result;
}

std::vector<SourceAttribute> ModuleSource::attributes(ElementId id) const {
  std::vector<SourceAttribute> found;
  if (fed_) return found;
  const SourceElement& e = at(id);
  const std::string_view all = text().substr(0, e.startTag.end);
  std::size_t place = e.name.end;
  for (;;) {
    const std::size_t begin = all.find_first_not_of(" \t\r\n/>", place);
    if (begin == std::string_view::npos) return found;
    const std::size_t equals = all.find('=', begin);
    const std::size_t quote = all.find_first_of("\"'", equals);
    if (equals == std::string_view::npos || quote == std::string_view::npos) return found;
    const std::size_t end = all.find(all[quote], quote + 1);
    if (end == std::string_view::npos) return found;
    const std::size_t nameEnd = std::min(all.find_first_of(" \t\r\n=", begin), equals);
    found.push_back({{begin, end + 1}, {begin, nameEnd}, {quote + 1, end}});
    place = end + 1;
  }
}

std::optional<SourceAttribute> ModuleSource::attribute(ElementId id, std::string_view name) const {
  for (const SourceAttribute& a : attributes(id)) {
    if (withoutPrefix(text(a.name)) == name) return a;
  }
  return std::nullopt;
}

bool ModuleSource::isOf2025() const {
  for (const SourceAttribute& a : attributes(root())) {
    if (text(a.name).starts_with("xmlns") && resolved(a.value).find("2025") != std::string::npos) {
      return true;
    }
  }
  return false;
}

tl::expected<Splices, omt::Error> ModuleSource::exchange(const Splices& splices) {
  std::string after = spliced(source_.text, splices);
  if (after.size() > omt::maxModuleBytes) {
    return tl::unexpected(
        error(0, "The file would be larger than 64 MiB.", "Split it into modules."));
  }
  Splices inverse;
  inverse.reserve(splices.size());
  std::size_t grown = 0;  // may wrap around, as it is added to what it was taken from
  for (const Splice& s : splices) {
    inverse.push_back(
        {s.at + grown, s.inserted.size(), std::string(text({s.at, s.at + s.removed}))});
    grown += s.inserted.size() - s.removed;
  }
  std::swap(source_.text, after);
  countLines();
  if (const auto read = readElements(); !read) {
    std::swap(source_.text, after);
    countLines();
    return tl::unexpected(read.error());
  }
  return inverse;
}

void ModuleSource::writeReferences(Splices& splices) const {
  const bool hasAll = std::all_of(splices.begin(), splices.end(), [&](const Splice& s) {
    return ReferenceWriter::hasAll(s.inserted, source_.encoding);
  });
  if (hasAll) return;
  const std::string after = spliced(source_.text, splices);
  const ReferenceWriter writer(after, source_.encoding);
  std::size_t grown = 0;  // may wrap around, as it is added to what it was taken from
  for (Splice& s : splices) {
    const std::size_t begin = s.at + grown;
    grown += s.inserted.size() - s.removed;
    s.inserted = writer.written(begin, begin + s.inserted.size());
  }
}

tl::expected<void, omt::Error> ModuleSource::keepsEncoding(const Splices& splices) const {
  if (source_.encoding != SourceEncoding::Latin1) return {};
  for (const Splice& s : splices) {
    if (ReferenceWriter::hasAll(s.inserted, source_.encoding)) continue;
    return tl::unexpected(error(s.at,
                                "The file is in Latin-1, which lacks characters of " +
                                    omt::shortened(s.inserted) +
                                    ", and FED has no references to them.",
                                "Use other characters, or convert the file to UTF-8 first."));
  }
  const std::string after = encoded({spliced(source_.text, splices), source_.encoding, false});
  const bool ascii = std::all_of(after.begin(), after.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii || omt::charactersEnd(after) < after.size()) return {};
  return tl::unexpected(error(splices.empty() ? 0 : splices.front().at,
                              "The file is in Latin-1, but after this change all RTIs would take "
                              "it for UTF-8.",
                              "Use other characters, or convert the file to UTF-8 first."));
}

tl::expected<bool, omt::Error> ModuleSource::apply(Splices splices) {
  if (!arrange(splices, source_.text.size())) {
    return tl::unexpected(error(0, "Changes of the module overlap.", "Make one after the other."));
  }
  for (Splice& s : splices) {
    if (omt::charactersEnd(s.inserted) < s.inserted.size()) {
      return tl::unexpected(error(s.at, "The new text has a character that XML does not allow.",
                                  "Leave out control characters."));
    }
  }
  if (fed_) {
    if (const auto kept = keepsEncoding(splices); !kept) return tl::unexpected(kept.error());
  } else {
    writeReferences(splices);
  }
  std::erase_if(splices, [&](const Splice& s) {
    return s.removed == s.inserted.size() && text({s.at, s.at + s.removed}) == s.inserted;
  });
  if (splices.empty()) return false;
  auto inverse = exchange(splices);
  if (!inverse) return tl::unexpected(inverse.error());
  redo_.clear();
  historyBytes_ += sizeOf(*inverse);
  undo_.push_back(std::move(*inverse));
  while (historyBytes_ > maxHistoryBytes && undo_.size() > 1) {
    historyBytes_ -= sizeOf(undo_.front());
    undo_.pop_front();
  }
  return true;
}

void ModuleSource::undo() {
  if (undo_.empty()) return;
  auto inverse = exchange(undo_.back());
  if (!inverse) return;  // it was well-formed before
  historyBytes_ -= sizeOf(undo_.back());
  undo_.pop_back();
  redo_.push_back(std::move(*inverse));
}

void ModuleSource::redo() {
  if (redo_.empty()) return;
  auto inverse = exchange(redo_.back());
  if (!inverse) return;
  redo_.pop_back();
  historyBytes_ += sizeOf(*inverse);
  undo_.push_back(std::move(*inverse));
}

}  // namespace tutti::fomedit
