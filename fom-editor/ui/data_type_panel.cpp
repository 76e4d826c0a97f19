// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/data_type_panel.h"

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "fom-editor/model/row_editor.h"
#include "fom-editor/ui/byte_layout_view.h"
#include "fom-editor/ui/views.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

constexpr int kMaxExamples = 12;
constexpr int kMaxUses = 8;

void clearLayout(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (QWidget* widget = item->widget()) {
      widget->hide();
      widget->setParent(nullptr);
      widget->deleteLater();
    }
    if (QLayout* inner = item->layout()) clearLayout(inner);
    delete item;
  }
}

/// A value that shows the byte order at a glance.
QString firstValue(const LayoutPart& part) {
  switch (part.leaf) {
    case LeafKind::Enumerated:
      return part.enumeration != nullptr && !part.enumeration->enumerators.empty()
                 ? text(part.enumeration->enumerators.front().name)
                 : QStringLiteral("0");
    case LeafKind::Float:
    case LeafKind::SignedInteger:
    case LeafKind::UnsignedInteger:
      return QStringLiteral("1");
    case LeafKind::Octets:
      return QString::fromLatin1(QByteArray(part.size.value_or(0), '\0').toHex(' '));
    case LeafKind::None:
      break;
  }
  return {};
}

}  // namespace

DataTypePanel::DataTypePanel(QWidget* parent) : QScrollArea(parent) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFocusPolicy(Qt::NoFocus);
  auto* content = new QWidget(this);
  content->setObjectName(QStringLiteral("dataTypeContent"));
  content->setBackgroundRole(QPalette::Base);
  setWidget(content);
  auto* outer = new QVBoxLayout(content);
  outer->setContentsMargins(0, 0, 0, 0);
  outer->setSpacing(0);

  hint_ = theme::makeLabel(tr("Select an attribute, a parameter or a datatype to see how its "
                              "values are encoded."),
                           "secondary", content);
  hint_->setObjectName(QStringLiteral("dataTypeHint"));
  hint_->setWordWrap(true);

  hint_->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
  // Margins stand in layouts: a theme change resets those of a label.
  hintBox_ = new QWidget(content);
  auto* hintRow = new QHBoxLayout(hintBox_);
  hintRow->setContentsMargins(16, 16, 16, 0);
  hintRow->addWidget(hint_);
  outer->addWidget(hintBox_);

  body_ = new QWidget(content);
  outer->addWidget(body_);
  outer->addStretch(1);
  auto* column = new QVBoxLayout(body_);
  column->setContentsMargins(0, 0, 0, 12);
  column->setSpacing(0);

  auto* head = new QHBoxLayout;
  head->setContentsMargins(12, 12, 12, 10);
  head->setSpacing(8);
  auto* mark = new QLabel(body_);
  mark->setPixmap(theme::icon(QStringLiteral("datatype")).pixmap(20, 20));
  theme::followTheme(mark, [mark](const theme::Palette&) {
    mark->setPixmap(theme::icon(QStringLiteral("datatype")).pixmap(20, 20));
  });
  backButton_ =
      theme::smallButton(QStringLiteral("previous"), tr("Back to the datatype before"), body_);
  backButton_->setObjectName(QStringLiteral("dataTypeBack"));
  connect(backButton_, &QToolButton::clicked, this, [this] {
    if (!back_.isEmpty()) go(back_.takeLast(), false);
  });
  head->addWidget(backButton_, 0, Qt::AlignTop);
  head->addWidget(mark, 0, Qt::AlignVCenter);
  auto* names = new QVBoxLayout;
  names->setSpacing(0);
  title_ = new QPushButton(body_);
  title_->setObjectName(QStringLiteral("dataTypeTitle"));
  title_->setFlat(true);
  title_->setCursor(Qt::PointingHandCursor);
  title_->setToolTip(tr("Show the datatype in the centre"));
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  title_->setProperty("role", QByteArray("name"));
  connect(title_, &QPushButton::clicked, this, [this] { Q_EMIT dataTypeActivated(name_); });
  kind_ = theme::makeLabel(QString(), "caption", body_);
  kind_->setObjectName(QStringLiteral("dataTypeKind"));
  kind_->setWordWrap(true);
  names->addWidget(title_);
  names->addWidget(kind_);
  head->addLayout(names, 1);
  column->addLayout(head);

  semantics_ = new ElidedText(4, body_);
  semantics_->setObjectName(QStringLiteral("dataTypeSemantics"));
  auto* semanticsRow = new QHBoxLayout;
  semanticsRow->setContentsMargins(12, 0, 12, 10);
  semanticsRow->addWidget(semantics_);
  column->addLayout(semanticsRow);

  properties_ = new TableModel(this);
  propertyView_ = new TableView(body_);
  propertyView_->setObjectName(QStringLiteral("dataTypeProperties"));
  propertyView_->setTableModel(properties_);
  propertyView_->setHeaderHidden(true);
  propertyView_->setFitRows(4);
  propertyView_->setAccessibleName(tr("Representation, discriminant and encoding"));
  connect(propertyView_, &TableView::linkActivated, this, [this](const TableRow& row) {
    if (!row.dataType.isEmpty()) go(row.dataType, true);
  });
  column->addWidget(propertyView_);
  column->addSpacing(8);

  fields_ = new TableModel(this);
  fieldView_ = new TableView(body_);
  fieldView_->setObjectName(QStringLiteral("dataTypeFields"));
  fieldView_->setTableModel(fields_);
  fieldView_->setFitRows(12);
  fieldView_->setAccessibleName(tr("Parts of the datatype"));
  connect(fieldView_, &TableView::linkActivated, this, [this](const TableRow& row) {
    if (!row.dataType.isEmpty()) go(row.dataType, true);
  });
  column->addWidget(fieldView_);

  const auto groupTitle = [&](const QString& titleText) {
    auto* label = theme::makeLabel(titleText, "group", body_);
    label->setWordWrap(true);
    auto* labelRow = new QHBoxLayout;
    labelRow->setContentsMargins(12, 14, 12, 4);
    labelRow->addWidget(label);
    column->addLayout(labelRow);
    return label;
  };
  layoutTitle_ = groupTitle(tr("Byte layout"));
  bytes_ = new ByteLayoutView(body_);
  bytes_->setObjectName(QStringLiteral("byteLayout"));
  auto* bytesRow = new QHBoxLayout;
  bytesRow->setContentsMargins(12, 0, 12, 0);
  bytesRow->addWidget(bytes_);
  column->addLayout(bytesRow);

  example_ = new QWidget(body_);
  example_->setObjectName(QStringLiteral("exampleValue"));
  auto* exampleColumn = new QVBoxLayout(example_);
  exampleColumn->setContentsMargins(12, 10, 12, 0);
  exampleColumn->setSpacing(8);
  exampleColumn->addWidget(theme::makeLabel(tr("Example value"), "group", example_));
  exampleGrid_ = new QGridLayout;
  exampleGrid_->setHorizontalSpacing(8);
  exampleGrid_->setVerticalSpacing(4);
  exampleGrid_->setColumnStretch(1, 1);
  exampleColumn->addLayout(exampleGrid_);
  exampleError_ = theme::makeLabel(QString(), "error", example_);
  exampleError_->setObjectName(QStringLiteral("exampleError"));
  exampleError_->setWordWrap(true);
  exampleError_->hide();
  exampleColumn->addWidget(exampleError_);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  copyHex_ = new QPushButton(theme::icon(QStringLiteral("copy")), tr("Copy hex"), example_);
  copyHex_->setObjectName(QStringLiteral("copyHex"));
  copyHex_->setProperty("dense", true);
  connect(copyHex_, &QPushButton::clicked, this, [this] {
    QGuiApplication::clipboard()->setText(
        QString::fromLatin1(exampleOctets().toHex(' ')).toUpper());
  });
  decodeHex_ = new QPushButton(tr("Decode from hex"), example_);
  decodeHex_->setObjectName(QStringLiteral("decodeHex"));
  decodeHex_->setProperty("dense", true);
  decodeHex_->setCheckable(true);
  buttons->addWidget(copyHex_);
  buttons->addWidget(decodeHex_);
  buttons->addStretch(1);
  exampleColumn->addLayout(buttons);
  hexField_ = new QLineEdit(example_);
  hexField_->setObjectName(QStringLiteral("hexField"));
  hexField_->setPlaceholderText(tr("40 49 05 1E …, then Return"));
  hexField_->setAccessibleName(tr("Hexadecimal bytes to decode"));
  hexField_->hide();
  exampleColumn->addWidget(hexField_);
  connect(decodeHex_, &QPushButton::toggled, this, [this](bool on) {
    hexField_->setVisible(on);
    if (on) hexField_->setFocus();
  });
  connect(hexField_, &QLineEdit::returnPressed, this, [this] {
    const auto octets = parseHex(hexField_->text());
    const bool fits = octets && decodeExample(*octets);
    theme::setStyleProperty(hexField_, "invalid", !fits);
    if (!fits) {
      exampleError_->setText(
          tr("%1 takes %2 hexadecimal bytes.").arg(name_).arg(layout_.size.value_or(0)));
    }
    exampleError_->setVisible(!fits);
  });
  column->addWidget(example_);

  usesTitle_ = groupTitle(tr("Used by"));
  uses_ = new QVBoxLayout;
  uses_->setContentsMargins(12, 0, 12, 0);
  uses_->setSpacing(0);
  column->addLayout(uses_);
  showDataType({});
}

void DataTypePanel::setModel(std::shared_ptr<const omt::ObjectModel> model) {
  const int place = verticalScrollBar()->value();
  model_ = std::move(model);
  fill();
  verticalScrollBar()->setValue(place);
}

void DataTypePanel::setEditor(RowEditor* editor) {
  editor_ = editor;
  propertyView_->setEditor(editor);
  fieldView_->setEditor(editor);
  if (editor == nullptr) return;
  title_->setToolTip(tr("Show the datatype in the centre"));
}

void DataTypePanel::showDataType(const QString& name) {
  back_.clear();
  go(name, false);
}

void DataTypePanel::go(const QString& name, bool remember) {
  if (remember && !name_.isEmpty()) back_ << name_;
  name_ = name;
  fill();
}

void DataTypePanel::fill() {
  const omt::DataType* type = model_ ? model_->findDataType(name_.toStdString()) : nullptr;
  hintBox_->setVisible(type == nullptr);
  body_->setVisible(type != nullptr);
  if (type == nullptr) {
    layout_ = {};
    hint_->setText(
        name_.isEmpty() || name_ == QStringLiteral("NA")
            ? tr("Select an attribute, a parameter or a datatype to see how its values "
                 "are encoded.")
            : tr("No module defines the datatype %1. Add the module that does.").arg(name_));
    return;
  }
  backButton_->setVisible(!back_.isEmpty());
  title_->setText(name_);
  title_->setAccessibleName(tr("Datatype %1").arg(name_));
  kind_->setText(describe(*model_, *type));
  const bool edited = editor_ != nullptr && readOnlyReason(*model_, type->where).isEmpty() &&
                      editor_->readOnlyReason({RowKind::DataType, {}, name_, -1, -1}, {}).isEmpty();
  const bool described = !type->semantics.empty() && type->semantics != "-";
  const Item self = findItem(*model_, QStringLiteral("datatype:") + name_);
  const bool hasSemantics = type->kind != omt::DataTypeKind::Basic;
  semantics_->setText(described ? text(type->semantics) : tr("No semantics yet"));
  semantics_->setVisible(described || (edited && hasSemantics));
  semantics_->setCell(editor_, edited && hasSemantics ? rowOf(*model_, self) : RowRef{},
                      QStringLiteral("semantics"));
  const Table properties = propertiesOf(*model_, *type);
  properties_->setTable(properties);
  propertyView_->setVisible(!properties.rows.isEmpty());
  layout_ = layoutOf(*model_, name_);

  // The pane is narrow: it leaves out the semantics of the parts.
  Table table = tableOf(*model_, self);
  if (type->kind == omt::DataTypeKind::FixedRecord ||
      type->kind == omt::DataTypeKind::VariantRecord) {
    table.headers.removeLast();
    if (!table.cells.isEmpty()) table.cells.removeLast();
    for (TableRow& row : table.rows) row.cells.removeLast();
    if (type->kind == omt::DataTypeKind::VariantRecord) table.headers.last() = tr("When");
  }
  fields_->setTable(table);
  fieldView_->setVisible(fields_->rowCount() > 0);

  const bool drawable = layout_.problem.isEmpty() && !layout_.leaves.isEmpty();
  layoutTitle_->setText(layout_.problem.isEmpty() ? tr("Byte layout")
                                                  : tr("No byte layout: %1").arg(layout_.problem));
  layoutTitle_->setVisible(drawable || !layout_.problem.isEmpty());
  bytes_->setVisible(drawable);
  bytes_->setLayoutParts(layout_.leaves);
  fillExample(layout_);
  fillUses();
  verticalScrollBar()->setValue(0);
}

void DataTypePanel::fillExample(const DataLayout& layout) {
  clearLayout(exampleGrid_);
  examples_.clear();
  octets_ = QList<QByteArray>(layout.leaves.size());
  int values = 0;
  for (int i = 0; i < layout.leaves.size(); ++i) {
    const LayoutPart& part = layout.leaves[i];
    if (part.isPadding) octets_[i] = QByteArray(part.size.value_or(0), '\0');
    if (part.leaf == LeafKind::None) continue;
    if (const auto first = encodeLeaf(part, firstValue(part))) octets_[i] = *first;
    if (++values > kMaxExamples) continue;
    const int row = values - 1;
    auto* label = theme::makeLabel(part.name, "secondary", example_);
    label->setToolTip(part.typeName);
    auto* field = new QLineEdit(firstValue(part), example_);
    field->setObjectName(QStringLiteral("example_%1").arg(part.name));
    field->setAccessibleName(tr("Example of %1").arg(part.name));
    label->setBuddy(field);
    exampleGrid_->addWidget(label, row, 0);
    exampleGrid_->addWidget(field, row, 1);
    if (!part.unit.isEmpty()) {
      exampleGrid_->addWidget(theme::makeLabel(part.unit, "muted", example_), row, 2);
    }
    examples_ << Example{i, field};
    connect(field, &QLineEdit::textEdited, this, &DataTypePanel::updateOctets);
  }
  // A value of variable size has no one example.
  example_->setVisible(!examples_.isEmpty() && layout.size.has_value());
  exampleError_->hide();
  hexField_->clear();
  theme::setStyleProperty(hexField_, "invalid", false);

  decodeHex_->setChecked(false);
  bytes_->setOctets(octets_);
}

void DataTypePanel::updateOctets() {
  QString firstError;
  for (const Example& e : examples_) {
    QString error;
    const auto octets = encodeLeaf(layout_.leaves[e.part], e.field->text(), &error);
    theme::setStyleProperty(e.field, "invalid", !octets.has_value());
    octets_[e.part] = octets.value_or(QByteArray());
    if (firstError.isEmpty()) firstError = error;
  }
  exampleError_->setText(firstError);
  exampleError_->setVisible(!firstError.isEmpty());
  bytes_->setOctets(octets_);
}

QByteArray DataTypePanel::exampleOctets() const {
  if (!layout_.size) return {};
  QByteArray all;
  for (const QByteArray& part : octets_) all += part;
  return all.size() == *layout_.size ? all : QByteArray();
}

bool DataTypePanel::decodeExample(const QByteArray& octets) {
  if (!layout_.size || octets.size() != *layout_.size) return false;
  for (int i = 0; i < layout_.leaves.size(); ++i) {
    const LayoutPart& part = layout_.leaves[i];
    octets_[i] = octets.mid(part.offset.value_or(0), part.size.value_or(0));
  }
  for (const Example& e : examples_) {
    e.field->setText(decodeLeaf(layout_.leaves[e.part], octets_[e.part]));
    theme::setStyleProperty(e.field, "invalid", false);
  }
  exampleError_->hide();
  bytes_->setOctets(octets_);
  return true;
}

void DataTypePanel::fillUses() {
  clearLayout(uses_);
  const Item self = findItem(*model_, QStringLiteral("datatype:") + name_);
  const Table table = usesOf(*model_, self, nullptr);
  usesTitle_->setText(table.rows.isEmpty() ? tr("Used by nothing") : tr("Used by"));
  for (int i = 0; i < table.rows.size() && i < kMaxUses; ++i) {
    const TableRow& row = table.rows[i];
    QString as = row.cells.value(1);
    as.remove(QStringLiteral("attribute, "));
    if (as == QStringLiteral("attribute")) as.clear();
    auto* link = new LinkRow(row.cells.value(0), as, body_);
    link->setObjectName(QStringLiteral("use_%1").arg(row.cells.value(0)));
    connect(link, &QAbstractButton::clicked, this,
            [this, target = row.link] { Q_EMIT itemActivated(target); });
    uses_->addWidget(link);
  }
  if (table.rows.size() > kMaxUses) {
    auto* more = new LinkRow(tr("and %1 more").arg(table.rows.size() - kMaxUses), {}, body_);
    more->setObjectName(QStringLiteral("usesMore"));
    connect(more, &QAbstractButton::clicked, this, [this] { Q_EMIT dataTypeActivated(name_); });
    uses_->addWidget(more);
  }
}

}  // namespace tutti::fomedit
