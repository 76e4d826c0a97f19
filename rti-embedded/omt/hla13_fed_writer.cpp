// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "omt/hla13_writing.h"
#include "omt/text.h"
#include "omt/written_names.h"

namespace tutti::omt {

namespace {

/// Names that a reader would take apart stand in quotes.
std::string quoted(const std::string& name) {
  const bool plain = !name.empty() && name.front() != '[' &&
                     name.find_first_of(" \t();\f\v\r\n") == std::string::npos;
  return plain ? name : '"' + name + '"';
}

class FedWriter {
 public:
  FedWriter(const Module& module, LossReport& report)
      : writing_(module, false, report), report_(report) {}

  std::string write() {
    identification();
    spaces();
    text_ += "  (objects\n";
    objectClass(writing_.objects(), 1);
    text_ += "  )\n  (interactions\n";
    interactionClass(writing_.interactions(), 1);
    text_ += "  )\n)\n";
    writing_.reportTables();
    for (const DataType& t : writing_.module().dataTypes) lost("Datatypes", t.name, t.where.line);
    for (const Note& note : writing_.module().notes) lost("Notes", note.label, note.where.line);
    return std::move(text_);
  }

 private:
  void lost(std::string_view what, const std::string& of, int line) {
    report_.lost(what, "left out", of, line);
  }
  std::string& indented(int depth) {
    return text_.append(2 * static_cast<std::size_t>(depth + 1), ' ');
  }

  void identification() {
    const Identification& id = writing_.module().identification;
    std::string name = writing_.name(id.name, 0);
    if (name.empty()) {
      name = "Federation";
      report_.guessed("The name of the federation, which the module does not have", name, {}, 0);
    }
    text_ += "(FED\n  (Federation " + quoted(name) + ")\n  (FEDversion v1.3)\n";
    const std::array<std::pair<std::string_view, bool>, 13> rest{
        {{"type", !id.type.empty() && id.type != "FOM"},
         {"version", !id.version.empty()},
         {"modification date", !id.modificationDate.empty()},
         {"security classification", !id.securityClassification.empty()},
         {"purpose", !id.purpose.empty()},
         {"application domain", !id.applicationDomain.empty()},
         {"description", !id.description.empty()},
         {"use limitation", !id.useLimitation.empty()},
         {"use history", !id.useHistory.empty()},
         {"keywords", !id.keywords.empty()},
         {"points of contact", !id.contacts.empty()},
         {"references", !id.references.empty()},
         {"other", !id.other.empty()}}};
    for (const auto& [what, given] : rest) {
      if (given) lost("Identification of the module besides its name", std::string(what), 0);
    }
  }

  void spaces() {
    if (writing_.spaces().empty()) {
      text_ += "  (spaces)\n";
      return;
    }
    text_ += "  (spaces\n";
    for (const Hla13Writing::Space& space : writing_.spaces()) {
      text_ += "    (space " + quoted(space.name) + '\n';
      for (const std::string& d : space.dimensions) {
        text_ += "      (dimension " + quoted(d) + ")\n";
      }
      text_ += "    )\n";
    }
    text_ += "  )\n";
  }

  /// " reliable timestamp Map".
  std::string delivery(std::string_view transportation, OrderType order,
                       const std::vector<std::string>& dimensions) {
    std::string words =
        ' ' + std::string(transportation) + ' ' + std::string(Hla13Writing::order(order));
    const std::string space = writing_.spaceOf(dimensions);
    return space.empty() ? words : words + ' ' + quoted(space);
  }

  void objectClass(const ModuleObjectClass& c, int depth) {
    describe(c, depth);
    lostDirected(c, report_);
    indented(depth) += "(class " + quoted(c.name) + '\n';
    const bool root = depth == 1;
    if (root && std::none_of(c.attributes.begin(), c.attributes.end(),
                             [](const Attribute& a) { return a.name == "privilegeToDelete"; })) {
      indented(depth + 1) += "(attribute privilegeToDelete reliable timestamp)\n";
    }
    for (const Attribute& a : c.attributes) {
      const std::string of = memberName(c.name, a.name);
      if (a.name != "privilegeToDelete") describe(a, of);
      indented(depth + 1) += "(attribute " + quoted(a.name) +
                             delivery(writing_.transportation(a.transportation, of, a.where.line),
                                      a.order, a.dimensions) +
                             ")\n";
    }
    if (root) indented(depth + 1) += "(class RTIprivate)\n";
    for (const ModuleObjectClass& below : c.subclasses) objectClass(below, depth + 1);
    indented(depth) += ")\n";
  }

  void interactionClass(const ModuleInteractionClass& c, int depth) {
    describe(c, depth);
    const bool root = depth == 1;
    const std::string_view transportation =
        root ? "best_effort" : writing_.transportation(c.transportation, c.name, c.line);
    indented(depth) +=
        "(class " + quoted(c.name) +
        delivery(transportation, root ? OrderType::Receive : c.order.value_or(OrderType::Receive),
                 c.dimensions) +
        '\n';
    if (root) indented(depth + 1) += "(class RTIprivate best_effort receive)\n";
    for (const Parameter& p : c.parameters) {
      const std::string of = memberName(c.name, p.name);
      if (!p.dataType.empty()) lost("Datatypes of attributes and parameters", of, p.where.line);
      if (!p.semantics.empty()) lost("Semantics", of, p.where.line);
      if (!p.notes.empty()) lost("References to notes", of, p.where.line);
      indented(depth + 1) += "(parameter " + quoted(p.name) + ")\n";
    }
    for (const ModuleInteractionClass& below : c.subclasses) interactionClass(below, depth + 1);
    indented(depth) += ")\n";
  }

  template <typename Class>
  void describe(const Class& c, int depth) {
    // The roots are those of the standard.
    const bool usual =
        c.sharing == Sharing::Unspecified || (depth == 1 && c.sharing == Sharing::Neither);
    if (!usual) lost("Sharing of classes and attributes", c.name, c.line);
    if (!c.semantics.empty()) lost("Semantics", c.name, c.line);
    if (!c.notes.empty()) lost("References to notes", c.name, c.line);
  }

  void describe(const Attribute& a, const std::string& of) {
    const int line = a.where.line;
    if (!a.dataType.empty()) lost("Datatypes of attributes and parameters", of, line);
    if (a.updateType != UpdateType::NotApplicable || !a.updateCondition.empty()) {
      lost("Update types and conditions", of, line);
    }
    if (a.ownership != Ownership::NoTransfer) lost("Ownership of attributes", of, line);
    if (a.sharing != Sharing::Unspecified) lost("Sharing of classes and attributes", of, line);
    if (!a.semantics.empty()) lost("Semantics", of, line);
    if (!a.notes.empty()) lost("References to notes", of, line);
  }

  Hla13Writing writing_;
  LossReport& report_;
  std::string text_;
};

}  // namespace

std::string writeHla13Fed(const Module& module, LossReport& report) {
  return FedWriter(module, report).write();
}

}  // namespace tutti::omt
