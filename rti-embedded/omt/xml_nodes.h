// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libxml/tree.h>

#include <string>
#include <string_view>

#include "omt/text.h"

/// What readers ask of the elements of an XML document.
namespace tutti::omt {

inline std::string_view view(const xmlChar* text) {
  if (text == nullptr) return {};
  return {static_cast<const char*>(static_cast<const void*>(text))};
}

inline std::string_view nameOf(const xmlNode* node) { return view(node->name); }

inline int lineOf(const xmlNode* node) {
  const long line = xmlGetLineNo(node);
  return line > 0 ? static_cast<int>(line) : 0;
}

/// The text directly below an element. Entity references stay unexpanded, so they add nothing.
inline std::string rawText(const xmlNode* node) {
  std::string text;
  for (const xmlNode* child = node->children; child != nullptr; child = child->next) {
    if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE) {
      text += view(child->content);
    }
  }
  return text;
}

inline std::string token(const xmlNode* node) { return collapsed(rawText(node)); }
inline std::string prose(const xmlNode* node) { return trimmed(rawText(node)); }

/// "NA" stands for an empty cell of the OMT tables.
inline std::string tokenOrEmpty(const xmlNode* node) {
  std::string text = token(node);
  if (text == "NA" || text == "N/A") text.clear();
  return text;
}

inline std::string attributeOf(const xmlNode* node, std::string_view name) {
  for (const xmlAttr* a = node->properties; a != nullptr; a = a->next) {
    if (view(a->name) == name && a->children != nullptr) {
      return collapsed(view(a->children->content));
    }
  }
  return {};
}

/// Range of an element's child elements.
class Children {
 public:
  explicit Children(const xmlNode* parent) : first_(parent->children) {}
  class Iterator {
   public:
    explicit Iterator(const xmlNode* node) : node_(skip(node)) {}
    const xmlNode* operator*() const { return node_; }
    Iterator& operator++() {
      node_ = skip(node_->next);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return node_ != other.node_; }

   private:
    static const xmlNode* skip(const xmlNode* node) {
      while (node != nullptr && node->type != XML_ELEMENT_NODE) node = node->next;
      return node;
    }
    const xmlNode* node_;
  };
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }

 private:
  const xmlNode* first_;
};

/// The text of the first child element of that name; empty: there is none.
inline std::string childToken(const xmlNode* parent, std::string_view name) {
  for (const xmlNode* child : Children(parent)) {
    if (nameOf(child) == name) return token(child);
  }
  return {};
}

}  // namespace tutti::omt
