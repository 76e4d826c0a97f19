// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/join_dialog.h"

#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QThread>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <memory>

#include "fom-editor/model/command_line.h"
#include "fom-editor/model/item.h"
#include "omt/reader.h"
#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

constexpr std::size_t kPlacesShown = 5;

QLabel* wrapped(const char* name, const char* role, QWidget* parent) {
  QLabel* label = theme::makeLabel({}, role, parent);
  label->setObjectName(QString::fromLatin1(name));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

QString kindOf(omt::Loss::Kind kind) {
  switch (kind) {
    case omt::Loss::Kind::Lost:
      return JoinDialog::tr("lost");
    case omt::Loss::Kind::Guessed:
      return JoinDialog::tr("changed");
    case omt::Loss::Kind::Read:
      return JoinDialog::tr("reading");
  }
  return {};
}

}  // namespace

JoinDialog::JoinDialog(const QStringList& modules, const ModuleTexts& texts, QWidget* parent)
    : QDialog(parent), modules_(modules), texts_(texts), pages_(new QStackedWidget(this)) {
  setObjectName(QStringLiteral("joinDialog"));
  setWindowTitle(tr("Merge modules into one file"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 16);
  column->addWidget(pages_, 1);
  pages_->addWidget(makeQuestions());
  pages_->addWidget(makeResult());
  resize(760, 360);
  const QDir folder = QFileInfo(modules_.value(0)).dir();
  setFile(folder.filePath(folder.dirName() + QStringLiteral("-merged.xml")));
  file_->setFocus(Qt::OtherFocusReason);
}

QWidget* JoinDialog::makeQuestions() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  auto* what = wrapped("joinWhat", "secondary", page);
  what->setText(
      tr("%1 are merged as an RTI merges them, as they are edited, without what the "
         "standard MIM defines.")
          .arg(theme::formatNoun(static_cast<int>(modules_.size()), tr("module"), tr("modules"))));
  QStringList names;
  for (const QString& module : modules_) names << QFileInfo(module).fileName();
  what->setToolTip(names.join(u'\n'));
  column->addWidget(what);
  file_ = new QLineEdit(page);
  file_->setObjectName(QStringLiteral("joinFile"));
  browse_ = theme::smallButton(QStringLiteral("folder"), tr("Choose the file"), page);
  browse_->setObjectName(QStringLiteral("joinBrowse"));
  auto* fileRow = new QHBoxLayout;
  fileRow->addWidget(file_, 1);
  fileRow->addWidget(browse_);
  edition_ = new QComboBox(page);
  edition_->setObjectName(QStringLiteral("joinEdition"));
  const auto add = [this](omt::Edition edition, const char* word) {
    edition_->addItem(text(omt::toText(edition)), QString::fromLatin1(word));
    edition_->setItemData(edition_->count() - 1, static_cast<int>(edition), Qt::UserRole + 1);
  };
  add(omt::Edition::Ieee2010, "2010");
  add(omt::Edition::Ieee2025, "2025");
  add(omt::Edition::Ieee2000, "2000");
  add(omt::Edition::Hla13Omt, "1.3-omt");
  add(omt::Edition::Hla13Fed, "1.3-fed");
  auto* form = new QFormLayout;
  form->setContentsMargins(0, 0, 0, 0);
  auto* fileLabel = new QLabel(tr("&File"), page);
  fileLabel->setBuddy(file_);
  form->addRow(fileLabel, fileRow);
  form->addRow(tr("&Edition"), edition_);
  column->addLayout(form);
  note_ = wrapped("joinNote", "secondary", page);
  column->addWidget(note_);
  column->addStretch(1);
  command_ = wrapped("joinCommand", "muted", page);
  column->addWidget(command_);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  write_ = new QPushButton(tr("Merge"), page);
  write_->setObjectName(QStringLiteral("joinWrite"));
  write_->setProperty("role", QByteArray("primary"));
  write_->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"), page);
  cancel->setObjectName(QStringLiteral("joinCancel"));
  cancel->setAutoDefault(false);
  buttons->addWidget(write_);
  buttons->addWidget(cancel);
  column->addLayout(buttons);
  connect(file_, &QLineEdit::textChanged, this, &JoinDialog::check);
  connect(edition_, &QComboBox::currentIndexChanged, this, &JoinDialog::check);
  connect(browse_, &QToolButton::clicked, this, &JoinDialog::browse);
  connect(write_, &QPushButton::clicked, this, &JoinDialog::write);
  connect(cancel, &QPushButton::clicked, this, &JoinDialog::reject);
  return page;
}

QWidget* JoinDialog::makeResult() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  title_ = wrapped("joinResult", "title", page);
  column->addWidget(title_);
  where_ = wrapped("joinResultWhere", "secondary", page);
  column->addWidget(where_);
  losses_ = new QTreeWidget(page);
  losses_->setObjectName(QStringLiteral("joinLosses"));
  losses_->setAccessibleName(tr("What is lost or changed"));
  losses_->setHeaderLabels({tr("How"), tr("What"), tr("Becomes"), tr("Where")});
  losses_->setRootIsDecorated(false);
  losses_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  losses_->header()->setStretchLastSection(false);
  losses_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
  losses_->header()->resizeSection(2, 150);
  losses_->header()->resizeSection(3, 200);
  losses_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  column->addWidget(losses_, 1);
  auto* buttons = new QHBoxLayout;
  auto* copy = new QPushButton(tr("Copy the report"), page);
  copy->setObjectName(QStringLiteral("joinCopy"));
  copy->setAutoDefault(false);
  connect(copy, &QPushButton::clicked, this, [this] {
    QStringList lines{title_->text(), where_->text()};
    for (int i = 0; i < losses_->topLevelItemCount(); ++i) {
      const QTreeWidgetItem* row = losses_->topLevelItem(i);
      lines << QStringLiteral("%1: %2: %3: %4")
                   .arg(row->text(0), row->text(1), row->text(2), row->toolTip(3));
    }
    QGuiApplication::clipboard()->setText(lines.join(u'\n'));
  });
  auto* close = new QPushButton(tr("Close"), page);
  close->setObjectName(QStringLiteral("joinClose"));
  page->setFocusProxy(close);
  buttons->addWidget(copy);
  buttons->addStretch(1);
  buttons->addWidget(close);
  column->addLayout(buttons);
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  return page;
}

void JoinDialog::setFile(const QString& path) {
  file_->setText(path);
  check();
}

omt::Edition JoinDialog::edition() const {
  return static_cast<omt::Edition>(edition_->currentData(Qt::UserRole + 1).toInt());
}

void JoinDialog::browse() {
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Merge modules into one file"), file_->text(),
                                   QString(), nullptr, QFileDialog::DontConfirmOverwrite);
  if (!path.isEmpty()) file_->setText(path);
}

QString JoinDialog::fault() const {
  const QFileInfo info(file_->text());
  if (file_->text().isEmpty()) return tr("Name the file that they become.");
  if (info.exists() || info.isSymLink()) {
    return tr("%1 is there already. Give another name.").arg(info.fileName());
  }
  if (!info.dir().exists()) {
    return tr("There is no folder %1.").arg(QDir::toNativeSeparators(info.path()));
  }
  return {};
}

void JoinDialog::check() {
  if (result_) return;
  const QString why = fault();
  write_->setEnabled(why.isEmpty());
  theme::setStyleProperty(note_, "role", QByteArray("secondary"));
  note_->setText(why);
  QStringList words{QStringLiteral("$ tutti fom join")};
  for (const QString& module : modules_) words << shellWord(module);
  words << QStringLiteral("-o") << shellWord(file_->text()) << QStringLiteral("--to")
        << edition_->currentData().toString();
  const QString line = words.join(u' ');
  command_->setText(line.size() > 240 ? line.left(239) + u'…' : line);
  command_->setToolTip(line);
}

void JoinDialog::write() {
  if (result_ || !fault().isEmpty()) return;
  setInputsEnabled(false);
  note_->setText(tr("Merging"));
  auto result = std::make_shared<Result>();
  result->path = file_->text();
  result_ = result;
  const auto work = [result, modules = modules_, texts = texts_, to = edition()] {
    std::vector<JoinedFile> files;
    for (const QString& module : modules) {
      const std::string name = module.toStdString();
      if (const ModuleBytes bytes = texts.value(module)) {
        files.push_back({*bytes, name});
        continue;
      }
      auto bytes = omt::readModuleBytes(QFile::encodeName(module).toStdString());
      if (!bytes) {
        result->fault = text(bytes.error().toText());
        return;
      }
      files.push_back({std::move(*bytes), name});
    }
    auto joined = joinModules(files, QFileInfo(result->path).completeBaseName().toStdString(), to);
    if (!joined) {
      result->fault = text(joined.error().toText());
      return;
    }
    result->conversion = std::move(*joined);
    Stage merging = Stage::Merging;
    if (!result->stage.compare_exchange_strong(merging, Stage::Writing)) return;
    if (auto put = replaceModuleFile(result->path, result->conversion.text, nullptr); !put) {
      result->fault = put.error().changedOnDisk
                          ? tr("%1 was not written: another program has written a file of this "
                               "name meanwhile. Give another name.")
                                .arg(QFileInfo(result->path).fileName())
                          : put.error().text;
    }
  };
  QThread* worker = QThread::create(work);
  connect(worker, &QThread::finished, worker, &QObject::deleteLater);
  connect(worker, &QThread::finished, this, [this, result] {
    if (result->stage != Stage::Cancelled) show(*result);
  });
  worker->start();
}

void JoinDialog::setInputsEnabled(bool enabled) {
  for (QWidget* input : std::initializer_list<QWidget*>{file_, browse_, edition_, write_}) {
    input->setEnabled(enabled);
  }
}

void JoinDialog::reject() {
  Stage merging = Stage::Merging;
  if (result_ && !result_->stage.compare_exchange_strong(merging, Stage::Cancelled)) {
    note_->setText(tr("%1 is being written. It takes as long as the disk does.")
                       .arg(QFileInfo(result_->path).fileName()));
    return;
  }
  QDialog::reject();
}

void JoinDialog::show(const Result& result) {
  result_.reset();
  if (!result.fault.isEmpty()) {
    setInputsEnabled(true);
    check();
    note_->setText(result.fault);
    theme::setStyleProperty(note_, "role", QByteArray("error"));
    return;
  }
  const auto& losses = result.conversion.losses;
  title_->setText(tr("%1 is written").arg(QFileInfo(result.path).fileName()));
  where_->setText(
      losses.empty()
          ? tr("Nothing is lost. The modules themselves stay as they are.")
          : tr("%1 of content are lost or said in another way. The modules themselves "
               "stay as they are.")
                .arg(theme::formatNoun(static_cast<int>(losses.size()), tr("kind"), tr("kinds"))));
  losses_->setVisible(!losses.empty());
  for (const omt::Loss& loss : losses) {
    QStringList places;
    for (const omt::Loss::Place& place : loss.places) {
      const QString name = text(place.name);
      places << (place.line > 0 ? tr("%1 line %2").arg(name).arg(place.line) : name);
    }
    QStringList first = places.mid(0, kPlacesShown);
    for (QString& place : first) place = QFileInfo(place).fileName();
    QString where = first.join(QStringLiteral(", "));
    if (loss.count > kPlacesShown) where += tr(" and %1 more").arg(loss.count - kPlacesShown);
    auto* row = new QTreeWidgetItem(losses_,
                                    {kindOf(loss.kind), text(loss.what), text(loss.became), where});
    row->setToolTip(1, row->text(1));
    row->setToolTip(2, row->text(2));
    row->setToolTip(3, places.mid(0, 40).join(u'\n'));
  }
  pages_->setCurrentIndex(1);
  pages_->currentWidget()->setFocus(Qt::OtherFocusReason);
  Q_EMIT written(result.path);
}

}  // namespace tutti::fomedit
