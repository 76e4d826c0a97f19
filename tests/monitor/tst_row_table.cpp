// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of the page Run: of many rows, in any width, with a title that can be read whichever
// column they are sorted by.
#include <QHeaderView>
#include <QImage>
#include <QSortFilterProxyModel>
#include <QTest>
#include <QTreeView>
#include <memory>

#include "monitor/ui/federate_table.h"
#include "monitor/ui/link_table.h"
#include "resources/theme/theme.h"
#include "tests/monitor/pictures.h"

using namespace tutti;
using namespace tutti::monitor;

namespace {

/// Sixteen other hosts, two of them without an answer.
SnapshotPointer manyLinks() {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->host.name = QStringLiteral("atlas");
  for (int i = 0; i < 16; ++i) {
    HostLinkView link;
    link.peer = QStringLiteral("run-7.node%1").arg(i + 1, 2, 10, QChar(u'0'));
    link.address = QStringLiteral("10.0.0.%1:40112").arg(i + 2);
    link.port = 15164;
    link.datagrams = i % 3 != 0;
    link.suspect = i == 5 || i == 11;
    link.silentSeconds = link.suspect ? 3.4 : 0;
    link.messagesPerSecond = link.suspect ? 0 : 1234.0 * (i + 1);
    link.bytesPerSecond = 91.0 * link.messagesPerSecond;
    link.queueFill = i / 16.0;
    link.roundTripSeconds = 0.0002 * (16 - i);
    link.lost = i * 1000;
    snapshot->hostLinks.push_back(std::move(link));
  }
  return snapshot;
}

/// Where two pictures of a section are not the same.
QRect difference(const QImage& one, const QImage& other) {
  QRect result;
  for (int y = 0; y < one.height(); ++y) {
    for (int x = 0; x < one.width(); ++x) {
      if (one.pixel(x, y) != other.pixel(x, y)) result |= QRect(x, y, 1, 1);
    }
  }
  return result;
}

}  // namespace

class TestRowTable : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { theme_ = monitor::test::makeTheme(); }

  /// A title with the arrow of the order is readable, in each column.
  void theArrowCoversNoTitle() {
    LinkTable links;
    FederateTable federates;
    auto snapshot = std::make_shared<Snapshot>(*manyLinks());
    snapshot->federates.resize(2);
    snapshot->federates[0].name = QStringLiteral("radar");
    snapshot->federates[1].name = QStringLiteral("display");
    snapshot->federates[1].host = QStringLiteral("borea");
    for (QWidget* one : {static_cast<QWidget*>(&links), static_cast<QWidget*>(&federates)}) {
      one->resize(1300, 300);
      one->show();
    }
    links.setSnapshot(snapshot);
    federates.setSnapshot(snapshot);
    for (auto* table : {links.findChild<QTreeView*>(QStringLiteral("linksTable")),
                        federates.findChild<QTreeView*>(QStringLiteral("federatesTable"))}) {
      QHeaderView& header = *table->header();
      for (int column = 0; column < header.count(); ++column) {
        const QString title = header.model()->headerData(column, Qt::Horizontal).toString();
        if (header.isSectionHidden(column) || title.isEmpty()) continue;
        const QRect section(header.sectionViewportPosition(column), 0, header.sectionSize(column),
                            header.height() - 1);  // without the line below
        const auto picture = [&](int sortedBy) {
          header.setSortIndicator(sortedBy, Qt::AscendingOrder);
          return header.viewport()->grab(section).toImage();
        };
        const QImage plain = picture(-1);
        QImage background = plain;
        background.fill(plain.pixel(0, 0));
        const QRect text = difference(plain, background);
        const QRect arrow = difference(plain, picture(column));
        QVERIFY2(!text.isEmpty() && !arrow.isEmpty(), qPrintable(title));
        QVERIFY2(!text.intersects(arrow), qPrintable(title));
      }
    }
  }

  void manyLinksInAnyWidth_data() {
    QTest::addColumn<int>("width");
    for (const int width : {420, 560, 680, 1100}) QTest::addRow("%d", width) << width;
  }
  /// Columns go instead of being cut off; the name, the rate and the state stay.
  void manyLinksInAnyWidth() {
    QFETCH(int, width);
    LinkTable links;
    links.resize(width, 520);
    links.show();
    links.setSnapshot(manyLinks());
    auto* table = links.findChild<QTreeView*>(QStringLiteral("linksTable"));
    QCOMPARE(links.rows().rowCount(), 16);
    int together = 0;
    for (int column = 0; column < LinkModel::ColumnCount; ++column) {
      if (!table->isColumnHidden(column)) together += table->columnWidth(column);
    }
    QVERIFY(together <= table->viewport()->width());
    for (const int column :
         {LinkModel::Name, LinkModel::Rate, LinkModel::Queue, LinkModel::RoundTrip}) {
      QVERIFY(!table->isColumnHidden(column));
    }
    QVERIFY(table->columnWidth(LinkModel::Name) >= 124);
    const QFontMetrics metrics(theme::textFont(theme::TextStyle::Table));
    constexpr int padding = 16;
    for (const int column :
         {LinkModel::Rate, LinkModel::Bytes, LinkModel::RoundTrip, LinkModel::Lost}) {
      for (int row = 0; row < links.rows().rowCount(); ++row) {
        const QString text = links.rows().index(row, column).data().toString();
        QVERIFY2(table->isColumnHidden(column) ||
                     metrics.horizontalAdvance(text) + padding <= table->columnWidth(column),
                 qPrintable(text));
      }
    }
    table->sortByColumn(LinkModel::Rate, Qt::DescendingOrder);
    const auto suspect = [&](int row) {
      return links.rows().index(row, LinkModel::Name).data(LinkModel::SilentRole).toBool();
    };
    QVERIFY(suspect(0) && suspect(1) && !suspect(2));
    QCOMPARE(links.rows().index(2, LinkModel::Name).data().toString(),
             QString::fromUtf8("atlas – node16"));
    monitor::test::keepPicture(links, QStringLiteral("links-16-%1").arg(width));
  }

 private:
  std::unique_ptr<theme::Theme> theme_;
};

QTEST_MAIN(TestRowTable)
#include "tst_row_table.moc"
