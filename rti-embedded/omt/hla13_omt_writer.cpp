// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "omt/hla13_types.h"
#include "omt/hla13_words.h"
#include "omt/hla13_writing.h"
#include "omt/s_expressions.h"
#include "omt/text.h"
#include "omt/written_names.h"

namespace tutti::omt {

namespace {

/// As a reader takes it apart again: in C's way, with "\r\n" at the end of a line.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (result += '\\') += c;
    } else if (c == '\n') {
      result += "\\r\\n";
    } else {
      result += c;
    }
  }
  return result + '"';
}

bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class OmtWriter {
 public:
  OmtWriter(const Module& module, LossReport& report)
      : module_(module), writing_(module, true, report), types_(module, report), report_(report) {}

  std::string write() {
    numberNotes();
    text_ = "(DIF HLA-OMT v1.3 (TYPE Single))\n(ObjectModel\n";
    identification();
    for (const Hla13Writing::Space& space : writing_.spaces()) routingSpace(space);
    const std::string beginning = std::exchange(text_, {});
    // What classes and records use decides which further datatypes there are.
    objects();
    interactions();
    const std::string classes = std::exchange(text_, {});
    for (const DataType& t : module_.dataTypes) {
      if (t.kind == DataTypeKind::FixedRecord) fixedRecord(t);
      if (t.kind == DataTypeKind::VariantRecord) variantRecord(t);
    }
    for (const Hla13Types::Wrapper& wrapper : types_.takeWrappers()) wrapperType(wrapper);
    for (const DataType& t : module_.dataTypes) {
      if (t.kind == DataTypeKind::Enumerated) enumerated(t);
    }
    const std::string types = std::exchange(text_, {});
    notes();
    writing_.reportTables();
    types_.reportUnused();
    return beginning + types + classes + text_ + ")\n";
  }

 private:
  void lost(std::string_view what, const std::string& of, int line) {
    report_.lost(what, "left out", of, line);
  }
  std::string& indented(int depth) {
    return text_.append(4 * static_cast<std::size_t>(depth), ' ');
  }
  /// "(Head "text")", or nothing for an empty text. Longer ones than readers take are left out.
  void cell(int depth, std::string_view head, const std::string& text, int line,
            const std::string& notes = {}) {
    if (text.empty()) return;
    const std::string written = quoted(text);
    if (written.size() > SExpressions::Limits{}.textBytes) {
      lost("Texts longer than 1 MiB", std::string(head), line);
      return;
    }
    (indented(depth) += '(') += head;
    ((text_ += ' ') += written) += notes;
    text_ += ")\n";
  }
  /// What a reader takes for nothing is nothing.
  void prose(int depth, std::string_view head, const std::string& text, int line) {
    if (!meansNothing(collapsed(text))) cell(depth, head, text, line);
  }
  void word(int depth, std::string_view head, std::string_view word) {
    if (word.empty()) return;
    (indented(depth) += '(') += head;
    ((text_ += ' ') += word) += ")\n";
  }
  void begin(int depth, std::string_view head, std::string_view nameHead, const std::string& name,
             const std::string& notes = {}) {
    (indented(depth) += '(') += head;
    ((text_ += " (") += nameHead) += ' ';
    ((text_ += quoted(name)) += notes) += ")\n";
  }
  void end(int depth) { indented(depth) += ")\n"; }

  void identification() {
    const Identification& id = module_.identification;
    cell(1, "Name", id.name, 0);
    cell(1, "VersionNumber", id.version, 0);
    // A word in files of HLA 1.3, but readers take any text.
    if (id.type == "FOM" || id.type == "SOM") {
      word(1, "Type", id.type);
    } else {
      cell(1, "Type", id.type, 0);
    }
    prose(1, "Purpose", id.purpose, 0);
    cell(1, "ApplicationDomain", id.applicationDomain, 0);
    const auto isSponsor = [](const Contact& c) { return c.type == "Sponsor"; };
    const auto sponsor = std::find_if(id.contacts.begin(), id.contacts.end(), isSponsor);
    const auto person = std::find_if_not(id.contacts.begin(), id.contacts.end(), isSponsor);
    if (sponsor != id.contacts.end()) {
      const std::string name =
          sponsor->organization.empty() ? sponsor->name : sponsor->organization;
      prose(1, "SponsorOrgName", name, 0);
      if (*sponsor != Contact{"Sponsor", {}, name, {}, {}}) {
        lost("Details of points of contact", toText(*sponsor), 0);
      }
    }
    if (person != id.contacts.end()) {
      prose(1, "POCLastName", person->name, 0);
      prose(1, "POCOrgName", person->organization, 0);
      if (!person->telephones.empty()) prose(1, "POCPhone", person->telephones[0], 0);
      if (!person->emails.empty()) prose(1, "POCEmail", person->emails[0], 0);
      if (person->telephones.size() > 1 || person->emails.size() > 1) {
        lost("Details of points of contact", person->name, 0);
      }
      if (!person->type.empty()) {
        lost("Types of points of contact", person->type + ' ' + person->name, 0);
      }
    }
    for (auto c = id.contacts.begin(); c != id.contacts.end(); ++c) {
      if (c != sponsor && c != person) lost("Further points of contact", toText(*c), 0);
    }
    cell(1, "ModificationDate", id.modificationDate, 0);
    const std::array<std::pair<std::string_view, bool>, 7> rest{
        {{"security classification", !id.securityClassification.empty()},
         {"description", !id.description.empty()},
         {"use limitation", !id.useLimitation.empty()},
         {"use history", !id.useHistory.empty()},
         {"keywords", !id.keywords.empty()},
         {"references", !id.references.empty()},
         {"other", !id.other.empty()}}};
    for (const auto& [what, given] : rest) {
      if (given) lost("Identification that HLA 1.3 does not have", std::string(what), 0);
    }
  }

  void routingSpace(const Hla13Writing::Space& space) {
    begin(1, "RoutingSpace", "Name", space.name);
    for (const std::string& d : space.dimensions) {
      begin(2, "RSDimension", "Name", d);
      end(2);
    }
    end(1);
  }

  /// Notes of HLA 1.3 have numbers.
  void numberNotes() {
    std::unordered_set<std::string> taken;
    constexpr std::string_view prefix = "note";
    for (const Note& note : module_.notes) {
      const bool prefixed = note.label.starts_with(prefix);
      std::string number = prefixed ? note.label.substr(prefix.size()) : note.label;
      if (isDigits(number) && taken.insert(number).second) numbers_.emplace(note.label, number);
    }
    std::size_t next = 1;
    for (const Note& note : module_.notes) {
      if (numbers_.contains(note.label)) continue;
      while (taken.contains(std::to_string(next))) ++next;
      numbers_.emplace(note.label, std::to_string(next));
      taken.insert(std::to_string(next));
    }
    for (const Note& note : module_.notes) {
      if (numbers_.at(note.label) == note.label) continue;
      report_.guessed("Labels of notes", "numbers", note.label + " as " + numbers_.at(note.label),
                      note.where.line);
    }
  }

  /// " [1, 2]" of "n1 n2"; nothing of none.
  std::string references(const std::string& labels, const std::string& of, int line) {
    std::string list;
    std::size_t start = 0;
    while ((start = labels.find_first_not_of(' ', start)) != std::string::npos) {
      const std::size_t end = std::min(labels.find(' ', start), labels.size());
      const std::string label = labels.substr(start, end - start);
      start = end;
      const auto known = numbers_.find(label);
      if (known == numbers_.end() && !isDigits(label)) {
        lost("References to notes that the module does not have", of + ": " + label, line);
        continue;
      }
      list += list.empty() ? " [" : ", ";
      list += known == numbers_.end() ? label : known->second;
    }
    return list.empty() ? list : list + ']';
  }

  void typeCells(int depth, const std::string& dataType, const std::string& condition, int line) {
    const Hla13Types::Use use = types_.use(dataType);
    if (use.dataType.empty()) return;
    cell(depth, "DataType", use.dataType, line);
    // A component that is there only for one value of another has a condition.
    std::string cardinality = use.cardinality;
    if (!condition.empty()) {
      if (cardinality == "1") cardinality = "0-1";
      (cardinality += ' ') += condition;
    }
    cell(depth, "Cardinality", cardinality, line);
    cell(depth, "Units", use.units, line);
    cell(depth, "Resolution", use.resolution, line);
    cell(depth, "Accuracy", use.accuracy, line);
  }

  /// Numbers go on from object classes to interactions.
  std::string nextId() { return std::to_string(++lastId_); }

  void objects() {
    const ModuleObjectClass& root = writing_.objects();
    const auto isPrivilege = [](const Attribute& a) { return a.name == "privilegeToDelete"; };
    const auto isRootName = [](const ModuleObjectClass& c) {
      return sameIgnoringCase(c.name, "ObjectRoot") || c.name == objectRootName;
    };
    const bool writes = !root.semantics.empty() || !root.notes.empty() ||
                        !std::all_of(root.attributes.begin(), root.attributes.end(), isPrivilege) ||
                        std::any_of(root.subclasses.begin(), root.subclasses.end(), isRootName);
    if (writes) {
      objectClass(root, {});
      return;
    }
    for (const ModuleObjectClass& c : root.subclasses) objectClass(c, {});
  }

  void objectClass(const ModuleObjectClass& c, const std::string& superclass) {
    const std::string id = nextId();
    indented(1) += "(Class (ID " + id + ")\n";
    cell(2, "Name", c.name, c.line, references(c.notes, c.name, c.line));
    word(2, "PSCapabilities", hla13::wordFor(hla13::classWords, c.sharing));
    prose(2, "Description", c.semantics, c.line);
    word(2, "SuperClass", superclass);
    for (const Attribute& a : c.attributes) attribute(c, a);
    lostDirected(c, report_);
    end(1);
    for (const ModuleObjectClass& below : c.subclasses) objectClass(below, id);
  }

  void attribute(const ModuleObjectClass& c, const Attribute& a) {
    const int line = a.where.line;
    const std::string of = memberName(c.name, a.name);
    begin(2, "Attribute", "Name", a.name, references(a.notes, of, line));
    const bool privilege = a.name == "privilegeToDelete";
    if (!privilege) typeCells(3, a.dataType, {}, line);
    if (!privilege) {
      word(3, "UpdateType",
           a.updateType == UpdateType::NotApplicable ? "NA" : toText(a.updateType));
      prose(3, "UpdateCondition", a.updateCondition, line);
      word(3, "TransferAccept", hla13::wordFor(hla13::ownershipWords, a.ownership));
      word(3, "UpdateReflect", hla13::wordFor(hla13::attributeWords, a.sharing));
    }
    prose(3, "Description", a.semantics, line);
    cell(3, "RoutingSpace", writing_.spaceOf(a.dimensions), line);
    word(3, "DeliveryCategory", writing_.transportation(a.transportation, of, line));
    word(3, "MessageOrdering", Hla13Writing::order(a.order));
    end(2);
  }

  void interactions() {
    const ModuleInteractionClass& root = writing_.interactions();
    const auto isRootName = [](const ModuleInteractionClass& c) {
      return sameIgnoringCase(c.name, "InteractionRoot") || c.name == interactionRootName;
    };
    const bool writes = !root.semantics.empty() || !root.notes.empty() ||
                        !root.parameters.empty() ||
                        std::any_of(root.subclasses.begin(), root.subclasses.end(), isRootName);
    if (writes) {
      interactionClass(root, {});
      return;
    }
    for (const ModuleInteractionClass& c : root.subclasses) interactionClass(c, {});
  }

  void interactionClass(const ModuleInteractionClass& c, const std::string& superclass) {
    const std::string id = nextId();
    indented(1) += "(Interaction (ID " + id + ")\n";
    cell(2, "Name", c.name, c.line, references(c.notes, c.name, c.line));
    word(2, "ISRType", hla13::wordFor(hla13::interactionWords, c.sharing));
    prose(2, "Description", c.semantics, c.line);
    word(2, "SuperInteraction", superclass);
    const bool root = superclass.empty() && c.name == "InteractionRoot";
    if (!root) {
      cell(2, "RoutingSpace", writing_.spaceOf(c.dimensions), c.line);
      if (!c.transportation.empty()) {
        word(2, "DeliveryCategory", writing_.transportation(c.transportation, c.name, c.line));
      }
      if (c.order) word(2, "MessageOrdering", Hla13Writing::order(*c.order));
    }
    for (const Parameter& p : c.parameters) {
      const int line = p.where.line;
      begin(2, "Parameter", "Name", p.name, references(p.notes, memberName(c.name, p.name), line));
      typeCells(3, p.dataType, {}, line);
      prose(3, "Description", p.semantics, line);
      end(2);
    }
    end(1);
    for (const ModuleInteractionClass& below : c.subclasses) interactionClass(below, id);
  }

  void component(const std::string& name, const std::string& dataType, std::string semantics,
                 std::string condition, int line) {
    // What a reader has made of a condition: "Present (Type = X)."
    constexpr std::string_view present = "Present (";
    const std::size_t at = semantics.rfind(present);
    if (condition.empty() && at != std::string::npos && semantics.ends_with(").") &&
        (at == 0 || semantics[at - 1] == ' ')) {
      condition = semantics.substr(at + present.size() - 1);
      condition.pop_back();
      semantics = trimmed(semantics.substr(0, at));
    }
    begin(2, "ComplexComponent", "FieldName", name);
    typeCells(3, dataType, collapsed(condition), line);
    prose(3, "Description", semantics, line);
    end(2);
  }

  void beginType(std::string_view head, const DataType& t) {
    begin(1, head, "Name", t.name, references(t.notes, t.name, t.where.line));
    prose(2, "Description", t.semantics, t.where.line);
    if (!t.encoding.empty()) lost("Encodings of records", t.name, t.where.line);
  }

  void fixedRecord(const DataType& t) {
    beginType("ComplexDataType", t);
    for (const RecordField& f : t.fields) component(f.name, f.dataType, f.semantics, {}, f.line);
    end(1);
  }

  void variantRecord(const DataType& t) {
    report_.guessed("Variant records",
                    "complex datatypes whose components have conditions for being there", t.name,
                    t.where.line);
    beginType("ComplexDataType", t);
    component(t.discriminant, t.discriminantType, {}, {}, t.where.line);
    for (const VariantAlternative& v : t.alternatives) {
      if (v.dataType.empty()) {
        lost("Alternatives of variant records without data", memberName(t.name, v.enumerators),
             v.line);
        continue;
      }
      component(v.name, v.dataType, v.semantics, '(' + t.discriminant + " = " + v.enumerators + ')',
                v.line);
    }
    end(1);
  }

  void wrapperType(const Hla13Types::Wrapper& wrapper) {
    begin(1, "ComplexDataType", "Name", wrapper.name);
    begin(2, "ComplexComponent", "FieldName", "Elements");
    cell(3, "DataType", wrapper.element.dataType, 0);
    cell(3, "Cardinality", wrapper.element.cardinality, 0);
    end(2);
    end(1);
  }

  void enumerated(const DataType& t) {
    beginType("EnumeratedDataType", t);
    if (!t.representation.empty()) {
      lost("Representations of enumerated datatypes", t.name + ": " + t.representation,
           t.where.line);
    }
    for (const Enumerator& e : t.enumerators) {
      begin(2, "Enumeration", "Enumerator", e.name);
      for (std::size_t i = 0; i < e.values.size(); ++i) {
        if (i > 0) {
          lost("Further values of enumerators", memberName(t.name, e.name) + ' ' + e.values[i],
               e.line);
        } else if (isDigits(e.values[0])) {
          word(3, "Representation", e.values[0]);
        } else {
          cell(3, "Representation", e.values[0], e.line);
        }
      }
      end(2);
    }
    end(1);
  }

  void notes() {
    for (const Note& note : module_.notes) {
      indented(1) += "(Note (NoteNumber " + numbers_.at(note.label) + ")\n";
      prose(2, "NoteText", note.semantics, note.where.line);
      end(1);
    }
  }

  const Module& module_;
  Hla13Writing writing_;
  Hla13Types types_;
  LossReport& report_;
  std::string text_;
  std::unordered_map<std::string, std::string> numbers_;  ///< of notes, by label
  std::size_t lastId_ = 0;
};

}  // namespace

std::string writeHla13Omt(const Module& module, LossReport& report) {
  return OmtWriter(module, report).write();
}

}  // namespace tutti::omt
