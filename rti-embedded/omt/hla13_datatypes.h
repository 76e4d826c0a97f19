// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "omt/object_model.h"

namespace tutti::omt {

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
