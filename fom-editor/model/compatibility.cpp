// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/compatibility.h"

#include <QFileInfo>
#include <algorithm>
#include <map>

#include "fom-editor/model/item.h"

namespace tutti::fomedit {

namespace {

const Entry& at(const std::vector<Entry>& all, int i) { return all[static_cast<std::size_t>(i)]; }

QString listed(const QStringList& names) {
  if (names.size() <= 3) return names.join(QStringLiteral(", "));
  return names.mid(0, 3).join(QStringLiteral(", ")) +
         QStringLiteral(" and %1 more").arg(names.size() - 3);
}

/// What is said of one difference. Those of one `group` are told in one reason.
struct Judgement {
  Impact impact = Impact::None;
  QString text;   ///< "Flight.onBoard was removed: ..."
  QString group;  ///< "%1 has other semantics."; empty: on its own
  bool onTheWire = false;
};

class Judge {
 public:
  Judge(const ModelDifference& d, const omt::ObjectModel& before, const omt::ObjectModel& after)
      : d_(d), wire_(before, after) {}

  Compatibility judge(const QList<Finding>& contradictions) {
    compareValues();
    for (std::size_t i = 0; i < d_.differences.size(); ++i) {
      const Judgement j = judgementOf(d_.differences[i]);
      result_.impacts.push_back(j.impact);
      result_.onTheWire.push_back(j.onTheWire);
      QString text = j.text;
      if (text.isEmpty() && !j.group.isEmpty()) text = j.group.arg(d_.pathOf(d_.differences[i]));
      result_.explanations << text;
      addReason(static_cast<int>(i), j);
    }
    closeGroups();
    addContradictions(contradictions);
    std::stable_sort(result_.reasons.begin(), result_.reasons.end(),
                     [](const Reason& a, const Reason& b) { return a.impact > b.impact; });
    const auto has = [&](Impact impact) {
      return std::any_of(result_.reasons.begin(), result_.reasons.end(),
                         [&](const Reason& r) { return r.impact == impact; });
    };
    result_.verdict = has(Impact::Breaks)  ? Verdict::No
                      : has(Impact::Check) ? Verdict::YesBut
                                           : Verdict::Yes;
    return std::move(result_);
  }

 private:
  /// All values that federates of both models exchange.
  void compareValues() {
    for (std::size_t i = 0; i < d_.before.size(); ++i) {
      const Entry& x = d_.before[i];
      const int j = d_.matching.afterOf[i];
      if (j < 0 || (x.kind != EntryKind::Attribute && x.kind != EntryKind::Parameter)) continue;
      const WireResult r = wire_.compare(x.value(u"Datatype"), at(d_.after, j).value(u"Datatype"));
      if (r.impact == Impact::None) continue;
      result_.values.insert(static_cast<int>(i), r);
    }
  }

  Judgement judgementOf(const Difference& d) {
    switch (d.kind) {
      case EntryKind::ObjectClass:
      case EntryKind::InteractionClass:
        return judgeClass(d);
      case EntryKind::Attribute:
      case EntryKind::Parameter:
        return judgeMember(d);
      case EntryKind::DataType:
      case EntryKind::Field:
      case EntryKind::Enumerator:
      case EntryKind::Alternative:
        return judgeDataType(d);
      case EntryKind::Note:
      case EntryKind::Module:
        return {};
      default:
        return judgeRow(d);
    }
  }

  QString name(const Difference& d) const {
    return d.before >= 0 ? at(d_.before, d.before).shortPath() : d_.pathOf(d);
  }

  /// Texts are read by people only, all else is told by its properties.
  Judgement judgeProperties(const Difference& d) const {
    Judgement j;
    QStringList properties;
    for (const PropertyChange& p : d.properties) {
      if (p.significance != Significance::Text) {
        properties << QStringLiteral("%1 is %2 in A, %3 in B")
                          .arg(p.name, p.before.isEmpty() ? QStringLiteral("not given") : p.before,
                               p.after.isEmpty() ? QStringLiteral("not given") : p.after);
      }
    }
    if (!properties.isEmpty()) {
      j.impact = Impact::Check;
      j.text = QStringLiteral("%1: %2.").arg(d_.pathOf(d), properties.join(QStringLiteral("; ")));
      return j;
    }
    const bool semantics = std::any_of(d.properties.begin(), d.properties.end(), [](const auto& p) {
      return p.name == QStringLiteral("Semantics");
    });
    if (semantics) {
      j.impact = Impact::Check;
      j.group = QStringLiteral("The semantics are written otherwise: %1.");
    }
    return j;
  }

  Judgement judgeClass(const Difference& d) {
    if (d.mark == Mark::Added) return {};
    if (d.mark == Mark::Removed) {
      return {Impact::Check, {}, QStringLiteral("No federate built for B uses %1."), false};
    }
    if (d.renamed || d.moved) {
      return {Impact::Check,
              QStringLiteral(
                  "%1 is now %2: federates built for A use the old name, those of B the new one.")
                  .arg(name(d), d_.pathOf(d)),
              {},
              false};
    }
    return judgeProperties(d);
  }

  Judgement judgeMember(const Difference& d) {
    if (d.mark == Mark::Added) {
      return {Impact::Check, {}, QStringLiteral("No federate built for A knows %1."), false};
    }
    if (d.mark == Mark::Removed) {
      return {
          Impact::Breaks,
          {},
          QStringLiteral("A federate that asks for %1 is told that there is none of that name."),
          false};
    }
    if (d.renamed) {
      return {Impact::Breaks,
              QStringLiteral(
                  "%1 is now %2: a federate that asks for the old name is told that there is none.")
                  .arg(name(d), d_.pathOf(d)),
              {},
              false};
    }
    const auto value = result_.values.constFind(d.before);
    const bool typeChanged =
        std::any_of(d.properties.begin(), d.properties.end(),
                    [](const PropertyChange& p) { return p.significance == Significance::Bytes; });
    if (typeChanged && value != result_.values.cend()) {
      return {value->impact,
              QStringLiteral("%1: %2.").arg(d_.pathOf(d), value->why),
              {},
              value->impact == Impact::Breaks};
    }
    if (d.moved && !isInherited(d)) {
      return {Impact::Breaks,
              QStringLiteral("%1 is now %2: its former class has it no more.")
                  .arg(name(d), d_.pathOf(d)),
              {},
              false};
    }
    Judgement j = judgeProperties(d);
    if (typeChanged && j.impact == Impact::Check) {
      j.text.chop(1);
      j.text += QStringLiteral("; the values are the same bytes.");
    }
    return j;
  }

  /// What moved to a superclass is still there for the class that had it.
  bool isInherited(const Difference& d) const {
    const int had = d_.matching.afterOf[static_cast<std::size_t>(at(d_.before, d.before).parent)];
    for (int c = had; c >= 0; c = at(d_.after, c).parent) {
      if (c == at(d_.after, d.after).parent) return true;
    }
    return false;
  }

  Judgement judgeDataType(const Difference& d) {
    const bool part = d.kind != EntryKind::DataType;
    const auto typeOf = [&](const std::vector<Entry>& all, int entry) {
      if (entry < 0) return QString();
      return at(all, part ? at(all, entry).parent : entry).name;
    };
    const QString before = typeOf(d_.before, d.before);
    const QString after = typeOf(d_.after, d.after);
    const bool used = (!before.isEmpty() && wire_.reachedBefore(before)) ||
                      (!after.isEmpty() && wire_.reachedAfter(after));
    const bool encoded = d.before < 0 || d.after < 0 || d.renamed ||
                         std::any_of(d.properties.begin(), d.properties.end(), [](const auto& p) {
                           return p.significance == Significance::Bytes;
                         });
    if (!encoded) return judgeProperties(d);
    if (!part && (d.before < 0 || d.after < 0)) {
      // Whatever used it has a difference of its own.
      if (d.before < 0) return {};
      return {Impact::Check, {}, QStringLiteral("B has no datatype %1."), false};
    }
    if (!used) {
      return {Impact::Check,
              {},
              QStringLiteral("No attribute or parameter that both have is of %1."),
              false};
    }
    return judgeEncoding(d, before, after, part);
  }

  /// The differences of a datatype and of its parts are one to those who use it.
  Judgement judgeEncoding(const Difference& d, QString before, QString after, bool part) {
    // A part that was added or removed stands in one of the two only.
    if (before.isEmpty()) before = pairedName(after, false);
    if (after.isEmpty()) after = pairedName(before, true);
    const WireResult whole = wire_.compare(before, after);
    WireResult own = whole;
    if (part && d.before >= 0 && d.after >= 0) {
      const EntryProperty* from = at(d_.before, d.before).property(u"Datatype");
      const EntryProperty* to = at(d_.after, d.after).property(u"Datatype");
      if (from != nullptr && to != nullptr) own = wire_.compare(from->value, to->value);
      if (d.kind == EntryKind::Enumerator || d.kind == EntryKind::Alternative) {
        own.impact = std::max(own.impact, d.properties.isEmpty() ? Impact::None : whole.impact);
        if (own.why.isEmpty()) own.why = whole.why;
      }
    }
    if (own.impact == Impact::None) {
      if (d.renamed) {
        return {Impact::Check,
                {},
                QStringLiteral("Names that are not on the wire are others: %1."),
                false};
      }
      return {};
    }
    const QStringList users = usersOf(after.isEmpty() ? before : after);
    QString text = QStringLiteral("%1: %2").arg(d_.pathOf(d), own.why);
    text += users.isEmpty() ? QStringLiteral(".") : QStringLiteral(", in %1.").arg(listed(users));
    return {own.impact, text, {}, own.impact == Impact::Breaks};
  }

  QString pairedName(const QString& type, bool before) const {
    const std::vector<Entry>& all = before ? d_.before : d_.after;
    const std::vector<int>& pairs = before ? d_.matching.afterOf : d_.matching.beforeOf;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].kind != EntryKind::DataType || all[i].name != type) continue;
      return pairs[i] < 0 ? QString() : at(before ? d_.after : d_.before, pairs[i]).name;
    }
    return {};
  }

  /// Attributes and parameters whose values hold one of that datatype, or may.
  QStringList usersOf(const QString& type) {
    QStringList users;
    for (auto value = result_.values.cbegin(); value != result_.values.cend(); ++value) {
      const int after = d_.matching.afterOf[static_cast<std::size_t>(value.key())];
      if (holds(at(d_.after, after).value(u"Datatype"), type, 0)) {
        users << at(d_.after, after).shortPath();
      }
    }
    users.sort();
    return users;
  }

  bool holds(const QString& outer, const QString& inner, int depth) {
    if (outer == inner) return true;
    if (depth > 16) return false;
    if (parts_.isEmpty()) collectParts();
    const QStringList parts = parts_.value(outer);
    return std::any_of(parts.begin(), parts.end(),
                       [&](const QString& part) { return holds(part, inner, depth + 1); });
  }

  void collectParts() {
    for (const Entry& e : d_.after) {
      if (e.kind == EntryKind::DataType) {
        for (const EntryProperty& p : e.properties) {
          if (p.refersTo == EntryKind::DataType && !p.value.isEmpty()) parts_[e.name] << p.value;
        }
      } else if (e.kind == EntryKind::Field || e.kind == EntryKind::Alternative) {
        parts_[at(d_.after, e.parent).name] << e.value(u"Datatype");
      }
    }
  }

  /// Dimensions, transportation types, update rates, synchronization points, tags, time, switches.
  Judgement judgeRow(const Difference& d) {
    if (d.mark == Mark::Added) return {};
    if (d.mark == Mark::Removed) {
      return {Impact::Check,
              {},
              QStringLiteral("B has no %1 %2.").arg(kindName(d.kind), QStringLiteral("%1")),
              false};
    }
    const EntryProperty* from = at(d_.before, d.before).property(u"Datatype");
    const EntryProperty* to = at(d_.after, d.after).property(u"Datatype");
    if ((d.kind == EntryKind::Tag || d.kind == EntryKind::Time) && from != nullptr &&
        to != nullptr) {
      const WireResult r = wire_.compare(from->value, to->value);
      if (r.impact != Impact::None) {
        return {r.impact,
                QStringLiteral("%1: %2.").arg(d_.pathOf(d), r.why),
                {},
                r.impact == Impact::Breaks};
      }
    }
    return judgeProperties(d);
  }

  void addReason(int difference, const Judgement& j) {
    if (j.impact == Impact::None) return;
    const Difference& d = d_.differences[static_cast<std::size_t>(difference)];
    if (!j.group.isEmpty()) {
      Group& group = groups_[j.group];
      if (group.names.isEmpty()) {
        group.reason = {j.impact, {}, {}, {}, difference};
        group.order = result_.reasons.size();
        placed(d, group.reason);
        result_.reasons.append(group.reason);
      }
      group.names << name(d);
      return;
    }
    Reason reason{j.impact, j.text, {}, {}, difference};
    placed(d, reason);
    result_.reasons.append(reason);
  }

  void placed(const Difference& d, Reason& reason) const {
    if (d.before >= 0) reason.before = at(d_.before, d.before).place();
    if (d.after >= 0) reason.after = at(d_.after, d.after).place();
  }

  void closeGroups() {
    for (const auto& [pattern, group] : groups_) {
      result_.reasons[group.order].text = pattern.arg(listed(group.names));
    }
  }

  void addContradictions(const QList<Finding>& contradictions) {
    result_.loadsTogether = contradictions.isEmpty();
    const bool breaks = std::any_of(result_.impacts.begin(), result_.impacts.end(),
                                    [](Impact impact) { return impact == Impact::Breaks; });
    QList<Reason> reasons;
    for (const Finding& f : contradictions) {
      Reason reason{
          Impact::Breaks,
          QStringLiteral("An RTI refuses the modules of both in one federation: ") + f.text,
          placeText(f.otherFile, f.otherLine), placeText(f.file, f.line), -1};
      if (!breaks) {
        reason.text += QStringLiteral(
            " A federate that joins without modules of its own finds all that it knows.");
      }
      reasons << reason;
    }
    result_.reasons = reasons + result_.reasons;
  }

  struct Group {
    Reason reason;
    QStringList names;
    qsizetype order = 0;
  };

  const ModelDifference& d_;
  WireComparison wire_;
  Compatibility result_;
  QHash<QString, QStringList> parts_;
  std::map<QString, Group> groups_;
};

/// The differences that a class has by itself and by what it inherits.
class ComponentJudge {
 public:
  ComponentJudge(const ModelDifference& d, const Compatibility& c) : d_(d), c_(c) {
    for (std::size_t i = 0; i < d.before.size(); ++i) {
      if (d.before[i].kind == EntryKind::ObjectClass ||
          d.before[i].kind == EntryKind::InteractionClass) {
        classes_.insert(d.before[i].path, static_cast<int>(i));
      }
    }
    for (std::size_t i = 0; i < d.differences.size(); ++i) {
      if (d.differences[i].before >= 0) {
        byEntry_.insert(d.differences[i].before, static_cast<int>(i));
      } else if (isMember(d.differences[i].kind)) {
        newIn_[d.after[static_cast<std::size_t>(d.differences[i].after)].parent].push_back(
            static_cast<int>(i));
      }
    }
  }

  bool judge(const ComponentUse& use, ComponentImpact& impact) {
    bool known = false;
    reasons_.clear();
    for (const ComponentUse::Interest& interest : use.interests) {
      const auto c = classes_.constFind(interest.className);
      if (c == classes_.cend()) continue;
      known = true;
      judgeClass(*c, interest);
    }
    std::stable_sort(reasons_.begin(), reasons_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [weight, text] : reasons_) {
      impact.impact = std::max(impact.impact, weight);
      if (!impact.reasons.contains(text)) impact.reasons << text;
    }
    return known;
  }

 private:
  void say(Impact weight, const ComponentUse::Interest& interest, const QString& what) {
    reasons_.emplace_back(
        weight,
        (interest.publishes ? QStringLiteral("publishes ") : QStringLiteral("subscribes ")) + what);
  }

  void judgeClass(int entry, const ComponentUse::Interest& interest) {
    const Entry& own = at(d_.before, entry);
    const int after = d_.matching.afterOf[static_cast<std::size_t>(entry)];
    if (after < 0) {
      say(Impact::Breaks, interest, QStringLiteral("%1, which was removed").arg(own.shortPath()));
      return;
    }
    if (at(d_.after, after).path != own.path) {
      say(Impact::Breaks, interest,
          QStringLiteral("%1, which is now %2")
              .arg(own.shortPath(), at(d_.after, after).shortPath()));
    }
    for (int c = entry; c >= 0; c = at(d_.before, c).parent) {
      if (const int d = byEntry_.value(c, -1); d >= 0 && c == entry) {
        if (c_.impacts[static_cast<std::size_t>(d)] != Impact::None && !isNameOnly(d)) {
          say(Impact::Check, interest,
              own.shortPath() + QStringLiteral(", whose properties changed"));
        }
      }
      for (const int member : at(d_.before, c).children) {
        if (isMember(at(d_.before, member).kind)) judgeMember(member, interest);
      }
    }
    for (int c = after; c >= 0; c = at(d_.after, c).parent) {
      for (const int d : newIn_.value(c)) {
        say(Impact::Check, interest,
            QStringLiteral("%1, which has %2 now")
                .arg(own.shortPath(),
                     d_.entryOf(d_.differences[static_cast<std::size_t>(d)]).name));
      }
    }
  }

  bool isNameOnly(int d) const { return !d_.differences[static_cast<std::size_t>(d)].changed(); }

  void judgeMember(int member, const ComponentUse::Interest& interest) {
    const Entry& e = at(d_.before, member);
    if (!interest.attributes.isEmpty() && !interest.attributes.contains(e.name)) return;
    const auto value = c_.values.constFind(member);
    if (value != c_.values.cend()) {
      say(value->impact, interest, QStringLiteral("%1 (%2)").arg(e.shortPath(), value->why));
    }
    const int d = byEntry_.value(member, -1);
    if (d < 0) return;
    const Difference& difference = d_.differences[static_cast<std::size_t>(d)];
    const Impact weight = c_.impacts[static_cast<std::size_t>(d)];
    if (weight == Impact::None || (value != c_.values.cend() && weight <= value->impact)) return;
    const QString now = difference.mark == Mark::Changed || difference.mark == Mark::Removed
                            ? QStringLiteral("which was ") + markName(difference.mark)
                            : QStringLiteral("which is now ") + d_.pathOf(difference);
    say(weight, interest, QStringLiteral("%1, %2").arg(e.shortPath(), now));
  }

  const ModelDifference& d_;
  const Compatibility& c_;
  QHash<QString, int> classes_;
  QHash<int, int> byEntry_;
  QHash<int, std::vector<int>> newIn_;
  std::vector<std::pair<Impact, QString>> reasons_;
};

}  // namespace

int Compatibility::count(Impact impact) const {
  return static_cast<int>(std::count(impacts.begin(), impacts.end(), impact));
}

QString verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::Yes:
      return QStringLiteral("Yes");
    case Verdict::YesBut:
      return QStringLiteral("Yes, but");
    case Verdict::No:
      return QStringLiteral("No");
  }
  return {};
}

QString verdictSentence(const Compatibility& c) {
  switch (c.verdict) {
    case Verdict::Yes:
      return QStringLiteral("Compatible: federates built for A run in a federation with B.");
    case Verdict::YesBut:
      return QStringLiteral(
          "Compatible with care: federates built for A run in a federation with B, but look at "
          "what follows.");
    case Verdict::No:
      return QStringLiteral(
          "Not compatible: federates built for A do not run in a federation with B.");
  }
  return {};
}

Compatibility compatibilityOf(const ModelDifference& difference, const omt::ObjectModel& before,
                              const omt::ObjectModel& after, const QList<Finding>& contradictions) {
  return Judge(difference, before, after).judge(contradictions);
}

QList<Finding> contradictionsOf(const QStringList& before, const QStringList& after) {
  QStringList all = before;
  for (const QString& path : after) {
    if (!all.contains(path)) all << path;
  }
  QList<Finding> contradictions;
  for (const Finding& f : loadModel(all).findings) {
    if (f.level == Level::Loads) contradictions << f;
  }
  return contradictions;
}

QList<ComponentImpact> componentImpacts(const ModelDifference& difference,
                                        const Compatibility& compatibility,
                                        const QList<ComponentUse>& components) {
  ComponentJudge judge(difference, compatibility);
  QList<ComponentImpact> impacts;
  for (const ComponentUse& use : components) {
    ComponentImpact impact;
    impact.name = use.name;
    if (judge.judge(use, impact)) impacts << impact;
  }
  return impacts;
}

}  // namespace tutti::fomedit
