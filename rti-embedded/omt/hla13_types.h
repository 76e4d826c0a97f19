// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "omt/loss_report.h"
#include "omt/module.h"

namespace tutti::omt {

/// Datatypes of IEEE 1516 in the words of HLA 1.3: base types, enumerated and complex datatypes,
/// and a cardinality where IEEE 1516 has a datatype of its own for an array. The way back of
/// Hla13DataTypes.
class Hla13Types {
 public:
  Hla13Types(const Module& module, LossReport& report);

  /// What stands in a row that uses a datatype.
  struct Use {
    std::string dataType;           ///< empty: none
    std::string cardinality = "1";  ///< "1", "3", "0+", "1-10"
    std::string units;              ///< empty where the datatype has none
    std::string resolution;
    std::string accuracy;
  };
  Use use(const std::string& name);

  /// A complex datatype in place of an array that is the element of another, with one component.
  struct Wrapper {
    std::string name;
    Use element;
  };
  std::vector<Wrapper> takeWrappers();
  /// Says which datatypes have no row of their own and no row that uses them.
  void reportUnused();

 private:
  const DataType* find(const std::string& name) const;
  Use resolve(const std::string& name, int depth);
  Use resolveArray(const DataType& t, int depth, int line);
  Use resolveBasic(const DataType& t, int line);

  const Module& module_;
  LossReport& report_;
  std::unordered_map<std::string, const DataType*> own_;
  std::unordered_map<std::string, const DataType*> ofMim_;
  std::unordered_map<std::string, Use> known_;
  std::unordered_set<std::string> resolving_;
  std::vector<Wrapper> wrappers_;
  std::unordered_set<std::string> wrapped_;
};

/// "[1..10]" as "1-10", "Dynamic" as "0+" or, in an array whose name ends in "1Plus", "1+"; empty
/// where HLA 1.3 has no such cardinality.
std::string hla13CardinalityOf(const DataType& array);

}  // namespace tutti::omt
