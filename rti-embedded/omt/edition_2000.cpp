// SPDX-License-Identifier: Apache-2.0
#include "omt/edition_2000.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "omt/object_model.h"
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

/// What an editor has left of the template, where a value of the DTD's type belongs.
bool isPlaceholder(const xmlAttr* a) {
  const std::string_view value = a->children != nullptr ? view(a->children->content) : "";
  return value == "nmtoken" || value == "nmtokens";
}

void addElements(xmlNode* row) {
  for (const xmlAttr* a = row->properties; a != nullptr; a = a->next) {
    if (staysAttribute(a) || a->children == nullptr || hasChild(row, a->name)) continue;
    if (isPlaceholder(a)) continue;
    // What an enumerator stands for has one name here and another one there.
    static constexpr std::array<xmlChar, 6> value{'v', 'a', 'l', 'u', 'e', 0};
    const bool values = view(row->name) == "enumerator" && view(a->name) == "values";
    const xmlChar* name = values ? value.data() : a->name;
    if (xmlNode* added = xmlNewTextChild(row, row->ns, name, a->children->content)) {
      added->line = row->line;
    }
  }
}

const xmlChar* chars(const char* text) {
  return static_cast<const xmlChar*>(static_cast<const void*>(text));
}

/// Gives a row an element with that text, unless it has one.
void addElement(xmlNode* row, const char* name, const std::string& text) {
  if (hasChild(row, chars(name))) return;
  if (xmlNode* added = xmlNewTextChild(row, row->ns, chars(name), chars(text.c_str()))) {
    added->line = row->line;
  }
}

/// Each cell may refer to notes, as in nameNotes="n1"; from 2010 on a row does for all of them.
void gatherNotes(xmlNode* row) {
  if (attribute(row, "notes") != nullptr) return;
  std::string labels;
  for (const xmlAttr* a = row->properties; a != nullptr; a = a->next) {
    if (!view(a->name).ends_with("Notes") || a->children == nullptr || isPlaceholder(a)) continue;
    const std::string more = collapsed(view(a->children->content));
    if (!labels.empty() && !more.empty()) labels += ' ';
    labels += more;
  }
  if (!labels.empty()) xmlNewProp(row, chars("notes"), chars(labels.c_str()));
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

void renameCellsOf2000(xmlNode* root) {
  for (xmlNode* row = root->children; row != nullptr; row = row->next) {
    if (row->type != XML_ELEMENT_NODE) continue;
    gatherNotes(row);
    const std::string_view name = view(row->name);
    if (name == "note") addElement(row, "label", childToken(row, "name"));
    if (name == "transportation") {
      addElement(row, "semantics", childToken(row, "description"));
      // The standard's own two are known; others are taken as reliable.
      if (childToken(row, "name") == bestEffortName) addElement(row, "reliable", "No");
    }
    renameCellsOf2000(row);
  }
}

}  // namespace tutti::omt
