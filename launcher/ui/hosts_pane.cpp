// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/hosts_pane.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>

#include "launcher/ui/host_editor.h"
#include "launcher/ui/host_sources.h"
#include "launcher/ui/host_watch.h"
#include "launcher/ui/hosts_model.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/progress_line.h"
#include "resources/theme/widgets.h"

namespace tutti::launcher {

using theme::Token;

namespace {

constexpr int mostPracticeHosts = 64;

/// One entry of the legend: a square of the bar's colour and its meaning.
class LegendEntry : public QWidget {
 public:
  LegendEntry(Token token, const QString& text, QWidget* parent)
      : QWidget(parent), token_(token), text_(text) {
    setAccessibleName(text);
  }
  QSize sizeHint() const override {
    return {QFontMetrics(theme::textFont(theme::TextStyle::Caption)).horizontalAdvance(text_) + 14,
            16};
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const auto palette = theme::Palette::of(this);
    painter.fillRect(0, 5, 8, 8, palette[token_]);
    painter.setFont(theme::textFont(theme::TextStyle::Caption));
    painter.setPen(palette[Token::TextSecondary]);
    painter.drawText(rect().adjusted(13, 0, 0, 0), Qt::AlignVCenter, text_);
  }

 private:
  Token token_;
  QString text_;
};

}  // namespace

HostsPane::HostsPane(HostWatch* watch, HostSources* sources, HostsModel* model, QWidget* parent)
    : QWidget(parent),
      watch_(watch),
      sources_(sources),
      model_(model),
      list_(new QListView(this)),
      menu_(new QMenu(this)),
      editor_(new HostEditor(this)),
      question_(new OneQuestion(this)),
      problem_(theme::makeLabel({}, "error", this)),
      busy_(new theme::ProgressLine(QStringLiteral("hostsBusy"), this)),
      empty_(new QWidget(this)) {
  setObjectName(QStringLiteral("hostsPane"));
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);

  auto* legend = new QHBoxLayout;
  legend->setContentsMargins(12, 6, 12, 6);
  legend->setSpacing(12);
  legend->addWidget(new LegendEntry(Token::TextMuted, tr("in use"), this));
  legend->addWidget(new LegendEntry(Token::Accent, tr("this composition"), this));
  legend->addWidget(new LegendEntry(Token::GaugeIdle, tr("free"), this));
  legend->addStretch();
  column->addLayout(legend);
  column->addWidget(theme::rule(this));

  editor_->hide();
  question_->hide();
  column->addWidget(editor_);
  column->addWidget(question_);

  problem_->setObjectName(QStringLiteral("hostsProblem"));
  problem_->setWordWrap(true);
  problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  problem_->setContentsMargins(12, 8, 12, 8);
  column->addWidget(problem_);

  column->addWidget(busy_);
  connect(busy_, &theme::ProgressLine::cancelRequested, this, [this] {
    sources_->cancel();
    watch_->cancel();
  });

  list_->setObjectName(QStringLiteral("hostList"));
  list_->setAccessibleName(tr("Hosts and clusters"));
  list_->setModel(model);
  list_->setItemDelegate(new HostRowDelegate(list_));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setUniformItemSizes(true);
  list_->setMouseTracking(true);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list_->setContextMenuPolicy(Qt::CustomContextMenu);
  list_->setAcceptDrops(true);
  list_->setDropIndicatorShown(true);
  list_->setDragDropMode(QAbstractItemView::DropOnly);
  connect(list_, &QWidget::customContextMenuRequested, this, &HostsPane::showContextMenu);
  // Selected by a person: the view makes its first row the current one by itself.
  connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    const auto rows = list_->selectionModel()->selectedIndexes();
    if (rows.isEmpty()) return;
    const QString cluster = rows.front().data(HostsModel::ClusterRole).toString();
    if (cluster.isEmpty())
      Q_EMIT currentChanged(rows.front().data(HostsModel::KeyRole).toString());
    else
      Q_EMIT clusterChosen(cluster);
  });
  connect(list_, &QAbstractItemView::doubleClicked, this, [this](const QModelIndex& index) {
    if (!index.data(HostsModel::IsHostRole).toBool()) return;
    const HostView* host = watch_->find(index.data(HostsModel::KeyRole).toString());
    if (host != nullptr && !host->host.name.isEmpty()) editor_->edit(host->host);
  });
  column->addWidget(list_, 1);

  buildMenu();
  buildEmptyState();
  column->addWidget(empty_);

  connect(editor_, &HostEditor::accepted, this, &HostsPane::acceptHost);
  connect(editor_, &HostEditor::cancelled, editor_, &QWidget::hide);
  connect(question_, &OneQuestion::accepted, this, &HostsPane::answerQuestion);
  connect(question_, &OneQuestion::cancelled, question_, &QWidget::hide);
  connect(watch_, &HostWatch::hostChanged, this, &HostsPane::showBusy);
  connect(watch_, &HostWatch::hostsChanged, this, [this] {
    showBusy();
    showState();
  });
  connect(sources_, &HostSources::busyChanged, this, &HostsPane::showBusy);
  // "12 s ago" grows without an event.
  ages_.setInterval(5000);
  connect(&ages_, &QTimer::timeout, list_->viewport(), qOverload<>(&QWidget::update));
  ages_.start();
  showState();
}

void HostsPane::buildMenu() {
  menu_->setObjectName(QStringLiteral("hostsMenu"));
  menu_->setToolTipsVisible(true);
  const auto add = [this](const char* name, const QString& text, auto slot) {
    auto* action = menu_->addAction(text, this, slot);
    action->setObjectName(QLatin1String(name));
    return action;
  };
  ssh_ = add("importSsh", tr("Import from ~/.ssh/config"), [this] { sources_->importSsh(); });
  ssh_->setToolTip(tr("The hosts it names, each under its alias; keys are named, never read"));
  cluster_ = add("importCluster", tr("Import a Slurm cluster…"), [this] { askForCluster(); });
  add_ = add("addHost", tr("Add a host…"), [this] { addHost(); });
  menu_->addSeparator();
  lab_ = add("makeLab", tr("Make a practice cluster…"), [this] { askForLab(); });
  labFile_ = add("useLab", tr("Use the practice cluster that is up"), [this] {
    watch_->open(HostSources::labFile());
    watch_->askAll();
  });
  noLab_ =
      add("removeLab", tr("Take the practice cluster down"), [this] { sources_->removeLab(); });
  menu_->addSeparator();
  open_ = add("openHosts", tr("Open a hosts file…"), [this] { Q_EMIT openRequested(); });
  ask_ = new QAction(theme::icon(QStringLiteral("restart")), tr("Ask all hosts and clusters again"),
                     this);
  ask_->setObjectName(QStringLiteral("askHosts"));
  connect(ask_, &QAction::triggered, watch_, &HostWatch::askAll);
  menu_->addAction(ask_);
  connect(menu_, &QMenu::aboutToShow, this, &HostsPane::showState);
}

void HostsPane::buildEmptyState() {
  empty_->setObjectName(QStringLiteral("hostsEmpty"));
  auto* column = new QVBoxLayout(empty_);
  column->setContentsMargins(12, 12, 12, 12);
  column->setSpacing(6);
  auto* sentence = theme::makeLabel(
      tr("Everything runs on this machine. With other hosts, federates can be placed on them; a "
         "host needs an SSH server and a key that it accepts, nothing else."),
      "caption", empty_);
  sentence->setWordWrap(true);
  column->addWidget(sentence);
  const auto button = [&](QAction* action) {
    auto* result = new QPushButton(action->text(), empty_);
    result->setProperty("dense", true);
    result->setObjectName(action->objectName() + QStringLiteral("Button"));
    connect(result, &QPushButton::clicked, action, &QAction::trigger);
    column->addWidget(result);
    return result;
  };
  button(ssh_);
  button(cluster_);
  button(add_);
  emptyLab_ = button(lab_);
  emptyLabWhy_ = theme::makeLabel({}, "caption", empty_);
  emptyLabWhy_->setWordWrap(true);
  emptyLabWhy_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(emptyLabWhy_);
  button(open_);
}

void HostsPane::showState() {
  const QString why = HostSources::whyNoLab();
  const QString lab = HostSources::labFile();
  lab_->setEnabled(why.isEmpty() && lab.isEmpty());
  lab_->setToolTip(!why.isEmpty() ? why
                   : lab.isEmpty()
                       ? tr("Network namespaces on this machine, each with an SSH server")
                       : tr("It is up: use it, or take it down first"));
  labFile_->setVisible(!lab.isEmpty() && watch_->file() != lab);
  noLab_->setVisible(!lab.isEmpty() && why.isEmpty());
  emptyLab_->setEnabled(lab_->isEnabled());
  emptyLabWhy_->setText(lab_->isEnabled() ? QString() : lab_->toolTip());
  emptyLabWhy_->setVisible(!lab_->isEnabled());
  ask_->setEnabled(model_->rowCount() > 1);
  problem_->setText(watch_->problem().isEmpty()
                        ? QString()
                        : tr("%1 Correct it, or open another hosts file.").arg(watch_->problem()));
  problem_->setVisible(!watch_->problem().isEmpty());
  empty_->setVisible(model_->rowCount() == 1 && watch_->problem().isEmpty());
}

QList<QAction*> HostsPane::currentMenuActions() {
  showState();
  QList<QAction*> result;
  for (QAction* action : menu_->actions())
    if (!action->isSeparator() && action->isEnabled() && action->isVisible()) result << action;
  return result;
}

void HostsPane::showBusy() {
  if (!sources_->busyWith().isEmpty()) return busy_->setProgress(sources_->busyWith());
  int asked = 0;
  for (const HostView& host : watch_->hosts()) asked += host.asking ? 1 : 0;
  busy_->setProgress(watch_->isAsking()
                         ? tr("Asking %1").arg(theme::formatNoun(asked, tr("host"), tr("hosts")))
                         : QString());
}

QString HostsPane::current() const {
  return list_->currentIndex().data(HostsModel::KeyRole).toString();
}

void HostsPane::setCurrent(const QString& key) {
  const auto index = model_->index(model_->rowOf(key));
  if (!index.isValid()) return;
  list_->setCurrentIndex(index);
  list_->scrollTo(index);
}

void HostsPane::showContextMenu(const QPoint& position) {
  const auto index = list_->indexAt(position);
  QMenu menu(this);
  const QString key = index.data(HostsModel::KeyRole).toString();
  const HostView* host = index.data(HostsModel::IsHostRole).toBool() ? watch_->find(key) : nullptr;
  if (host != nullptr) {
    menu.addAction(tr("Move the selected federates to %1").arg(host->name), this,
                   [this, key] { Q_EMIT moveHereRequested(key); });
    if (!host->isHere())
      menu.addAction(tr("Ask %1 again").arg(host->name), this, [this, key] { watch_->ask(key); });
    if (!host->host.name.isEmpty()) {
      menu.addAction(tr("Edit %1…").arg(host->host.name), this,
                     [this, of = host->host] { editor_->edit(of); });
      menu.addAction(tr("Remove %1 from the hosts file").arg(host->host.name), this,
                     [this, name = host->host.name] { sources_->remove(name); });
    } else if (!watch_->file().isEmpty()) {
      auto* offer = menu.addAction(tr("Offer this machine to automatic placement"), this, [this] {
        Host here;
        here.name = watch_->machine().name;
        const QString fault = sources_->put(here);
        if (!fault.isEmpty()) Q_EMIT sources_->failed(tr("This machine is not added"), fault);
      });
      offer->setToolTip(tr("Adds it to the hosts file, which does not describe it"));
    }
    menu.addSeparator();
  }
  const QString cluster = index.data(HostsModel::ClusterRole).toString();
  if (!cluster.isEmpty()) {
    menu.addAction(tr("Ask %1 again").arg(cluster), this,
                   [this, cluster] { Q_EMIT askClusterRequested(cluster); });
    menu.addSeparator();
  }
  menu.addActions(menu_->actions());
  showState();
  menu.exec(list_->viewport()->mapToGlobal(position));
}

void HostsPane::editHost(const QString& key) {
  const HostView* host = watch_->find(key);
  if (host == nullptr || host->host.name.isEmpty() || host->isJobNode()) return addHost();
  setCurrent(key);
  question_->hide();
  editor_->edit(host->host);
}

void HostsPane::addHost(bool spare) {
  question_->hide();
  Host added;
  added.spare = spare;
  editor_->edit(added);
}

void HostsPane::askForCluster() {
  editor_->hide();
  askedForLab_ = false;
  question_->askText(tr("Import a Slurm cluster"),
                     tr("sinfo is asked on its login host, by ssh. Empty: on this machine."),
                     tr("user@login-host"), tr("Import cluster"));
}

void HostsPane::askForLab() {
  editor_->hide();
  askedForLab_ = true;
  const QString root = !HostSources::elevation().isEmpty()
                           ? tr("They need root, so you are asked for a password")
                           : tr("They need root");
  question_->askNumber(
      tr("Practice hosts on this machine"),
      tr("Each is a network namespace with a host name, shared memory and an SSH server of its "
         "own, "
         "which listens to this machine only. %1. They stay until they are taken down or the machine "
         "restarts.")
          .arg(root),
      4, mostPracticeHosts, tr("Make hosts"));
  if (HostSources::hasSlurm()) question_->offer(tr("With a Slurm cluster of these hosts"), true);
}

void HostsPane::answerQuestion() {
  question_->hide();
  if (askedForLab_)
    sources_->makeLab(question_->number(), question_->isOfferTaken());
  else
    sources_->importCluster(question_->text());
}

void HostsPane::acceptHost() {
  const QString fault = sources_->put(editor_->host(), editor_->before());
  editor_->setProblem(fault);
  if (!fault.isEmpty()) return;
  const QString name = editor_->host().name;
  editor_->hide();
  setCurrent(name);
  list_->setFocus(Qt::OtherFocusReason);
}

}  // namespace tutti::launcher
