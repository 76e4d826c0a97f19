// SPDX-License-Identifier: GPL-3.0-or-later
#include "launcher/ui/launch_order_model.h"

#include <QSet>
#include <algorithm>

#include "launcher/engine/launch_plan.h"
#include "launcher/ui/host_watch.h"
#include "resources/theme/delegates.h"
#include "resources/theme/format.h"

namespace tutti::launcher {

using composer::Severity;
using theme::State;

namespace {

QString seconds(double value) { return QStringLiteral("%1 s").arg(value); }

}  // namespace

LaunchOrderModel::LaunchOrderModel(composer::Document* document, HostWatch* watch, QObject* parent)
    : QAbstractTableModel(parent), document_(document), watch_(watch) {
  syncTimer_.setSingleShot(true);
  connect(&syncTimer_, &QTimer::timeout, this, &LaunchOrderModel::sync);
  const auto later = [this] { syncTimer_.start(0); };
  using composer::Document;
  // Seldom in sight when a composition is opened: the canvas has its turn first.
  connect(document, &Document::wasReset, this, [this] { syncTimer_.start(50); });
  connect(document, &Document::federateAdded, this, later);
  connect(document, &Document::federateRemoved, this, later);
  connect(document, &Document::federateChanged, this,
          [this](const QString&, composer::FederateChanges changes) {
            if (changes != composer::FederateChange::Position) syncTimer_.start(0);
          });
  connect(document, &Document::findingsChanged, this, later);
  connect(document, &Document::catalogChanged, this, later);
  connect(watch, &HostWatch::hostsChanged, this, later);
  sync();
}

void LaunchOrderModel::sync() {
  QStringList ids;
  for (const auto* federate : document_->composition().inStartOrder()) ids << federate->id;
  worst_.clear();
  for (const auto& finding : document_->findings()) {
    if (finding.where.federate.isEmpty()) continue;
    const auto known = worst_.constFind(finding.where.federate);
    if (known == worst_.constEnd() || finding.severity < *known)
      worst_[finding.where.federate] = finding.severity;
  }
  if (ids != ids_) {
    auto before = ids_;
    auto after = ids;
    before.sort();
    after.sort();
    if (before == after) {
      // Only the order is another: selections and current rows move with their federates.
      Q_EMIT layoutAboutToBeChanged();
      const auto old = ids_;
      ids_ = ids;
      for (const auto& index : persistentIndexList()) {
        if (index.row() < 1) continue;
        const auto row = static_cast<int>(ids_.indexOf(old.at(index.row() - 1))) + 1;
        changePersistentIndex(index, this->index(row, index.column()));
      }
      Q_EMIT layoutChanged();
    } else {
      beginResetModel();
      ids_ = ids;
      endResetModel();
      return;
    }
  }
  Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int LaunchOrderModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(ids_.size()) + 1;
}

int LaunchOrderModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : ColumnCount;
}

int LaunchOrderModel::rowOf(const QString& id) const {
  const auto found = ids_.indexOf(id);
  return found < 0 ? -1 : static_cast<int>(found) + 1;
}

QString LaunchOrderModel::idAt(int row) const { return row < 1 ? QString() : ids_.value(row - 1); }

QVariant LaunchOrderModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && (section == TimeOut || section == Order))
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case On:
        return tr("Whether it starts; Ctrl+E changes it");
      case Host:
        return tr("Where it runs; F2 changes it");
      case Order:
        return tr("Lower ones start first, equal ones together");
      case StartsWhen:
        return tr("What must be ready before it starts; Return changes it");
      case TimeOut:
        return tr("How long it may take until it is ready; then the run says so");
      case IfItEnds:
        return tr("What happens to the run when it dies or cannot start");
      default:
        return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case On:
      return tr("On");
    case Federate:
      return tr("Federate");
    case Host:
      return tr("Host");
    case Order:
      return tr("Order");
    case StartsWhen:
      return tr("Starts when");
    case ReadyWhen:
      return tr("Ready when");
    case TimeOut:
      return tr("Time-out");
    case IfItEnds:
      return tr("If it dies");
    default:
      return {};
  }
}

Qt::ItemFlags LaunchOrderModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  auto result = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
  if (index.row() == 0) return result;
  if (index.column() == On) result |= Qt::ItemIsUserCheckable;
  if (index.column() == Host || index.column() == Order || index.column() == StartsWhen ||
      index.column() == IfItEnds)
    result |= Qt::ItemIsEditable;
  return result;
}

QString LaunchOrderModel::startsWhen(const composer::Federate& federate) const {
  if (!federate.enabled) return tr("disabled");
  QStringList names;
  for (const auto& id : federate.waitsFor) {
    const auto* other = document_->federate(id);
    if (other != nullptr && other->enabled) names << other->name;
  }
  if (names.isEmpty()) return tr("RTI node ready");
  if (names.size() <= 2) return tr("%1 ready").arg(names.join(tr(" and ")));
  return tr("%1 and %2 more ready").arg(names.front()).arg(names.size() - 1);
}

QString LaunchOrderModel::needs(const composer::Federate& federate) const {
  const auto* manifest = document_->manifestOf(federate.id);
  if (manifest == nullptr) return tr("unknown component");
  const auto needs = federate.needs(manifest);
  const auto cores = needs.cores * federate.count;
  QStringList parts{cores == 1 ? tr("1 core") : tr("%1 cores").arg(cores),
                    theme::formatBytes(needs.memory * 1e6 * federate.count)};
  for (const QString& label : std::as_const(needs.labels)) parts << tr("label %1").arg(label);
  return parts.join(QStringLiteral(", "));
}

int LaunchOrderModel::otherHosts() const {
  QSet<QString> hosts;
  for (const auto& [id, federate] : document_->composition().federates) {
    const HostView* host = federate.enabled ? watch_->find(federate.host) : nullptr;
    if (host != nullptr && !host->isHere()) hosts << host->key;
  }
  return static_cast<int>(hosts.size());
}

QVariant LaunchOrderModel::hostData(const composer::Federate& federate, int role) const {
  const HostView* host = watch_->find(federate.host);
  switch (role) {
    case Qt::DisplayRole:
      return host == nullptr ? federate.host : host->name;
    case Qt::EditRole:
      return host == nullptr ? federate.host : host->key;
    case theme::StateRole:
      return host == nullptr ? QVariant::fromValue(State::Error) : QVariant();
    case Qt::ToolTipRole:
      return host == nullptr ? tr("The hosts file does not describe %1").arg(federate.host)
             : federate.pinned
                 ? tr("Pinned to %1: automatic placement leaves it there").arg(host->name)
                 : QString();
    case HostKeysRole:
    case HostNamesRole: {
      QStringList result;
      for (const HostView& one : watch_->hosts())
        result << (role == HostKeysRole ? one.key : one.name);
      return result;
    }
    default:
      return {};
  }
}

QVariant LaunchOrderModel::nodeData(int column, int role) const {
  const int others = otherHosts();
  if (role == theme::StateRole && column == Federate) return QVariant::fromValue(State::Idle);
  if (role == theme::IconNameRole && column == Federate) return QStringLiteral("computer");
  if (role == Qt::CheckStateRole && column == On) return Qt::Checked;
  if (role == Qt::TextAlignmentRole && (column == TimeOut || column == Order))
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole)
    return others == 0 ? tr("Each run has an RTI node of its own, in shared memory; it starts "
                            "first and stops last")
                       : tr("Each host has an RTI node, linked to the one of this machine; they "
                            "start first and stop last");
  if (role != Qt::DisplayRole) return {};
  switch (column) {
    case Federate:
      return others == 0 ? tr("RTI node") : tr("RTI nodes");
    case Host:
      return others == 0 ? tr("this machine")
                         : theme::formatNoun(others + 1, tr("host"), tr("hosts"));
    case Order:
      return tr("first");
    case StartsWhen:
      return tr("at once");
    case ReadyWhen:
      return tr("says so");
    case TimeOut:
      return seconds(nodeReadySeconds);
    case IfItEnds:
      return tr("stops the run");
    default:
      return {};
  }
}

QVariant LaunchOrderModel::federateData(const composer::Federate& federate, int column,
                                        int role) const {
  const auto* manifest = document_->manifestOf(federate.id);
  if (role == IdRole) return federate.id;
  if (role == theme::StaleRole) return !federate.enabled;
  if (role == Qt::TextAlignmentRole && (column == TimeOut || column == Order))
    return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (column == On && role == Qt::CheckStateRole)
    return federate.enabled ? Qt::Checked : Qt::Unchecked;
  if (column == On && role == Qt::AccessibleTextRole)
    return federate.enabled ? tr("%1 is on").arg(federate.name)
                            : tr("%1 is off").arg(federate.name);
  if (column == Federate) {
    const auto found = worst_.constFind(federate.id);
    if (role == theme::StateRole) {
      if (!federate.enabled) return QVariant::fromValue(State::Disabled);
      if (found != worst_.constEnd() && *found == Severity::Error)
        return QVariant::fromValue(State::Error);
      if (found != worst_.constEnd() && *found == Severity::Warning)
        return QVariant::fromValue(State::Warning);
      return QVariant::fromValue(State::Idle);
    }
    if (role == theme::IconNameRole)
      return manifest == nullptr || manifest->icon.isEmpty() ? QStringLiteral("component")
                                                             : manifest->icon;
  }
  if (column == Host) return hostData(federate, role);
  if (role == Qt::ToolTipRole) {
    if (column == StartsWhen && federate.waitsFor.size() > 1) {
      QStringList names;
      for (const auto& id : federate.waitsFor) {
        if (const auto* other = document_->federate(id)) names << other->name;
      }
      return tr("Waits for %1").arg(names.join(QStringLiteral(", ")));
    }
    if (column == Federate && manifest != nullptr)
      return (federate.resources.isEmpty() ? tr("%1 %2, %3. Needs %4, as its manifest says")
                                           : tr("%1 %2, %3. Needs %4, as the composition says"))
          .arg(manifest->name, manifest->version,
               theme::formatNoun(federate.count, tr("instance"), tr("instances")), needs(federate));
    return {};
  }
  if (column == Order && role == Qt::EditRole) return federate.startOrder;
  if (column == StartsWhen && role == Qt::EditRole) return federate.waitsFor;
  if (column == IfItEnds && role == Qt::EditRole) return federate.required;
  if (role != Qt::DisplayRole) return {};
  switch (column) {
    case Federate:
      return federate.count == 1 ? federate.name
                                 : tr("%1 ×%2").arg(federate.name).arg(federate.count);
    case Order:
      return federate.startOrder;
    case StartsWhen:
      return startsWhen(federate);
    case ReadyWhen:
      return manifest == nullptr ? theme::noValue() : manifest->ready.description();
    case TimeOut:
      if (manifest == nullptr || manifest->ready.kind == composer::ReadyCondition::Kind::Started)
        return theme::noValue();
      return seconds(federateReadySeconds);
    case IfItEnds:
      return federate.required ? tr("stops the run") : tr("the run goes on");
    default:
      return {};
  }
}

QVariant LaunchOrderModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  if (index.row() == 0) return nodeData(index.column(), role);
  const auto* federate = document_->federate(idAt(index.row()));
  // Removed a moment ago; sync() follows.
  if (federate == nullptr) return {};
  return federateData(*federate, index.column(), role);
}

bool LaunchOrderModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  const auto id = idAt(index.row());
  if (id.isEmpty() || document_->federate(id) == nullptr) return false;
  if (index.column() == On && role == Qt::CheckStateRole) {
    document_->setEnabled({id}, value.toInt() == Qt::Checked);
  } else if (index.column() == Host && role == Qt::EditRole) {
    document_->setHost({id}, value.toString());
  } else if (index.column() == Order && role == Qt::EditRole) {
    document_->setStartOrder(id, value.toInt());
  } else if (index.column() == StartsWhen && role == Qt::EditRole) {
    document_->setWaitsFor(id, value.toStringList());
  } else if (index.column() == IfItEnds && role == Qt::EditRole) {
    document_->setRequired(id, value.toBool());
  } else {
    return false;
  }
  return true;
}

}  // namespace tutti::launcher
