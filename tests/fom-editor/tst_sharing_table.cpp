// SPDX-License-Identifier: GPL-3.0-or-later
// What modules publish and subscribe, as a table.
#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

#include "editable_modules.h"
#include "fom-editor/model/loaded_model.h"
#include "fom-editor/model/sharing_table.h"

using namespace tutti;
using namespace tutti::fomedit;
using testmodels::EditedModules;
using testmodels::with;

namespace {

const std::string k2010 = testmodels::content(testmodels::data("Edits-2010.xml"));
const std::string k2000 = testmodels::content(testmodels::data("Edits-2000.xml"));
const std::string kOther = testmodels::content(testmodels::data("Edits-Other.xml"));

RowRef attribute(const QString& owner, const QString& name) {
  return {RowKind::Attribute, owner, name};
}
RowRef object(const QString& name) { return {RowKind::ObjectClass, {}, name}; }

QStringList printed(const QList<SharedClass>& classes) {
  QStringList lines;
  for (const SharedClass& c : classes) {
    lines << c.row.name + u' ' + sharingWord(c.row.sharing);
    for (const SharingRow& a : c.attributes) {
      lines << (a.inherited ? "  (" + a.name + ") " : "  " + a.name + ' ') + sharingWord(a.sharing);
    }
  }
  return lines;
}

QStringList shown(const SharingModel& model) {
  QStringList lines;
  for (int c = 0; c < model.rowCount(); ++c) {
    const QModelIndex top = model.index(c, 0);
    lines << top.data().toString();
    for (int a = 0; a < model.rowCount(top); ++a) {
      lines << "  " + model.index(a, 0, top).data().toString();
    }
  }
  return lines;
}

QList<SharedClass> classesOf(const QStringList& paths) {
  return sharingOf(*loadModel(paths).model);
}

}  // namespace

class TestSharingTable : public QObject {
  Q_OBJECT

 private slots:
  void classesStandWithTheirAttributesAndInheritedOnes() {
    QCOMPARE(printed(classesOf({testmodels::data("Edits-2010.xml")})),
             (QStringList{"A PublishSubscribe",
                          "  (HLAprivilegeToDeleteObject) PublishSubscribe",
                          "  x –",
                          "  y –",
                          "  z –",
                          "A.B Publish",
                          "  (HLAprivilegeToDeleteObject) PublishSubscribe",
                          "  (x) –",
                          "  (y) –",
                          "  (z) –",
                          "  b –",
                          "A.B.D Publish",
                          "  (HLAprivilegeToDeleteObject) PublishSubscribe",
                          "  (x) –",
                          "  (y) –",
                          "  (z) –",
                          "  (b) –",
                          "C Publish",
                          "  (HLAprivilegeToDeleteObject) PublishSubscribe",
                          "  c –",
                          "I PublishSubscribe"}));
  }

  /// The words of other editions mean what the reader makes of them.
  void otherEditionsAreReadAlike() {
    QTemporaryDir folder;
    const QString path = folder.filePath("Old.omt");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "(DIF \"1\") (ObjectModel (Name \"Old\") (VersionNumber \"1\") (Type FOM) (Purpose \"\")"
        " (ApplicationDomain \"\") (SponsorOrgName \"\") (POCFirstName \"\") (POCLastName \"\")"
        " (Class (ID 1) (Name \"Ship\") (PSCapabilities S)"
        " (Attribute (Name \"speed\") (DataType \"long\") (UpdateReflect U)))"
        " (Interaction (ID 2) (Name \"Horn\") (ISRType IR)))");
    file.close();
    const QStringList of13 = printed(classesOf({path}));
    QVERIFY2(of13.contains("Ship Subscribe"), qPrintable(of13.join('\n')));
    QVERIFY(of13.contains("  speed Publish"));
    QVERIFY(of13.contains("Horn PublishSubscribe"));
    QVERIFY(printed(classesOf({testmodels::data("Edits-2000.xml")})).contains("  x Publish"));
  }

  void onlyWhatAModuleDefinesIsShown() {
    EditedModules m({k2010, kOther});
    const auto model =
        loadModel({testmodels::data("Edits-2010.xml"), testmodels::data("Edits-Other.xml")}).model;
    QCOMPARE(printed(sharingOf(*model, definedIn(*m.sources[1]))),
             (QStringList{"A.E Publish", "  (HLAprivilegeToDeleteObject) PublishSubscribe",
                          "  (x) –", "  (y) –", "  (z) –", "  e –"}));
    // The same by the places of a merged model.
    QCOMPARE(printed(sharingOf(*model, definedIn(*model, 2))),
             printed(sharingOf(*model, definedIn(*m.sources[1]))));
    QVERIFY(!printed(sharingOf(*model, definedIn(*m.sources[0]))).contains("A.E Publish"));
  }

  void severalRowsAreSetAsOneStep() {
    EditedModules m({k2010, kOther});
    QVERIFY(m.apply(
        setSharing(m.changes(), {{object("HLAobjectRoot.A"), omt::Sharing::Neither},
                                 {attribute("HLAobjectRoot.A", "x"), omt::Sharing::Subscribe},
                                 {attribute("HLAobjectRoot.A.E", "e"), omt::Sharing::Publish}})));
    QCOMPARE(m.label, QString("change sharing of 3 rows"));
    QCOMPARE(m.bytes(0),
             with(with(k2010, "<name>A</name><sharing>PublishSubscribe</sharing>",
                       "<name>A</name><sharing>Neither</sharing>"),
                  "<updateCondition>0.1 s</updateCondition>\n",
                  "<updateCondition>0.1 s</updateCondition><sharing>Subscribe</sharing>\n"));
    QCOMPARE(m.bytes(1), with(kOther, "<dataType>Length</dataType><transportation>",
                              "<dataType>Length</dataType><sharing>Publish</sharing>"
                              "<transportation>"));
    m.undoAll();
    QVERIFY(m.isAsBefore());
    // What it is already changes nothing.
    const auto same = setSharing(m.changes(), {{object("HLAobjectRoot.C"), omt::Sharing::Publish}});
    QVERIFY(same && same->changes.empty());
  }

  /// Many classes side by side, of which some have a cell for it and some get one.
  void allRowsOfALargeModelAreSetAsOneStep() {
    constexpr int count = 5000;
    std::string classes;
    std::string wanted;
    QList<NewSharing> rows;
    for (int i = 0; i < count; ++i) {
      const std::string name = "L" + std::to_string(i);
      const std::string begin = "<objectClass><name>" + name + "</name>";
      const std::string end = "<semantics>s</semantics></objectClass>\n";
      classes += begin + (i % 100 == 0 ? "" : "<sharing>Neither</sharing>") + end;
      wanted += begin + "<sharing>Publish</sharing>" + end;
      rows << NewSharing(object("HLAobjectRoot." + QString::fromStdString(name)),
                         omt::Sharing::Publish);
    }
    const std::string root = "<name>HLAobjectRoot</name>";
    EditedModules m({with(k2010, root, root + classes), kOther});
    QVERIFY(m.apply(setSharing(m.changes(), rows)));
    QCOMPARE(m.label, QString("change sharing of 5000 rows"));
    QVERIFY(m.bytes() == with(k2010, root, root + wanted));
    QVERIFY(m.isRead());
    QCOMPARE(m.bytes(1), kOther);
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void cellsOfTheOldEditionAreSet() {
    EditedModules m({k2000});
    QVERIFY(m.apply(setSharing(m.changes(),
                               {{attribute("HLAobjectRoot.A", "x"), omt::Sharing::PublishSubscribe},
                                {attribute("HLAobjectRoot.A", "y"), omt::Sharing::Neither}})));
    QCOMPARE(m.bytes(), with(with(k2000, "ownership=\"NoTransfer\" sharing=\"Publish\"",
                                  "ownership=\"NoTransfer\" sharing=\"PublishSubscribe\""),
                             "<attribute name=\"y\" dataType=\"Kind\"/>",
                             "<attribute name=\"y\" dataType=\"Kind\" sharing=\"Neither\"/>"));
  }

  /// Definitions that differ would contradict each other.
  void allModulesThatDefineARowAgree() {
    EditedModules m({k2010, k2010});
    QVERIFY(m.apply(setSharing(m.changes(), {{object("HLAobjectRoot.C"), omt::Sharing::Neither}})));
    QCOMPARE(m.bytes(0), m.bytes(1));
    QVERIFY(m.bytes(0) != k2010);
  }

  void rowsOfTheStandardAndOfLockedModulesAreRefused() {
    EditedModules m({k2010});
    const RowRef ofMim = attribute("HLAobjectRoot", "HLAprivilegeToDeleteObject");
    QVERIFY(!m.apply(setSharing(m.changes(), {{ofMim, omt::Sharing::Neither}})));
    QVERIFY2(m.refused.contains("HLAstandardMIM"), qPrintable(m.refused));
    m.writeProtected = "M0.xml";
    QVERIFY(
        !m.apply(setSharing(m.changes(), {{object("HLAobjectRoot.C"), omt::Sharing::Neither}})));
    QVERIFY2(m.refused.contains("write-protected"), qPrintable(m.refused));
    QVERIFY(m.isAsBefore());
  }

  /// 400 attributes that 400 classes inherit would be 160 000 rows.
  void inheritedAttributesAreBounded() {
    QTemporaryDir folder;
    QFile file(folder.filePath("Wide.xml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><objects><objectClass>"
        "<name>HLAobjectRoot</name><objectClass><name>Top</name>"
        "<sharing>Publish</sharing>");
    for (int i = 0; i < 400; ++i) {
      file.write(QStringLiteral("<attribute><name>a%1</name><dataType>HLAoctet</dataType>"
                                "</attribute>")
                     .arg(i)
                     .toUtf8());
    }
    for (int i = 0; i < 400; ++i) {
      file.write(QStringLiteral("<objectClass><name>C%1</name><sharing>Publish</sharing><attribute>"
                                "<name>own</name><dataType>HLAoctet</dataType></attribute>"
                                "</objectClass>")
                     .arg(i)
                     .toUtf8());
    }
    file.write("</objectClass></objectClass></objects></objectModel>");
    file.close();
    const auto model = loadModel({file.fileName()}).model;
    const QList<SharedClass> classes = sharingOf(*model);
    QCOMPARE(classes.size(), 401);
    qsizetype inherited = 0;
    for (const SharedClass& c : classes) {
      const auto own = std::count_if(c.attributes.begin(), c.attributes.end(),
                                     [](const SharingRow& a) { return !a.inherited; });
      QCOMPARE(own, c.row.name == "Top" ? 400 : 1);
      inherited += c.attributes.size() - own;
    }
    QVERIFY(inherited > mostInheritedRows - 500 && inherited <= mostInheritedRows);
    QVERIFY(!classes[1].shortened && classes.last().shortened);
    SharingModel shown;
    shown.setClasses(model, classes);
    QVERIFY(shown.index(400, 0).data(Qt::ToolTipRole).toString().contains("left out"));
  }

  void theModelFiltersAndFindsItsRowsAgain() {
    SharingModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    EditedModules m(
        {with(k2010, "<name>b</name><dataType>Length</dataType>",
              "<name>b</name><dataType>Length</dataType><sharing>Subscribe</sharing>")});
    auto read = omt::readModule(m.bytes(), "M0.xml");
    QVERIFY(read);
    QTemporaryDir folder;
    QFile file(folder.filePath("M0.xml"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(m.bytes()));
    file.close();
    const auto loaded = loadModel({file.fileName()}).model;
    model.setClasses(loaded, sharingOf(*loaded));
    model.setInheritedShown(false);
    QCOMPARE(shown(model),
             (QStringList{"A", "  x", "  y", "  z", "A.B", "  b", "A.B.D", "C", "  c", "I"}));
    const SharingModel::Counts counts = model.counts();
    QCOMPARE(counts.all, 10);
    QCOMPARE(counts.published, 5);
    QCOMPARE(counts.subscribed, 3);
    QCOMPARE(counts.neither, 4);
    model.setFilter(SharingFilter::Subscribed, {});
    QCOMPARE(shown(model), (QStringList{"A", "A.B", "  b", "I"}));
    model.setFilter(SharingFilter::Published, {});
    QCOMPARE(shown(model), (QStringList{"A", "A.B", "A.B.D", "C", "I"}));
    model.setFilter(SharingFilter::Neither, {});
    QCOMPARE(shown(model), (QStringList{"A", "  x", "  y", "  z", "C", "  c"}));
    model.setFilter(SharingFilter::All, "B b");
    QCOMPARE(shown(model), (QStringList{"A.B", "  b", "A.B.D"}));
    model.setFilter(SharingFilter::All, {});
    const QString key = model.index(1, 0).data(SharingModel::KeyRole).toString();
    model.setInheritedShown(true);
    QCOMPARE(model.indexOf(key).data().toString(), QString("A.B"));
    // Inherited attributes are elsewhere.
    const QModelIndex inherited = model.index(0, 0, model.indexOf(key));
    QVERIFY(inherited.data(SharingModel::InheritedRole).toBool());
    QVERIFY(inherited.data(SharingModel::ReadOnlyRole).toString().startsWith("Inherited"));
    QCOMPARE(model.indexOf(inherited.data(SharingModel::KeyRole).toString()), inherited);
    model.adopt({{attribute("HLAobjectRoot.A", "x"), omt::Sharing::Publish}});
    QCOMPARE(model.counts().published, 6);
  }
};

QTEST_GUILESS_MAIN(TestSharingTable)
#include "tst_sharing_table.moc"
