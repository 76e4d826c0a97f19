// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "executive/model_source.h"

namespace tutti::node {

/// Reads and merges object model modules for the executive (IEEE 1516.1-2010, 4.5 and 4.9). A
/// module whose content is in the model already is not read again: many federates join with the
/// same one.
class FomModelSource final : public executive::ModelSource {
 public:
  executive::Answer<std::shared_ptr<const executive::FederationModel>> create(
      const std::vector<fabric::ModuleBytes>& modules,
      const std::vector<fabric::ModuleBytes>& mim) override;
};

}  // namespace tutti::node
