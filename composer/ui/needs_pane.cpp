// SPDX-License-Identifier: GPL-3.0-or-later
#include "composer/ui/needs_pane.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <map>

#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/rows.h"
#include "resources/theme/widgets.h"

namespace tutti::composer {

namespace {

constexpr int kClassRole = Qt::UserRole + 1;

}  // namespace

NeedsPane::NeedsPane(Document& document, QWidget* parent) : QWidget(parent), document_(document) {
  setObjectName(QStringLiteral("needsPane"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 4, 12, 12);
  column->setSpacing(8);
  auto* question = theme::makeLabel(tr("Which classes does your federation need?"), "label-strong");
  question->setWordWrap(true);
  column->addWidget(question);
  classes_ = new QListWidget(this);
  classes_->setObjectName(QStringLiteral("neededClasses"));
  classes_->setAccessibleName(tr("Classes that components of the catalog publish"));
  classes_->setItemDelegate(new theme::PlainRowDelegate(classes_));
  classes_->setIconSize(QSize(14, 14));
  classes_->setSelectionMode(QAbstractItemView::SingleSelection);
  column->addWidget(classes_, 1);
  proposal_ = theme::makeLabel({}, "secondary", this);
  proposal_->setObjectName(QStringLiteral("needsProposal"));
  proposal_->setWordWrap(true);
  proposal_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(proposal_);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(8);
  add_ = new QPushButton(this);
  add_->setObjectName(QStringLiteral("needsAdd"));
  add_->setProperty("role", QByteArray("primary"));
  cancel_ = new QPushButton(tr("Cancel"), this);
  cancel_->setObjectName(QStringLiteral("needsCancel"));
  buttons->addWidget(add_, 1);
  buttons->addWidget(cancel_);
  column->addLayout(buttons);

  connect(classes_, &QListWidget::itemChanged, this, &NeedsPane::showProposal);
  connect(classes_, &QListWidget::itemActivated, this, [](QListWidgetItem* item) {
    item->setCheckState(item->checkState() == Qt::Checked ? Qt::Unchecked : Qt::Checked);
  });
  connect(&document_, &Document::dataFlowChanged, this, [this] {
    if (isVisible()) showProposal();
  });
  connect(&document_, &Document::catalogChanged, this, [this] {
    if (isVisible()) fill();
  });
  connect(cancel_, &QPushButton::clicked, this, [this] { Q_EMIT done({}); });
  connect(add_, &QPushButton::clicked, this, [this] {
    const Proposal proposal = propose(document_.composition(), document_.catalog(), needs());
    Q_EMIT done(document_.addProposed(proposal));
  });
}

void NeedsPane::begin() {
  fill();
  classes_->setFocus(Qt::OtherFocusReason);
}

void NeedsPane::fill() {
  struct Known {
    bool isObject = true;
    QStringList publishers;
  };
  std::map<QString, Known> known;
  for (const auto& manifest : document_.catalog().components()) {
    for (const Interest& interest : manifest->publishes) {
      Known& one = known[interest.className];
      one.isObject = interest.isObject;
      if (!one.publishers.contains(manifest->id)) one.publishers << manifest->id;
    }
  }
  const QSignalBlocker quiet(classes_);
  classes_->clear();
  for (const auto& [name, one] : known) {
    auto* item =
        new QListWidgetItem(theme::icon(one.isObject ? QStringLiteral("object-class")
                                                     : QStringLiteral("interaction-class")),
                            name.section(u'.', -1), classes_);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
    item->setCheckState(Qt::Unchecked);
    item->setData(kClassRole, name);
    item->setToolTip(
        tr("%1\npublished by %2").arg(name, one.publishers.join(QStringLiteral(", "))));
  }
  if (classes_->count() > 0) classes_->setCurrentRow(0);
  showProposal();
}

std::vector<Need> NeedsPane::needs() const {
  std::vector<Need> result;
  for (int row = 0; row < classes_->count(); ++row) {
    const QListWidgetItem* item = classes_->item(row);
    if (item->checkState() == Qt::Checked) result.push_back({item->data(kClassRole).toString()});
  }
  return result;
}

void NeedsPane::showProposal() {
  const std::vector<Need> wanted = needs();
  const Proposal proposal = propose(document_.composition(), document_.catalog(), wanted);
  QStringList lines;
  for (const Proposal::Item& item : proposal.items) {
    QString line = QStringLiteral("%1 %2").arg(item.manifest->id, item.why);
    if (!item.alternatives.isEmpty())
      line += tr(" (so would %1)").arg(item.alternatives.join(QStringLiteral(", ")));
    lines << line;
  }
  for (const Proposal::Unmet& unmet : proposal.unmet) {
    const QString name = unmet.className.section(u'.', -1);
    lines << (unmet.neededBy.isEmpty()
                  ? tr("Nobody publishes %1").arg(name)
                  : tr("Nobody publishes %1, which %2 subscribes to").arg(name, unmet.neededBy));
  }
  const auto count = static_cast<qint64>(proposal.items.size());
  if (lines.isEmpty()) {
    lines << (wanted.empty() ? tr("Tick a class to see which components bring it.")
                             : tr("All of this is published already: nothing to add."));
  }
  proposal_->setText(lines.join(u'\n'));
  add_->setEnabled(count > 0);
  add_->setText(count == 0
                    ? tr("Add federates")
                    : tr("Add %1").arg(theme::formatNoun(count, tr("federate"), tr("federates"))));
}

}  // namespace tutti::composer
