// SPDX-License-Identifier: Apache-2.0
#include "omt/model_writer.h"

#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "omt/xml_output.h"

namespace tutti::omt {
namespace {

class Writer {
 public:
  explicit Writer(const ObjectModel& model) : model_(model) {}

  std::string write() {
    {
      const Element identification(*this, "modelIdentification");
      element("name", "Current FDD");
      element("type", "FOM");
      element("version", "1.0");
      element("description", "The modules of a federation execution, merged.");
    }
    section("objects", [&] { objectClass(objectRootHandle); });
    section("interactions", [&] { interactionClass(interactionRootHandle); });
    section("dimensions", [&] {
      for (const Dimension& d : model_.dimensions()) dimension(d);
    });
    section("time", [&] {
      typeUse("timeStamp", model_.timeStamp());
      typeUse("lookahead", model_.lookahead());
    });
    tags();
    section("synchronizations", [&] {
      for (const SynchronizationPoint& p : model_.synchronizationPoints()) {
        const Element row(*this, "synchronizationPoint");
        element("label", p.label);
        optional("dataType", p.dataType);
        optional("capability", p.capability);
        optional("semantics", p.semantics);
      }
    });
    section("transportations", [&] {
      for (const Transportation& t : model_.transportations()) {
        const Element row(*this, "transportation");
        element("name", t.name);
        element("reliable", t.reliable ? "Yes" : "No");
        optional("semantics", t.semantics);
      }
    });
    switches();
    section("updateRates", [&] {
      for (const UpdateRate& u : model_.updateRates()) {
        const Element row(*this, "updateRate");
        element("name", u.name);
        std::array<char, 32> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), u.rate);
        element("rate",
                std::string_view(text.data(), static_cast<std::size_t>(end.ptr - text.data())));
        optional("semantics", u.semantics);
      }
    });
    section("dataTypes", [&] { dataTypes(); });
    section("notes", [&] {
      for (const Note& note : model_.notes()) {
        const Element row(*this, "note");
        element("label", note.label);
        optional("semantics", note.semantics);
      }
    });
    xml_.raw("</objectModel>\n");
    return xml_.take();
  }

 private:
  class Element : public XmlOutput::Element {
   public:
    Element(Writer& writer, std::string_view name, std::string_view notes = {})
        : XmlOutput::Element(writer.xml_, name, "notes", notes) {}
  };

  void element(std::string_view name, std::string_view text) { xml_.element(name, text); }
  void optional(std::string_view name, std::string_view text) { xml_.optional(name, text); }
  template <class Content>
  void section(std::string_view name, Content&& content) {
    const Element open(*this, name);
    content();
  }
  void dimensions(const std::vector<std::string>& names) {
    if (names.empty()) return;
    const Element open(*this, "dimensions");
    for (const std::string& name : names) element("dimension", name);
  }
  void sharing(Sharing value) {
    if (value != Sharing::Unspecified) element("sharing", toText(value));
  }

  void objectClass(ObjectClassHandle handle) {
    const ObjectClass& c = *model_.objectClass(handle);
    const Element open(*this, "objectClass", c.notes);
    element("name", c.name);
    sharing(c.sharing);
    optional("semantics", c.semantics);
    for (const AttributeHandle own : c.attributes) {
      const Attribute& a = *model_.attribute(own);
      const Element row(*this, "attribute", a.notes);
      element("name", a.name);
      optional("dataType", a.dataType);
      element("updateType",
              a.updateType == UpdateType::NotApplicable ? "NA" : toText(a.updateType));
      optional("updateCondition", a.updateCondition);
      element("ownership", toText(a.ownership));
      sharing(a.sharing);
      dimensions(a.dimensions);
      optional("transportation", a.transportation);
      element("order", toText(a.order));
      optional("semantics", a.semantics);
    }
    for (const ObjectClassHandle subclass : c.subclasses) objectClass(subclass);
  }

  void interactionClass(InteractionClassHandle handle) {
    const InteractionClass& c = *model_.interactionClass(handle);
    const Element open(*this, "interactionClass", c.notes);
    element("name", c.name);
    sharing(c.sharing);
    dimensions(c.dimensions);
    optional("transportation", c.transportation);
    element("order", toText(c.order));
    optional("semantics", c.semantics);
    for (const ParameterHandle own : c.parameters) {
      const Parameter& p = *model_.parameter(own);
      const Element row(*this, "parameter", p.notes);
      element("name", p.name);
      optional("dataType", p.dataType);
      optional("semantics", p.semantics);
    }
    for (const InteractionClassHandle subclass : c.subclasses) interactionClass(subclass);
  }

  void dimension(const Dimension& d) {
    const Element row(*this, "dimension");
    element("name", d.name);
    optional("dataType", d.dataType);
    if (d.upperBound) element("upperBound", std::to_string(*d.upperBound));
    optional("normalization", d.normalization);
    optional("value", d.defaultValue);
  }

  void typeUse(std::string_view name, const TypeUse& use) {
    if (use.dataType.empty() && use.semantics.empty()) return;
    const Element row(*this, name);
    element("dataType", use.dataType.empty() ? "NA" : use.dataType);
    optional("semantics", use.semantics);
  }

  void tags() {
    const UserTags& tags = model_.userTags();
    const Element open(*this, "tags");
    typeUse("updateReflectTag", tags.updateReflect);
    typeUse("sendReceiveTag", tags.sendReceive);
    typeUse("deleteRemoveTag", tags.deleteRemove);
    typeUse("divestitureRequestTag", tags.divestitureRequest);
    typeUse("divestitureCompletionTag", tags.divestitureCompletion);
    typeUse("acquisitionRequestTag", tags.acquisitionRequest);
    typeUse("requestUpdateTag", tags.requestUpdate);
  }

  void switches() {
    const Switches& s = model_.switches();
    const std::array<std::pair<std::string_view, bool>, 10> rows{
        {{"autoProvide", s.autoProvide},
         {"conveyRegionDesignatorSets", s.conveyRegionDesignatorSets},
         {"conveyProducingFederate", s.conveyProducingFederate},
         {"attributeScopeAdvisory", s.attributeScopeAdvisory},
         {"attributeRelevanceAdvisory", s.attributeRelevanceAdvisory},
         {"objectClassRelevanceAdvisory", s.objectClassRelevanceAdvisory},
         {"interactionRelevanceAdvisory", s.interactionRelevanceAdvisory},
         {"serviceReporting", s.serviceReporting},
         {"exceptionReporting", s.exceptionReporting},
         {"delaySubscriptionEvaluation", s.delaySubscriptionEvaluation}}};
    const Element open(*this, "switches");
    for (const auto& [name, enabled] : rows) {
      xml_.begin(name);
      xml_.attribute("isEnabled", enabled ? "true" : "false");
      xml_.raw("/>\n");
    }
    xml_.begin("automaticResignAction");
    xml_.attribute("resignAction", toText(s.automaticResignAction));
    xml_.raw("/>\n");
  }

  void dataTypes() {
    using Kind = DataTypeKind;
    constexpr std::array<std::pair<Kind, std::pair<std::string_view, std::string_view>>, 6> tables{
        {{Kind::Basic, {"basicDataRepresentations", "basicData"}},
         {Kind::Simple, {"simpleDataTypes", "simpleData"}},
         {Kind::Enumerated, {"enumeratedDataTypes", "enumeratedData"}},
         {Kind::Array, {"arrayDataTypes", "arrayData"}},
         {Kind::FixedRecord, {"fixedRecordDataTypes", "fixedRecordData"}},
         {Kind::VariantRecord, {"variantRecordDataTypes", "variantRecordData"}}}};
    for (const auto& [kind, names] : tables) {
      const Element table(*this, names.first);
      for (const DataType& type : model_.dataTypes()) {
        if (type.kind == kind) dataType(names.second, type);
      }
    }
  }

  void dataType(std::string_view rowName, const DataType& t) {
    const Element row(*this, rowName, t.notes);
    element("name", t.name);
    if (t.kind == DataTypeKind::Basic) {
      element("size", std::to_string(t.sizeBits));
      optional("interpretation", t.interpretation);
      element("endian", t.bigEndian ? "Big" : "Little");
    }
    optional("representation", t.representation);
    optional("units", t.units);
    optional("resolution", t.resolution);
    optional("accuracy", t.accuracy);
    optional("discriminant", t.discriminant);
    optional("dataType",
             t.kind == DataTypeKind::VariantRecord ? t.discriminantType : t.elementType);
    optional("cardinality", t.cardinality);
    for (const Enumerator& e : t.enumerators) {
      const Element open(*this, "enumerator");
      element("name", e.name);
      for (const std::string& value : e.values) element("value", value);
    }
    for (const RecordField& f : t.fields) {
      const Element open(*this, "field");
      element("name", f.name);
      element("dataType", f.dataType);
      optional("semantics", f.semantics);
    }
    for (const VariantAlternative& v : t.alternatives) {
      const Element open(*this, "alternative");
      element("enumerator", v.enumerators);
      element("name", v.name.empty() ? "NA" : v.name);
      element("dataType", v.dataType.empty() ? "NA" : v.dataType);
      optional("semantics", v.semantics);
    }
    optional("encoding", t.encoding);
    optional("semantics", t.semantics);
  }

  const ObjectModel& model_;
  XmlOutput xml_{
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">\n"};
};

}  // namespace

std::string writeModel(const ObjectModel& model) { return Writer(model).write(); }

}  // namespace tutti::omt
