// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "omt/loss_report.h"
#include "omt/module.h"

namespace tutti::omt {

/// A module as a document of one edition, UTF-8, and what it could not take over.
struct WrittenModule {
  std::string text;
  std::vector<Loss> losses;
};

/// Writes a module in the notation of an edition, the same for the same module. What readModule()
/// maps when it reads an edition is mapped back: a document that was read is written so that it is
/// read as the same module, or a loss says where not. Losses that reading itself has met are no
/// part of them (Module::warnings). Pure; thread-safe.
///
/// XML is in the order that the schema of its edition asks for; what the module does not say and
/// the schema does not need stays out. HLA 1.3 gets no MOM: classes below HLAmanager are left out.
WrittenModule writeModule(const Module& module, Edition edition);

}  // namespace tutti::omt
