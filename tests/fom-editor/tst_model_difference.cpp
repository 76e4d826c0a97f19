// SPDX-License-Identifier: GPL-3.0-or-later
#include <QElapsedTimer>
#include <QTest>
#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "fom-editor/model/difference.h"
#include "fom-editor/model/loaded_model.h"
#include "omt/merge.h"
#include "omt/reader.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

QString lineOf(const Difference& one, const QString& path) {
  QString line = markName(one.mark) + u' ' + kindName(one.kind) + u' ' + path;
  QStringList properties;
  for (const PropertyChange& p : one.properties) {
    properties << QStringLiteral("%1: %2 -> %3").arg(p.name, p.before, p.after);
  }
  if (!properties.isEmpty()) line += QStringLiteral(" (") + properties.join("; ") + u')';
  return line;
}

QString lineOf(const ModelDifference& d, const Difference& one) {
  return lineOf(one, d.pathOf(one));
}

QStringList linesOf(const ModelDifference& d) {
  QStringList lines;
  for (const Difference& one : d.differences) lines << lineOf(d, one);
  return lines;
}

QStringList sorted(QStringList lines) {
  lines.sort();
  return lines;
}

omt::ObjectModel merged(const omt::Module& module) {
  auto result = omt::merge(std::span(&module, 1));
  if (!result) qFatal("%s", result.error().toText().c_str());
  return std::move(result->model);
}

omt::Module moduleOf(const QString& body) {
  auto read = omt::readModule(
      (QStringLiteral("<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\">") + body +
       QStringLiteral("</objectModel>"))
          .toStdString(),
      "Test.xml");
  if (!read) qFatal("%s", read.error().toText().c_str());
  return *read;
}

ModelDifference between(const QString& before, const QString& after,
                        const DifferenceOptions& options = {}) {
  return differenceOf(merged(moduleOf(before)), merged(moduleOf(after)), options);
}

/// An object model that is easy to edit, by ids that edits do not change.
struct Sketch {
  struct Member {
    std::string name;
    std::string type;
    std::string semantics;
    bool timeStamp = false;
    std::string value;  // of an enumerator
  };
  struct Class {
    int parent = -1;
    bool interaction = false;
    bool there = true;
    std::string name;
    std::vector<Member> members;
  };
  struct Type {
    bool there = true;
    omt::DataTypeKind kind = omt::DataTypeKind::Simple;
    std::string name;
    std::string units;
    std::vector<Member> members;
  };
  std::vector<Class> classes;
  std::vector<Type> types;
  std::uint32_t bound = 4;
  std::vector<std::string> points;
  double rate = 10;
  bool autoProvide = false;

  QString path(int c) const {
    const Class& one = classes[static_cast<std::size_t>(c)];
    const QString name = QString::fromStdString(one.name);
    return one.parent < 0 ? name : path(one.parent) + u'.' + name;
  }
  bool isWithin(int c, int ancestor) const {
    for (; c >= 0; c = classes[static_cast<std::size_t>(c)].parent) {
      if (c == ancestor) return true;
    }
    return false;
  }

  template <typename Made>
  Made classOf(int c) const {
    const Class& one = classes[static_cast<std::size_t>(c)];
    Made made;
    made.name = one.name;
    made.sharing = omt::Sharing::PublishSubscribe;
    for (const Member& m : one.members) {
      if constexpr (std::is_same_v<Made, omt::ModuleObjectClass>) {
        omt::Attribute a;
        a.name = m.name;
        a.dataType = m.type;
        a.semantics = m.semantics;
        a.transportation = "HLAreliable";
        a.order = m.timeStamp ? omt::OrderType::TimeStamp : omt::OrderType::Receive;
        made.attributes.push_back(a);
      } else {
        omt::Parameter p;
        p.name = m.name;
        p.dataType = m.type;
        p.semantics = m.semantics;
        made.parameters.push_back(p);
      }
    }
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (classes[i].there && classes[i].parent == c) {
        made.subclasses.push_back(classOf<Made>(static_cast<int>(i)));
      }
    }
    return made;
  }

  omt::ObjectModel model() const {
    omt::Module module;
    module.file = "Sketch.xml";
    omt::ModuleObjectClass objects;
    objects.name = omt::objectRootName;
    omt::ModuleInteractionClass interactions;
    interactions.name = omt::interactionRootName;
    for (std::size_t i = 0; i < classes.size(); ++i) {
      if (!classes[i].there || classes[i].parent >= 0) continue;
      if (classes[i].interaction) {
        interactions.subclasses.push_back(
            classOf<omt::ModuleInteractionClass>(static_cast<int>(i)));
      } else {
        objects.subclasses.push_back(classOf<omt::ModuleObjectClass>(static_cast<int>(i)));
      }
    }
    module.objectClasses.push_back(objects);
    module.interactionClasses.push_back(interactions);
    for (const Type& t : types) {
      if (!t.there) continue;
      omt::DataType made;
      made.kind = t.kind;
      made.name = t.name;
      if (t.kind == omt::DataTypeKind::FixedRecord) {
        made.encoding = "HLAfixedRecord";
        for (const Member& m : t.members) made.fields.push_back({m.name, m.type, m.semantics, 1});
      } else {
        made.representation = "HLAinteger32BE";
        made.units = t.units;
        for (const Member& m : t.members) made.enumerators.push_back({m.name, {m.value}, 1});
      }
      module.dataTypes.push_back(made);
    }
    omt::Dimension dimension;
    dimension.name = "Sector";
    dimension.upperBound = bound;
    module.dimensions.push_back(dimension);
    for (const std::string& label : points)
      module.synchronizationPoints.push_back({label, {}, {}, {}, {}});
    module.updateRates.push_back({"Fast", rate, {}, {}});
    module.switches.emplace();
    module.switches->autoProvide = autoProvide;
    return merged(module);
  }
};

/// Makes sketches and edits them, and knows what the edits are.
class Editor {
 public:
  explicit Editor(unsigned seed) : random_(seed) {}

  Sketch make() {
    Sketch s;
    for (int i = 0, n = below(4) + 8; i < n; ++i) {
      Sketch::Type t;
      t.name = "T" + word();
      const int kind = below(3);
      if (kind == 0) {
        t.units = word();
      } else {
        t.kind = kind == 1 ? omt::DataTypeKind::Enumerated : omt::DataTypeKind::FixedRecord;
        for (int m = 0, members = below(4) + 4; m < members; ++m) {
          Sketch::Member one = member(s, static_cast<int>(i));
          one.value = std::to_string(m);
          t.members.push_back(one);
        }
      }
      s.types.push_back(t);
    }
    for (int i = 0, n = below(6) + 8; i < n; ++i) {
      Sketch::Class c;
      c.name = "C" + word();
      c.interaction = i % 3 == 2;
      if (i > 2 && below(3) > 0) {
        const int parent = below(i);
        if (s.classes[static_cast<std::size_t>(parent)].interaction == c.interaction)
          c.parent = parent;
      }
      for (int m = 0, members = below(3) + 4; m < members; ++m) {
        c.members.push_back(member(s, static_cast<int>(s.types.size())));
      }
      s.classes.push_back(c);
    }
    s.points = {"ready", "done"};
    return s;
  }

  /// Edits `s` and gives the differences from what it was.
  QStringList edit(Sketch& s) {
    const Sketch was = s;
    busyClasses_.clear();
    busyTypes_.clear();
    expected_.clear();
    for (int i = 0, n = below(6) + 1; i < n; ++i) editOnce(s, was);
    if (below(4) == 0) {
      s.bound = 5;
      say([](const Sketch&) { return QString("changed dimension Sector (Upper bound: 4 -> 5)"); });
    }
    if (below(4) == 0) {
      s.points = {"done"};
      say([](const Sketch&) { return QString("removed synchronization point ready"); });
    }
    if (below(4) == 0) {
      s.rate = 20;
      say([](const Sketch&) { return QString("changed update rate Fast (Rate: 10 -> 20)"); });
    }
    if (below(4) == 0) {
      s.autoProvide = true;
      say([](const Sketch&) {
        return QString("changed switch Auto provide (Setting: disabled -> enabled)");
      });
    }
    QStringList lines;
    for (const auto& line : expected_) lines << line(s);
    return lines;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  /// No two have a syllable in common by anything but chance.
  std::string word() {
    static const std::string letters = "abcdefghijklmnopqrstuvwxyz";
    std::string made;
    for (int i = 0; i < 9; ++i) made += letters[static_cast<std::size_t>(below(26))];
    return made + std::to_string(++words_);
  }

  /// Of a random datatype among the first `types`, or of the MIM.
  Sketch::Member member(const Sketch& s, int types) {
    Sketch::Member m;
    m.name = "m" + word();
    m.semantics = word();
    const int choice = below(types + 2);
    m.type = choice < types    ? s.types[static_cast<std::size_t>(choice)].name
             : choice == types ? "HLAfloat64BE"
                               : "HLAASCIIstring";
    return m;
  }

  void say(std::function<QString(const Sketch&)> line) { expected_.push_back(std::move(line)); }

  static QString text(const std::string& s) { return QString::fromStdString(s); }

  bool takeClass(int c) { return c >= 0 && busyClasses_.insert(c).second; }

  void editOnce(Sketch& s, const Sketch& was) {
    if (below(2) == 0) {
      editClass(s, was);
    } else {
      editType(s, was);
    }
  }

  void editClass(Sketch& s, const Sketch& was) {
    const int c = below(static_cast<int>(was.classes.size()));
    Sketch::Class& one = s.classes[static_cast<std::size_t>(c)];
    if (!one.there || busyClasses_.contains(c)) return;
    const QString kind = one.interaction ? "parameter" : "attribute";
    const QString classKind = one.interaction ? "interaction class" : "object class";
    const int m = below(static_cast<int>(one.members.size()));
    Sketch::Member& member = one.members[static_cast<std::size_t>(m)];
    switch (below(8)) {
      case 0: {  // add a member
        takeClass(c);
        const Sketch::Member added = this->member(s, 0);
        one.members.insert(one.members.begin() + m, added);
        say([=](const Sketch& now) {
          return QString("added %1 %2.%3").arg(kind, now.path(c), text(added.name));
        });
        break;
      }
      case 1: {  // remove a member
        takeClass(c);
        const QString line = QString("removed %1 %2.%3").arg(kind, was.path(c), text(member.name));
        one.members.erase(one.members.begin() + m);
        say([=](const Sketch&) { return line; });
        break;
      }
      case 2: {  // rename a member
        takeClass(c);
        const QString old = text(member.name);
        member.name = "n" + word();
        const QString now = text(member.name);
        say([=](const Sketch& after) {
          return QString("renamed %1 %2.%3 (Name: %4 -> %3)").arg(kind, after.path(c), now, old);
        });
        break;
      }
      case 3: {  // change a member
        takeClass(c);
        const QString name = text(member.name);
        if (one.interaction) {
          const QString old = text(member.semantics);
          member.semantics = word();
          const QString now = text(member.semantics);
          say([=](const Sketch& after) {
            return QString("changed parameter %1.%2 (Semantics: %3 -> %4)")
                .arg(after.path(c), name, old, now);
          });
        } else {
          member.timeStamp = true;
          say([=](const Sketch& after) {
            return QString("changed attribute %1.%2 (Order: Receive -> TimeStamp)")
                .arg(after.path(c), name);
          });
        }
        break;
      }
      case 4: {  // add a class
        Sketch::Class added;
        added.parent = c;
        added.interaction = one.interaction;
        added.name = "A" + word();
        for (int i = 0; i < 4; ++i) added.members.push_back(this->member(s, 0));
        busyClasses_.insert(c);
        busyClasses_.insert(static_cast<int>(s.classes.size()));
        const int made = static_cast<int>(s.classes.size());
        s.classes.push_back(added);
        say([=](const Sketch& now) {
          return QString("added %1 %2").arg(classKind, now.path(made));
        });
        break;
      }
      case 5: {  // remove a class that has none below it
        for (const Sketch::Class& other : s.classes) {
          if (other.there && other.parent == c) return;
        }
        takeClass(c);
        one.there = false;
        const QString line = QString("removed %1 %2").arg(classKind, was.path(c));
        say([=](const Sketch&) { return line; });
        break;
      }
      case 6: {  // rename a class
        takeClass(c);
        const QString old = text(one.name);
        one.name = "R" + word();
        const QString now = text(one.name);
        say([=](const Sketch& after) {
          return QString("renamed %1 %2 (Name: %3 -> %4)").arg(classKind, after.path(c), old, now);
        });
        break;
      }
      default: {  // move a class
        const int to = below(static_cast<int>(was.classes.size()));
        const Sketch::Class& target = s.classes[static_cast<std::size_t>(to)];
        if (!target.there || target.interaction != one.interaction || s.isWithin(to, c) ||
            one.parent == to) {
          return;
        }
        takeClass(c);
        // The new superclass stays.
        busyClasses_.insert(to);
        const QString from = one.parent < 0
                                 ? QString(one.interaction ? "HLAinteractionRoot" : "HLAobjectRoot")
                                 : was.path(one.parent);
        one.parent = to;
        say([=](const Sketch& after) {
          return QString("moved %1 %2 (Superclass: %3 -> %4)")
              .arg(classKind, after.path(c), from, after.path(to));
        });
      }
    }
  }

  void editType(Sketch& s, const Sketch& was) {
    const int t = below(static_cast<int>(s.types.size()));
    Sketch::Type& one = s.types[static_cast<std::size_t>(t)];
    if (!one.there || !busyTypes_.insert(t).second) return;
    const bool record = one.kind == omt::DataTypeKind::FixedRecord;
    const QString kind = record ? "field" : "enumerator";
    const int edit = below(one.members.empty() ? 2 : 6);
    const int m = one.members.empty() ? 0 : below(static_cast<int>(one.members.size()) - 1);
    const auto name = [t](const Sketch& now) {
      return text(now.types[static_cast<std::size_t>(t)].name);
    };
    if (edit == 0) {  // rename, with all that refers to it
      const std::string old = one.name;
      // A simple datatype without a name like the old one is told by where it is used only.
      one.name = old + "New";
      const std::string now = one.name;
      for (Sketch::Class& c : s.classes) rename(c.members, old, now);
      for (Sketch::Type& other : s.types) rename(other.members, old, now);
      say([=](const Sketch&) {
        return QString("renamed datatype %1 (Name: %2 -> %1)").arg(text(now), text(old));
      });
      return;
    }
    if (one.members.empty()) {
      const QString old = text(one.units);
      one.units = word();
      const QString now = text(one.units);
      say([=](const Sketch& after) {
        return QString("changed datatype %1 (Units: %2 -> %3)").arg(name(after), old, now);
      });
      return;
    }
    Sketch::Member& member = one.members[static_cast<std::size_t>(m)];
    const QString old = text(member.name);
    switch (edit) {
      case 1: {
        Sketch::Member added = this->member(s, 0);
        added.value = "77";
        one.members.push_back(added);
        say([=](const Sketch& now) {
          return QString("added %1 %2.%3").arg(kind, name(now), text(added.name));
        });
        break;
      }
      case 2:
        one.members.erase(one.members.begin() + m);
        say([=](const Sketch& now) {
          return QString("removed %1 %2.%3").arg(kind, name(now), old);
        });
        break;
      case 3: {
        member.name = "k" + word();
        const QString now = text(member.name);
        say([=](const Sketch& after) {
          return QString("renamed %1 %2.%3 (Name: %4 -> %3)").arg(kind, name(after), now, old);
        });
        break;
      }
      case 4:
        if (record) {
          // Under the name that the datatype had: it may be renamed, too.
          const QString from = text(
              was.types[static_cast<std::size_t>(t)].members[static_cast<std::size_t>(m)].type);
          member.type = "HLAoctet";
          say([=](const Sketch& now) {
            return QString("changed field %1.%2 (Datatype: %3 -> HLAoctet)")
                .arg(name(now), old, from);
          });
        } else {
          const QString from = text(member.value);
          member.value = "99";
          say([=](const Sketch& now) {
            return QString("changed enumerator %1.%2 (Value: %3 -> 99)").arg(name(now), old, from);
          });
        }
        break;
      default: {
        if (!record) return;
        QStringList before;
        for (const Sketch::Member& x : one.members) before << text(x.name);
        std::swap(one.members[static_cast<std::size_t>(m)],
                  one.members[static_cast<std::size_t>(m) + 1]);
        QStringList after;
        for (const Sketch::Member& x : one.members) after << text(x.name);
        say([=](const Sketch& now) {
          return QString("changed datatype %1 (Order of fields: %2 -> %3)")
              .arg(name(now), before.join(", "), after.join(", "));
        });
      }
    }
  }

  static void rename(std::vector<Sketch::Member>& members, const std::string& old,
                     const std::string& now) {
    for (Sketch::Member& m : members) {
      if (m.type == old) m.type = now;
    }
  }

  std::mt19937 random_;
  int words_ = 0;
  std::set<int> busyClasses_;
  std::set<int> busyTypes_;
  std::vector<std::function<QString(const Sketch&)>> expected_;
};

const char* const kFlight = R"(<objects><objectClass><name>HLAobjectRoot</name>
  <objectClass><name>Flight</name><sharing>PublishSubscribe</sharing>
    <attribute><name>callsign</name><dataType>HLAASCIIstring</dataType></attribute>
    <attribute><name>squawk</name><dataType>HLAinteger16BE</dataType></attribute>
    <attribute><name>onBoard</name><dataType>HLAinteger32BE</dataType></attribute>
  </objectClass></objectClass></objects>)";

/// A model with before and after exchanged.
QStringList mirrored(const ModelDifference& d) {
  QStringList lines;
  for (Difference one : d.differences) {
    if (one.before >= 0 && one.after >= 0) {
      for (PropertyChange& p : one.properties) std::swap(p.before, p.after);
    } else {
      one.mark = one.mark == Mark::Added ? Mark::Removed : Mark::Added;
    }
    const bool paired = one.before >= 0 && one.after >= 0;
    const QString line = lineOf(
        one, paired ? d.before[static_cast<std::size_t>(one.before)].shortPath() : d.pathOf(one));
    lines << line << QStringLiteral("%1 %2").arg(one.score).arg(one.reason);
  }
  return sorted(lines);
}

QStringList scored(const ModelDifference& d) {
  QStringList lines;
  for (const Difference& one : d.differences) {
    lines << lineOf(d, one) << QStringLiteral("%1 %2").arg(one.score).arg(one.reason);
  }
  return sorted(lines);
}

}  // namespace

class TestModelDifference : public QObject {
  Q_OBJECT

 private slots:
  void aModelDoesNotDifferFromItself() {
    const auto model = loadModel(testmodels::airTraffic()).model;
    const ModelDifference d = differenceOf(*model, *model);
    QVERIFY(d.isEmpty());
    QCOMPARE(d.summary(), QString("no differences"));
    QVERIFY(d.rows.size() > 50);
    DifferenceOptions all;
    all.withMim = true;
    QVERIFY(differenceOf(*model, *model, all).isEmpty());
    QVERIFY(differenceOf(*model, *model, all).rows.size() > d.rows.size());
  }

  void propertiesOfAllTablesAreCompared() {
    const ModelDifference d = between(
        R"(<modelIdentification><name>M</name><version>1.0</version></modelIdentification>
        <dimensions><dimension><name>Sector</name><dataType>HLAoctet</dataType><upperBound>4</upperBound>
          <normalization>linear</normalization><value>[0..1)</value></dimension></dimensions>
        <synchronizations><synchronizationPoint><label>ready</label><capability>Register</capability>
          </synchronizationPoint></synchronizations>
        <transportations><transportation><name>Radio</name><reliable>No</reliable></transportation></transportations>
        <updateRates><updateRate><name>Fast</name><rate>10</rate></updateRate></updateRates>
        <tags><sendReceiveTag><dataType>HLAoctet</dataType></sendReceiveTag></tags>
        <time><timeStamp><dataType>HLAinteger64BE</dataType></timeStamp></time>
        <dataTypes><arrayDataTypes><arrayData><name>Row</name><dataType>HLAoctet</dataType>
          <cardinality>3</cardinality><encoding>HLAfixedArray</encoding></arrayData></arrayDataTypes>
        <variantRecordDataTypes><variantRecordData><name>Plan</name><discriminant>kind</discriminant>
          <dataType>HLAboolean</dataType><alternative><enumerator>HLAtrue</enumerator><name>way</name>
          <dataType>HLAoctet</dataType></alternative><encoding>HLAvariantRecord</encoding>
          </variantRecordData></variantRecordDataTypes></dataTypes>)",
        R"(<modelIdentification><name>M</name><version>1.1</version></modelIdentification>
        <dimensions><dimension><name>Sector</name><dataType>HLAoctet</dataType><upperBound>4</upperBound>
          <normalization>linear</normalization><value>[0..2)</value></dimension></dimensions>
        <synchronizations><synchronizationPoint><label>ready</label><capability>Achieve</capability>
          </synchronizationPoint></synchronizations>
        <transportations><transportation><name>Radio</name><reliable>Yes</reliable></transportation></transportations>
        <updateRates><updateRate><name>Fast</name><rate>20</rate></updateRate></updateRates>
        <tags><sendReceiveTag><dataType>HLAbyte</dataType></sendReceiveTag></tags>
        <time><timeStamp><dataType>HLAfloat64BE</dataType></timeStamp></time>
        <dataTypes><arrayDataTypes><arrayData><name>Row</name><dataType>HLAoctet</dataType>
          <cardinality>Dynamic</cardinality><encoding>HLAvariableArray</encoding></arrayData></arrayDataTypes>
        <variantRecordDataTypes><variantRecordData><name>Plan</name><discriminant>kind</discriminant>
          <dataType>HLAboolean</dataType><alternative><enumerator>HLAtrue</enumerator><name>way</name>
          <dataType>HLAfloat32BE</dataType></alternative><encoding>HLAvariantRecord</encoding>
          </variantRecordData></variantRecordDataTypes></dataTypes>)");
    QCOMPARE(
        linesOf(d),
        (QStringList{
            "changed datatype Row (Cardinality: 3 -> Dynamic; Encoding: HLAfixedArray -> "
            "HLAvariableArray)",
            "changed alternative Plan.way (Datatype: HLAoctet -> HLAfloat32BE)",
            "changed dimension Sector (Default: [0..1) -> [0..2))",
            "changed transportation type Radio (Reliable: no -> yes)",
            "changed update rate Fast (Rate: 10 -> 20)",
            "changed synchronization point ready (Capability: Register -> Achieve)",
            "changed tag Send/receive (Datatype: HLAoctet -> HLAbyte)",
            "changed time representation Time stamp (Datatype: HLAinteger64BE -> HLAfloat64BE)",
            "changed identification M (Version: 1.0 -> 1.1)"}));
  }

  void aRenameIsGuessedAndMayBeRefused() {
    QString after = kFlight;
    after.replace("squawk", "ssrCode");
    ModelDifference d = between(kFlight, after);
    QCOMPARE(linesOf(d), QStringList("renamed attribute Flight.ssrCode (Name: squawk -> ssrCode)"));
    QVERIFY(d.differences[0].score >= 600);
    QCOMPARE(d.differences[0].reason, QString("same datatype, same place"));
    const QStringList apart{"removed attribute Flight.squawk", "added attribute Flight.ssrCode"};
    DifferenceOptions options;
    options.matching.guess = false;
    QCOMPARE(sorted(linesOf(between(kFlight, after, options))), sorted(apart));
    options.matching.guess = true;
    options.matching.refused = {{"HLAobjectRoot.Flight.squawk", "HLAobjectRoot.Flight.ssrCode"}};
    QCOMPARE(sorted(linesOf(between(kFlight, after, options))), sorted(apart));
    options.matching.refused.clear();
    options.matching.threshold = 990;
    QCOMPARE(sorted(linesOf(between(kFlight, after, options))), sorted(apart));
  }

  void whatIsUnlikeIsNoRename() {
    QString after = kFlight;
    after.replace("onBoard</name><dataType>HLAinteger32BE", "emergency</name><dataType>HLAboolean");
    QCOMPARE(sorted(linesOf(between(kFlight, after))),
             (QStringList{"added attribute Flight.emergency", "removed attribute Flight.onBoard"}));
  }

  void anAttributeMovesToTheSuperclass() {
    const QString model = R"(<objects><objectClass><name>HLAobjectRoot</name>
      <objectClass><name>Track</name><sharing>PublishSubscribe</sharing>
        <attribute><name>id</name><dataType>HLAASCIIstring</dataType></attribute>%1
        <objectClass><name>Flight</name><sharing>PublishSubscribe</sharing>
          <attribute><name>phase</name><dataType>HLAoctet</dataType></attribute>%2
        </objectClass></objectClass></objectClass></objects>)";
    const QString speed =
        "<attribute><name>speed</name><dataType>HLAfloat32BE</dataType></attribute>";
    const ModelDifference d = between(model.arg("", speed), model.arg(speed, ""));
    QCOMPARE(linesOf(d), QStringList("moved attribute Track.speed (Class: Track.Flight -> Track)"));
    // Its place before shows the same difference.
    const auto away = std::find_if(d.rows.begin(), d.rows.end(),
                                   [](const DifferenceRow& row) { return row.movedAway; });
    QVERIFY(away != d.rows.end());
    QCOMPARE(away->difference, 0);
    QCOMPARE(away->after, -1);
  }

  void nothingMovesFromAClassThatHasGoneToANewOne() {
    const QString model = R"(<objects><objectClass><name>HLAobjectRoot</name>
      <objectClass><name>%1</name><sharing>PublishSubscribe</sharing>
        <attribute><name>id</name><dataType>HLAASCIIstring</dataType>
          <semantics>Tells instances apart</semantics></attribute>
        <attribute><name>%2</name><dataType>%3</dataType></attribute>
        <attribute><name>%2Too</name><dataType>%3</dataType></attribute>
        <attribute><name>%2Again</name><dataType>%3</dataType></attribute>
      </objectClass></objectClass></objects>)";
    const ModelDifference d =
        between(model.arg("Tank", "gun", "HLAoctet"), model.arg("Ship", "keel", "HLAfloat64BE"));
    QCOMPARE(sorted(linesOf(d)),
             (QStringList{"added object class Ship", "removed object class Tank"}));
  }

  void whiteSpaceAndOrderAreNoDifferences() {
    QString after = kFlight;
    after.replace("<attribute><name>callsign</name><dataType>HLAASCIIstring</dataType></attribute>",
                  "");
    after.replace("  </objectClass></objectClass>",
                  "<attribute><name> callsign </name><dataType>HLAASCIIstring</dataType>"
                  "<semantics>NA</semantics></attribute>\n\n</objectClass></objectClass>");
    const ModelDifference d = between(kFlight, after);
    QVERIFY2(d.isEmpty(), qPrintable(linesOf(d).join('\n')));
  }

  void knownEditsOfRandomModelsAreFound() {
    int edits = 0;
    for (unsigned seed = 1; seed <= 1000; ++seed) {
      Editor editor(seed);
      const Sketch before = editor.make();
      Sketch after = before;
      const QStringList expected = editor.edit(after);
      edits += static_cast<int>(expected.size());
      const omt::ObjectModel a = before.model();
      const omt::ObjectModel b = after.model();
      const ModelDifference d = differenceOf(a, b);
      if (sorted(linesOf(d)) != sorted(expected)) {
        for (const Difference& one : d.differences) {
          qInfo("%s [%d: %s]", qPrintable(lineOf(d, one)), one.score, qPrintable(one.reason));
        }
        qInfo("expected:\n%s", qPrintable(sorted(expected).join('\n')));
        QFAIL(qPrintable(QString("seed %1").arg(seed)));
      }
      const ModelDifference back = differenceOf(b, a);
      QCOMPARE(scored(back), mirrored(d));
      if (seed % 20 == 0) QVERIFY(differenceOf(b, b).isEmpty());
    }
    QVERIFY2(edits > 3000, qPrintable(QString::number(edits)));
  }

  void theModulesOfRprAreTheMergedFile() {
    const QStringList modules = testmodels::rpr();
    if (modules.isEmpty()) QSKIP("The RPR FOM is not beside the source.");
    const QString whole = QFileInfo(modules[0]).path() + "/RPR_FOM_v2.0_1516-2010.xml";
    const auto a = loadModel({whole}).model;
    const auto b = loadModel(modules).model;
    QElapsedTimer timer;
    timer.start();
    const ModelDifference d = differenceOf(*a, *b);
    qInfo("RPR 2.0, merged file and modules: %lld ms for %zu and %zu entries, %s", timer.elapsed(),
          d.before.size(), d.after.size(), qPrintable(d.summary()));
    // Only who wrote them, and when, is another matter in 14 files.
    for (const Difference& one : d.differences) QCOMPARE(one.kind, EntryKind::Module);
    timer.restart();
    const ModelDifference back = differenceOf(*b, *a);
    qInfo("and back: %lld ms", timer.elapsed());
    QCOMPARE(scored(back), mirrored(d));
    // With nothing in common, everything is a candidate.
    timer.restart();
    const ModelDifference none = differenceOf(*loadModel({}).model, *b);
    qInfo("RPR 2.0 as all new: %lld ms, %s", timer.elapsed(), qPrintable(none.summary()));
  }
};

QTEST_GUILESS_MAIN(TestModelDifference)
#include "tst_model_difference.moc"
