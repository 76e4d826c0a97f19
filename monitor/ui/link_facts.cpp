// SPDX-License-Identifier: GPL-3.0-or-later
#include "monitor/ui/link_facts.h"

#include <QCollator>
#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

#include "monitor/engine/host_links.h"
#include "resources/theme/format.h"
#include "resources/theme/widgets.h"

namespace tutti::monitor {

using theme::State;
using Kind = Fact::Kind;

namespace {

QString tr(const char* text) { return QCoreApplication::translate("LinkFacts", text); }

Fact row(const QString& label, const QString& value, const QString& source) {
  return {Kind::Row, label, value, source, {}, {}, -1};
}

QString seconds(double value) { return QStringLiteral("%1\u202fs").arg(value, 0, 'f', 1); }

/// A few by name, many by number; all are in the tool tip.
Fact namesRow(const QString& label, const QStringList& names, const QString& source) {
  constexpr qsizetype fewNames = 2;
  const QString value = names.size() <= fewNames ? names.join(QStringLiteral(", "))
                                                 : theme::formatCount(names.size());
  const QString all = elidedNames(names, mostNames);
  return row(label, names.isEmpty() ? tr("nobody") : value,
             names.isEmpty() ? source : theme::wrappedTip(all + QStringLiteral("\n\n") + source));
}

void addLink(std::vector<Fact>& facts, const HostLinkView& link) {
  const QString source = tr("The RTI node of this host, as tutti-rti --status prints it");
  const QString name = linkName(link);
  facts.push_back({Kind::Section,
                   name.left(1).toUpper() + name.mid(1),
                   link.suspect ? tr("suspect") : tr("up"),
                   name + u'\n' + source,
                   link.suspect ? State::Warning : State::Running,
                   {},
                   -1});
  if (link.suspect) {
    facts.push_back(row(tr("Nothing acknowledged for"), seconds(link.silentSeconds), source));
    facts.push_back(row(tr("Lost in"), seconds(link.leftSeconds),
                        tr("The grace of the home: tutti-rti --grace SECONDS. Until then nothing "
                           "is lost.")));
    facts.push_back(namesRow(tr("Wait for an answer"), link.waitForAnswer, source));
    facts.push_back(namesRow(tr("Wait to advance time"), link.waitForTime,
                             tr("Time slots: the federate that keeps them waiting is on the other "
                                "side")));
  }
  facts.push_back(
      namesRow(link.toHome ? tr("Federates here that depend on it") : tr("Federates behind it"),
               link.federates, source));
  facts.push_back(row(tr("Kept until acknowledged"),
                      theme::formatBytes(static_cast<double>(link.keptBytes)), source));
  if (link.suspicions > 0) {
    QString often =
        theme::formatNoun(static_cast<qint64>(link.suspicions), tr("time"), tr("times"));
    if (link.resumptions > 0) {
      often +=
          QStringLiteral(", ") + theme::formatNoun(static_cast<qint64>(link.resumptions),
                                                   tr("new connection"), tr("new connections"));
    }
    facts.push_back(row(tr("Suspect so far"), often, source));
  }
}

}  // namespace

std::vector<Fact> linkFacts(const std::vector<HostLinkView>& links) {
  std::vector<Fact> facts;
  if (links.empty()) return facts;
  std::vector<HostLinkView> ordered = links;
  // As people count: node2 before node10.
  QCollator order{QLocale(QLocale::English, QLocale::UnitedStates)};
  order.setNumericMode(true);
  std::sort(ordered.begin(), ordered.end(), [&](const HostLinkView& a, const HostLinkView& b) {
    return a.suspect != b.suspect ? a.suspect : order.compare(linkName(a), linkName(b)) < 0;
  });
  facts.push_back({Kind::Headline, tr("Links to other hosts"), {}, {}, {}, {}, -1});
  for (const HostLinkView& link : ordered) addLink(facts, link);
  return facts;
}

}  // namespace tutti::monitor
