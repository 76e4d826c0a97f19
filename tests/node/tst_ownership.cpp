// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of ownership (IEEE 1516.1-2010, 7) as the executive decides them: one instance with
// attributes 1 and 2 of federate 10, and what requests of 10, 20 and 30 lead to.
#include <QtTest>

#include "executive/ownership.h"

using tutti::executive::Ownership;
using namespace tutti::fabric;
using Operation = OwnershipOperation;

namespace {

Bytes tagOf(const QString& text) {
  const QByteArray latin = text.toLatin1();
  const auto* first = reinterpret_cast<const std::byte*>(latin.constData());
  return {first, first + latin.size()};
}

QString textOf(const Bytes& tag) {
  return QString::fromLatin1(reinterpret_cast<const char*>(tag.data()),
                             static_cast<qsizetype>(tag.size()));
}

const QMap<QString, Operation> operations{
    {"divest", Operation::UnconditionalDivestiture},
    {"offer", Operation::NegotiatedDivestiture},
    {"confirm", Operation::ConfirmDivestiture},
    {"acquire", Operation::Acquisition},
    {"if available", Operation::AcquisitionIfAvailable},
    {"deny", Operation::ReleaseDenied},
    {"if wanted", Operation::DivestitureIfWanted},
    {"keep", Operation::CancelNegotiatedDivestiture},
    {"cancel", Operation::CancelAcquisition},
    {"gets", Operation::Grant},
    {"loses", Operation::Withdraw},
};

QString nameOf(OwnershipEvent event) {
  switch (event) {
    case OwnershipEvent::DivestitureConfirmationRequested:
      return "confirm?";
    case OwnershipEvent::Acquired:
      return "acquired";
    case OwnershipEvent::Unavailable:
      return "unavailable";
    case OwnershipEvent::ReleaseRequested:
      return "release?";
    case OwnershipEvent::AcquisitionCancelled:
      return "cancelled";
  }
  return "?";
}

QString nameOf(Refusal refusal) {
  switch (refusal) {
    case Refusal::AttributeNotOwned:
      return "not owned";
    case Refusal::AttributeAlreadyBeingDivested:
      return "being divested";
    case Refusal::AttributeDivestitureWasNotRequested:
      return "not requested";
    case Refusal::NoAcquisitionPending:
      return "none pending";
    default:
      return "?";
  }
}

QString listOf(const std::vector<std::uint32_t>& attributes) {
  QStringList text;
  for (const auto attribute : attributes) text << QString::number(attribute);
  return text.join(',');
}

/// "1=20 2=10!" for the changes ("!": available), then "20 acquired 1 #tag" for the notices.
QStringList textOf(const OwnershipChangedRecord& record) {
  QStringList changes, lines;
  for (const auto& each : record.changes) {
    changes
        << QString("%1=%2%3").arg(each.attribute).arg(each.owner).arg(each.available ? "!" : "");
  }
  if (!changes.isEmpty()) lines << changes.join(' ');
  for (const auto& notice : record.notices) {
    QString line = QString("%1 %2 %3")
                       .arg(notice.federate)
                       .arg(nameOf(notice.event), listOf(notice.attributes));
    if (!notice.tag.empty()) line += " #" + textOf(notice.tag);
    lines << line;
  }
  return lines;
}

struct World {
  Ownership::Instance instance;

  World() {
    instance.attributes[1].owner = 10;
    instance.attributes[2].owner = 10;
  }
  /// "20 acquire 1,2 #tag": what it leads to, or why it is refused.
  QStringList does(const QString& request) {
    const QString tag = request.section(" #", 1);
    const QStringList words = request.section(" #", 0, 0).split(' ');
    const auto federate = words.first().toUInt();
    if (words.value(1) == "leaves") return keep(Ownership::leave(instance, federate));
    std::vector<std::uint32_t> attributes;
    for (const QString& one : words.last().split(',')) attributes.push_back(one.toUInt());
    const QString what = words.mid(1, words.size() - 2).join(' ');
    if (what == "unpublish") return keep(Ownership::unpublish(instance, federate, attributes));
    OwnershipRequest message;
    message.operation = operations.value(what);
    message.attributes = attributes;
    message.tag = tagOf(tag);
    auto decision = Ownership::decide(instance, federate, message);
    if (!decision) return {nameOf(decision.error().refusal)};
    QStringList lines = keep(*decision);
    if (message.operation == Operation::DivestitureIfWanted) {
      lines << "went " + listOf(decision->divested);
    }
    return lines;
  }
  QStringList keep(const Ownership::Decision& decision) {
    instance = decision.instance;
    return textOf(decision.record);
  }
};

}  // namespace

class TestOwnership : public QObject {
  Q_OBJECT
 private slots:
  void requests_data();
  void requests();
  void refusedRequestsChangeNothing();
  void aJoinerIsToldWhoOwnsWhat();
};

void TestOwnership::requests_data() {
  QTest::addColumn<QStringList>("before");
  QTest::addColumn<QString>("request");
  QTest::addColumn<QStringList>("result");
  const auto row = [](const char* name, const QStringList& before, const QString& request,
                      const QStringList& result) {
    QTest::newRow(name) << before << request << result;
  };
  row("divested to nobody", {}, "10 divest 1,2", {"1=0! 2=0!"});
  row("divested to the first in line", {"20 acquire 1 #b", "30 acquire 1 #c"}, "10 divest 1,2",
      {"1=20 2=0!", "20 acquired 1", "20 release? 1 #c"});
  row("divested by another", {}, "20 divest 1", {"not owned"});
  row("divested in part by another", {"10 divest 2"}, "10 divest 1,2", {"not owned"});

  row("offered", {}, "10 offer 1 #t", {"1=10!"});
  row("offered twice", {"10 offer 1"}, "10 offer 1,2", {"being divested"});
  row("offered by another", {}, "20 offer 1", {"not owned"});
  row("offered while somebody waits", {"20 acquire 1"}, "10 offer 1", {"10 confirm? 1"});

  row("confirmed", {"10 offer 1", "20 if available 1"}, "10 confirm 1 #t",
      {"1=20", "20 acquired 1 #t"});
  row("confirmed to one of many",
      {"10 offer 1", "20 acquire 1", "30 if available 1", "40 acquire 1 #d"}, "10 confirm 1",
      {"1=20", "20 acquired 1", "30 unavailable 1", "20 release? 1 #d"});
  row("confirmed by another", {"10 offer 1"}, "20 confirm 1", {"not owned"});
  row("confirmed without an offer", {"20 acquire 1"}, "10 confirm 1", {"not requested"});
  row("confirmed to nobody", {"10 offer 1"}, "10 confirm 1", {"none pending"});
  row("confirmed to one who left", {"10 offer 1", "20 acquire 1", "20 leaves"}, "10 confirm 1",
      {"none pending"});

  row("acquired from nobody", {"10 divest 1"}, "20 acquire 1,2 #t",
      {"1=20", "20 acquired 1", "10 release? 2 #t"});
  row("acquired from one who offers", {"10 offer 1"}, "20 acquire 1", {"1=10", "10 confirm? 1"});
  row("acquired by a second", {"10 offer 1", "20 acquire 1"}, "30 acquire 1", {});
  row("acquired again", {"20 acquire 1 #a"}, "20 acquire 1 #b", {"10 release? 1 #b"});
  row("acquired what is one's own", {}, "10 acquire 1", {});

  row("available", {"10 divest 1"}, "20 if available 1,2",
      {"1=20", "20 acquired 1", "20 unavailable 2"});
  row("available while it is offered", {"10 offer 1"}, "20 if available 1",
      {"1=10", "10 confirm? 1"});
  row("not available while others wait", {"20 acquire 1"}, "30 if available 1",
      {"30 unavailable 1"});

  row("denied", {"20 acquire 1,2", "30 acquire 1"}, "10 deny 1",
      {"20 unavailable 1", "30 unavailable 1"});
  row("denied what nobody wants", {}, "10 deny 1", {});
  row("denied by another", {"20 acquire 1"}, "20 deny 1", {"not owned"});
  row("denied what is offered", {"10 offer 1", "20 acquire 1"}, "10 deny 1", {});

  row("wanted", {"20 acquire 1"}, "10 if wanted 1,2", {"1=20", "20 acquired 1", "went 1"});
  row("not wanted", {}, "10 if wanted 1,2", {"went "});
  row("wanted from another", {"20 acquire 1"}, "20 if wanted 1", {"not owned"});
  row("wanted and offered", {"10 offer 1,2", "20 if available 1"}, "10 if wanted 1,2",
      {"1=20", "20 acquired 1", "went 1"});

  row("kept", {"10 offer 1"}, "10 keep 1", {"1=10"});
  row("kept while others wait", {"10 offer 1", "20 if available 1", "30 acquire 1 #c"}, "10 keep 1",
      {"20 unavailable 1", "10 release? 1 #c"});
  row("kept what was not offered", {"10 offer 1"}, "10 keep 1,2", {"not requested"});
  row("kept by another", {"10 offer 1"}, "20 keep 1", {"not owned"});

  row("cancelled", {"20 acquire 1,2"}, "20 cancel 1", {"20 cancelled 1"});
  row("cancelled, so offered again", {"10 offer 1", "20 acquire 1"}, "20 cancel 1",
      {"1=10!", "20 cancelled 1"});
  row("cancelled too late", {"20 acquire 1", "10 divest 1"}, "20 cancel 1", {});
  row("cancelled after the denial", {"20 acquire 1", "10 deny 1"}, "20 cancel 1", {});

  // What becomes unowned by leaving follows from the resignation.
  row("the owner leaves", {}, "10 leaves", {});
  row("the owner leaves, others wait", {"20 acquire 1", "30 acquire 1 #c"}, "10 leaves",
      {"1=20", "20 acquired 1", "20 release? 1 #c"});
  row("the first in line leaves", {"20 acquire 1", "30 acquire 1", "20 leaves"}, "10 divest 1",
      {"1=30", "30 acquired 1"});
  row("the only one in line leaves", {"10 offer 1", "20 acquire 1"}, "20 leaves", {"1=10!"});
  row("the owner unpublishes", {"20 acquire 1"}, "10 unpublish 1,2",
      {"1=20 2=0!", "20 acquired 1"});
  row("a willing one unpublishes", {"10 offer 1", "20 if available 1"}, "20 unpublish 1",
      {"1=10!"});

  row("given by management", {"10 offer 1", "30 if available 1"}, "20 gets 1",
      {"1=20", "30 unavailable 1"});
  row("given to its owner", {}, "10 gets 1", {});
  row("taken by management", {}, "10 loses 1", {"1=0!"});
  row("taken from another", {}, "20 loses 1", {});
}

void TestOwnership::requests() {
  QFETCH(QStringList, before);
  QFETCH(QString, request);
  QFETCH(QStringList, result);
  World world;
  for (const QString& each : before) world.does(each);
  QCOMPARE(world.does(request), result);
}

void TestOwnership::refusedRequestsChangeNothing() {
  World world;
  world.does("10 offer 1 #t");
  const auto before = world.instance.attributes;
  QCOMPARE(world.does("10 offer 1,2"), QStringList("being divested"));
  QCOMPARE(world.does("10 confirm 1"), QStringList("none pending"));
  QCOMPARE(world.does("20 divest 2"), QStringList("not owned"));
  QVERIFY(world.instance.attributes == before);
}

void TestOwnership::aJoinerIsToldWhoOwnsWhat() {
  World world;
  world.instance.row = 7;
  world.does("10 divest 2");
  world.does("20 acquire 2");
  world.does("10 offer 1 #t");
  const auto record = Ownership::begun(5, world.instance);
  QCOMPARE(record.instance, std::uint64_t{5});
  QCOMPARE(record.row, std::uint32_t{7});
  QCOMPARE(record.attributes.size(), std::size_t{2});
  QCOMPARE(record.attributes[0].owner, FederateNumber{10});
  QVERIFY(record.attributes[0].available);
  QCOMPARE(textOf(record.attributes[0].tag), QString("t"));
  QCOMPARE(record.attributes[1].owner, FederateNumber{20});
  QVERIFY(!record.attributes[1].available);
  // What nobody owns is left out.
  world.does("20 divest 2");
  QCOMPARE(Ownership::begun(5, world.instance).attributes.size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TestOwnership)
#include "tst_ownership.moc"
