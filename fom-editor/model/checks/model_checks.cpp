// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/checks/model_checks.h"

#include <QFileInfo>
#include <QHash>
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "fom-editor/model/element_order.h"
#include "fom-editor/model/module_edits.h"
#include "omt/text.h"

namespace tutti::fomedit {

namespace {

constexpr qsizetype mostFindings = 1000;

bool isAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// A number of elements for each dimension of an array: "3", "3, 4".
bool isNumbers(std::string_view cardinality) {
  for (;;) {
    const std::size_t comma = std::min(cardinality.find(','), cardinality.size());
    const std::string number = omt::trimmed(cardinality.substr(0, comma));
    if (number.empty() || !std::all_of(number.begin(), number.end(), isDigit)) return false;
    if (comma == cardinality.size()) return true;
    cardinality.remove_prefix(comma + 1);
  }
}

/// "Dynamic", "[1..10]".
bool isDynamic(std::string_view cardinality) {
  return omt::sameIgnoringCase(cardinality, "Dynamic") ||
         cardinality.find("..") != std::string_view::npos;
}

std::string lowered(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

/// Why a name is none by IEEE 1516.2-2010, 3.3.1; empty: it is one.
QString faultOfName(const std::string& name) {
  const std::string low = lowered(name);
  if (low == "na") return QStringLiteral("which the standard keeps for cells without content");
  if (low.starts_with("hla") && !name.starts_with("HLA")) {
    return QStringLiteral("and the standard keeps names that begin with HLA, in whatever case");
  }
  for (const char c : name) {
    if (isAsciiLetter(c) || isDigit(c) || c == '-' || c == '_') continue;
    if (c == ' ') return QStringLiteral("which has a space");
    if (c == '.') return QStringLiteral("which has a period; it separates the names of classes");
    if (static_cast<unsigned char>(c) >= 0x80) {
      return QStringLiteral("which has a character that is no letter of ASCII");
    }
    return QStringLiteral("which has the character %1").arg(QLatin1Char(c));
  }
  if (isDigit(name.front())) return QStringLiteral("which begins with a digit");
  if (name.front() == '-') return QStringLiteral("which begins with -");
  return {};
}

class ModelChecks {
 public:
  ModelChecks(std::span<const CheckedModule> modules, const omt::ObjectModel& model)
      : modules_(modules), model_(model) {}

  QList<Finding> run() {
    for (const CheckedModule& module : modules_) {
      module_ = &module;
      checkNames();
      checkEncodings();
    }
    checkDataTypeCircles();
    checkClassCircles();
    checkDefinedAgain();
    checkCase();
    checkUnused();
    return findings_;
  }

 private:
  const ModuleSource& source() const { return module_->source; }

  Finding* add(Finding f) {
    if (findings_.size() >= mostFindings) return nullptr;
    findings_ << std::move(f);
    return &findings_.back();
  }

  static bool isNamedRow(const ModuleSource& source, ElementId id) {
    const std::string_view element = source.nameOf(id);
    if (isClassElement(element) || element == "attribute" || element == "parameter" ||
        element == "field" || element == "enumerator" || isDataTypeRow(source, id)) {
      return true;
    }
    const ElementId table = source.at(id).parent;
    if (table == noElement || source.at(table).parent != ModuleSource::root()) return false;
    return element == "dimension" || element == "transportation" || element == "updateRate";
  }

  void checkNames() {
    for (ElementId id = 1; id < source().elements().size(); ++id) {
      if (!isNamedRow(source(), id)) continue;
      const std::string name = rowName(source(), id);
      if (name.empty()) continue;  // the reader says so
      const QString fault = faultOfName(name);
      if (fault.isEmpty()) continue;
      Finding* f = add(findingAt(
          *module_, id, Level::Complete, QStringLiteral("dif/name"),
          QStringLiteral("%1 is called %2, %3.")
              .arg(tag(source().nameOf(id)), text(omt::shortened(name)), fault),
          QStringLiteral("Names are letters, digits, - and _, and begin with a letter or _.")));
      if (f == nullptr) return;
      f->source = QStringLiteral("IEEE 1516.2-2010, 3.3.1");
    }
  }

  /// An encoding for a row that names none.
  struct Encoding {
    std::string name;      ///< empty: no single one fits
    bool certain = false;  ///< the standard has no other for such a row
  };

  /// IEEE 1516.2-2010, 4.13; IEEE 1516.2-2025 has a second one for variant records.
  Encoding usualEncoding(ElementId id) const {
    const std::string_view element = source().nameOf(id);
    if (element == "fixedRecordData") return {"HLAfixedRecord", true};
    if (element == "variantRecordData") {
      return {"HLAvariantRecord", module_->edition != omt::Edition::Ieee2025};
    }
    const std::string cardinality = cellOf(source(), id, "cardinality").value_or("");
    if (isNumbers(cardinality)) return {"HLAfixedArray", true};
    if (isDynamic(cardinality)) return {"HLAvariableArray", false};
    return {};
  }

  void checkEncodings() {
    for (ElementId id = 0; id < source().elements().size(); ++id) {
      if (!isDataTypeRow(source(), id) || isTemplate(source(), rowName(source(), id))) continue;
      const std::string_view element = source().nameOf(id);
      if (element != "fixedRecordData" && element != "variantRecordData" &&
          element != "arrayData") {
        continue;
      }
      const std::string given = cellOf(source(), id, "encoding").value_or("");
      const QString name = text(rowName(source(), id));
      if (omt::meansNothing(given)) {
        const Encoding usual = usualEncoding(id);
        const QString encoding = text(usual.name);
        Finding* f = add(findingAt(*module_, id, Level::Complete, QStringLiteral("dif/encoding"),
                                   QStringLiteral("%1 has no encoding.").arg(name),
                                   encoding.isEmpty()
                                       ? QStringLiteral("Name one, and a cardinality that fits.")
                                       : QStringLiteral("Name one, such as %1.").arg(encoding)));
        if (f == nullptr) return;
        if (encoding.isEmpty()) continue;
        f->fix = makeFix(QStringLiteral("Write %1").arg(encoding),
                         setCell(source(), id, "encoding", usual.name), usual.certain);
        continue;
      }
      const std::string cardinality = cellOf(source(), id, "cardinality").value_or("");
      if (given == "HLAfixedArray" && isDynamic(cardinality)) {
        Finding* f = add(findingAt(
            *module_, id, Level::Complete, QStringLiteral("dif/encoding"),
            QStringLiteral(
                "%1 has cardinality %2 and the encoding HLAfixedArray, with which nobody "
                "knows how many elements follow.")
                .arg(name, text(cardinality)),
            QStringLiteral("Give it a number of elements, or the encoding HLAvariableArray.")));
        if (f == nullptr) return;
        f->fix = makeFix(QStringLiteral("Write HLAvariableArray"),
                         setCell(source(), id, "encoding", "HLAvariableArray"), false);
      }
    }
  }

  /// Datatypes that one has parts of. `fixed`: each value has such a part.
  struct Part {
    std::string type;
    bool fixed = true;
  };
  static std::vector<Part> partsOf(const omt::DataType& type) {
    std::vector<Part> parts;
    for (const omt::RecordField& field : type.fields) parts.push_back({field.dataType, true});
    for (const omt::VariantAlternative& a : type.alternatives) parts.push_back({a.dataType, false});
    if (!type.elementType.empty()) {
      parts.push_back({type.elementType, isNumbers(type.cardinality)});
    }
    return parts;
  }

  /// Depth first, without recursion: what is on the way when it is met again closes a circle.
  void checkDataTypeCircles() {
    const std::size_t count = model_.dataTypes().size();
    std::vector<std::uint8_t> state(count, 0);  // 1: on the way, 2: done
    struct Step {
      std::size_t type;
      std::vector<Part> parts;
      std::size_t next = 0;
    };
    for (std::size_t start = 0; start < count; ++start) {
      if (state[start] != 0) continue;
      std::vector<Step> way;
      way.push_back({start, partsOf(model_.dataTypes()[start])});
      state[start] = 1;
      while (!way.empty()) {
        Step& step = way.back();
        if (step.next == step.parts.size()) {
          state[step.type] = 2;
          way.pop_back();
          continue;
        }
        const omt::DataType* part = model_.findDataType(step.parts[step.next++].type);
        if (part == nullptr) continue;
        const auto index = static_cast<std::size_t>(part - model_.dataTypes().data());
        if (state[index] == 0) {
          state[index] = 1;
          way.push_back({index, partsOf(*part)});
        } else if (state[index] == 1) {
          std::vector<std::size_t> circle;
          bool fixed = true;
          bool inside = false;
          for (const Step& s : way) {
            inside = inside || s.type == index;
            if (!inside) continue;
            circle.push_back(s.type);
            fixed = fixed && s.parts[s.next - 1].fixed;
          }
          foundCircle(circle, fixed);
        }
      }
    }
  }

  void foundCircle(const std::vector<std::size_t>& circle, bool fixed) {
    const omt::DataType& first = model_.dataTypes()[circle.front()];
    if (model_.modules()[first.where.module].isMim) return;
    QStringList names;
    for (const std::size_t type : circle) names << text(model_.dataTypes()[type].name);
    names << names.front();
    Finding f;
    f.level = Level::Complete;
    f.isStyle = !fixed;
    f.rule = QStringLiteral("dif/circle");
    f.text = fixed ? QStringLiteral("%1 contains itself (%2), so that no value of it has an end.")
                         .arg(text(first.name), names.join(QStringLiteral(" > ")))
                   : QStringLiteral("%1 contains itself (%2); many encoders do not offer that.")
                         .arg(text(first.name), names.join(QStringLiteral(" > ")));
    f.hint =
        QStringLiteral("Break the circle, for instance with an identifier in place of a value.");
    f.file = text(model_.fileOf(first.where));
    f.line = first.where.line;
    f.item = itemPath(model_, {ItemKind::DataType, static_cast<std::uint32_t>(circle.front() + 1)});
    add(std::move(f));
  }

  /// Modules extend classes of others. A module that extends a class of another one, which extends
  /// one of its own, can be given neither before nor after it.
  void checkClassCircles() {
    std::unordered_map<std::string, std::size_t> definedIn;
    std::vector<std::map<std::size_t, ElementId>> needs(modules_.size());  ///< module: where
    const auto each = [&](const auto& visit) {
      for (std::size_t i = 0; i < modules_.size(); ++i) {
        if (modules_[i].edition != omt::Edition::Ieee2010 &&
            modules_[i].edition != omt::Edition::Ieee2025) {
          continue;
        }
        const ModuleSource& source = modules_[i].source;
        for (ElementId id = 0; id < source.elements().size(); ++id) {
          if (!isClassElement(source.nameOf(id))) continue;
          visit(i, source, id);
        }
      }
    };
    each([&](std::size_t i, const ModuleSource& source, ElementId id) {
      if (!isScaffolding(source, id)) definedIn.try_emplace(fullNameOf(source, id), i);
    });
    each([&](std::size_t i, const ModuleSource& source, ElementId id) {
      if (!isScaffolding(source, id)) return;
      const auto found = definedIn.find(fullNameOf(source, id));
      if (found != definedIn.end() && found->second != i) needs[i].try_emplace(found->second, id);
    });
    std::set<std::size_t> told;
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      if (told.contains(i)) continue;
      const std::vector<std::size_t> way = wayBack(needs, i);
      if (way.empty()) continue;
      told.insert(way.begin(), way.end());
      QStringList names;
      for (const std::size_t m : way) names << QFileInfo(modules_[m].path).fileName();
      names << names.front();
      const std::size_t next = way.size() > 1 ? way[1] : way[0];
      Finding f = findingAt(
          modules_[i], needs[i].at(next), Level::Strict, QStringLiteral("strict/circular-modules"),
          QStringLiteral(
              "Classes of these modules extend each other in a circle: %1; FOM modules may "
              "not depend on each other so.")
              .arg(names.join(QStringLiteral(" > "))),
          QStringLiteral("Put the classes that are extended into one module."));
      f.source = QStringLiteral("Pitch Technologies, An Introduction to FOM Modules");
      add(std::move(f));
    }
  }

  /// The shortest way from a module over its needs back to it; empty: there is none.
  static std::vector<std::size_t> wayBack(
      const std::vector<std::map<std::size_t, ElementId>>& needs, std::size_t start) {
    std::map<std::size_t, std::size_t> from;
    std::vector<std::size_t> queue{start};
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (const auto& [next, where] : needs[queue[at]]) {
        if (next == start) {
          std::vector<std::size_t> way;
          for (std::size_t m = queue[at]; m != start; m = from.at(m)) way.push_back(m);
          way.push_back(start);
          std::reverse(way.begin(), way.end());
          return way;
        }
        if (from.try_emplace(next, queue[at]).second) queue.push_back(next);
      }
    }
    return {};
  }

  struct Place {
    const CheckedModule* module;
    ElementId id;
  };

  void checkDefinedAgain() {
    std::unordered_map<std::string, Place> first;
    for (const CheckedModule& module : modules_) {
      const ModuleSource& source = module.source;
      std::vector<ElementId> ofMim;
      for (ElementId id = 0; id < source.elements().size(); ++id) {
        if (!isDataTypeRow(source, id)) continue;
        const std::string name = rowName(source, id);
        if (name.empty() || isTemplate(source, name)) continue;
        const omt::DataType* known = model_.findDataType(name);
        if (known != nullptr && model_.modules()[known->where.module].isMim) {
          ofMim.push_back(id);
          continue;
        }
        const auto [place, isNew] = first.try_emplace(name, Place{&module, id});
        if (isNew) continue;
        Finding f = findingAt(
            module, id, Level::Described, QStringLiteral("style/defined-again"), {},
            QStringLiteral("Delete it here where the module is never used without the other."));
        f.isStyle = true;
        f.otherFile = place->second.module->path;
        f.otherLine = place->second.module->source.lineOf(place->second.id);
        f.text = QStringLiteral("%1 is defined in %2 already.")
                     .arg(text(name), placeText(f.otherFile, f.otherLine));
        f.fix = makeFix(QStringLiteral("Delete %1 here").arg(text(name)), removeElement(source, id),
                        false);
        if (add(std::move(f)) == nullptr) return;
      }
      foundOfMim(module, ofMim);
    }
  }

  /// One finding of the module: who repeats one mostly repeats all.
  void foundOfMim(const CheckedModule& module, const std::vector<ElementId>& rows) {
    if (rows.empty()) return;
    const ModuleSource& source = module.source;
    const QString name = text(rowName(source, rows.front()));
    Finding f = findingAt(
        module, rows.front(), Level::Described, QStringLiteral("style/defined-again"),
        rows.size() == 1
            ? QStringLiteral("%1 is a datatype of the MIM and need not be defined again.").arg(name)
            : QStringLiteral(
                  "%1 and %2 more are datatypes of the MIM and need not be defined again.")
                  .arg(name)
                  .arg(rows.size() - 1),
        QStringLiteral("Delete them here."));
    f.isStyle = true;
    Splices splices;
    for (const ElementId row : rows) {
      const Splices more = removeElement(source, row);
      splices.insert(splices.end(), more.begin(), more.end());
    }
    f.fix = makeFix(QStringLiteral("Delete what the MIM defines"), std::move(splices), false);
    add(std::move(f));
  }

  /// What editors of IEEE 1516-2000 have left of the template.
  static bool isTemplate(const ModuleSource& source, std::string_view name) {
    return source.isOf2000() && (name == "nmtoken" || name == "nmtokens");
  }

  /// Names of one kind, of all modules.
  template <typename Rows, typename NameOf, typename ItemOf>
  void checkCaseOf(const Rows& rows, const NameOf& nameOf, const ItemOf& itemOf) {
    std::unordered_map<std::string, const typename Rows::value_type*> first;
    for (const auto& row : rows) {
      const std::string name = nameOf(row);
      const auto [known, isNew] = first.try_emplace(lowered(name), &row);
      if (isNew || nameOf(*known->second) == name) continue;
      if (model_.modules()[row.where.module].isMim) continue;
      Finding f;
      f.level = Level::Described;
      f.isStyle = true;
      f.rule = QStringLiteral("style/case");
      f.text = QStringLiteral("%1 and %2 differ in case only.")
                   .arg(text(name), text(nameOf(*known->second)));
      f.hint =
          QStringLiteral("Rename one: names are case-sensitive, people and file systems are not.");
      f.file = text(model_.fileOf(row.where));
      f.line = row.where.line;
      f.otherFile = text(model_.fileOf(known->second->where));
      f.otherLine = known->second->where.line;
      f.item = itemPath(model_, itemOf(row));
      if (add(std::move(f)) == nullptr) return;
    }
  }

  void checkCase() {
    checkCaseOf(
        model_.objectClasses(), [](const omt::ObjectClass& c) { return c.fullName; },
        [](const omt::ObjectClass& c) {
          return Item{ItemKind::ObjectClass, c.handle};
        });
    checkCaseOf(
        model_.interactionClasses(), [](const omt::InteractionClass& c) { return c.fullName; },
        [](const omt::InteractionClass& c) {
          return Item{ItemKind::InteractionClass, c.handle};
        });
    checkCaseOf(
        model_.attributes(),
        [&](const omt::Attribute& a) {
          return model_.objectClass(a.declaringClass)->fullName + '.' + a.name;
        },
        [](const omt::Attribute& a) {
          return Item{ItemKind::ObjectClass, a.declaringClass};
        });
    checkCaseOf(
        model_.parameters(),
        [&](const omt::Parameter& p) {
          return model_.interactionClass(p.declaringClass)->fullName + '.' + p.name;
        },
        [](const omt::Parameter& p) {
          return Item{ItemKind::InteractionClass, p.declaringClass};
        });
    checkCaseOf(
        model_.dataTypes(), [](const omt::DataType& t) { return t.name; },
        [&](const omt::DataType& t) {
          return Item{ItemKind::DataType,
                      static_cast<std::uint32_t>(&t - model_.dataTypes().data() + 1)};
        });
  }

  std::unordered_set<std::string> usedTypes() const {
    std::unordered_set<std::string> used;
    for (const omt::Attribute& a : model_.attributes()) used.insert(a.dataType);
    for (const omt::Parameter& p : model_.parameters()) used.insert(p.dataType);
    for (const omt::Dimension& d : model_.dimensions()) used.insert(d.dataType);
    for (const omt::SynchronizationPoint& p : model_.synchronizationPoints()) {
      used.insert(p.dataType);
    }
    const omt::UserTags& tags = model_.userTags();
    for (const omt::TypeUse* use :
         {&model_.timeStamp(), &model_.lookahead(), &tags.updateReflect, &tags.sendReceive,
          &tags.deleteRemove, &tags.divestitureRequest, &tags.divestitureCompletion,
          &tags.acquisitionRequest, &tags.requestUpdate}) {
      used.insert(use->dataType);
    }
    for (const omt::DataType& t : model_.dataTypes()) {
      used.insert(t.representation);
      used.insert(t.discriminantType);
      for (const Part& part : partsOf(t)) used.insert(part.type);
    }
    return used;
  }

  void checkUnused() {
    const std::unordered_set<std::string> used = usedTypes();
    std::unordered_map<std::string, const CheckedModule*> files;
    for (const CheckedModule& module : modules_) files.emplace(module.path.toStdString(), &module);
    for (const omt::DataType& t : model_.dataTypes()) {
      if (model_.modules()[t.where.module].isMim || used.contains(t.name)) continue;
      const auto file = files.find(model_.fileOf(t.where));
      if (file == files.end()) continue;  // of HLA 1.3
      const ModuleSource& source = file->second->source;
      const auto [row, isNew] = rowsOf(source).try_emplace(t.name, noElement);
      if (row->second == noElement) continue;
      Finding f = findingAt(*file->second, row->second, Level::Described,
                            QStringLiteral("style/unused-datatype"),
                            QStringLiteral("Nothing uses datatype %1.").arg(text(t.name)),
                            QStringLiteral("Delete it, unless other modules use it."));
      f.isStyle = true;
      f.fix = makeFix(QStringLiteral("Delete %1").arg(text(t.name)),
                      removeElement(source, row->second), false);
      if (add(std::move(f)) == nullptr) return;
    }
  }

  std::unordered_map<std::string, ElementId>& rowsOf(const ModuleSource& source) {
    auto& rows = rows_[&source];
    if (!rows.empty()) return rows;
    for (ElementId id = 0; id < source.elements().size(); ++id) {
      if (isDataTypeRow(source, id)) rows.try_emplace(rowName(source, id), id);
    }
    return rows;
  }

  std::span<const CheckedModule> modules_;
  const omt::ObjectModel& model_;
  const CheckedModule* module_ = nullptr;
  std::unordered_map<const ModuleSource*, std::unordered_map<std::string, ElementId>> rows_;
  QList<Finding> findings_;
};

}  // namespace

QList<Finding> modelFindings(std::span<const CheckedModule> modules,
                             const omt::ObjectModel& model) {
  return ModelChecks(modules, model).run();
}

void addFixesOfMerging(const CheckedModule& module, QList<Finding>& findings) {
  const ModuleSource& source = module.source;
  const QString boundHint = QStringLiteral("Write an <upperBound>");
  const QString memberHint = QStringLiteral("Delete it here.");
  const auto canBeFixed = [&](const Finding& f) {
    return f.level == Level::Complete && f.line > 0 && f.file == module.path &&
           (f.hint.startsWith(boundHint) || f.hint == memberHint);
  };
  if (std::none_of(findings.begin(), findings.end(), canBeFixed)) return;

  // One walk for all findings: a module may stand on one line.
  struct Only {
    ElementId id = noElement;
    bool several = false;
    void add(ElementId other) {
      several = id != noElement;
      id = other;
    }
  };
  std::unordered_map<int, Only> dimensions;  // line: dimension without bound
  std::unordered_map<int, Only> members;     // line: attribute or parameter
  int line = 1;
  std::size_t place = 0;
  for (ElementId id = 0; id < source.elements().size(); ++id) {
    const SourceElement& e = source.at(id);
    const std::string_view passed = source.text({place, e.whole.begin});
    line += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    place = e.whole.begin;
    const std::string_view element = source.nameOf(id);
    if (element == "attribute" || element == "parameter") members[line].add(id);
    if (element == "dimension" && e.parent != noElement &&
        source.at(e.parent).parent == ModuleSource::root() && !cellOf(source, id, "upperBound")) {
      dimensions[line].add(id);
    }
  }
  for (Finding& f : findings) {
    if (!canBeFixed(f)) continue;
    const bool isBound = f.hint.startsWith(boundHint);
    const auto& lines = isBound ? dimensions : members;
    const auto at = lines.find(f.line);
    if (at == lines.end() || at->second.several) continue;
    const ElementId id = at->second.id;
    f.fix = isBound ? makeFix(QStringLiteral("Write the bound that is used, 4294967295"),
                              setCell(source, id, "upperBound", "4294967295"), false)
                    : makeFix(QStringLiteral("Delete %1 here").arg(subjectOf(source, id)),
                              removeElement(source, id), false);
  }
}

}  // namespace tutti::fomedit
