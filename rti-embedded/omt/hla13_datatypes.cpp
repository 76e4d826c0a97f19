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

struct BaseType {
  std::string_view name;
  std::uint32_t sizeBits;
};

/// Sizes as in IDL, whose types HLA 1.3 takes over. It says nothing of the order of octets.
constexpr std::array<BaseType, 11> baseTypes{{{"boolean", 8},
                                              {"char", 8},
                                              {"octet", 8},
                                              {"short", 16},
                                              {"unsigned short", 16},
                                              {"long", 32},
                                              {"unsigned long", 32},
                                              {"long long", 64},
                                              {"unsigned long long", 64},
                                              {"float", 32},
                                              {"double", 64}}};

/// A cardinality of HLA 1.3: "3", "0+" or "1+", "1-10".
struct Cardinality {
  bool one = true;
  std::string text;    ///< as in IEEE 1516: "3", "Dynamic", "[1..10]"
  std::string suffix;  ///< of the name of the array
};

bool takeNumber(std::string_view& text, std::string& number) {
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  number = std::to_string(value);
  return true;
}

Cardinality cardinalityOf(std::string_view written) {
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

DataType baseType(const BaseType& base) {
  DataType t;
  t.kind = DataTypeKind::Basic;
  t.name = base.name;
  t.sizeBits = base.sizeBits;
  t.interpretation = "Base type of HLA 1.3, which gives no order of octets";
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

void Hla13DataTypes::define(DataType type) {
  names_.insert(type.name);
  defined_.push_back(std::move(type));
}

std::string Hla13DataTypes::use(const std::string& dataType, std::string_view cardinality,
                                int line) {
  if (meansNothing(dataType)) return {};
  if (usedNames_.insert(dataType).second) used_.push_back(dataType);
  const Cardinality c = cardinalityOf(cardinality);
  if (c.one) return dataType;
  std::string name = dataType;
  std::replace(name.begin(), name.end(), ' ', '_');
  name += "Array" + c.suffix;
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
        addUndefined(baseType({name == "string" ? "char" : "octet", 8}));
      }
    }
    const auto base = std::find_if(baseTypes.begin(), baseTypes.end(),
                                   [&](const BaseType& b) { return b.name == name; });
    if (base != baseTypes.end()) addUndefined(baseType(*base));
  }
  return all;
}

}  // namespace tutti::omt
