// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_template.h"

#include "fom-editor/model/module_edits.h"

namespace tutti::fomedit {

std::string moduleTemplate(const QString& name, const QString& type) {
  // Both roots, so that classes can be added at once; all else the MIM brings.
  const std::string title = escapedText(name.toStdString());
  constexpr std::string_view before = R"(<?xml version="1.0" encoding="UTF-8"?>
<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010">
  <modelIdentification>
    <name>)";
  constexpr std::string_view between = R"(</name>
    <type>)";
  constexpr std::string_view behind = R"(</type>
    <version>1.0</version>
    <securityClassification>Unclassified</securityClassification>
    <description></description>
  </modelIdentification>
  <objects>
    <objectClass>
      <name>HLAobjectRoot</name>
    </objectClass>
  </objects>
  <interactions>
    <interactionClass>
      <name>HLAinteractionRoot</name>
    </interactionClass>
  </interactions>
</objectModel>
)";
  std::string module;
  module.append(before).append(title).append(between);
  module.append(escapedText(type.toStdString())).append(behind);
  return module;
}

}  // namespace tutti::fomedit
