// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/model_changes.h"

#include <QFileInfo>
#include <QHash>
#include <QRegularExpression>
#include <algorithm>

#include "fom-editor/model/data_type_checks.h"
#include "fom-editor/model/edit_draft.h"
#include "fom-editor/model/element_order.h"
#include "fom-editor/model/fed_source.h"
#include "fom-editor/model/model_fed.h"
#include "fom-editor/model/model_references.h"
#include "fom-editor/model/module_edits.h"
#include "fom-editor/model/note_table.h"
#include "omt/words.h"

namespace tutti::fomedit {

namespace {

QString qt(std::string_view utf8) {
  return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

template <typename Words>
QStringList choicesOf(const Words& words) {
  QStringList choices;
  for (const auto& w : words) choices << qt(w.text);
  return choices;
}

QStringList listed(const QString& text) {
  QStringList names;
  for (const QString& part : text.split(u',')) {
    if (!part.trimmed().isEmpty()) names << part.trimmed();
  }
  return names;
}

/// The columns of the tables as a person knows them.
QString cellWord(const QString& cell) {
  static const QHash<QString, QString> words{
      {QStringLiteral("dataType"), QStringLiteral("datatype")},
      {QStringLiteral("updateType"), QStringLiteral("update type")},
      {QStringLiteral("updateCondition"), QStringLiteral("update condition")},
      {QStringLiteral("upperBound"), QStringLiteral("upper bound")},
      {QStringLiteral("value"), QStringLiteral("value")},
      {QStringLiteral("endian"), QStringLiteral("byte order")},
      {QStringLiteral("units"), QStringLiteral("unit")},
      {QStringLiteral("applicationDomain"), QStringLiteral("application domain")},
      {QStringLiteral("modificationDate"), QStringLiteral("modification date")},
      {QStringLiteral("securityClassification"), QStringLiteral("security classification")},
      {QStringLiteral("useLimitation"), QStringLiteral("use limitation")},
      {QStringLiteral("pocType"), QStringLiteral("type")},
      {QStringLiteral("pocName"), QStringLiteral("name")},
      {QStringLiteral("pocOrg"), QStringLiteral("organization")},
      {QStringLiteral("pocPhone"), QStringLiteral("telephone")},
      {QStringLiteral("pocEmail"), QStringLiteral("email")},
      {QStringLiteral("keywordValue"), QStringLiteral("keyword")},
      {QStringLiteral("referenceClass"), QStringLiteral("referenced class")},
      {QStringLiteral("referencedAttribute"), QStringLiteral("referenced attribute")}};
  return words.value(cell, cell);
}

/// What IEEE 1516-2000 calls the cells of the identification.
QString identificationCell(const QString& cell, bool of2000) {
  if (!of2000) return cell;
  if (cell == QStringLiteral("modificationDate")) return QStringLiteral("date");
  if (cell == QStringLiteral("applicationDomain")) return QStringLiteral("appDomain");
  return cell;
}

bool isProse(const QString& cell) {
  static const QStringList prose{
      QStringLiteral("semantics"),      QStringLiteral("purpose"),
      QStringLiteral("description"),    QStringLiteral("useLimitation"),
      QStringLiteral("other"),          QStringLiteral("interpretation"),
      QStringLiteral("identification"), QStringLiteral("releaseRestriction"),
      QStringLiteral("copyright")};
  return prose.contains(cell);
}

/// Whether the first definition counts where several modules have one.
bool isFirstCounts(const QString& cell) { return isProse(cell) || cell == u"updateCondition"; }

/// The lines of a text without the blanks around each and the empty ones around all.
QString withoutIndentation(const QString& text) {
  QStringList lines = text.split(u'\n');
  for (QString& line : lines) line = line.trimmed();
  return lines.join(u'\n').trimmed();
}

/// "Periodic 0.1 s" as type and condition.
QPair<QString, QString> updateParts(const QString& value) {
  const QString text = value.simplified();
  const qsizetype blank = text.indexOf(u' ');
  return blank < 0 ? QPair(text, QString()) : QPair(text.left(blank), text.mid(blank + 1));
}

/// The word as the standard writes it; empty: it is none of them.
QString canonical(const QStringList& choices, const QString& value) {
  for (const QString& choice : choices) {
    if (choice.compare(value, Qt::CaseInsensitive) == 0) return choice;
  }
  return {};
}

bool isNothing(const QString& value) {
  return value.isEmpty() || value == QStringLiteral("–") || value == QStringLiteral("NA");
}

QString notWritable(const QString& value) {
  for (const QChar c : value) {
    const bool allowed = c.unicode() >= 0x20 || c == u'\t' || c == u'\n' || c == u'\r';
    if (!allowed || c == QChar(0xFFFE) || c == QChar(0xFFFF)) {
      return QStringLiteral("It contains a control character (U+%1), which XML cannot hold.")
          .arg(c.unicode(), 4, 16, QLatin1Char('0'));
    }
  }
  return {};
}

constexpr qsizetype mostNameBytes = 1000;

/// What the edition of a module calls a datatype of time.
std::string typeUseIn(const ModuleSource& source, const std::string& name) {
  const bool of2025 = source.isOf2025();
  if (name == "timeStamp" || name == "logicalTime") return of2025 ? "logicalTime" : "timeStamp";
  if (name == "lookahead" || name == "logicalTimeInterval") {
    return of2025 ? "logicalTimeInterval" : "lookahead";
  }
  return name;
}

}  // namespace

ModelChanges::ModelChanges(const OpenModules& modules) {
  for (int m = 0; m < modules.count(); ++m) {
    modules_ << EditableModule{modules.readableSource(m), modules.path(m),
                               modules.readOnlyReason(m)};
  }
}

QString ModelChanges::itemOf(const RowRef& row) {
  switch (row.kind) {
    case RowKind::ObjectClass:
      return QStringLiteral("object:") + row.name;
    case RowKind::InteractionClass:
      return QStringLiteral("interaction:") + row.name;
    case RowKind::Attribute:
    case RowKind::DirectedInteraction:
      return QStringLiteral("object:") + row.owner;
    case RowKind::Parameter:
      return QStringLiteral("interaction:") + row.owner;
    case RowKind::DataType:
      return QStringLiteral("datatype:") + row.name;
    case RowKind::Enumerator:
    case RowKind::Field:
    case RowKind::Alternative:
      return QStringLiteral("datatype:") + row.owner;
    default:
      // Tables and single rows of them: what is shown stays.
      return {};
  }
}

// Where a change goes

QString ModelChanges::nothingEditable(const RowRef& row) const {
  for (int m = 0; m < modules_.size(); ++m) {
    if (modules_[m].source == nullptr && (row.module < 0 || row.module == m)) {
      return QStringLiteral("No module that can be edited has the %1 %2. %3")
          .arg(wordOf(row.kind), shortName(row), modules_[m].readOnlyReason)
          .trimmed();
    }
  }
  return QStringLiteral("No open module has the %1 %2 any more.")
      .arg(wordOf(row.kind), shortName(row));
}

tl::expected<std::vector<FoundRow>, QString> ModelChanges::targets(const RowRef& row) const {
  if (row.isNull()) return tl::unexpected(QStringLiteral("This row cannot be edited."));
  if (isInMim(row)) {
    return tl::unexpected(
        QStringLiteral("%1 is of HLAstandardMIM, which the standard fixes: it is read only.")
            .arg(shortName(row)));
  }
  std::vector<FoundRow> found = placesOf(modules_, row);
  if (row.isClass() && found.size() > 1) {
    std::vector<FoundRow> defined;
    for (const FoundRow& f : found) {
      if (definesClass(sourceOf(f.module), f.element)) defined.push_back(f);
    }
    if (defined.empty()) defined.push_back(found.front());
    found = std::move(defined);
  }
  if (row.kind == RowKind::Switch || row.kind == RowKind::TypeUse) {
    // The first that says something counts.
    if (row.kind == RowKind::TypeUse) {
      const auto says = std::find_if(found.begin(), found.end(), [&](const FoundRow& f) {
        return !isNothing(qt(cellOf(sourceOf(f.module), f.element, "dataType").value_or("")));
      });
      if (says != found.end()) found = {*says};
    }
    if (found.size() > 1) found.resize(1);
    if (!found.empty()) return found;
    const auto module = moduleFor(row);
    if (!module) return tl::unexpected(module.error());
    return std::vector<FoundRow>{{*module, noElement}};
  }
  if (row.kind == RowKind::Identification && found.empty()) {
    const auto module = moduleFor(row);
    if (!module) return tl::unexpected(module.error());
    return std::vector<FoundRow>{{*module, noElement}};
  }
  if (found.empty()) return tl::unexpected(nothingEditable(row));
  return found;
}

tl::expected<int, QString> ModelChanges::moduleFor(const RowRef& row) const {
  if (row.module >= 0) {
    if (row.module < modules_.size() && modules_[row.module].isWritable()) {
      if (!sourceOf(row.module).isFed() || fedHas(row.kind)) return row.module;
      return tl::unexpected(whyNotInFed(row.kind));
    }
    return tl::unexpected(row.module < modules_.size() ? modules_[row.module].readOnlyReason
                                                       : QStringLiteral("The module is closed."));
  }
  const auto takes = [&](int m) {
    if (!isWritable(m)) return false;
    return sourceOf(m).isFed() ? fedHas(row.kind) : row.kind != RowKind::RoutingSpace;
  };
  if (takes(preferred_)) return preferred_;
  QString reason = QStringLiteral("There is no module: open one, or add one to a component.");
  for (int m = 0; m < modules_.size(); ++m) {
    if (takes(m)) return m;
    reason = !isWritable(m) ? modules_[m].readOnlyReason
             : sourceOf(m).isFed()
                 ? whyNotInFed(row.kind)
                 : QStringLiteral("IEEE 1516 has no routing spaces: they are of FED files.");
  }
  return tl::unexpected(reason);
}

QString ModelChanges::inFile(int module) const {
  const auto writable = std::count_if(modules_.begin(), modules_.end(),
                                      [](const EditableModule& m) { return m.isWritable(); });
  if (writable < 2) return {};
  return QStringLiteral(" in %1").arg(QFileInfo(modules_[module].name).fileName());
}

QString ModelChanges::readOnlyReason(const RowRef& row, const QString& cell) const {
  if (row.name.isEmpty() && (row.isOfClass() || row.isPart())) {
    RowRef owner{RowKind::DataType, {}, row.owner, -1, -1};
    if (row.kind == RowKind::Parameter) owner.kind = RowKind::InteractionClass;
    if (row.isOfClass() && row.kind != RowKind::Parameter) owner.kind = RowKind::ObjectClass;
    // One module takes a directed interaction, and all that define a class its attributes.
    return readOnlyReason(
        owner, row.kind == RowKind::DirectedInteraction ? QStringLiteral("semantics") : QString());
  }
  const bool isTableRow = !tablePath(row.kind).empty() && row.kind != RowKind::Switch &&
                          row.kind != RowKind::Identification;
  if (row.name.isEmpty() && isTableRow) {
    const auto module = moduleFor(row);
    return module ? QString() : module.error();
  }
  const auto found = targets(row);
  if (!found) return found.error();
  if (const QString fault = cell.isEmpty() ? QString() : faultInFed(row, cell, {});
      !fault.isEmpty()) {
    return fault;
  }
  for (const FoundRow& at : row.isClass() && cell.isEmpty() ? placesOf(modules_, row) : *found) {
    const EditableModule& module = modules_[at.module];
    if (!module.isWritable()) {
      return QStringLiteral("%1 cannot be edited: %2")
          .arg(QFileInfo(module.name).fileName(), module.readOnlyReason);
    }
    if (isFirstCounts(cell)) break;
  }
  return {};
}

QString ModelChanges::cell(const RowRef& row, const QString& cell) const {
  if (row.kind == RowKind::Switch) {
    const auto found = targets(row);
    if (!found || found->front().element == noElement) return {};
    const ModuleSource& source = sourceOf(found->front().module);
    const ElementId table = found->front().element;
    if (source.isOf2000()) {
      return qt(cellOf(source, table, row.name.toStdString()).value_or(""));
    }
    const ElementId element = source.child(table, row.name.toStdString());
    if (element == noElement) return {};
    const char* attribute = row.name == u"automaticResignAction" ? "resignAction" : "isEnabled";
    if (const auto a = source.attribute(element, attribute)) return qt(source.resolved(a->value));
    return qt(source.rawText(element)).simplified();
  }
  const ModuleSource* source = nullptr;
  ElementId element = noElement;
  if (const auto found = targets(row)) {
    source = &sourceOf(found->front().module);
    element = found->front().element;
  } else if (const auto mim = placesOf(mimSource(), row); !mim.empty()) {
    source = &mimSource();
    element = mim.front();
  }
  if (source == nullptr || element == noElement) return {};
  if (cell == u"dataType" && row.kind == RowKind::Dimension) {
    // Of 2025, which lists what the normalization takes.
    const ElementId list = source->child(element, "inputDataTypes");
    if (list != noElement) element = list;
  }
  if (row.kind == RowKind::UseHistory) return withoutIndentation(qt(source->rawText(element)));
  if (cell == u"update") {
    const auto of = [&](const char* name) {
      return qt(cellOf(*source, element, name).value_or(""));
    };
    const QString condition = of("updateCondition");
    return (of("updateType") + u' ' + (isNothing(condition) ? QString() : condition)).simplified();
  }
  if (cell == u"notes") {
    return noteReferences(*source, element).join(QStringLiteral(", "));
  }
  if (cell == u"dimensions") {
    const ElementId list = source->child(element, "dimensions");
    QStringList names;
    if (list != noElement && source->at(list).firstChild != noElement) {
      for (const ElementId d : source->children(list)) names << qt(source->rawText(d)).simplified();
    } else {
      const QString all = qt(cellOf(*source, element, "dimensions").value_or(""));
      names = QString(all).replace(u',', u' ').split(u' ', Qt::SkipEmptyParts);
      if (all == u"NA") names.clear();
    }
    return names.join(QStringLiteral(", "));
  }
  if (cell == u"value" && row.kind == RowKind::Enumerator) {
    QStringList values;
    for (const ElementId c : source->children(element)) {
      if (source->nameOf(c) == "value") values << qt(source->rawText(c)).simplified();
    }
    if (values.isEmpty()) {
      const QString all = qt(cellOf(*source, element, "value").value_or(""));
      values = QString(all).replace(u',', u' ').split(u' ', Qt::SkipEmptyParts);
    }
    return values.join(QStringLiteral(", "));
  }
  const QString name =
      row.kind == RowKind::Identification ? identificationCell(cell, source->isOf2000()) : cell;
  if (const ElementId child = source->child(element, name.toStdString()); child != noElement) {
    if (!source->isFed()) return withoutIndentation(qt(source->rawText(child)));
  }
  const std::string value = cellOf(*source, element, name.toStdString()).value_or("");
  return qt(source->isFed() ? valueFromFed(name.toStdString(), value) : value);
}

CellEditor ModelChanges::editorOf(const RowRef& row, const QString& cell) const {
  using Kind = CellEditor::Kind;
  if (cell.isEmpty() || row.isNull()) return {};
  if (const auto editor = fedEditorOf(row, cell)) return *editor;
  if (row.kind == RowKind::DirectedInteraction && cell == u"name") {
    return {Kind::OpenChoice, namesOf(modules_, RowKind::InteractionClass)};
  }
  if (cell == u"referenceClass") {
    return {Kind::OpenChoice, namesOf(modules_, RowKind::ObjectClass)};
  }
  if (cell == u"referencedAttribute") {
    return {Kind::OpenChoice, attributesOfClass(this->cell(row, QStringLiteral("referenceClass")))};
  }
  if (row.kind == RowKind::Switch) {
    if (row.name == u"automaticResignAction") return {Kind::Choice, choicesOf(omt::resignWords)};
    return {Kind::Choice, {QStringLiteral("enabled"), QStringLiteral("disabled")}};
  }
  if (cell == u"notes") {
    const FoundRow at = noteReferrer(*this, row);
    return {Kind::List, at.element == noElement ? QStringList() : noteLabels(sourceOf(at.module))};
  }
  if (cell == u"valueRequired")
    return {Kind::Choice, {QStringLiteral("true"), QStringLiteral("false")}};
  if (cell == u"update") return {Kind::OpenChoice, choicesOf(omt::updateTypeWords)};
  if (cell == u"updateType") return {Kind::Choice, choicesOf(omt::updateTypeWords)};
  if (cell == u"ownership") return {Kind::Choice, choicesOf(omt::ownershipWords)};
  if (cell == u"sharing") return {Kind::Choice, choicesOf(omt::sharingWords)};
  if (cell == u"order") return {Kind::Choice, choicesOf(omt::orderWords)};
  if (cell == u"transportation") {
    return {Kind::Choice, namesOf(modules_, RowKind::Transportation)};
  }
  if (cell == u"dimensions") return {Kind::List, namesOf(modules_, RowKind::Dimension)};
  if (cell == u"dataType" || cell == u"representation") return {Kind::DataType, {}};
  if (cell == u"endian") {
    return {Kind::Choice, {QStringLiteral("Big"), QStringLiteral("Little")}};
  }
  if (cell == u"reliable") return {Kind::Choice, {QStringLiteral("Yes"), QStringLiteral("No")}};
  if (cell == u"capability") {
    return {Kind::Choice,
            {QStringLiteral("Register"), QStringLiteral("Achieve"),
             QStringLiteral("RegisterAchieve"), QStringLiteral("NoSynch")}};
  }
  if (cell == u"cardinality") return {Kind::OpenChoice, {QStringLiteral("Dynamic")}};
  if (cell == u"encoding" && row.kind == RowKind::DataType) {
    const auto found = placesOf(modules_, row);
    const std::string_view element =
        found.empty() ? "" : sourceOf(found.front().module).nameOf(found.front().element);
    if (element == "arrayData") {
      return {Kind::OpenChoice,
              {QStringLiteral("HLAfixedArray"), QStringLiteral("HLAvariableArray")}};
    }
    if (element == "fixedRecordData") {
      return {Kind::OpenChoice, {QStringLiteral("HLAfixedRecord")}};
    }
    if (element == "variantRecordData") {
      return {Kind::OpenChoice,
              {QStringLiteral("HLAvariantRecord"), QStringLiteral("HLAextendableVariantRecord")}};
    }
    return {Kind::Prose, {}};
  }
  if (cell == u"enumerator") {
    RowRef record{RowKind::DataType, {}, row.owner};
    const QString type = this->cell(record, QStringLiteral("dataType"));
    QStringList names;
    const auto add = [&](const ModuleSource& source) {
      for (const ElementId e : placesOf(source, {RowKind::Enumerator, type})) {
        const QString name = qt(rowName(source, e));
        if (!names.contains(name)) names << name;
      }
    };
    add(mimSource());
    for (const EditableModule& m : modules_) {
      if (m.source != nullptr) add(*m.source);
    }
    names << QStringLiteral("HLAother");
    return {Kind::OpenChoice, names};
  }
  if (row.kind == RowKind::Identification && cell == u"type") {
    return {Kind::OpenChoice, {QStringLiteral("FOM"), QStringLiteral("SOM")}};
  }
  if (cell == u"pocType") {
    return {Kind::OpenChoice,
            {QStringLiteral("Primary author"), QStringLiteral("Contributor"),
             QStringLiteral("Proponent"), QStringLiteral("Sponsor"),
             QStringLiteral("Release authority"), QStringLiteral("Technical POC")}};
  }
  if (row.kind == RowKind::UseHistory || isProse(cell)) return {Kind::Prose, {}};
  return {Kind::Text, {}};
}

// What makes no sense

QString ModelChanges::faultOfName(const RowRef& row, const QString& name) const {
  const QString word = wordOf(row.kind);
  if (name.isEmpty()) return QStringLiteral("A name is needed.");
  if (row.kind == RowKind::DirectedInteraction) return faultOfDirected(row, name);
  if (isAnyFed()) {
    if (const QString fault = faultOfNameInFed(row.kind, name); !fault.isEmpty()) return fault;
  }
  if (name.toUtf8().size() > mostNameBytes) return QStringLiteral("The name is too long.");
  if (row.kind == RowKind::Keyword || row.kind == RowKind::Contact ||
      row.kind == RowKind::Reference || row.kind == RowKind::Identification) {
    return notWritable(name);
  }
  const bool free = row.kind == RowKind::SynchronizationPoint || row.kind == RowKind::Enumerator;
  for (qsizetype i = 0; i < name.size(); ++i) {
    const QChar c = name[i];
    const bool first = i == 0 && !c.isLetter() && c != u'_';
    const bool other = !c.isLetterOrNumber() && c != u'_' && c != u'-' && c != u'.' &&
                       !c.isSurrogate() && !c.isMark();
    if (free ? (c.isSpace() || c == u',' || !c.isPrint()) : (first || other)) {
      return first && !other
                 ? QStringLiteral("The name of a %1 begins with a letter, not with \"%2\".")
                       .arg(word, c)
                 : QStringLiteral(
                       "\"%1\" cannot stand in the name of a %2: letters, digits, _ "
                       "and - can.")
                       .arg(c, word);
    }
    if (row.isClass() && c == u'.') {
      return QStringLiteral(
          "A dot separates a class from its superclass: it cannot stand in a name.");
    }
  }
  if (name.startsWith(QStringLiteral("HLA"), Qt::CaseInsensitive) &&
      row.kind != RowKind::Enumerator) {
    return QStringLiteral("Names that begin with HLA are the standard's (IEEE 1516.2, 4.2).");
  }
  if (row.isClass()) {
    const QString superclass = superclassOf(row.name);
    const RowRef taken{row.kind, {}, superclass + u'.' + name};
    if (isInMim(taken) || !placesOf(modules_, taken).empty()) {
      return QStringLiteral("%1 has a subclass %2 already.")
          .arg(superclass.mid(superclass.lastIndexOf(u'.') + 1), name);
    }
    return {};
  }
  if (row.isMember()) return faultOfMemberName(row, name);
  RowRef taken = row;
  taken.name = name;
  taken.position = -1;
  if (row.kind != RowKind::Note) taken.module = -1;
  if (!isInMim(taken) && placesOf(modules_, taken).empty()) return {};
  return row.isPart() ? QStringLiteral("%1 has a row %2 already.").arg(row.owner, name)
                      : QStringLiteral("There is a %1 %2 already.").arg(word, name);
}

QStringList ModelChanges::inherited(bool isObject, const QString& className) const {
  QStringList names;
  for (QString up = superclassOf(className); !up.isEmpty(); up = superclassOf(up)) {
    names << membersOf(modules_, isObject, up);
  }
  return names;
}

QString ModelChanges::memberBelow(bool isObject, const QString& className,
                                  const QString& member) const {
  for (const QString& sub : subclassesOf(modules_, isObject, className)) {
    if (membersOf(modules_, isObject, sub).contains(member)) return sub;
    if (QString deeper = memberBelow(isObject, sub, member); !deeper.isEmpty()) return deeper;
  }
  return {};
}

QString ModelChanges::faultOfMemberName(const RowRef& row, const QString& name) const {
  const bool isObject = row.kind == RowKind::Attribute;
  const QString word = wordOf(row.kind);
  const auto last = [](const QString& full) { return full.mid(full.lastIndexOf(u'.') + 1); };
  if (membersOf(modules_, isObject, row.owner).contains(name)) {
    return QStringLiteral("%1 has the %2 %3 already.").arg(last(row.owner), word, name);
  }
  if (inherited(isObject, row.owner).contains(name)) {
    return QStringLiteral("%1 inherits the %2 %3 already.").arg(last(row.owner), word, name);
  }
  const QString below = memberBelow(isObject, row.owner, name);
  if (!below.isEmpty()) {
    return QStringLiteral("The subclass %1 has the %2 %3: it would have it twice.")
        .arg(last(below), word, name);
  }
  return {};
}

QString ModelChanges::faultOfValue(const RowRef& row, const QString& cell,
                                   const QString& value) const {
  if (const QString fault = notWritable(value); !fault.isEmpty()) return fault;
  const CellEditor editor = editorOf(row, cell);
  const bool none = isNothing(value);
  if (editor.kind == CellEditor::Kind::Choice && !none &&
      canonical(editor.choices, value).isEmpty()) {
    return QStringLiteral("\"%1\" is none of %2.")
        .arg(value, editor.choices.join(QStringLiteral(", ")));
  }
  if (cell == u"update" && !none && canonical(editor.choices, updateParts(value).first).isEmpty()) {
    return QStringLiteral("\"%1\" is no update type. Write %2, and the condition behind it.")
        .arg(updateParts(value).first, editor.choices.join(QStringLiteral(", ")));
  }
  if (editor.kind == CellEditor::Kind::List) {
    for (const QString& name : listed(value)) {
      if (none || editor.choices.contains(name)) continue;
      return QStringLiteral("There is no dimension %1. Add it to the dimensions first.").arg(name);
    }
  }
  if (editor.kind == CellEditor::Kind::DataType && value.contains(QRegularExpression("\\s"))) {
    return QStringLiteral("The name of a datatype has no blanks.");
  }
  if (cell == u"referenceClass" || cell == u"referencedAttribute") {
    return faultOfReference(row, cell, value);
  }
  if (editor.kind == CellEditor::Kind::DataType && row.kind == RowKind::DataType &&
      value == row.name) {
    return QStringLiteral("%1 cannot contain itself.").arg(row.name);
  }
  bool ok = true;
  if (cell == u"size") {
    ok = value.toUInt(&ok) > 0 && ok;
    if (!ok) return QStringLiteral("The size is a whole number of bits above 0.");
  } else if (cell == u"rate") {
    const double rate = value.toDouble(&ok);
    if (!ok || !(rate > 0) || rate > 1e9) {
      return QStringLiteral("The rate is a number of updates per second above 0, such as 10.5.");
    }
  } else if (cell == u"upperBound" && !none) {
    ok = value.toUInt(&ok) > 0 && ok;
    if (!ok) return QStringLiteral("The upper bound is a whole number from 1 to 4294967295.");
  } else if (cell == u"cardinality") {
    const QString fault = faultOfCardinality(value);
    if (!fault.isEmpty()) {
      return QStringLiteral("The cardinality \"%1\" %2. Write a number, [1..10] or Dynamic.")
          .arg(value, fault);
    }
  } else if (row.kind == RowKind::Enumerator && cell == u"value") {
    const QStringList values = listed(value);
    for (const QString& v : values) {
      if (!isWholeNumber(v)) return QStringLiteral("\"%1\" is no whole number.").arg(v);
    }
    if (values.isEmpty()) return QStringLiteral("An enumerator needs a value.");
  } else if (row.kind == RowKind::Alternative && cell == u"enumerator" && value.isEmpty()) {
    return QStringLiteral("An alternative needs an enumerator of the discriminant.");
  } else if (cell == u"pocType" && value.isEmpty()) {
    return QStringLiteral("A point of contact needs a type, such as Sponsor.");
  } else if (cell == u"discriminant" && value.isEmpty()) {
    return QStringLiteral("A variant record needs the name of its discriminant.");
  }
  return {};
}

// Cells

void ModelChanges::writeSwitch(EditDraft& draft, const RowRef& row, const QString& value) const {
  const auto found = targets(row);
  if (!found) return;
  const int module = found->front().module;
  const ModuleSource& source = draft.source(module);
  const std::string name = row.name.toStdString();
  const bool resign = name == "automaticResignAction";
  const bool on = value.compare(QStringLiteral("enabled"), Qt::CaseInsensitive) == 0;
  const std::string word = resign ? canonical(choicesOf(omt::resignWords), value).toStdString()
                                  : std::string(on ? "true" : "false");
  const std::string attribute = resign ? "resignAction" : "isEnabled";
  const ElementId table = found->front().element;
  if (source.isOf2000()) {
    const std::string old = resign ? word : std::string(on ? "Enabled" : "Disabled");
    draft.apply(module, table != noElement ? setAttribute(source, table, name, old)
                                           : addElement(source, ModuleSource::root(),
                                                        {"switches", {}, {}, {{name, old}}}));
    return;
  }
  const ElementId element = table == noElement ? noElement : source.child(table, name);
  if (element == noElement) {
    draft.apply(module, addToTable(source, {"switches"}, {name, {}, {}, {{attribute, word}}}));
  } else if (!source.attribute(element, attribute) && !source.rawText(element).empty()) {
    draft.apply(module, replaceContent(source, element, word));
  } else {
    draft.apply(module, setAttribute(source, element, attribute, word));
  }
}

void ModelChanges::writeTypeUse(EditDraft& draft, const RowRef& row, const QString& cell,
                                const QString& value) const {
  const auto found = targets(row);
  if (!found || found->front().element != noElement) return;
  const int module = found->front().module;
  const std::string name = typeUseIn(draft.source(module), row.name.toStdString());
  const std::string_view table = name.ends_with("Tag") ? "tags" : "time";
  NewElement element{name, {}, {}, {}};
  if (cell != u"dataType") element.children.push_back({"dataType", "NA", {}, {}});
  element.children.push_back({cell.toStdString(), value.toStdString(), {}, {}});
  draft.apply(module, addToTable(draft.source(module), {table}, element));
}

void ModelChanges::writeCell(EditDraft& draft, const FoundRow& at, const RowRef& row,
                             const QString& cell, const QString& value) const {
  const int module = at.module;
  const auto set = [&](const std::string& name, const std::string& text) {
    const ModuleSource& source = draft.source(module);
    // Steps do not move the row: only what is behind its start tag changes.
    draft.apply(module, text.empty() ? removeCell(source, at.element, name)
                                     : ::tutti::fomedit::setCell(source, at.element, name, text));
  };
  const ModuleSource& source = draft.source(module);
  if (row.kind == RowKind::UseHistory) {
    draft.apply(module, replaceContent(source, at.element, escapedText(value.toStdString())));
    return;
  }
  if (cell == u"dataType" && row.kind == RowKind::Dimension && source.isOf2025()) {
    draft.apply(module, setInputDataType(source, at.element, isNothing(value) ? QString() : value));
    return;
  }
  if (source.isFed()) {
    set(cell.toStdString(), isNothing(value) ? std::string() : value.toStdString());
    return;
  }
  if (cell == u"dimensions") {
    const QStringList names = isNothing(value) ? QStringList() : listed(value);
    if (source.isOf2000()) {
      set("dimensions", names.isEmpty() ? "NA" : names.join(u' ').toStdString());
      return;
    }
    const ElementId old = source.child(at.element, "dimensions");
    NewElement list{"dimensions", {}, {}, {}};
    for (const QString& name : names) {
      list.children.push_back({"dimension", name.toStdString(), {}, {}});
    }
    if (old != noElement) draft.apply(module, removeElement(source, old));
    if (!names.isEmpty()) {
      draft.apply(module, addElement(draft.source(module), at.element, list));
    }
    return;
  }
  if (cell == u"value" && row.kind == RowKind::Enumerator) {
    const QStringList values = listed(value);
    std::vector<ElementId> old;
    for (const ElementId c : source.children(at.element)) {
      if (source.nameOf(c) == "value") old.push_back(c);
    }
    if (source.isOf2000() || old.empty()) {
      set("value", values.join(QStringLiteral(", ")).toStdString());
      return;
    }
    // Those that are there change in place; the rest goes or is added behind.
    Splices splices;
    const std::size_t count = static_cast<std::size_t>(values.size());
    for (std::size_t i = 0; i < old.size(); ++i) {
      const Splices one =
          i < count ? replaceContent(source, old[i],
                                     escapedText(values[static_cast<qsizetype>(i)].toStdString()))
                    : removeElement(source, old[i]);
      splices.insert(splices.end(), one.begin(), one.end());
    }
    draft.apply(module, splices);
    for (std::size_t i = old.size(); i < count; ++i) {
      draft.apply(module,
                  addElement(draft.source(module), at.element,
                             {"value", values[static_cast<qsizetype>(i)].toStdString(), {}, {}}));
    }
    return;
  }
  std::string name = cell.toStdString();
  if (row.kind == RowKind::Identification) {
    name = identificationCell(cell, source.isOf2000()).toStdString();
  }
  const CellEditor editor = editorOf(row, cell);
  QString word = value;
  if (editor.kind == CellEditor::Kind::Choice && !isNothing(value)) {
    word = canonical(editor.choices, value);
  }
  const bool lists = editor.kind == CellEditor::Kind::Choice || cell == u"upperBound" ||
                     editor.kind == CellEditor::Kind::DataType;
  set(name, lists && isNothing(word) ? std::string() : word.toStdString());
}

ModelChanges::Result ModelChanges::setCell(const RowRef& row, const QString& cell,
                                           const QString& given) const {
  if (cell == u"name" || (cell == u"label" && row.kind != RowKind::None)) {
    return rename(row, given.trimmed());
  }
  if (cell == u"notes") {
    return setNoteReferences(*this, row, isNothing(given) ? QStringList() : listed(given));
  }
  const auto found = targets(row);
  if (!found) return tl::unexpected(found.error());
  const QString value = withoutIndentation(given);
  if (const QString fault = faultInFed(row, cell, value); !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  if (const QString fault = faultBefore2025(row, cell, *found); !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  const QString before = this->cell(row, cell);
  const bool isList = editorOf(row, cell).kind == CellEditor::Kind::List ||
                      (row.kind == RowKind::Enumerator && cell == u"value");
  if (isList ? listed(value) == listed(before) : value.simplified() == before.simplified()) {
    if (isList || value == before || !isProse(cell)) return ModelEdit{};
  }
  if (row.kind != RowKind::Switch && isNothing(value) && before.isEmpty()) return ModelEdit{};
  if (const QString fault = faultOfValue(row, cell, value); !fault.isEmpty()) {
    return tl::unexpected(fault);
  }
  EditDraft draft(modules_);
  if (row.kind == RowKind::Switch) {
    writeSwitch(draft, row, value);
  } else {
    std::vector<FoundRow> places = *found;
    std::erase_if(places, [&](const FoundRow& at) {
      const ModuleSource& source = sourceOf(at.module);
      return source.isFed() ? !fedHas(row.kind, cell)
                            : isOnlyIn2025(row, cell) && !source.isOf2025();
    });
    if (isFirstCounts(cell)) places.resize(1);
    // The last first: a change moves the elements behind it.
    std::reverse(places.begin(), places.end());
    for (const FoundRow& at : places) {
      if (at.element == noElement) {
        if (row.kind == RowKind::TypeUse) {
          writeTypeUse(draft, row, cell, value);
        } else {
          draft.apply(at.module, addToTable(draft.source(at.module), tablePath(row.kind),
                                            {cell.toStdString(), value.toStdString(), {}, {}}));
        }
      } else if (cell == u"update") {
        const auto [type, condition] =
            isNothing(value) ? QPair<QString, QString>() : updateParts(value);
        // A condition that stands in no cell of the table stays unless another is written.
        const QString old = this->cell(row, QStringLiteral("updateCondition"));
        const QString shown = this->cell(row, QStringLiteral("update"));
        writeCell(draft, at, row, QStringLiteral("updateType"), type);
        if (updateParts(shown).second != condition && !(isNothing(old) && condition.isEmpty())) {
          writeCell(draft, at, row, QStringLiteral("updateCondition"), condition);
        }
      } else if (cell == u"dimensions") {
        const auto written = dimensionsAt(at, found->front(), value);
        if (!written) return tl::unexpected(written.error());
        writeCell(draft, at, row, cell, *written);
      } else {
        writeCell(draft, at, row, cell, value);
      }
    }
  }
  const QString subject = row.kind == RowKind::TypeUse || row.kind == RowKind::Identification ||
                                  row.kind == RowKind::UseHistory
                              ? wordOf(row)
                              : shortName(row);
  return draft.edit(row.kind == RowKind::Switch
                        ? QStringLiteral("set switch %1").arg(row.name)
                        : QStringLiteral("change %1 of %2").arg(cellWord(cell), subject));
}

ModelChanges::Result ModelChanges::rename(const RowRef& row, const QString& name) const {
  const auto found = targets(row);
  if (!found) return tl::unexpected(found.error());
  const QString before = shortName(row);
  if (name == before) return ModelEdit{};
  const bool mayLackName = row.kind == RowKind::Alternative || row.kind == RowKind::Contact;
  if (!(mayLackName && name.isEmpty())) {
    if (const QString fault = faultOfName(row, name); !fault.isEmpty()) {
      return tl::unexpected(fault);
    }
  }
  if (row.isClass() && superclassOf(row.name).isEmpty()) {
    return tl::unexpected(QStringLiteral("The root of the classes keeps its name."));
  }
  RowRef after = row;
  after.name = row.isClass() ? superclassOf(row.name) + u'.' + name : name;
  EditDraft draft(modules_);
  if (found->front().element == noElement) {
    const int module = found->front().module;
    draft.apply(module, addToTable(draft.source(module), tablePath(row.kind),
                                   {"name", name.toStdString(), {}, {}}));
    return draft.edit(QStringLiteral("name %1 %2").arg(wordOf(row.kind), name), itemOf(row));
  }
  // A class has the same name wherever it is named.
  const std::vector<FoundRow> places = row.isClass() ? placesOf(modules_, row) : *found;
  QList<QPair<RowRef, RowRef>> ofSpace;
  if (row.kind == RowKind::RoutingSpace) {
    const auto dimensions = dimensionsOfRenamed(places, before, name);
    if (!dimensions) return tl::unexpected(dimensions.error());
    ofSpace = *dimensions;
  }
  for (int m = 0; m < modules_.size(); ++m) {
    if (modules_[m].source == nullptr) continue;
    const ModuleSource& source = sourceOf(m);
    Splices splices;
    for (const FoundRow& at : places) {
      if (at.module != m) continue;
      const std::string_view cell = nameCellOf(source.nameOf(at.element), source.isOf2000());
      const auto written = nameForFed(at, name);
      if (!written) return tl::unexpected(written.error());
      const Splices own = name.isEmpty() ? removeCell(source, at.element, cell)
                                         : ::tutti::fomedit::setCell(source, at.element, cell,
                                                                     written->toStdString());
      splices.insert(splices.end(), own.begin(), own.end());
    }
    const bool elsewhere = row.kind != RowKind::Note || row.module < 0 || row.module == m;
    if (elsewhere && !before.isEmpty()) {
      const Splices references = followReferences(source, row, after);
      splices.insert(splices.end(), references.begin(), references.end());
    }
    draft.apply(m, splices);
    if (source.isFed()) continue;  // dimensions are named there by their space
    // One after the other: IEEE 1516-2000 has several in one cell.
    for (const auto& [from, to] : ofSpace) {
      const ModuleSource& now = draft.source(m);
      Splices one = followReferences(now, from, to);
      for (const ElementId at : placesOf(now, from)) {
        const Splices own = ::tutti::fomedit::setCell(now, at, "name", to.name.toStdString());
        one.insert(one.end(), own.begin(), own.end());
      }
      draft.apply(m, one);
    }
  }
  return draft.edit(before.isEmpty() ? QStringLiteral("name %1 %2").arg(wordOf(row.kind), name)
                                     : QStringLiteral("rename %1 to %2").arg(before, name),
                    itemOf(after));
}

}  // namespace tutti::fomedit
