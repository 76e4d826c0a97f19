// SPDX-License-Identifier: GPL-3.0-or-later
// Why a federate is where it is, or what keeps it from every host, as sentences for people.
#include <algorithm>
#include <tuple>

#include "launcher/engine/placement_state.h"

namespace tutti::launcher {

namespace {

constexpr qsizetype namesShown = 3;

std::size_t index(int number) { return static_cast<std::size_t>(number); }

QString number(double value) { return QString::number(value, 'g', 10); }
QString amount(qint64 thousandths) { return number(double(thousandths) / 1000); }
QString coresText(qint64 thousandths) {
  return thousandths == 1000 ? QStringLiteral("1 core")
                             : QStringLiteral("%1 cores").arg(amount(thousandths));
}
QString megabytesText(qint64 thousandths) {
  return QStringLiteral("%1 MB").arg(amount(thousandths));
}

/// "a", "a and b", "a, b and c", "a, b, c and 4 more".
QString listed(QStringList names) {
  if (names.size() > namesShown + 1) {
    const QString more = QStringLiteral("%1 more").arg(names.size() - namesShown);
    names = names.mid(0, namesShown) << more;
  }
  if (names.size() < 2) return names.join(QString{});
  const QString last = names.takeLast();
  return names.join(QStringLiteral(", ")) + QStringLiteral(" and ") + last;
}

/// What keeps a federate from a host.
struct Obstacle {
  QStringList labels;  ///< that the host has not
  QStringList rivals;  ///< federates there that it must be apart from
  qint64 memory = 0;   ///< too few, thousandths
  qint64 cores = 0;
  qint64 memoryLeft = 0, memoryTotal = 0;
  qint64 coresLeft = 0, coresTotal = 0;

  [[nodiscard]] bool any() const {
    return !labels.isEmpty() || !rivals.isEmpty() || memory > 0 || cores > 0;
  }
  [[nodiscard]] PlacementNeed first() const {
    if (!labels.isEmpty()) return PlacementNeed::Labels;
    if (!rivals.isEmpty()) return PlacementNeed::Apart;
    return memory > 0 ? PlacementNeed::Memory : PlacementNeed::Cores;
  }
  /// "lacks the label gpu and has 2 cores too few: 1 of its 4 is left"; after the host's name.
  [[nodiscard]] QString text() const {
    QStringList parts;
    if (!labels.isEmpty())
      parts << (labels.size() == 1 ? QStringLiteral("lacks the label %1")
                                   : QStringLiteral("lacks the labels %1"))
                   .arg(listed(labels));
    if (!rivals.isEmpty()) parts << QStringLiteral("has %1 (to be kept apart)").arg(listed(rivals));
    if (memory > 0)
      parts << QStringLiteral("has %1 too few (%2 of its %3 left)")
                   .arg(megabytesText(memory), megabytesText(memoryLeft),
                        megabytesText(memoryTotal));
    if (cores > 0)
      parts << QStringLiteral("has %1 too few (%2 of its %3 left)")
                   .arg(coresText(cores), amount(coresLeft), coresText(coresTotal));
    return listed(parts);
  }
};

class Explainer {
 public:
  Explainer(const PlacementInput& input, const PlacementState& state)
      : input_(input), state_(state), problem_(state.problem()) {}

  [[nodiscard]] QString whyThere(int federate) const {
    const PlacementFederate& what = input_.federates[index(federate)];
    const int host = state_.hostOf(federate);
    const QString name = hostName(host);
    if (what.pin) return QStringLiteral("It is pinned to %1.").arg(name);
    if (const QString only = whyOnlyThere(federate, host); !only.isEmpty()) return only;
    const QStringList here = partners(federate, host);
    if (!here.isEmpty()) {
      return QStringLiteral("It exchanges %1 %2 with %3 there%4.")
          .arg(amount(state_.link(federate, host)), input_.weightUnit, listed(here),
               whyNotWithMore(federate, host));
    }
    if (const QString other = whyNotWithMore(federate, host); !other.isEmpty())
      return QStringLiteral("It shares the host with none that it exchanges anything with%1.")
          .arg(other);
    if (const QStringList mates = groupMates(federate, host); !mates.isEmpty())
      return QStringLiteral("It is in the group %1 with %2, and exchanges nothing with others.")
          .arg(what.group, listed(mates));
    const qint64 total = problem_.coresOf[index(host)].total;
    if (total == 0)
      return QStringLiteral(
                 "It exchanges nothing with others, and %1 takes it; how many cores "
                 "that host has is not known.")
          .arg(name);
    return QStringLiteral(
               "It exchanges nothing with others, and %1 has room: with all that is placed there, "
               "%2 of %3 are in use.")
        .arg(name, amount(state_.coresUsed(host)), coresText(total));
  }

  [[nodiscard]] RefusedFederate whyNowhere(int federate) const {
    const PlacementFederate& what = input_.federates[index(federate)];
    RefusedFederate refused;
    refused.federate = what.name;
    if (problem_.hosts == 0 && !what.pin) {
      refused.reason = QStringLiteral("There is no host to place it on.");
      return refused;
    }
    int best = nowhere;
    Obstacle least;
    for (int host = 0; host < problem_.hosts; ++host) {
      if (what.pin && *what.pin != hostName(host)) continue;
      const Obstacle obstacle = obstacleOn(federate, host);
      const auto rank = [&](const Obstacle& one) {
        return std::tuple(one.labels.size(), one.rivals.size(),
                          relative(one.memory, problem_.memory[index(federate)]) +
                              relative(one.cores, problem_.cores[index(federate)]));
      };
      if (best != nowhere && rank(obstacle) >= rank(least)) continue;
      best = host;
      least = obstacle;
    }
    if (best == nowhere) {
      refused.need = PlacementNeed::Pin;
      refused.reason =
          QStringLiteral("It is pinned to %1, which is not among the hosts.").arg(*what.pin);
      return refused;
    }
    refused.need = least.first();
    refused.bestHost = hostName(best);
    switch (refused.need) {
      case PlacementNeed::Labels:
        refused.missing = least.labels;
        break;
      case PlacementNeed::Apart:
        refused.missing = least.rivals;
        break;
      case PlacementNeed::Memory:
        refused.lacking = double(least.memory) / 1000;
        break;
      default:
        refused.lacking = double(least.cores) / 1000;
    }
    refused.reason = (what.pin ? QStringLiteral("It needs %1%2 and is pinned to %3, which %4.")
                               : QStringLiteral("It needs %1%2; %3 comes closest and %4."))
                         .arg(needs(federate), saidWhere(federate), refused.bestHost, least.text());
    return refused;
  }

 private:
  static double relative(qint64 lacking, qint64 needed) {
    return needed > 0 ? double(lacking) / double(needed) : 0;
  }
  [[nodiscard]] QString hostName(int host) const { return input_.hosts[index(host)].name; }
  [[nodiscard]] QString federateName(int federate) const {
    return input_.federates[index(federate)].name;
  }

  [[nodiscard]] QString needs(int federate) const {
    const PlacementFederate& what = input_.federates[index(federate)];
    QStringList parts{coresText(problem_.cores[index(federate)])};
    if (problem_.memory[index(federate)] > 0)
      parts << megabytesText(problem_.memory[index(federate)]);
    if (!what.labels.isEmpty())
      parts << (what.labels.size() == 1 ? QStringLiteral("the label %1")
                                        : QStringLiteral("the labels %1"))
                   .arg(listed(what.labels));
    return listed(parts);
  }

  /// To be appended; empty: its component says what it needs.
  [[nodiscard]] QString saidWhere(int federate) const {
    return input_.federates[index(federate)].hasOwnNeeds
               ? QStringLiteral(" (as the composition says)")
               : QString();
  }

  [[nodiscard]] Obstacle obstacleOn(int federate, int host) const {
    Obstacle obstacle;
    const PlacementFederate& what = input_.federates[index(federate)];
    for (const QString& label : what.labels) {
      if (!input_.hosts[index(host)].labels.contains(label)) obstacle.labels << label;
    }
    for (const int rival : problem_.rivals[index(federate)]) {
      if (state_.hostOf(rival) == host) obstacle.rivals << federateName(rival);
    }
    const auto lacking = [](const PlacementProblem::Room& room, qint64 used, qint64 needed,
                            qint64& left) {
      left = std::max<qint64>(room.total - used, 0);
      return room.total == 0 || needed == 0 ? 0 : std::max<qint64>(needed - left, 0);
    };
    obstacle.memoryTotal = problem_.memoryOf[index(host)].total;
    obstacle.memory = lacking(problem_.memoryOf[index(host)], state_.memoryUsed(host),
                              problem_.memory[index(federate)], obstacle.memoryLeft);
    obstacle.coresTotal = problem_.coresOf[index(host)].total;
    obstacle.cores = lacking(problem_.coresOf[index(host)], state_.coresUsed(host),
                             problem_.cores[index(federate)], obstacle.coresLeft);
    return obstacle;
  }

  /// When no other host could take it even if nothing were placed there; else empty.
  [[nodiscard]] QString whyOnlyThere(int federate, int host) const {
    if (problem_.hosts < 2) return QStringLiteral("%1 is the only host.").arg(hostName(host));
    const auto could = [&](int other) {
      const auto has = [](const PlacementProblem::Room& room, qint64 needed) {
        return needed == 0 || room.total == 0 || room.total - room.inUse >= needed;
      };
      return problem_.may[index(federate)][index(other)] &&
             has(problem_.coresOf[index(other)], problem_.cores[index(federate)]) &&
             has(problem_.memoryOf[index(other)], problem_.memory[index(federate)]);
    };
    for (int other = 0; other < problem_.hosts; ++other) {
      if (other != host && could(other)) return {};
    }
    return QStringLiteral("Only %1 has what it needs%2: %3.")
        .arg(hostName(host), saidWhere(federate), needs(federate));
  }

  /// Federates on `host` that it exchanges something with, the most first.
  [[nodiscard]] QStringList partners(int federate, int host) const {
    std::vector<PlacementProblem::Neighbour> there;
    for (const auto& each : problem_.neighbours[index(federate)]) {
      if (state_.hostOf(each.federate) == host) there.push_back(each);
    }
    std::stable_sort(there.begin(), there.end(),
                     [](const auto& a, const auto& b) { return a.weight > b.weight; });
    QStringList names;
    for (const auto& each : there) names << federateName(each.federate);
    return names;
  }

  [[nodiscard]] QStringList groupMates(int federate, int host) const {
    QStringList names;
    const int group = problem_.group[index(federate)];
    for (int other = 0; group >= 0 && other < problem_.federates; ++other) {
      if (other != federate && problem_.group[index(other)] == group &&
          state_.hostOf(other) == host)
        names << federateName(other);
    }
    return names;
  }

  /// About the host with which it exchanges most, where that is another; to be appended.
  [[nodiscard]] QString whyNotWithMore(int federate, int host) const {
    int most = host;
    for (int other = 0; other < problem_.hosts; ++other) {
      if (state_.link(federate, other) > state_.link(federate, most)) most = other;
    }
    if (most == host) return {};
    const Obstacle obstacle = obstacleOn(federate, most);
    return QStringLiteral("; with %1 on %2 it exchanges %3, but %4")
        .arg(listed(partners(federate, most)), hostName(most), amount(state_.link(federate, most)),
             obstacle.any() ? QStringLiteral("that host %1").arg(obstacle.text())
                            : QStringLiteral("the whole costs less this way"));
  }

  const PlacementInput& input_;
  const PlacementState& state_;
  const PlacementProblem& problem_;
};

}  // namespace

void explain(const PlacementInput& input, const PlacementState& state, Placement& placement) {
  const Explainer explainer{input, state};
  for (int federate = 0; federate < state.problem().federates; ++federate) {
    const int host = state.hostOf(federate);
    if (host == nowhere) {
      placement.refused.push_back(explainer.whyNowhere(federate));
    } else {
      placement.placed.push_back({input.federates[index(federate)].name,
                                  input.hosts[index(host)].name, explainer.whyThere(federate)});
    }
  }
}

}  // namespace tutti::launcher
