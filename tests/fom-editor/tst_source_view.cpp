// SPDX-License-Identifier: GPL-3.0-or-later
// The Source view of large modules, and what it does as they are edited.
#include <QRandomGenerator>
#include <QScrollBar>
#include <QTest>
#include <QTextBlock>

#include "fom-editor/ui/source_view.h"
#include "resources/theme/theme.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

constexpr int kLong = 30000;

/// Lines with their numbers, some of characters beyond 16 bits.
QString lines(int count, const char* end = "\n") {
  QString text;
  for (int i = 1; i <= count; ++i) {
    text += QStringLiteral("<line>%1</line>").arg(i);
    if (i % 7 == 0) text += QString::fromUcs4(U"\U0001F6E9\U0001F6F0");
    text += QLatin1String(end);
  }
  return text;
}

}  // namespace

class TestSourceView : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    theme_.apply(theme::Appearance::Light);
    view_ = std::make_unique<SourceView>();
    view_->setProvider([this](const QString& file) {
      return SourceText{file == QStringLiteral("open.xml") ? std::optional(text_) : std::nullopt,
                        changes_};
    });
    view_->resize(600, 400);
    view_->show();
    QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
  }
  void cleanup() { view_.reset(); }

  void aShortTextIsThereAtOnce() {
    text_ = lines(500);
    view_->showPlace("open.xml", 300);
    QVERIFY(view_->isWhole());
    QCOMPARE(view_->toPlainText(), text_);
    QCOMPARE(view_->textCursor().blockNumber(), 299);
  }

  void aLongTextComesInTurns_data() {
    QTest::addColumn<QByteArray>("end");
    QTest::newRow("of Unix") << QByteArray("\n");
    QTest::newRow("of Windows") << QByteArray("\r\n");
    QTest::newRow("of old Macintosh") << QByteArray("\r");
  }
  void aLongTextComesInTurns() {
    QFETCH(QByteArray, end);
    text_ = lines(60'000, end.constData());
    view_->showPlace("open.xml", 45'000);
    QVERIFY2(!view_->isWhole(), "all of it was put in at once");
    QTRY_VERIFY_WITH_TIMEOUT(view_->isWhole(), kLong);
    QCOMPARE(view_->markedLine(), 45'000);
    QCOMPARE(view_->textCursor().blockNumber(), 44'999);
    QVERIFY(view_->textCursor().block().text().startsWith("<line>45000</line>"));
    QVERIFY(view_->viewport()->rect().intersects(view_->cursorRect()));
    QCOMPARE(view_->toPlainText(), lines(60'000));
    // Another place of it is there at once, and one beyond its end is the end.
    view_->showPlace("open.xml", 10);
    QCOMPARE(view_->textCursor().blockNumber(), 9);
    view_->showPlace("open.xml", 999'999);
    QCOMPARE(view_->textCursor().blockNumber(), 60'000);
  }

  /// A place near the begin does not wait for the end, and who goes elsewhere stays there.
  void theBeginIsThereBeforeTheEnd() {
    text_ = lines(120'000);
    view_->showPlace("open.xml", 50);
    QTRY_COMPARE_WITH_TIMEOUT(view_->textCursor().blockNumber(), 49, kLong);
    QVERIFY(!view_->isWhole());
    view_->verticalScrollBar()->setValue(200);
    QTRY_VERIFY_WITH_TIMEOUT(view_->isWhole(), kLong);
    QCOMPARE(view_->verticalScrollBar()->value(), 200);
  }

  void whatChangesMeanwhileIsShown() {
    text_ = lines(60'000);
    view_->showPlace("open.xml", 59'000);
    QVERIFY(!view_->isWhole());
    text_ = lines(3) + text_;
    view_->refresh();
    QTRY_VERIFY_WITH_TIMEOUT(view_->isWhole(), kLong);
    QCOMPARE(view_->toPlainText(), text_);
    QCOMPARE(view_->textCursor().blockNumber(), 58'999);
    // Gone while it comes: nothing of it is left.
    view_->forget();
    text_ = lines(60'000);
    view_->showPlace("open.xml", 1);
    view_->forget();
    QVERIFY(view_->isWhole());
    QTest::qWait(50);
    QCOMPARE(view_->toPlainText(), QString());
  }

  /// Whatever is edited, the view has the text, and what is chosen elsewhere stays.
  void editsAreTakenOver() {
    QRandomGenerator random(1207);
    text_ = lines(40);
    view_->showPlace("open.xml", 1);
    const QStringList pieces{QString(),
                             QStringLiteral("a"),
                             QStringLiteral("\n"),
                             QStringLiteral("\r\n"),
                             QStringLiteral("<line>7</line>\n"),
                             QString::fromUcs4(U"\U0001F6E9"),
                             QString::fromUcs4(U"\U0001F6F0\n\U0001F6E9"),
                             lines(3)};
    for (int i = 0; i < 3000; ++i) {
      const auto at = random.bounded(static_cast<int>(text_.size()) + 1);
      const auto removed = random.bounded(std::min(30, static_cast<int>(text_.size()) - at) + 1);
      text_.replace(at, removed, pieces[random.bounded(static_cast<int>(pieces.size()))]);
      if (random.bounded(50) == 0) text_.clear();
      if (text_.size() < 20) text_ += lines(40);
      view_->refresh();
      QString expected = text_;
      expected.replace("\r\n", "\n").replace('\r', '\n');
      QCOMPARE(view_->toPlainText(), expected);
    }
  }

  void whatIsLookedAtStays() {
    text_ = lines(5000);
    view_->showPlace("open.xml", 3000);
    const int place = view_->verticalScrollBar()->value();
    text_.replace("<line>1000</line>", "<line>another</line>");
    view_->refresh();
    QCOMPARE(view_->verticalScrollBar()->value(), place);
    QCOMPARE(view_->textCursor().blockNumber(), 2999);
  }

 private:
  theme::Theme theme_;
  std::unique_ptr<SourceView> view_;
  QString text_;
  LineChanges changes_;
};

QTEST_MAIN(TestSourceView)
#include "tst_source_view.moc"
