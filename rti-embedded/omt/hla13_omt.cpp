// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "omt/hla13_datatypes.h"
#include "omt/hla13_reading.h"
#include "omt/hla13_words.h"
#include "omt/text.h"
#include "omt/words.h"

namespace tutti::omt {

namespace {

using Item = SExpressions::Item;

/// `\"`, `\\` and, as in C, ends of lines; any other backslash is one.
std::string unescaped(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
    switch (next) {
      case 'r':  // of "\r\n", the end of a line
        ++i;
        break;
      case 'n':
      case 't':
        result += next == 'n' ? '\n' : ' ';
        ++i;
        break;
      case '"':
      case '\\':
        result += next;
        ++i;
        break;
      default:
        result += text[i];
    }
  }
  return result;
}

/// The object model data interchange format of HLA 1.3 (OMT specification): after
/// (DIF HLA-OMT v1.3 ...) one list (ObjectModel (Name ...) (Class ...) (Interaction ...) ...).
class OmtReader {
 public:
  explicit OmtReader(const std::string& file) : reading_(file, Edition::Hla13Omt) {}

  tl::expected<Module, Error> read(const SExpressions& document) {
    bool found = false;
    for (const Item form : document.whole()) {
      if (!form.is("ObjectModel")) continue;
      if (found) {
        reading_.fail(form.line(), "A second object model begins here.",
                      "Write each to a file of its own.");
        break;
      }
      found = true;
      reading_.warn(
          form.line(),
          "This is an object model of HLA 1.3, read as one of IEEE 1516-2010. It does not "
          "say how values are encoded, and seldom how they are delivered.",
          "Run federations with the FED file that belongs to it.");
      reading_.module().warnings.back().notice = true;
      readModel(form);
    }
    if (!found) reading_.fail(1, "There is no list (ObjectModel ...).", "Export the file again.");
    if (reading_.failed()) return tl::unexpected(*reading_.failure());
    reading_.module().dataTypes = types_.take();
    return std::move(reading_.module());
  }

 private:
  /// A class with the numbers that say where it belongs.
  template <typename Class>
  struct Numbered {
    Class c;
    std::string superclass;  ///< empty: none
    std::vector<std::size_t> subclasses;
  };

  /// What stands in a list behind its head: words and texts, without references to notes.
  static std::string valueOf(const Item& list) {
    std::string value;
    bool head = true;
    for (const Item part : list) {
      if (!head && !part.isList() && !part.isBrackets()) {
        if (!value.empty()) value += ' ';
        value += unescaped(part.text());
      }
      head = false;
    }
    return value;
  }
  static std::string token(const Item& list) { return collapsed(valueOf(list)); }
  static std::string prose(const Item& list) {
    std::string value = trimmed(valueOf(list));
    if (meansNothing(value)) value.clear();
    return value;
  }
  static std::string tokenOrEmpty(const Item& list) {
    std::string value = token(list);
    if (meansNothing(value)) value.clear();
    return value;
  }

  /// The labels of the notes that a list refers to: "57 59" of [57, 59].
  static void addNotes(const Item& list, std::string& notes) {
    for (const Item part : list) {
      if (!part.isBrackets()) continue;
      std::string labels(part.text());
      std::replace(labels.begin(), labels.end(), ',', ' ');
      if (!notes.empty()) notes += ' ';
      notes += collapsed(labels);
    }
  }

  template <typename Enum, std::size_t n>
  Enum word(const Item& list, const std::array<Word<Enum>, n>& words, Enum fallback) {
    const std::string text = tokenOrEmpty(list);
    if (text.empty()) return fallback;
    for (const auto& w : words) {
      if (sameIgnoringCase(w.text, text)) return w.value;
    }
    reading_.warn(list.line(),
                  shortened(list.head()) + " is \"" + shortened(text) + "\", read as not given.",
                  "Write a word of the OMT of HLA 1.3.");
    return fallback;
  }

  void readModel(const Item& model) {
    for (const Item part : model) {
      if (part.is("RoutingSpace")) readSpace(part);
    }
    for (const Item part : model) {
      if (reading_.failed()) return;
      if (part.is("Class")) {
        readClass(part);
      } else if (part.is("Interaction")) {
        readInteraction(part);
      } else if (part.is("ComplexDataType")) {
        readComplex(part);
      } else if (part.is("EnumeratedDataType")) {
        readEnumerated(part);
      } else if (part.is("Note")) {
        readNote(part);
      } else {
        readIdentification(part);
      }
    }
    nest(classes_, "object class");
    nest(interactions_, "interaction class");
  }

  void readIdentification(const Item& part) {
    Identification& id = reading_.module().identification;
    if (part.is("Name")) id.name = token(part);
    if (part.is("VersionNumber")) id.version = token(part);
    if (part.is("Type")) id.type = token(part);
    if (part.is("Purpose")) id.purpose = prose(part);
    if (part.is("ApplicationDomain")) id.applicationDomain = token(part);
    if (part.is("ModificationDate")) id.modificationDate = token(part);
    if (part.is("SponsorOrgName")) {
      const std::string sponsor = token(part);
      if (!sponsor.empty()) id.contacts.push_back({"Sponsor", {}, sponsor, {}, {}});
    }
    readContact(part);
  }

  /// The one person that the format names, in six lists.
  void readContact(const Item& part) {
    static constexpr std::array<std::string_view, 6> lists{
        "POCHonorificName", "POCFirstName", "POCLastName", "POCOrgName", "POCPhone", "POCEmail"};
    const auto list = std::find_if(lists.begin(), lists.end(),
                                   [&](std::string_view head) { return part.is(head); });
    if (list == lists.end()) return;
    const std::string value = tokenOrEmpty(part);
    if (value.empty()) return;
    std::vector<Contact>& contacts = reading_.module().identification.contacts;
    const auto found = std::find_if(contacts.begin(), contacts.end(),
                                    [](const Contact& c) { return c.type.empty(); });
    Contact& contact = found != contacts.end() ? *found : contacts.emplace_back();
    switch (list - lists.begin()) {
      case 3:
        contact.organization = value;
        break;
      case 4:
        contact.telephones.push_back(value);
        break;
      case 5:
        contact.emails.push_back(value);
        break;
      default:
        if (!contact.name.empty()) contact.name += ' ';
        contact.name += value;
    }
  }

  void readSpace(const Item& list) {
    std::string name;
    std::vector<std::string> dimensions;
    for (const Item part : list) {
      if (part.is("Name")) name = token(part);
      if (!part.is("RSDimension") && !part.is("Dimension")) continue;
      std::string dimension;
      for (const Item cell : part) {
        if (cell.is("Name") || cell.is("DimensionName")) dimension = token(cell);
      }
      dimensions.push_back(std::move(dimension));
    }
    reading_.addSpace(name, dimensions, list.line());
  }

  /// How attributes and interactions are delivered.
  template <typename Row>
  void readDelivery(const Item& cell, Row& row) {
    if (cell.is("RoutingSpace")) {
      const std::string space = tokenOrEmpty(cell);
      if (!space.empty()) row.dimensions = reading_.dimensionsOf(space, cell.line());
    } else if (cell.is("DeliveryCategory") || cell.is("Transportation")) {
      const std::string text = tokenOrEmpty(cell);
      if (sameIgnoringCase(text, "reliable")) row.transportation = reliableName;
      if (sameIgnoringCase(text, "best_effort")) row.transportation = bestEffortName;
    } else if (cell.is("MessageOrdering") || cell.is("Order")) {
      const std::string text = tokenOrEmpty(cell);
      if (sameIgnoringCase(text, "timestamp")) row.order = OrderType::TimeStamp;
      if (sameIgnoringCase(text, "receive")) row.order = OrderType::Receive;
    }
  }

  void readClass(const Item& list) {
    Numbered<ModuleObjectClass> one;
    ModuleObjectClass& c = one.c;
    c.line = list.line();
    c.defined = true;
    std::string id;
    for (const Item part : list) {
      if (part.is("ID")) id = token(part);
      if (part.is("SuperClass")) one.superclass = tokenOrEmpty(part);
      if (part.is("Name")) {
        c.name = token(part);
        addNotes(part, c.notes);
      }
      if (part.is("Description")) c.semantics = prose(part);
      if (part.is("PSCapabilities"))
        c.sharing = word(part, hla13::classWords, Sharing::Unspecified);
      if (part.is("Attribute")) readAttribute(part, c);
      if (reading_.failed()) return;
    }
    add(classes_, std::move(one), std::move(id), "object class");
  }

  void readAttribute(const Item& list, ModuleObjectClass& c) {
    Attribute a;
    a.where.line = list.line();
    std::string type;
    std::string cardinality;
    for (const Item cell : list) {
      if (cell.is("Name")) a.name = token(cell);
      if (cell.is("DataType")) type = token(cell);
      if (cell.is("Cardinality")) cardinality = token(cell);
      if (cell.is("UpdateType")) a.updateType = word(cell, updateTypeWords, a.updateType);
      if (cell.is("UpdateCondition")) a.updateCondition = prose(cell);
      if (cell.is("TransferAccept")) a.ownership = word(cell, hla13::ownershipWords, a.ownership);
      if (cell.is("UpdateReflect")) a.sharing = word(cell, hla13::attributeWords, a.sharing);
      if (cell.is("Description")) a.semantics = prose(cell);
      readDelivery(cell, a);
      addNotes(cell, a.notes);
    }
    if (!reading_.checkRow("attribute", a.name, list.line())) return;
    if (a.transportation.empty()) a.transportation = reliableName;
    a.dataType = use(type, cardinality, list.line());
    Hla13Reading::adopt(a);
    c.attributes.push_back(std::move(a));
  }

  void readInteraction(const Item& list) {
    Numbered<ModuleInteractionClass> one;
    ModuleInteractionClass& c = one.c;
    c.line = list.line();
    c.defined = true;
    std::string id;
    for (const Item part : list) {
      if (part.is("ID")) id = token(part);
      if (part.is("SuperInteraction")) one.superclass = tokenOrEmpty(part);
      if (part.is("Name")) {
        c.name = token(part);
        addNotes(part, c.notes);
      }
      if (part.is("Description")) c.semantics = prose(part);
      if (part.is("ISRType")) c.sharing = word(part, hla13::interactionWords, Sharing::Unspecified);
      if (part.is("Parameter")) readParameter(part, c);
      readDelivery(part, c);
      if (reading_.failed()) return;
    }
    add(interactions_, std::move(one), std::move(id), "interaction class");
  }

  void readParameter(const Item& list, ModuleInteractionClass& c) {
    Parameter p;
    p.where.line = list.line();
    std::string type;
    std::string cardinality;
    for (const Item cell : list) {
      if (cell.is("Name")) p.name = token(cell);
      if (cell.is("DataType")) type = token(cell);
      if (cell.is("Cardinality")) cardinality = token(cell);
      if (cell.is("Description")) p.semantics = prose(cell);
      addNotes(cell, p.notes);
    }
    if (!reading_.checkRow("parameter", p.name, list.line())) return;
    p.dataType = use(type, cardinality, list.line());
    c.parameters.push_back(std::move(p));
  }

  /// A name made of a long one and a cardinality is long, too.
  std::string use(const std::string& type, const std::string& cardinality, int line) {
    if (type.size() > maxNameBytes) {
      reading_.fail(line,
                    "A datatype has a name of " + std::to_string(type.size()) + " bytes; " +
                        std::to_string(maxNameBytes) + " are read.",
                    "Shorten it.");
      return {};
    }
    return types_.use(type, cardinality, line);
  }

  void readComplex(const Item& list) {
    DataType t;
    t.kind = DataTypeKind::FixedRecord;
    t.where.line = list.line();
    for (const Item part : list) {
      if (part.is("Name")) {
        t.name = token(part);
        addNotes(part, t.notes);
      }
      if (part.is("Description")) t.semantics = prose(part);
      if (!part.is("ComplexComponent")) continue;
      RecordField field;
      field.line = part.line();
      std::string type;
      std::string cardinality;
      for (const Item cell : part) {
        if (cell.is("FieldName")) field.name = token(cell);
        if (cell.is("DataType")) type = token(cell);
        if (cell.is("Cardinality")) cardinality = token(cell);
        if (cell.is("Description")) field.semantics = prose(cell);
      }
      field.dataType = use(type, cardinality, part.line());
      // "0-1 (Type = X)": the field is there only for one value of another.
      const std::size_t condition = cardinality.find('(');
      if (condition != std::string::npos) {
        if (!field.semantics.empty()) field.semantics += ' ';
        field.semantics += "Present " + cardinality.substr(condition) + ".";
      }
      t.fields.push_back(std::move(field));
    }
    if (reading_.checkRow("datatype", t.name, list.line())) types_.define(std::move(t));
  }

  void readEnumerated(const Item& list) {
    DataType t;
    t.kind = DataTypeKind::Enumerated;
    t.where.line = list.line();
    for (const Item part : list) {
      if (part.is("Name")) {
        t.name = token(part);
        addNotes(part, t.notes);
      }
      if (part.is("Description")) t.semantics = prose(part);
      if (!part.is("Enumeration")) continue;
      Enumerator e;
      e.line = part.line();
      for (const Item cell : part) {
        if (cell.is("Enumerator")) e.name = token(cell);
        if (cell.is("Representation")) e.values.push_back(token(cell));
      }
      t.enumerators.push_back(std::move(e));
    }
    if (reading_.checkRow("datatype", t.name, list.line())) types_.define(std::move(t));
  }

  void readNote(const Item& list) {
    Note note;
    note.where.line = list.line();
    for (const Item part : list) {
      if (part.is("NoteNumber")) note.label = token(part);
      if (part.is("NoteText")) note.semantics = prose(part);
    }
    if (reading_.checkRow("note", note.label, list.line())) {
      reading_.module().notes.push_back(std::move(note));
    }
  }

  template <typename Class>
  void add(std::vector<Numbered<Class>>& all, Numbered<Class> one, std::string id,
           std::string_view kind) {
    if (!reading_.checkClass(kind, one.c.name, one.c.line, 1)) return;
    const int line = one.c.line;
    // A class without a number can have no subclasses.
    if (!id.empty()) {
      auto& numbers = numbersOf(all);
      const auto [known, isNew] = numbers.try_emplace(std::move(id), all.size());
      if (!isNew) {
        reading_.fail(line,
                      "The ID " + shortened(known->first) + " is also that of " +
                          shortened(all[known->second].c.name) + " in line " +
                          std::to_string(all[known->second].c.line) + ".",
                      "Give each an ID of its own.");
        return;
      }
    }
    all.push_back(std::move(one));
  }

  /// Moves each class into its superclass, the topmost to the module.
  template <typename Class>
  void nest(std::vector<Numbered<Class>>& all, std::string_view kind) {
    if (reading_.failed()) return;
    std::vector<std::size_t> topmost;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].superclass.empty()) {
        topmost.push_back(i);
        continue;
      }
      const auto found = numbersOf(all).find(all[i].superclass);
      if (found == numbersOf(all).end()) {
        reading_.fail(all[i].c.line,
                      "The superclass of " + shortened(all[i].c.name) + " is " +
                          shortened(all[i].superclass) + ", an ID that no " + std::string(kind) +
                          " has.",
                      "Write the ID of its superclass.");
        return;
      }
      all[found->second].subclasses.push_back(i);
    }
    std::size_t reached = 0;
    for (const std::size_t i : topmost) {
      reading_.addTopmost(assembled(all, i, kind, 1, reached));
      if (reading_.failed()) return;
    }
    if (reached == all.size()) return;
    const auto lost =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return !one.c.name.empty(); });
    reading_.fail(lost->c.line,
                  "The superclasses of " + std::string(kind) + " " + shortened(lost->c.name) +
                      " go round in a circle.",
                  "Correct the IDs of superclasses.");
  }

  /// The class with those below it; its name stays empty in `all`.
  template <typename Class>
  Class assembled(std::vector<Numbered<Class>>& all, std::size_t at, std::string_view kind,
                  int depth, std::size_t& reached) {
    ++reached;
    Class c = std::move(all[at].c);
    all[at].c.name.clear();
    if (!reading_.checkClass(kind, c.name, c.line, depth)) return c;
    for (const std::size_t below : all[at].subclasses) {
      c.subclasses.push_back(assembled(all, below, kind, depth + 1, reached));
      if (reading_.failed()) break;
    }
    return c;
  }

  using Numbers = std::unordered_map<std::string, std::size_t>;
  Numbers& numbersOf(const std::vector<Numbered<ModuleObjectClass>>&) { return classNumbers_; }
  Numbers& numbersOf(const std::vector<Numbered<ModuleInteractionClass>>&) {
    return interactionNumbers_;
  }

  Hla13Reading reading_;
  Hla13DataTypes types_;
  std::vector<Numbered<ModuleObjectClass>> classes_;
  std::vector<Numbered<ModuleInteractionClass>> interactions_;
  Numbers classNumbers_;
  Numbers interactionNumbers_;
};

}  // namespace

tl::expected<Module, Error> readHla13Omt(std::string_view utf8, const std::string& displayName) {
  const auto document = SExpressions::parse(utf8, SExpressions::Escapes::Backslash);
  if (!document) {
    const SExpressions::Fault& fault = document.error();
    return tl::unexpected(Error{ErrorKind::ErrorReading,
                                displayName,
                                fault.line,
                                "Object model of HLA 1.3: " + fault.message,
                                fault.hint,
                                {},
                                0});
  }
  return OmtReader(displayName).read(*document);
}

}  // namespace tutti::omt
