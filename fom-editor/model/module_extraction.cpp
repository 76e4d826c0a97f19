// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_extraction.h"

#include <QFileInfo>
#include <QUrl>
#include <algorithm>
#include <map>
#include <optional>

#include "fom-editor/model/difference.h"
#include "fom-editor/model/item.h"
#include "fom-editor/model/module_edits.h"
#include "omt/merge.h"
#include "omt/reader.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

using Class = ExtractionRequest::Class;

enum class TableKind : std::uint8_t { DataType, Dimension, Transportation, Note };

const char* wordOf(TableKind kind) {
  switch (kind) {
    case TableKind::DataType:
      return "datatype";
    case TableKind::Dimension:
      return "dimension";
    case TableKind::Transportation:
      return "transportation type";
    case TableKind::Note:
      return "note";
  }
  return "";
}

std::optional<NameKind> nameKindOf(TableKind kind) {
  switch (kind) {
    case TableKind::DataType:
      return NameKind::DataType;
    case TableKind::Dimension:
      return NameKind::Dimension;
    case TableKind::Transportation:
      return NameKind::Transportation;
    case TableKind::Note:
      return std::nullopt;
  }
  return std::nullopt;
}

bool isClassElement(std::string_view name) {
  return name == "objectClass" || name == "interactionClass";
}

/// Whether a class says more than its name and what is below it.
bool isDefined(const ModuleSource& source, ElementId id) {
  for (const ElementId child : source.children(id)) {
    const std::string_view name = source.nameOf(child);
    if (name == "attribute" || name == "parameter" || name == "transportation" || name == "order") {
      return true;
    }
    if (name == "sharing" && !omt::collapsed(source.rawText(child)).empty()) return true;
  }
  return false;
}

template <typename Visit>
void eachClassBelow(const ModuleSource& source, ElementId parent, bool isObject,
                    const std::string& above, Visit& visit) {
  for (const ElementId child : source.children(parent)) {
    if (source.nameOf(child) != (isObject ? "objectClass" : "interactionClass")) continue;
    const std::string name =
        above.empty() ? rowName(source, child) : above + '.' + rowName(source, child);
    visit(child, Class{isObject, name});
    eachClassBelow(source, child, isObject, name, visit);
  }
}

/// Calls `visit(element, class)` for all classes, each before those below it.
template <typename Visit>
void eachClass(const ModuleSource& source, Visit visit) {
  for (const ElementId table : source.children(ModuleSource::root())) {
    const std::string_view name = source.nameOf(table);
    if (name == "objects") eachClassBelow(source, table, true, {}, visit);
    if (name == "interactions") eachClassBelow(source, table, false, {}, visit);
  }
}

std::vector<std::string> words(const std::string& list) {
  std::vector<std::string> result;
  std::string word;
  for (const char c : list + ' ') {
    if (!omt::isBlank(c) && c != ',') {
      word += c;
    } else if (!word.empty()) {
      result.push_back(std::move(word));
      word.clear();
    }
  }
  return result;
}

/// One extraction: what goes, what is left, and both texts.
class Division {
 public:
  Division(const ModuleSource& source, const ExtractionRequest& request)
      : source_(source), request_(request), owners_(source.elements().size(), kOthers) {}

  tl::expected<Extraction, QString> run(bool checked, const std::function<bool()>& goOn) {
    if (source_.isFed()) {
      return fail(
          QStringLiteral("is of HLA 1.3, which has no modules. Convert it with tutti fom convert "
                         "--to 2010 first."));
    }
    if (source_.isOf2000()) {
      return fail(
          QStringLiteral("is of IEEE 1516-2000, which has no modules. Convert it with "
                         "tutti fom convert --to 2010 first."));
    }
    findRows();
    if (auto taken = takeClasses(); !taken) return tl::unexpected(taken.error());
    findOwners();
    findUses();
    decide();
    Extraction result;
    writeNew(result);
    changeOld(result);
    tell(result);
    if (!checked) return result;
    if (auto same = check(result, goOn); !same) return tl::unexpected(same.error());
    return result;
  }

 private:
  static constexpr int kOthers = -1;
  static constexpr int kTaken = -2;
  enum class Fate : std::uint8_t { Unused, Moves, Copied, Stays };

  struct Row {
    TableKind kind = TableKind::DataType;
    std::string name;
    ElementId id = noElement;
    std::set<int> users;  ///< rows, kTaken, kOthers
    Fate fate = Fate::Unused;
  };
  /// A class of the new module: one that goes, or one that is above it.
  struct Node {
    std::string name;
    ElementId id = noElement;
    bool taken = false;
    std::vector<std::size_t> below;
    std::map<std::string, std::size_t> byName;  ///< of below
  };

  tl::unexpected<QString> fail(const QString& what) const {
    return tl::unexpected(
        QStringLiteral("%1 %2").arg(QFileInfo(text(source_.displayName())).fileName(), what));
  }

  void addRows(ElementId table, TableKind kind) {
    for (const ElementId row : source_.children(table)) {
      const std::string name = rowName(source_, row);
      if (name.empty()) continue;
      // Of two of one name the first counts; the other stays where it is.
      if (byName_.try_emplace({kind, name}, static_cast<int>(rows_.size())).second) {
        rows_.push_back({kind, name, row, {}, Fate::Unused});
      }
    }
  }

  void findRows() {
    for (const ElementId table : source_.children(ModuleSource::root())) {
      const std::string_view name = source_.nameOf(table);
      if (name == "dimensions") addRows(table, TableKind::Dimension);
      if (name == "transportations") addRows(table, TableKind::Transportation);
      if (name == "notes") addRows(table, TableKind::Note);
      if (name != "dataTypes") continue;
      for (const ElementId kind : source_.children(table)) addRows(kind, TableKind::DataType);
    }
  }

  tl::expected<void, QString> takeClasses() {
    std::map<Class, ElementId> stated;
    eachClass(source_, [&](ElementId id, const Class& c) {
      if (const auto [found, isNew] = stated.try_emplace(c, id); !isNew) {
        // Stated twice: the definition is meant.
        if (!isDefined(source_, found->second)) found->second = id;
      }
    });
    for (const Class& wanted : request_.classes) {
      const auto found = stated.find(wanted);
      const QString name = text(wanted.fullName);
      if (found == stated.end()) return fail(QStringLiteral("has no class %1.").arg(name));
      if (name.indexOf(u'.') < 0) {
        return fail(QStringLiteral("cannot do without %1, which all modules have. Choose classes "
                                   "below it.")
                        .arg(name));
      }
      if (!isDefined(source_, found->second)) {
        return fail(QStringLiteral("only names %1; another module defines it. Choose classes that "
                                   "this module defines.")
                        .arg(name));
      }
      taken_.insert(found->second);
    }
    if (taken_.empty()) return fail(QStringLiteral("stays as it is: no class is chosen."));
    return {};
  }

  bool isTaken(ElementId id) const { return taken_.contains(id); }

  void findOwners() {
    std::map<ElementId, int> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) rows.emplace(rows_[i].id, static_cast<int>(i));
    // Parents stand before their children.
    for (ElementId id = 1; id < owners_.size(); ++id) {
      const int above = owners_[source_.at(id).parent];
      if (const auto row = rows.find(id); row != rows.end()) {
        owners_[id] = row->second;
      } else if (isTaken(id)) {
        owners_[id] = kTaken;
      } else if (isClassElement(source_.nameOf(id)) && !request_.withSubclasses) {
        owners_[id] = kOthers;
      } else {
        owners_[id] = above;
      }
    }
  }

  void use(TableKind kind, const std::string& name, int user) {
    const auto found = byName_.find({kind, name});
    if (found != byName_.end() && found->second != user)
      rows_[place(found->second)].users.insert(user);
  }

  static std::size_t place(int row) { return static_cast<std::size_t>(row); }

  /// What the new module has of the old one's identification.
  std::vector<ElementId> keptOfIdentification() const {
    std::vector<ElementId> kept;
    const ElementId old = source_.child(ModuleSource::root(), "modelIdentification");
    if (old == noElement) return kept;
    static const std::set<std::string_view> cells{
        "modificationDate",  "securityClassification", "copyright", "releaseRestriction",
        "applicationDomain", "useLimitation",          "poc"};
    for (const ElementId child : source_.children(old)) {
      const std::string_view name = source_.nameOf(child);
      const bool depends =
          name == "reference" && cellOf(source_, child, "type").value_or("") == "Dependency";
      if (depends || cells.contains(name)) kept.push_back(child);
    }
    return kept;
  }

  void findUses() {
    // They stay in the old module as well, with the notes that they refer to.
    const std::vector<ElementId> kept = keptOfIdentification();
    std::set<ElementId> inBoth(kept.begin(), kept.end());
    inBoth.insert(ModuleSource::root());
    for (ElementId id = 0; id < owners_.size(); ++id) {
      const int user = owners_[id];
      // Parents stand before their children.
      const ElementId above = source_.at(id).parent;
      if (above != noElement && above != ModuleSource::root() && inBoth.contains(above)) {
        inBoth.insert(id);
      }
      if (const auto notes = source_.attribute(id, "notes")) {
        for (const std::string& note : words(source_.resolved(notes->value))) {
          use(TableKind::Note, note, user);
          if (inBoth.contains(id)) use(TableKind::Note, note, kTaken);
        }
      }
      if (source_.at(id).firstChild != noElement) continue;
      const std::string_view cell = source_.nameOf(id);
      const bool isType = cell.ends_with("ataType") || cell == "representation";
      if (!isType && cell != "transportation" && cell != "dimension") continue;
      const std::string value = omt::collapsed(source_.rawText(id));
      if (isType) use(TableKind::DataType, value, user);
      if (cell == "transportation") use(TableKind::Transportation, value, user);
      if (cell != "dimension") continue;
      for (const std::string& name : words(value)) use(TableKind::Dimension, name, user);
    }
  }

  void decide() {
    // All that the classes use, directly or not.
    bool more = true;
    while (more) {
      more = false;
      for (Row& row : rows_) {
        const bool used = std::any_of(row.users.begin(), row.users.end(), [&](int user) {
          return user == kTaken || (user >= 0 && rows_[place(user)].fate != Fate::Unused);
        });
        if (!used || row.fate != Fate::Unused) continue;
        row.fate = Fate::Moves;
        more = true;
      }
    }
    // Of that, what is used by others as well.
    std::vector<bool> shared(rows_.size(), false);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto kind = nameKindOf(rows_[i].kind);
      shared[i] = kind && request_.usedElsewhere.contains({*kind, rows_[i].name});
    }
    for (more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        if (shared[i] || row.fate == Fate::Unused) continue;
        shared[i] = std::any_of(row.users.begin(), row.users.end(), [&](int user) {
          return user == kOthers ||
                 (user >= 0 && (shared[place(user)] || rows_[place(user)].fate == Fate::Unused));
        });
        more = more || shared[i];
      }
    }
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!shared[i] || rows_[i].fate == Fate::Unused) continue;
      // A note is looked for in the file that refers to it.
      rows_[i].fate = rows_[i].kind == TableKind::Note      ? Fate::Copied
                      : request_.shared == SharedRows::Stay ? Fate::Stays
                      : request_.shared == SharedRows::Copy ? Fate::Copied
                                                            : Fate::Moves;
    }
  }

  // The new module

  std::size_t nodeBelow(std::size_t above, ElementId id) {
    const std::string name = rowName(source_, id);
    const auto [found, isNew] = nodes_[above].byName.try_emplace(name, nodes_.size());
    const std::size_t node = found->second;
    if (isNew) {
      nodes_[above].below.push_back(node);
      nodes_.push_back({name, id, false, {}, {}});
    }
    return node;
  }

  /// The classes that go, below those above them: those of the result are the roots.
  std::vector<std::size_t> tree(std::string_view table) {
    const std::size_t top = nodes_.size();
    nodes_.push_back({std::string(), noElement, true, {}, {}});
    for (const ElementId id : taken_) {
      std::vector<ElementId> path;
      bool inside = false;
      for (ElementId up = id; isClassElement(source_.nameOf(up)); up = source_.at(up).parent) {
        path.push_back(up);
        inside = inside || (up != id && isTaken(up) && request_.withSubclasses);
      }
      if (inside || source_.nameOf(source_.at(path.back()).parent) != table) continue;
      std::size_t node = top;
      for (std::size_t i = path.size(); i-- > 0;) node = nodeBelow(node, path[i]);
      nodes_[node].taken = true;
      nodes_[node].id = id;
    }
    return nodes_[top].below;
  }

  std::string tag(std::string_view name) const {
    return prefixOf(source_, ModuleSource::root()) + std::string(name);
  }
  std::string line(const std::string& indent) const { return newlineOf(source_) + indent; }
  std::string cell(const std::string& indent, std::string_view name,
                   const std::string& value) const {
    return line(indent) + '<' + tag(name) + '>' + escapedText(value) + "</" + tag(name) + '>';
  }
  std::string copied(const std::string& indent, ElementId id) const {
    return line(indent) + copyOf(source_, id, source_, indent);
  }

  std::string written(const Node& node, std::string_view element, const std::string& indent) const {
    if (node.taken && request_.withSubclasses) return copied(indent, node.id);
    std::string result = line(indent) + '<' + tag(element) + '>';
    const std::string inner = indent + unit_;
    if (node.taken) {
      result = line(indent) + std::string(source_.text(source_.at(node.id).startTag));
      for (const ElementId child : source_.children(node.id)) {
        if (!isClassElement(source_.nameOf(child))) result += copied(inner, child);
      }
    } else {
      result += cell(inner, "name", node.name);
    }
    for (const std::size_t below : node.below) result += written(nodes_[below], element, inner);
    return result + line(indent) + "</" + tag(element) + '>';
  }

  void writeClasses(std::string& out, std::string_view table, std::string_view element) {
    const std::vector<std::size_t> roots = tree(table);
    if (roots.empty()) return;
    out += line(unit_) + '<' + tag(table) + '>';
    for (const std::size_t root : roots) out += written(nodes_[root], element, unit_ + unit_);
    out += line(unit_) + "</" + tag(table) + '>';
  }

  bool goes(ElementId id) const {
    const int row = owners_[id];
    return row >= 0 && rows_[place(row)].id == id &&
           (rows_[place(row)].fate == Fate::Moves || rows_[place(row)].fate == Fate::Copied);
  }

  /// The rows that go of a table, or of a table of tables.
  std::string writtenTable(ElementId table, const std::string& indent, bool ofTables) const {
    std::string rows;
    for (const ElementId child : source_.children(table)) {
      if (ofTables) {
        rows += writtenTable(child, indent + unit_, false);
      } else if (goes(child)) {
        rows += copied(indent + unit_, child);
      }
    }
    if (rows.empty()) return {};
    const std::string name = tag(source_.nameOf(table));
    return line(indent) + '<' + name + '>' + rows + line(indent) + "</" + name + '>';
  }

  void writeTables(std::string& out, std::string_view name) const {
    for (const ElementId table : source_.children(ModuleSource::root())) {
      if (source_.nameOf(table) == name) out += writtenTable(table, unit_, name == "dataTypes");
    }
  }

  /// As modules give the file of one that they depend on.
  static std::string uriOf(const std::string& path) {
    const QString file = QFileInfo(text(path)).fileName();
    return QUrl::toPercentEncoding(file, QByteArrayLiteral("/")).toStdString();
  }

  bool dependsOnOld() const {
    const bool below = std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) {
      return !node.taken && node.name != "HLAobjectRoot" && node.name != "HLAinteractionRoot";
    });
    return below || std::any_of(rows_.begin(), rows_.end(),
                                [](const Row& row) { return row.fate == Fate::Stays; });
  }

  bool oldDependsOnNew() const {
    const bool rows = std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.fate == Fate::Moves && std::any_of(row.users.begin(), row.users.end(), [&](int u) {
               return u == kOthers || (u >= 0 && rows_[place(u)].fate != Fate::Moves);
             });
    });
    return rows ||
           (!request_.withSubclasses &&
            std::any_of(taken_.begin(), taken_.end(), [&](ElementId id) { return !leaves(id); }));
  }

  void writeIdentification(std::string& out) const {
    const std::string inner = unit_ + unit_;
    out += line(unit_) + '<' + tag("modelIdentification") + '>';
    out += cell(inner, "name", request_.name);
    const ElementId old = source_.child(ModuleSource::root(), "modelIdentification");
    const std::string type =
        old == noElement ? std::string() : cellOf(source_, old, "type").value_or("");
    out += cell(inner, "type", type.empty() ? "FOM" : type);
    out += cell(inner, "version", "1.0");
    const std::vector<ElementId> kept = keptOfIdentification();
    const auto keep = [&](std::string_view name) {
      for (const ElementId child : kept) {
        if (source_.nameOf(child) == name) out += copied(inner, child);
      }
    };
    for (const char* name : {"modificationDate", "securityClassification", "copyright",
                             "releaseRestriction", "applicationDomain"}) {
      keep(name);
    }
    out += cell(inner, "description",
                "Classes that were part of " +
                    QFileInfo(text(source_.displayName())).fileName().toStdString() + ".");
    for (const char* name : {"useLimitation", "poc", "reference"}) keep(name);
    if (dependsOnOld()) {
      out += line(inner) + '<' + tag("reference") + '>' +
             cell(inner + unit_, "type", "Dependency") +
             cell(inner + unit_, "identification", uriOf(source_.displayName())) + line(inner) +
             "</" + tag("reference") + '>';
    }
    out += line(unit_) + "</" + tag("modelIdentification") + '>';
  }

  void writeNew(Extraction& result) {
    const ElementId first = source_.at(ModuleSource::root()).firstChild;
    unit_ = first == noElement ? "  " : indentOf(source_, first).value_or("  ");
    if (unit_.empty()) unit_ = "  ";
    const SourceElement& root = source_.at(ModuleSource::root());
    std::string classes;
    writeClasses(classes, "objects", "objectClass");
    writeClasses(classes, "interactions", "interactionClass");
    std::string& out = result.text;
    out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + newlineOf(source_);
    out += source_.text(root.startTag);
    writeIdentification(out);
    out += classes;
    for (const char* table : {"dimensions", "transportations", "dataTypes", "notes"}) {
      writeTables(out, table);
    }
    out +=
        newlineOf(source_) + "</" + std::string(source_.text(root.name)) + '>' + newlineOf(source_);
  }

  // The old module

  /// Whether nothing of a class that goes stays: no class below it.
  bool leaves(ElementId id) const {
    if (request_.withSubclasses) return true;
    const auto children = source_.children(id);
    return std::all_of(children.begin(), children.end(), [&](ElementId child) {
      return !isClassElement(source_.nameOf(child)) || (isTaken(child) && leaves(child));
    });
  }

  /// Whether a class or table has nothing left of what goes, not even a comment.
  bool isEmptied(ElementId id, const std::set<ElementId>& gone) const {
    const std::string_view name = source_.nameOf(id);
    const bool isClass = isClassElement(name);
    if (!isClass && !isTableOfRows(name) && name != "dataTypes") return false;
    if (isClass && (isTaken(id) || !isClassElement(source_.nameOf(source_.at(id).parent)))) {
      return false;
    }
    const auto children = source_.children(id);
    const bool empty = std::all_of(children.begin(), children.end(), [&](ElementId child) {
      return gone.contains(child) || (isClass && source_.nameOf(child) == "name");
    });
    if (!empty) return false;
    const auto runs = source_.runs(id);
    return std::none_of(runs.begin(), runs.end(),
                        [](const SourceRun& run) { return run.kind == SourceRun::Kind::Other; });
  }

  /// What is above those that go and has nothing else goes, too. Each is looked at once.
  void addEmptied(std::set<ElementId>& gone) const {
    std::set<ElementId> above;
    const auto look = [&](ElementId id) {
      const ElementId parent = source_.at(id).parent;
      if (parent != noElement && parent != ModuleSource::root()) above.insert(parent);
    };
    for (const ElementId id : gone) look(id);
    // The last one has none of the others above it: parents stand before their children.
    while (!above.empty()) {
      const ElementId id = *above.rbegin();
      above.erase(id);
      if (gone.contains(id) || !isEmptied(id, gone)) continue;
      gone.insert(id);
      look(id);
    }
  }

  static bool isTableOfRows(std::string_view name) {
    return name == "dimensions" || name == "transportations" || name == "notes" ||
           name.ends_with("DataTypes") || name == "basicDataRepresentations" ||
           name.ends_with("Representations");
  }

  void changeOld(Extraction& result) const {
    std::set<ElementId> gone;
    for (const ElementId id : taken_) {
      if (leaves(id)) gone.insert(id);
    }
    for (const Row& row : rows_) {
      if (row.fate == Fate::Moves) gone.insert(row.id);
    }
    addEmptied(gone);
    for (const ElementId id : taken_) {
      if (leaves(id)) continue;
      for (const ElementId child : source_.children(id)) {
        const std::string_view name = source_.nameOf(child);
        if (name != "name" && !isClassElement(name)) gone.insert(child);
      }
    }
    for (const ElementId id : gone) {
      bool inside = false;
      for (ElementId up = source_.at(id).parent; up != noElement; up = source_.at(up).parent) {
        inside = inside || gone.contains(up);
      }
      if (inside) continue;
      const Splices more = removeElement(source_, id);
      result.changes.insert(result.changes.end(), more.begin(), more.end());
    }
    const ElementId identification = source_.child(ModuleSource::root(), "modelIdentification");
    if (oldDependsOnNew() && identification != noElement) {
      const std::string of = uriOf(request_.file.empty() ? request_.name : request_.file);
      const Splices more = addElement(
          source_, identification,
          {"reference", "", {{"type", "Dependency", {}, {}}, {"identification", of, {}, {}}}, {}});
      result.changes.insert(result.changes.end(), more.begin(), more.end());
    }
    arrange(result.changes, source_.text().size());
  }

  void tell(Extraction& result) const {
    std::set<ElementId> above;
    for (const ElementId id : taken_) {
      for (ElementId up = source_.at(id).parent; isClassElement(source_.nameOf(up));
           up = source_.at(up).parent) {
        above.insert(up);
      }
    }
    eachClass(source_, [&](ElementId id, const Class& c) {
      if (!isDefined(source_, id)) return;
      const ExtractedRow told{c.isObject ? "object class" : "interaction class", c.fullName};
      const bool isRoot = c.fullName.find('.') == std::string::npos;
      if (owners_[id] == kTaken) {
        result.moved.push_back(told);
      } else if (above.contains(id) && !isRoot) {
        result.needed.push_back(told);
      }
    });
    for (const Row& row : rows_) {
      const ExtractedRow told{wordOf(row.kind), row.name};
      if (row.fate == Fate::Moves) result.moved.push_back(told);
      if (row.fate == Fate::Copied) result.copied.push_back(told);
      if (row.fate == Fate::Stays) result.needed.push_back(told);
    }
  }

  static tl::expected<omt::Merged, omt::Error> mergedWith(std::vector<omt::Module> modules,
                                                          const std::vector<omt::Module>& more) {
    modules.insert(modules.end(), more.begin(), more.end());
    return omt::merge(modules);
  }

  std::vector<omt::Module> readOthers() const {
    std::vector<omt::Module> modules;
    for (const ExtractionRequest::Other& other : request_.others) {
      // What cannot be read is not in the merged model either.
      if (!other.bytes) continue;
      if (auto module = omt::readModule(*other.bytes, other.file)) {
        modules.push_back(std::move(*module));
      }
    }
    return modules;
  }

  /// The two together are what the one was.
  tl::expected<void, QString> check(Extraction& result, const std::function<bool()>& goOn) const {
    const auto isGivenUp = [&] { return goOn && !goOn(); };
    const auto broken = [&](const std::string& why) {
      return fail(QStringLiteral("cannot be divided so: %1").arg(text(why)));
    };
    const std::string& name = source_.displayName();
    const auto before = omt::readModule(source_.bytes(), name);
    const auto old =
        omt::readModule(source_.bytesOf(spliced(source_.text(), result.changes)), name);
    const auto extracted = omt::readModule(result.text, request_.name);
    if (!before) return broken(before.error().toText());
    if (!old) return broken(old.error().toText());
    if (!extracted) return broken(extracted.error().toText());
    if (isGivenUp()) return tl::unexpected(QString());
    auto one = mergedWith({*before}, {});
    auto two = mergedWith({*old, *extracted}, {});
    if (!one) {
      // By itself it is no model, as it uses what others define.
      const std::vector<omt::Module> others = readOthers();
      if (isGivenUp()) return tl::unexpected(QString());
      auto all = mergedWith({*before}, others);
      if (!all) {
        // Nor are the two, for the same reason.
        if (two || two.error().message != one.error().message) {
          return broken(one.error().toText());
        }
        result.compared = Extraction::Compared::No;
        result.uncompared = text(all.error().toText());
        while (result.uncompared.endsWith(u'.')) result.uncompared.chop(1);
        return {};
      }
      one = std::move(all);
      two = mergedWith({*old, *extracted}, others);
      result.compared = Extraction::Compared::WithOthers;
    }
    if (!two) return broken(two.error().toText());
    if (isGivenUp()) return tl::unexpected(QString());
    DifferenceOptions options;
    options.matching.guess = false;
    options.withMim = true;
    const ModelDifference difference = differenceOf(one->model, two->model, options);
    for (const Difference& each : difference.differences) {
      // There is one module more, by another name.
      if (each.kind == EntryKind::Module) continue;
      // Merged models have the notes of each module.
      if (each.kind == EntryKind::Note && each.mark == Mark::Added) continue;
      return broken("merged, " + difference.pathOf(each).toStdString() +
                    " would not be what it was.");
    }
    return {};
  }

  const ModuleSource& source_;
  const ExtractionRequest& request_;
  std::vector<int> owners_;  ///< of each element: a row, kTaken or kOthers
  std::vector<Row> rows_;
  std::map<std::pair<TableKind, std::string>, int> byName_;
  std::set<ElementId> taken_;
  std::vector<Node> nodes_;
  std::string unit_;
};

}  // namespace

tl::expected<Extraction, QString> extractionOf(const ModuleSource& source,
                                               const ExtractionRequest& request,
                                               const std::function<bool()>& goOn) {
  return Division(source, request).run(true, goOn);
}

tl::expected<Extraction, QString> extractionUnchecked(const ModuleSource& source,
                                                      const ExtractionRequest& request) {
  return Division(source, request).run(false, {});
}

std::vector<Class> classesOf(const ModuleSource& source) {
  std::vector<Class> classes;
  eachClass(source, [&](ElementId id, const Class& c) {
    if (isDefined(source, id)) classes.push_back(c);
  });
  return classes;
}

}  // namespace tutti::fomedit
