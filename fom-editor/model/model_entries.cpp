// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/model_entries.h"

#include <QHash>
#include <array>

#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

struct KindWords {
  const char* one;
  const char* title;
};
constexpr std::array<KindWords, entryKindCount> kWords{{
    {"object class", "Object classes"},
    {"attribute", "Attributes"},
    {"interaction class", "Interaction classes"},
    {"parameter", "Parameters"},
    {"datatype", "Datatypes"},
    {"field", "Fields"},
    {"enumerator", "Enumerators"},
    {"alternative", "Alternatives"},
    {"dimension", "Dimensions"},
    {"transportation type", "Transportation types"},
    {"update rate", "Update rates"},
    {"synchronization point", "Synchronization points"},
    {"tag", "Tags"},
    {"time representation", "Time representation"},
    {"switch", "Switches"},
    {"note", "Notes"},
    {"identification", "Identification"},
}};

/// "NA" says as much as nothing.
QString plain(std::string_view utf8) {
  const QString value = text(utf8).simplified();
  return value == QStringLiteral("NA") ? QString() : value;
}

QString onOff(bool value) { return value ? QStringLiteral("enabled") : QStringLiteral("disabled"); }

class Collector {
 public:
  explicit Collector(const omt::ObjectModel& model) : model_(model) {}

  std::vector<Entry> collect() {
    addObjectClasses();
    addInteractionClasses();
    addDataTypes();
    addTables();
    addAgreements();
    addModules();
    return std::move(entries_);
  }

 private:
  int add(EntryKind kind, const QString& name, int parent, const omt::SourceLocation& where,
          std::uint32_t id = 0) {
    Entry entry;
    entry.kind = kind;
    entry.name = name;
    entry.parent = parent;
    entry.id = id;
    entry.path = parent < 0 ? name : entries_[static_cast<std::size_t>(parent)].path + u'.' + name;
    // Rows of one name, which the standard forbids, stay apart.
    const int times = ++seen_[static_cast<std::size_t>(kind)][entry.path];
    if (times > 1) entry.path += QStringLiteral("#%1").arg(times);
    if (where.module < model_.modules().size()) {
      const omt::ModuleInfo& module = model_.modules()[where.module];
      entry.ofMim = module.isMim;
      if (where.line > 0) entry.file = text(module.file);
    }
    entry.line = where.line;
    const int index = static_cast<int>(entries_.size());
    entries_.push_back(std::move(entry));
    if (parent >= 0) entries_[static_cast<std::size_t>(parent)].children.push_back(index);
    return index;
  }

  void set(int entry, const QString& name, const QString& value, Significance significance) {
    entries_[static_cast<std::size_t>(entry)].properties.push_back(
        {name, value, significance, std::nullopt, {}});
  }
  void describe(int entry, std::string_view semantics, std::string_view notes = {}) {
    set(entry, QStringLiteral("Semantics"), plain(semantics), Significance::Text);
    set(entry, QStringLiteral("Notes"), plain(notes), Significance::Text);
  }
  void refer(int entry, const QString& name, EntryKind kind, const QStringList& names,
             Significance significance) {
    QStringList given;
    for (const QString& n : names) {
      if (!n.isEmpty() && n != QStringLiteral("NA")) given << n;
    }
    entries_[static_cast<std::size_t>(entry)].properties.push_back(
        {name, given.join(QStringLiteral(", ")), significance, kind, given});
  }
  void referType(int entry, const QString& name, std::string_view type) {
    refer(entry, name, EntryKind::DataType, {text(type)}, Significance::Bytes);
  }
  void referDimensions(int entry, const std::vector<std::string>& dimensions) {
    QStringList names;
    for (const std::string& d : dimensions) names << text(d);
    refer(entry, QStringLiteral("Dimensions"), EntryKind::Dimension, names,
          Significance::Behaviour);
  }

  void addObjectClasses() {
    std::vector<int> entryOf(model_.objectClasses().size() + 1, -1);
    for (const omt::ObjectClass& c : model_.objectClasses()) {
      const int entry =
          add(EntryKind::ObjectClass, text(c.name), entryOf[c.parent], c.where, c.handle);
      entryOf[c.handle] = entry;
      set(entry, QStringLiteral("Sharing"), sharing(c.sharing), Significance::Behaviour);
      set(entry, QStringLiteral("Definition"),
          c.scaffolding ? QStringLiteral("only named") : QString(), Significance::Behaviour);
      QStringList directed;
      for (const omt::DirectedInteraction& d : c.directedInteractions) {
        const QString name = text(d.name).section(u'.', -1);
        directed << (d.sharing == omt::Sharing::Unspecified
                         ? name
                         : QStringLiteral("%1 (%2)").arg(name, sharing(d.sharing)));
      }
      directed.sort();
      set(entry, QStringLiteral("Directed interactions"), directed.join(QStringLiteral(", ")),
          Significance::Behaviour);
      describe(entry, c.semantics, c.notes);
      for (const omt::AttributeHandle handle : c.attributes) addAttribute(entry, handle);
    }
  }

  void addAttribute(int parent, omt::AttributeHandle handle) {
    const omt::Attribute& a = *model_.attribute(handle);
    const int entry = add(EntryKind::Attribute, text(a.name), parent, a.where, handle);
    referType(entry, QStringLiteral("Datatype"), a.dataType);
    set(entry, QStringLiteral("Update type"),
        a.updateType == omt::UpdateType::NotApplicable ? QString()
                                                       : text(omt::toText(a.updateType)),
        Significance::Behaviour);
    set(entry, QStringLiteral("Update condition"), plain(a.updateCondition), Significance::Text);
    set(entry, QStringLiteral("Ownership"), text(omt::toText(a.ownership)),
        Significance::Behaviour);
    set(entry, QStringLiteral("Sharing"), sharing(a.sharing), Significance::Behaviour);
    referDimensions(entry, a.dimensions);
    refer(entry, QStringLiteral("Transportation"), EntryKind::Transportation,
          {text(a.transportation)}, Significance::Behaviour);
    set(entry, QStringLiteral("Order"), text(omt::toText(a.order)), Significance::Behaviour);
    set(entry, QStringLiteral("Value required"),
        a.valueRequired ? QStringLiteral("yes") : QString(), Significance::Behaviour);
    describe(entry, a.semantics, a.notes);
  }

  void addInteractionClasses() {
    std::vector<int> entryOf(model_.interactionClasses().size() + 1, -1);
    for (const omt::InteractionClass& c : model_.interactionClasses()) {
      const int entry =
          add(EntryKind::InteractionClass, text(c.name), entryOf[c.parent], c.where, c.handle);
      entryOf[c.handle] = entry;
      set(entry, QStringLiteral("Sharing"), sharing(c.sharing), Significance::Behaviour);
      set(entry, QStringLiteral("Definition"),
          c.scaffolding ? QStringLiteral("only named") : QString(), Significance::Behaviour);
      referDimensions(entry, c.dimensions);
      refer(entry, QStringLiteral("Transportation"), EntryKind::Transportation,
            {text(c.transportation)}, Significance::Behaviour);
      set(entry, QStringLiteral("Order"), text(omt::toText(c.order)), Significance::Behaviour);
      describe(entry, c.semantics, c.notes);
      for (const omt::ParameterHandle handle : c.parameters) {
        const omt::Parameter& p = *model_.parameter(handle);
        const int parameter = add(EntryKind::Parameter, text(p.name), entry, p.where, handle);
        referType(parameter, QStringLiteral("Datatype"), p.dataType);
        describe(parameter, p.semantics, p.notes);
      }
    }
  }

  void addDataTypes() {
    for (std::size_t i = 0; i < model_.dataTypes().size(); ++i) {
      const omt::DataType& t = model_.dataTypes()[i];
      const int entry =
          add(EntryKind::DataType, text(t.name), -1, t.where, static_cast<std::uint32_t>(i + 1));
      set(entry, QStringLiteral("Kind"),
          t.isReference ? QStringLiteral("Reference") : text(omt::toText(t.kind)),
          t.isReference ? Significance::Behaviour : Significance::Bytes);
      addColumns(entry, t);
      describe(entry, t.semantics, t.notes);
      addParts(entry, t);
    }
  }

  void addColumns(int entry, const omt::DataType& t) {
    const auto encoding = [&] {
      set(entry, QStringLiteral("Encoding"), plain(t.encoding), Significance::Bytes);
    };
    switch (t.kind) {
      case omt::DataTypeKind::Basic:
        set(entry, QStringLiteral("Size"), QStringLiteral("%1 bits").arg(t.sizeBits),
            Significance::Bytes);
        set(entry, QStringLiteral("Byte order"),
            t.bigEndian ? QStringLiteral("big endian") : QStringLiteral("little endian"),
            Significance::Bytes);
        set(entry, QStringLiteral("Interpretation"), plain(t.interpretation), Significance::Bytes);
        encoding();
        break;
      case omt::DataTypeKind::Simple:
        referType(entry, QStringLiteral("Representation"), t.representation);
        if (t.isReference) {
          set(entry, QStringLiteral("Referenced class"), text(t.referenceClass),
              Significance::Behaviour);
          set(entry, QStringLiteral("Referenced attribute"), text(t.referencedAttribute),
              Significance::Behaviour);
          break;
        }
        set(entry, QStringLiteral("Units"), plain(t.units), Significance::Bytes);
        set(entry, QStringLiteral("Resolution"), plain(t.resolution), Significance::Text);
        set(entry, QStringLiteral("Accuracy"), plain(t.accuracy), Significance::Text);
        break;
      case omt::DataTypeKind::Enumerated:
        referType(entry, QStringLiteral("Representation"), t.representation);
        break;
      case omt::DataTypeKind::Array:
        referType(entry, QStringLiteral("Element"), t.elementType);
        set(entry, QStringLiteral("Cardinality"), plain(t.cardinality), Significance::Bytes);
        encoding();
        break;
      case omt::DataTypeKind::FixedRecord:
        encoding();
        break;
      case omt::DataTypeKind::VariantRecord:
        set(entry, QStringLiteral("Discriminant"), plain(t.discriminant), Significance::Text);
        referType(entry, QStringLiteral("Discriminant datatype"), t.discriminantType);
        encoding();
        break;
    }
  }

  void addParts(int entry, const omt::DataType& t) {
    for (const omt::Enumerator& e : t.enumerators) {
      const int part = add(EntryKind::Enumerator, text(e.name), entry, {t.where.module, e.line});
      QStringList values;
      for (const std::string& v : e.values) values << text(v).simplified();
      set(part, QStringLiteral("Value"), values.join(QStringLiteral(", ")), Significance::Bytes);
    }
    for (const omt::RecordField& f : t.fields) {
      const int part = add(EntryKind::Field, text(f.name), entry, {t.where.module, f.line});
      referType(part, QStringLiteral("Datatype"), f.dataType);
      describe(part, f.semantics);
    }
    for (const omt::VariantAlternative& a : t.alternatives) {
      // Alternatives without data often have no name; the enumerators then tell them apart.
      const QString name =
          plain(a.name).isEmpty() ? text(a.enumerators).simplified() : plain(a.name);
      const int part = add(EntryKind::Alternative, name, entry, {t.where.module, a.line});
      set(part, QStringLiteral("Enumerators"), plain(a.enumerators), Significance::Bytes);
      referType(part, QStringLiteral("Datatype"), a.dataType);
      describe(part, a.semantics);
    }
  }

  void addTables() {
    for (const omt::Dimension& d : model_.dimensions()) {
      const int entry = add(EntryKind::Dimension, text(d.name), -1, d.where, d.handle);
      referType(entry, QStringLiteral("Datatype"), d.dataType);
      set(entry, QStringLiteral("Upper bound"),
          d.upperBound ? QString::number(*d.upperBound) : QString(), Significance::Behaviour);
      set(entry, QStringLiteral("Default"), plain(d.defaultValue), Significance::Behaviour);
      set(entry, QStringLiteral("Normalization"), plain(d.normalization), Significance::Behaviour);
    }
    for (const omt::Transportation& t : model_.transportations()) {
      const int entry = add(EntryKind::Transportation, text(t.name), -1, t.where, t.handle);
      set(entry, QStringLiteral("Reliable"),
          t.reliable ? QStringLiteral("yes") : QStringLiteral("no"), Significance::Behaviour);
      describe(entry, t.semantics);
    }
    std::uint32_t id = 0;
    for (const omt::UpdateRate& u : model_.updateRates()) {
      const int entry = add(EntryKind::UpdateRate, text(u.name), -1, u.where, ++id);
      set(entry, QStringLiteral("Rate"), QString::number(u.rate), Significance::Behaviour);
      describe(entry, u.semantics);
    }
    id = 0;
    for (const omt::SynchronizationPoint& p : model_.synchronizationPoints()) {
      const int entry = add(EntryKind::SynchronizationPoint, text(p.label), -1, p.where, ++id);
      referType(entry, QStringLiteral("Tag datatype"), p.dataType);
      set(entry, QStringLiteral("Capability"), plain(p.capability), Significance::Text);
      describe(entry, p.semantics);
    }
    for (const omt::Note& n : model_.notes()) {
      describe(add(EntryKind::Note, text(n.label), -1, n.where), n.semantics);
    }
  }

  void addUse(EntryKind kind, const QString& name, const omt::TypeUse& use) {
    if (use.dataType.empty() && plain(use.semantics).isEmpty()) return;
    const int entry = add(kind, name, -1, use.where);
    referType(entry, QStringLiteral("Datatype"), use.dataType);
    describe(entry, use.semantics);
  }

  void addAgreements() {
    const omt::UserTags& tags = model_.userTags();
    addUse(EntryKind::Tag, QStringLiteral("Update/reflect"), tags.updateReflect);
    addUse(EntryKind::Tag, QStringLiteral("Send/receive"), tags.sendReceive);
    addUse(EntryKind::Tag, QStringLiteral("Delete/remove"), tags.deleteRemove);
    addUse(EntryKind::Tag, QStringLiteral("Divestiture request"), tags.divestitureRequest);
    addUse(EntryKind::Tag, QStringLiteral("Divestiture completion"), tags.divestitureCompletion);
    addUse(EntryKind::Tag, QStringLiteral("Acquisition request"), tags.acquisitionRequest);
    addUse(EntryKind::Tag, QStringLiteral("Request update"), tags.requestUpdate);
    addUse(EntryKind::Time, QStringLiteral("Time stamp"), model_.timeStamp());
    addUse(EntryKind::Time, QStringLiteral("Lookahead"), model_.lookahead());
    const omt::Switches& s = model_.switches();
    const omt::SourceLocation where = model_.switchesWhere().value_or(omt::SourceLocation{});
    const auto addSwitch = [&](const char* name, const QString& setting) {
      const int entry = add(EntryKind::Switch, QString::fromLatin1(name), -1, where);
      entries_[static_cast<std::size_t>(entry)].ofMim = false;
      set(entry, QStringLiteral("Setting"), setting, Significance::Behaviour);
    };
    addSwitch("Auto provide", onOff(s.autoProvide));
    addSwitch("Convey region designator sets", onOff(s.conveyRegionDesignatorSets));
    addSwitch("Convey producing federate", onOff(s.conveyProducingFederate));
    addSwitch("Attribute scope advisory", onOff(s.attributeScopeAdvisory));
    addSwitch("Attribute relevance advisory", onOff(s.attributeRelevanceAdvisory));
    addSwitch("Object class relevance advisory", onOff(s.objectClassRelevanceAdvisory));
    addSwitch("Interaction relevance advisory", onOff(s.interactionRelevanceAdvisory));
    addSwitch("Service reporting", onOff(s.serviceReporting));
    addSwitch("Exception reporting", onOff(s.exceptionReporting));
    addSwitch("Delay subscription evaluation", onOff(s.delaySubscriptionEvaluation));
    for (const auto& [name, on] : model_.switchesOf2025()) {
      if (on) addSwitch(name.c_str(), onOff(true));
    }
    addSwitch("Automatic resign action", text(omt::toText(s.automaticResignAction)));
  }

  void addModules() {
    for (std::uint32_t i = 0; i < model_.modules().size(); ++i) {
      const omt::ModuleInfo& module = model_.modules()[i];
      const omt::Identification& id = module.identification;
      const QString file = placeText(text(module.file), 0);
      const QString name = plain(id.name).isEmpty() ? file : plain(id.name);
      const int entry = add(EntryKind::Module, name, -1, {i, 1}, i + 1);
      const auto say = [&](const char* property, const QString& value) {
        set(entry, QString::fromLatin1(property), value, Significance::Text);
      };
      const auto pairs = [](const std::vector<std::pair<std::string, std::string>>& list) {
        QStringList words;
        for (const auto& [kind, value] : list)
          words << plain(kind) + QStringLiteral(": ") + plain(value);
        return words.join(QStringLiteral("; "));
      };
      const auto words = [](const std::vector<std::string>& list) {
        QStringList all;
        for (const std::string& word : list) all << plain(word);
        return all.join(QStringLiteral("; "));
      };
      say("Type", plain(id.type));
      say("Version", plain(id.version));
      say("Modification date", plain(id.modificationDate));
      say("Security classification", plain(id.securityClassification));
      say("Purpose", plain(id.purpose));
      say("Application domain", plain(id.applicationDomain));
      say("Description", plain(id.description));
      say("Use limitation", plain(id.useLimitation));
      say("Use history", words(id.useHistory));
      say("Keywords", words(id.keywords));
      QStringList contacts;
      for (const omt::Contact& contact : id.contacts) {
        contacts << plain(contact.type) + QStringLiteral(": ") + plain(omt::toText(contact));
      }
      say("Points of contact", contacts.join(QStringLiteral("; ")));
      say("References", pairs(id.references));
      say("Other", plain(id.other));
    }
  }

  static QString sharing(omt::Sharing value) {
    return value == omt::Sharing::Unspecified ? QString() : text(omt::toText(value));
  }

  const omt::ObjectModel& model_;
  std::vector<Entry> entries_;
  std::array<QHash<QString, int>, entryKindCount> seen_;
};

}  // namespace

QString kindName(EntryKind kind) {
  return QString::fromLatin1(kWords[static_cast<std::size_t>(kind)].one);
}

QString kindTitle(EntryKind kind) {
  return QString::fromLatin1(kWords[static_cast<std::size_t>(kind)].title);
}

std::vector<Entry> entriesOf(const omt::ObjectModel& model) { return Collector(model).collect(); }

bool isMember(EntryKind kind) {
  switch (kind) {
    case EntryKind::Attribute:
    case EntryKind::Parameter:
    case EntryKind::Field:
    case EntryKind::Enumerator:
    case EntryKind::Alternative:
      return true;
    default:
      return false;
  }
}

const EntryProperty* Entry::property(QStringView wanted) const {
  for (const EntryProperty& p : properties) {
    if (p.name == wanted) return &p;
  }
  return nullptr;
}

QString Entry::value(QStringView wanted) const {
  const EntryProperty* found = property(wanted);
  return found != nullptr ? found->value : QString();
}

QString Entry::shortPath() const {
  for (const QStringView root :
       {QStringView(u"HLAobjectRoot."), QStringView(u"HLAinteractionRoot.")}) {
    if (path.startsWith(root)) return path.mid(root.size());
  }
  return path;
}

QString Entry::place() const { return file.isEmpty() ? QString() : placeText(file, line); }

}  // namespace tutti::fomedit
