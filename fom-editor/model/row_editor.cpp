// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/row_editor.h"

#include <algorithm>

#include "fom-editor/model/data_layout.h"

namespace tutti::fomedit {

namespace {

bool isOfOneFile(RowKind kind) {
  return kind == RowKind::Identification || kind == RowKind::Keyword || kind == RowKind::Contact ||
         kind == RowKind::Reference || kind == RowKind::UseHistory || kind == RowKind::Note;
}

/// Of the rows that a module has several of: one that is not there yet.
bool isNewRow(const RowRef& row) {
  if (row.kind == RowKind::Note || row.kind == RowKind::DirectedInteraction ||
      row.kind == RowKind::RoutingSpace) {
    return row.name.isEmpty();
  }
  return row.position < 0 && row.isText();
}

QString detailOf(const omt::ObjectModel& model, const omt::DataType& type) {
  QStringList parts{shortKind(type)};
  if (type.kind == omt::DataTypeKind::Enumerated) {
    parts << (type.enumerators.size() == 1
                  ? QStringLiteral("1 value")
                  : QStringLiteral("%1 values").arg(type.enumerators.size()));
  } else if (type.kind == omt::DataTypeKind::FixedRecord) {
    parts << (type.fields.size() == 1 ? QStringLiteral("1 field")
                                      : QStringLiteral("%1 fields").arg(type.fields.size()));
  } else if (!type.units.empty()) {
    parts << text(type.units);
  }
  const DataLayout layout = layoutOf(model, text(type.name));
  if (layout.size) {
    parts << QStringLiteral("%1 B").arg(*layout.size);
  } else if (layout.problem.isEmpty()) {
    parts << QStringLiteral("size varies");
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace

RowEditor::RowEditor(OpenModules& modules, QObject* parent) : QObject(parent), modules_(modules) {}

void RowEditor::setModel(std::shared_ptr<const omt::ObjectModel> model) {
  model_ = std::move(model);
}

ModelChanges RowEditor::changes() const {
  ModelChanges changes(modules_);
  changes.prefer(modules_.indexOf(preferred_));
  return changes;
}

/// What is added next goes where this went.
tl::expected<void, QString> RowEditor::made(const ModelEdit& edit) {
  auto done = modules_.apply(edit);
  if (done && edit.changes.size() == 1) prefer(modules_.path(edit.changes.front().first));
  return done;
}

RowRef RowEditor::resolved(RowRef row) const {
  if (!isOfOneFile(row.kind) || row.owner.isEmpty()) return row;
  row.module = modules_.indexOf(row.owner);
  row.owner.clear();
  return row;
}

QList<DataTypeChoice> RowEditor::dataTypes(const QString& typed) const {
  constexpr qsizetype most = 200;
  QList<DataTypeChoice> first;
  QList<DataTypeChoice> other;
  if (!model_) return first;
  for (const omt::DataType& type : model_->dataTypes()) {
    const QString name = text(type.name);
    const bool begins = name.startsWith(typed, Qt::CaseInsensitive);
    if (!begins && !name.contains(typed, Qt::CaseInsensitive)) continue;
    // The MIM's own datatypes of services are no values of attributes: they come last.
    const bool ofMim = model_->modules()[type.where.module].isMim;
    (begins && (!ofMim || !typed.isEmpty()) ? first : other) << DataTypeChoice{name, {}};
  }
  const auto byName = [](const DataTypeChoice& a, const DataTypeChoice& b) {
    return a.name.compare(b.name, Qt::CaseInsensitive) < 0;
  };
  std::sort(first.begin(), first.end(), byName);
  std::sort(other.begin(), other.end(), byName);
  first << other;
  first = first.mid(0, most);
  for (DataTypeChoice& choice : first) {
    choice.detail = detailOf(*model_, *model_->findDataType(choice.name.toStdString()));
  }
  return first;
}

CellEditor RowEditor::editorOf(const RowRef& row, const QString& cell) const {
  return changes().editorOf(resolved(row), cell);
}

QString RowEditor::cell(const RowRef& row, const QString& cell) const {
  if (isNewRow(row)) return {};
  if (cell == u"name" && !row.name.isEmpty()) return shortName(row);
  return changes().cell(resolved(row), cell);
}

QString RowEditor::readOnlyReason(const RowRef& row, const QString& cell) const {
  // Views ask this of each cell that they paint. Where all files can be written and have all cells,
  // what the views know of the MIM is all there is to say.
  bool plain = modules_.count() > 0;
  for (int i = 0; i < modules_.count() && plain; ++i) {
    const ModuleSource* source = modules_.source(i);
    plain = source != nullptr && !source->isFed();
  }
  return plain ? QString() : changes().readOnlyReason(resolved(row), cell);
}

tl::expected<void, QString> RowEditor::setCell(const RowRef& row, const QString& cell,
                                               const QString& value) {
  if (isNewRow(row)) {
    if (value.trimmed().isEmpty()) return {};
    RowRef added = resolved(row);
    QList<NewCell> cells;
    if (row.kind == RowKind::Note) {
      added.name = changes().freeName(added, QStringLiteral("note"));
      cells << NewCell{cell, value.trimmed()};
    } else {
      added.name = value.trimmed();
    }
    const auto change = changes().add(added, cells);
    if (!change) return tl::unexpected(change.error());
    return made(*change);
  }
  const auto change = changes().setCell(resolved(row), cell, value);
  if (!change) return tl::unexpected(change.error());
  return made(*change);
}

tl::expected<void, QString> RowEditor::addRow(const RowRef& row, const RowRef& after) {
  const auto change = changes().add(resolved(row), {}, after.position);
  if (!change) return tl::unexpected(change.error());
  auto done = made(*change);
  if (done) Q_EMIT added(row);
  return done;
}

bool RowEditor::apply(const ModelChanges::Result& change) {
  if (!change) {
    Q_EMIT refused(change.error());
    return false;
  }
  if (change->changes.empty()) return false;
  const auto done = made(*change);
  if (!done) Q_EMIT refused(done.error());
  return done.has_value();
}

bool RowEditor::setNewDataType(const RowRef& row, const QString& cell, omt::DataTypeKind kind,
                               const QString& name) {
  return apply(changes().setNewDataType(resolved(row), cell, kind, name));
}

bool RowEditor::remove(const RowRef& row) { return apply(changes().remove({resolved(row)})); }

bool RowEditor::move(const RowRef& row, int by) { return apply(changes().move(resolved(row), by)); }

bool RowEditor::reparent(const RowRef& row, const QString& superclass) {
  return apply(changes().reparent(row, superclass));
}

bool RowEditor::addSubclass(const RowRef& superclass) {
  RowRef row{superclass.kind, {}, superclass.name + QStringLiteral(".NewClass"), -1, -1};
  const QString name = changes().freeName(row, QStringLiteral("NewClass"));
  if (!apply(changes().addSubclass(superclass, name))) return false;
  row.name = superclass.name + u'.' + name;
  Q_EMIT added(row);
  return true;
}

bool RowEditor::addDataType(omt::DataTypeKind kind) {
  RowRef row{RowKind::DataType, {}, {}, -1, -1};
  row.name = changes().freeName(row, QStringLiteral("NewDatatype"));
  if (!apply(changes().addDataType(kind, row.name))) return false;
  Q_EMIT added(row);
  return true;
}

bool RowEditor::offersReferenceDataTypes() const {
  for (int i = 0; i < modules_.count(); ++i) {
    const ModuleSource* source = modules_.source(i);
    if (source != nullptr && source->isOf2025()) return true;
  }
  return false;
}

bool RowEditor::addReferenceDataType() {
  RowRef row{RowKind::DataType, {}, {}, -1, -1};
  row.name = changes().freeName(row, QStringLiteral("NewReference"));
  if (!apply(changes().addReferenceDataType(row.name))) return false;
  Q_EMIT added(row);
  return true;
}

bool RowEditor::addNamed(RowRef row, const QString& stem) {
  row = resolved(row);
  row.name = changes().freeName(row, stem);
  if (!apply(changes().add(row))) return false;
  Q_EMIT added(row);
  return true;
}

}  // namespace tutti::fomedit
