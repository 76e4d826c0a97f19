// SPDX-License-Identifier: Apache-2.0
#include "omt/object_model.h"

#include <algorithm>
#include <utility>

#include "omt/error.h"

namespace tutti::omt {

namespace {

template <typename Index>
std::uint32_t lookUp(const Index& index, std::string_view name) {
  const auto found = index.find(name);
  return found == index.end() ? 0 : found->second;
}

/// A class by its full name, or by its name without the root (IEEE 1516.1-2010, 10.4: both forms).
template <typename Index>
std::uint32_t lookUpClass(const Index& index, std::string_view root, std::string_view name) {
  if (const std::uint32_t handle = lookUp(index, name)) return handle;
  std::string full;
  full.reserve(root.size() + 1 + name.size());
  full.append(root).append(1, '.').append(name);
  return lookUp(index, full);
}

template <typename T>
const T* at(const std::vector<T>& values, std::uint32_t handle) {
  return handle == 0 || handle > values.size() ? nullptr : &values[handle - 1];
}

}  // namespace

const ObjectClass* ObjectModel::findObjectClass(std::string_view name) const {
  return at(objectClasses_, lookUpClass(objectClassIndex_, objectRootName, name));
}

const InteractionClass* ObjectModel::findInteractionClass(std::string_view name) const {
  return at(interactionClasses_, lookUpClass(interactionClassIndex_, interactionRootName, name));
}

namespace {

template <typename Class>
const Class* onlyNamed(const std::vector<Class>& classes, std::string_view name) {
  const Class* found = nullptr;
  for (const Class& c : classes) {
    if (c.name != name) continue;
    if (found != nullptr) return nullptr;
    found = &c;
  }
  return found;
}

}  // namespace

const ObjectClass* ObjectModel::referredObjectClass(std::string_view name) const {
  const ObjectClass* full = findObjectClass(name);
  return full != nullptr ? full : onlyNamed(objectClasses_, name);
}

const InteractionClass* ObjectModel::referredInteractionClass(std::string_view name) const {
  const InteractionClass* full = findInteractionClass(name);
  return full != nullptr ? full : onlyNamed(interactionClasses_, name);
}

const ObjectClass* ObjectModel::objectClass(ObjectClassHandle handle) const {
  return at(objectClasses_, handle);
}

const InteractionClass* ObjectModel::interactionClass(InteractionClassHandle handle) const {
  return at(interactionClasses_, handle);
}

const Attribute* ObjectModel::attribute(AttributeHandle handle) const {
  return at(attributes_, handle);
}

const Parameter* ObjectModel::parameter(ParameterHandle handle) const {
  return at(parameters_, handle);
}

const Attribute* ObjectModel::findAttribute(ObjectClassHandle handle, std::string_view name) const {
  for (const ObjectClass* c = objectClass(handle); c != nullptr; c = objectClass(c->parent)) {
    for (const AttributeHandle own : c->attributes) {
      if (attributes_[own - 1].name == name) return &attributes_[own - 1];
    }
  }
  return nullptr;
}

const Parameter* ObjectModel::findParameter(InteractionClassHandle handle,
                                            std::string_view name) const {
  for (const InteractionClass* c = interactionClass(handle); c != nullptr;
       c = interactionClass(c->parent)) {
    for (const ParameterHandle own : c->parameters) {
      if (parameters_[own - 1].name == name) return &parameters_[own - 1];
    }
  }
  return nullptr;
}

std::vector<const Attribute*> ObjectModel::allAttributes(ObjectClassHandle handle) const {
  std::vector<const ObjectClass*> line;
  for (const ObjectClass* c = objectClass(handle); c != nullptr; c = objectClass(c->parent)) {
    line.push_back(c);
  }
  std::vector<const Attribute*> result;
  for (auto c = line.rbegin(); c != line.rend(); ++c) {
    for (const AttributeHandle own : (*c)->attributes) result.push_back(&attributes_[own - 1]);
  }
  return result;
}

std::vector<const Parameter*> ObjectModel::allParameters(InteractionClassHandle handle) const {
  std::vector<const InteractionClass*> line;
  for (const InteractionClass* c = interactionClass(handle); c != nullptr;
       c = interactionClass(c->parent)) {
    line.push_back(c);
  }
  std::vector<const Parameter*> result;
  for (auto c = line.rbegin(); c != line.rend(); ++c) {
    for (const ParameterHandle own : (*c)->parameters) result.push_back(&parameters_[own - 1]);
  }
  return result;
}

const DataType* ObjectModel::findDataType(std::string_view name) const {
  return at(dataTypes_, lookUp(dataTypeIndex_, name));
}

const Dimension* ObjectModel::findDimension(std::string_view name) const {
  return at(dimensions_, lookUp(dimensionIndex_, name));
}

const Transportation* ObjectModel::findTransportation(std::string_view name) const {
  return at(transportations_, lookUp(transportationIndex_, name));
}

const UpdateRate* ObjectModel::findUpdateRate(std::string_view name) const {
  return at(updateRates_, lookUp(updateRateIndex_, name));
}

const std::string& ObjectModel::fileOf(const SourceLocation& where) const {
  static const std::string none;
  return where.module < modules_.size() ? modules_[where.module].file : none;
}

std::string ObjectModel::placeOf(const SourceLocation& where) const {
  std::string place = fileOf(where);
  if (where.line > 0) place += ':' + std::to_string(where.line);
  return place;
}

std::string_view toText(Sharing value) {
  switch (value) {
    case Sharing::Unspecified:
      return "";
    case Sharing::Publish:
      return "Publish";
    case Sharing::Subscribe:
      return "Subscribe";
    case Sharing::PublishSubscribe:
      return "PublishSubscribe";
    case Sharing::Neither:
      return "Neither";
  }
  return "";
}

std::string_view toText(OrderType value) {
  return value == OrderType::TimeStamp ? "TimeStamp" : "Receive";
}

std::string_view toText(UpdateType value) {
  switch (value) {
    case UpdateType::NotApplicable:
      return "NA";
    case UpdateType::Static:
      return "Static";
    case UpdateType::Periodic:
      return "Periodic";
    case UpdateType::Conditional:
      return "Conditional";
  }
  return "";
}

std::string_view toText(Ownership value) {
  switch (value) {
    case Ownership::NoTransfer:
      return "NoTransfer";
    case Ownership::Divest:
      return "Divest";
    case Ownership::Acquire:
      return "Acquire";
    case Ownership::DivestAcquire:
      return "DivestAcquire";
  }
  return "";
}

std::string_view toText(ResignAction value) {
  switch (value) {
    case ResignAction::UnconditionallyDivestAttributes:
      return "UnconditionallyDivestAttributes";
    case ResignAction::DeleteObjects:
      return "DeleteObjects";
    case ResignAction::CancelPendingOwnershipAcquisitions:
      return "CancelPendingOwnershipAcquisitions";
    case ResignAction::DeleteObjectsThenDivest:
      return "DeleteObjectsThenDivest";
    case ResignAction::CancelThenDeleteThenDivest:
      return "CancelThenDeleteThenDivest";
    case ResignAction::NoAction:
      return "NoAction";
  }
  return "";
}

std::string_view toText(DataTypeKind value) {
  switch (value) {
    case DataTypeKind::Basic:
      return "basic data representation";
    case DataTypeKind::Simple:
      return "simple datatype";
    case DataTypeKind::Enumerated:
      return "enumerated datatype";
    case DataTypeKind::Array:
      return "array datatype";
    case DataTypeKind::FixedRecord:
      return "fixed record datatype";
    case DataTypeKind::VariantRecord:
      return "variant record datatype";
  }
  return "";
}

std::string_view toText(Edition value) {
  switch (value) {
    case Edition::Hla13Fed:
      return "HLA 1.3 FED";
    case Edition::Hla13Omt:
      return "HLA 1.3 OMT";
    case Edition::Ieee2000:
      return "IEEE 1516-2000";
    case Edition::Ieee2010:
      return "IEEE 1516-2010";
    case Edition::Ieee2025:
      return "IEEE 1516-2025";
  }
  return "";
}

void addWarning(std::vector<Error>& warnings, Error warning) {
  if (warnings.size() > maxWarnings) return;
  if (warnings.size() == maxWarnings) {
    warning.message =
        "There are more warnings than the " + std::to_string(maxWarnings) + " that are listed.";
    warning.hint = "Correct those first.";
    warning.otherFile.clear();
    warning.otherLine = 0;
  }
  warnings.push_back(std::move(warning));
}

std::string Error::toText() const {
  std::string text = file;
  if (line > 0) text += ':' + std::to_string(line);
  if (!text.empty()) text += ": ";
  text += message;
  if (!hint.empty()) text += ' ' + hint;
  return text;
}

std::string toText(const Contact& contact) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (part.empty()) return;
    if (!text.empty()) text += ", ";
    text += part;
  };
  add(contact.name);
  add(contact.organization);
  for (const std::string& telephone : contact.telephones) add(telephone);
  for (const std::string& email : contact.emails) add(email);
  return text;
}

}  // namespace tutti::omt
