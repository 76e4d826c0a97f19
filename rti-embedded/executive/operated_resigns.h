// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fabric/protocol_mom.h"
#include "fabric/protocol_save.h"

namespace tutti::executive {

/// Which federates an operator has had resign, and what came of it: the last time for each
/// federation execution. It outlives the execution, which ends with its last federate.
class OperatedResigns {
 public:
  static constexpr std::size_t mostFederations =
      64;  ///< The one asked for longest ago is forgotten.

  /// `execution` counts those of a node: one of the same name that comes later is another.
  void begin(const std::string& federation, std::uint64_t execution,
             std::vector<fabric::ResignPart> parts);
  /// `state`: what has become of a federate. Nothing happens unless it was awaited, or had refused
  /// and now leaves.
  void note(const std::string& federation, std::uint64_t execution, fabric::FederateNumber federate,
            fabric::ResignState state, const std::string& why = {});
  /// The execution was restored: it has another number from now on, and its federates, too.
  void restored(const std::string& federation, std::uint64_t before, std::uint64_t after,
                const std::vector<fabric::RestoredIdentity>& identities);
  fabric::ResignsReply of(const std::string& federation) const;

 private:
  struct Operation {
    std::uint64_t number = 0;
    std::uint64_t execution = 0;
    std::vector<fabric::ResignPart> parts;
  };
  std::map<std::string, Operation> last_;
  std::uint64_t count_ = 0;
};

}  // namespace tutti::executive
