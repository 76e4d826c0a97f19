// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "fom_files.h"
#include "omt/merge.h"
#include "omt/reader.h"

using namespace tutti::omt;

namespace {

Module module(const std::string& file, const std::string& tables, const char* edition = "2010") {
  auto read = readModule("<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-" +
                             std::string(edition) + "\">\n" + tables + "</objectModel>",
                         file);
  if (!read) qFatal("%s", read.error().toText().c_str());
  return *read;
}

/// A module with one object class below the root.
Module objectModule(const std::string& file, const std::string& content,
                    const char* edition = "2010") {
  return module(
      file,
      "<objects><objectClass><name>HLAobjectRoot</name>\n" + content + "\n</objectClass></objects>",
      edition);
}

Module interactionModule(const std::string& file, const std::string& content) {
  return module(file, "<interactions><interactionClass><name>HLAinteractionRoot</name>\n" +
                          content + "\n</interactionClass></interactions>");
}

std::string attribute(const std::string& name, const std::string& dataType = "HLAfloat64BE",
                      const std::string& rest = "<order>Receive</order>") {
  return "<attribute><name>" + name + "</name><dataType>" + dataType + "</dataType>" + rest +
         "</attribute>";
}

std::string flight(const std::string& content) {
  return "<objectClass><name>Flight</name><sharing>PublishSubscribe</sharing>" + content +
         "</objectClass>";
}

std::vector<Module> readAll(const QStringList& paths) {
  std::vector<Module> modules;
  for (const QString& path : paths) {
    auto read = readModuleFile(path.toStdString());
    if (!read) qFatal("%s", read.error().toText().c_str());
    modules.push_back(std::move(*read));
  }
  return modules;
}

/// What the model says, without handles and places: equal for all orders of the modules.
std::set<std::string> contentOf(const ObjectModel& model) {
  std::set<std::string> lines;
  for (const ObjectClass& c : model.objectClasses()) {
    lines.insert(c.fullName + " " + std::string(toText(c.sharing)));
    for (const Attribute* a : model.allAttributes(c.handle)) {
      lines.insert(c.fullName + "." + a->name + " " + a->dataType + " " +
                   std::string(toText(a->order)) + " " + a->transportation);
    }
  }
  for (const InteractionClass& c : model.interactionClasses()) {
    lines.insert(c.fullName + " " + std::string(toText(c.order)) + " " + c.transportation);
    for (const Parameter* p : model.allParameters(c.handle)) {
      lines.insert(c.fullName + "." + p->name + " " + p->dataType);
    }
  }
  for (const DataType& t : model.dataTypes()) lines.insert("type " + t.name);
  for (const Dimension& d : model.dimensions()) lines.insert("dimension " + d.name);
  return lines;
}

/// What messages call a user-supplied tag, and what modules do.
std::vector<std::pair<std::string, std::string>> tagRows() {
  return {{"update/reflect", "updateReflectTag"},
          {"send/receive", "sendReceiveTag"},
          {"delete/remove", "deleteRemoveTag"},
          {"divestiture request", "divestitureRequestTag"},
          {"divestiture completion", "divestitureCompletionTag"},
          {"acquisition request", "acquisitionRequestTag"},
          {"request update", "requestUpdateTag"}};
}

std::string tagged(const std::string& tag, const std::string& dataType) {
  return "<tags><" + tag + "><dataType>" + dataType + "</dataType></" + tag + "></tags>";
}

}  // namespace

Q_DECLARE_METATYPE(std::vector<Module>)

class TestOmtMerge : public QObject {
  Q_OBJECT

 private slots:
  void theMimAloneIsAModel() {
    const auto merged = merge({});
    QVERIFY(merged);
    const ObjectModel& m = merged->model;
    QVERIFY(merged->warnings.empty());
    QCOMPARE(m.findObjectClass("HLAobjectRoot")->handle, objectRootHandle);
    QCOMPARE(m.findInteractionClass("HLAinteractionRoot")->handle, interactionRootHandle);
    QCOMPARE(m.findAttribute(objectRootHandle, "HLAprivilegeToDeleteObject")->handle,
             privilegeToDeleteHandle);
    QCOMPARE(m.findTransportation("HLAreliable")->handle, reliableHandle);
    QCOMPARE(m.findTransportation("HLAbestEffort")->handle, bestEffortHandle);
    QCOMPARE(m.findObjectClass("HLAmanager.HLAfederate"),
             m.findObjectClass("HLAobjectRoot.HLAmanager.HLAfederate"));
    QCOMPARE(m.findDimension("HLAserviceGroup")->upperBound.value(), 7U);
    QVERIFY(!m.findDimension("HLAfederate")->upperBound.has_value());
  }

  void theMimIsTheStandards() {
    SKIP_WITHOUT_FOMS();
    const auto real = readModuleFile(fomfiles::path("mim/HLAstandardMIM.xml").toStdString());
    QVERIFY(real);
    const auto theirs = merge(*real, {});
    QVERIFY2(theirs, theirs ? "" : theirs.error().toText().c_str());
    const auto ours = merge({});
    // The standard's file adds nothing to ours, and differs in nothing that counts.
    QCOMPARE(contentOf(theirs->model), contentOf(ours->model));
    QVERIFY(theirs->warnings.empty());
    QVERIFY(checkMim(*real));
    // And the other way round: what ours has, theirs has too.
    const Module& mine = standardMim();
    QCOMPARE(mine.dataTypes.size(), real->dataTypes.size());
    QCOMPARE(mine.dimensions.size(), real->dimensions.size());
    QCOMPARE(mine.transportations.size(), real->transportations.size());
    std::map<std::string, const DataType*> types;
    for (const DataType& t : real->dataTypes) types[t.name] = &t;
    for (const DataType& t : mine.dataTypes) {
      QVERIFY2(types.contains(t.name), t.name.c_str());
      QCOMPARE(t.kind, types[t.name]->kind);
      QCOMPARE(t.enumerators.size(), types[t.name]->enumerators.size());
    }
  }

  void mergesRealModuleSets_data() {
    SKIP_WITHOUT_FOMS();
    QTest::addColumn<QString>("set");
    QTest::addColumn<int>("objectClasses");
    QTest::addColumn<int>("interactionClasses");
    QTest::newRow("rpr2") << "rpr2" << 67 << 163;
    QTest::newRow("rpr2 merged") << "rpr2 merged" << 67 << 163;
    QTest::newRow("restaurant") << "restaurant" << 42 << 99;
    QTest::newRow("restaurant SOM") << "restaurant SOM" << 43 << 99;
    QTest::newRow("restaurant-modules") << "restaurant-modules" << 42 << 99;
    QTest::newRow("spacefom") << "spacefom" << 9 << 86;
    QTest::newRow("netn2") << "netn2" << 97 << 261;
  }
  void mergesRealModuleSets() {
    QFETCH(QString, set);
    QFETCH(int, objectClasses);
    QFETCH(int, interactionClasses);
    std::vector<Module> modules = readAll(fomfiles::set(set));
    QVERIFY(!modules.empty());
    const auto merged = merge(modules);
    QVERIFY2(merged, merged ? "" : merged.error().toText().c_str());
    QCOMPARE(static_cast<int>(merged->model.objectClasses().size()), objectClasses);
    QCOMPARE(static_cast<int>(merged->model.interactionClasses().size()), interactionClasses);
    const auto content = contentOf(merged->model);

    std::reverse(modules.begin(), modules.end());
    const auto reversed = merge(modules);
    QVERIFY2(reversed, reversed ? "" : reversed.error().toText().c_str());
    QCOMPARE(contentOf(reversed->model), content);
    std::rotate(modules.begin(), modules.begin() + static_cast<long>(modules.size() / 2),
                modules.end());
    QCOMPARE(contentOf(merge(modules)->model), content);

    // Every module given twice changes nothing.
    std::vector<Module> twice = modules;
    twice.insert(twice.end(), modules.begin(), modules.end());
    const auto doubled = merge(twice);
    QVERIFY2(doubled, doubled ? "" : doubled.error().toText().c_str());
    QCOMPARE(contentOf(doubled->model), content);
  }

  void theModulesOfRprMakeItsMergedFile() {
    SKIP_WITHOUT_FOMS();
    const auto modules = merge(readAll(fomfiles::set("rpr2")));
    const auto whole = merge(readAll(fomfiles::set("rpr2 merged")));
    QVERIFY(modules && whole);
    QCOMPARE(contentOf(modules->model), contentOf(whole->model));
  }

  void aRealModuleSetWithoutItsBaseIsNotRejectedButSaysWhatIsMissing() {
    SKIP_WITHOUT_FOMS();
    const auto merged = merge(readAll({fomfiles::path("rpr2/RPR-Physical_v2.0.xml")}));
    QVERIFY(merged);
    const auto only =
        std::find_if(merged->warnings.begin(), merged->warnings.end(), [](const Error& w) {
          return w.message.find("BaseEntity is only named") != std::string::npos;
        });
    QVERIFY(only != merged->warnings.end());
    QVERIFY(only->line > 0);
  }

  void handlesFollowTheOrderOfAppearance() {
    const Module a = objectModule(
        "a.xml", flight(attribute("x") + attribute("y") + "<objectClass><name>Glider</name>" +
                        attribute("z") + "</objectClass>"));
    const auto merged = merge(std::span(&a, 1));
    QVERIFY(merged);
    const ObjectModel& m = merged->model;
    const auto mim = merge({});
    const auto classes = static_cast<ObjectClassHandle>(mim->model.objectClasses().size());
    const auto attributes = static_cast<AttributeHandle>(mim->model.attributes().size());
    QCOMPARE(m.findObjectClass("Flight")->handle, classes + 1);
    QCOMPARE(m.findObjectClass("Flight.Glider")->handle, classes + 2);
    QCOMPARE(m.findAttribute(classes + 1, "y")->handle, attributes + 2);
    QCOMPARE(m.findAttribute(classes + 2, "x")->handle, attributes + 1);
    QCOMPARE(m.findAttribute(classes + 2, "z")->handle, attributes + 3);
    QCOMPARE(m.findAttribute(classes + 1, "z"), nullptr);
    for (std::size_t i = 0; i < m.attributes().size(); ++i) {
      QCOMPARE(m.attributes()[i].handle, static_cast<AttributeHandle>(i + 1));
    }
    std::vector<std::string> names;
    for (const Attribute* own : m.allAttributes(classes + 2)) names.push_back(own->name);
    QCOMPARE(names, (std::vector<std::string>{"HLAprivilegeToDeleteObject", "x", "y", "z"}));
  }

  void extendingKeepsAllHandles() {
    const std::vector<Module> first{objectModule("a.xml", flight(attribute("x")))};
    const std::vector<Module> second{
        objectModule("b.xml", "<objectClass><name>Airport</name><sharing>Publish</sharing>" +
                                  attribute("icao", "HLAASCIIstring") + "</objectClass>" +
                                  "<objectClass><name>Flight</name><objectClass><name>Glider</name>"
                                  "<sharing>Publish</sharing></objectClass></objectClass>"),
        interactionModule("c.xml",
                          "<interactionClass><name>Hail</name><sharing>Publish</sharing>"
                          "</interactionClass>")};
    const auto running = merge(first);
    QVERIFY(running);
    const auto extended = extend(running->model, second);
    QVERIFY(extended);
    for (const ObjectClass& c : running->model.objectClasses()) {
      QCOMPARE(extended->model.findObjectClass(c.fullName)->handle, c.handle);
    }
    for (const Attribute& a : running->model.attributes()) {
      QCOMPARE(extended->model.attribute(a.handle)->name, a.name);
    }
    QCOMPARE(extended->model.objectClasses().size(), running->model.objectClasses().size() + 2);
    QCOMPARE(extended->model.findObjectClass("Flight.Glider")->parent,
             running->model.findObjectClass("Flight")->handle);
    QVERIFY(extended->model.findInteractionClass("Hail") != nullptr);
    QCOMPARE(extended->model.placeOf(extended->model.findObjectClass("Airport")->where),
             std::string("b.xml:3"));
    // The same again adds nothing.
    const auto again = extend(extended->model, second);
    QVERIFY(again);
    QCOMPARE(again->model.attributes().size(), extended->model.attributes().size());
  }

  void extendingDoesNotChangeTheSwitches() {
    const Module on = module("on.xml", "<switches><autoProvide isEnabled=\"true\"/></switches>");
    const Module off = module("off.xml", "<switches><autoProvide isEnabled=\"false\"/></switches>");
    const auto running = merge(std::span(&on, 1));
    QVERIFY(running->model.switches().autoProvide);
    const auto extended = extend(running->model, std::span(&off, 1));
    QVERIFY(extended->model.switches().autoProvide);
    QCOMPARE(extended->warnings.size(), std::size_t{1});
    QCOMPARE(extended->warnings[0].file, std::string("off.xml"));
    // Also where no module gave any.
    const auto bare = extend(merge({})->model, std::span(&on, 1));
    QVERIFY(!bare->model.switches().autoProvide);
  }

  /// Those of 2025 as well, by name.
  void switchesOf2025AreKeptOrWarnedOf() {
    Module first = module("first.xml", "<switches><autoProvide isEnabled=\"true\"/></switches>");
    Module second = module("second.xml", "<switches/>");
    first.switches->of2025 = {{"allowRelaxedDDM", true}};
    if (!second.switches) second.switches.emplace();
    second.switches->of2025 = {{"allowRelaxedDDM", false}, {"nonRegulatedGrant", true}};
    const auto model = merge(std::vector{first, second});
    QVERIFY(model.has_value());
    const std::vector<std::pair<std::string, bool>> expected{{"allowRelaxedDDM", true},
                                                             {"nonRegulatedGrant", true}};
    QVERIFY(model->model.switchesOf2025() == expected);
    QCOMPARE(model->warnings.size(), std::size_t{1});
    QVERIFY(model->warnings[0].message.find("allowRelaxedDDM") != std::string::npos);
    QVERIFY(model->warnings[0].message.find("nonRegulatedGrant") == std::string::npos);
    // What runs is not changed.
    const auto running = merge(std::span(&first, 1));
    const auto extended = extend(running->model, std::span(&second, 1));
    QVERIFY(extended->model.switchesOf2025() == first.switches->of2025);
    QCOMPARE(extended->warnings.size(), std::size_t{1});
    QVERIFY(extended->warnings[0].message.find("nonRegulatedGrant") != std::string::npos);
  }

  void withoutASwitchesTableALostFederateLeavesNothing() {
    QCOMPARE(merge({})->model.switches().automaticResignAction,
             ResignAction::CancelThenDeleteThenDivest);
  }

  void scaffoldingTakesADefinitionBeforeOrAfter() {
    const Module base = objectModule("base.xml", flight(attribute("x")));
    const Module sub = objectModule("sub.xml",
                                    "<objectClass><name>Flight</name><objectClass>"
                                    "<name>Glider</name><sharing>Publish</sharing>" +
                                        attribute("span") + "</objectClass></objectClass>");
    const auto a = merge(std::vector{base, sub});
    const auto b = merge(std::vector{sub, base});
    QVERIFY(a && b);
    QVERIFY(a->warnings.empty() && b->warnings.empty());
    QCOMPARE(contentOf(a->model), contentOf(b->model));
    const ObjectClass* flightClass = b->model.findObjectClass("Flight");
    QVERIFY(!flightClass->scaffolding);
    QCOMPARE(b->model.placeOf(flightClass->where), std::string("base.xml:3"));
    QVERIFY(b->model.findAttribute(b->model.findObjectClass("Flight.Glider")->handle, "x"));
  }

  void whatOneDefinitionLeavesOpenAnotherGives() {
    const auto shout = [](const std::string& rest) {
      return interactionModule(rest.empty() ? "open.xml" : "given.xml",
                               "<interactionClass><name>Shout</name>" + rest +
                                   "<parameter><name>p</name><dataType>HLAbyte</dataType>"
                                   "</parameter></interactionClass>");
    };
    const Module open = shout({});
    const Module given = shout(
        "<sharing>Publish</sharing><transportation>HLAbestEffort</transportation>"
        "<order>TimeStamp</order>");
    const auto a = merge(std::vector{open, given});
    const auto b = merge(std::vector{given, open});
    QVERIFY2(a.has_value(), a ? "" : a.error().toText().c_str());
    QVERIFY2(b.has_value(), b ? "" : b.error().toText().c_str());
    QCOMPARE(contentOf(a->model), contentOf(b->model));
    const InteractionClass* merged = a->model.findInteractionClass("Shout");
    QCOMPARE(merged->transportation, std::string("HLAbestEffort"));
    QCOMPARE(merged->order, OrderType::TimeStamp);
    QCOMPARE(merged->sharing, Sharing::Publish);
    // Not while federates run: they send it reliably, in receive order.
    const auto running = merge(std::vector{open});
    QVERIFY(!extend(running->model, std::vector{given}));
  }

  void restatingWhatIsInheritedAddsNothing() {
    const auto glider = [](const std::string& rows) {
      return objectModule("b.xml",
                          "<objectClass><name>Flight</name><objectClass><name>Glider</name>" +
                              rows + "</objectClass></objectClass>");
    };
    const Module base = objectModule("a.xml", flight(attribute("x")));
    const auto merged = merge(std::vector{
        base, glider(attribute("x") + attribute("y") + attribute("HLAprivilegeToDeleteObject"))});
    QVERIFY2(merged, merged ? "" : merged.error().toText().c_str());
    QCOMPARE(merged->warnings.size(), std::size_t{2});
    QVERIFY(merged->warnings[0].message.find("Glider.x is inherited") != std::string::npos);
    const ObjectModel& model = merged->model;
    const auto* found = model.findObjectClass("HLAobjectRoot.Flight.Glider");
    QVERIFY(found);
    QCOMPARE(found->attributes.size(), std::size_t{1});
    QCOMPARE(model.findAttribute(found->handle, "x"), model.findAttribute(found->parent, "x"));
    // The same of a federate that joins.
    const auto extended = extend(model, std::vector{glider(attribute("x") + attribute("y"))});
    QVERIFY2(extended, extended ? "" : extended.error().toText().c_str());
    QCOMPARE(extended->model.attributes().size(), model.attributes().size());
  }

  /// Which module comes first makes no difference, at the creation or with those who join.
  void whatIsRestatedIsInheritedInAnyOrder() {
    const auto glider = [](const std::string& file, const std::string& name) {
      return objectModule(file, "<objectClass><name>Flight</name><objectClass><name>" + name +
                                    "</name>" + attribute("x") + attribute("y") +
                                    "</objectClass></objectClass>");
    };
    const auto call = [](const std::string& file, const std::string& inner) {
      const auto named = [](const std::string& name, const std::string& content) {
        return "<interactionClass><name>" + name + "</name><sharing>Publish</sharing>" + content +
               "</interactionClass>";
      };
      const std::string p = "<parameter><name>p</name><dataType>HLAbyte</dataType></parameter>";
      return interactionModule(
          file, inner.empty() ? named("Call", p)
                              : "<interactionClass><name>Call</name>" + named(inner, p) +
                                    "</interactionClass>");
    };
    std::vector modules{objectModule("base.xml", flight(attribute("x"))),
                        glider("sub.xml", "Glider"),
                        glider("other.xml", "Airliner"),
                        call("call.xml", {}),
                        call("hail.xml", "Hail")};
    std::optional<std::set<std::string>> content;
    std::sort(modules.begin(), modules.end(),
              [](const Module& a, const Module& b) { return a.file < b.file; });
    do {
      const auto merged = merge(modules);
      QVERIFY2(merged, merged ? "" : merged.error().toText().c_str());
      QCOMPARE(merged->warnings.size(), std::size_t{3});
      for (const Error& w : merged->warnings) {
        QVERIFY2(w.message.find(" is inherited from ") != std::string::npos, w.message.c_str());
        QVERIFY(w.otherFile == "base.xml" || w.otherFile == "call.xml");
      }
      if (!content) content = contentOf(merged->model);
      QCOMPARE(contentOf(merged->model), *content);
      const ObjectModel& m = merged->model;
      QCOMPARE(m.objectClass(m.findObjectClass("Flight.Glider")->handle)->attributes.size(),
               std::size_t{1});
      for (std::size_t i = 0; i < m.attributes().size(); ++i) {
        QCOMPARE(m.attributes()[i].handle, static_cast<AttributeHandle>(i + 1));
      }
    } while (std::next_permutation(
        modules.begin(), modules.end(),
        [](const Module& a, const Module& b) { return a.file < b.file; }));
  }

  void aJoinerMayBringTheSuperclassOfWhatIsRestated() {
    const Module base = objectModule("base.xml", flight(attribute("w") + attribute("x")));
    const auto sub = [](const std::string& name,
                        const std::string& rest = "<order>Receive</order>") {
      return objectModule(name + ".xml",
                          "<objectClass><name>Flight</name><objectClass><name>" + name + "</name>" +
                              attribute("x", "HLAfloat64BE", rest) + attribute("y") +
                              "</objectClass></objectClass>");
    };
    const auto running = merge(std::vector{sub("Glider")});
    QVERIFY(running);
    const ObjectClassHandle glider = running->model.findObjectClass("Flight.Glider")->handle;
    const AttributeHandle x = running->model.findAttribute(glider, "x")->handle;
    const auto extended = extend(running->model, std::vector{base, sub("Airliner")});
    QVERIFY2(extended, extended ? "" : extended.error().toText().c_str());
    QCOMPARE(extended->warnings.size(), std::size_t{2});
    const ObjectModel& m = extended->model;
    // The handle that federates know is that of the superclass's attribute now.
    QCOMPARE(m.findAttribute(glider, "x")->handle, x);
    QCOMPARE(m.findAttribute(m.findObjectClass("Flight")->handle, "x")->handle, x);
    QCOMPARE(m.findAttribute(m.findObjectClass("Flight.Airliner")->handle, "x")->handle, x);
    QCOMPARE(m.findObjectClass("Flight.Glider")->attributes.size(), std::size_t{1});
    const auto& own = m.findObjectClass("Flight")->attributes;
    QVERIFY(std::is_sorted(own.begin(), own.end()) && own.size() == 2);
    // Not where two handles are known, or where it would go by other rules.
    const auto two = merge(std::vector{sub("Glider"), sub("Airliner")});
    QVERIFY(two);
    QVERIFY(!extend(two->model, std::vector{base}));
    const auto other = merge(std::vector{sub("Glider", "<order>TimeStamp</order>")});
    QVERIFY(other);
    QVERIFY(!extend(other->model, std::vector{base}));
  }

  /// A federate's MIM may add to every class of the standard one; NATO's adds to HLAobjectRoot.
  void aMimMayAddToTheRootClasses() {
    Module mim = standardMim();
    mim.file = "NETN-MIM.xml";
    Attribute id;
    id.name = "UniqueId";
    id.dataType = "HLAhandle";
    id.transportation = reliableName;
    mim.objectClasses[0].attributes.push_back(id);
    QVERIFY(checkMim(mim));
    const std::vector modules{
        objectModule("a.xml", flight(attribute("x") + attribute("UniqueId", "HLAhandle"))),
        objectModule("b.xml", attribute("HLAprivilegeToDeleteObject", "HLAtoken",
                                        "<order>TimeStamp</order>"))};
    const auto merged = merge(mim, modules);
    QVERIFY2(merged, merged ? "" : merged.error().toText().c_str());
    const ObjectModel& m = merged->model;
    QCOMPARE(m.objectClass(objectRootHandle)->attributes.size(), std::size_t{2});
    QCOMPARE(m.findAttribute(m.findObjectClass("Flight")->handle, "UniqueId")->declaringClass,
             objectRootHandle);
    // Only a MIM may.
    QVERIFY(!merge(std::vector{objectModule("c.xml", attribute("UniqueId", "HLAhandle"))}));
  }

  void namesOfTheStandardAreWarnedOf() {
    const std::vector modules{
        objectModule("a.xml", "<objectClass><name>HLAthing</name><sharing>Publish</sharing>" +
                                  attribute("HLAsize") + "</objectClass>"),
        interactionModule("b.xml",
                          "<interactionClass><name>HLAcall</name><sharing>Publish</sharing>"
                          "</interactionClass>")};
    const auto merged = merge(modules);
    QVERIFY2(merged, merged ? "" : merged.error().toText().c_str());
    QCOMPARE(merged->warnings.size(), std::size_t{3});
    for (const Error& w : merged->warnings) {
      QVERIFY2(w.message.find("the standard keeps for itself") != std::string::npos,
               w.message.c_str());
      QVERIFY(w.line > 0);
    }
  }

  void aDimensionWithoutUpperBoundIsWarnedOf() {
    const Module m =
        module("a.xml", "<dimensions>\n<dimension><name>D</name></dimension></dimensions>");
    const auto merged = merge(std::span(&m, 1));
    QVERIFY(merged);
    QCOMPARE(merged->warnings.size(), std::size_t{1});
    QVERIFY(merged->warnings[0].message.find("D has no upper bound") != std::string::npos);
    QCOMPARE(merged->warnings[0].line, 3);
  }

  /// A hundred classes of a thousand attributes below each other are merged as fast as beside each
  /// other; and there are not as many warnings as there is something to be warned of.
  void aModelOfManyNamesIsMergedOrRefused() {
    std::string content;
    std::string ends;
    for (int level = 0; level < 60; ++level) {
      content +=
          "<objectClass><name>C" + std::to_string(level) + "</name><sharing>Neither</sharing>";
      for (int i = 0; i < 1000; ++i) {
        content += attribute("HLA" + std::to_string(level) + "a" + std::to_string(i));
      }
      ends += "</objectClass>";
    }
    const std::vector modules{objectModule("a.xml", content + ends)};
    const auto merged = merge(modules);
    QVERIFY2(merged, merged ? "" : merged.error().toText().c_str());
    QCOMPARE(merged->warnings.size(), maxWarnings + 1);
    QVERIFY(merged->warnings.back().message.find("more warnings") != std::string::npos);

    std::string classes;
    for (int i = 0; i < 50'001; ++i) {
      classes += "<objectClass><name>C" + std::to_string(i) + "</name></objectClass>";
    }
    const auto many = merge(std::vector{objectModule("b.xml", classes)});
    QVERIFY(!many);
    QVERIFY(many.error().message.find("50000 classes") != std::string::npos);
    std::string deep;
    for (int i = 0; i < 5; ++i) deep += "<objectClass><name>" + std::string(900, 'a') + "</name>";
    for (int i = 0; i < 5; ++i) deep += "</objectClass>";
    QVERIFY(!merge(std::vector{objectModule("c.xml", deep)}));
  }

  void conflictsNameBothPlaces_data() {
    QTest::addColumn<std::vector<Module>>("modules");
    QTest::addColumn<QString>("says");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("otherLine");
    const auto pair = [](const std::string& a, const std::string& b) {
      return std::vector{objectModule("a.xml", a), objectModule("b.xml", b)};
    };
    const auto tables = [](const std::string& a, const std::string& b) {
      return std::vector{module("a.xml", a), module("b.xml", b)};
    };
    QTest::newRow("datatype") << pair(flight("\n" + attribute("x", "HLAfloat64BE")),
                                      flight("\n\n" + attribute("x", "HLAfloat32BE")))
                              << "HLAfloat32BE here and HLAfloat64BE in a.xml:4" << 5 << 4;
    QTest::newRow("order") << pair(flight(attribute("x")),
                                   flight(
                                       attribute("x", "HLAfloat64BE", "<order>TimeStamp</order>")))
                           << "order is TimeStamp here and Receive in a.xml:3" << 3 << 3;
    QTest::newRow("transportation")
        << pair(flight(attribute("x")),
                flight(attribute("x", "HLAfloat64BE",
                                 "<transportation>HLAbestEffort</transportation>")))
        << "transportation" << 3 << 3;
    QTest::newRow("sharing") << pair(flight(""),
                                     "<objectClass><name>Flight</name><sharing>Neither</sharing>"
                                     "</objectClass>")
                             << "sharing is Neither here and PublishSubscribe in a.xml:3" << 3 << 3;
    QTest::newRow("one more attribute")
        << pair(flight(attribute("x")), flight(attribute("x") + "\n" + attribute("y")))
        << "Flight.y is not part of the definition" << 4 << 3;
    QTest::newRow("one attribute less")
        << pair(flight(attribute("x") + "\n" + attribute("y")), flight(attribute("x")))
        << "has no y here" << 3 << 4;
    QTest::newRow("inherited name")
        << pair(flight(attribute("x")),
                "<objectClass><name>Flight</name><objectClass><name>Glider</name>" +
                    attribute("x", "HLAfloat32BE") + "</objectClass></objectClass>")
        << "already inherited" << 3 << 3;
    QTest::newRow("parameter")
        << std::vector{interactionModule("a.xml",
                                         "<interactionClass><name>I</name><sharing>Publish"
                                         "</sharing><parameter><name>p</name><dataType>HLAbyte"
                                         "</dataType></parameter></interactionClass>"),
                       interactionModule("b.xml",
                                         "<interactionClass><name>I</name><sharing>Publish"
                                         "</sharing><parameter><name>p</name><dataType>HLAcount"
                                         "</dataType></parameter></interactionClass>")}
        << "I.p: datatype" << 3 << 3;
    QTest::newRow("dimension bound")
        << tables(
               "<dimensions><dimension><name>D</name><upperBound>3</upperBound></dimension>"
               "</dimensions>",
               "<dimensions>\n<dimension><name>D</name><upperBound>4</upperBound></dimension>"
               "</dimensions>")
        << "upper bound is 4 here and 3 in a.xml:2" << 3 << 2;
    QTest::newRow("update rate")
        << tables(
               "<updateRates><updateRate><name>R</name><rate>3</rate></updateRate>"
               "</updateRates>",
               "<updateRates><updateRate><name>R</name><rate>4</rate></updateRate>"
               "</updateRates>")
        << "Update rate R" << 2 << 2;
    QTest::newRow("datatype field")
        << tables(
               "<dataTypes><g><fixedRecordData><name>T</name><field><name>a</name><dataType>"
               "HLAbyte</dataType></field></fixedRecordData></g></dataTypes>",
               "<dataTypes><g><fixedRecordData><name>T</name><field><name>a</name><dataType>"
               "HLAcount</dataType></field></fixedRecordData></g></dataTypes>")
        << "field 1 is a of HLAcount here and a of HLAbyte" << 2 << 2;
    QTest::newRow("datatype kind")
        << tables("<dataTypes><g><simpleData><name>T</name></simpleData></g></dataTypes>",
                  "<dataTypes><g><arrayData><name>T</name></arrayData></g></dataTypes>")
        << "array datatype here and simple datatype" << 2 << 2;
    QTest::newRow("time") << tables(
                                 "<time><timeStamp><dataType>HLAfloat64Time</dataType>"
                                 "</timeStamp></time>",
                                 "<time><timeStamp><dataType>HLAinteger64Time</dataType>"
                                 "</timeStamp></time>")
                          << "time stamp" << 2 << 2;
    for (const auto& [name, tag] : tagRows()) {
      QTest::newRow((name + " tag").c_str())
          << tables(tagged(tag, "HLAASCIIstring"), tagged(tag, "HLAunicodeString"))
          << QString::fromStdString(
                 "The " + name + " tag is HLAunicodeString here and HLAASCIIstring in a.xml:2.")
          << 2 << 2;
    }
  }
  void conflictsNameBothPlaces() {
    QFETCH(std::vector<Module>, modules);
    QFETCH(QString, says);
    QFETCH(int, line);
    QFETCH(int, otherLine);
    const auto merged = merge(modules);
    QVERIFY(!merged);
    const Error& e = merged.error();
    QCOMPARE(e.kind, ErrorKind::Inconsistent);
    QVERIFY2(QString::fromStdString(e.message).contains(says), e.message.c_str());
    QCOMPARE(e.file, std::string("b.xml"));
    QCOMPARE(e.line, line);
    QCOMPARE(e.otherFile, std::string("a.xml"));
    QCOMPARE(e.otherLine, otherLine);
    // The other order is a conflict just the same.
    std::reverse(modules.begin(), modules.end());
    QVERIFY(!merge(modules));
    // So is joining with the second module while the first runs.
    const auto running = merge(std::span(modules).first(1));
    QVERIFY(running);
    QVERIFY(!extend(running->model, std::span(modules).subspan(1)));
  }

  /// What a federate gives as a tag is read by all others: by one datatype, or it is said by none.
  void tagsThatAreNotGivenAgreeWithAny() {
    for (const auto& [name, tag] : tagRows()) {
      const Module given = module("a.xml", tagged(tag, "HLAASCIIstring"));
      for (const Module& other : {module("b.xml", tagged(tag, "NA")), module("b.xml", ""),
                                  module("b.xml", tagged(tag, "HLAASCIIstring"))}) {
        for (const std::vector<Module>& modules :
             {std::vector{given, other}, std::vector{other, given}}) {
          const auto merged = merge(modules);
          QVERIFY2(merged, merged ? "" : merged.error().toText().c_str());
          QVERIFY(merged->warnings.empty());
          const UserTags& tags = merged->model.userTags();
          const auto texts = {tags.updateReflect,         tags.sendReceive,
                              tags.deleteRemove,          tags.divestitureRequest,
                              tags.divestitureCompletion, tags.acquisitionRequest,
                              tags.requestUpdate};
          const auto isGiven = [](const TypeUse& use) { return use.dataType == "HLAASCIIstring"; };
          QCOMPARE(std::count_if(texts.begin(), texts.end(), isGiven), 1);
        }
      }
    }
  }

  void aReferenceToNothingIsInconsistent_data() {
    QTest::addColumn<QString>("rest");
    QTest::newRow("transportation") << "<transportation>Pigeon</transportation>";
    QTest::newRow("dimension") << "<dimensions><dimension>Pigeon</dimension></dimensions>";
  }
  void aReferenceToNothingIsInconsistent() {
    QFETCH(QString, rest);
    const Module m =
        objectModule("a.xml", flight("\n" + attribute("x", "HLAbyte", rest.toStdString())));
    const auto merged = merge(std::span(&m, 1));
    QVERIFY(!merged);
    QCOMPARE(merged.error().line, 4);
    QVERIFY(merged.error().message.find("Pigeon") != std::string::npos);
  }

  void whatARunDoesNotNeedIsAWarning() {
    const Module m = objectModule("a.xml", flight(attribute("x", "Unknown")));
    const auto merged = merge(std::span(&m, 1));
    QVERIFY(merged);
    QCOMPARE(merged->warnings.size(), std::size_t{1});
    QVERIFY(merged->warnings[0].message.find("Unknown") != std::string::npos);
  }

  void semanticsAndNotesNeverConflict() {
    const std::string rest = "<order>Receive</order><semantics>";
    const std::vector modules{
        objectModule("a.xml", flight(attribute("x", "HLAbyte", rest + "one</semantics>"))),
        objectModule("b.xml", flight(attribute("x", "HLAbyte", rest + "two</semantics>")))};
    const auto merged = merge(modules);
    QVERIFY(merged);
    QVERIFY(merged->warnings.empty());
    const ObjectModel& m = merged->model;
    QCOMPARE(m.findAttribute(m.findObjectClass("Flight")->handle, "x")->semantics,
             std::string("one"));
  }

  void theMimCountsWhereAModuleRestatesItDifferently() {
    const std::vector modules{module("a.xml", "<objects><objectClass><name>HLAobjectRoot</name>" +
                                                  attribute("HLAprivilegeToDeleteObject", "NA") +
                                                  "</objectClass></objects>")};
    const auto merged = merge(modules);
    QVERIFY(merged);
    QCOMPARE(merged->warnings.size(), std::size_t{1});
    QCOMPARE(merged->model.attribute(privilegeToDeleteHandle)->order, OrderType::TimeStamp);
  }

  void theMomMayBeExtended() {
    const Module m = objectModule(
        "a.xml", "<objectClass><name>HLAmanager</name><objectClass><name>HLAfederate</name>" +
                     attribute("load") + "</objectClass></objectClass>");
    const auto merged = merge(std::span(&m, 1));
    QVERIFY2(merged, merged ? "" : merged.error().toText().c_str());
    const ObjectClass* c = merged->model.findObjectClass("HLAmanager.HLAfederate");
    QVERIFY(merged->model.findAttribute(c->handle, "load") != nullptr);
    QVERIFY(merged->model.findAttribute(c->handle, "HLAfederateName") != nullptr);
  }

  void modulesOf2025MayAddAttributes() {
    const Module base = objectModule("base.xml", flight(attribute("x")));
    const Module more = objectModule("more.xml", flight(attribute("y")), "2025");
    for (const std::vector<Module>& modules :
         {std::vector{base, more}, std::vector{more, base}, std::vector{base, more, base},
          std::vector{more, more, base}}) {
      const auto merged = merge(modules);
      QVERIFY2(merged, merged ? "" : merged.error().toText().c_str());
      const ObjectClassHandle c = merged->model.findObjectClass("Flight")->handle;
      QVERIFY(merged->model.findAttribute(c, "x") && merged->model.findAttribute(c, "y"));
    }
  }

  void aMimMustContainTheStandardOne() {
    Module mim = standardMim();
    mim.file = "my-mim.xml";
    QVERIFY(checkMim(mim));
    Module lacking = mim;
    lacking.objectClasses[0].subclasses[0].subclasses[0].attributes.erase(
        lacking.objectClasses[0].subclasses[0].subclasses[0].attributes.begin());
    const auto checked = checkMim(lacking);
    QVERIFY(!checked);
    QCOMPARE(checked.error().kind, ErrorKind::ErrorReadingMim);
    QVERIFY(checked.error().message.find("HLAmanager.HLAfederate.HLAfederateHandle") !=
            std::string::npos);
    Module changed = mim;
    changed.objectClasses[0].attributes[0].order = OrderType::Receive;
    QVERIFY(!checkMim(changed));
    QVERIFY(!merge(changed, {}));
    const Module empty = module("empty.xml", "");
    QVERIFY(!checkMim(empty));

    Module more = mim;
    more.transportations.insert(more.transportations.begin(),
                                Transportation{0, "Fast", false, "", {0, 1}});
    const auto merged = merge(more, {});
    QVERIFY(merged);
    QCOMPARE(merged->model.findTransportation("HLAreliable")->handle, reliableHandle);
    QVERIFY(merged->model.findTransportation("Fast") != nullptr);
  }
};

QTEST_GUILESS_MAIN(TestOmtMerge)
#include "tst_omt_merge.moc"
