// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/checks/stricter_rtis.h"

#include <QFileInfo>
#include <QHash>
#include <QSet>
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_edits.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

constexpr qsizetype mostFindings = 1000;

constexpr const char* kMak = "MAK RTI, as github.com/IVCTool/IVCT_Framework issue 171 reports";
constexpr const char* kOpenRtiReader = "OpenRTI, src/OpenRTI/FOMStringModuleBuilder.h";
constexpr const char* kOpenRtiServer = "OpenRTI, src/OpenRTI/ServerModel.cpp";
constexpr const char* kPorticoReader = "Portico, org/portico/impl/hla1516e/fomparser/FOM.java";
constexpr const char* kPorticoMerger = "Portico, org/portico/lrc/model/ModelMerger.java";
constexpr const char* kPorticoTypes = "Portico, github.com/openlvc/portico issue 212";
constexpr const char* kPorticoVariants = "Portico, github.com/openlvc/portico issue 214";
constexpr const char* kCerti = "CERTI, libCERTI/XmlParser2010.cc";

bool isOfModules(omt::Edition edition) {
  return edition == omt::Edition::Ieee2010 || edition == omt::Edition::Ieee2025;
}

QString nameOf(const CheckedModule& module) { return QFileInfo(module.path).fileName(); }

class StricterRtis {
 public:
  StricterRtis(std::span<const CheckedModule> modules, const omt::ObjectModel& model)
      : modules_(modules), model_(model) {}

  QList<Finding> run() {
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      for (const ElementId id : dataTypeRowsOf(modules_[i].source)) {
        firstTypes_.try_emplace(rowName(modules_[i].source, id), i);
      }
    }
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      if (!isOfModules(modules_[i].edition)) continue;
      module_ = &modules_[i];
      index_ = i;
      checkPrefix();
      checkRoots();
      checkDuplicates();
      checkElements();
    }
    checkTags();
    return findings_;
  }

 private:
  const ModuleSource& source() const { return module_->source; }

  static std::vector<ElementId> dataTypeRowsOf(const ModuleSource& source) {
    std::vector<ElementId> rows;
    for (ElementId id = 0; id < source.elements().size(); ++id) {
      if (isDataTypeRow(source, id)) rows.push_back(id);
    }
    return rows;
  }

  Finding* found(ElementId id, const char* rule, const char* by, const QString& what,
                 const QString& hint) {
    if (findings_.size() >= mostFindings) return nullptr;
    Finding f = findingAt(*module_, id, Level::Strict,
                          QLatin1String("strict/") + QLatin1String(rule), what, hint);
    f.source = QLatin1String(by);
    findings_ << f;
    return &findings_.back();
  }

  /// Portico compares names of elements with their prefixes.
  void checkPrefix() {
    const std::string prefix = prefixOf(source(), ModuleSource::root());
    if (prefix.empty()) return;
    found(
        ModuleSource::root(), "prefix", kPorticoReader,
        QStringLiteral("The elements have the prefix %1, with which Portico does not know them: it "
                       "reads no class of the module.")
            .arg(text(prefix)),
        QStringLiteral("Declare the namespace as the default one and leave the prefixes out."));
  }

  /// Portico wants the roots as the first classes.
  void checkRoots() {
    for (const auto& [table, element, root] :
         {std::tuple("objects", "objectClass", omt::objectRootName),
          std::tuple("interactions", "interactionClass", omt::interactionRootName)}) {
      const ElementId top = findTable(source(), {table});
      if (top == noElement) continue;
      const ElementId first = source().child(top, element);
      if (first == noElement || rowName(source(), first) == root) continue;
      found(first, "root-first", kPorticoReader,
            QStringLiteral("The first %1 is %2; Portico refuses a module in which it is not %3.")
                .arg(tag(element), text(rowName(source(), first)), text(root)),
            QStringLiteral("Put the classes into %1.").arg(text(root)));
    }
  }

  /// OpenRTI refuses a module that has a row twice, even if both are alike.
  void checkDuplicates() {
    for (const char* table : {"dimensions", "transportations"}) {
      const ElementId rows = findTable(source(), {table});
      if (rows == noElement) continue;
      std::unordered_map<std::string, ElementId> first;
      for (const ElementId id : source().children(rows)) {
        const std::string name = rowName(source(), id);
        if (name.empty()) continue;
        const auto [known, isNew] = first.try_emplace(name, id);
        if (!isNew) foundTwice(id, known->second, text(name));
      }
    }
    for (ElementId id = 0; id < source().elements().size(); ++id) {
      const std::string_view element = source().nameOf(id);
      if (!isClassElement(element) && element != "objects" && element != "interactions") continue;
      std::unordered_map<std::string, ElementId> first;
      for (const ElementId c : source().children(id)) {
        if (!isClassElement(source().nameOf(c))) continue;
        const auto [known, isNew] = first.try_emplace(rowName(source(), c), c);
        if (!isNew) foundTwice(c, known->second, text(fullNameOf(source(), c)));
      }
    }
  }

  void foundTwice(ElementId id, ElementId first, const QString& name) {
    Finding* f =
        found(id, "named-twice", kOpenRtiReader,
              QStringLiteral("%1 stands in this module twice; OpenRTI refuses that.").arg(name),
              QStringLiteral("Join both, or delete one."));
    if (f == nullptr) return;
    f->otherFile = module_->path;
    f->otherLine = source().lineOf(first);
    if (source().text(source().at(id).whole) == source().text(source().at(first).whole)) {
      f->fix = makeFix(QStringLiteral("Delete the second %1").arg(name),
                       removeElement(source(), id), true);
    }
  }

  void checkElements() {
    std::unordered_set<std::string> dimensions;
    if (const ElementId table = findTable(source(), {"dimensions"}); table != noElement) {
      for (const ElementId row : source().children(table))
        dimensions.insert(rowName(source(), row));
    }
    for (ElementId id = 0; id < source().elements().size(); ++id) {
      const std::string_view element = source().nameOf(id);
      if (element == "attribute" || element == "interactionClass") {
        checkDimensions(id, dimensions);
        checkTransportation(id);
      }
      if (element == "attribute" || element == "parameter") checkDataType(id);
      if (element == "alternative") checkAlternative(id);
      checkEmptyCells(id, element);
    }
  }

  void checkDimensions(ElementId id, const std::unordered_set<std::string>& own) {
    const ElementId list = source().child(id, "dimensions");
    if (list == noElement) return;
    for (const ElementId use : source().children(list)) {
      const std::string name = omt::collapsed(source().rawText(use));
      if (source().nameOf(use) != "dimension" || omt::meansNothing(name)) continue;
      if (own.contains(name)) continue;
      const omt::Dimension* defined = model_.findDimension(name);
      if (defined == nullptr) continue;  // no RTI loads that
      Finding* f = found(
          use, "dimension-elsewhere", kOpenRtiReader,
          QStringLiteral("%1 uses dimension %2, which this module does not define; OpenRTI refuses "
                         "it.")
              .arg(subjectOf(source(), id), text(name)),
          QStringLiteral("Repeat the dimension in this module as %1 has it.")
              .arg(placeText(model_, defined->where)));
      if (f == nullptr) return;
      f->otherFile = text(model_.fileOf(defined->where));
      f->otherLine = defined->where.line;
      f->fix = dimensionFix(name);
    }
  }

  /// The row of another module, copied.
  Fix dimensionFix(const std::string& name) const {
    for (const CheckedModule& other : modules_) {
      if (&other == module_ || other.source.isOf2000() != source().isOf2000()) continue;
      const ElementId row =
          findRow(other.source, findTable(other.source, {"dimensions"}), "dimension", name);
      if (row == noElement) continue;
      if (prefixOf(other.source, row) != prefixOf(source(), ModuleSource::root())) continue;
      NewElement copy{"dimension", {}, {}, {}};
      for (const ElementId cell : other.source.children(row)) {
        if (other.source.at(cell).firstChild != noElement) return {};
        copy.children.push_back({std::string(other.source.nameOf(cell)),
                                 omt::collapsed(other.source.rawText(cell)),
                                 {},
                                 {}});
      }
      return makeFix(QStringLiteral("Repeat dimension %1 here").arg(text(name)),
                     addToTable(source(), {"dimensions"}, copy), false);
    }
    return {};
  }

  void checkTransportation(ElementId id) {
    const std::string name = cellOf(source(), id, "transportation").value_or("");
    if (omt::meansNothing(name) || name == omt::reliableName || name == omt::bestEffortName) return;
    found(id, "transportation", kOpenRtiServer,
          QStringLiteral("%1 uses transportation type %2; OpenRTI knows no others than HLAreliable "
                         "and HLAbestEffort and refuses it.")
              .arg(subjectOf(source(), id), text(name)),
          QStringLiteral("Use one of these two where the module has to load there."));
  }

  void checkDataType(ElementId id) {
    const ElementId cell = source().child(id, "dataType");
    if (cell == noElement) {
      found(
          id, "no-datatype", kPorticoReader,
          QStringLiteral("%1 has no <dataType>; Portico refuses it.").arg(subjectOf(source(), id)),
          QStringLiteral("Name one of a datatype table."));
      return;
    }
    const std::string name = omt::collapsed(source().rawText(cell));
    if (omt::meansNothing(name)) return;
    if (model_.findDataType(name) == nullptr && !firstTypes_.contains(name)) {
      if (!missingTypes_.insert(name).second) return;
      found(id, "datatype-missing", kPorticoTypes,
            QStringLiteral("%1 is of datatype %2, which no module has; Portico refuses it.")
                .arg(subjectOf(source(), id), text(name)),
            QStringLiteral("Add the module that defines %1.").arg(text(name)));
      return;
    }
    // The first module is what the others are merged into: its names are looked up at the end.
    const auto first = firstTypes_.find(name);
    if (index_ == 0 || first == firstTypes_.end() || first->second <= index_ || isOfMim(name))
      return;
    if (!laterModules_.insert({index_, first->second}).second) return;
    found(cell, "datatype-later", kPorticoMerger,
          QStringLiteral("%1 is of datatype %2, which is in a later module, %3; Portico refuses "
                         "modules in this order.")
              .arg(subjectOf(source(), id), text(name), nameOf(modules_[first->second])),
          QStringLiteral("Give %1 before %2.")
              .arg(nameOf(modules_[first->second]), nameOf(*module_)));
  }

  bool isOfMim(const std::string& name) const {
    const omt::DataType* type = model_.findDataType(name);
    return type != nullptr && model_.modules()[type->where.module].isMim;
  }

  void checkAlternative(ElementId id) {
    if (source().child(id, "dataType") != noElement) return;
    Finding* f = found(id, "alternative-datatype", kPorticoVariants,
                       QStringLiteral("Alternative %1 has no <dataType>; Portico refuses it.")
                           .arg(subjectOf(source(), id)),
                       QStringLiteral("Write NA where it carries no data."));
    if (f == nullptr) return;
    f->fix = makeFix(QStringLiteral("Add <dataType>NA</dataType>"),
                     addElement(source(), id, {"dataType", "NA", {}, {}}), true);
  }

  /// CERTI asks each of these for its text and refuses the file where there is none.
  void checkEmptyCells(ElementId id, std::string_view element) {
    if (element != "name" && element != "transportation" && element != "order") return;
    const ElementId parent = source().at(id).parent;
    if (parent == noElement || source().at(id).firstChild != noElement) return;
    const std::string_view row = source().nameOf(parent);
    if (!isClassElement(row) && row != "attribute" && row != "parameter") return;
    if (!source().rawText(id).empty()) return;
    Finding* f = found(id, "empty-cell", kCerti,
                       QStringLiteral("%1 of %2 is empty; CERTI refuses it.")
                           .arg(tag(element), subjectOf(source(), parent)),
                       element == "name" ? QStringLiteral("Name it, or delete the row.")
                                         : QStringLiteral("Delete the empty element."));
    if (f == nullptr || element == "name") return;
    f->fix = deletionOf(source(), id, tag(element));
  }

  /// What a module says of user-supplied tags, row by row.
  static std::map<std::string, std::string> tagsOf(const ModuleSource& source, ElementId table) {
    std::map<std::string, std::string> rows;
    for (const ElementId row : source.children(table)) {
      const std::string type = cellOf(source, row, "dataType").value_or("");
      if (!omt::meansNothing(type)) rows.emplace(source.nameOf(row), type);
    }
    return rows;
  }

  /// MAK's RTI, unless told to be lenient: the table is the same in all modules that have it, and
  /// an empty table is one.
  void checkTags() {
    std::vector<std::pair<const CheckedModule*, ElementId>> tables;
    for (const CheckedModule& module : modules_) {
      if (!isOfModules(module.edition)) continue;
      const ElementId table = findTable(module.source, {"tags"});
      if (table != noElement) tables.emplace_back(&module, table);
    }
    // The table that says most is the one to agree with.
    const auto most =
        std::max_element(tables.begin(), tables.end(), [](const auto& a, const auto& b) {
          return tagsOf(a.first->source, a.second).size() <
                 tagsOf(b.first->source, b.second).size();
        });
    if (most == tables.end()) return;
    const auto wanted = tagsOf(most->first->source, most->second);
    for (const auto& [module, table] : tables) {
      const auto mine = tagsOf(module->source, table);
      if (mine == wanted) continue;
      module_ = module;
      Finding* f = found(
          table, "tags", kMak,
          mine.empty() ? QStringLiteral(
                             "The table of user-supplied tags names no datatype here, unlike that "
                             "of %1; the MAK RTI in its strict setting refuses to merge them.")
                             .arg(nameOf(*most->first))
                       : QStringLiteral(
                             "The table of user-supplied tags differs from that of %1; the MAK RTI "
                             "in its strict setting refuses to merge them.")
                             .arg(nameOf(*most->first)),
          mine.empty() ? QStringLiteral("Delete the table: leaving it out agrees with any.")
                       : QStringLiteral("Make both the same, or leave one out."));
      if (f == nullptr) return;
      f->otherFile = most->first->path;
      f->otherLine = most->first->source.lineOf(most->second);
      if (mine.empty()) {
        f->fix = deletionOf(module->source, table, QStringLiteral("table of tags"));
      }
    }
  }

  std::span<const CheckedModule> modules_;
  const omt::ObjectModel& model_;
  const CheckedModule* module_ = nullptr;
  std::size_t index_ = 0;
  std::unordered_set<std::string> missingTypes_;             ///< said already
  std::unordered_map<std::string, std::size_t> firstTypes_;  ///< datatype: the first module with it
  std::set<std::pair<std::size_t, std::size_t>> laterModules_;  ///< said already
  QList<Finding> findings_;
};

}  // namespace

QList<Finding> stricterRtiFindings(std::span<const CheckedModule> modules,
                                   const omt::ObjectModel& model) {
  return StricterRtis(modules, model).run();
}

}  // namespace tutti::fomedit
