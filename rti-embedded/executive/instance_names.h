// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/layout.h"

namespace tutti::executive {

/// The object instance names of a federation execution that are reserved or in use (IEEE
/// 1516.1-2010, 6.2 to 6.7). Names that the RTI generates are not among them.
class InstanceNames {
 public:
  /// Those of `names` that are taken; each once.
  std::vector<std::string> taken(const std::vector<std::string>& names) const;
  void reserve(fabric::FederateNumber federate, const std::vector<std::string>& names);

  /// The first of `names` that `federate` does not hold; null when it holds all.
  const std::string* notHeld(fabric::FederateNumber federate,
                             const std::vector<std::string>& names) const;
  void release(const std::vector<std::string>& names);

  /// The federate has left: its names are free, but for those in `inUse` by instances that stay.
  void left(fabric::FederateNumber federate, const std::set<std::string>& inUse);

  /// All names and who holds them; 0: an instance that nobody owns.
  const std::unordered_map<std::string, fabric::FederateNumber>& all() const { return holders_; }

  bool contains(const std::string& name) const { return holders_.contains(name); }

 private:
  std::unordered_map<std::string, fabric::FederateNumber> holders_;  ///< 0: an adopted instance
  std::unordered_map<fabric::FederateNumber, std::set<std::string>>
      held_;  ///< the same, by federate
};

}  // namespace tutti::executive
