// SPDX-License-Identifier: GPL-3.0-or-later
// The sample is saved and restored through the window, and a save that cannot come to its end is
// told and aborted.
#include <signal.h>

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <memory>

#include "app/console.h"
#include "app/pulse_bar.h"
#include "resources/theme/widgets.h"
#include "tests/app/test_home.h"

using namespace tutti;
using Phase = theme::RunStatus::Phase;

class SavingTest : public QObject {
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
    QTest::mouseClick(go, Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().phase(), Phase::Running, 30000);
    QTRY_VERIFY_WITH_TIMEOUT(console_->run().logicalTime() > 1, 30000);
  }
  void cleanup() {
    console_->run().stop();
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().phase(), Phase::Ended, 20000);
    console_.reset();
  }

  void aSaveIsListedAndRestored() {
    app::MainWindow& window = console_->window();
    auto* save = action("saveFederation");
    auto* restore = window.findChild<QMenu*>(QStringLiteral("restoreMenu"));
    QVERIFY(save && restore);
    QTRY_VERIFY(save->isEnabled());
    save->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(console_->run().saves().size(), 1, 20000);
    const QString label = console_->run().saves().front().label;
    QVERIFY(said(QStringLiteral("air-traffic is saved as '%1'.").arg(label)));
    QCOMPARE(restore->actions().size(), 1);
    QVERIFY(restore->actions().front()->text().startsWith(label));
    const double then = console_->run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console_->run().logicalTime() > then + 3, 30000);
    shot("saved");
    const double before = console_->run().logicalTime();
    restore->actions().front()->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(console_->run().logicalTime() < before, 20000);
    QVERIFY(said(QStringLiteral("air-traffic is restored from '%1'.").arg(label)));
    QTRY_VERIFY_WITH_TIMEOUT(console_->run().logicalTime() > before, 30000);
    QCOMPARE(console_->run().federatesJoined(), 6);
    QVERIFY(console_->run().current()->deaths().empty());
  }

  void aSaveGetsANameOfItsOwn() {
    app::MainWindow& window = console_->window();
    QAction* as = action("saveFederationAs");
    QVERIFY(as && window.findChild<QMenu*>(QStringLiteral("runMenu"))->actions().contains(as));
    QTRY_VERIFY(as->isEnabled());
    const auto dialog = [&] {
      return window.findChild<QDialog*>(QStringLiteral("saveLabelDialog"));
    };
    const auto ask = [&] {
      QTRY_VERIFY(as->isEnabled());
      as->trigger();
      QTRY_VERIFY(dialog() && dialog()->isVisible());
    };
    const auto note = [&] {
      return dialog()->findChild<QLabel*>(QStringLiteral("saveLabelNote"))->text();
    };
    ask();
    auto* field = dialog()->findChild<QLineEdit*>(QStringLiteral("saveLabel"));
    auto* accept = dialog()->findChild<QPushButton*>(QStringLiteral("saveLabelAccept"));
    QTRY_VERIFY(field->hasFocus());
    // The time of now, as without a name.
    QVERIFY2(QRegularExpression(QStringLiteral("^\\d{8}-\\d{6}$")).match(field->text()).hasMatch(),
             qPrintable(field->text()));
    QVERIFY(accept->isEnabled());
    // What the command line refuses, with its reason.
    field->setText(QStringLiteral("  "));
    QVERIFY(!accept->isEnabled());
    QCOMPARE(note(), QStringLiteral("A save needs a label."));
    field->setText(QString(500, u'x'));
    QVERIFY(!accept->isEnabled());
    QVERIFY2(note().startsWith("A label has at most "), qPrintable(note()));
    shot("save-as-refused");
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("before noon"));
    QCOMPARE(dialog()->findChild<QLabel*>(QStringLiteral("saveLabelCommand"))->text(),
             QStringLiteral("$ tutti save air-traffic --as 'before noon'"));
    dialog()->grab().save(QStringLiteral(TUTTI_BINARY_DIR "/screenshots/save-as.png"));
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY(!dialog());
    // Saves of other functions are there as well.
    const auto isKept = [&] {
      const auto saves = console_->run().saves();
      return std::any_of(saves.begin(), saves.end(),
                         [](const auto& each) { return each.label == "before noon"; });
    };
    QTRY_VERIFY_WITH_TIMEOUT(isKept(), 20000);
    QVERIFY(said(QStringLiteral("air-traffic is saved as 'before noon'.")));
    // The same name again replaces it, and says so first.
    ask();
    dialog()->findChild<QLineEdit*>(QStringLiteral("saveLabel"))->setText("before noon");
    QVERIFY2(note().startsWith("This replaces the save of "), qPrintable(note()));
    QCOMPARE(dialog()->findChild<QPushButton*>(QStringLiteral("saveLabelAccept"))->text(),
             QStringLiteral("Replace"));
    dialog()->reject();
    QTRY_VERIFY(!dialog());
  }

  void aSaveThatWaitsIsShownAndAborted() {
    const auto* radar = console_->run().current()->process(QStringLiteral("radar-west"));
    QVERIFY(radar);
    const auto pid = static_cast<pid_t>(radar->pid);
    QVERIFY(::kill(pid, SIGSTOP) == 0);
    QTRY_VERIFY(action("saveFederation")->isEnabled());
    action("saveFederation")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(trouble("save-goes-on").detail.contains("radar-west"), 20000);
    const auto waiting = trouble("save-goes-on");
    QVERIFY2(waiting.detail.contains("1 of 6 federates"), qPrintable(waiting.detail));
    QVERIFY(!action("saveFederation")->isEnabled());
    shot("saving");
    QCOMPARE(waiting.actions.front().text, QStringLiteral("Abort"));
    waiting.actions.front().run();
    QTRY_VERIFY_WITH_TIMEOUT(trouble("save-goes-on").id.isEmpty(), 20000);
    QVERIFY(::kill(pid, SIGCONT) == 0);
    QTRY_VERIFY(action("saveFederation")->isEnabled());
    const double then = console_->run().logicalTime();
    QTRY_VERIFY_WITH_TIMEOUT(console_->run().logicalTime() > then + 1, 30000);
  }

  void aRestoreThatAFederateCannotMakeIsAWarning() {
    QTRY_VERIFY(action("saveFederation")->isEnabled());
    action("saveFederation")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!console_->run().saves().isEmpty(), 20000);
    const QString label = console_->run().saves().front().label;
    const QString file =
        qEnvironmentVariable("XDG_STATE_HOME") +
        QStringLiteral("/tutti/federates/air-traffic/%1/detector.state").arg(label);
    QVERIFY2(QFile::remove(file), qPrintable(file));
    console_->run().restore(label);
    QTRY_VERIFY_WITH_TIMEOUT(trouble("save-failed/1").detail.contains("detector"), 20000);
    QCOMPARE(trouble("save-failed/1").state, theme::State::Warning);
    shot("not-restored");
  }

 private:
  QAction* action(const char* name) {
    return console_->window().findChild<QAction*>(QString::fromLatin1(name));
  }
  theme::RunTrouble trouble(const QString& id) {
    for (const auto& one : console_->run().troubles())
      if (one.id == id) return one;
    return {};
  }
  /// A toast with that text is on screen within a moment.
  bool said(const QString& text) {
    return QTest::qWaitFor(
        [&] {
          const auto labels = console_->window().findChildren<QLabel*>();
          return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->isVisible() && label->text() == text;
          });
        },
        5000);
  }
  void shot(const QString& name) {
    const QString folder = QStringLiteral(TUTTI_BINARY_DIR "/screenshots/");
    QDir().mkpath(folder);
    console_->window().grab().save(folder + name + QStringLiteral(".png"));
  }

  test::TestHome home_;
  std::unique_ptr<app::Console> console_;
};

QTEST_MAIN(SavingTest)
#include "tst_saving.moc"
