// SPDX-License-Identifier: GPL-3.0-or-later
// Federations whose FOM modules are of HLA 1.3, or of an edition of IEEE 1516 other than 2010.
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include "edition_modules.h"
#include "omt/module_writer.h"
#include "omt/reader.h"
#include "recorder.h"

using namespace rti1516e;
using namespace editionmodules;

namespace {

using tutti::omt::Edition;

/// A module as another edition has it.
QByteArray converted(const char* text, Edition to) {
  const auto module = tutti::omt::readModule(text, "module");
  if (!module) qFatal("%s", module.error().toText().c_str());
  return QByteArray::fromStdString(tutti::omt::writeModule(*module, to).text);
}

}  // namespace

class tst_editions : public QObject {
  Q_OBJECT

  OwnNode node_;
  QTemporaryDir folder_;

  QString written(const QString& name, const QByteArray& text) {
    QFile file(folder_.filePath(name));
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName()
                                                                              : QString();
  }

 private slots:
  void federatesExchangeUpdates_data();
  void federatesExchangeUpdates();
  void aBrokenFedIsRefused();
};

void tst_editions::federatesExchangeUpdates_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::newRow("HLA 1.3 FED") << QByteArray(fed);
  QTest::newRow("HLA 1.3 OMT") << QByteArray(omd);
  QTest::newRow("IEEE 1516-2000") << QByteArray(of2000);
  QTest::newRow("IEEE 1516-2025") << QByteArray(of2025);
  QTest::newRow("2000 to HLA 1.3 FED") << converted(of2000, Edition::Hla13Fed);
  QTest::newRow("2025 to HLA 1.3 OMT") << converted(of2025, Edition::Hla13Omt);
  QTest::newRow("FED to 2000") << converted(fed, Edition::Ieee2000);
  QTest::newRow("OMT to 2010") << converted(omd, Edition::Ieee2010);
  QTest::newRow("FED to 2025") << converted(fed, Edition::Ieee2025);
}

void tst_editions::federatesExchangeUpdates() {
  QFETCH(QByteArray, text);
  const QString federation = uniqueName("edition");
  // Of any name: its content says what it is.
  const QString module = written("module.any", text);
  QVERIFY(!module.isEmpty());
  Recorder a("a"), b("b");
  a.connect();
  a.create(federation, {module});
  a.join(federation);
  b.connect();
  b.join(federation);

  a.publish("Ship.Tug", {"position", "name"});
  b.subscribe("Ship", {"position", "name"});
  const auto ship = a.registerInstance("Ship.Tug");
  a.update(ship, "Ship.Tug", {{"position", "north"}});
  QVERIFY(b.expect("reflect"));
  QVERIFY2(b.log().first().endsWith(" as Ship"), qPrintable(b.log().first()));
  QVERIFY2(b.log().last().endsWith(" position=north"), qPrintable(b.log().last()));

  a.publishInteraction("Call");
  b.subscribeInteraction("Call");
  a.send("Call", {{"text", "hello"}});
  QVERIFY(b.expect("receive Call text=hello"));

  // Deleting needs the attribute that HLA 1.3 calls privilegeToDelete.
  a.rti().deleteObjectInstance(ship, VariableLengthData());
  QVERIFY(b.expect("remove"));

  const auto position = a.attribute("Ship", "position");
  QCOMPARE(a.rti().getAvailableDimensionsForClassAttribute(a.objectClass("Ship"), position).size(),
           std::size_t{2});
  QVERIFY(a.rti().getDimensionHandle(L"Map_Y").isValid());
}

void tst_editions::aBrokenFedIsRefused() {
  Recorder a("a");
  a.connect();
  const QString module = written("broken.fed", QByteArray(fed).left(200));
  try {
    a.create(uniqueName("broken"), {module});
    QFAIL("a federation was created");
  } catch (const ErrorReadingFDD& e) {
    const QString what = QString::fromStdWString(e.what());
    QVERIFY2(what.contains("broken.fed:"), qPrintable(what));
    QVERIFY2(what.contains("not closed"), qPrintable(what));
  }
}

QTEST_GUILESS_MAIN(tst_editions)
#include "tst_editions.moc"
