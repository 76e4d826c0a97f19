// SPDX-License-Identifier: GPL-3.0-or-later
// The guide in a window of its own, with the pages that the source brings.
#include <QDir>
#include <QFile>
#include <QListWidget>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>

#include "app/guide_window.h"
#include "resources/theme/theme.h"

using namespace tutti;
using app::GuideWindow;

namespace {

QString guideFolder() { return QStringLiteral(TUTTI_SOURCE_DIR "/docs/guide"); }

QStringList pages() {
  return QDir(guideFolder()).entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name);
}

QString contentOf(const QString& page) {
  QFile file(guideFolder() + u'/' + page);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// Text of the heading that is at the top of the window.
QString headingAtTop(GuideWindow& window) {
  QTextBrowser* browser = window.browser();
  const QTextBlock block = browser->cursorForPosition(QPoint(browser->viewport()->width() / 2, 24)).block();
  return block.blockFormat().headingLevel() > 0 ? block.text() : QString();
}

}  // namespace

class GuideTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { theme_.apply(theme::Appearance::Light); }

  void listsEachPageOnce() {
    GuideWindow window(guideFolder());
    auto* list = window.findChild<QListWidget*>(QStringLiteral("guidePages"));
    QVERIFY(list);
    QStringList titles;
    for (int i = 0; i < list->count(); ++i) titles << list->item(i)->text();
    QCOMPARE(titles.size(), pages().size());
    QVERIFY(titles.size() > 5);
    QCOMPARE(titles.front(), QStringLiteral("Install"));
    titles.removeDuplicates();
    QCOMPARE(titles.size(), pages().size());
  }

  void eachPageIsShownWithItsPictures() {
    GuideWindow window(guideFolder());
    window.show();
    int pictures = 0;
    for (const QString& page : pages()) {
      QVERIFY2(window.showPage(page), qPrintable(page));
      QCOMPARE(window.page(), page);
      const QTextDocument* document = window.browser()->document();
      QVERIFY(document->begin().blockFormat().headingLevel() == 1);
      static const QRegularExpression kPicture(QStringLiteral("!\\[[^\\]]*\\]\\(([^)]+)\\)"));
      auto matches = kPicture.globalMatch(contentOf(page));
      while (matches.hasNext()) {
        const QVariant image =
            document->resource(QTextDocument::ImageResource, QUrl(matches.next().captured(1)));
        QVERIFY(!image.value<QImage>().isNull());
        QVERIFY(image.value<QImage>().deviceIndependentSize().width() <= 760);
        ++pictures;
      }
    }
    QVERIFY(pictures > 2);
  }

  void aLinkLeadsToThePageAndItsHeading() {
    GuideWindow window(guideFolder());
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    QVERIFY(window.showPage(QStringLiteral("benchmarks.md#compare-two-results")));
    QTRY_COMPARE(headingAtTop(window), QStringLiteral("Compare two results"));
    Q_EMIT window.browser()->anchorClicked(QUrl(QStringLiteral("when-something-dies.md")));
    QTRY_COMPARE(window.page(), QStringLiteral("when-something-dies.md"));
    QTRY_COMPARE(window.browser()->verticalScrollBar()->value(), 0);
    window.browser()->backward();
    QCOMPARE(window.page(), QStringLiteral("benchmarks.md"));
  }

  /// What the window's pages and lessons ask for.
  void eachFragmentAskedForIsThere_data() {
    QTest::addColumn<QString>("wanted");
    const QRegularExpression asked(QStringLiteral("\"([a-z-]+\\.md#[a-z-]+)\""));
    int found = 0;
    for (const char* source : {"main_window.cpp", "start_page.cpp"}) {
      QFile file(QStringLiteral(TUTTI_SOURCE_DIR "/app/") + QLatin1String(source));
      QVERIFY(file.open(QIODevice::ReadOnly));
      auto matches = asked.globalMatch(QString::fromUtf8(file.readAll()));
      while (matches.hasNext()) {
        const QString wanted = matches.next().captured(1);
        QTest::addRow("%s %s", source, qPrintable(wanted)) << wanted;
        ++found;
      }
    }
    QVERIFY(found > 2);
  }
  void eachFragmentAskedForIsThere() {
    QFETCH(QString, wanted);
    const QString content = contentOf(wanted.section(u'#', 0, 0));
    QVERIFY(!content.isEmpty());
    QStringList fragments;
    for (const QString& line : content.split(u'\n'))
      if (line.startsWith(u'#'))
        fragments << app::headingFragment(line.section(u' ', 1).trimmed());
    QVERIFY2(fragments.contains(wanted.section(u'#', 1)), qPrintable(fragments.join(u' ')));
  }

  void saysThatThereIsNoSuchPage() {
    GuideWindow window(guideFolder());
    QVERIFY(window.showPage(QStringLiteral("time.md")));
    auto* list = window.findChild<QListWidget*>(QStringLiteral("guidePages"));
    QVERIFY(list && list->currentItem());
    QCOMPARE(list->currentItem()->text(), QStringLiteral("Logical time"));
    QVERIFY(!window.showPage(QStringLiteral("none.md")));
    QCOMPARE(window.page(), QStringLiteral("time.md"));
    QTemporaryDir empty;
    GuideWindow nothing(empty.path());
    QVERIFY(!nothing.showPage(QStringLiteral("time.md")));
  }

  void looks() {
    for (const auto appearance : {theme::Appearance::Light, theme::Appearance::Dark}) {
      theme_.apply(appearance);
      GuideWindow window(guideFolder());
      window.show();
      QVERIFY(window.showPage(QStringLiteral("first-run.md")));
      QVERIFY(QTest::qWaitForWindowExposed(&window));
      QTest::qWait(100);
      const QString path = QStringLiteral(TUTTI_BINARY_DIR "/screenshots");
      QDir().mkpath(path);
      QVERIFY(window.grab().save(QStringLiteral("%1/guide-%2.png").arg(
          path, appearance == theme::Appearance::Dark ? "dark" : "light")));
    }
  }

 private:
  theme::Theme theme_;
};

QTEST_MAIN(GuideTest)
#include "tst_guide.moc"
