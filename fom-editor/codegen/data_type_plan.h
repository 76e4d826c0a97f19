// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QList>
#include <QSet>
#include <QString>
#include <QStringList>
#include <optional>

#include "fom-editor/model/data_layout.h"
#include "omt/object_model.h"

namespace tutti::fomedit {

/// What a datatype becomes in C++.
enum class CodeShape {
  Integer,      ///< std::int32_t ...
  Float,        ///< float, double
  Boolean,      ///< bool: HLAboolean
  Octet,        ///< std::uint8_t, or char for HLAASCIIchar
  Unit,         ///< char16_t: HLAunicodeChar
  OctetGroup,   ///< std::array of octets as they are: a representation that is no number
  Enumeration,  ///< enum class
  List,         ///< HLAvariableArray: std::vector, std::string, std::u16string
  FixedArray,   ///< HLAfixedArray: nested std::array
  Record,       ///< HLAfixedRecord: struct
  Variant       ///< HLAvariantRecord: struct with the discriminant and a std::variant
};

/// A field of a fixed record, or an alternative of a variant record.
struct PlannedPart {
  QString name;        ///< as the model says
  QString identifier;  ///< of the member, or of the alternative's functions
  QString typeName;    ///< its datatype; empty for an alternative without data
  QString semantics;
  QStringList values;    ///< alternative: numbers of the discriminant that choose it
  bool isOther = false;  ///< alternative: HLAother chooses it
};

/// A datatype as it becomes C++.
struct PlannedType {
  const omt::DataType* type = nullptr;  ///< valid as long as the model
  QString name;                         ///< as the model says
  QString identifier;                   ///< in the namespace `types`
  CodeShape shape = CodeShape::Integer;
  QString cpp;  ///< what the identifier stands for: "double", "std::vector<types::Place>"; empty
                ///< for structs
  int boundary = 1;         ///< octet boundary
  qint64 leastOctets = 0;   ///< what a value takes at least, without padding
  qint64 memory = 0;        ///< about what a C++ value takes without the heap, octets
  int octets = 0;           ///< Integer to Enumeration: of the representation
  bool bigEndian = true;    ///< likewise
  bool isSigned = false;    ///< Integer, Enumeration
  QStringList enumerators;  ///< Enumeration: identifiers, in the model's order
  QString elementType;      ///< List, FixedArray: of the elements; Variant: of the discriminant
  QList<int> extents;       ///< FixedArray: of each dimension
  bool isLarge = false;     ///< FixedArray: a std::vector of all elements, row by row
  QString discriminantIdentifier;
  QList<PlannedPart> parts;  ///< fields or alternatives
  qint64 elements() const;   ///< FixedArray: of all dimensions
  bool isStruct() const { return shape == CodeShape::Record || shape == CodeShape::Variant; }
};

/// The datatypes that some names need, or why one of them cannot be told in C++.
class DataTypePlan {
 public:
  /// `names` and all that they are made of. `model` must outlive the plan.
  DataTypePlan(const omt::ObjectModel& model, const QStringList& names);

  /// In an order in which C++ can read them; structs that a std::vector holds may come later.
  const QList<PlannedType>& types() const { return types_; }
  /// Nullptr where the datatype is not to be told.
  const PlannedType* find(const QString& name) const;
  /// Why values of that datatype stay octets, one sentence; empty where they do not.
  QString problem(const QString& name) const { return problems_.value(name); }
  /// All of them, by name: whatever is asked for and is not to be told, for a person.
  QStringList problems() const;
  /// What is to be told without being wrong: "X: its representation Y is no number; its octets stay
  /// as they are."
  const QStringList& notes() const { return notes_; }

 private:
  bool plan(const QString& name);
  bool planLeaf(PlannedType& planned);
  bool planEnumeration(PlannedType& planned);
  bool planArray(PlannedType& planned);
  bool planRecord(PlannedType& planned);
  bool planVariant(PlannedType& planned);
  bool planAlternatives(PlannedType& planned, const omt::DataType& discriminant);
  /// Plans what a datatype is made of; the reason why not becomes part of the whole's.
  bool planPart(const PlannedType& whole, const QString& place, const QString& typeName);
  bool fail(const QString& name, const QString& why);
  bool failEncoding(const QString& name, const QString& encoding);
  static QString withoutStop(QString sentence);
  void dropWhatDependsOnProblems();
  void nameAll();
  static void nameParts(PlannedType& type);
  void measure();
  int boundaryOf(const PlannedType& type) const;
  qint64 leastOctetsOf(const PlannedType& type) const;
  void sortStructs();
  qint64 measureMemory(const QString& name);
  void spell(PlannedType& type);

  const omt::ObjectModel& model_;
  QList<PlannedType> types_;
  QHash<QString, qsizetype> positions_;  ///< in types_, by name
  QStringList open_;                     ///< the datatypes being planned, the outermost first
  QHash<QString, QString> problems_;
  QStringList notes_;
};

/// Enumerator values as 64-bit numbers; nothing where one is no number or does not fit the
/// representation.
std::optional<QList<qint64>> enumeratorValues(const omt::Enumerator& enumerator, int octets,
                                              bool isSigned);

}  // namespace tutti::fomedit
