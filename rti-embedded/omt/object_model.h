// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

/// Object models of the High Level Architecture: FOM and SOM modules (IEEE 1516.2-2010) and the
/// merged model of a federation execution, the FDD (IEEE 1516.1-2010, 4.1.4).
namespace tutti::omt {

/// Handles are dense from 1 in order of definition, the MIM's first; 0 means "none". Attribute
/// handles are unique over all object classes, parameter handles over all interaction classes.
/// A handle once given never changes: extending a model only appends.
using ObjectClassHandle = std::uint32_t;
using AttributeHandle = std::uint32_t;
using InteractionClassHandle = std::uint32_t;
using ParameterHandle = std::uint32_t;
using DimensionHandle = std::uint32_t;
using TransportationTypeHandle = std::uint32_t;

/// The same in every model, because the MIM defines them first.
inline constexpr ObjectClassHandle objectRootHandle = 1;
inline constexpr InteractionClassHandle interactionRootHandle = 1;
inline constexpr AttributeHandle privilegeToDeleteHandle = 1;
inline constexpr TransportationTypeHandle reliableHandle = 1;
inline constexpr TransportationTypeHandle bestEffortHandle = 2;

inline constexpr std::string_view objectRootName = "HLAobjectRoot";
inline constexpr std::string_view interactionRootName = "HLAinteractionRoot";
inline constexpr std::string_view reliableName = "HLAreliable";
inline constexpr std::string_view bestEffortName = "HLAbestEffort";

/// Where a definition stands. `module` indexes ObjectModel::modules() in a merged model and is 0 in
/// a single module; `line` counts from 1, 0 where it is not known.
struct SourceLocation {
  std::uint32_t module = 0;
  int line = 0;
  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// IEEE 1516.2-2010, 4.2: what the federation does with a class or an attribute.
enum class Sharing : std::uint8_t { Unspecified, Publish, Subscribe, PublishSubscribe, Neither };
/// IEEE 1516.2-2010, 4.4: delivery order.
enum class OrderType : std::uint8_t { Receive, TimeStamp };
/// IEEE 1516.2-2010, 4.4: when an attribute is updated.
enum class UpdateType : std::uint8_t { NotApplicable, Static, Periodic, Conditional };
/// IEEE 1516.2-2010, 4.4: whether instances of the attribute change owner.
enum class Ownership : std::uint8_t { NoTransfer, Divest, Acquire, DivestAcquire };
/// IEEE 1516.1-2010, 4.10: what is done for a federate that resigns, also for one that is lost.
enum class ResignAction : std::uint8_t {
  UnconditionallyDivestAttributes,
  DeleteObjects,
  CancelPendingOwnershipAcquisitions,
  DeleteObjectsThenDivest,
  CancelThenDeleteThenDivest,
  NoAction
};

/// In which edition of HLA, and which of its forms, a module is written.
enum class Edition : std::uint8_t {
  Hla13Fed,  ///< federation execution data of HLA 1.3: what an RTI needs
  Hla13Omt,  ///< object model data interchange format of HLA 1.3: with datatypes
  Ieee2000,  ///< IEEE 1516.2-2000, XML
  Ieee2010,  ///< IEEE 1516.2-2010, XML
  Ieee2025   ///< IEEE 1516.2-2025, XML
};

struct Attribute {
  AttributeHandle handle = 0;
  ObjectClassHandle declaringClass = 0;
  std::string name;
  std::string dataType;
  UpdateType updateType = UpdateType::NotApplicable;
  std::string updateCondition;
  Ownership ownership = Ownership::NoTransfer;
  Sharing sharing = Sharing::Unspecified;
  std::vector<std::string> dimensions;
  std::string transportation;  ///< name of a transportation type; HLAreliable where none is given
  OrderType order = OrderType::Receive;
  bool valueRequired = false;  ///< from IEEE 1516.2-2025 on
  std::string semantics;
  std::string notes;  ///< labels of notes, separated by blanks
  SourceLocation where;
};

struct Parameter {
  ParameterHandle handle = 0;
  InteractionClassHandle declaringClass = 0;
  std::string name;
  std::string dataType;
  std::string semantics;
  std::string notes;
  SourceLocation where;
};

/// IEEE 1516.2-2010, 4.6.
struct Dimension {
  DimensionHandle handle = 0;
  std::string name;
  std::string dataType;
  std::optional<std::uint32_t> upperBound;  ///< absent: the RTI decides (HLAfederate of the MIM)
  std::string normalization;
  std::string defaultValue;  ///< as written: "[0..3)", "[2)" or "Excluded"
  SourceLocation where;
};

/// A routing space of HLA 1.3. Its dimensions are those whose names begin with its own and "_".
struct RoutingSpace {
  std::string name;
  SourceLocation where;
};

/// IEEE 1516.2-2010, 4.10.
struct Transportation {
  TransportationTypeHandle handle = 0;
  std::string name;
  bool reliable = true;
  std::string semantics;
  SourceLocation where;
};

/// IEEE 1516.2-2010, 4.11.
struct UpdateRate {
  std::string name;
  double rate = 0.0;  ///< maximum updates per second, above 0
  std::string semantics;
  SourceLocation where;
};

/// Initial settings, IEEE 1516.2-2010, 4.12. A switch that no module gives is disabled; the
/// automatic resign action is then CancelThenDeleteThenDivest, so that a lost federate leaves
/// nothing behind.
struct Switches {
  bool autoProvide = false;
  bool conveyRegionDesignatorSets = false;
  bool conveyProducingFederate = false;
  bool attributeScopeAdvisory = false;
  bool attributeRelevanceAdvisory = false;
  bool objectClassRelevanceAdvisory = false;
  bool interactionRelevanceAdvisory = false;
  bool serviceReporting = false;
  bool exceptionReporting = false;
  bool delaySubscriptionEvaluation = false;
  ResignAction automaticResignAction = ResignAction::CancelThenDeleteThenDivest;
  friend bool operator==(const Switches&, const Switches&) = default;
};

enum class DataTypeKind : std::uint8_t {
  Basic,
  Simple,
  Enumerated,
  Array,
  FixedRecord,
  VariantRecord
};

struct Enumerator {
  std::string name;
  std::vector<std::string> values;
  int line = 0;
};

struct RecordField {
  std::string name;
  std::string dataType;
  std::string semantics;
  int line = 0;
};

struct VariantAlternative {
  std::string enumerators;  ///< enumerators of the discriminant, ranges or "HLAother", as written
  std::string name;
  std::string dataType;  ///< "NA" or empty: the alternative carries no data
  std::string semantics;
  int line = 0;
};

/// One row of the datatype tables, IEEE 1516.2-2010, 4.13. Which members mean something depends on
/// `kind`.
struct DataType {
  DataTypeKind kind = DataTypeKind::Basic;
  std::string name;
  std::string semantics;
  std::string notes;
  SourceLocation where;

  std::string encoding;  ///< basic, array, fixed and variant record

  std::uint32_t sizeBits = 0;  ///< basic
  bool bigEndian = true;       ///< basic
  std::string interpretation;  ///< basic

  std::string representation;  ///< simple and enumerated: name of a basic representation
  std::string units;           ///< simple
  std::string resolution;      ///< simple
  std::string accuracy;        ///< simple

  // Simple, from IEEE 1516.2-2025 on: its values refer to object instances. The representation may
  // be any datatype.
  bool isReference = false;
  std::string referenceClass;       ///< an object class, as written
  std::string referencedAttribute;  ///< of that class; its values tell the instances apart

  std::vector<Enumerator> enumerators;  ///< enumerated

  std::string elementType;  ///< array
  std::string cardinality;  ///< array: "Dynamic", a number, "[1..10]", a list for more dimensions

  std::vector<RecordField> fields;  ///< fixed record

  std::string discriminant;                      ///< variant record: name of the discriminant
  std::string discriminantType;                  ///< variant record: an enumerated datatype
  std::vector<VariantAlternative> alternatives;  ///< variant record
};

/// IEEE 1516.2-2010, 4.9.
struct SynchronizationPoint {
  std::string label;
  std::string dataType;
  std::string capability;
  std::string semantics;
  SourceLocation where;
};

/// A user-supplied tag (IEEE 1516.2-2010, 4.8) or a datatype of time (4.7). "NA" is read as empty.
struct TypeUse {
  std::string dataType;
  std::string semantics;
  SourceLocation where;
};

struct UserTags {
  TypeUse updateReflect, sendReceive, deleteRemove, divestitureRequest, divestitureCompletion,
      acquisitionRequest, requestUpdate;
};

/// IEEE 1516.2-2010, 4.14.
struct Note {
  std::string label;
  std::string semantics;
  SourceLocation where;
};

/// A point of contact, IEEE 1516.2-2010, 4.1.
struct Contact {
  std::string type;  ///< "Sponsor", "Primary author"; empty where the edition does not say
  std::string name;
  std::string organization;
  std::vector<std::string> telephones;
  std::vector<std::string> emails;
  friend bool operator==(const Contact&, const Contact&) = default;
};

/// IEEE 1516.2-2010, 4.1. References are (kind, text).
struct Identification {
  std::string name;
  std::string type;
  std::string version;
  std::string modificationDate;
  std::string securityClassification;
  std::string purpose;
  std::string applicationDomain;
  std::string description;
  std::string useLimitation;
  std::vector<std::string> useHistory;
  std::vector<std::string> keywords;
  std::vector<Contact> contacts;
  std::vector<std::pair<std::string, std::string>> references;
  std::string other;
};

/// From IEEE 1516.2-2025 on: an interaction class that can be directed to instances of an object
/// class.
struct DirectedInteraction {
  std::string name;  ///< of the interaction class, as written: mostly its full name
  Sharing sharing = Sharing::Unspecified;
  SourceLocation where;
};

struct ObjectClass {
  ObjectClassHandle handle = 0;
  std::string name;
  std::string fullName;                       ///< "HLAobjectRoot.A.B"
  ObjectClassHandle parent = 0;               ///< 0 for HLAobjectRoot
  std::vector<ObjectClassHandle> subclasses;  ///< in order of definition
  std::vector<AttributeHandle> attributes;    ///< own ones, ascending
  std::vector<DirectedInteraction> directedInteractions;  ///< own ones, in order of definition
  std::vector<std::string> dimensions;  ///< from 2025 on; its attributes have them too
  Sharing sharing = Sharing::Unspecified;
  std::string semantics;
  std::string notes;
  bool scaffolding = false;  ///< only named so far, no module defines it
  SourceLocation where;
};

struct InteractionClass {
  InteractionClassHandle handle = 0;
  std::string name;
  std::string fullName;                            ///< "HLAinteractionRoot.A.B"
  InteractionClassHandle parent = 0;               ///< 0 for HLAinteractionRoot
  std::vector<InteractionClassHandle> subclasses;  ///< in order of definition
  std::vector<ParameterHandle> parameters;         ///< own ones, ascending
  Sharing sharing = Sharing::Unspecified;
  std::vector<std::string> dimensions;
  std::string transportation;
  OrderType order = OrderType::Receive;
  /// Of the two above: a module gives it. Otherwise it is what holds where none does.
  bool transportationGiven = false, orderGiven = false;
  std::string semantics;
  std::string notes;
  bool scaffolding = false;
  SourceLocation where;
};

/// A module that went into a merged model.
struct ModuleInfo {
  std::string file;  ///< the display name it was read with
  Identification identification;
  bool isMim = false;
  bool allowsAdditions = false;  ///< an IEEE 1516.2-2025 module
  Edition edition = Edition::Ieee2010;
};

/// A merged object model: the MIM and any number of FOM modules. Built by merge() and extend(),
/// then only read; reading from several threads at once is safe. Copies are deep.
class ObjectModel {
 public:
  const std::vector<ModuleInfo>& modules() const { return modules_; }

  /// Element i has handle i + 1.
  const std::vector<ObjectClass>& objectClasses() const { return objectClasses_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }
  const std::vector<InteractionClass>& interactionClasses() const { return interactionClasses_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  /// Of modules of HLA 1.3; their dimensions are among dimensions().
  const std::vector<RoutingSpace>& routingSpaces() const { return routingSpaces_; }
  const std::vector<Transportation>& transportations() const { return transportations_; }

  const std::vector<UpdateRate>& updateRates() const { return updateRates_; }
  const std::vector<DataType>& dataTypes() const { return dataTypes_; }
  const std::vector<SynchronizationPoint>& synchronizationPoints() const { return syncPoints_; }
  const std::vector<Note>& notes() const { return notes_; }
  const Switches& switches() const { return switches_; }
  /// True when a module gives a switches table; its place.
  const std::optional<SourceLocation>& switchesWhere() const { return switchesWhere_; }
  /// Those that only IEEE 1516-2025 has and a module gives; this RTI does not offer them.
  const std::vector<std::pair<std::string, bool>>& switchesOf2025() const {
    return switchesOf2025_;
  }
  const UserTags& userTags() const { return userTags_; }
  const TypeUse& timeStamp() const { return timeStamp_; }
  const TypeUse& lookahead() const { return lookahead_; }

  /// By full name ("HLAobjectRoot.A.B") or without the root ("A.B"); nullptr where there is none.
  const ObjectClass* findObjectClass(std::string_view name) const;
  const InteractionClass* findInteractionClass(std::string_view name) const;
  /// As modules refer to a class: by full name, without the root, or by the last part where one
  /// class only has it.
  const ObjectClass* referredObjectClass(std::string_view name) const;
  const InteractionClass* referredInteractionClass(std::string_view name) const;
  /// By handle; nullptr for 0 and for handles out of range.
  const ObjectClass* objectClass(ObjectClassHandle handle) const;
  const InteractionClass* interactionClass(InteractionClassHandle handle) const;
  const Attribute* attribute(AttributeHandle handle) const;
  const Parameter* parameter(ParameterHandle handle) const;

  /// Own or inherited, by name; nullptr where the class has none of that name.
  const Attribute* findAttribute(ObjectClassHandle objectClass, std::string_view name) const;
  const Parameter* findParameter(InteractionClassHandle interactionClass,
                                 std::string_view name) const;
  /// Own and inherited, the root's first, each class's in ascending order.
  std::vector<const Attribute*> allAttributes(ObjectClassHandle objectClass) const;
  std::vector<const Parameter*> allParameters(InteractionClassHandle interactionClass) const;

  const DataType* findDataType(std::string_view name) const;
  const Dimension* findDimension(std::string_view name) const;
  const Transportation* findTransportation(std::string_view name) const;
  const UpdateRate* findUpdateRate(std::string_view name) const;

  /// The file of a definition as it was given, "" where it has none.
  const std::string& fileOf(const SourceLocation& where) const;
  /// "RPR-Base_v2.0.xml:118".
  std::string placeOf(const SourceLocation& where) const;

 private:
  friend class Merger;
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using NameIndex = std::unordered_map<std::string, std::uint32_t, NameHash, std::equal_to<>>;

  std::vector<ModuleInfo> modules_;
  std::vector<ObjectClass> objectClasses_;
  std::vector<Attribute> attributes_;
  std::vector<InteractionClass> interactionClasses_;
  std::vector<Parameter> parameters_;
  std::vector<Dimension> dimensions_;
  std::vector<RoutingSpace> routingSpaces_;
  std::vector<Transportation> transportations_;
  std::vector<UpdateRate> updateRates_;
  std::vector<DataType> dataTypes_;
  std::vector<SynchronizationPoint> syncPoints_;
  std::vector<Note> notes_;
  Switches switches_;
  std::optional<SourceLocation> switchesWhere_;
  std::vector<std::pair<std::string, bool>> switchesOf2025_;
  UserTags userTags_;
  TypeUse timeStamp_;
  TypeUse lookahead_;
  // Positions + 1 in the vectors above.
  NameIndex objectClassIndex_, interactionClassIndex_, dataTypeIndex_, dimensionIndex_,
      transportationIndex_, updateRateIndex_, syncPointIndex_;
};

/// The word of the standard: "PublishSubscribe", "TimeStamp", "CancelThenDeleteThenDivest".
std::string_view toText(Sharing value);
std::string_view toText(OrderType value);
std::string_view toText(UpdateType value);
std::string_view toText(Ownership value);
std::string_view toText(ResignAction value);
std::string_view toText(DataTypeKind value);
/// For a person: "HLA 1.3 FED", "HLA 1.3 OMT", "IEEE 1516-2010".
std::string_view toText(Edition value);
/// "Ann Lee, Example Org, +1 555, ann@example.org": all but the type.
std::string toText(const Contact& contact);

}  // namespace tutti::omt
