// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/checks/schema_validation.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlschemas.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "fom-editor/model/checks/embedded_schemas.h"

namespace tutti::fomedit {

namespace {

template <auto release>
struct Release {
  template <typename T>
  void operator()(T* object) const {
    release(object);
  }
};
using Document = std::unique_ptr<xmlDoc, Release<xmlFreeDoc>>;
using ParsedSchema = std::unique_ptr<xmlSchema, Release<xmlSchemaFree>>;
using SchemaParser = std::unique_ptr<xmlSchemaParserCtxt, Release<xmlSchemaFreeParserCtxt>>;
using Validator = std::unique_ptr<xmlSchemaValidCtxt, Release<xmlSchemaFreeValidCtxt>>;

std::string_view view(const xmlChar* text) {
  if (text == nullptr) return {};
  return static_cast<const char*>(static_cast<const void*>(text));
}

/// Neither the network, nor another file, nor entities.
constexpr int parseOptions = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;

/// Parsed at the first use and kept for the life of the process.
xmlSchema* parsedSchema(Schema schema) {
  static std::array<ParsedSchema, 4> parsed;
  ParsedSchema& one = parsed[static_cast<std::size_t>(schema)];
  if (one != nullptr) return one.get();
  const std::string_view text = embeddedSchema(schema);
  const SchemaParser parser(xmlSchemaNewMemParserCtxt(text.data(), static_cast<int>(text.size())));
  if (parser != nullptr) one.reset(xmlSchemaParse(parser.get()));
  return one.get();
}

/// The elements of a document in the order of ModuleSource::elements(). A validator tells of some
/// errors only the line: each node gets a number there by which its element is found again.
class Nodes {
 public:
  explicit Nodes(xmlDoc* document) {
    const xmlNode* root = xmlDocGetRootElement(document);
    xmlNode* node = xmlDocGetRootElement(document);
    while (node != nullptr) {
      if (node->type == XML_ELEMENT_NODE) {
        node->line = static_cast<unsigned short>(1 + nodes_.size() % lineNumbers);
        nodes_.push_back(node);
      }
      if (node->type == XML_ELEMENT_NODE && node->children != nullptr) {
        node = node->children;
        continue;
      }
      while (node != root && node->next == nullptr) node = node->parent;
      node = node == root ? nullptr : node->next;
    }
    ids_.reserve(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      ids_.emplace(nodes_[i], static_cast<ElementId>(i));
    }
  }

  std::size_t count() const { return nodes_.size(); }

  ElementId idOf(const xmlNode* node) const {
    while (node != nullptr && node->type != XML_ELEMENT_NODE) node = node->parent;
    const auto found = ids_.find(node);
    return found == ids_.end() ? noElement : found->second;
  }

  /// The element that was numbered so, has that name and, unless empty, that text.
  ElementId numbered(int number, std::string_view name, std::string_view text,
                     const ModuleSource& source) const {
    ElementId named = noElement;
    for (std::size_t i = number > 0 ? static_cast<std::size_t>(number) - 1 : nodes_.size();
         i < nodes_.size(); i += lineNumbers) {
      const auto id = static_cast<ElementId>(i);
      if (source.nameOf(id) != name) continue;
      if (named == noElement) named = id;
      if (text.empty() || source.rawText(id).find(text) != std::string::npos) return id;
    }
    return named;
  }

  /// A namespace for all elements that have that of the root.
  void setNamespace(xmlDoc* document, std::string_view address) const {
    xmlNode* root = xmlDocGetRootElement(document);
    if (root == nullptr || (root->ns != nullptr && view(root->ns->href) == address)) return;
    const std::string name(address);
    const auto* href = static_cast<const xmlChar*>(static_cast<const void*>(name.c_str()));
    const std::string before(root->ns == nullptr ? std::string_view() : view(root->ns->href));
    xmlNs* ns =
        xmlNewNs(root, href, static_cast<const xmlChar*>(static_cast<const void*>("tutti")));
    if (ns == nullptr) return;
    for (xmlNode* node : nodes_) {
      if (node->ns == nullptr ? before.empty() : view(node->ns->href) == before) node->ns = ns;
    }
  }

 private:
  static constexpr std::size_t lineNumbers = 65'000;  ///< fewer than xmlNode::line holds

  std::vector<xmlNode*> nodes_;
  std::unordered_map<const xmlNode*, ElementId> ids_;
};

/// "{http://...}name" becomes "name".
std::string withoutNamespaces(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t open = text.find("{http");
    result += text.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) {
      result += text.substr(open);
      break;
    }
    text.remove_prefix(close + 1);
  }
  while (!result.empty() && (result.back() == '\n' || result.back() == ' ')) result.pop_back();
  return result;
}

/// What stands between two marks, behind a place; empty: nothing.
std::string_view between(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t begin = text.find(open);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + open.size());
  const std::size_t end = text.find(close);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

std::vector<std::string> listed(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(", "), list.size());
    std::string_view word = list.substr(0, comma);
    while (!word.empty() && (word.front() == ' ' || word.front() == '\'')) word.remove_prefix(1);
    while (!word.empty() && (word.back() == ' ' || word.back() == '\'')) word.remove_suffix(1);
    if (!word.empty() && word.front() != '#') words.emplace_back(word);
    list.remove_prefix(std::min(comma + 2, list.size()));
  }
  return words;
}

SchemaError::Kind kindOf(int code) {
  switch (code) {
    case XML_SCHEMAV_ELEMENT_CONTENT:
      return SchemaError::Kind::Content;
    case XML_SCHEMAV_CVC_COMPLEX_TYPE_2_3:
      return SchemaError::Kind::Text;
    case XML_SCHEMAV_CVC_COMPLEX_TYPE_3_1:
    case XML_SCHEMAV_CVC_COMPLEX_TYPE_3_2_1:
    case XML_SCHEMAV_CVC_COMPLEX_TYPE_3_2_2:
    case XML_SCHEMAV_CVC_COMPLEX_TYPE_4:
    case XML_SCHEMAV_CVC_TYPE_3_1_1:
      return SchemaError::Kind::Attribute;
    default:
      break;
  }
  if (code >= XML_SCHEMAV_CVC_DATATYPE_VALID_1_2_1 && code <= XML_SCHEMAV_CVC_ENUMERATION_VALID) {
    return SchemaError::Kind::Value;
  }
  return SchemaError::Kind::Other;
}

struct Collector {
  const ModuleSource& source;
  const Nodes& nodes;
  std::vector<SchemaError> errors;

#if LIBXML_VERSION >= 21200
  static void take(void* data, const xmlError* error){
#else
  static void take(void* data, xmlError* error) {
#endif
      static_cast<Collector*>(data)->add(*error);
}

  void add(const xmlError& error) {
  if (errors.size() >= maxSchemaErrors) return;
  SchemaError e;
  e.message = withoutNamespaces(error.message == nullptr ? "" : error.message);
  const std::string_view message = e.message;
  const std::string_view element = between(message, "Element '", "'");
  const std::string_view attribute = between(message, "attribute '", "'");
  e.kind = kindOf(error.code);
  if (error.code == XML_SCHEMAV_CVC_IDC) {
    const std::string_view key = between(message, "key-sequence ['", "']");
    e.key = key;
    e.kind = message.find("keyref") != std::string_view::npos      ? SchemaError::Kind::Reference
             : message.find("Duplicate") != std::string_view::npos ? SchemaError::Kind::Duplicate
                                                                   : SchemaError::Kind::Other;
    e.element = error.node != nullptr ? nodes.idOf(static_cast<const xmlNode*>(error.node))
                                      : nodes.numbered(error.line, element, key, source);
    errors.push_back(std::move(e));
    return;
  }
  e.element = error.node != nullptr ? nodes.idOf(static_cast<const xmlNode*>(error.node))
                                    : nodes.numbered(error.line, element, {}, source);
  if (!attribute.empty()) {
    e.kind = SchemaError::Kind::Attribute;
    e.key = attribute;
  }
  if (e.kind == SchemaError::Kind::Attribute && e.key.empty()) {
    e.key = between(message, "The attribute '", "'");
  }
  if (e.kind == SchemaError::Kind::Content) {
    e.missing = message.find("Missing child") != std::string_view::npos;
    e.expected = listed(between(message, "( ", " )"));
  }
  if (e.kind == SchemaError::Kind::Value) {
    e.expected = listed(between(message, "the set {", "}"));
    e.type = between(message, "type '", "'");
    // The facet comes first and says more.
    if (!errors.empty() && errors.back().element == e.element &&
        errors.back().kind == SchemaError::Kind::Value) {
      return;
    }
  }
  errors.push_back(std::move(e));
}
};  // namespace

}  // namespace tutti::fomedit

std::optional<Schema> schemaOf(omt::Edition edition, bool complete) {
  if (edition == omt::Edition::Ieee2010) return complete ? Schema::Omt2010 : Schema::Dif2010;
  if (edition == omt::Edition::Ieee2025) return complete ? Schema::Omt2025 : Schema::Dif2025;
  return std::nullopt;
}

std::string_view schemaName(Schema schema) {
  switch (schema) {
    case Schema::Dif2010:
      return "DIF schema of IEEE 1516.2-2010";
    case Schema::Omt2010:
      return "OMT schema of IEEE 1516.2-2010";
    case Schema::Dif2025:
      return "DIF schema of IEEE 1516.2-2025";
    case Schema::Omt2025:
      return "OMT schema of IEEE 1516.2-2025";
  }
  return {};
}

std::string_view namespaceOf(Schema schema) {
  return schema == Schema::Dif2010 || schema == Schema::Omt2010
             ? "http://standards.ieee.org/IEEE1516-2010"
             : "http://standards.ieee.org/IEEE1516-2025";
}

tl::expected<std::vector<SchemaError>, std::string> validate(const ModuleSource& source,
                                                             Schema schema) {
  // A schema is shared by all validations, and libxml2 does not promise that it only reads it.
  static std::mutex one;
  const std::lock_guard guard(one);
  const std::string_view text = source.text();
  if (text.size() > maxValidatedBytes) {
    return tl::unexpected(std::string("The module is larger than 16 MiB and is not validated."));
  }
  xmlInitParser();
  const Document document(
      xmlReadMemory(text.data(), static_cast<int>(text.size()), nullptr, "UTF-8", parseOptions));
  if (document == nullptr)
    return tl::unexpected(std::string("The module cannot be parsed for its validation."));
  Nodes nodes(document.get());
  if (nodes.count() != source.elements().size()) {
    return tl::unexpected(
        std::string("The elements of the module cannot be told apart for its validation."));
  }
  nodes.setNamespace(document.get(), namespaceOf(schema));
  xmlSchema* parsed = parsedSchema(schema);
  if (parsed == nullptr) return tl::unexpected(std::string("The schema cannot be read."));
  const Validator validator(xmlSchemaNewValidCtxt(parsed));
  if (validator == nullptr)
    return tl::unexpected(std::string("There is not enough memory for a validation."));
  Collector collector{source, nodes, {}};
  xmlSchemaSetValidStructuredErrors(validator.get(), &Collector::take, &collector);
  if (xmlSchemaValidateDoc(validator.get(), document.get()) < 0) {
    return tl::unexpected(std::string("The validation was not finished."));
  }
  return std::move(collector.errors);
}

}  // namespace tutti::fomedit
