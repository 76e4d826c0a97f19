// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fom-editor/model/source_encoding.h"
#include "omt/error.h"

namespace tutti::fomedit {

/// Bytes of ModuleSource::text(): [begin, end).
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

/// Index of an element in ModuleSource::elements(), in document order; valid until the next change.
using ElementId = std::uint32_t;
inline constexpr ElementId noElement = UINT32_MAX;

/// Where an XML element stands.
struct SourceElement {
  ElementId parent = noElement;
  ElementId firstChild = noElement;
  ElementId lastChild = noElement;
  ElementId previous = noElement;  ///< sibling
  ElementId next = noElement;      ///< sibling
  ByteRange whole;                 ///< from the start tag to the end tag, both included
  ByteRange startTag;
  ByteRange content;  ///< between the tags; empty at the end of the start tag for <x/>
  ByteRange name;     ///< as written, with its prefix

  bool isEmptyTag() const { return whole == startTag; }
};

/// Where an XML attribute stands.
struct SourceAttribute {
  ByteRange whole;  ///< name="value"
  ByteRange name;   ///< as written, with its prefix
  ByteRange value;  ///< without the quotes
};

/// What stands between tags.
struct SourceRun {
  enum class Kind : std::uint8_t { Text, CData, Other };  ///< Other: comment or instruction
  Kind kind = Kind::Text;
  ByteRange range;
};

/// One replacement in a text: `removed` bytes at `at` become `inserted` (UTF-8).
struct Splice {
  std::size_t at = 0;
  std::size_t removed = 0;
  std::string inserted;
  bool operator==(const Splice&) const = default;
};
/// Replacements that do not overlap, all with places in the same text.
using Splices = std::vector<Splice>;

/// Orders splices by place; insertions at one place keep their order and stand before what is
/// removed there. False: two of them overlap, or one ends beyond `size`.
bool arrange(Splices& splices, std::size_t size);
/// `text` with arranged splices applied.
std::string spliced(std::string_view text, const Splices& splices);

/// An object model module of IEEE 1516-2000, 2010 or 2025, or a FED file, as its file has it: all
/// bytes, and where each element stands in them. A change replaces ranges of bytes, so that
/// comments, white space, order, encoding, line ends and unknown elements elsewhere stay as they
/// are. What is on the words of the model is in module_edits.h.
///
/// Bounded like omt::readModule (maxModuleBytes, XmlLimits); no document type with declarations, no
/// other files. Not thread-safe; a copy is deep. Errors name the file and line, of kind
/// ErrorReading; a change that fails leaves the module as it was.
class ModuleSource {
 public:
  /// `displayName` is what messages call the module. The document has to be well-formed and its
  /// first element <objectModel>; the RTI may refuse it for other reasons.
  static tl::expected<ModuleSource, omt::Error> parse(std::string bytes, std::string displayName);
  /// A FED file of HLA 1.3: its lists are elements, see fed_source.h.
  static tl::expected<ModuleSource, omt::Error> parseFed(std::string bytes,
                                                         std::string displayName);
  /// The same module without its history.
  tl::expected<ModuleSource, omt::Error> withoutHistory() const;

  /// The file: for a module without changes the bytes that were parsed.
  std::string bytes() const { return encoded(source_); }
  /// Another text (UTF-8), in the encoding of this file.
  std::string bytesOf(std::string_view text) const;
  /// The document in UTF-8 without byte-order mark; all ranges are of it.
  std::string_view text() const { return source_.text; }
  std::string_view text(ByteRange range) const { return text().substr(range.begin, range.size()); }
  const std::string& displayName() const { return displayName_; }
  /// Whether cells are XML attributes of their rows, as in IEEE 1516-2000; as it was parsed.
  bool isOf2000() const { return of2000_; }
  bool isFed() const { return fed_; }
  /// Whether its namespace is that of IEEE 1516-2025.
  bool isOf2025() const;

  const std::vector<SourceElement>& elements() const { return elements_; }
  static constexpr ElementId root() { return 0; }
  const SourceElement& at(ElementId id) const { return elements_[id]; }

  /// Without prefix.
  std::string_view nameOf(ElementId id) const;
  /// From 1.
  int lineOf(std::size_t at) const;
  int lineOf(ElementId id) const { return lineOf(at(id).whole.begin); }
  /// Characters from the begin of the line to `at`, from 1.
  int columnOf(std::size_t at) const;
  std::vector<ElementId> children(ElementId id) const;
  /// The first child of that name; noElement where there is none.
  ElementId child(ElementId id, std::string_view name) const;
  /// The text directly in an element, references resolved, white space as it is.
  std::string rawText(ElementId id) const;
  /// What stands in an element beside its child elements, in order.
  std::vector<SourceRun> runs(ElementId id) const;
  std::vector<SourceRun> runs(ByteRange between) const;
  std::vector<SourceAttribute> attributes(ElementId id) const;
  /// By name without prefix.
  std::optional<SourceAttribute> attribute(ElementId id, std::string_view name) const;
  /// A value or text with its references resolved.
  std::string resolved(ByteRange range) const;

  /// Applies splices as one step that can be undone; redoable steps are dropped. False: they change
  /// nothing, which is no step. Errors: they overlap, or the result is not well-formed or too
  /// large.
  tl::expected<bool, omt::Error> apply(Splices splices);
  bool canUndo() const { return !undo_.empty(); }
  bool canRedo() const { return !redo_.empty(); }
  /// Nothing happens where there is none.
  void undo();
  void redo();

  /// Bytes of the steps that are kept; the oldest are dropped beyond it.
  static constexpr std::size_t maxHistoryBytes = std::size_t{256} << 20;

 private:
  static constexpr std::size_t lineBlock = 4096;

  ModuleSource() = default;
  static tl::expected<ModuleSource, omt::Error> read(std::string bytes, std::string displayName,
                                                     bool fed);
  void countLines();
  omt::Error error(std::size_t at, std::string message, std::string hint) const;
  tl::expected<void, omt::Error> readElements();
  tl::expected<void, omt::Error> readLists();
  /// For the characters in arranged splices that the file's encoding does not have.
  void writeReferences(Splices& splices) const;
  /// Whether a FED file, which has no references, is read in its encoding with arranged splices.
  tl::expected<void, omt::Error> keepsEncoding(const Splices& splices) const;
  tl::expected<Splices, omt::Error> exchange(const Splices& splices);

  DecodedText source_;
  std::string displayName_;
  bool of2000_ = false;
  bool fed_ = false;
  std::vector<std::string_view> names_;  ///< of the elements of a FED file; else none
  std::vector<SourceElement> elements_;
  std::vector<int> linesBefore_;    ///< line ends before each block of lineBlock bytes
  std::vector<int> columnsBefore_;  ///< characters between the last line end and each block
  std::deque<Splices> undo_;        ///< what restores the state before each step, the latest last
  std::deque<Splices> redo_;
  std::size_t historyBytes_ = 0;  ///< of undo_
};

}  // namespace tutti::fomedit
