// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "omt/text.h"
#include "omt/written_names.h"
#include "omt/xml_datatypes_writer.h"
#include "omt/xml_module_writer.h"
#include "omt/xml_rows.h"

namespace tutti::omt {

namespace {

/// What a document begins with, up to the end of the start tag of <objectModel>.
std::string beginningOf(Edition edition) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  if (edition == Edition::Ieee2000) {
    return text + "<!DOCTYPE objectModel SYSTEM \"hla.dtd\">\n<objectModel DTDversion=\"1516.2\"";
  }
  const bool of2025 = edition == Edition::Ieee2025;
  const std::string space =
      std::string("http://standards.ieee.org/IEEE1516-") + (of2025 ? "2025" : "2010");
  return text + "<objectModel xmlns=\"" + space +
         "\"\n             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"\n"
         "             xsi:schemaLocation=\"" +
         space + " " +
         (of2025 ? "IEEE1516-DIF-2025.xsd"
                 : "http://standards.ieee.org/downloads/1516/1516.2-2010/IEEE1516-DIF-2010.xsd") +
         "\">\n";
}

bool isDate(std::string_view text) {
  constexpr std::string_view pattern = "0000-00-00";
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (pattern[i] == '0' ? !digit : text[i] != pattern[i]) return false;
  }
  return true;
}

class XmlModuleWriter : private XmlRows {
 public:
  XmlModuleWriter(const Module& module, Edition edition, LossReport& report)
      : XmlRows(edition, beginningOf(edition), report),
        module_(module),
        fromHla13_(module.edition == Edition::Hla13Fed || module.edition == Edition::Hla13Omt),
        dataTypes_(module, *this) {}

  std::string write() {
    identification();
    const ModuleObjectClass objects = joinedRoot(module_.objectClasses, report());
    if (!objects.name.empty()) {
      table("objects", [&] { objectClass(objects, 1); });
    }
    const ModuleInteractionClass interactions = joinedRoot(module_.interactionClasses, report());
    if (!interactions.name.empty()) {
      table("interactions", [&] { interactionClass(interactions, 1); });
    }
    dimensions();
    time();
    tags();
    synchronizations();
    transportations();
    switches();
    updateRates();
    dataTypes_.write();
    notes();
    xml().raw("</objectModel>\n");
    return xml().take();
  }

 private:
  static std::string sharing(Sharing value) {
    return value == Sharing::Unspecified ? std::string() : std::string(toText(value));
  }

  void identification() {
    const Identification& id = module_.identification;
    if (of2000()) {
      identificationOf2000();
      return;
    }
    std::string date = id.modificationDate;
    if (date.size() == 10 && date[4] == '/' && date[7] == '/') date[4] = date[7] = '-';
    const bool kept = module_.edition == Edition::Ieee2010 || module_.edition == Edition::Ieee2025;
    if (!date.empty() && !isDate(date) && !kept) {
      report().lost("A modification date that is none of XML (2010-08-18)", "left out", date, 0);
      date.clear();
    }
    table("modelIdentification", [&] {
      elements("modelIdentification",
               {{"name", id.name},
                {"type", id.type},
                {"version", id.version},
                {"modificationDate", date},
                {"securityClassification", id.securityClassification},
                {"purpose", id.purpose},
                {"applicationDomain", id.applicationDomain},
                {"description", id.description},
                {"useLimitation", id.useLimitation}},
               0);
      for (const std::string& one : id.useHistory) elements("useHistory", {{"useHistory", one}}, 0);
      for (const std::string& word : id.keywords) {
        row("keyword", {}, 0, {{"keywordValue", word}});
      }
      for (const Contact& c : id.contacts) {
        Cells cells{{"pocType", c.type}, {"pocName", c.name}, {"pocOrg", c.organization}};
        for (const std::string& telephone : c.telephones) {
          cells.push_back({"pocTelephone", telephone});
        }
        for (const std::string& email : c.emails) cells.push_back({"pocEmail", email});
        row("poc", {}, 0, cells);
      }
      std::string other = id.other;
      for (const auto& [kind, text] : id.references) {
        // In 2000 any text, from 2010 on addresses.
        if (kind == "references" && text.find(' ') != std::string::npos) {
          report().guessed("References that are no addresses", "text behind what else is said",
                           shortened(text), 0);
          other += (other.empty() ? "" : "\n") + text;
          continue;
        }
        row("reference", {}, 0, {{"type", kind}, {"identification", text}});
      }
      elements("other", {{"other", other}}, 0);
    });
  }

  /// The XML attributes of the root element.
  void identificationOf2000() {
    const Identification& id = module_.identification;
    const auto leave = [&](const char* what, bool given) {
      if (given) report().lost(what, "left out", "objectModel", 0);
    };
    leave("The security classification", !id.securityClassification.empty());
    leave("The description of the module", !id.description.empty());
    leave("The use limitation", !id.useLimitation.empty());
    leave("The use history", !id.useHistory.empty());
    leave("Keywords", !id.keywords.empty());
    Contact person;
    std::string sponsor;
    for (const Contact& c : id.contacts) {
      if (c.type == "Sponsor" && sponsor.empty()) {
        sponsor = c.organization.empty() ? c.name : c.organization;
        if (Contact{c.type, {}, sponsor, {}, {}} != c) {
          report().lost("Details of points of contact", "left out", c.name, 0);
        }
      } else if (person == Contact()) {
        person = c;
        if (!c.type.empty()) {
          report().lost("Types of points of contact", "left out", c.type + ' ' + c.name, 0);
        }
        if (c.telephones.size() > 1 || c.emails.size() > 1) {
          report().lost("Details of points of contact", "left out", c.name, 0);
        }
      } else {
        report().lost("Further points of contact", "left out", toText(c), 0);
      }
    }
    std::string references;
    for (const auto& [kind, text] : id.references) {
      const bool own = id.references.size() == 1 && kind == "references";
      if (!own) {
        report().guessed("References", "one text", text, 0);
        if (!references.empty()) references += ", ";
        references += kind + (kind.empty() ? "" : ": ");
      }
      references += text;
    }
    Cells cells{{"name", id.name},
                {"type", id.type},
                {"version", id.version},
                {"date", id.modificationDate},
                {"purpose", id.purpose},
                {"appDomain", id.applicationDomain},
                {"sponsor", sponsor},
                {"pocName", person.name},
                {"pocOrg", person.organization},
                {"pocPhone", person.telephones.empty() ? std::string() : person.telephones[0]},
                {"pocEmail", person.emails.empty() ? std::string() : person.emails[0]},
                {"references", references},
                {"other", id.other}};
    for (Cell& cell : cells) cell.text = collapsed(cell.text);
    attributes("objectModel", cells, 0);
    xml().raw(">\n");
  }

  /// In 2000 names of dimensions stand together, with blanks or commas between them.
  std::string dimensionName(const std::string& name, int line) {
    if (!of2000() || name.find_first_of(" ,") == std::string::npos) return name;
    std::string other = name;
    std::replace(other.begin(), other.end(), ' ', '_');
    std::replace(other.begin(), other.end(), ',', '_');
    report().guessed("Names of dimensions with blanks or commas", "names with _", name, line);
    return other;
  }
  std::string dimensionList(const std::vector<std::string>& names, int line) {
    std::string list;
    for (const std::string& name : names) {
      if (!list.empty()) list += ", ";
      list += dimensionName(name, line);
    }
    return list.empty() ? "NA" : list;
  }
  void dimensionElements(const std::vector<std::string>& names) {
    if (names.empty()) return;
    const XmlOutput::Element open(xml(), "dimensions");
    for (const std::string& name : names) xml().element("dimension", name);
  }

  /// Since 2010 a class that says nothing of itself is one that another module defines.
  template <typename Class>
  Sharing sharingOf(const Class& c, int depth) {
    if (depth == 1 || !c.defined) {
      if (of2000() && depth > 1 && c.isScaffolding()) {
        report().guessed("Classes that are only named, for another module to define",
                         "defined: the edition has no modules", c.name, c.line);
      }
      return c.sharing;
    }
    if (of2000()) return c.sharing;
    bool saysNothing = c.sharing == Sharing::Unspecified;
    if constexpr (requires { c.parameters; }) {
      saysNothing = saysNothing && c.parameters.empty() && c.transportation.empty() && !c.order;
    } else {
      saysNothing = saysNothing && c.attributes.empty();
    }
    if (!saysNothing) return c.sharing;
    report().guessed("Sharing of classes that have nothing else of their own", "PublishSubscribe",
                     c.name, c.line);
    return Sharing::PublishSubscribe;
  }

  /// From 2025 on dimensions are those of a class and of all its attributes.
  std::vector<std::string> dimensionsOfClass(const ModuleObjectClass& c) {
    std::vector<std::string> all = c.dimensions;
    std::unordered_set<std::string_view> known(c.dimensions.begin(), c.dimensions.end());
    for (const Attribute& a : c.attributes) {
      for (const std::string& name : a.dimensions) {
        if (known.insert(name).second) all.push_back(name);
      }
    }
    for (const Attribute& a : c.attributes) {
      if (a.dimensions != all) {
        report().guessed("Dimensions of attributes",
                         "dimensions of their class, and so of all its attributes",
                         memberName(c.name, a.name), a.where.line);
      }
    }
    return all;
  }

  void objectClass(const ModuleObjectClass& c, int depth) {
    Cells cells{{"name", c.name}, {"sharing", sharing(sharingOf(c, depth))}};
    const auto content = [&] {
      for (const Attribute& a : c.attributes) attribute(a);
      for (const ModuleObjectClass& below : c.subclasses) objectClass(below, depth + 1);
    };
    const bool hasContent = !c.attributes.empty() || !c.subclasses.empty();
    const std::vector<std::string> dimensions =
        of2025() ? dimensionsOfClass(c) : std::vector<std::string>();
    if (!of2025()) {
      lostDirected(c, report());
      if (c.attributes.empty() && !c.dimensions.empty()) {
        report().lost("Dimensions of classes without attributes", "left out", c.name, c.line);
      }
    }
    const bool directed = of2025() && !c.directedInteractions.empty();
    if (dimensions.empty() && !directed) {
      cells.push_back({"semantics", c.semantics});
      row("objectClass", c.notes, c.line, cells, hasContent, content);
      return;
    }
    row("objectClass", c.notes, c.line, cells, true, [&] {
      if (directed) {
        for (const DirectedInteraction& d : c.directedInteractions) {
          row("directedInteraction", {}, d.where.line,
              {{"name", d.name}, {"sharing", sharing(d.sharing)}});
        }
      }
      dimensionElements(dimensions);
      elements("objectClass", {{"semantics", c.semantics}}, c.line);
      content();
    });
  }

  void attribute(const Attribute& a) {
    // A FED file says nothing of them, and nothing of datatypes.
    const bool known = !a.dataType.empty();
    const bool hasUpdateType = known || a.updateType != UpdateType::NotApplicable;
    const bool hasOwnership = known || a.ownership != Ownership::NoTransfer;
    Cells cells{{"name", a.name}, {"dataType", dataTypes_.typeName(a.dataType)}};
    if (hasUpdateType) {
      const bool none = a.updateType == UpdateType::NotApplicable;
      cells.push_back({"updateType", none ? "NA" : std::string(toText(a.updateType))});
    }
    cells.push_back({"updateCondition", a.updateCondition});
    if (a.valueRequired && of2025()) cells.push_back({"valueRequired", "true"});
    if (a.valueRequired && !of2025()) {
      report().lost("Required values of attributes", "left out", a.name, a.where.line);
    }
    if (hasOwnership) cells.push_back({"ownership", std::string(toText(a.ownership))});
    cells.push_back({"sharing", sharing(a.sharing)});
    const Cells behind{{"transportation", a.transportation},
                       {"order", std::string(toText(a.order))},
                       {"semantics", a.semantics}};
    if (of2000()) {
      cells.push_back({"dimensions", dimensionList(a.dimensions, a.where.line)});
      cells.insert(cells.end(), behind.begin(), behind.end());
      row("attribute", a.notes, a.where.line, cells);
      return;
    }
    row(
        "attribute", a.notes, a.where.line, cells, false,
        [&] {
          if (!of2025()) dimensionElements(a.dimensions);
        },
        behind);
  }

  void interactionClass(const ModuleInteractionClass& c, int depth) {
    Cells cells{{"name", c.name}, {"sharing", sharing(sharingOf(c, depth))}};
    const Cells delivery{{"transportation", c.transportation},
                         {"order", c.order ? std::string(toText(*c.order)) : std::string()},
                         {"semantics", c.semantics}};
    if (of2000()) {
      cells.push_back({"dimensions", dimensionList(c.dimensions, c.line)});
      cells.insert(cells.end(), delivery.begin(), delivery.end());
    }
    row("interactionClass", c.notes, c.line, cells, !c.parameters.empty() || !c.subclasses.empty(),
        [&] {
          if (!of2000()) {
            dimensionElements(c.dimensions);
            elements("interactionClass", delivery, c.line);
          }
          for (const Parameter& p : c.parameters) {
            row("parameter", p.notes, p.where.line,
                {{"name", p.name},
                 {"dataType", dataTypes_.typeName(p.dataType)},
                 {"semantics", p.semantics}});
          }
          for (const ModuleInteractionClass& below : c.subclasses) {
            interactionClass(below, depth + 1);
          }
        });
  }

  void dimensions() {
    if (module_.dimensions.empty()) return;
    table("dimensions", [&] {
      for (const Dimension& d : module_.dimensions) {
        const int line = d.where.line;
        if (fromHla13_) {
          report().guessed("Dimensions of routing spaces",
                           "dimensions of their own, Space_Dimension, from 0 to 4294967295", d.name,
                           line);
        }
        const std::string bound = d.upperBound ? std::to_string(*d.upperBound) : std::string();
        if (!of2025()) {
          row("dimension", {}, line,
              {{"name", dimensionName(d.name, line)},
               {"dataType", dataTypes_.typeName(d.dataType)},
               {"upperBound", bound},
               {"normalization", d.normalization},
               {"value", d.defaultValue}});
          continue;
        }
        const XmlOutput::Element open(xml(), "dimension");
        elements("dimension", {{"name", d.name}}, line);
        {
          const XmlOutput::Element input(xml(), "inputDataTypes");
          elements("inputDataTypes", {{"dataType", dataTypes_.typeName(d.dataType)}}, line);
        }
        // The schema asks for them, empty or not.
        xml().element("inputDataDescription", {});
        elements("dimension", {{"upperBound", bound}}, line);
        xml().element("normalization",
                      fitting("dimension", "normalization", d.normalization, line));
        xml().element("outputDataSemantics", {});
        elements("dimension", {{"value", d.defaultValue}}, line);
      }
    });
  }

  bool isGiven(const TypeUse& use) const { return !use.dataType.empty() || !use.semantics.empty(); }
  void typeUse(std::string_view name, const TypeUse& use) {
    if (!isGiven(use)) return;
    const std::string type = use.dataType.empty() ? "NA" : dataTypes_.typeName(use.dataType);
    row(name, {}, use.where.line, {{"dataType", type}, {"semantics", use.semantics}});
  }
  void time() {
    if (!isGiven(module_.timeStamp) && !isGiven(module_.lookahead)) return;
    table("time", [&] {
      typeUse(of2025() ? "logicalTime" : "timeStamp", module_.timeStamp);
      typeUse(of2025() ? "logicalTimeInterval" : "lookahead", module_.lookahead);
    });
  }
  void tags() {
    const UserTags& tags = module_.userTags;
    const std::array<std::pair<std::string_view, const TypeUse*>, 7> rows{
        {{"updateReflectTag", &tags.updateReflect},
         {"sendReceiveTag", &tags.sendReceive},
         {"deleteRemoveTag", &tags.deleteRemove},
         {"divestitureRequestTag", &tags.divestitureRequest},
         {"divestitureCompletionTag", &tags.divestitureCompletion},
         {"acquisitionRequestTag", &tags.acquisitionRequest},
         {"requestUpdateTag", &tags.requestUpdate}}};
    if (std::none_of(rows.begin(), rows.end(), [&](const auto& r) { return isGiven(*r.second); })) {
      return;
    }
    table("tags", [&] {
      for (const auto& [name, use] : rows) typeUse(name, *use);
    });
  }

  void synchronizations() {
    if (module_.synchronizationPoints.empty()) return;
    table("synchronizations", [&] {
      for (const SynchronizationPoint& p : module_.synchronizationPoints) {
        row(of2000() ? "synchronization" : "synchronizationPoint", {}, p.where.line,
            {{"label", p.label},
             {"dataType", dataTypes_.typeName(p.dataType)},
             {"capability", p.capability},
             {"semantics", p.semantics}});
      }
    });
  }

  void transportations() {
    if (module_.transportations.empty()) return;
    table("transportations", [&] {
      for (const Transportation& t : module_.transportations) {
        Cells cells{{"name", t.name}};
        if (!of2000()) {
          cells.push_back({"reliable", t.reliable ? "Yes" : "No"});
        } else if (t.reliable == (t.name == bestEffortName)) {
          report().lost("Whether transportation types are reliable",
                        "left out: all but HLAbestEffort are taken as reliable", t.name,
                        t.where.line);
        }
        cells.push_back({"semantics", of2000() ? collapsed(t.semantics) : t.semantics});
        row("transportation", {}, t.where.line, cells);
      }
    });
  }

  void switches() {
    if (!module_.switches) return;
    const ModuleSwitches& s = *module_.switches;
    struct Switch {
      std::string_view name;
      std::optional<bool> value;
      bool in2000;
      bool in2025;
    };
    const std::array<Switch, 10> rows{
        {{"autoProvide", s.autoProvide, true, true},
         {"conveyRegionDesignatorSets", s.conveyRegionDesignatorSets, true, true},
         {"conveyProducingFederate", s.conveyProducingFederate, false, false},
         {"attributeScopeAdvisory", s.attributeScopeAdvisory, true, true},
         {"attributeRelevanceAdvisory", s.attributeRelevanceAdvisory, true, true},
         {"objectClassRelevanceAdvisory", s.objectClassRelevanceAdvisory, true, true},
         {"interactionRelevanceAdvisory", s.interactionRelevanceAdvisory, true, true},
         {"serviceReporting", s.serviceReporting, true, true},
         {"exceptionReporting", s.exceptionReporting, false, true},
         {"delaySubscriptionEvaluation", s.delaySubscriptionEvaluation, false, true}}};
    std::vector<const Switch*> said;
    for (const Switch& one : rows) {
      if (!one.value) continue;
      if ((of2000() && !one.in2000) || (of2025() && !one.in2025)) {
        report().lost("Switches that the edition does not have", "left out",
                      std::string(one.name) + (*one.value ? ", enabled" : ", disabled"), s.line);
      } else {
        said.push_back(&one);
      }
    }
    if (of2000() && s.automaticResignAction) {
      report().lost("Switches that the edition does not have", "left out",
                    "automaticResignAction, " + std::string(toText(*s.automaticResignAction)),
                    s.line);
    }
    std::vector<Switch> own;
    own.reserve(s.of2025.size());
    for (const auto& [name, value] : s.of2025) {
      own.push_back({name, value, false, true});
      if (of2025()) {
        said.push_back(&own.back());
      } else if (value) {
        report().lost("Switches that the edition does not have", "left out", name + ", enabled",
                      s.line);
      }
    }
    if (of2000()) {
      if (said.empty()) return;
      xml().begin("switches");
      for (const Switch* one : said) {
        xml().attribute(one->name, *one->value ? "Enabled" : "Disabled");
      }
      xml().raw("/>\n");
      return;
    }
    if (said.empty() && !s.automaticResignAction) return;
    table("switches", [&] {
      const auto resignAction = [&] {
        if (!s.automaticResignAction) return;
        xml().begin("automaticResignAction");
        xml().attribute("resignAction", toText(*s.automaticResignAction));
        xml().raw("/>\n");
      };
      const auto one = [&](const Switch& given) {
        xml().begin(given.name);
        xml().attribute("isEnabled", *given.value ? "true" : "false");
        xml().raw("/>\n");
      };
      // The schema of 2025 has three of its own behind the resign action, in this order.
      constexpr std::array<std::string_view, 3> behind{
          "allowRelaxedDDM", "advisoriesUseKnownClass", "sendServiceReportsToFile"};
      for (const Switch* given : said) {
        if (std::find(behind.begin(), behind.end(), given->name) == behind.end()) one(*given);
      }
      resignAction();
      for (const std::string_view name : behind) {
        for (const Switch* given : said) {
          if (given->name == name) one(*given);
        }
      }
    });
  }

  void updateRates() {
    if (module_.updateRates.empty()) return;
    if (of2000()) {
      for (const UpdateRate& u : module_.updateRates) {
        report().lost("Update rates", "left out", u.name, u.where.line);
      }
      return;
    }
    table("updateRates", [&] {
      for (const UpdateRate& u : module_.updateRates) {
        // Without an exponent, which is none of a decimal of XML Schema.
        std::array<char, 400> text{};
        const auto end =
            std::to_chars(text.data(), text.data() + text.size(), u.rate, std::chars_format::fixed);
        row("updateRate", {}, u.where.line,
            {{"name", u.name},
             {"rate", std::string(text.data(), end.ptr)},
             {"semantics", u.semantics}});
      }
    });
  }

  void notes() {
    if (module_.notes.empty()) return;
    table("notes", [&] {
      for (const Note& note : module_.notes) {
        if (label(note.label) != note.label) {
          report().guessed("Labels of notes that are numbers", "labels that begin with \"note\"",
                           note.label, note.where.line);
        }
        row("note", {}, note.where.line,
            {{"label", label(note.label)}, {"semantics", note.semantics}});
      }
    });
  }

  const Module& module_;
  const bool fromHla13_;
  XmlDataTypesWriter dataTypes_;
};

}  // namespace

std::string writeXmlModule(const Module& module, Edition edition, LossReport& report) {
  return XmlModuleWriter(module, edition, report).write();
}

}  // namespace tutti::omt
