// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>
#include <optional>

#include "omt/object_model.h"

namespace tutti::fomedit {

/// How the octets of a leaf are to be read.
enum class LeafKind { None, SignedInteger, UnsignedInteger, Float, Enumerated, Octets };

/// A part of an encoded value, in the order of its octets.
struct LayoutPart {
  QString name;                    ///< "latitude", "location.x", "length", "padding"
  QString typeName;                ///< its datatype; empty for padding
  std::optional<int> offset;       ///< octets from the start; absent behind a part of variable size
  std::optional<int> size;         ///< octets; absent where it varies
  LeafKind leaf = LeafKind::None;  ///< None: not a fixed number (padding, variable part)
  bool bigEndian = true;
  QString unit;
  const omt::DataType* enumeration = nullptr;  ///< for LeafKind::Enumerated
  bool isPadding = false;
};

/// How a datatype is encoded, IEEE 1516.2-2010, 4.13.
struct DataLayout {
  std::optional<int> size;   ///< octets in all; absent where it varies
  int boundary = 1;          ///< octet boundary: offsets of such a value are multiples of it
  QList<LayoutPart> fields;  ///< the parts directly below: fields, count and elements, alternatives
  QList<LayoutPart> leaves;  ///< fixed records opened; what the byte picture shows
  QString problem;           ///< why there is no layout: an undefined or recursive datatype
};

/// The layout of the datatype of that name. Encodings of the standard are known (HLAfixedRecord,
/// HLAvariantRecord, HLAfixedArray, HLAvariableArray); others give parts of variable size. Pointers
/// in the result are valid as long as `model`.
DataLayout layoutOf(const omt::ObjectModel& model, const QString& typeName);

/// "fixed record, HLAfixedRecord, 24 bytes", "array, HLAvariableArray, variable size".
QString describe(const omt::ObjectModel& model, const omt::DataType& type);
/// "record", "enum", "array", "variant", "simple", "basic".
QString shortKind(omt::DataTypeKind kind);
/// The same, and "reference" for a simple datatype that refers to object instances.
QString shortKind(const omt::DataType& type);

/// Encodes `value` as the leaf's octets: a number, a name or number of an enumerator, or
/// hexadecimal octets. Nothing when it does not fit; `error`, when given, then says why.
std::optional<QByteArray> encodeLeaf(const LayoutPart& leaf, const QString& value,
                                     QString* error = nullptr);
/// The value of the leaf's octets as text that encodeLeaf reads.
QString decodeLeaf(const LayoutPart& leaf, const QByteArray& octets);

/// Parses "40 49 05 1e" or "4049051e"; nothing where it is no even number of hexadecimal digits.
std::optional<QByteArray> parseHex(const QString& text);

}  // namespace tutti::fomedit
