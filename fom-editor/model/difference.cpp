// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/difference.h"

#include <QSet>
#include <QStringList>
#include <algorithm>

namespace tutti::fomedit {

namespace {

const Entry& at(const std::vector<Entry>& all, int i) { return all[static_cast<std::size_t>(i)]; }
int at(const std::vector<int>& all, int i) { return all[static_cast<std::size_t>(i)]; }

class Comparison {
 public:
  Comparison(ModelDifference& d, const DifferenceOptions& options) : d_(d), options_(options) {}

  void run() {
    d_.matching = matchEntries(d_.before, d_.after, options_.matching);
    for (int kind = 0; kind < entryKindCount; ++kind) {
      std::vector<int> before;
      std::vector<int> after;
      const auto roots = [&](const std::vector<Entry>& all, std::vector<int>& into) {
        for (std::size_t i = 0; i < all.size(); ++i) {
          if (all[i].parent < 0 && static_cast<int>(all[i].kind) == kind) {
            into.push_back(static_cast<int>(i));
          }
        }
      };
      roots(d_.before, before);
      roots(d_.after, after);
      walk(before, after, 0, false);
    }
  }

 private:
  const Entry& a(int i) const { return at(d_.before, i); }
  const Entry& b(int i) const { return at(d_.after, i); }
  int afterOf(int i) const { return at(d_.matching.afterOf, i); }
  int beforeOf(int i) const { return at(d_.matching.beforeOf, i); }

  bool isLeftOut(int before, int after) const {
    if (options_.withMim) return false;
    return (before < 0 || a(before).ofMim) && (after < 0 || b(after).ofMim);
  }

  /// A class of the MIM stays as the way to what modules put below it.
  bool leadsOn(int before, int after) const {
    const auto any = [](const std::vector<Entry>& all, int i, const auto& self) -> bool {
      if (i < 0) return false;
      if (!at(all, i).ofMim) return true;
      return std::any_of(at(all, i).children.begin(), at(all, i).children.end(),
                         [&](int child) { return self(all, child, self); });
    };
    return any(d_.before, before, any) || any(d_.after, after, any);
  }

  /// The children of a pair, in the order before, with what is new where it stands after.
  /// `inside`: of something added or removed as a whole.
  void walk(const std::vector<int>& before, const std::vector<int>& after, int depth, bool inside) {
    const QSet<int> here(after.begin(), after.end());
    const QSet<int> were(before.begin(), before.end());
    QSet<int> shown;
    std::size_t next = 0;
    // What is new, or comes from elsewhere, up to the next one that has a place before.
    const auto emitNew = [&] {
      for (; next < after.size(); ++next) {
        const int j = after[next];
        if (shown.contains(j)) continue;
        if (were.contains(beforeOf(j))) return;
        show(beforeOf(j), j, depth, inside);
      }
    };
    emitNew();
    for (const int i : before) {
      const int j = afterOf(i);
      if (j >= 0 && here.contains(j)) {
        show(i, j, depth, inside);
        shown.insert(j);
        emitNew();
      } else if (j >= 0) {
        if (!isLeftOut(i, j)) d_.rows.push_back({i, -1, depth, -2 - i, true});
      } else {
        show(i, -1, depth, inside);
      }
    }
  }

  void show(int before, int after, int depth, bool inside) {
    if (isLeftOut(before, after) && !leadsOn(before, after)) return;
    const EntryKind kind = before >= 0 ? a(before).kind : b(after).kind;
    int difference = -1;
    const bool whole = before < 0 || after < 0;
    if (!isLeftOut(before, after) && !(inside && whole && isMember(kind))) {
      Difference found = compare(before, after);
      if (whole || !found.properties.isEmpty()) {
        difference = static_cast<int>(d_.differences.size());
        if (before >= 0) differenceOf_.insert(before, difference);
        d_.differences.push_back(std::move(found));
      }
    }
    d_.rows.push_back({before, after, depth, difference, false});
    walk(before >= 0 ? a(before).children : std::vector<int>(),
         after >= 0 ? b(after).children : std::vector<int>(), depth + 1, whole);
    if (depth == 0) joinMoved();
  }

  /// Where something has moved from, its line knows the difference only when both were seen.
  void joinMoved() {
    for (; joined_ < d_.rows.size(); ++joined_) {
      DifferenceRow& row = d_.rows[joined_];
      if (row.movedAway) row.difference = differenceOf_.value(-2 - row.difference, -1);
    }
  }

  Difference compare(int before, int after) const {
    Difference d;
    d.before = before;
    d.after = after;
    d.kind = before >= 0 ? a(before).kind : b(after).kind;
    if (before < 0 || after < 0) {
      d.mark = before < 0 ? Mark::Added : Mark::Removed;
      return d;
    }
    const Entry& x = a(before);
    const Entry& y = b(after);
    const auto add = [&](const QString& name, const QString& was, const QString& is,
                         Significance significance) {
      d.properties.append({name, was, is, significance});
    };
    d.renamed = x.name != y.name;
    if (d.renamed) {
      add(QStringLiteral("Name"), x.name, y.name,
          d.kind == EntryKind::Module || d.kind == EntryKind::Note ? Significance::Text
                                                                   : Significance::Behaviour);
    }
    d.moved = x.parent >= 0 && afterOf(x.parent) != y.parent;
    if (d.moved) {
      const bool member = isMember(d.kind);
      add(member ? QStringLiteral("Class") : QStringLiteral("Superclass"), a(x.parent).shortPath(),
          b(y.parent).shortPath(), Significance::Behaviour);
    }
    const qsizetype place = d.properties.size();
    for (const EntryProperty& p : x.properties) {
      const EntryProperty* q = y.property(p.name);
      if (!sameProperty(&p, q, d_.matching)) {
        add(p.name, p.value, q != nullptr ? q->value : QString(), p.significance);
      }
    }
    for (const EntryProperty& q : y.properties) {
      if (x.property(q.name) == nullptr && !q.value.isEmpty()) {
        add(q.name, QString(), q.value, q.significance);
      }
    }
    compareOrder(x, y, d);
    d.mark = d.moved ? Mark::Moved : d.renamed ? Mark::Renamed : Mark::Changed;
    // What is in one file on its own is one thing whatever it is called.
    if (d.kind == EntryKind::Module && d.properties.size() > place) d.mark = Mark::Changed;
    const auto guess = d_.matching.guesses.constFind(before);
    if (guess != d_.matching.guesses.cend() && (d.renamed || d.moved)) {
      d.score = guess->score;
      d.reason = guess->reason;
    }
    return d;
  }

  /// Fields are encoded one after the other: those that both have may have changed places.
  void compareOrder(const Entry& x, const Entry& y, Difference& d) const {
    if (d.kind != EntryKind::DataType) return;
    std::vector<int> was;
    for (const int i : x.children) {
      const int j = a(i).kind == EntryKind::Field ? afterOf(i) : -1;
      if (j >= 0 && b(j).parent == d.after) was.push_back(j);
    }
    std::vector<int> is;
    for (const int j : y.children) {
      if (std::find(was.begin(), was.end(), j) != was.end()) is.push_back(j);
    }
    if (was == is) return;
    QStringList before;
    QStringList after;
    for (const int j : was) before << a(beforeOf(j)).name;
    for (const int j : is) after << b(j).name;
    d.properties.append({QStringLiteral("Order of fields"), before.join(QStringLiteral(", ")),
                         after.join(QStringLiteral(", ")), Significance::Bytes});
  }

  ModelDifference& d_;
  const DifferenceOptions& options_;
  QHash<int, int> differenceOf_;
  std::size_t joined_ = 0;
};

}  // namespace

QString markName(Mark mark) {
  switch (mark) {
    case Mark::Added:
      return QStringLiteral("added");
    case Mark::Removed:
      return QStringLiteral("removed");
    case Mark::Renamed:
      return QStringLiteral("renamed");
    case Mark::Moved:
      return QStringLiteral("moved");
    case Mark::Changed:
      return QStringLiteral("changed");
  }
  return {};
}

QChar markSign(Mark mark) {
  switch (mark) {
    case Mark::Added:
      return u'+';
    case Mark::Removed:
      return QChar(0x2212);
    case Mark::Renamed:
      return QChar(0x2192);
    case Mark::Moved:
      return QChar(0x21C4);
    case Mark::Changed:
      return u'~';
  }
  return {};
}

bool Difference::changed() const { return properties.size() > (renamed ? 1 : 0) + (moved ? 1 : 0); }

int ModelDifference::count(Mark mark) const {
  return static_cast<int>(std::count_if(differences.begin(), differences.end(),
                                        [&](const Difference& d) { return d.mark == mark; }));
}

int ModelDifference::count(EntryKind kind, Mark mark) const {
  return static_cast<int>(
      std::count_if(differences.begin(), differences.end(),
                    [&](const Difference& d) { return d.mark == mark && d.kind == kind; }));
}

const Entry& ModelDifference::entryOf(const Difference& d) const {
  return d.after >= 0 ? at(after, d.after) : at(before, d.before);
}

QString ModelDifference::pathOf(const Difference& d) const { return entryOf(d).shortPath(); }

QString ModelDifference::summary() const {
  if (isEmpty()) return QStringLiteral("no differences");
  QStringList words;
  for (int mark = 0; mark < markCount; ++mark) {
    words << QStringLiteral("%1 %2")
                 .arg(count(static_cast<Mark>(mark)))
                 .arg(markName(static_cast<Mark>(mark)));
  }
  return words.join(QStringLiteral(", "));
}

QString ModelDifference::detailOf(const Difference& d) const {
  if (d.before >= 0 && d.after >= 0) return {};
  const std::vector<Entry>& all = d.after >= 0 ? after : before;
  const std::vector<int>& pairs = d.after >= 0 ? matching.beforeOf : matching.afterOf;
  std::array<int, entryKindCount> counts{};
  for (const int child : entryOf(d).children) {
    const EntryKind kind = at(all, child).kind;
    if (isMember(kind) && at(pairs, child) < 0) ++counts[static_cast<std::size_t>(kind)];
  }
  QStringList words;
  for (int kind = 0; kind < entryKindCount; ++kind) {
    const int n = counts[static_cast<std::size_t>(kind)];
    if (n == 0) continue;
    words << QStringLiteral("%1 %2%3").arg(n).arg(kindName(static_cast<EntryKind>(kind)),
                                                  n == 1 ? QString() : QStringLiteral("s"));
  }
  if (words.isEmpty()) {
    for (const char16_t* name : {u"Datatype", u"Kind", u"Value", u"Enumerators"}) {
      if (const QString value = entryOf(d).value(name); !value.isEmpty()) return value;
    }
  }
  return words.join(QStringLiteral(", "));
}

ModelDifference differenceOf(std::vector<Entry> before, std::vector<Entry> after,
                             const DifferenceOptions& options) {
  ModelDifference d;
  d.before = std::move(before);
  d.after = std::move(after);
  Comparison(d, options).run();
  return d;
}

ModelDifference differenceOf(const omt::ObjectModel& before, const omt::ObjectModel& after,
                             const DifferenceOptions& options) {
  return differenceOf(entriesOf(before), entriesOf(after), options);
}

}  // namespace tutti::fomedit
