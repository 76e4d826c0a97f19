// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/far_run_dialog.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QCompleter>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <utility>

#include "app/in_pool.h"
#include "launcher/engine/hosts_import.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

namespace {

enum Column { Federation, Run, Federates, Hosts, How };

}  // namespace

FarRunDialog::FarRunDialog(QWidget* parent)
    : QDialog(parent),
      machine_(new QComboBox(this)),
      list_(new QPushButton(tr("&List its runs"), this)),
      runs_(new QTreeWidget(this)),
      said_(theme::makeLabel({}, "secondary", this)),
      problem_(theme::makeLabel({}, "error", this)),
      copy_(new QPushButton(tr("Copy"), this)),
      watch_(new QPushButton(tr("&Watch"), this)) {
  setObjectName(QStringLiteral("farRunDialog"));
  setWindowTitle(tr("Watch a run on another machine"));
  setModal(false);
  machine_->setObjectName(QStringLiteral("farMachine"));
  machine_->setEditable(true);
  machine_->setInsertPolicy(QComboBox::NoInsert);
  machine_->lineEdit()->setPlaceholderText(tr("A host of the hosts file, or what ssh is given"));
  machine_->completer()->setCompletionMode(QCompleter::PopupCompletion);
  machine_->completer()->setFilterMode(Qt::MatchContains);
  list_->setObjectName(QStringLiteral("farList"));
  list_->setAutoDefault(false);
  runs_->setObjectName(QStringLiteral("farRuns"));
  runs_->setRootIsDecorated(false);
  runs_->setUniformRowHeights(true);
  runs_->setAllColumnsShowFocus(true);
  runs_->setItemDelegate(new theme::RowDelegate(runs_));
  runs_->setHeaderLabels(
      {tr("Federation"), tr("Run"), tr("Federates"), tr("Hosts"), tr("Who has it")});
  runs_->header()->setStretchLastSection(true);
  problem_->setWordWrap(true);
  problem_->setObjectName(QStringLiteral("farProblem"));
  said_->setWordWrap(true);
  said_->setObjectName(QStringLiteral("farSaid"));
  for (QLabel* each : {problem_, said_}) each->setTextInteractionFlags(Qt::TextSelectableByMouse);
  copy_->setAutoDefault(false);
  watch_->setObjectName(QStringLiteral("farWatch"));
  watch_->setProperty("role", QByteArray("primary"));
  watch_->setAutoDefault(false);

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 12, 16, 16);
  column->setSpacing(8);
  auto* label = theme::makeLabel(tr("&Machine"), "label", this);
  label->setBuddy(machine_);
  auto* row = new QHBoxLayout;
  row->addWidget(label);
  row->addWidget(machine_, 1);
  row->addWidget(list_);
  column->addLayout(row);
  column->addWidget(said_);
  auto* wrong = new QHBoxLayout;
  wrong->addWidget(problem_, 1);
  wrong->addWidget(copy_, 0, Qt::AlignTop);
  column->addLayout(wrong);
  column->addWidget(runs_, 1);
  auto* buttons = new QHBoxLayout;
  auto* close = new QPushButton(tr("Close"), this);
  close->setAutoDefault(false);
  buttons->addStretch(1);
  buttons->addWidget(watch_);
  buttons->addWidget(close);
  column->addLayout(buttons);
  resize(640, 360);

  connect(list_, &QPushButton::clicked, this, &FarRunDialog::list);
  connect(machine_->lineEdit(), &QLineEdit::returnPressed, this, [this] {
    if (list_->isEnabled()) list();
  });
  connect(watch_, &QPushButton::clicked, this, &FarRunDialog::take);
  connect(close, &QPushButton::clicked, this, &QDialog::reject);
  connect(copy_, &QPushButton::clicked, this,
          [this] { QApplication::clipboard()->setText(problem_->text()); });
  connect(runs_, &QTreeWidget::itemSelectionChanged, this, &FarRunDialog::update);
  connect(runs_, &QTreeWidget::itemActivated, this, &FarRunDialog::take);
  connect(machine_, &QComboBox::currentTextChanged, this, &FarRunDialog::update);
  connect(this, &QDialog::finished, this, [this] {
    ++number_;
    stop_.request_stop();
  });
  setBusy({});
}

FarRunDialog::~FarRunDialog() { stop_.request_stop(); }

void FarRunDialog::ask() {
  runs_->clear();
  setBusy({});
  completeNames();
  show();
  raise();
  activateWindow();
  machine_->setFocus(Qt::OtherFocusReason);
  machine_->lineEdit()->selectAll();
}

void FarRunDialog::completeNames() {
  // ssh is asked about each name, which takes a moment.
  inPool(
      this,
      [file = hostsFile_ ? hostsFile_() : QString()] {
        QStringList names;
        if (const auto deployment = launcher::Deployment::read(file)) {
          for (const launcher::Host& each : deployment->hosts) {
            if (!each.isThisMachine()) names << each.name;
          }
        }
        if (const auto known = launcher::hostsOfSshConfig()) {
          for (const launcher::Host& each : known->hosts) names << each.name;
        }
        names.removeDuplicates();
        return names;
      },
      [this](const QStringList& names) {
        const QString typed = machine_->currentText();
        machine_->clear();
        machine_->addItems(names);
        machine_->setEditText(typed);
      });
}

void FarRunDialog::list() {
  machine_->completer()->popup()->hide();
  const QString name = machine_->currentText().trimmed();
  const auto host = launcher::hostNamed(name, hostsFile_ ? hostsFile_() : QString());
  runs_->clear();
  if (!host) {
    showProblem(host.error(), {});
    return;
  }
  host_ = *host;
  stop_ = std::stop_source();
  setBusy(tr("Asking %1 for its runs…").arg(name));
  inPool(
      this, [host = *host, stop = stop_.get_token()] { return launcher::runsOn(host, stop); },
      [this, number = ++number_](const auto& runs) {
        if (number == number_) fill(runs);
      });
}

void FarRunDialog::fill(
    const tl::expected<std::vector<launcher::FarRun>, launcher::Agent::Loss>& runs) {
  if (!runs) {
    showProblem(tr("%1: %2").arg(runs.error().where, runs.error().why), runs.error().next);
    return;
  }
  setBusy({});
  if (runs->empty()) said_->setText(tr("No run of your account is active on %1.").arg(host_.name));
  for (const launcher::FarRun& each : *runs) {
    auto* item = new QTreeWidgetItem(runs_);
    item->setText(Federation, each.federation.isEmpty() ? QStringLiteral("–") : each.federation);
    item->setText(Run, each.run);
    item->setText(Federates, QString::number(each.federates));
    item->setText(Hosts, QString::number(each.hosts));
    item->setTextAlignment(Federates, Qt::AlignRight | Qt::AlignVCenter);
    item->setTextAlignment(Hosts, Qt::AlignRight | Qt::AlignVCenter);
    item->setText(How, each.attended ? tr("A program there") : tr("Nobody: it was left alone"));
  }
  // The delegate keeps a margin that Qt's measure lacks.
  for (int each = Federation; each <= Hosts; ++each) {
    runs_->resizeColumnToContents(each);
    runs_->setColumnWidth(each, runs_->columnWidth(each) + 16);
  }
  if (runs_->topLevelItemCount() > 0) {
    said_->setText(
        tr("%1 on %2. One that is watched does not notice; it is changed there only.")
            .arg(theme::formatNoun(runs_->topLevelItemCount(), tr("run"), tr("runs")), host_.name));
    runs_->setCurrentItem(runs_->topLevelItem(0));
    runs_->setFocus(Qt::OtherFocusReason);
  }
  update();
}

void FarRunDialog::take() {
  const QTreeWidgetItem* item = runs_->currentItem();
  if (item == nullptr || !watch_->isEnabled()) return;
  setBusy(tr("Connecting to %1…").arg(host_.name));
  Q_EMIT chosen(host_, item->text(Run));
}

void FarRunDialog::showProblem(const QString& what, const QString& next) {
  setBusy({});
  said_->clear();
  problem_->setText(next.isEmpty() ? what : what + QStringLiteral(". ") + next);
  problem_->show();
  copy_->show();
}

void FarRunDialog::setBusy(const QString& what) {
  said_->setText(what.isEmpty() ? tr("The active runs of your account there are listed. It is "
                                     "reached with ssh and your keys, and needs Tutti as well.")
                                : what);
  problem_->hide();
  copy_->hide();
  machine_->setEnabled(what.isEmpty());
  list_->setEnabled(what.isEmpty());
  runs_->setEnabled(what.isEmpty());
  update();
}

void FarRunDialog::update() {
  list_->setEnabled(machine_->isEnabled() && !machine_->currentText().trimmed().isEmpty());
  watch_->setEnabled(machine_->isEnabled() && runs_->currentItem() != nullptr);
}

}  // namespace tutti::app
