// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "omt/object_model.h"

namespace tutti::omt {

/// A base type of HLA 1.3, with what comes nearest to it in IEEE 1516.
struct Hla13BaseType {
  std::string_view name;      ///< of IDL: "unsigned short"
  std::uint32_t sizeBits;     ///< 0: an array of no fixed length
  std::string_view ieeeName;  ///< in the standard MIM, or where that has none, a name made for it
  bool inMim;
};

/// Sizes as in IDL, whose types HLA 1.3 takes over. It says nothing of the order of octets.
inline constexpr std::array<Hla13BaseType, 13> hla13BaseTypes{
    {{"boolean", 8, "HLAboolean", true},
     {"char", 8, "HLAASCIIchar", true},
     {"octet", 8, "HLAoctet", true},
     {"short", 16, "HLAinteger16BE", true},
     {"unsigned short", 16, "UnsignedInteger16BE", false},
     {"long", 32, "HLAinteger32BE", true},
     {"unsigned long", 32, "UnsignedInteger32BE", false},
     {"long long", 64, "HLAinteger64BE", true},
     {"unsigned long long", 64, "UnsignedInteger64BE", false},
     {"float", 32, "HLAfloat32BE", true},
     {"double", 64, "HLAfloat64BE", true},
     {"string", 0, "HLAASCIIstring", true},
     {"any", 0, "HLAopaqueData", true}}};

/// What a reader of HLA 1.3 gives a base type that a module uses.
bool isHla13BaseType(const DataType& type);

/// A cardinality of HLA 1.3: "3", "0+" or "1+", "1-10".
struct Hla13Cardinality {
  bool one = true;
  std::string text;    ///< as in IEEE 1516: "3", "Dynamic", "[1..10]"
  std::string suffix;  ///< of the name of the array
};
Hla13Cardinality hla13Cardinality(std::string_view written);
/// "octetArray3" of "octet" and the suffix "3".
std::string hla13ArrayName(std::string element, const std::string& suffix);

/// Datatypes that a module of HLA 1.3 uses without defining them. There a row has a datatype and a
/// cardinality; from IEEE 1516 on an array is a datatype with a name. And the base types of HLA 1.3
/// (those of IDL, such as "unsigned short") need no definition.
class Hla13DataTypes {
 public:
  /// A row of its datatype table.
  void define(DataType type);
  /// The datatype of an attribute, parameter or field with that datatype and cardinality:
  /// "octet" and "3" make "octetArray3". Empty where the row has none.
  std::string use(const std::string& dataType, std::string_view cardinality, int line);
  /// All that were defined, then the arrays and base types that were used and not defined.
  std::vector<DataType> take();

 private:
  std::vector<DataType> defined_;
  std::vector<DataType> arrays_;
  std::unordered_set<std::string> names_;       ///< of defined_
  std::unordered_set<std::string> arrayNames_;  ///< of arrays_
  std::vector<std::string> used_;
  std::unordered_set<std::string> usedNames_;
};

}  // namespace tutti::omt
