// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/property_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>

#include "composer/ui/looks.h"
#include "composer/ui/restart_field.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::composer {

using theme::Palette;
using theme::State;
using theme::TextStyle;
using theme::Token;

namespace {

constexpr int kLabelWidth = 96;

/// A spin box that the wheel does not change while the panel is scrolled.
class CalmSpinBox : public QSpinBox {
 public:
  using QSpinBox::QSpinBox;

 protected:
  void wheelEvent(QWheelEvent* event) override {
    if (hasFocus())
      QSpinBox::wheelEvent(event);
    else
      event->ignore();
  }
};

class CalmComboBox : public QComboBox {
 public:
  using QComboBox::QComboBox;

 protected:
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }
};

QLabel* stateLabel(State state, int size, QWidget* parent) {
  auto* mark = new QLabel(parent);
  theme::followTheme(mark, [mark, state, size](const Palette& palette) {
    mark->setPixmap(theme::statePixmap(state, size, palette, mark->devicePixelRatioF()));
  });
  return mark;
}

/// A dot in a class's colour: a disc for object classes, a diamond for interactions.
QLabel* classDot(int series, bool isObject, QWidget* parent) {
  auto* mark = new QLabel(parent);
  mark->setFixedSize(10, 16);
  theme::followTheme(mark, [mark, series, isObject](const Palette& palette) {
    const qreal ratio = mark->devicePixelRatioF();
    QPixmap pixmap(QSize(10, 10) * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(series < 0 ? palette[Token::LineControl] : palette.series(series));
    if (isObject)
      painter.drawEllipse(QRectF(1, 1, 8, 8));
    else
      painter.drawPolygon(QPolygonF({{5, 0.4}, {9.6, 5}, {5, 9.6}, {0.4, 5}}));
    painter.end();
    mark->setPixmap(pixmap);
  });
  return mark;
}

/// A whole amount without a fraction: 20, not 20.0, as people write it.
Json amountJson(double amount) {
  constexpr double mostExact = 9007199254740992;  // 2^53
  if (amount >= 0 && amount < mostExact && amount == std::floor(amount))
    return static_cast<std::int64_t>(amount);
  return amount;
}

QString secondsText(const std::optional<double>& seconds) {
  if (!seconds) return theme::noValue();
  return theme::formatFixed(*seconds, 2) + QChar(0x202F) + u's';
}

}  // namespace

// UnitEdit

UnitEdit::UnitEdit(const QString& unit, QWidget* parent) : QLineEdit(parent), unit_(unit) {
  if (unit_.isEmpty()) return;
  const int width = QFontMetrics(theme::textFont(TextStyle::Table)).horizontalAdvance(unit_);
  setTextMargins(0, 0, width + 6, 0);
}

void UnitEdit::paintEvent(QPaintEvent* event) {
  QLineEdit::paintEvent(event);
  if (unit_.isEmpty()) return;
  QPainter painter(this);
  painter.setPen(Palette::of(this)[Token::TextMuted]);
  painter.setFont(theme::textFont(TextStyle::Table));
  painter.drawText(rect().adjusted(0, 0, -9, 0), Qt::AlignRight | Qt::AlignVCenter, unit_);
}

void UnitEdit::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && isModified()) {
    undo();
    setModified(false);
    return;
  }
  QLineEdit::keyPressEvent(event);
}

// ParameterEdit

ParameterEdit::ParameterEdit(const Parameter& parameter, QWidget* parent)
    : QWidget(parent), parameter_(parameter) {
  setObjectName(QStringLiteral("parameter-") + parameter.name);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  QString tip = parameter.help;
  const QString requirement = parameter.requirement();
  if (!requirement.isEmpty())
    tip += (tip.isEmpty() ? QString() : QStringLiteral("\n")) + requirement;
  switch (parameter.kind) {
    case ParameterKind::Boolean:
      check_ = new QCheckBox(this);
      column->addWidget(check_);
      connect(check_, &QCheckBox::clicked, this, &ParameterEdit::commit);
      break;
    case ParameterKind::Choice:
      choice_ = new CalmComboBox(this);
      choice_->addItems(parameter.choices);
      column->addWidget(choice_);
      connect(choice_, &QComboBox::activated, this, &ParameterEdit::commit);
      break;
    default: {
      line_ = new UnitEdit(parameter.unit, this);
      auto* row = new QHBoxLayout;
      row->setSpacing(4);
      row->addWidget(line_);
      if (parameter.kind == ParameterKind::File) {
        auto* browse =
            theme::smallButton(QStringLiteral("document-open"), tr("Choose a file"), this);
        row->addWidget(browse);
        connect(browse, &QToolButton::clicked, this, [this] {
          const QString file = QFileDialog::getOpenFileName(this, parameter_.label, typed());
          if (file.isEmpty()) return;
          line_->setText(file);
          commit();
        });
      }
      column->addLayout(row);
      if (!parameter.choices.isEmpty()) complete();
      connect(line_, &QLineEdit::textEdited, this, &ParameterEdit::validate);
      connect(line_, &QLineEdit::editingFinished, this, &ParameterEdit::commit);
    }
  }
  field()->setObjectName(QStringLiteral("field-") + parameter.name);
  field()->setAccessibleName(parameter.unit.isEmpty()
                                 ? parameter.label
                                 : tr("%1 in %2").arg(parameter.label, parameter.unit));
  field()->setToolTip(tip);
  faultRow_ = new QWidget(this);
  auto* fault = new QHBoxLayout(faultRow_);
  fault->setContentsMargins(0, 0, 0, 2);
  fault->setSpacing(5);
  fault->addWidget(stateLabel(State::Error, 12, faultRow_), 0, Qt::AlignTop);
  faultText_ = theme::makeLabel(QString(), "error", faultRow_);
  faultText_->setObjectName(QStringLiteral("fault-") + parameter.name);
  faultText_->setWordWrap(true);
  faultText_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  fault->addWidget(faultText_, 1);
  column->addWidget(faultRow_);
  faultRow_->hide();
}

void ParameterEdit::complete() {
  auto* completer = new QCompleter(parameter_.choices, line_);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setFilterMode(Qt::MatchContains);
  completer->setMaxVisibleItems(10);
  line_->setCompleter(completer);
  connect(completer, QOverload<const QString&>::of(&QCompleter::activated), this,
          [this](const QString& chosen) {
            line_->setText(chosen);
            line_->setModified(true);
            commit();
          });
  auto* list = line_->addAction(theme::icon(QStringLiteral("down")), QLineEdit::TrailingPosition);
  list->setToolTip(tr("List all %1").arg(parameter_.choices.size()));
  connect(list, &QAction::triggered, this, [this, completer] {
    completer->setCompletionPrefix(QString());
    completer->complete();
  });
}

QWidget* ParameterEdit::field() const {
  if (line_) return line_;
  if (choice_) return choice_;
  return check_;
}

QString ParameterEdit::typed() const {
  if (line_) return line_->text().trimmed();
  if (choice_) return choice_->currentText();
  return check_->isChecked() ? QStringLiteral("true") : QStringLiteral("false");
}

void ParameterEdit::setValue(const Json& value) {
  value_ = value;
  const Json& shown = value.is_null() ? parameter_.defaultValue : value;
  const QString text = Parameter::textOf(shown);
  if (line_) {
    // The default is a value too; only what is missing is empty.
    if (!line_->hasFocus() || !line_->isModified()) {
      line_->setText(text);
      line_->setModified(false);
    }
    line_->setPlaceholderText(QString());
  } else if (choice_) {
    choice_->setCurrentIndex(choice_->findText(text));
  } else {
    check_->setChecked(text == QStringLiteral("true"));
  }
  validate();
}

void ParameterEdit::validate() {
  const QString text = typed();
  if (text.isEmpty()) {
    const bool missing = parameter_.required && parameter_.defaultValue.is_null();
    const QString need = parameter_.requirement();
    showFault(missing ? (need.isEmpty() ? tr("Needs a value") : need) : QString());
    return;
  }
  const auto parsed = parameter_.parse(text);
  showFault(parsed ? QString() : parsed.error());
}

void ParameterEdit::showFault(const QString& fault) {
  fault_ = fault;
  faultText_->setText(fault);
  faultRow_->setVisible(!fault.isEmpty());
  if (line_) theme::setStyleProperty(line_, "invalid", !fault.isEmpty());
  field()->setAccessibleDescription(fault.isEmpty() ? parameter_.help : fault);
}

void ParameterEdit::commit() {
  validate();
  const QString text = typed();
  if (line_ && !line_->isModified()) return;
  if (line_) line_->setModified(false);
  if (text.isEmpty()) {
    Q_EMIT committed(std::nullopt);
    return;
  }
  const auto parsed = parameter_.parse(text);
  if (!parsed) {
    line_->setModified(true);  // kept as typed, with the reason under it
    return;
  }
  if (value_.is_null() && *parsed == parameter_.defaultValue) return;
  Q_EMIT committed(*parsed);
}

// PropertyPanel

PropertyPanel::PropertyPanel(Document& document, Selection& selection, QWidget* parent)
    : QScrollArea(parent), document_(document), selection_(selection) {
  setObjectName(QStringLiteral("propertyPanel"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  timer_.setSingleShot(true);
  timer_.setInterval(0);
  connect(&timer_, &QTimer::timeout, this, &PropertyPanel::refresh);
  const auto later = [this] {
    if (!timer_.isActive()) timer_.start();
  };
  connect(&selection_, &Selection::changed, this, later);
  connect(&document_, &Document::wasReset, this, [this, later] {
    shownKind_.clear();
    later();
  });
  connect(&document_, &Document::federateChanged, this, later);
  connect(&document_, &Document::federateAdded, this, later);
  connect(&document_, &Document::federateRemoved, this, later);
  connect(&document_, &Document::groupChanged, this, later);
  connect(&document_, &Document::settingsChanged, this, later);
  connect(&document_, &Document::dataFlowChanged, this, later);
  connect(&document_, &Document::catalogChanged, this, [this, later] {
    shownKind_.clear();
    later();
  });
  rebuild();
}

void PropertyPanel::refresh() {
  timer_.stop();
  QString kind;
  QString id;
  QString component;
  if (const QString single = selection_.single(); !single.isEmpty()) {
    kind = QStringLiteral("federate");
    id = single;
    if (const Federate* federate = document_.federate(single))
      component = federate->component + u'\n' + federate->version;
  } else if (!selection_.federates().isEmpty()) {
    kind = QStringLiteral("several");
    id = selection_.federates().join(u'\n');
  } else if (!selection_.className().isEmpty()) {
    kind = QStringLiteral("class");
    id = selection_.className();
  } else if (!selection_.group().isEmpty()) {
    kind = QStringLiteral("group");
    id = selection_.group();
  } else {
    kind = QStringLiteral("composition");
  }
  const bool same = kind == shownKind_ && id == shownId_ && component == shownComponent_;
  shownKind_ = kind;
  shownId_ = id;
  shownComponent_ = component;
  // A federate's page keeps its editors, and with them focus and half-typed values.
  if (!same || kind != QStringLiteral("federate")) {
    if (same && isAncestorOf(focusWidget()) && kind == QStringLiteral("composition")) return;
    rebuild();
    return;
  }
  const Federate* federate = document_.federate(id);
  if (!federate) {
    rebuild();
    return;
  }
  const Manifest* manifest = document_.manifestOf(id);
  title_->setText(federate->name);
  if (!name_->hasFocus() || !name_->isModified()) name_->setText(federate->name);
  {
    const QSignalBlocker quietCount(count_);
    count_->setValue(federate->count);
  }
  enabled_->setChecked(federate->enabled);
  required_->setChecked(federate->required);
  restart_->setRestart(federate->restart);
  showNeeds(*federate);
  for (auto [parameter, edit] : parameters_.asKeyValueRange()) {
    const auto own = federate->parameters.find(parameter);
    edit->setValue(own == federate->parameters.end() ? Json() : own->second);
  }
  if (manifest) refreshFlow();
}

void PropertyPanel::rebuild() {
  parameters_.clear();
  name_ = nullptr;
  count_ = nullptr;
  enabled_ = required_ = nullptr;
  restart_ = nullptr;
  cores_ = memory_ = nullptr;
  flow_ = nullptr;
  page_ = new QWidget;
  page_->setAutoFillBackground(true);
  page_->setBackgroundRole(QPalette::Base);
  column_ = new QVBoxLayout(page_);
  column_->setContentsMargins(12, 14, 12, 16);
  column_->setSpacing(6);
  if (shownKind_ == QStringLiteral("federate") && document_.federate(shownId_))
    buildFederate(shownId_);
  else if (shownKind_ == QStringLiteral("several"))
    buildSeveral();
  else if (shownKind_ == QStringLiteral("class"))
    buildClass(shownId_);
  else if (shownKind_ == QStringLiteral("group") &&
           document_.composition().groups.contains(shownId_))
    buildGroup(shownId_);
  else
    buildComposition();
  column_->addStretch(1);
  setWidget(page_);  // deletes the old page
}

void PropertyPanel::header(const QString& icon, const QString& title, const QString& caption) {
  auto* row = new QHBoxLayout;
  row->setSpacing(11);
  auto* mark = new QLabel(page_);
  theme::followTheme(
      mark, [mark, icon](const Palette&) { mark->setPixmap(theme::icon(icon).pixmap(20, 20)); });
  row->addWidget(mark, 0, Qt::AlignVCenter);
  auto* texts = new QVBoxLayout;
  texts->setSpacing(0);
  title_ = theme::makeLabel(title, "title", page_);
  title_->setObjectName(QStringLiteral("propertyTitle"));
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  caption_ = theme::makeLabel(caption, "caption", page_);
  caption_->setWordWrap(true);
  texts->addWidget(title_);
  texts->addWidget(caption_);
  row->addLayout(texts, 1);
  column_->addLayout(row);
  column_->addSpacing(6);
}

void PropertyPanel::group(const QString& title, QPushButton* link) {
  column_->addSpacing(6);
  auto* row = new QHBoxLayout;
  row->addWidget(theme::makeLabel(title, "group", page_));
  row->addStretch(1);
  if (link) {
    link->setProperty("role", QByteArray("link"));
    link->setProperty("dense", true);
    row->addWidget(link);
  }
  column_->addLayout(row);
}

void PropertyPanel::row(const QString& label, QWidget* field, const QString& toolTip) {
  auto* line = new QHBoxLayout;
  line->setSpacing(4);
  auto* text = theme::makeLabel(label, "secondary", page_);
  text->setFixedWidth(kLabelWidth);
  text->setMinimumHeight(theme::height::kControl);
  text->setToolTip(toolTip);
  line->addWidget(text, 0, Qt::AlignTop);
  line->addWidget(field, 1, Qt::AlignTop);
  column_->addLayout(line);
}

void PropertyPanel::fact(const QString& label, const QString& value, const QString& toolTip) {
  auto* line = new QHBoxLayout;
  line->setSpacing(8);
  auto* text = theme::makeLabel(label, "secondary", page_);
  text->setMinimumHeight(20);
  text->setAlignment(Qt::AlignLeft | Qt::AlignTop);
  auto* number = theme::makeLabel(value, "table", page_);
  number->setAlignment(Qt::AlignRight | Qt::AlignTop);
  number->setWordWrap(true);
  number->setToolTip(toolTip);
  number->setTextInteractionFlags(Qt::TextSelectableByMouse);
  line->addWidget(text, 0, Qt::AlignTop);
  line->addWidget(number, 1);
  column_->addLayout(line);
}

UnitEdit* PropertyPanel::textField(const char* name, const QString& unit) {
  auto* field = new UnitEdit(unit, page_);
  field->setObjectName(QString::fromLatin1(name));
  return field;
}

void PropertyPanel::buildFederate(const QString& id) {
  const Federate& federate = *document_.federate(id);
  const Manifest* manifest = document_.manifestOf(id);
  QString caption = federate.component + u' ' + (manifest ? manifest->version : federate.version);
  if (manifest && !manifest->category.isEmpty())
    caption += tr(", catalog “%1”").arg(manifest->category);
  if (!manifest) caption += tr(", not in the catalog");
  header(iconOf(manifest), federate.name, caption);
  if (manifest) title_->setToolTip(manifest->summary + u'\n' + manifest->folder);

  name_ = textField("field-name");
  name_->setText(federate.name);
  row(tr("Instance name"), name_, tr("The name under which it joins the federation"));
  connect(name_, &QLineEdit::editingFinished, this, [this, id] {
    if (!name_->isModified()) return;
    name_->setModified(false);
    document_.renameFederate(id, name_->text().trimmed());
  });
  auto* numbers = new QWidget(page_);
  auto* line = new QHBoxLayout(numbers);
  line->setContentsMargins(0, 0, 0, 0);
  count_ = new CalmSpinBox(numbers);
  count_->setObjectName(QStringLiteral("field-count"));
  count_->setRange(1, 1000);
  count_->setValue(federate.count);
  count_->setFixedWidth(76);
  count_->setKeyboardTracking(false);
  enabled_ = new QCheckBox(tr("Enabled"), numbers);
  enabled_->setObjectName(QStringLiteral("field-enabled"));
  enabled_->setToolTip(tr("A disabled federate stays in the composition and is not started"));
  enabled_->setChecked(federate.enabled);
  line->addWidget(count_);
  line->addStretch(1);
  line->addWidget(enabled_);
  row(tr("Count"), numbers, tr("Instances of this box that are started"));
  connect(count_, &QSpinBox::valueChanged, this,
          [this, id](int value) { document_.setCount(id, value); });
  connect(enabled_, &QCheckBox::clicked, this,
          [this, id](bool on) { document_.setEnabled({id}, on); });

  if (manifest && !manifest->parameters.empty()) {
    auto* reset = new QPushButton(tr("Reset all"), page_);
    reset->setObjectName(QStringLiteral("resetParameters"));
    reset->setToolTip(tr("Use the defaults of the component again"));
    group(tr("Parameters"), reset);
    connect(reset, &QPushButton::clicked, this, [this, id] { document_.resetParameters(id); });
    for (const Parameter& parameter : manifest->parameters) {
      auto* edit = new ParameterEdit(parameter, page_);
      const auto own = federate.parameters.find(parameter.name);
      edit->setValue(own == federate.parameters.end() ? Json() : own->second);
      parameters_.insert(parameter.name, edit);
      row(parameter.label, edit, parameter.help);
      connect(edit, &ParameterEdit::committed, this,
              [this, id, name = parameter.name](const std::optional<Json>& value) {
                document_.setParameter(id, name, value);
              });
    }
  }
  if (manifest) {
    group(tr("Data flow"));
    flow_ = new QVBoxLayout;
    flow_->setSpacing(2);
    column_->addLayout(flow_);
    refreshFlow();

    group(tr("Time"));
    const TimePolicy& time = manifest->time;
    fact(tr("Policy"), time.regulating && time.constrained ? tr("Regulating, constrained")
                       : time.regulating                   ? tr("Regulating")
                       : time.constrained                  ? tr("Constrained")
                                                           : tr("Not time-managed"));
    if (time.regulating)
      fact(tr("Lookahead"), secondsText(manifest->formula(time.lookahead, federate.parameters)),
           tr("Formula: %1").arg(time.lookahead));
    if (time.managed()) fact(tr("Time type"), time.timeType);
  }
  group(tr("Start"));
  if (manifest) fact(tr("Ready when"), manifest->ready.description());
  QStringList waits;
  for (const QString& other : federate.waitsFor)
    if (const Federate* found = document_.federate(other)) waits << found->name;
  fact(tr("Starts"),
       waits.isEmpty() ? (federate.startOrder == 0 ? tr("first")
                                                   : tr("in step %1").arg(federate.startOrder + 1))
                       : tr("after %1").arg(waits.join(QStringLiteral(", "))));
  required_ = new QCheckBox(tr("The run stops without it"), page_);
  required_->setObjectName(QStringLiteral("field-required"));
  required_->setMinimumHeight(theme::height::kControl);
  required_->setChecked(federate.required);
  row(tr("Required"), required_);
  connect(required_, &QCheckBox::clicked, this,
          [this, id](bool on) { document_.setRequired(id, on); });
  restart_ = new RestartField(page_);
  restart_->setRestart(federate.restart);
  row(tr("Restart"), restart_);
  connect(restart_, &RestartField::edited, this,
          [this, id](const Restart& restart) { document_.setRestart(id, restart); });
  buildNeeds(id);
}

void PropertyPanel::buildNeeds(const QString& id) {
  const Federate& federate = *document_.federate(id);
  const Manifest* manifest = document_.manifestOf(id);
  const Resources usual = manifest == nullptr ? Resources{} : manifest->resources;
  group(tr("Needs of one instance"));
  const auto edit = [&](const char* name, const QString& label, const QString& unit, double amount,
                        std::optional<double> OwnResources::*own) {
    Parameter parameter;
    parameter.name = QString::fromLatin1(name);
    parameter.label = label;
    const QString amountText =
        unit.isEmpty() ? QString::number(amount) : QString::number(amount) + u' ' + unit;
    parameter.help = tr("Automatic placement and Slurm jobs go by it. Empty: %1")
                         .arg(amount > 0 ? tr("%1, as its component says").arg(amountText)
                                         : tr("its component does not say"));
    parameter.kind = ParameterKind::Real;
    parameter.unit = unit;
    parameter.minimum = 0;
    if (amount > 0) parameter.defaultValue = amountJson(amount);
    auto* field = new ParameterEdit(parameter, page_);
    row(label, field, parameter.help);
    connect(field, &ParameterEdit::committed, this,
            [this, id, own](const std::optional<Json>& value) {
              const Federate* now = document_.federate(id);
              if (now == nullptr) return;
              OwnResources changed = now->resources;
              changed.*own = value ? std::optional(value->get<double>()) : std::nullopt;
              document_.setResources(id, changed);
            });
    return field;
  };
  cores_ = edit("needs-cores", tr("Cores"), {}, usual.cores, &OwnResources::cores);
  memory_ = edit("needs-memory", tr("Memory"), tr("MB"), usual.memory, &OwnResources::memory);
  showNeeds(federate);
  const QStringList labels = federate.needs(manifest).labels;
  if (!labels.isEmpty()) fact(tr("Labels"), labels.join(QStringLiteral(", ")));
}

void PropertyPanel::showNeeds(const Federate& federate) {
  const auto own = [](const std::optional<double>& amount) {
    return amount ? amountJson(*amount) : Json();
  };
  cores_->setValue(own(federate.resources.cores));
  memory_->setValue(own(federate.resources.memory));
}

void PropertyPanel::refreshFlow() {
  if (!flow_) return;
  while (QLayoutItem* item = flow_->takeAt(0)) {
    if (item->widget()) {
      item->widget()->hide();
      item->widget()->deleteLater();
    }
    delete item;
  }
  const Federate* federate = document_.federate(shownId_);
  const Manifest* manifest = document_.manifestOf(shownId_);
  if (!federate || !manifest) return;
  const DataFlow& flow = document_.dataFlow();
  const auto add = [&](const Interest& interest, bool input) {
    int series = -1;
    std::optional<double> rate;
    QStringList attributes = interest.attributes;
    bool connected = false;
    for (const ClassFlow& one : flow.flows) {
      if (one.isObject != interest.isObject) continue;
      for (const FlowEnd& end : input ? one.subscribers : one.publishers) {
        if (end.federate != shownId_) continue;
        if (input ? end.asClass != interest.className : one.className != interest.className)
          continue;
        connected = input || !one.subscribers.empty();
        series = one.series;
        if (end.rate) rate = rate.value_or(0) + *end.rate;
      }
    }
    auto* line = new QWidget(page_);
    auto* inner = new QHBoxLayout(line);
    inner->setContentsMargins(0, 1, 0, 1);
    inner->setSpacing(6);
    inner->addWidget(classDot(connected ? series : -1, interest.isObject, line));
    auto* name = new QPushButton(interest.shortName(), line);
    name->setProperty("role", QByteArray("text"));
    name->setToolTip(tr("%1: show it in the object model").arg(interest.className));
    connect(name, &QPushButton::clicked, this,
            [this, className = interest.className] { Q_EMIT classRequested(className); });
    inner->addWidget(name);
    QString what = input ? tr("in") : tr("out");
    if (!attributes.isEmpty())
      what += QStringLiteral(", ") +
              theme::formatNoun(attributes.size(), tr("attribute"), tr("attributes"));
    if (!connected) what += input ? tr(", nobody publishes it") : tr(", nobody subscribes");
    auto* detail = new theme::ElidedLabel("muted", line);
    detail->setText(what);
    detail->setToolTip(
        QStringList{what, attributes.join(QStringLiteral(", "))}.join(u'\n').trimmed());
    inner->addWidget(detail, 1);
    auto* number = theme::makeLabel(rateText(rate), "muted", line);
    number->setToolTip(
        tr("Expected from the rate formula in the component's manifest and its "
           "parameters"));
    inner->addWidget(number);
    flow_->addWidget(line);
  };
  for (const Interest& interest : manifest->subscribes) add(interest, true);
  for (const Interest& interest : manifest->publishes) add(interest, false);
  if (manifest->subscribes.empty() && manifest->publishes.empty())
    flow_->addWidget(theme::makeLabel(tr("Neither publishes nor subscribes"), "muted", page_));
}

void PropertyPanel::buildSeveral() {
  const QStringList ids = selection_.federates();
  QStringList names;
  int enabled = 0;
  for (const QString& id : ids)
    if (const Federate* federate = document_.federate(id)) {
      names << federate->name;
      enabled += federate->enabled;
    }
  header(QStringLiteral("group"), theme::formatNoun(ids.size(), tr("federate"), tr("federates")),
         names.join(QStringLiteral(", ")));
  auto* box = new QCheckBox(tr("Enabled"), page_);
  box->setObjectName(QStringLiteral("field-enabled"));
  box->setTristate(enabled > 0 && enabled < ids.size());
  box->setCheckState(enabled == ids.size() ? Qt::Checked
                     : enabled == 0        ? Qt::Unchecked
                                           : Qt::PartiallyChecked);
  connect(box, &QCheckBox::clicked, this,
          [this, ids, box] { document_.setEnabled(ids, box->checkState() != Qt::Unchecked); });
  column_->addWidget(box);
}

void PropertyPanel::buildGroup(const QString& id) {
  const Group& one = document_.composition().groups.at(id);
  QStringList names;
  for (const auto& [key, federate] : document_.composition().federates)
    if (federate.group == id) names << federate.name;
  header(QStringLiteral("group"), one.name,
         theme::formatNoun(names.size(), tr("federate"), tr("federates")));
  auto* field = textField("field-groupName");
  field->setText(one.name);
  row(tr("Name"), field);
  connect(field, &QLineEdit::editingFinished, this, [this, id, field] {
    if (field->isModified()) document_.renameGroup(id, field->text().trimmed());
  });
  auto* collapsed = new QCheckBox(tr("Shown as one box"), page_);
  collapsed->setChecked(one.collapsed);
  row(tr("Collapsed"), collapsed);
  connect(collapsed, &QCheckBox::clicked, this,
          [this, id](bool on) { document_.setGroupCollapsed(id, on); });
  group(tr("Members"));
  for (const auto& [key, federate] : document_.composition().federates) {
    if (federate.group != id) continue;
    auto* link = new QPushButton(federate.name, page_);
    link->setProperty("role", QByteArray("link"));
    link->setProperty("dense", true);
    connect(link, &QPushButton::clicked, this,
            [this, member = key] { Q_EMIT federateRequested(member); });
    column_->addWidget(link, 0, Qt::AlignLeft);
  }
}

void PropertyPanel::buildClass(const QString& className) {
  const ClassFlow* flow = nullptr;
  for (const ClassFlow& one : document_.dataFlow().flows)
    if (one.className == className) flow = &one;
  if (!flow) {
    buildComposition();
    return;
  }
  header(flow->isObject ? QStringLiteral("object-class") : QStringLiteral("interaction-class"),
         flow->shortName(),
         flow->isObject ? tr("object class %1").arg(className)
                        : tr("interaction class %1").arg(className));
  fact(tr("Expected rate"), rateText(flow->rate),
       tr("Sum over the publishers, from the formulas in their manifests"));
  auto* open = new QPushButton(tr("Show in the object model"), page_);
  connect(open, &QPushButton::clicked, this,
          [this, className] { Q_EMIT classRequested(className); });
  column_->addWidget(open, 0, Qt::AlignLeft);
  const auto list = [this](const QString& title, const std::vector<FlowEnd>& ends) {
    group(title);
    for (const FlowEnd& end : ends) {
      const Federate* federate = document_.federate(end.federate);
      if (!federate) continue;
      auto* line = new QHBoxLayout;
      auto* link = new QPushButton(federate->name, page_);
      link->setProperty("role", QByteArray("link"));
      link->setProperty("dense", true);
      connect(link, &QPushButton::clicked, this,
              [this, id = end.federate] { Q_EMIT federateRequested(id); });
      line->addWidget(link);
      line->addStretch(1);
      line->addWidget(theme::makeLabel(rateText(end.rate), "muted", page_));
      column_->addLayout(line);
    }
  };
  list(tr("Published by"), flow->publishers);
  list(tr("Subscribed by"), flow->subscribers);
}

void PropertyPanel::buildComposition() {
  const Settings& settings = document_.composition().settings;
  int federates = 0;
  for (const auto& [id, federate] : document_.composition().federates)
    if (federate.enabled) federates += federate.count;
  header(QStringLiteral("compose"), settings.federation,
         theme::formatNoun(federates, tr("federate"), tr("federates")) + QStringLiteral(", ") +
             theme::formatNoun(static_cast<qint64>(document_.dataFlow().flows.size()), tr("class"),
                               tr("classes")));
  auto* name = textField("field-federation");
  name->setText(settings.federation);
  row(tr("Federation"), name, tr("Name of the federation execution"));
  connect(name, &QLineEdit::editingFinished, this, [this, name] {
    if (name->isModified()) document_.setFederationName(name->text().trimmed());
  });
  group(tr("Run"));
  auto* pace = textField("field-pace", QStringLiteral("×"));
  pace->setText(QString::number(settings.pace));
  row(tr("Pace"), pace, tr("Logical seconds per second of real time; 0 is as fast as possible"));
  connect(pace, &QLineEdit::editingFinished, this, [this, pace] {
    bool ok = false;
    const double value = pace->text().toDouble(&ok);
    theme::setStyleProperty(pace, "invalid", !ok || value < 0);
    if (ok && value >= 0 && pace->isModified()) document_.setPace(value);
  });
  const auto optional = [](const std::optional<double>& value) {
    return value ? QString::number(*value) : QString();
  };
  auto* after = textField("field-stopAfter", QStringLiteral("s"));
  after->setPlaceholderText(tr("never"));
  after->setText(optional(settings.stopAfter));
  auto* at = textField("field-stopAt", QStringLiteral("s"));
  at->setPlaceholderText(tr("never"));
  at->setText(optional(settings.stopAtLogicalTime));
  row(tr("Stop after"), after, tr("Seconds of real time after which the run ends by itself"));
  row(tr("Stop at time"), at, tr("Logical time at which the run ends by itself"));
  const auto commitStop = [this, after, at] {
    const auto parse = [](UnitEdit* field, std::optional<double>& value) {
      const QString text = field->text().trimmed();
      bool ok = true;
      value = text.isEmpty() ? std::nullopt : std::optional(text.toDouble(&ok));
      ok = ok && (!value || *value > 0);
      theme::setStyleProperty(field, "invalid", !ok);
      return ok;
    };
    std::optional<double> afterValue;
    std::optional<double> atValue;
    const bool bothOk = parse(after, afterValue) & parse(at, atValue);
    if (bothOk && (after->isModified() || at->isModified())) document_.setStop(afterValue, atValue);
  };
  connect(after, &QLineEdit::editingFinished, this, commitStop);
  connect(at, &QLineEdit::editingFinished, this, commitStop);

  auto* way = new CalmComboBox(page_);
  way->setObjectName(QStringLiteral("field-architecture"));
  for (const Architecture& one : architectures) {
    way->addItem(QString::fromLatin1(one.name));
    way->setItemData(way->count() - 1, tr(one.meaning), Qt::ToolTipRole);
  }
  way->setCurrentIndex(std::max(0, way->findText(settings.architecture)));
  row(tr("Architecture"), way, way->currentData(Qt::ToolTipRole).toString());
  connect(way, &QComboBox::activated, this,
          [this, way] { document_.setArchitecture(way->currentText()); });

  auto* add = new QPushButton(tr("Add…"), page_);
  add->setToolTip(tr("FOM modules beside those that the components bring"));
  group(tr("FOM modules"), add);
  connect(add, &QPushButton::clicked, this, &PropertyPanel::askForModule);
  if (settings.fomModules.isEmpty())
    column_->addWidget(
        theme::makeLabel(tr("The components bring all FOM modules needed"), "muted", page_));
  for (const QString& module : settings.fomModules) {
    auto* line = new QHBoxLayout;
    auto* text = theme::makeLabel(QFileInfo(module).fileName(), "table", page_);
    text->setToolTip(module);
    line->addWidget(text, 1);
    auto* remove = theme::smallButton(QStringLiteral("close"),
                                      tr("Remove %1").arg(QFileInfo(module).fileName()), page_);
    connect(remove, &QToolButton::clicked, this,
            [this, module] { document_.removeModule(module); });
    line->addWidget(remove);
    column_->addLayout(line);
  }
  if (!document_.dataFlow().flows.empty()) {
    group(tr("Classes"));
    for (const ClassFlow& flow : document_.dataFlow().flows) {
      auto* line = new QHBoxLayout;
      line->setSpacing(6);
      line->addWidget(classDot(flow.subscribers.empty() ? -1 : flow.series, flow.isObject, page_));
      auto* link = new QPushButton(flow.shortName(), page_);
      link->setProperty("role", QByteArray("text"));
      link->setToolTip(flow.className);
      connect(link, &QPushButton::clicked, this,
              [this, name = flow.className] { Q_EMIT classRequested(name); });
      line->addWidget(link);
      line->addWidget(
          theme::makeLabel(tr("%1 to %2").arg(flow.publishers.size()).arg(flow.subscribers.size()),
                           "muted", page_),
          1);
      line->addWidget(theme::makeLabel(rateText(flow.rate), "muted", page_));
      column_->addLayout(line);
    }
  }
}

void PropertyPanel::focusParameter(const QString& parameter) {
  refresh();
  QWidget* target = nullptr;
  if (ParameterEdit* edit = parameters_.value(parameter)) {
    target = edit->field();
    ensureWidgetVisible(edit);
  } else if (!parameters_.isEmpty()) {
    for (QWidget* widget = page_->nextInFocusChain(); widget != page_;
         widget = widget->nextInFocusChain())
      if (qobject_cast<UnitEdit*>(widget) && page_->isAncestorOf(widget)) {
        target = widget;
        break;
      }
  }
  if (!target) target = name_;
  if (!target) return;
  target->setFocus(Qt::OtherFocusReason);
  if (auto* line = qobject_cast<QLineEdit*>(target)) line->selectAll();
}

void PropertyPanel::focusName() {
  refresh();
  if (!name_) return;
  ensureWidgetVisible(name_);
  name_->setFocus(Qt::OtherFocusReason);
  name_->selectAll();
}

void PropertyPanel::askForModule() {
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Add a FOM module"), document_.folder(),
      tr("FOM modules (*.xml *.fdd *.fed *.omt *.omd);;All files (*)"));
  if (!file.isEmpty()) document_.addModule(file);
}

}  // namespace tutti::composer
