// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/extract_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMetaObject>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "fom-editor/model/extraction_command.h"
#include "fom-editor/model/item.h"
#include "fom-editor/model/module_file.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

constexpr int kNamesShown = 6;

QLabel* wrapped(const char* name, const char* role, QWidget* parent) {
  QLabel* label = theme::makeLabel({}, role, parent);
  label->setObjectName(QString::fromLatin1(name));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

/// "Ship, Tug and 3 more": of classes the last part of the name.
QString listed(const std::vector<ExtractedRow>& rows) {
  QStringList names;
  for (const ExtractedRow& row : rows) {
    const QString name = text(row.name);
    names << (row.kind.ends_with("class") ? name.section(u'.', -1) : name);
  }
  QString list = names.mid(0, kNamesShown).join(QStringLiteral(", "));
  if (names.size() > kNamesShown) {
    list += ExtractDialog::tr(" and %1 more").arg(names.size() - kNamesShown);
  }
  return list;
}

}  // namespace

ExtractDialog::ExtractDialog(const QString& module, const ModuleBytes& bytes,
                             ExtractionRequest request, QWidget* parent)
    : QDialog(parent), module_(module), bytes_(bytes), request_(std::move(request)) {
  setObjectName(QStringLiteral("extractDialog"));
  setWindowTitle(tr("Extract into a new module"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 16);
  column->setSpacing(8);
  std::vector<ExtractedRow> classes;
  for (const auto& c : request_.classes) classes.push_back({"class", c.fullName});
  QLabel* what = wrapped("extractWhat", "body", this);
  what->setText(tr("%1 of %2").arg(listed(classes), QFileInfo(module_).fileName()));
  column->addWidget(what);
  file_ = new QLineEdit(this);
  file_->setObjectName(QStringLiteral("extractFile"));
  QToolButton* browse = theme::smallButton(QStringLiteral("folder"), tr("Choose the file"), this);
  browse->setObjectName(QStringLiteral("extractBrowse"));
  auto* fileRow = new QHBoxLayout;
  fileRow->addWidget(file_, 1);
  fileRow->addWidget(browse);
  subclasses_ = new QCheckBox(tr("With the &subclasses that the module has"), this);
  subclasses_->setObjectName(QStringLiteral("extractSubclasses"));
  subclasses_->setChecked(true);
  shared_ = new QComboBox(this);
  shared_->setObjectName(QStringLiteral("extractShared"));
  shared_->addItem(tr("Stays; the new module depends on it"), QStringLiteral("stay"));
  shared_->addItem(tr("Is copied; both modules have it"), QStringLiteral("copy"));
  shared_->addItem(tr("Moves; the old module depends on it"), QStringLiteral("move"));
  auto* form = new QFormLayout;
  form->setContentsMargins(0, 0, 0, 0);
  auto* fileLabel = new QLabel(tr("&File"), this);
  fileLabel->setBuddy(file_);
  form->addRow(fileLabel, fileRow);
  form->addRow(QString(), subclasses_);
  form->addRow(tr("What others &use too"), shared_);
  column->addLayout(form);
  note_ = wrapped("extractNote", "secondary", this);
  note_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  column->addWidget(note_, 1);
  command_ = wrapped("extractCommand", "muted", this);
  column->addWidget(command_);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  extract_ = new QPushButton(tr("Extract"), this);
  extract_->setObjectName(QStringLiteral("extractAccept"));
  extract_->setProperty("role", QByteArray("primary"));
  extract_->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  cancel->setAutoDefault(false);
  buttons->addWidget(extract_);
  buttons->addWidget(cancel);
  column->addLayout(buttons);
  connect(file_, &QLineEdit::textChanged, this, &ExtractDialog::check);
  connect(subclasses_, &QCheckBox::toggled, this, &ExtractDialog::divide);
  connect(shared_, &QComboBox::currentIndexChanged, this, &ExtractDialog::divide);
  connect(browse, &QToolButton::clicked, this, &ExtractDialog::browse);
  connect(extract_, &QPushButton::clicked, this, &ExtractDialog::accept);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  resize(560, 340);
  const QDir folder = QFileInfo(module_).dir();
  const QString stem = request_.classes.empty()
                           ? tr("New")
                           : text(request_.classes.front().fullName).section(u'.', -1);
  QString free = stem;
  for (int i = 2; QFileInfo::exists(folder.filePath(free + QStringLiteral(".xml"))); ++i) {
    free = stem + QString::number(i);
  }
  file_->setText(folder.filePath(free + QStringLiteral(".xml")));
  file_->setFocus(Qt::OtherFocusReason);
  pool_.setMaxThreadCount(1);
  divide();
}

ExtractDialog::~ExtractDialog() {
  ++asked_;  // what is under way or still waits is given up
  pool_.waitForDone();
}

void ExtractDialog::setFile(const QString& path) { file_->setText(path); }
QString ExtractDialog::file() const { return file_->text(); }

ExtractionRequest ExtractDialog::request() const {
  ExtractionRequest asked = request_;
  asked.withSubclasses = subclasses_->isChecked();
  asked.shared = static_cast<SharedRows>(shared_->currentIndex());
  asked.name = QFileInfo(file()).completeBaseName().toStdString();
  asked.file = QFileInfo(file()).fileName().toStdString();
  return asked;
}

QString ExtractDialog::fault() const {
  const QFileInfo info(file());
  if (info.completeBaseName().isEmpty()) return tr("Name the file of the new module.");
  if (info.exists() || info.isSymLink()) {
    return tr("%1 is there already. Give another name.").arg(info.fileName());
  }
  if (!info.dir().exists()) {
    return tr("There is no folder %1.").arg(QDir::toNativeSeparators(info.path()));
  }
  return {};
}

void ExtractDialog::browse() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("New module"), file(), tr("FOM modules (*.xml)"),
                                   nullptr, QFileDialog::DontConfirmOverwrite);
  if (!path.isEmpty()) setFile(path);
}

/// In the worker: both modules are read and merged to see that nothing changes.
void ExtractDialog::divide() {
  const std::uint64_t asked = ++asked_;
  ++questions_;
  answer_.reset();
  pool_.start([this, asked, bytes = bytes_, name = module_.toStdString(), request = request()] {
    const auto goOn = [&] { return asked == asked_; };
    if (!goOn()) return;
    auto answer = std::make_shared<Answer>();
    if (auto source = parseByContent(*bytes, name)) {
      answer->source = std::make_shared<const ModuleSource>(std::move(*source));
      if (auto made = extractionOf(*answer->source, request, goOn)) {
        answer->extraction = std::make_shared<const Extraction>(std::move(*made));
      } else {
        answer->fault = made.error();
      }
    } else {
      answer->fault = text(source.error().toText());
    }
    QMetaObject::invokeMethod(
        this,
        [this, asked, answer] {
          if (asked != asked_) return;
          answer_ = answer;
          check();
        },
        Qt::QueuedConnection);
  });
  check();
}

/// Says what is chosen, whether it is worked out yet or not.
void ExtractDialog::check() {
  QStringList classes;
  for (const auto& c : request_.classes) classes << text(c.fullName);
  const QString line = QStringLiteral("$ ") +
                       fomExtractionCommandLine(module_, classes, file(), subclasses_->isChecked(),
                                                shared_->currentData().toString());
  command_->setText(line.size() > 240 ? line.left(239) + u'…' : line);
  command_->setToolTip(line);
  result_.reset();
  extract_->setEnabled(false);
  theme::setStyleProperty(note_, "role", QByteArray("secondary"));
  if (const QString why = fault(); !why.isEmpty()) {
    note_->setText(why);
    Q_EMIT checked();
    return;
  }
  if (!answer_) {
    note_->setText(tr("Comparing the modules with what they are now"));
    return;
  }
  if (!answer_->extraction) return fail(answer_->fault);
  result_ = answer_->extraction;
  extract_->setEnabled(true);
  const QString old = QFileInfo(module_).fileName();
  QStringList lines{tr("Moves: %1.").arg(listed(result_->moved))};
  if (!result_->copied.empty()) lines << tr("Copied: %1.").arg(listed(result_->copied));
  if (!result_->needed.empty()) lines << tr("Needed of %1: %2.").arg(old, listed(result_->needed));
  switch (result_->compared) {
    case Extraction::Compared::Alone:
      lines << tr("Merged, the two modules are what the one is now.");
      break;
    case Extraction::Compared::WithOthers:
      lines << tr("Merged with the other open modules, the two are what the one is now.");
      break;
    case Extraction::Compared::No:
      theme::setStyleProperty(note_, "role", QByteArray("warning"));
      lines << tr("The two were not compared with %1, as it cannot be merged: %2. Look at the "
                  "checks after it.")
                   .arg(old, result_->uncompared);
      break;
  }
  note_->setText(lines.join(u'\n'));
  Q_EMIT checked();
}

void ExtractDialog::fail(const QString& why) {
  theme::setStyleProperty(note_, "role", QByteArray("error"));
  note_->setText(why);
  Q_EMIT checked();
}

void ExtractDialog::accept() {
  // A file may have got the name since it was typed.
  check();
  if (!result_) return;
  auto named = extractionUnchecked(*answer_->source, request());
  if (!named) {
    result_.reset();
    extract_->setEnabled(false);
    return fail(named.error());
  }
  result_ = std::make_shared<const Extraction>(std::move(*named));
  QDialog::accept();
}

}  // namespace tutti::fomedit
