// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/fed_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "omt/object_model.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

using omt::sameIgnoringCase;

bool isFedBlank(char c) { return omt::isBlank(c) || c == '\f' || c == '\v'; }
struct KnownList {
  std::string_view in;    ///< element that has it
  std::string_view head;  ///< as FED writes it
  std::string_view name;  ///< as the model calls it
};

constexpr std::array<KnownList, 12> knownLists{
    {{"objectModel", "Federation", "modelIdentification"},
     {"objectModel", "spaces", "spaces"},
     {"objectModel", "objects", "objects"},
     {"objectModel", "interactions", "interactions"},
     {"spaces", "space", "space"},
     {"space", "dimension", "dimension"},
     {"objects", "class", "objectClass"},
     {"objectClass", "class", "objectClass"},
     {"objectClass", "attribute", "attribute"},
     {"interactions", "class", "interactionClass"},
     {"interactionClass", "class", "interactionClass"},
     {"interactionClass", "parameter", "parameter"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> earlierCells{
    {{"transportation", "earlierTransportation"},
     {"order", "earlierOrder"},
     {"dimensions", "earlierDimensions"}}};

std::string_view elementOf(std::string_view in, std::string_view head) {
  for (const KnownList& known : knownLists) {
    if (known.in == in && sameIgnoringCase(known.head, head)) return known.name;
  }
  return {};
}

bool hasName(std::string_view element) {
  return !element.empty() && element != "objectModel" && element != "spaces" &&
         element != "objects" && element != "interactions";
}

bool hasDelivery(std::string_view element) {
  return element == "attribute" || element == "interactionClass";
}

std::string_view deliveryCell(std::string_view word) {
  if (sameIgnoringCase(word, "reliable") || sameIgnoringCase(word, "best_effort") ||
      word == omt::reliableName || word == omt::bestEffortName) {
    return "transportation";
  }
  if (sameIgnoringCase(word, "timestamp") || sameIgnoringCase(word, "receive")) return "order";
  return "dimensions";
}

/// Walks a document that SExpressions has found to be well-formed, in the same notation.
class Walk {
 public:
  explicit Walk(std::string_view text) : text_(text) {}

  FedElements run() {
    while (passBlanks()) readOne();
    return std::move(result_);
  }

 private:
  struct List {
    ElementId element = noElement;  ///< none: a list that is not read
    std::string_view name;
    int parts = 0;
  };

  bool passBlanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == ';') {
        at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
      } else if (isFedBlank(text_[at_])) {
        ++at_;
      } else {
        break;
      }
    }
    return at_ < text_.size();
  }

  ElementId add(std::string_view name, SourceElement e) {
    const auto id = static_cast<ElementId>(result_.elements.size());
    e.parent = open_.empty() ? noElement : open_.back().element;
    if (e.parent != noElement) {
      SourceElement& parent = result_.elements[e.parent];
      e.previous = parent.lastChild;
      (parent.lastChild == noElement ? parent.firstChild
                                     : result_.elements[parent.lastChild].next) = id;
      parent.lastChild = id;
    }
    result_.elements.push_back(e);
    result_.names.push_back(name);
    return id;
  }

  void readOne() {
    const char c = text_[at_];
    if (c == '(') {
      if (!open_.empty()) ++open_.back().parts;
      openList();
    } else if (c == ')') {
      const List list = open_.back();
      open_.pop_back();
      if (list.element != noElement) {
        SourceElement& e = result_.elements[list.element];
        e.content.end = at_;
        e.whole.end = at_ + 1;
      }
      ++at_;
    } else {
      const std::size_t begin = at_;
      ByteRange content;
      if (c == '"' || c == '[') {
        const std::size_t end = text_.find(c == '"' ? '"' : ']', begin + 1);
        content = {begin + 1, end};
        at_ = end + 1;
      } else {
        while (at_ < text_.size() && !endsFedWord(text_[at_])) ++at_;
        content = {begin, at_};
      }
      if (!open_.empty()) word({begin, at_}, content, c == '[');
    }
  }

  /// With the head, which names it.
  void openList() {
    const std::size_t begin = at_++;
    List list;
    std::size_t headEnd = at_;
    ByteRange head{at_, at_};
    if (passBlanks() && text_[at_] != '(' && text_[at_] != ')' && text_[at_] != '[') {
      const bool quoted = text_[at_] == '"';
      head.begin = quoted ? at_ + 1 : at_;
      if (quoted) {
        head.end = text_.find('"', head.begin);
        headEnd = head.end + 1;
      } else {
        head.end = head.begin;
        while (head.end < text_.size() && !endsFedWord(text_[head.end])) ++head.end;
        headEnd = head.end;
      }
      const std::string_view word = text_.substr(head.begin, head.size());
      if (open_.empty()) {
        if (result_.elements.empty() && sameIgnoringCase(word, "FED")) list.name = "objectModel";
      } else if (open_.back().element != noElement) {
        list.name = elementOf(open_.back().name, word);
      }
      at_ = headEnd;
      list.parts = 1;
    }
    if (!list.name.empty()) {
      SourceElement e;
      e.whole = {begin, headEnd};
      e.startTag = {begin, headEnd};
      e.content = {headEnd, headEnd};
      e.name = head;
      list.element = add(list.name, e);
    }
    open_.push_back(list);
  }

  /// A part of a list that is no list: the second is its name, others say how it is delivered.
  void word(ByteRange whole, ByteRange content, bool brackets) {
    List& list = open_.back();
    const int place = list.parts++;
    if (list.element == noElement || brackets) return;
    std::string_view name;
    if (place == 1 && hasName(list.name)) {
      name = "name";
    } else if (place > 1 && hasDelivery(list.name)) {
      name = deliveryCell(omt::collapsed(text_.substr(content.begin, content.size())));
    }
    if (name.empty()) return;
    // The last counts, as for the reader.
    for (ElementId c = result_.elements[list.element].firstChild; c != noElement;
         c = result_.elements[c].next) {
      if (result_.names[c] == name) result_.names[c] = earlierCell(name);
    }
    SourceElement e;
    e.whole = whole;
    e.startTag = {whole.begin, whole.begin};
    e.content = content;
    e.name = content;
    add(name, e);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<List> open_;
  FedElements result_;
};

}  // namespace

bool endsFedWord(char c) { return isFedBlank(c) || c == '(' || c == ')' || c == '"' || c == ';'; }

std::string_view earlierCell(std::string_view cell) {
  for (const auto& [last, earlier] : earlierCells) {
    if (last == cell) return earlier;
  }
  return {};
}

bool beginsAsFed(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return sameIgnoringCase(omt::firstHead(text), "FED");
}

tl::expected<FedElements, omt::SExpressions::Fault> readFedElements(std::string_view text) {
  const auto document = omt::SExpressions::parse(text, omt::SExpressions::Escapes::None);
  if (!document) return tl::unexpected(document.error());
  FedElements read = Walk(text).run();
  if (read.elements.empty()) {
    return tl::unexpected(omt::SExpressions::Fault{1, "The first list is not FED.",
                                                   "This is no FED file of HLA 1.3."});
  }
  return read;
}

std::vector<SourceRun> fedRuns(std::string_view text, ByteRange between) {
  std::vector<SourceRun> found;
  std::size_t at = between.begin;
  while (at < between.end) {
    const bool comment = text[at] == ';';
    const std::size_t end =
        std::min(comment ? text.find_first_of("\r\n", at) : text.find(';', at), between.end);
    found.push_back({comment ? SourceRun::Kind::Other : SourceRun::Kind::Text, {at, end}});
    at = end;
  }
  return found;
}

std::string fedRowName(const ModuleSource& source, ElementId row) {
  const ElementId cell = source.child(row, "name");
  if (cell == noElement) return {};
  std::string name = omt::collapsed(source.rawText(cell));
  const std::string_view element = source.nameOf(row);
  const ElementId parent = source.at(row).parent;
  const std::string_view in = parent == noElement ? std::string_view() : source.nameOf(parent);
  if (element == "objectClass" && in == "objects" && sameIgnoringCase(name, "ObjectRoot")) {
    return std::string(omt::objectRootName);
  }
  if (element == "interactionClass" && in == "interactions" &&
      sameIgnoringCase(name, "InteractionRoot")) {
    return std::string(omt::interactionRootName);
  }
  if (element == "attribute" && sameIgnoringCase(name, "privilegeToDelete")) {
    return "HLAprivilegeToDeleteObject";
  }
  return name;
}

std::string nameInFed(std::string_view name) {
  if (name == omt::objectRootName) return "ObjectRoot";
  if (name == omt::interactionRootName) return "InteractionRoot";
  if (name == "HLAprivilegeToDeleteObject") return "privilegeToDelete";
  return std::string(name);
}

std::string fedDimensionName(const ModuleSource& source, ElementId dimension) {
  return fedRowName(source, source.at(dimension).parent) + '_' + fedRowName(source, dimension);
}

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> deliveryWords{
    {{"reliable", omt::reliableName},
     {"best_effort", omt::bestEffortName},
     {"timestamp", "TimeStamp"},
     {"receive", "Receive"}}};

}  // namespace

std::string valueFromFed(std::string_view cell, std::string_view word) {
  if (cell != "transportation" && cell != "order") return std::string(word);
  for (const auto& [fed, model] : deliveryWords) {
    if (sameIgnoringCase(fed, word)) return std::string(model);
  }
  return std::string(word);
}

std::string valueInFed(std::string_view cell, std::string_view value) {
  if (cell != "transportation" && cell != "order") return std::string(value);
  for (const auto& [fed, model] : deliveryWords) {
    if (sameIgnoringCase(model, value)) return std::string(fed);
  }
  return std::string(value);
}

}  // namespace tutti::fomedit
