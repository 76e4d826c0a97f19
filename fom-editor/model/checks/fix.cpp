// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/checks/fix.h"

#include <functional>

namespace tutti::fomedit {

std::size_t textIdOf(const ModuleSource& source) {
  return std::hash<std::string_view>{}(source.text());
}

Fix makeFix(const QString& label, Splices splices, bool automatic) {
  if (splices.empty()) return {};
  return {label, std::move(splices), 0, automatic};
}

}  // namespace tutti::fomedit
