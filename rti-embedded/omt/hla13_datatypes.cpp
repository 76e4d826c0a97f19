// SPDX-License-Identifier: Apache-2.0
#include "omt/hla13_datatypes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "omt/hla13_reading.h"
#include "omt/text.h"

namespace tutti::omt {

namespace {

constexpr std::string_view baseInterpretation =
    "Base type of HLA 1.3, which gives no order of octets";

bool takeNumber(std::string_view& text, std::string& number) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  number = std::to_string(value);
  return true;
}

DataType baseType(const Hla13BaseType& base) {
  DataType t;
  t.kind = DataTypeKind::Basic;
  t.name = base.name;
  t.sizeBits = base.sizeBits;
  t.interpretation = baseInterpretation;
  return t;
}

DataType arrayOf(std::string name, std::string element, std::string cardinality, int line) {
  DataType t;
  t.kind = DataTypeKind::Array;
  t.name = std::move(name);
  t.elementType = std::move(element);
  t.cardinality = std::move(cardinality);
  t.where.line = line;
  return t;
}

}  // namespace

bool isHla13BaseType(const DataType& type) {
  if (type.kind == DataTypeKind::Array) {
    return type.semantics.empty() && type.encoding.empty() && type.cardinality == "Dynamic" &&
           ((type.name == "string" && type.elementType == "char") ||
            (type.name == "any" && type.elementType == "octet"));
  }
  return type.kind == DataTypeKind::Basic && type.interpretation == baseInterpretation &&
         std::any_of(hla13BaseTypes.begin(), hla13BaseTypes.end(), [&](const Hla13BaseType& base) {
           return base.name == type.name && base.sizeBits == type.sizeBits;
         });
}

Hla13Cardinality hla13Cardinality(std::string_view written) {
  if (meansNothing(written)) return {};
  std::string_view rest = written;
  std::string lower;
  std::string upper;
  if (!takeNumber(rest, lower)) return {false, "Dynamic", "Dynamic"};
  if (rest.starts_with('+')) return {false, "Dynamic", lower + "Plus"};
  if (rest.starts_with('-')) {
    rest.remove_prefix(1);
    if (takeNumber(rest, upper)) {
      return {false, "[" + lower + ".." + upper + "]", lower + "to" + upper};
    }
  }
  if (lower == "1") return {};
  return {false, lower, lower};
}

std::string hla13ArrayName(std::string element, const std::string& suffix) {
  std::replace(element.begin(), element.end(), ' ', '_');
  return element + "Array" + suffix;
}

void Hla13DataTypes::define(DataType type) {
  names_.insert(type.name);
  defined_.push_back(std::move(type));
}

std::string Hla13DataTypes::use(const std::string& dataType, std::string_view cardinality,
                                int line) {
  if (meansNothing(dataType)) return {};
  if (usedNames_.insert(dataType).second) used_.push_back(dataType);
  const Hla13Cardinality c = hla13Cardinality(cardinality);
  if (c.one) return dataType;
  std::string name = hla13ArrayName(dataType, c.suffix);
  if (arrayNames_.insert(name).second) arrays_.push_back(arrayOf(name, dataType, c.text, line));
  return name;
}

std::vector<DataType> Hla13DataTypes::take() {
  std::vector<DataType> all = std::move(defined_);
  const auto addUndefined = [&](DataType type) {
    if (names_.insert(type.name).second) all.push_back(std::move(type));
  };
  for (DataType& array : arrays_) addUndefined(std::move(array));
  for (const std::string& name : used_) {
    // As IDL has them; nothing is said of how their length is encoded.
    if (name == "string" || name == "any") {
      const std::string element = name == "string" ? "char" : "octet";
      addUndefined(arrayOf(name, element, "Dynamic", 0));
      if (usedNames_.insert(element).second) {
        addUndefined(baseType(hla13BaseTypes[name == "string" ? 1 : 2]));
      }
    }
    const auto base =
        std::find_if(hla13BaseTypes.begin(), hla13BaseTypes.end(),
                     [&](const Hla13BaseType& b) { return b.name == name && b.sizeBits > 0; });
    if (base != hla13BaseTypes.end()) addUndefined(baseType(*base));
  }
  return all;
}

}  // namespace tutti::omt
