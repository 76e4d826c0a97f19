// SPDX-License-Identifier: GPL-3.0-or-later
// What the MOM of the sample does is adjusted through the window, by mouse and by keyboard.
#include <signal.h>

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <memory>

#include "app/adjust_dialog.h"
#include "app/console.h"
#include "app/finder.h"
#include "monitor/engine/federation_adjust.h"
#include "monitor/ui/run_workspace.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;

class AdjustingTest : public QObject {
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
    if (qEnvironmentVariable("TUTTI_APPEARANCE") == QStringLiteral("dark"))
      window.setAppearance(theme::Appearance::Dark);
    QVERIFY(!action()->isEnabled());
    auto* go = window.findChild<QPushButton*>(QStringLiteral("runSample"));
    QVERIFY(go);
    QTest::mouseClick(go, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().phase(), Phase::Running, 30000);
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().federatesJoined(), 6, 30000);
    QTRY_VERIFY(action()->isEnabled());
  }
  void cleanup() {
    console_->run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().phase(), Phase::Ended, 20000);
    QTRY_VERIFY(dialog() == nullptr);  // it went with the run
    console_.reset();
  }

  void allByMouse() {
    auto* menu = console_->window().findChild<QMenu*>(QStringLiteral("runMenu"));
    QVERIFY(menu && menu->actions().contains(action()));
    const bool provides = settings().autoProvide;
    action()->trigger();
    QVERIFY(dialog());
    QTRY_VERIFY(!dialog()->isBusy());
    QCOMPARE(federates()->count(), 7);
    QCOMPARE(federates()->currentText(), QStringLiteral("All 6 federates"));
    QCOMPARE(box("adjustAutoProvide")->isChecked(), provides);
    QVERIFY(!box("adjustServices")->isChecked());
    // There is nothing to set yet.
    QVERIFY(!apply()->isEnabled());
    shot("adjust");
    click(box("adjustServices"));
    click(box("adjustAutoProvide"));
    QVERIFY(apply()->isEnabled());
    QTest::mouseClick(apply(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog()->isBusy(), 30000);
    const auto now = settings();
    QCOMPARE(now.autoProvide, !provides);
    QCOMPARE(now.federates.size(), std::size_t{6});
    for (const auto& one : now.federates) QVERIFY(one.serviceReporting);
    QVERIFY(box("adjustServices")->isChecked() && !apply()->isEnabled());
    // One of them differs: that is shown, and left as it is.
    federates()->setCurrentText(QStringLiteral("radar-west"));
    click(box("adjustServices"));
    QTest::mouseClick(apply(), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog()->isBusy(), 30000);
    QCOMPARE(federates()->currentText(), QStringLiteral("radar-west"));
    QVERIFY(!settings().find(QStringLiteral("radar-west"))->serviceReporting);
    federates()->setCurrentIndex(0);
    QCOMPARE(box("adjustServices")->checkState(), Qt::PartiallyChecked);
    QCOMPARE(box("adjustServices")->text(), QStringLiteral("Report &service calls (5 of 6 do)"));
    QVERIFY(!apply()->isEnabled());
    shot("adjust-differs");
  }

  void oneByKeyboard() {
    // From the menu of the federate, as Shift+F10 opens it.
    auto* page = console_->window().findChild<monitor::RunWorkspace*>();
    QVERIFY(page);
    const QString radar = QStringLiteral("radar-west");
    page->showFederateMenu(radar, page->mapToGlobal(page->rect().center()));
    auto* menu = console_->window().findChild<QMenu*>(QStringLiteral("federateMenu"));
    QVERIFY(menu && QTest::qWaitForWindowExposed(menu));
    QAction* wanted = nullptr;
    for (QAction* one : menu->actions())
      if (one->text() == QStringLiteral("Adjust switches of radar-west…")) wanted = one;
    QVERIFY(wanted);
    menu->setActiveAction(wanted);
    QTest::keyClick(menu, Qt::Key_Return);
    QTRY_VERIFY(dialog());
    QTRY_VERIFY(!dialog()->isBusy());
    QCOMPARE(federates()->currentText(), radar);
    QCOMPARE(dialog()->focusWidget(), federates());
    for (const char* next : {"adjustServices", "adjustExceptions"}) {
      QTest::keyClick(dialog()->focusWidget(), Qt::Key_Tab);
      QCOMPARE(dialog()->focusWidget(), box(next));
    }
    QTest::keyClick(dialog()->focusWidget(), Qt::Key_Space);
    QVERIFY(box("adjustExceptions")->isChecked());
    for (int i = 0; i < 3; ++i) QTest::keyClick(dialog()->focusWidget(), Qt::Key_Tab);
    QCOMPARE(dialog()->focusWidget(), period());
    period()->selectAll();
    QTest::keyClicks(period(), QStringLiteral("5"));
    QTest::keyClick(period(), Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(settings().find(radar)->reportPeriod == 5, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog()->isBusy(), 30000);
    const auto now = settings();
    for (const auto& one : now.federates) {
      QCOMPARE(one.exceptionReporting, one.name == radar);
      QCOMPARE(one.reportPeriod, one.name == radar ? 5 : 0);
    }
    shot("adjust-one");
    federates()->setCurrentIndex(0);
    QCOMPARE(period()->text(), QStringLiteral("differs"));
    QTest::keyClick(dialog(), Qt::Key_Escape);
    QTRY_VERIFY(dialog() == nullptr);
    QCOMPARE(console_->run().federatesJoined(), 6);
  }

  /// Of one federate: what came of it is said where it was asked for.
  void anInstanceAttribute() {
    action()->trigger();
    QTRY_VERIFY(dialog() && !dialog()->isBusy());
    auto* which = dialog()->findChild<QLineEdit*>(QStringLiteral("adjustAttribute"));
    auto* modify = dialog()->findChild<QPushButton*>(QStringLiteral("adjustModify"));
    auto* state = dialog()->findChild<QLabel*>(QStringLiteral("adjustState"));
    QVERIFY(which && modify && state);
    // Of all it cannot be.
    QVERIFY(!which->isEnabled() && !modify->isEnabled());
    federates()->setCurrentText(QStringLiteral("radar-west"));
    QVERIFY(which->isEnabled());
    QTest::keyClicks(which, QStringLiteral("altitude"));
    QVERIFY(!modify->isEnabled());
    which->clear();
    QTest::keyClicks(which, QStringLiteral("no such flight.altitude"));
    QVERIFY(modify->isEnabled());
    QTest::mouseClick(modify, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog()->isBusy(), 60000);
    QVERIFY2(state->text().contains(QStringLiteral("no object instance 'no such flight'")),
             qPrintable(state->text()));
    QCOMPARE(federates()->currentText(), QStringLiteral("radar-west"));
    // A flight's altitude is its flow's already.
    const QString owner = QStringLiteral(" is owned by flow-north, before by flow-north.");
    federates()->setCurrentText(QStringLiteral("flow-north"));
    const QDeadlineTimer limit(60000);
    for (int number = 0; !state->text().endsWith(owner) && !limit.hasExpired(); ++number) {
      which->setText(QStringLiteral("HLA%1-2.altitude").arg(1 + number % 12));
      QTest::mouseClick(modify, Qt::LeftButton);
      QTRY_VERIFY_WITH_TIMEOUT(!dialog()->isBusy(), 60000);
    }
    QVERIFY2(state->text().endsWith(owner), qPrintable(state->text()));
    const QString flight = which->text();
    federates()->setCurrentText(QStringLiteral("radar-west"));
    QTest::mouseClick(modify, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog()->isBusy(), 60000);
    QVERIFY2(state->text().startsWith(QStringLiteral("radar-west cannot: ObjectClassNotPublished")),
             qPrintable(state->text()));
    QVERIFY2(state->height() >= state->heightForWidth(state->width()), "its lines are cut");
    QCOMPARE(which->text(), flight);
    shot("adjust-attribute");
  }

  void oneThatHangsIsNamed() {
    const auto* radar = console_->run().current()->process(QStringLiteral("radar-west"));
    QVERIFY(radar);
    const auto pid = static_cast<pid_t>(radar->pid);
    QVERIFY(::kill(pid, SIGSTOP) == 0);
    action()->trigger();
    QTRY_VERIFY(dialog() && !dialog()->isBusy());
    click(box("adjustExceptions"));
    QTest::mouseClick(apply(), Qt::LeftButton);
    QVERIFY(dialog()->isBusy() && !apply()->isEnabled());
    QTRY_VERIFY_WITH_TIMEOUT(!dialog()->isBusy(), 60000);
    auto* state = dialog()->findChild<QLabel*>(QStringLiteral("adjustState"));
    QVERIFY2(state->text().contains(QStringLiteral("not done yet: radar-west.")),
             qPrintable(state->text()));
    QVERIFY2(state->height() >= state->heightForWidth(state->width()), "its lines are cut");
    shot("adjust-hangs");
    QVERIFY(::kill(pid, SIGCONT) == 0);
  }

 private:
  QAction* action() {
    return console_->window().findChild<QAction*>(QStringLiteral("adjustSwitches"));
  }
  app::AdjustDialog* dialog() {
    return console_->window().findChild<app::AdjustDialog*>(QStringLiteral("adjustDialog"));
  }
  QCheckBox* box(const char* name) { return dialog()->findChild<QCheckBox*>(QLatin1String(name)); }
  QComboBox* federates() {
    return dialog()->findChild<QComboBox*>(QStringLiteral("adjustFederates"));
  }
  QSpinBox* period() { return dialog()->findChild<QSpinBox*>(QStringLiteral("adjustPeriod")); }
  QPushButton* apply() { return dialog()->findChild<QPushButton*>(QStringLiteral("adjustApply")); }
  /// At its mark.
  static void click(QCheckBox* box) {
    QTest::mouseClick(box, Qt::LeftButton, {}, {8, box->height() / 2});
  }
  monitor::FederationAdjustments settings() {
    const auto& plan = console_->run().current()->plan();
    return monitor::adjustmentsOf(plan.node, plan.federation)
        .value_or(monitor::FederationAdjustments());
  }
  void shot(const QString& name) {
    const QString folder =
        qEnvironmentVariable("TUTTI_SHOTS", QStringLiteral(TUTTI_BINARY_DIR "/screenshots"));
    QDir().mkpath(folder);
    dialog()->grab().save(folder + '/' + name + ".png");
  }

  test::TestHome home_;
  std::unique_ptr<app::Console> console_;
};

QTEST_MAIN(AdjustingTest)
#include "tst_adjusting.moc"
