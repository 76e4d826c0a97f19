// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "fom-editor/model/module_source.h"
#include "omt/object_model.h"

namespace tutti::fomedit {

/// The XML schemas of an edition: of models that may be incomplete, and of complete ones.
enum class Schema : std::uint8_t { Dif2010, Omt2010, Dif2025, Omt2025 };

/// Absent for editions without a schema. `complete`: the OMT schema, else the DIF schema.
std::optional<Schema> schemaOf(omt::Edition edition, bool complete);
/// "DIF schema of IEEE 1516.2-2010".
std::string_view schemaName(Schema schema);
/// "http://standards.ieee.org/IEEE1516-2010".
std::string_view namespaceOf(Schema schema);

/// What a schema has against a module.
struct SchemaError {
  enum class Kind : std::uint8_t {
    Content,    ///< child elements: missing, unexpected or out of order
    Text,       ///< text between elements
    Value,      ///< the text of an element
    Attribute,  ///< an XML attribute
    Reference,  ///< a name that is not defined in the module
    Duplicate,  ///< a name that is defined twice in the module
    Other
  };
  Kind kind = Kind::Other;
  ElementId element = noElement;      ///< noElement: not known
  std::string message;                ///< as libxml2 says it, without namespaces
  std::vector<std::string> expected;  ///< Content: elements that may stand here; Value: the values
  bool missing = false;  ///< Content: the element lacks one of `expected`; else it is unexpected
  std::string key;       ///< Reference and Duplicate: the name; Attribute: of the attribute
  std::string type;      ///< Value: the type that it is no value of, "xs:NCName"; may be empty
};

/// The largest module that is validated, in bytes: what libxml2 builds of it in memory is some ten
/// times as much.
inline constexpr std::size_t maxValidatedBytes = std::size_t{16} << 20;
/// Errors that are kept of a module; libxml2 reports no second one of the children of an element.
inline constexpr std::size_t maxSchemaErrors = 1000;

/// Validates a module with libxml2. A module without a namespace, or with another one, is taken for
/// one of the schema's, so that the rest of it can be looked at. No other file or address is
/// opened, whatever the module says. Thread-safe; one validation runs at a time. The error is a
/// sentence.
tl::expected<std::vector<SchemaError>, std::string> validate(const ModuleSource& source,
                                                             Schema schema);

}  // namespace tutti::fomedit
