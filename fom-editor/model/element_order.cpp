// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/element_order.h"

#include <algorithm>
#include <array>
#include <span>

namespace tutti::fomedit {

namespace {

using Names = std::span<const std::string_view>;

struct Order {
  std::string_view parent;
  Names children;
};

template <std::size_t n>
using List = std::array<std::string_view, n>;

constexpr List<13> objectModel{"modelIdentification",
                               "serviceUtilization",
                               "objects",
                               "interactions",
                               "dimensions",
                               "time",
                               "tags",
                               "synchronizations",
                               "transportations",
                               "switches",
                               "updateRates",
                               "dataTypes",
                               "notes"};
constexpr List<17> modelIdentification{"name",
                                       "type",
                                       "version",
                                       "modificationDate",
                                       "securityClassification",
                                       "copyright",
                                       "releaseRestriction",
                                       "purpose",
                                       "applicationDomain",
                                       "description",
                                       "useLimitation",
                                       "useHistory",
                                       "keyword",
                                       "poc",
                                       "reference",
                                       "other",
                                       "glyph"};
constexpr List<2> keyword{"taxonomy", "keywordValue"};
constexpr List<5> poc{"pocType", "pocName", "pocOrg", "pocTelephone", "pocEmail"};
constexpr List<2> reference{"type", "identification"};
constexpr List<1> objects{"objectClass"};
constexpr List<1> interactions{"interactionClass"};
constexpr List<7> objectClass{"name",      "sharing",   "directedInteraction", "dimensions",
                              "semantics", "attribute", "objectClass"};
constexpr List<2> directedInteraction{"name", "sharing"};
constexpr List<11> attribute{"name",           "dataType",  "updateType", "updateCondition",
                             "valueRequired",  "ownership", "sharing",    "dimensions",
                             "transportation", "order",     "semantics"};
constexpr List<8> interactionClass{"name",  "sharing",   "dimensions", "transportation",
                                   "order", "semantics", "parameter",  "interactionClass"};
constexpr List<3> parameter{"name", "dataType", "semantics"};
constexpr List<1> dimensions{"dimension"};
constexpr List<8> dimension{
    "name",       "dataType",      "inputDataTypes",      "inputDataDescription",
    "upperBound", "normalization", "outputDataSemantics", "value"};
constexpr List<1> inputDataTypes{"dataType"};
constexpr List<4> time{"timeStamp", "logicalTime", "lookahead", "logicalTimeInterval"};
constexpr List<2> typeUse{"dataType", "semantics"};
constexpr List<7> tags{"updateReflectTag",      "sendReceiveTag",           "deleteRemoveTag",
                       "divestitureRequestTag", "divestitureCompletionTag", "acquisitionRequestTag",
                       "requestUpdateTag"};
constexpr List<2> synchronizations{"synchronizationPoint", "synchronization"};
constexpr List<4> synchronizationPoint{"label", "dataType", "capability", "semantics"};
constexpr List<1> transportations{"transportation"};
constexpr List<3> transportation{"name", "reliable", "semantics"};
constexpr List<15> switches{"autoProvide",
                            "conveyRegionDesignatorSets",
                            "conveyProducingFederate",
                            "attributeScopeAdvisory",
                            "attributeRelevanceAdvisory",
                            "objectClassRelevanceAdvisory",
                            "interactionRelevanceAdvisory",
                            "serviceReporting",
                            "exceptionReporting",
                            "delaySubscriptionEvaluation",
                            "nonRegulatedGrant",
                            "automaticResignAction",
                            "allowRelaxedDDM",
                            "advisoriesUseKnownClass",
                            "sendServiceReportsToFile"};
constexpr List<1> updateRates{"updateRate"};
constexpr List<3> updateRate{"name", "rate", "semantics"};
constexpr List<7> dataTypes{"basicDataRepresentations", "simpleDataTypes", "referenceDataTypes",
                            "enumeratedDataTypes",      "arrayDataTypes",  "fixedRecordDataTypes",
                            "variantRecordDataTypes"};
constexpr List<1> basicDataRepresentations{"basicData"};
constexpr List<1> simpleDataTypes{"simpleData"};
constexpr List<1> referenceDataTypes{"referenceDataType"};
constexpr List<1> enumeratedDataTypes{"enumeratedData"};
constexpr List<1> arrayDataTypes{"arrayData"};
constexpr List<1> fixedRecordDataTypes{"fixedRecordData"};
constexpr List<1> variantRecordDataTypes{"variantRecordData"};
constexpr List<5> basicData{"name", "size", "interpretation", "endian", "encoding"};
constexpr List<6> simpleData{"name",       "representation", "units",
                             "resolution", "accuracy",       "semantics"};
constexpr List<5> referenceDataType{"name", "representation", "referenceClass",
                                    "referencedAttribute", "semantics"};
constexpr List<4> enumeratedData{"name", "representation", "semantics", "enumerator"};
constexpr List<2> enumerator{"name", "value"};
constexpr List<5> arrayData{"name", "dataType", "cardinality", "encoding", "semantics"};
constexpr List<4> fixedRecordData{"name", "encoding", "semantics", "field"};
constexpr List<3> field{"name", "dataType", "semantics"};
constexpr List<6> variantRecordData{"name",        "discriminant", "dataType",
                                    "alternative", "encoding",     "semantics"};
constexpr List<4> alternative{"enumerator", "name", "dataType", "semantics"};
constexpr List<1> notes{"note"};
constexpr List<2> note{"label", "semantics"};

constexpr Order orders[] = {{"objectModel", objectModel},
                            {"modelIdentification", modelIdentification},
                            {"keyword", keyword},
                            {"poc", poc},
                            {"reference", reference},
                            {"objects", objects},
                            {"interactions", interactions},
                            {"objectClass", objectClass},
                            {"directedInteraction", directedInteraction},
                            {"attribute", attribute},
                            {"interactionClass", interactionClass},
                            {"parameter", parameter},
                            {"dimensions", dimensions},
                            {"dimension", dimension},
                            {"inputDataTypes", inputDataTypes},
                            {"time", time},
                            {"timeStamp", typeUse},
                            {"logicalTime", typeUse},
                            {"lookahead", typeUse},
                            {"logicalTimeInterval", typeUse},
                            {"tags", tags},
                            {"updateReflectTag", typeUse},
                            {"sendReceiveTag", typeUse},
                            {"deleteRemoveTag", typeUse},
                            {"divestitureRequestTag", typeUse},
                            {"divestitureCompletionTag", typeUse},
                            {"acquisitionRequestTag", typeUse},
                            {"requestUpdateTag", typeUse},
                            {"synchronizations", synchronizations},
                            {"synchronizationPoint", synchronizationPoint},
                            {"synchronization", synchronizationPoint},
                            {"transportations", transportations},
                            {"transportation", transportation},
                            {"switches", switches},
                            {"updateRates", updateRates},
                            {"updateRate", updateRate},
                            {"dataTypes", dataTypes},
                            {"basicDataRepresentations", basicDataRepresentations},
                            {"simpleDataTypes", simpleDataTypes},
                            {"referenceDataTypes", referenceDataTypes},
                            {"enumeratedDataTypes", enumeratedDataTypes},
                            {"arrayDataTypes", arrayDataTypes},
                            {"fixedRecordDataTypes", fixedRecordDataTypes},
                            {"variantRecordDataTypes", variantRecordDataTypes},
                            {"basicData", basicData},
                            {"simpleData", simpleData},
                            {"referenceDataType", referenceDataType},
                            {"enumeratedData", enumeratedData},
                            {"enumerator", enumerator},
                            {"arrayData", arrayData},
                            {"fixedRecordData", fixedRecordData},
                            {"field", field},
                            {"variantRecordData", variantRecordData},
                            {"alternative", alternative},
                            {"notes", notes},
                            {"note", note}};

Names childrenOf(std::string_view parent) {
  for (const Order& order : orders) {
    if (order.parent == parent) return order.children;
  }
  return {};
}

}  // namespace

std::size_t rankIn(std::string_view parent, std::string_view child) {
  const Names names = childrenOf(parent);
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), child) - names.begin());
}

bool isKnownIn(std::string_view parent, std::string_view child) {
  return rankIn(parent, child) < childrenOf(parent).size();
}

std::string_view nameCellOf(std::string_view row, bool of2000) {
  if (row == "synchronizationPoint" || row == "synchronization") return "label";
  return row == "note" && !of2000 ? "label" : "name";
}

std::string_view nameIn2000(std::string_view row, std::string_view cell) {
  if (row == "enumerator" && cell == "value") return "values";
  if (row == "note" && cell == "label") return "name";
  if (row == "transportation" && cell == "semantics") return "description";
  return cell;
}

}  // namespace tutti::fomedit
