// SPDX-License-Identifier: Apache-2.0
#include "omt/hla13_types.h"

#include <algorithm>
#include <utility>

#include "omt/hla13_datatypes.h"
#include "omt/merge.h"
#include "omt/text.h"

namespace tutti::omt {

namespace {

/// Arrays of arrays go no deeper in any model that is meant to be used.
constexpr int mostLevels = 50;

bool isNumber(std::string_view text) {
  return !text.empty() && text.size() <= 19 &&
         text.find_first_not_of("0123456789") == std::string_view::npos &&
         (text.size() == 1 || text.front() != '0');
}

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// The base type that a basic data representation comes nearest to; empty: none.
std::string_view baseTypeOf(const DataType& t) {
  for (const Hla13BaseType& base : hla13BaseTypes) {
    if (base.sizeBits == t.sizeBits && base.ieeeName == t.name) return base.name;
  }
  const std::string words = t.name + ' ' + t.interpretation + ' ' + t.encoding;
  const bool floating = contains(words, "loat") || contains(words, "recision");
  const bool isUnsigned = contains(words, "nsigned") || contains(words, "range [0");
  switch (t.sizeBits) {
    case 8:
      return "octet";
    case 16:
      return isUnsigned ? "unsigned short" : "short";
    case 32:
      return floating ? "float" : isUnsigned ? "unsigned long" : "long";
    case 64:
      return floating ? "double" : isUnsigned ? "unsigned long long" : "long long";
    default:
      return {};
  }
}

/// Datatypes of the standard MIM that are base types of HLA 1.3 by another name.
std::string_view baseTypeNamed(std::string_view name) {
  if (name == "HLAunicodeString") return "string";
  if (name == "HLAunicodeChar") return "unsigned short";
  if (name == "HLAbyte") return "octet";
  for (const Hla13BaseType& base : hla13BaseTypes) {
    if (base.inMim && base.ieeeName == name) return base.name;
  }
  return {};
}

}  // namespace

std::string hla13CardinalityOf(const DataType& array) {
  const std::string_view text = array.cardinality;
  if (text == "Dynamic") return array.name.ends_with("Array1Plus") ? "1+" : "0+";
  // One element is what a row without a cardinality has.
  if (isNumber(text)) return text == "1" ? std::string() : std::string(text);
  if (!text.starts_with('[') || !text.ends_with(']')) return {};
  const std::string_view inside = text.substr(1, text.size() - 2);
  const std::size_t dots = inside.find("..");
  if (dots == std::string_view::npos) return {};
  const std::string_view lower = inside.substr(0, dots);
  const std::string_view upper = inside.substr(dots + 2);
  if (!isNumber(lower) || !isNumber(upper)) return {};
  return std::string(lower) + '-' + std::string(upper);
}

Hla13Types::Hla13Types(const Module& module, LossReport& report)
    : module_(module), report_(report) {
  for (const DataType& t : module.dataTypes) own_.emplace(t.name, &t);
  for (const DataType& t : standardMim().dataTypes) ofMim_.emplace(t.name, &t);
}

const DataType* Hla13Types::find(const std::string& name) const {
  const auto own = own_.find(name);
  if (own != own_.end()) return own->second;
  const auto ofMim = ofMim_.find(name);
  return ofMim == ofMim_.end() ? nullptr : ofMim->second;
}

Hla13Types::Use Hla13Types::use(const std::string& name) { return resolve(name, 0); }

Hla13Types::Use Hla13Types::resolve(const std::string& name, int depth) {
  if (meansNothing(name)) return {};
  if (const auto found = known_.find(name); found != known_.end()) return found->second;
  Use use;
  use.dataType = name;
  const DataType* t = find(name);
  if (t == nullptr || isHla13BaseType(*t)) {
    known_.emplace(name, use);
    return use;
  }
  // What refers to itself stays a name.
  if (depth > mostLevels || !resolving_.insert(name).second) return use;
  const int line = own_.contains(name) ? t->where.line : 0;
  const std::string_view base = own_.contains(name) && t->kind == DataTypeKind::Basic
                                    ? std::string_view()
                                    : baseTypeNamed(name);
  if (!base.empty()) {
    use.dataType = base;
    // The MIM's opaque data are octets of any number, as "any" is.
    report_.guessed("Datatypes of the standard MIM", "base types of HLA 1.3",
                    name + " as " + use.dataType, line);
  } else if (t->kind == DataTypeKind::Simple) {
    use = resolve(t->representation, depth + 1);
    if (use.dataType.empty()) use.dataType = name;
    use.units = t->units;
    use.resolution = t->resolution;
    use.accuracy = t->accuracy;
    report_.guessed("Simple datatypes",
                    "their representation, with units, resolution and accuracy in each row",
                    name + " as " + use.dataType, line);
    if (own_.contains(name) && t->isReference) {
      report_.lost("Which instances reference datatypes refer to", "left out", name, line);
    }
    if (own_.contains(name) && (!t->semantics.empty() || !t->notes.empty())) {
      report_.lost("Semantics of simple datatypes", "left out", name, line);
    }
  } else if (t->kind == DataTypeKind::Basic) {
    use = resolveBasic(*t, line);
  } else if (t->kind == DataTypeKind::Array) {
    use = resolveArray(*t, depth, line);
  } else if (!own_.contains(name)) {
    report_.guessed("Datatypes of the standard MIM", "their names, which HLA 1.3 does not define",
                    name, 0);
  }
  resolving_.erase(name);
  known_.emplace(name, use);
  return use;
}

Hla13Types::Use Hla13Types::resolveBasic(const DataType& t, int line) {
  Use use;
  use.dataType = t.name;
  const std::string_view base = baseTypeOf(t);
  if (base.empty()) {
    report_.lost("Basic data representations of other sizes than the base types of HLA 1.3",
                 "their names only", t.name + ", " + std::to_string(t.sizeBits) + " bits", line);
    return use;
  }
  use.dataType = base;
  report_.guessed("Basic data representations",
                  "base types of HLA 1.3, which has no order of octets",
                  t.name + " as " + use.dataType, line);
  return use;
}

Hla13Types::Use Hla13Types::resolveArray(const DataType& t, int depth, int line) {
  Use element = resolve(t.elementType, depth + 1);
  Use use;
  if (element.dataType.empty()) {
    use.dataType = t.name;
    report_.lost("Array datatypes without an element", "their names only", t.name, line);
    return use;
  }
  if (element.cardinality != "1") {
    if (wrapped_.insert(t.elementType).second) wrappers_.push_back({t.elementType, element});
    element = {};
    element.dataType = t.elementType;
    report_.guessed("Arrays of arrays", "arrays of a complex datatype with one component",
                    t.name + " of " + t.elementType, line);
  }
  std::string cardinality = hla13CardinalityOf(t);
  if (cardinality.empty()) {
    cardinality = meansNothing(t.cardinality) || t.cardinality == "1" ? "1" : "0+";
    report_.guessed("Cardinalities that HLA 1.3 does not have", "1 or 0+",
                    t.name + ", " + t.cardinality, line);
  }
  use = element;
  use.cardinality = cardinality;
  const std::string again = hla13ArrayName(element.dataType, hla13Cardinality(cardinality).suffix);
  if (again != t.name) {
    report_.guessed("Array datatypes", "their elements, with a cardinality in each row",
                    t.name + " as " + element.dataType + ' ' + cardinality, line);
  }
  if (own_.contains(t.name) && (!t.semantics.empty() || !t.notes.empty() || !t.encoding.empty())) {
    report_.lost("Semantics and encodings of array datatypes", "left out", t.name, line);
  }
  return use;
}

std::vector<Hla13Types::Wrapper> Hla13Types::takeWrappers() { return std::exchange(wrappers_, {}); }

void Hla13Types::reportUnused() {
  for (const DataType& t : module_.dataTypes) {
    const bool hasRow = t.kind == DataTypeKind::Enumerated || t.kind == DataTypeKind::FixedRecord ||
                        t.kind == DataTypeKind::VariantRecord;
    if (hasRow || known_.contains(t.name) || isHla13BaseType(t)) continue;
    report_.lost("Basic, simple and array datatypes that no row uses", "left out", t.name,
                 t.where.line);
  }
}

}  // namespace tutti::omt
