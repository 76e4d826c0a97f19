// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/entry_matching.h"

#include <QSet>
#include <algorithm>
#include <array>
#include <tuple>

namespace tutti::fomedit {

namespace {

/// So many pairs are looked at one by one; of more only those with a name in common.
constexpr std::size_t kMaxPairs = 60'000;

/// The weights of what speaks for a pair; a sum of 1000 is certain.
struct Weights {
  int name, content, semantics, place;
};
constexpr Weights kContainer{250, 600, 300, 150};
constexpr Weights kMember{350, 400, 200, 100};
constexpr Weights kRow{400, 350, 250, 0};
constexpr int kSameKind = 50;  ///< datatypes
constexpr int kUses = 300;     ///< a datatype or dimension that the same entries use
constexpr int kRelated = 150;  ///< an attribute that moved to a super- or subclass
constexpr int kOnly = 150;     ///< the only one of its datatype that went and that came
/// With fewer members than this, both sides together, the name weighs more.
constexpr int kEvidence = 6;

using Bigrams = std::vector<std::pair<char16_t, char16_t>>;

Bigrams bigramsOf(const QString& name) {
  Bigrams all;
  for (qsizetype i = 0; i + 1 < name.size(); ++i) {
    all.emplace_back(name[i].unicode(), name[i + 1].unicode());
  }
  std::sort(all.begin(), all.end());
  return all;
}

struct Candidate {
  int score = 0;
  int before = 0;
  int after = 0;
  QString reason;
  // The two paths in alphabetical order: the same key when the models are exchanged.
  QString less, greater;
};

class Matcher {
 public:
  Matcher(const std::vector<Entry>& before, const std::vector<Entry>& after,
          const MatchOptions& options)
      : a_(before), b_(after), options_(options) {
    m_.afterOf.assign(a_.size(), -1);
    m_.beforeOf.assign(b_.size(), -1);
  }

  Matching match() {
    matchPaths();
    matchOnlyModules();
    if (!options_.guess) return std::move(m_);
    // A pair may make others likely: a renamed datatype makes its users alike, a renamed class
    // brings its members together.
    for (int round = 0; round < 8; ++round) {
      bool any = false;
      for (const EntryKind kind : kOrder) any = guess(kind) || any;
      if (!any) break;
    }
    return std::move(m_);
  }

 private:
  static constexpr std::array<EntryKind, 15> kOrder{EntryKind::Transportation,
                                                    EntryKind::Dimension,
                                                    EntryKind::UpdateRate,
                                                    EntryKind::SynchronizationPoint,
                                                    EntryKind::Note,
                                                    EntryKind::Module,
                                                    EntryKind::DataType,
                                                    EntryKind::ObjectClass,
                                                    EntryKind::InteractionClass,
                                                    EntryKind::Field,
                                                    EntryKind::Enumerator,
                                                    EntryKind::Alternative,
                                                    EntryKind::Attribute,
                                                    EntryKind::Parameter,
                                                    EntryKind::DataType};

  const Entry& a(int i) const { return a_[static_cast<std::size_t>(i)]; }
  const Entry& b(int i) const { return b_[static_cast<std::size_t>(i)]; }
  int& afterOf(int i) { return m_.afterOf[static_cast<std::size_t>(i)]; }
  int& beforeOf(int i) { return m_.beforeOf[static_cast<std::size_t>(i)]; }

  void pair(int i, int j) {
    afterOf(i) = j;
    beforeOf(j) = i;
  }

  static QString key(const Entry& e) {
    return QString::number(static_cast<int>(e.kind)) + u':' + e.path;
  }

  void matchPaths() {
    QHash<QString, int> byPath;
    byPath.reserve(static_cast<qsizetype>(b_.size()));
    for (std::size_t j = 0; j < b_.size(); ++j) byPath.insert(key(b_[j]), static_cast<int>(j));
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const auto found = byPath.constFind(key(a_[i]));
      if (found != byPath.cend()) pair(static_cast<int>(i), *found);
    }
  }

  /// Of one module each it goes without saying that they are versions of one.
  void matchOnlyModules() {
    const auto only = [](const std::vector<Entry>& all) {
      int found = -1;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].kind != EntryKind::Module || all[i].ofMim) continue;
        if (found >= 0) return -1;
        found = static_cast<int>(i);
      }
      return found;
    };
    const int i = only(a_);
    const int j = only(b_);
    if (i >= 0 && j >= 0 && afterOf(i) < 0 && beforeOf(j) < 0) pair(i, j);
  }

  bool guess(EntryKind kind) {
    std::vector<int> gone;
    std::vector<int> come;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (a_[i].kind == kind && !a_[i].ofMim && m_.afterOf[i] < 0)
        gone.push_back(static_cast<int>(i));
    }
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (b_[j].kind == kind && !b_[j].ofMim && m_.beforeOf[j] < 0)
        come.push_back(static_cast<int>(j));
    }
    if (gone.empty() || come.empty()) return false;
    countUses(kind);
    std::vector<Candidate> candidates;
    for (const auto& [i, j] : pairsOf(kind, gone, come)) consider(i, j, candidates);
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& x, const Candidate& y) {
      return std::tuple(-x.score, x.less, x.greater) < std::tuple(-y.score, y.less, y.greater);
    });
    bool any = false;
    for (const Candidate& c : candidates) {
      if (afterOf(c.before) >= 0 || beforeOf(c.after) >= 0) continue;
      pair(c.before, c.after);
      m_.guesses.insert(c.before, {c.score, c.reason});
      if (a(c.before).parent < 0) {
        m_.renames.insert({{kind, a(c.before).name}, b(c.after).name});
      }
      matchChildren(c.before, c.after);
      any = true;
    }
    return any;
  }

  void matchChildren(int before, int after) {
    QHash<QString, int> byName;
    for (const int j : b(after).children) {
      if (beforeOf(j) < 0) byName.insert(nameKey(b_, j), j);
    }
    for (const int i : a(before).children) {
      const auto found = byName.constFind(nameKey(a_, i));
      if (afterOf(i) >= 0 || found == byName.cend() || beforeOf(*found) >= 0) continue;
      pair(i, *found);
      matchChildren(i, *found);
    }
  }

  /// The name within the parent; of rows of one name each has its own.
  static QString nameKey(const std::vector<Entry>& all, int entry) {
    const Entry& e = all[static_cast<std::size_t>(entry)];
    const qsizetype prefix = all[static_cast<std::size_t>(e.parent)].path.size() + 1;
    return QString::number(static_cast<int>(e.kind)) + u':' + e.path.mid(prefix);
  }

  /// The pairs worth a look.
  std::vector<std::pair<int, int>> pairsOf(EntryKind kind, const std::vector<int>& gone,
                                           const std::vector<int>& come) {
    std::vector<std::pair<int, int>> pairs;
    if (isMember(kind)) {
      // Within one class or datatype by anything, elsewhere only under the same name.
      QHash<QString, std::vector<int>> byName;
      QHash<int, std::vector<int>> byParent;
      for (const int j : come) {
        byName[b(j).name].push_back(j);
        byParent[b(j).parent].push_back(j);
      }
      const bool moves = kind == EntryKind::Attribute || kind == EntryKind::Parameter;
      for (const int i : gone) {
        const int parent = afterOf(a(i).parent);
        if (parent >= 0) {
          for (const int j : byParent.value(parent)) pairs.emplace_back(i, j);
        }
        if (!moves) continue;
        for (const int j : byName.value(a(i).name)) {
          if (b(j).parent != parent) pairs.emplace_back(i, j);
        }
      }
      return pairs;
    }
    if (gone.size() * come.size() <= kMaxPairs) {
      for (const int i : gone) {
        for (const int j : come) pairs.emplace_back(i, j);
      }
      return pairs;
    }
    const auto byWord = [](const std::vector<Entry>& all, const std::vector<int>& entries) {
      QHash<QString, std::vector<int>> words;
      for (const int e : entries) {
        const Entry& entry = all[static_cast<std::size_t>(e)];
        QSet<QString> names{entry.name};
        for (const int child : entry.children)
          names.insert(all[static_cast<std::size_t>(child)].name);
        for (const QString& name : names) words[name].push_back(e);
      }
      return words;
    };
    const auto goneBy = byWord(a_, gone);
    const auto comeBy = byWord(b_, come);
    for (auto word = goneBy.cbegin(); word != goneBy.cend(); ++word) {
      const auto those = comeBy.constFind(word.key());
      // A name that hundreds have says nothing.
      if (those == comeBy.cend() || those->size() > 100 || word->size() > 100) continue;
      for (const int i : *word) {
        for (const int j : *those) pairs.emplace_back(i, j);
      }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  }

  /// How often paired entries name this before and that after.
  void countUses(EntryKind kind) {
    votes_.clear();
    usesBefore_.clear();
    usesAfter_.clear();
    if (kind != EntryKind::DataType && kind != EntryKind::Dimension &&
        kind != EntryKind::Transportation) {
      return;
    }
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (m_.afterOf[i] < 0) continue;
      const Entry& after = b(m_.afterOf[i]);
      for (const EntryProperty& p : a_[i].properties) {
        if (p.refersTo != kind || p.names.size() != 1) continue;
        const EntryProperty* q = after.property(p.name);
        if (q == nullptr || q->refersTo != kind || q->names.size() != 1) continue;
        ++votes_[{p.names.front(), q->names.front()}];
        ++usesBefore_[p.names.front()];
        ++usesAfter_[q->names.front()];
      }
    }
  }

  bool same(const EntryProperty* p, const EntryProperty* q) const { return sameProperty(p, q, m_); }

  /// What an entry is known by: its members; of a class without any, its subclasses.
  static std::vector<int> contentOf(const std::vector<Entry>& all, const Entry& e, bool members) {
    std::vector<int> content;
    for (const int child : e.children) {
      if (isMember(all[static_cast<std::size_t>(child)].kind) == members) content.push_back(child);
    }
    return content;
  }

  /// Per mille of the members that are alike, and how many both sides have together.
  std::pair<int, int> sharedMembers(const Entry& x, const Entry& y, QString* reason) const {
    std::vector<int> mine = contentOf(a_, x, true);
    std::vector<int> others = contentOf(b_, y, true);
    const bool members = !mine.empty() || !others.empty();
    if (!members) {
      mine = contentOf(a_, x, false);
      others = contentOf(b_, y, false);
    }
    QHash<QString, int> byName;
    for (const int j : others) byName.insert(nameKey(b_, j), j);
    int shared = 0;
    int alike = 0;
    for (const int i : mine) {
      const auto found = byName.constFind(nameKey(a_, i));
      if (found == byName.cend()) continue;
      const QString main = mainProperty(a(i).kind);
      const bool equal = main.isEmpty() || same(a(i).property(main), b(*found).property(main));
      shared += equal ? 2 : 1;
      ++alike;
    }
    const int total = static_cast<int>(mine.size() + others.size());
    if (alike > 0) {
      const auto most = static_cast<int>(std::max(mine.size(), others.size()));
      const QString what = members ? QStringLiteral("members") : QStringLiteral("subclasses");
      *reason = alike == most
                    ? QStringLiteral("same %1").arg(what)
                    : QStringLiteral("%1 of %2 %3 in common").arg(alike).arg(most).arg(what);
    }
    return {total == 0 ? 0 : 1000 * shared / total, total};
  }

  static QString mainProperty(EntryKind kind) {
    switch (kind) {
      case EntryKind::Attribute:
      case EntryKind::Parameter:
      case EntryKind::Field:
        return QStringLiteral("Datatype");
      case EntryKind::Enumerator:
        return QStringLiteral("Value");
      case EntryKind::Alternative:
        return QStringLiteral("Enumerators");
      default:
        return {};
    }
  }

  /// Per mille of the properties, descriptions aside, that are given and equal.
  int sharedProperties(const Entry& x, const Entry& y) const {
    int given = 0;
    int equal = 0;
    for (const EntryProperty& p : x.properties) {
      if (p.significance == Significance::Text) continue;
      const EntryProperty* q = y.property(p.name);
      if (p.value.isEmpty() && (q == nullptr || q->value.isEmpty())) continue;
      ++given;
      if (same(&p, q)) ++equal;
    }
    // Of datatypes of one kind both have the same properties, so that this is symmetric.
    return given == 0 ? 0 : 1000 * equal / given;
  }

  int semantics(const Entry& x, const Entry& y, QStringList& reasons) const {
    const QString said = x.value(u"Semantics");
    if (said.isEmpty() || said != y.value(u"Semantics")) return 0;
    reasons << QStringLiteral("same semantics");
    return 1000;
  }

  int names(const Entry& x, const Entry& y, QStringList& reasons) const {
    const int alike = nameSimilarity(x.name, y.name);
    if (alike == 1000) {
      reasons << QStringLiteral("same name");
    } else if (alike >= 500) {
      reasons << QStringLiteral("similar name");
    }
    return alike;
  }

  void consider(int i, int j, std::vector<Candidate>& candidates) {
    const Entry& x = a(i);
    const Entry& y = b(j);
    if (isRefused(x, y)) return;
    QStringList reasons;
    int score = 0;
    if (isMember(x.kind)) {
      score = scoreMember(i, j, reasons);
    } else if (x.kind == EntryKind::DataType) {
      score = scoreDataType(x, y, reasons);
    } else if (x.kind == EntryKind::ObjectClass || x.kind == EntryKind::InteractionClass) {
      score = scoreClass(x, y, reasons);
    } else {
      score = kRow.name * names(x, y, reasons) / 1000 +
              kRow.semantics * semantics(x, y, reasons) / 1000;
      const int content = sharedProperties(x, y);
      score += kRow.content * content / 1000 + kUses * uses(x, y, reasons) / 1000;
      if (content == 1000) reasons << QStringLiteral("same properties");
    }
    if (score < options_.threshold) return;
    Candidate c{std::min(score, 1000), i, j, reasons.join(QStringLiteral(", ")), key(x), key(y)};
    if (c.greater < c.less) std::swap(c.less, c.greater);
    candidates.push_back(std::move(c));
  }

  bool isRefused(const Entry& x, const Entry& y) const {
    return std::any_of(options_.refused.begin(), options_.refused.end(), [&](const auto& pair) {
      return (pair.first == x.path && pair.second == y.path) ||
             (pair.first == y.path && pair.second == x.path);
    });
  }

  /// Few members prove little: what they weigh less the name weighs more.
  int scoreContent(const Entry& x, const Entry& y, int shared, int total, QStringList& reasons) {
    const int weight = kContainer.content * std::min(total, kEvidence) / kEvidence;
    const int nameWeight = kContainer.name + kContainer.content - weight;
    return weight * shared / 1000 + nameWeight * names(x, y, reasons) / 1000 +
           kContainer.semantics * semantics(x, y, reasons) / 1000;
  }

  int scoreClass(const Entry& x, const Entry& y, QStringList& reasons) {
    QString members;
    const auto [shared, total] = sharedMembers(x, y, &members);
    if (!members.isEmpty()) reasons << members;
    int score = scoreContent(x, y, shared, total, reasons);
    if (x.parent >= 0 && afterOf(x.parent) >= 0 && afterOf(x.parent) == y.parent) {
      score += kContainer.place;
      reasons << QStringLiteral("same superclass");
    }
    return score;
  }

  int uses(const Entry& x, const Entry& y, QStringList& reasons) const {
    const auto votes = votes_.find({x.name, y.name});
    if (votes == votes_.end()) return 0;
    const int most = std::max(usesBefore_.value(x.name), usesAfter_.value(y.name));
    if (votes->second == most) reasons << QStringLiteral("used in the same places");
    return 1000 * votes->second / most;
  }

  int scoreDataType(const Entry& x, const Entry& y, QStringList& reasons) {
    if (x.value(u"Kind") != y.value(u"Kind")) return 0;
    QString members;
    auto [shared, total] = sharedMembers(x, y, &members);
    if (total == 0) {
      // A simple datatype or an array is known by its columns, which many have in common.
      shared = sharedProperties(x, y);
      total = 2;
      if (shared == 1000) reasons << QStringLiteral("same properties");
    } else if (!members.isEmpty()) {
      reasons << members;
    }
    return scoreContent(x, y, shared, total, reasons) + kSameKind +
           kUses * uses(x, y, reasons) / 1000;
  }

  /// The entry and those above it, until one is paired; whether the other model has that on the
  /// line from `y` to its root.
  bool isRelated(int i, int j) {
    const auto onLine = [](const std::vector<Entry>& all, int from, int wanted) {
      for (int e = from; e >= 0; e = all[static_cast<std::size_t>(e)].parent) {
        if (e == wanted) return true;
      }
      return false;
    };
    int before = a(i).parent;
    while (before >= 0 && afterOf(before) < 0) before = a(before).parent;
    int after = b(j).parent;
    while (after >= 0 && beforeOf(after) < 0) after = b(after).parent;
    if (before < 0 || after < 0) return false;
    // The root is above everything and proves nothing.
    if (a(before).parent < 0 && b(after).parent < 0) return false;
    return onLine(b_, b(j).parent, afterOf(before)) || onLine(a_, a(i).parent, beforeOf(after));
  }

  bool isOnlyOne(int i, int j) {
    const auto count = [&](const std::vector<Entry>& all, const Entry& of,
                           const std::vector<int>& pairs) {
      const QString main = mainProperty(of.kind);
      int found = 0;
      for (const int child : all[static_cast<std::size_t>(of.parent)].children) {
        const Entry& other = all[static_cast<std::size_t>(child)];
        if (other.kind == of.kind && pairs[static_cast<std::size_t>(child)] < 0 &&
            other.value(main) == of.value(main)) {
          ++found;
        }
      }
      return found;
    };
    return count(a_, a(i), m_.afterOf) == 1 && count(b_, b(j), m_.beforeOf) == 1;
  }

  int positionOf(const std::vector<Entry>& all, int entry) const {
    const std::vector<int>& siblings =
        all[static_cast<std::size_t>(all[static_cast<std::size_t>(entry)].parent)].children;
    return static_cast<int>(std::find(siblings.begin(), siblings.end(), entry) - siblings.begin());
  }

  int scoreMember(int i, int j, QStringList& reasons) {
    const Entry& x = a(i);
    const Entry& y = b(j);
    const bool together = afterOf(x.parent) == y.parent;
    int score = kMember.name * names(x, y, reasons) / 1000;
    const QString main = mainProperty(x.kind);
    const bool sameMain = same(x.property(main), y.property(main));
    if (sameMain && !x.value(main).isEmpty()) {
      score += kMember.content * 3 / 4;
      reasons << QStringLiteral("same ") + main.toLower();
      if (together && isOnlyOne(i, j)) score += kOnly;
    }
    score += kMember.content * sharedProperties(x, y) / 4000;
    // An enumerator has only its value; who has the same one is most probably the same.
    if (x.kind == EntryKind::Enumerator && sameMain) score += kMember.semantics;
    score += kMember.semantics * semantics(x, y, reasons) / 1000;
    if (together) {
      if (positionOf(a_, i) == positionOf(b_, j)) {
        score += kMember.place;
        reasons << QStringLiteral("same place");
      }
      return score;
    }
    // From a class that has gone to one that is new, nothing moves by itself.
    if (afterOf(x.parent) < 0 && beforeOf(y.parent) < 0) return 0;
    const bool related = isRelated(i, j);
    if (!sameMain || (!related && !reasons.contains(QStringLiteral("same semantics")))) return 0;
    if (related) reasons << QStringLiteral("a related class");
    return score + (related ? kRelated : 0);
  }

  const std::vector<Entry>& a_;
  const std::vector<Entry>& b_;
  const MatchOptions& options_;
  Matching m_;
  std::map<std::pair<QString, QString>, int> votes_;
  QHash<QString, int> usesBefore_;
  QHash<QString, int> usesAfter_;
};

}  // namespace

int nameSimilarity(const QString& given, const QString& other) {
  if (given == other) return 1000;
  const QString a = given.toCaseFolded();
  const QString b = other.toCaseFolded();
  if (a == b) return 950;
  const Bigrams x = bigramsOf(a);
  const Bigrams y = bigramsOf(b);
  if (x.empty() || y.empty()) return 0;
  Bigrams common;
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(common));
  int alike = static_cast<int>(2000 * common.size() / (x.size() + y.size()));
  const qsizetype shorter = std::min(a.size(), b.size());
  if (shorter >= 3 && (a.contains(b) || b.contains(a))) {
    alike = std::max(alike, static_cast<int>(400 + 500 * shorter / std::max(a.size(), b.size())));
  }
  return std::min(alike, 940);
}

Matching matchEntries(const std::vector<Entry>& before, const std::vector<Entry>& after,
                      const MatchOptions& options) {
  return Matcher(before, after, options).match();
}

bool sameProperty(const EntryProperty* before, const EntryProperty* after,
                  const Matching& matching) {
  const QString x = before != nullptr ? before->value : QString();
  const QString y = after != nullptr ? after->value : QString();
  if (x == y) return true;
  if (before == nullptr || after == nullptr || !before->refersTo) return false;
  if (before->names.size() != after->names.size()) return false;
  QStringList mapped = before->names;
  for (QString& name : mapped) {
    const auto renamed = matching.renames.find({*before->refersTo, name});
    if (renamed != matching.renames.end()) name = renamed->second;
  }
  QStringList there = after->names;
  mapped.sort();
  there.sort();
  return mapped == there;
}

}  // namespace tutti::fomedit
