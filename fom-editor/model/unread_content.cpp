// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/unread_content.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_set>
#include <utility>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_source.h"
#include "omt/s_expressions.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

template <std::size_t n>
bool isOneOf(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// An XML module, element by element.
class XmlWalk {
 public:
  XmlWalk(const ModuleSource& source, const omt::Module& module, omt::LossReport& report)
      : source_(source), module_(module), of2000_(source.isOf2000()), report_(report) {}

  void walk() {
    comments(source_.runs(ByteRange{0, root().whole.begin}));
    comments(source_.runs(ByteRange{root().whole.end, source_.text().size()}));
    lookAt(ModuleSource::root());
  }

 private:
  const SourceElement& root() const { return source_.at(ModuleSource::root()); }

  void lost(const char* what, const std::string& of, ElementId id) {
    report_.lost(what, "left out", of, source_.lineOf(id));
  }

  void comments(const std::vector<SourceRun>& runs) {
    for (const SourceRun& run : runs) {
      if (run.kind != SourceRun::Kind::Other) continue;
      // The declaration and the document type are those of the edition.
      const std::string_view text = source_.text(run.range);
      if (!text.starts_with("<!--") && !text.starts_with("<?")) continue;
      if (text.starts_with("<?xml ")) continue;
      report_.lost("Comments and instructions", "left out", {}, source_.lineOf(run.range.begin));
    }
  }

  /// What the schemas know and a Module has no place for.
  static bool hasNoPlace(std::string_view parent, std::string_view name) {
    if (parent == "objectModel") return name == "serviceUtilization";
    if (parent == "modelIdentification") return name == "releaseRestriction" || name == "glyph";
    if (parent == "keyword") return name == "taxonomy";
    if (parent == "dimension") {
      return name == "inputDataDescription" || name == "outputDataSemantics";
    }
    return false;
  }

  /// Reading warns of them itself.
  bool isWarnedOf(std::string_view parent, std::string_view name) const {
    if (parent == "objectModel") return module_.edition != omt::Edition::Ieee2010;
    return (parent == "objectClass" && name == "directedInteraction") ||
           (parent == "attribute" && name == "valueRequired");
  }

  static bool isSwitchOf2025(std::string_view name) {
    static constexpr std::array<std::string_view, 4> names{"nonRegulatedGrant", "allowRelaxedDDM",
                                                           "advisoriesUseKnownClass",
                                                           "sendServiceReportsToFile"};
    return isOneOf(name, names);
  }

  /// Rows whose references to notes a Module has.
  static bool hasNotes(std::string_view row) {
    static constexpr std::array<std::string_view, 11> rows{
        "objectClass", "attribute",       "interactionClass",  "parameter",
        "basicData",   "simpleData",      "referenceDataType", "enumeratedData",
        "arrayData",   "fixedRecordData", "variantRecordData"};
    return isOneOf(row, rows);
  }

  static bool mayRepeat(std::string_view parent, std::string_view name) {
    static constexpr std::array<std::string_view, 6> names{"useHistory",   "releaseRestriction",
                                                           "pocTelephone", "pocEmail",
                                                           "dimension",    "keywordValue"};
    return isOneOf(name, names) || (parent == "enumerator" && name == "value");
  }

  bool isBlank(ElementId id) const {
    if (source_.at(id).firstChild != noElement) return false;
    if (!source_.attributes(id).empty()) return false;
    return omt::meansNothing(omt::collapsed(source_.rawText(id)));
  }

  void lookAt(ElementId id) {
    const std::string_view name = source_.nameOf(id);
    comments(source_.runs(id));
    attributes(id, name);
    std::unordered_set<std::string_view> cells;
    for (const ElementId child : source_.children(id)) {
      const std::string_view childName = source_.nameOf(child);
      const std::string of = std::string(name) + '/' + std::string(childName);
      if (name == "switches" && isSwitchOf2025(childName)) continue;  // said where it is enabled
      if (hasNoPlace(name, childName) || !isKnownIn(name, childName)) {
        if (!isBlank(child) && (!isWarnedOf(name, childName) || hasNoPlace(name, childName))) {
          lost("Elements that are not read", of, child);
        }
        continue;
      }
      if (isWarnedOf(name, childName) && name != "objectModel") continue;
      if (childName == "copyright" && !isBlank(child)) {
        report_.guessed("The copyright", "part of what else the module says of itself", of,
                        source_.lineOf(child));
      }
      const bool leaf = source_.at(child).firstChild == noElement;
      const bool isCell = leaf && !source_.rawText(child).empty();
      if (isCell && !mayRepeat(name, childName) && !cells.insert(childName).second) {
        lost("Cells that stand twice in a row", of, child);
      }
      lookAt(child);
    }
  }

  void attributes(ElementId id, std::string_view element) {
    const bool isRoot = id == ModuleSource::root();
    for (const SourceAttribute& a : source_.attributes(id)) {
      const std::string_view name = source_.text(a.name);
      if (name.find(':') != std::string_view::npos || name == "xmlns") continue;
      const std::string value = omt::collapsed(source_.resolved(a.value));
      if (value.empty() || value == "nmtoken" || value == "nmtokens") continue;
      const std::string of = std::string(element) + ' ' + std::string(name);
      if (name == "notes" || name == "noteReferences" || (of2000_ && name.ends_with("Notes"))) {
        if (!hasNotes(element)) {
          lost(
              "References to notes, but for those of classes, attributes, parameters and datatypes",
              of, id);
        } else if (of2000_ && name != "notes" && name != "nameNotes") {
          report_.guessed("References to notes of single cells", "references of their row", of,
                          source_.lineOf(id));
        }
        continue;
      }
      if (isRead(element, name, isRoot)) continue;
      if (omt::meansNothing(value)) continue;
      lost("XML attributes that are not read", of, id);
    }
  }

  bool isRead(std::string_view element, std::string_view name, bool isRoot) const {
    if (isRoot) {
      static constexpr std::array<std::string_view, 14> names{
          "DTDversion", "name",    "type",   "version",  "date",     "purpose",    "appDomain",
          "sponsor",    "pocName", "pocOrg", "pocPhone", "pocEmail", "references", "other"};
      // Reading warns of them in later editions.
      return of2000_ ? isOneOf(name, names) : name != "idtag";
    }
    if (name == "isEnabled" || name == "resignAction") return true;
    if (isKnownIn(element, name)) return true;
    return of2000_ && ((element == "enumerator" && name == "values") ||
                       (element == "note" && name == "name") ||
                       (element == "transportation" && name == "description"));
  }

  const ModuleSource& source_;
  const omt::Module& module_;
  const bool of2000_;
  omt::LossReport& report_;
};

using Item = omt::SExpressions::Item;

/// The lists that reading takes in a list.
struct KnownLists {
  std::string_view in;
  std::span<const std::string_view> heads;
};

template <std::size_t n>
using Heads = std::array<std::string_view, n>;

constexpr Heads<5> fedLists{"Federation", "FEDversion", "spaces", "objects", "interactions"};
constexpr Heads<1> spacesLists{"space"};
constexpr Heads<1> spaceLists{"dimension"};
constexpr Heads<1> tableLists{"class"};
constexpr Heads<3> fedClassLists{"attribute", "parameter", "class"};
constexpr std::array<KnownLists, 6> fed{{{"FED", fedLists},
                                         {"spaces", spacesLists},
                                         {"space", spaceLists},
                                         {"objects", tableLists},
                                         {"interactions", tableLists},
                                         {"class", fedClassLists}}};

constexpr Heads<18> modelLists{"Name",           "VersionNumber",     "Type",
                               "Purpose",        "ApplicationDomain", "ModificationDate",
                               "SponsorOrgName", "POCHonorificName",  "POCFirstName",
                               "POCLastName",    "POCOrgName",        "POCPhone",
                               "POCEmail",       "RoutingSpace",      "Class",
                               "Interaction",    "ComplexDataType",   "EnumeratedDataType"};
constexpr Heads<3> routingSpaceLists{"Name", "RSDimension", "Dimension"};
constexpr Heads<2> dimensionLists{"Name", "DimensionName"};
constexpr Heads<6> classLists{"ID",          "SuperClass",     "Name",
                              "Description", "PSCapabilities", "Attribute"};
constexpr Heads<13> attributeLists{
    "Name",           "DataType",        "Cardinality", "UpdateType",   "UpdateCondition",
    "TransferAccept", "UpdateReflect",   "Description", "RoutingSpace", "DeliveryCategory",
    "Transportation", "MessageOrdering", "Order"};
constexpr Heads<11> interactionLists{
    "ID",           "SuperInteraction", "Name",           "Description",     "ISRType", "Parameter",
    "RoutingSpace", "DeliveryCategory", "Transportation", "MessageOrdering", "Order"};
constexpr Heads<4> parameterLists{"Name", "DataType", "Cardinality", "Description"};
constexpr Heads<3> complexLists{"Name", "Description", "ComplexComponent"};
constexpr Heads<4> componentLists{"FieldName", "DataType", "Cardinality", "Description"};
constexpr Heads<3> enumeratedLists{"Name", "Description", "Enumeration"};
constexpr Heads<2> enumerationLists{"Enumerator", "Representation"};
constexpr Heads<2> noteLists{"NoteNumber", "NoteText"};
constexpr std::array<KnownLists, 13> objectModel{{{"ObjectModel", modelLists},
                                                  {"RoutingSpace", routingSpaceLists},
                                                  {"RSDimension", dimensionLists},
                                                  {"Dimension", dimensionLists},
                                                  {"Class", classLists},
                                                  {"Attribute", attributeLists},
                                                  {"Interaction", interactionLists},
                                                  {"Parameter", parameterLists},
                                                  {"ComplexDataType", complexLists},
                                                  {"ComplexComponent", componentLists},
                                                  {"EnumeratedDataType", enumeratedLists},
                                                  {"Enumeration", enumerationLists},
                                                  {"Note", noteLists}}};

/// A file of HLA 1.3, list by list.
class ListWalk {
 public:
  ListWalk(bool isFed, omt::LossReport& report) : isFed_(isFed), report_(report) {}

  void walk(const omt::SExpressions& document) {
    std::size_t told = 0;
    for (const int line : document.commentLines()) {
      report_.lost("Comments", "left out", {}, line);
      ++told;
    }
    for (; told < document.commentCount(); ++told) report_.lost("Comments", "left out", {}, 0);
    bool found = false;
    for (const Item form : document.whole()) {
      if (found || !form.is(isFed_ ? "FED" : "ObjectModel")) continue;
      found = isFed_;
      lookAt(form, 0);
    }
  }

 private:
  std::span<const KnownLists> tables() const {
    return isFed_ ? std::span<const KnownLists>(fed) : std::span<const KnownLists>(objectModel);
  }

  static std::string plain(std::string_view head) {
    std::string text;
    for (const char c : head.substr(0, 40)) {
      text += c >= 0x20 && c < 0x7F ? c : '?';
    }
    return text;
  }

  static bool saysNothing(const Item& list) {
    int at = 0;
    for (const Item part : list) {
      if (at++ == 0) continue;
      if (part.isList() || !omt::meansNothing(omt::collapsed(part.text()))) return false;
    }
    return true;
  }

  void lookAt(const Item& list, int depth) {
    const auto table = std::find_if(tables().begin(), tables().end(),
                                    [&](const KnownLists& t) { return list.is(t.in); });
    if (table == tables().end()) return;
    if (isFed_) {
      delivery(list, depth);
    } else {
      noDelivery(list);
    }
    for (const Item part : list) {
      if (!part.isList()) continue;
      const bool known = (!isFed_ && depth == 0 && part.is("Note")) ||
                         std::any_of(table->heads.begin(), table->heads.end(),
                                     [&](std::string_view head) { return part.is(head); });
      if (!known) {
        if (!saysNothing(part)) {
          report_.lost("Lists (" + plain(part.head()) + " ...)", "left out", plain(list.head()),
                       part.line());
        }
        continue;
      }
      if (!isFed_) references(list, part);
      // The word Attribute begins a list of 1.3, and a cell of none; a cell's table has no lists.
      const bool isCell = list.is("Attribute") || list.is("Interaction");
      if (!isCell || part.is("Parameter")) lookAt(part, depth + 1);
    }
  }

  /// Nobody sends the root of interactions; what is said of it is the standard's matter.
  void delivery(const Item& list, int depth) {
    if (!list.is("class") || depth != 2) return;
    std::vector<std::string> words;
    for (const Item part : list) {
      if (!part.isList()) words.push_back(omt::collapsed(part.text()));
    }
    if (words.size() < 3 || !omt::sameIgnoringCase(words[1], "InteractionRoot")) return;
    const bool usual = words.size() == 4 && omt::sameIgnoringCase(words[2], "best_effort") &&
                       omt::sameIgnoringCase(words[3], "receive");
    if (usual) return;
    report_.guessed("How the root of interactions is delivered", "as the standard says",
                    "InteractionRoot", list.line());
  }

  void noDelivery(const Item& list) {
    if (!list.is("Attribute")) return;
    for (const Item cell : list) {
      if (cell.is("DeliveryCategory") || cell.is("Transportation")) return;
    }
    std::string name;
    for (const Item cell : list) {
      if (!cell.is("Name")) continue;
      for (const Item part : cell)
        name = part.isList() || part.isBrackets() ? name : plain(part.text());
    }
    report_.guessed("Transportation and order of attributes, which the file does not give",
                    "HLAreliable and Receive", name, list.line());
  }

  void references(const Item& row, const Item& cell) {
    bool any = false;
    for (const Item part : cell) any = any || part.isBrackets();
    if (!any) return;
    const std::string of = plain(row.head()) + ' ' + plain(cell.head());
    if (row.is("Attribute") || row.is("Parameter")) {
      if (cell.is("Name")) return;
      report_.guessed("References to notes of single cells", "references of their row", of,
                      cell.line());
    } else if (!cell.is("Name") || row.is("ObjectModel") || row.is("RoutingSpace")) {
      report_.lost(
          "References to notes, but for those of classes, attributes, parameters and datatypes",
          "left out", of, cell.line());
    }
  }

  const bool isFed_;
  omt::LossReport& report_;
};

}  // namespace

void reportUnread(std::string_view bytes, const omt::Module& module, omt::LossReport& report) {
  for (const omt::Error& warning : module.warnings) {
    if (warning.notice) continue;
    report.add(omt::Loss::Kind::Read, warning.message, warning.hint, {}, warning.line);
  }
  const auto untold = [&](const std::string& why) {
    report.add(omt::Loss::Kind::Read, "What the file has beyond its object model is not told", why,
               {}, 0);
  };
  const bool isFed = module.edition == omt::Edition::Hla13Fed;
  if (!isFed && module.edition != omt::Edition::Hla13Omt) {
    const auto source = ModuleSource::parse(std::string(bytes), module.file);
    if (!source) {
      untold(source.error().message);
      return;
    }
    XmlWalk(*source, module, report).walk();
    return;
  }
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (bytes.starts_with(mark)) bytes.remove_prefix(mark.size());
  using omt::SExpressions;
  const auto document = SExpressions::parse(
      bytes, isFed ? SExpressions::Escapes::None : SExpressions::Escapes::Backslash);
  // In UTF-16 every other byte is none of a word.
  if (!document || bytes.find('\0') != std::string_view::npos) {
    untold("Save the file in UTF-8.");
    return;
  }
  ListWalk(isFed, report).walk(*document);
}

}  // namespace tutti::fomedit
