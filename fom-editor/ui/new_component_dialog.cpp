// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/ui/new_component_dialog.h"

#include <QClipboard>
#include <QComboBox>
#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QThread>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "fom-editor/model/command_line.h"
#include "resources/theme/widgets.h"

namespace tutti::fomedit {

namespace {

/// The full name of a class, in the first column.
constexpr int kNameRole = Qt::UserRole;

/// The CMake package of the RTI beside this program; empty where CMake has to find it itself.
QString packageFolder() {
  const QDir prefix(QCoreApplication::applicationDirPath() + QStringLiteral("/.."));
  QStringList libraries{QStringLiteral("lib")};
  const QDir inside(prefix.filePath(QStringLiteral("lib")));
  for (const QString& name : inside.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    libraries << QStringLiteral("lib/") + name;
  }
  for (const QString& library : libraries) {
    const QFileInfo folder(prefix.filePath(library + QStringLiteral("/cmake/RTI1516e")));
    if (folder.isDir()) return folder.canonicalFilePath();
  }
  return {};
}

QLabel* wrapped(const char* name, const char* role, QWidget* parent) {
  QLabel* label = theme::makeLabel({}, role, parent);
  label->setObjectName(QString::fromLatin1(name));
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

}  // namespace

NewComponentDialog::NewComponentDialog(std::shared_ptr<const omt::ObjectModel> model,
                                       const QStringList& modules, const Item& item,
                                       QWidget* parent)
    : QDialog(parent),
      model_(std::move(model)),
      modules_(modules),
      catalog_(QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
               QStringLiteral("/tutti/components")),
      pages_(new QStackedWidget(this)) {
  setObjectName(QStringLiteral("newComponentDialog"));
  setWindowTitle(tr("New component from classes"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 16);
  column->setSpacing(8);
  column->addWidget(pages_, 1);
  pages_->addWidget(makeQuestions());
  pages_->addWidget(makeResult());
  fillClasses(item);
  resize(640, 560);
  check();
  name_->setFocus(Qt::OtherFocusReason);
}

NewComponentDialog::~NewComponentDialog() = default;

void NewComponentDialog::setCatalog(const QString& folder) {
  catalog_ = folder;
  check();
}

QWidget* NewComponentDialog::makeQuestions() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  name_ = new QLineEdit(page);
  name_->setObjectName(QStringLiteral("componentName"));
  name_->setPlaceholderText(tr("fire-truck"));
  time_ = new QComboBox(page);
  time_->setObjectName(QStringLiteral("componentTime"));
  time_->addItem(tr("None: it sends and receives at any time"), QStringLiteral("none"));
  time_->addItem(tr("Regulating: others wait for it"), QStringLiteral("regulating"));
  time_->addItem(tr("Constrained: it waits for others"), QStringLiteral("constrained"));
  time_->addItem(tr("Regulating and constrained"), QStringLiteral("both"));
  auto* form = new QFormLayout;
  form->setContentsMargins(0, 0, 0, 0);
  form->addRow(tr("&Name"), name_);
  form->addRow(tr("Logical &time"), time_);
  column->addLayout(form);
  search_ = new theme::SearchField(tr("Class"), QString(), page);
  search_->setObjectName(QStringLiteral("componentSearch"));
  search_->setAccessibleName(tr("Filter classes"));
  column->addWidget(search_);
  classes_ = new QTreeWidget(page);
  classes_->setObjectName(QStringLiteral("componentClasses"));
  classes_->setAccessibleName(tr("Classes"));
  classes_->setRootIsDecorated(false);
  classes_->setUniformRowHeights(true);
  classes_->setHeaderLabels({tr("Class"), tr("Publish"), tr("Subscribe")});
  classes_->header()->setStretchLastSection(false);
  classes_->header()->setSectionResizeMode(ClassColumn, QHeaderView::Stretch);
  classes_->header()->setSectionResizeMode(PublishColumn, QHeaderView::ResizeToContents);
  classes_->header()->setSectionResizeMode(SubscribeColumn, QHeaderView::ResizeToContents);
  column->addWidget(classes_, 1);
  note_ = wrapped("componentNote", "secondary", page);
  column->addWidget(note_);
  command_ = wrapped("componentCommand", "muted", page);
  column->addWidget(command_);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  write_ = new QPushButton(tr("Generate"), page);
  write_->setObjectName(QStringLiteral("componentWrite"));
  write_->setProperty("role", QByteArray("primary"));
  write_->setDefault(true);
  auto* cancel = new QPushButton(tr("Cancel"), page);
  cancel->setAutoDefault(false);
  buttons->addWidget(write_);
  buttons->addWidget(cancel);
  column->addLayout(buttons);
  connect(name_, &QLineEdit::textChanged, this, &NewComponentDialog::check);
  connect(time_, &QComboBox::currentIndexChanged, this, &NewComponentDialog::check);
  connect(search_, &QLineEdit::textChanged, this, &NewComponentDialog::filter);
  connect(classes_, &QTreeWidget::itemChanged, this, &NewComponentDialog::check);
  connect(write_, &QPushButton::clicked, this, &NewComponentDialog::write);
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  return page;
}

QWidget* NewComponentDialog::makeResult() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  resultTitle_ = wrapped("componentResult", "title", page);
  column->addWidget(resultTitle_);
  resultWhere_ = wrapped("componentResultWhere", "secondary", page);
  column->addWidget(resultWhere_);
  column->addSpacing(8);
  column->addWidget(theme::makeLabel(tr("Build it"), "caption", page));
  auto* commandRow = new QHBoxLayout;
  resultBuild_ = wrapped("componentResultBuild", "muted", page);
  commandRow->addWidget(resultBuild_, 1);
  QToolButton* copy = theme::smallButton(QStringLiteral("copy"), tr("Copy the command"), page);
  connect(copy, &QToolButton::clicked, this,
          [this] { QGuiApplication::clipboard()->setText(resultBuild_->text()); });
  commandRow->addWidget(copy, 0, Qt::AlignTop);
  column->addLayout(commandRow);
  column->addSpacing(8);
  auto* scroll = new QScrollArea(page);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  resultNotes_ = wrapped("componentResultNotes", "secondary", scroll);
  resultNotes_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  scroll->setWidget(resultNotes_);
  column->addWidget(scroll, 1);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch(1);
  auto* close = new QPushButton(tr("Close"), page);
  page->setFocusProxy(close);
  close->setObjectName(QStringLiteral("componentClose"));
  buttons->addWidget(close);
  column->addLayout(buttons);
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  return page;
}

void NewComponentDialog::fillClasses(const Item& item) {
  const auto add = [&](const auto& c, bool isObject, bool isChosen) {
    if (c.parent == 0 || c.scaffolding || model_->modules()[c.where.module].isMim) return;
    auto* row = new QTreeWidgetItem(classes_);
    row->setText(ClassColumn, text(c.fullName).section(u'.', 1));
    row->setData(ClassColumn, kNameRole, text(c.fullName));
    row->setToolTip(ClassColumn, isObject ? tr("Object class %1").arg(text(c.fullName))
                                          : tr("Interaction class %1").arg(text(c.fullName)));
    row->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    row->setCheckState(PublishColumn, Qt::Unchecked);
    row->setCheckState(SubscribeColumn, isChosen ? Qt::Checked : Qt::Unchecked);
    if (isChosen) classes_->setCurrentItem(row);
  };
  for (const omt::ObjectClass& c : model_->objectClasses()) {
    add(c, true, item == Item{ItemKind::ObjectClass, c.handle});
  }
  for (const omt::InteractionClass& c : model_->interactionClasses()) {
    add(c, false, item == Item{ItemKind::InteractionClass, c.handle});
  }
}

void NewComponentDialog::filter(const QString& text) {
  bool any = false;
  for (int i = 0; i < classes_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* row = classes_->topLevelItem(i);
    row->setHidden(!row->text(ClassColumn).contains(text.trimmed(), Qt::CaseInsensitive));
    any = any || !row->isHidden();
  }
  check();
  if (!any) note_->setText(tr("No class has \"%1\" in its name.").arg(text.trimmed()));
}

ComponentRequest NewComponentDialog::request() const {
  ComponentRequest request;
  request.id = name_->text();
  request.modules = modules_;
  for (int i = 0; i < classes_->topLevelItemCount(); ++i) {
    const QTreeWidgetItem* row = classes_->topLevelItem(i);
    for (const Column column : {PublishColumn, SubscribeColumn}) {
      if (row->checkState(column) != Qt::Checked) continue;
      request.classes << ClassRequest{
          row->data(ClassColumn, kNameRole).toString(), {}, column == PublishColumn};
    }
  }
  const QString time = time_->currentData().toString();
  request.time = {time == QStringLiteral("regulating") || time == QStringLiteral("both"),
                  time == QStringLiteral("constrained") || time == QStringLiteral("both")};
  return request;
}

QString NewComponentDialog::folder() const { return catalog_ + u'/' + name_->text(); }

QString NewComponentDialog::fault() const {
  static const QRegularExpression allowed(QStringLiteral("^[a-z][a-z0-9]*(-[a-z0-9]+)*$"));
  if (name_->text().isEmpty()) return tr("Give it a name, such as fire-truck.");
  if (!allowed.match(name_->text()).hasMatch()) {
    return tr("Lower case letters, digits and single hyphens make a name, such as fire-truck.");
  }
  if (QFileInfo::exists(folder()))
    return tr("%1 is there already. Give it another name.").arg(folder());
  if (request().classes.isEmpty())
    return tr("Choose the classes that it publishes or subscribes to.");
  return {};
}

void NewComponentDialog::check() {
  if (writing_) return;
  const QString why = fault();
  write_->setEnabled(why.isEmpty());
  theme::setStyleProperty(note_, "role", QByteArray("secondary"));
  note_->setText(why.isEmpty() ? tr("C++ with CMake and a manifest, in %1").arg(folder()) : why);
  if (!why.isEmpty()) {
    command_->clear();
    return;
  }
  const ComponentRequest asked = request();
  QStringList words{QStringLiteral("$ tutti component new"), asked.id};
  for (const QString& module : modules_) words << QStringLiteral("--fom") << shellWord(module);
  for (const ClassRequest& c : asked.classes) {
    words << (c.publish ? QStringLiteral("--publish") : QStringLiteral("--subscribe"))
          << shellWord(c.name);
  }
  if (time_->currentIndex() > 0)
    words << QStringLiteral("--time") << time_->currentData().toString();
  const QString line = words.join(u' ');
  command_->setText(line.size() > 300 ? line.left(299) + u'…' : line);
  command_->setToolTip(line);
}

void NewComponentDialog::write() {
  if (writing_ || !fault().isEmpty()) return;
  writing_ = true;
  write_->setEnabled(false);
  note_->setText(tr("Writing %1").arg(folder()));
  // Large models take their time to be read; the window goes on meanwhile.
  auto made = std::make_shared<tl::expected<GeneratedComponent, QString>>();
  QThread* worker = QThread::create(
      [made, folder = folder(), request = request()] { *made = createComponent(folder, request); });
  connect(worker, &QThread::finished, worker, &QObject::deleteLater);
  connect(worker, &QThread::finished, this, [this, made] { showResult(*made); });
  worker->start();
}

void NewComponentDialog::showResult(const tl::expected<GeneratedComponent, QString>& made) {
  writing_ = false;
  if (!made) {
    check();
    note_->setText(made.error());
    theme::setStyleProperty(note_, "role", QByteArray("error"));
    return;
  }
  resultTitle_->setText(tr("%1 is written").arg(name_->text()));
  resultWhere_->setText(tr("It is in %1: main.cpp is yours to write, generated/ has its classes "
                           "and datatypes. Tools > "
                           "Read the catalog again lists it.")
                            .arg(made->folder));
  resultNotes_->setText(made->notes.join(QStringLiteral("\n")));
  const QString package = packageFolder();
  resultBuild_->setText(
      QStringLiteral("cmake -S %1 -B %2%3 && cmake --build %2")
          .arg(shellWord(made->folder), shellWord(made->folder + QStringLiteral("/build")),
               package.isEmpty() ? QString()
                                 : QStringLiteral(" -DRTI1516e_DIR=") + shellWord(package)));
  pages_->setCurrentIndex(1);
  pages_->currentWidget()->setFocus(Qt::OtherFocusReason);
  Q_EMIT written(made->folder);
}

}  // namespace tutti::fomedit
