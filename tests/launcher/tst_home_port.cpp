// SPDX-License-Identifier: GPL-3.0-or-later
// The port of a run's node: two runs that prepare at the same moment take two.
#include <QTcpServer>
#include <QTest>
#include <QUdpSocket>

#include "launcher/engine/home_port.h"

using namespace tutti::launcher;

namespace {

/// Ports that this machine has free now: the first of two neighbours.
quint16 twoFreePorts() {
  for (quint16 port = 21000; port < 22000; ++port) {
    QTcpServer first;
    QTcpServer second;
    QUdpSocket third;
    QUdpSocket fourth;
    if (first.listen(QHostAddress::LocalHost, port) &&
        second.listen(QHostAddress::LocalHost, port + 1) &&
        third.bind(QHostAddress::LocalHost, port, QUdpSocket::DontShareAddress) &&
        fourth.bind(QHostAddress::LocalHost, port + 1, QUdpSocket::DontShareAddress))
      return port;
  }
  return 0;
}

ListenAddress addressOf(quint16 first, quint16 last) {
  ListenAddress result;
  result.address = QStringLiteral("127.0.0.1");
  result.firstPort = first;
  result.lastPort = last;
  return result;
}

bool canListenAt(quint16 port) {
  QTcpServer server;
  return server.listen(QHostAddress::LocalHost, port);
}

}  // namespace

class TestHomePort : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    first_ = twoFreePorts();
    QVERIFY(first_ != 0);
  }

  void aPortIsKeptForItsRunUntilTheRunIsOver() {
    const auto both = addressOf(first_, first_ + 1);
    HomePort one(both);
    QCOMPARE(one.port(), first_);
    QVERIFY(!canListenAt(first_));  // hosts can try to reach it
    one.leaveToNode();
    QVERIFY(canListenAt(first_));  // the run's node can listen

    // Between the checks of a run and the start of its node another run looks for a port.
    HomePort two(both);
    QCOMPARE(two.port(), first_ + 1);
    HomePort three(both);
    QCOMPARE(three.port(), 0);
    QCOMPARE(three.check().level, PreflightCheck::Level::Error);
    QVERIFY(!three.check().fixes.empty());

    one.release();
    QCOMPARE(HomePort(both).port(), first_);
  }

  void aPortOfARunIsFreeWhenTheRunIsForgotten() {
    const auto only = addressOf(first_, first_);
    {
      HomePort one(only);
      one.leaveToNode();
      QCOMPARE(HomePort(only).port(), 0);
    }
    QCOMPARE(HomePort(only).port(), first_);
  }

  void aPortThatAStrangerUsesIsNotTaken_data() {
    QTest::addColumn<bool>("tcp");
    QTest::newRow("TCP") << true;
    QTest::newRow("UDP") << false;
  }
  void aPortThatAStrangerUsesIsNotTaken() {
    QFETCH(bool, tcp);
    QTcpServer server;
    QUdpSocket socket;
    QVERIFY(tcp ? server.listen(QHostAddress::LocalHost, first_)
                : socket.bind(QHostAddress::LocalHost, first_, QUdpSocket::DontShareAddress));
    QCOMPARE(HomePort(addressOf(first_, first_ + 1)).port(), first_ + 1);
  }

 private:
  quint16 first_ = 0;
};

QTEST_GUILESS_MAIN(TestHomePort)
#include "tst_home_port.moc"
