// SPDX-License-Identifier: Apache-2.0
#include "omt/edition_2000.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "omt/xml_nodes.h"

namespace tutti::omt {

namespace {

const xmlAttr* attribute(const xmlNode* node, std::string_view name) {
  const xmlAttr* a = node->properties;
  while (a != nullptr && view(a->name) != name) a = a->next;
  return a;
}

bool hasChild(const xmlNode* node, const xmlChar* name) {
  const xmlNode* child = node->children;
  while (child != nullptr && (child->type != XML_ELEMENT_NODE || view(child->name) != view(name))) {
    child = child->next;
  }
  return child != nullptr;
}

/// Attributes that the edition of 2010 has too, and references to notes.
bool staysAttribute(const xmlAttr* a) {
  static constexpr std::array<std::string_view, 4> names{"notes", "idtag", "isEnabled",
                                                         "resignAction"};
  const std::string_view name = view(a->name);
  return a->ns != nullptr || name.ends_with("Notes") ||
         std::find(names.begin(), names.end(), name) != names.end();
}

void addElements(xmlNode* row) {
  for (const xmlAttr* a = row->properties; a != nullptr; a = a->next) {
    if (staysAttribute(a) || a->children == nullptr || hasChild(row, a->name)) continue;
    // What an enumerator stands for has one name here and another one there.
    static constexpr std::array<xmlChar, 6> value{'v', 'a', 'l', 'u', 'e', 0};
    const bool values = view(row->name) == "enumerator" && view(a->name) == "values";
    const xmlChar* name = values ? value.data() : a->name;
    if (xmlNode* added = xmlNewTextChild(row, row->ns, name, a->children->content)) {
      added->line = row->line;
    }
  }
}

}  // namespace

bool isEdition2000(const xmlNode* root) {
  if (attribute(root, "DTDversion") != nullptr) return true;
  for (const xmlNode* table = root->children; table != nullptr; table = table->next) {
    if (table->type != XML_ELEMENT_NODE) continue;
    for (const xmlNode* row = table->children; row != nullptr; row = row->next) {
      const std::string_view name = view(row->name);
      if (name != "objectClass" && name != "interactionClass") continue;
      if (attribute(row, "name") != nullptr) return true;
      // A topmost class that lacks its name; those below it have theirs.
      for (const xmlNode* below = row->children; below != nullptr; below = below->next) {
        if (view(below->name) == name && attribute(below, "name") != nullptr) return true;
      }
    }
  }
  return false;
}

void addElementsOfAttributes(xmlNode* root) {
  for (xmlNode* row = root->children; row != nullptr; row = row->next) {
    if (row->type != XML_ELEMENT_NODE) continue;
    addElements(row);
    addElementsOfAttributes(row);
  }
}

}  // namespace tutti::omt
