// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/guide_window.h"

#include <QAction>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QImageReader>
#include <QListWidget>
#include <QResizeEvent>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextList>
#include <QTextTable>
#include <QTimer>
#include <QToolBar>
#include <QVBoxLayout>
#include <cmath>

#include "resources/theme/delegates.h"
#include "resources/theme/icons.h"
#include "resources/theme/theme.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

namespace {

constexpr int kListWidth = 208;
constexpr int kTextWidth = 760;  ///< lines longer than that are hard to read
constexpr int kFileRole = Qt::UserRole;

/// In the order of the first hour; pages that are not named come behind them.
QStringList orderedPages(const QDir& folder) {
  const QStringList there = folder.entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name);
  QStringList pages;
  for (const char* name : {"install.md", "first-hour.md", "first-run.md", "compose.md", "first-federate.md",
                           "from-classes-to-a-federate.md", "benchmarks.md", "time.md",
                           "save-and-restore.md", "when-something-dies.md",
                           "several-hosts.md", "containers.md", "file-formats.md", "command-line.md",
                           "questions.md"}) {
    const QString page = QString::fromLatin1(name);
    if (there.contains(page)) pages << page;
  }
  for (const QString& page : there)
    if (!pages.contains(page)) pages << page;
  return pages;
}

/// The heading of a page, else its file name.
QString titleOf(const QString& path) {
  QFile file(path);
  if (file.open(QIODevice::ReadOnly)) {
    const QString line = QString::fromUtf8(file.readLine()).trimmed();
    if (line.startsWith(QStringLiteral("# "))) return line.mid(2);
  }
  return QFileInfo(path).completeBaseName();
}

/// Markdown with pictures no wider than the column.
class PageBrowser : public QTextBrowser {
 public:
  using QTextBrowser::QTextBrowser;

  QVariant loadResource(int type, const QUrl& name) override {
    if (type != QTextDocument::ImageResource) return QTextBrowser::loadResource(type, name);
    QImageReader reader(source().resolved(name).toLocalFile());
    QImage image = reader.read();
    if (image.isNull()) return {};
    const qreal ratio = devicePixelRatioF();
    const int width = static_cast<int>((kTextWidth - 8) * ratio);
    if (image.width() > width) image = image.scaledToWidth(width, Qt::SmoothTransformation);
    image.setDevicePixelRatio(ratio);
    return image;
  }
};

}  // namespace

QString headingFragment(const QString& heading) {
  QString result;
  for (const QChar letter : heading.toLower()) {
    if (letter.isLetterOrNumber() || letter == u'-' || letter == u'_') result += letter;
    if (letter == u' ') result += u'-';
  }
  return result;
}

GuideWindow::GuideWindow(const QString& folder, QWidget* parent)
    : QWidget(parent, Qt::Window), folder_(folder) {
  setObjectName(QStringLiteral("guideWindow"));
  setWindowTitle(tr("Guide – Tutti"));
  resize(1040, 800);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  list_ = new QListWidget(this);
  list_->setObjectName(QStringLiteral("guidePages"));
  list_->setAccessibleName(tr("Pages of the guide"));
  list_->setFixedWidth(kListWidth);
  list_->setFrameShape(QFrame::NoFrame);
  list_->setMouseTracking(true);
  list_->setItemDelegate(new theme::RowDelegate(list_, theme::height::kRow));
  row->addWidget(list_);
  auto* column = new QVBoxLayout;
  column->setSpacing(0);
  row->addLayout(column, 1);
  auto* bar = new QToolBar(this);
  bar->setIconSize({16, 16});
  column->addWidget(bar);
  browser_ = new PageBrowser(this);
  browser_->setObjectName(QStringLiteral("guideBrowser"));
  browser_->setAccessibleName(tr("Page of the guide"));
  browser_->setFrameShape(QFrame::NoFrame);
  browser_->setOpenLinks(false);
  browser_->viewport()->installEventFilter(this);
  column->addWidget(browser_, 1);

  QAction* back = bar->addAction(theme::icon(QStringLiteral("previous")), tr("Back (Alt+Left)"));
  back->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Left));
  back->setEnabled(false);
  connect(back, &QAction::triggered, browser_, &QTextBrowser::backward);
  connect(browser_, &QTextBrowser::backwardAvailable, back, &QAction::setEnabled);
  QAction* forward = bar->addAction(theme::icon(QStringLiteral("next")), tr("Forward (Alt+Right)"));
  forward->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Right));
  forward->setEnabled(false);
  connect(forward, &QAction::triggered, browser_, &QTextBrowser::forward);
  connect(browser_, &QTextBrowser::forwardAvailable, forward, &QAction::setEnabled);
  auto* close = new QAction(this);
  close->setShortcut(QKeySequence(Qt::Key_Escape));
  connect(close, &QAction::triggered, this, &QWidget::close);
  addActions({back, forward, close});

  connect(browser_, &QTextBrowser::anchorClicked, this, &GuideWindow::follow);
  connect(browser_, &QTextBrowser::sourceChanged, this, [this] {
    dress();
    updateMargins();
    updateList();
  });
  theme::followTheme(browser_, [this](const theme::Palette&) { dress(); });
  connect(list_, &QListWidget::itemActivated, this,
          [this](QListWidgetItem* item) { showPage(item->data(kFileRole).toString()); });
  connect(list_, &QListWidget::itemClicked, this,
          [this](QListWidgetItem* item) { showPage(item->data(kFileRole).toString()); });
  fillList();
}

void GuideWindow::fillList() {
  const QDir folder(folder_);
  for (const QString& page : orderedPages(folder)) {
    auto* item = new QListWidgetItem(titleOf(folder.filePath(page)), list_);
    item->setData(kFileRole, page);
  }
}

void GuideWindow::updateList() {
  for (int i = 0; i < list_->count(); ++i)
    if (list_->item(i)->data(kFileRole).toString() == page()) return list_->setCurrentRow(i);
  list_->setCurrentRow(-1);
}

bool GuideWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched == browser_->viewport() && event->type() == QEvent::Resize) updateMargins();
  return QWidget::eventFilter(watched, event);
}

void GuideWindow::dress() {
  const theme::Palette palette = theme::Palette::of(browser_);
  QTextCursor cursor(browser_->document());
  cursor.beginEditBlock();
  for (QTextBlock block = browser_->document()->begin(); block.isValid(); block = block.next()) {
    QTextBlockFormat format = block.blockFormat();
    const int level = format.headingLevel();
    const bool isCode = format.hasProperty(QTextFormat::BlockCodeFence);
    cursor.setPosition(block.position());
    if (cursor.currentTable() != nullptr) continue;
    if (isCode) {
      const QTextBlock next = block.next();
      const bool isLast =
          !next.isValid() || !next.blockFormat().hasProperty(QTextFormat::BlockCodeFence);
      format.setNonBreakableLines(false);
      format.setBackground(palette[theme::Token::BgSunken]);
      format.setBottomMargin(isLast ? 12 : 0);
    } else if (level > 0) {
      format.setTopMargin(level == 1 ? 4 : 18);
      format.setBottomMargin(6);
    } else {
      format.setBottomMargin(block.textList() != nullptr ? 4 : 10);
    }
    cursor.setBlockFormat(format);
  }
  const auto frames = browser_->document()->rootFrame()->childFrames();
  for (QTextFrame* frame : frames) {
    auto* table = qobject_cast<QTextTable*>(frame);
    if (table == nullptr) continue;
    QTextTableFormat format = table->format();
    format.setCellPadding(5);
    format.setCellSpacing(0);
    format.setBorder(1);
    format.setBorderCollapse(true);
    format.setBorderBrush(palette[theme::Token::LineStrong]);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBottomMargin(12);
    table->setFormat(format);
  }
  cursor.endEditBlock();
}

void GuideWindow::updateMargins() {
  QTextFrameFormat format = browser_->document()->rootFrame()->frameFormat();
  const int room = browser_->viewport()->width();
  const qreal side = std::max(24, (room - kTextWidth) / 2);
  if (format.leftMargin() == side) return;
  format.setLeftMargin(side);
  format.setRightMargin(side);
  format.setTopMargin(8);
  format.setBottomMargin(32);
  browser_->document()->rootFrame()->setFrameFormat(format);
}

QString GuideWindow::page() const { return QFileInfo(browser_->source().path()).fileName(); }

bool GuideWindow::showPage(const QString& page) {
  const QString file = QDir(folder_).filePath(page.section(u'#', 0, 0));
  if (!QFileInfo(file).isFile()) return false;
  QUrl url = QUrl::fromLocalFile(QFileInfo(file).absoluteFilePath());
  url.setFragment(page.section(u'#', 1));
  follow(url);
  return true;
}

void GuideWindow::follow(const QUrl& link) {
  const QUrl url = browser_->source().resolved(link);
  if (!url.isLocalFile() || !url.path().endsWith(QStringLiteral(".md"))) {
    QDesktopServices::openUrl(url);
    return;
  }
  const QString fragment = url.fragment();
  QUrl file = url;
  file.setFragment({});
  if (browser_->source() != file) browser_->setSource(file, QTextDocument::MarkdownResource);
  updateList();
  if (fragment.isEmpty()) return;
  for (QTextBlock block = browser_->document()->begin(); block.isValid(); block = block.next()) {
    if (block.blockFormat().headingLevel() == 0 || headingFragment(block.text()) != fragment)
      continue;
    browser_->setTextCursor(QTextCursor(block));
    // The heading at the top of the window, with a little room.
    QTimer::singleShot(0, browser_, [this, block] {
      const QRect rect = browser_->cursorRect(QTextCursor(block));
      browser_->verticalScrollBar()->setValue(browser_->verticalScrollBar()->value() + rect.top() - 12);
    });
    return;
  }
}

}  // namespace tutti::app
