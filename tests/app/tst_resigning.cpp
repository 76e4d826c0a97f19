// SPDX-License-Identifier: GPL-3.0-or-later
// All federates of the sample are made to resign through the window; one that hangs is told.
#include <signal.h>

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <algorithm>
#include <memory>

#include "app/console.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;

class ResigningTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { QVERIFY(home_.prepare()); }

  void init() {
    QFile::remove(home_.settings());
    console_ = std::make_unique<app::Console>(app::Console::Options{home_.settings(), true});
    app::MainWindow& window = console_->window();
    window.resize(1440, 900);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    auto* go = window.findChild<QPushButton*>(QStringLiteral("runSample"));
    QVERIFY(go);
    QVERIFY(!action()->isEnabled());
    QTest::mouseClick(go, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().phase(), Phase::Running, 30000);
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().federatesJoined(), 6, 30000);
    QTRY_VERIFY(action()->isEnabled());
  }
  void cleanup() {
    console_->run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().phase(), Phase::Ended, 20000);
    console_.reset();
  }

  void itIsAskedFirst() {
    // Beside Stop, in the menu Run, and where Ctrl+K finds it.
    auto* menu = console_->window().findChild<QMenu*>(QStringLiteral("runMenu"));
    QVERIFY(menu && menu->actions().contains(action()));
    action()->trigger();
    QMessageBox* box = question();
    QVERIFY(box);
    QVERIFY2(box->text().contains("6 federates of air-traffic"), qPrintable(box->text()));
    QVERIFY(box->informativeText().contains("cannot be undone"));
    shot("asked");
    QTest::keyClick(box, Qt::Key_Return);
    QTRY_VERIFY(question() == nullptr);
    const double then = console_->run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console_->run().logicalTime() > then + 1, 30000);
    QCOMPARE(console_->run().federatesJoined(), 6);
  }

  void allResignAndTheRunEnds() {
    accept();
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().phase(), Phase::Ended, 30000);
    const launcher::Run* run = console_->run().current();
    QVERIFY(run->deaths().empty());
    QVERIFY(run->outcome() == launcher::Run::Outcome::Clean);
    QCOMPARE(run->outcomeWord(), QStringLiteral("stopped"));
    for (const auto& one : run->processes())
      QVERIFY2(one.isNode || one.resigned, qPrintable(one.id));
  }

  void oneThatHangsIsTold() {
    const auto* radar = console_->run().current()->process(QStringLiteral("radar-west"));
    QVERIFY(radar);
    const auto pid = static_cast<pid_t>(radar->pid);
    QVERIFY(::kill(pid, SIGSTOP) == 0);
    accept();
    QTRY_VERIFY_WITH_TIMEOUT(
        trouble("resign-goes-on").detail.contains("1 of 6 have not resigned yet"), 30000);
    QVERIFY(!action()->isEnabled());
    shot("resigning");
    QTRY_VERIFY_WITH_TIMEOUT(!trouble("not-resigned").id.isEmpty(), 60000);
    const auto told = trouble("not-resigned");
    QCOMPARE(told.state, theme::State::Warning);
    QVERIFY2(told.detail.contains("1 of 6 federates has not resigned: radar-west."),
             qPrintable(told.detail));
    shot("not-resigned");
    QCOMPARE(told.actions.front().text, QStringLiteral("Kill radar-west"));
    QCOMPARE(console_->run().phase(), Phase::Running);
    // Killing it is asked for too: the run ends without a death.
    told.actions.front().run();
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().phase(), Phase::Ended, 30000);
    QVERIFY(console_->run().current()->deaths().empty());
  }

 private:
  QAction* action() { return console_->window().findChild<QAction*>(QStringLiteral("resignAll")); }
  QMessageBox* question() {
    return console_->window().findChild<QMessageBox*>(QStringLiteral("resignAllBox"));
  }
  void accept() {
    action()->trigger();
    auto* button = console_->window().findChild<QPushButton*>(QStringLiteral("resignAllAccept"));
    QVERIFY(button);
    QTest::mouseClick(button, Qt::LeftButton);
  }
  theme::RunTrouble trouble(const QString& prefix) {
    for (const auto& one : console_->run().troubles())
      if (one.id.startsWith(prefix)) return one;
    return {};
  }
  void shot(const QString& name) {
    const QString folder = QStringLiteral(TUTTI_BINARY_DIR "/screenshots/");
    QDir().mkpath(folder);
    QWidget* box = question();
    (box != nullptr ? box : &console_->window())->grab().save(folder + name + ".png");
  }

  test::TestHome home_;
  std::unique_ptr<app::Console> console_;
};

QTEST_MAIN(ResigningTest)
#include "tst_resigning.moc"
