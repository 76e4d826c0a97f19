// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start_page.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QThread>
#include <QVBoxLayout>

#include "app/preview.h"
#include "composer/model/catalog.h"
#include "resources/theme/format.h"
#include "resources/theme/icons.h"
#include "resources/theme/widgets.h"

namespace tutti::app {

using theme::Palette;
using theme::State;
using theme::Token;

namespace {

constexpr int kLeftWidth = 700;
constexpr int kRightWidth = 328;
constexpr int kMostRecent = 4;

/// "g++ 12" for /usr/bin/x86_64-linux-gnu-g++-12.
QString compilerName(const QString& path) {
  static const QRegularExpression kName(QStringLiteral("(g\\+\\+|clang\\+\\+)(?:-(\\d+))?$"));
  const auto match = kName.match(QFileInfo(path).canonicalFilePath());
  return match.hasMatch()
             ? QStringLiteral("%1 %2").arg(match.captured(1), match.captured(2)).trimmed()
             : QFileInfo(path).fileName();
}

QString homeShortened(const QString& path) {
  const QString home = QDir::homePath();
  return path.startsWith(home + u'/') ? u'~' + path.mid(home.size()) : path;
}

QString federationFile(const QString& path) {
  return QFileInfo(path).fileName().remove(QStringLiteral(".federation.json"));
}

int instances(const composer::Composition& composition) {
  int count = 0;
  for (const auto& [id, federate] : composition.federates)
    if (federate.enabled) count += federate.count;
  return count;
}

/// kB of a line of /proc/meminfo, 0 when it is not there.
double memoryOf(const QByteArray& key) {
  QFile file(QStringLiteral("/proc/meminfo"));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  for (const QByteArray& line : file.readAll().split('\n'))
    if (line.startsWith(key + ':'))
      return line.mid(key.size() + 1).trimmed().split(' ').first().toDouble();
  return 0;
}

double loadPerCore() {
  QFile file(QStringLiteral("/proc/loadavg"));
  if (!file.open(QIODevice::ReadOnly)) return 0;
  return file.readAll().split(' ').first().toDouble() / std::max(1, QThread::idealThreadCount());
}

void clearLayout(QLayout* layout) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (QWidget* widget = item->widget()) {
      widget->hide();
      widget->deleteLater();
    }
    delete item;
  }
}

}  // namespace

// Card

Card::Card(bool row, QWidget* parent) : QAbstractButton(parent), row_(row) {
  setFocusPolicy(Qt::TabFocus);
  setCursor(Qt::PointingHandCursor);
  setAttribute(Qt::WA_Hover);
}

QSize Card::sizeHint() const { return layout() ? layout()->sizeHint() : QSize(120, 40); }

void Card::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette palette = Palette::of(this);
  const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
  if (row_) {
    if (underMouse()) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(palette[Token::BgHover]);
      painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 7, 7);
    }
  } else {
    painter.setPen(palette[underMouse() ? Token::Accent : Token::LineStrong]);
    painter.setBrush(palette[Token::BgRaised]);
    painter.drawRoundedRect(frame, theme::radius::kPopup, theme::radius::kPopup);
  }
  if (theme::hasVisibleFocus(this))
    theme::paintFocusRing(painter, rect(), theme::radius::kPopup, palette);
}

namespace {

QFrame* card(QWidget* parent) {
  auto* frame = new QFrame(parent);
  frame->setProperty("role", QByteArray("card"));
  return frame;
}

/// The canvas-coloured part of a template card.
class Stage : public QWidget {
 public:
  Stage(Preview* preview, bool ruled, QWidget* parent) : QWidget(parent), ruled_(ruled) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 4, 4, 4);
    column->addWidget(preview);
    setAttribute(Qt::WA_TransparentForMouseEvents);
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Palette palette = Palette::of(this);
    painter.setPen(ruled_ ? QPen(Qt::NoPen) : QPen(palette[Token::LineStrong]));
    painter.setBrush(palette[Token::BgCanvas]);
    const QRectF frame = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    if (ruled_) {
      QPainterPath path;
      path.addRoundedRect(frame.adjusted(1, 1, -1, 10), 7, 7);
      painter.setClipRect(rect().adjusted(0, 0, 0, -1));
      painter.drawPath(path);
      painter.setClipping(false);
      painter.fillRect(QRect(1, height() - 1, width() - 2, 1), palette[Token::LineSubtle]);
    } else {
      painter.drawRoundedRect(frame, 6, 6);
    }
  }

 private:
  bool ruled_;
};

}  // namespace

// StartPage

StartPage::StartPage(const composer::Catalog* catalog, const QString& samplesFolder,
                     QWidget* parent)
    : QScrollArea(parent), catalog_(catalog), samplesFolder_(samplesFolder) {
  setObjectName(QStringLiteral("startPage"));
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
  const QString airTraffic = samplesFolder + QStringLiteral("/air-traffic.federation.json");
  if (QFile::exists(airTraffic)) sample_ = airTraffic;

  auto* page = new QWidget(this);
  page->setAutoFillBackground(true);
  page->setBackgroundRole(QPalette::Window);
  auto* centring = new QHBoxLayout(page);
  centring->setContentsMargins(32, 28, 32, 24);
  centring->addStretch(1);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(44);
  grid->setVerticalSpacing(0);
  grid->addWidget(buildHero(), 0, 0);
  grid->setRowMinimumHeight(1, 48);
  grid->setRowStretch(2, 1);
  auto* left = new QVBoxLayout;
  left->setSpacing(0);
  left->addWidget(buildTemplates());
  left->addSpacing(40);
  left->addWidget(buildRecent());
  left->addStretch(1);
  grid->addLayout(left, 2, 0);
  auto* right = new QVBoxLayout;
  right->setSpacing(0);
  right->addWidget(buildMachine());
  right->addSpacing(40);
  right->addWidget(buildLearn());
  right->addStretch(1);
  grid->addLayout(right, 2, 1);
  centring->addLayout(grid);
  centring->addStretch(1);
  setWidget(page);
  refresh();
}

QWidget* StartPage::buildHero() {
  auto* hero = new QWidget(this);
  hero->setFixedWidth(kLeftWidth);
  auto* row = new QHBoxLayout(hero);
  row->setContentsMargins(0, 0, 0, 0);
  auto* text = new QVBoxLayout;
  text->setSpacing(8);
  text->addWidget(theme::makeLabel(
      sample_.isEmpty() ? tr("Compose a federation") : tr("Fly the air traffic sample"), "hero",
      hero));
  int federates = 0;
  std::optional<composer::Composition> sample;
  if (auto loaded = composer::Composition::load(sample_)) {
    federates = instances(*loaded);
    sample = std::move(*loaded);
  }
  auto* what = theme::makeLabel(
      sample ? tr("%1 and 400 flights on this machine.\nNothing to install, nothing left behind.")
                   .arg(theme::formatNoun(federates, tr("federate"), tr("federates")))
             : tr("Pick components from the catalog and see at once whether they fit together."),
      "lead", hero);
  text->addWidget(what);
  text->addSpacing(12);
  auto* buttons = new QHBoxLayout;
  buttons->setSpacing(10);
  if (sample) {
    auto* run = new QPushButton(theme::icon(QStringLiteral("run"), Token::AccentOn),
                                tr("Run it here"), hero);
    run->setObjectName(QStringLiteral("runSample"));
    run->setProperty("role", QByteArray("primary"));
    run->setProperty("hero", true);
    connect(run, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(sample_, true); });
    auto* look = new QPushButton(tr("Open without running"), hero);
    look->setObjectName(QStringLiteral("openSample"));
    look->setProperty("hero", true);
    connect(look, &QPushButton::clicked, this, [this] { Q_EMIT openRequested(sample_, false); });
    buttons->addWidget(run);
    buttons->addWidget(look);
  } else {
    auto* fresh = new QPushButton(tr("Start from the catalog"), hero);
    fresh->setProperty("role", QByteArray("primary"));
    fresh->setProperty("hero", true);
    connect(fresh, &QPushButton::clicked, this, &StartPage::newRequested);
    buttons->addWidget(fresh);
  }
  buttons->addStretch(1);
  text->addLayout(buttons);
  text->addStretch(1);
  row->addLayout(text, 1);
  if (sample) {
    auto* preview = new Preview(hero);
    preview->setComposition(*sample, *catalog_);
    auto* stage = new Stage(preview, false, hero);
    stage->setFixedSize(302, 138);
    row->addWidget(stage, 0, Qt::AlignTop);
  }
  return hero;
}

QWidget* StartPage::buildTemplates() {
  auto* section = new QWidget(this);
  section->setFixedWidth(kLeftWidth);
  auto* column = new QVBoxLayout(section);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  column->addWidget(theme::makeLabel(tr("New from a template"), "heading", section));
  auto* row = new QHBoxLayout;
  row->setSpacing(14);
  const auto add = [&](const QString& name, const QString& title, const QString& detail,
                       const composer::Composition* composition) {
    auto* tile = new Card(false, section);
    tile->setObjectName(name);
    tile->setAccessibleName(title);
    tile->setAccessibleDescription(detail);
    tile->setFixedSize(164, 164);
    auto* inner = new QVBoxLayout(tile);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(0);
    auto* preview = new Preview(tile);
    if (composition) preview->setComposition(*composition, *catalog_);
    auto* stage = new Stage(preview, true, tile);
    stage->setFixedHeight(92);
    inner->addWidget(stage);
    auto* texts = new QVBoxLayout;
    texts->setContentsMargins(12, 10, 12, 8);
    texts->setSpacing(2);
    texts->addWidget(theme::makeLabel(title, "heading", tile));
    auto* caption = theme::makeLabel(detail, "caption", tile);
    caption->setWordWrap(true);
    caption->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    texts->addWidget(caption, 1);
    inner->addLayout(texts, 1);
    row->addWidget(tile);
    return tile;
  };
  QStringList files;
  for (const QFileInfo& file :
       QDir(samplesFolder_)
           .entryInfoList({QStringLiteral("*.federation.json")}, QDir::Files, QDir::Name))
    files << file.absoluteFilePath();
  int shown = 0;
  for (const QString& file : files) {
    if (shown == 3) break;
    const auto loaded = composer::Composition::load(file);
    if (!loaded) continue;
    QString title = federationFile(file);
    title.replace(u'-', u' ');
    title[0] = title[0].toUpper();
    if (title == QStringLiteral("Ping pong")) title = tr("Ping-pong");
    const int count = instances(*loaded);
    const QString detail = count <= 2 ? tr("the smallest federation")
                                      : theme::formatNoun(count, tr("federate"), tr("federates"));
    Card* tile = add(QStringLiteral("template-") + federationFile(file), title, detail, &*loaded);
    connect(tile, &QAbstractButton::clicked, this,
            [this, file] { Q_EMIT templateRequested(file); });
    ++shown;
  }
  Card* empty =
      add(QStringLiteral("template-empty"), tr("Empty"), tr("start from the catalog"), nullptr);
  connect(empty, &QAbstractButton::clicked, this, &StartPage::newRequested);
  row->addStretch(1);
  column->addLayout(row);
  return section;
}

QWidget* StartPage::buildRecent() {
  auto* section = new QWidget(this);
  section->setFixedWidth(kLeftWidth);
  auto* column = new QVBoxLayout(section);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(10);
  auto* heading = new QHBoxLayout;
  heading->addWidget(theme::makeLabel(tr("Recent"), "heading", section));
  heading->addStretch(1);
  auto* open = new QPushButton(theme::icon(QStringLiteral("document")), tr("Open…"), section);
  open->setObjectName(QStringLiteral("openFile"));
  open->setProperty("dense", true);
  connect(open, &QPushButton::clicked, this, &StartPage::browseRequested);
  heading->addWidget(open);
  column->addLayout(heading);
  auto* list = card(section);
  recent_ = new QVBoxLayout(list);
  recent_->setContentsMargins(1, 1, 1, 1);
  recent_->setSpacing(0);
  column->addWidget(list);
  return section;
}

void StartPage::setRecent(const QStringList& files) {
  clearLayout(recent_);
  int shown = 0;
  for (const QString& file : files) {
    if (shown == kMostRecent) break;
    const auto loaded = composer::Composition::load(file);
    if (!QFile::exists(file)) continue;
    if (shown > 0) recent_->addWidget(theme::rule(this));
    auto* row = new Card(true, this);
    row->setObjectName(QStringLiteral("recent-%1").arg(shown));
    row->setFixedHeight(58);
    row->setAccessibleName(file);
    row->setToolTip(file);
    auto* inner = new QHBoxLayout(row);
    inner->setContentsMargins(8, 6, 14, 6);
    inner->setSpacing(14);
    auto* preview = new Preview(row);
    if (loaded) preview->setComposition(*loaded, *catalog_);
    auto* stage = new Stage(preview, false, row);
    stage->setFixedSize(90, 46);
    inner->addWidget(stage);
    auto* names = new QVBoxLayout;
    names->setSpacing(0);
    names->addStretch(1);
    names->addWidget(theme::makeLabel(loaded ? loaded->settings.federation : federationFile(file),
                                      "heading", row));
    auto* path = new theme::ElidedLabel("caption", row);
    path->setText(homeShortened(file));
    path->setToolTip(file);
    names->addWidget(path);
    names->addStretch(1);
    inner->addLayout(names, 1);
    auto* state = theme::makeLabel(
        loaded ? theme::formatNoun(instances(*loaded), tr("federate"), tr("federates"))
               : tr("cannot be read"),
        loaded ? "secondary" : "error", row);
    state->setFixedWidth(150);
    inner->addWidget(state);
    auto* when = theme::makeLabel(
        theme::formatWhen(QFileInfo(file).lastModified(), QDateTime::currentDateTime()), "muted",
        row);
    when->setFixedWidth(110);
    when->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    when->setToolTip(tr("Last change of the file"));
    inner->addWidget(when);
    recent_->addWidget(row);
    connect(row, &QAbstractButton::clicked, this,
            [this, file] { Q_EMIT openRequested(file, false); });
    ++shown;
  }
  if (shown == 0) {
    auto* none = new QWidget(this);
    auto* inner = new QVBoxLayout(none);
    inner->setContentsMargins(16, 18, 16, 18);
    inner->addWidget(
        theme::makeLabel(tr("Compositions you open or save are listed here."), "muted", none));
    recent_->addWidget(none);
  }
}

QWidget* StartPage::buildMachine() {
  auto* section = new QWidget(this);
  section->setFixedWidth(kRightWidth);
  auto* column = new QVBoxLayout(section);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  column->addWidget(theme::makeLabel(tr("This machine"), "heading", section));
  auto* list = card(section);
  list->setObjectName(QStringLiteral("machineCard"));
  machine_ = new QVBoxLayout(list);
  machine_->setContentsMargins(1, 1, 1, 1);
  machine_->setSpacing(0);
  column->addWidget(list);
  return section;
}

void StartPage::refresh() {
  clearLayout(machine_);
  const auto row = [this](State state, const QString& what, const QString& value,
                          const QString& source) {
    if (machine_->count() > 0) machine_->addWidget(theme::rule(this));
    auto* line = new QWidget(this);
    line->setToolTip(source);
    auto* inner = new QHBoxLayout(line);
    inner->setContentsMargins(14, 7, 14, 7);
    inner->setSpacing(10);
    auto* mark = new QLabel(line);
    theme::followTheme(mark, [mark, state](const Palette& palette) {
      mark->setPixmap(theme::statePixmap(state, 12, palette, mark->devicePixelRatioF()));
    });
    mark->setAccessibleName(theme::stateWord(state));
    inner->addWidget(mark);
    inner->addWidget(theme::makeLabel(what, "table", line), 1);
    inner->addWidget(theme::makeLabel(value, "muted", line));
    machine_->addWidget(line);
  };
  const int cores = QThread::idealThreadCount();
  const double load = loadPerCore();
  const double memory = memoryOf("MemAvailable") * 1024;
  row(State::Ok, tr("Run-time infrastructure"),
      tr("%1, embedded").arg(QStringLiteral(TUTTI_VERSION)),
      tr("IEEE 1516.1-2010 C++ API over shared memory; nothing else has to be installed"));
  row(load < 0.8 ? State::Ok : State::Warning, tr("Processor"),
      tr("%1, %2").arg(theme::formatNoun(cores, tr("core"), tr("cores")), load < 0.3 ? tr("quiet")
                                                                          : load < 0.8
                                                                              ? tr("in use")
                                                                              : tr("busy")),
      tr("Mean load of the last minute: %1 of each core (/proc/loadavg)")
          .arg(theme::formatPercent(load)));
  row(memory > 1e9 ? State::Ok : State::Warning, tr("Shared memory"),
      tr("%1 free").arg(theme::formatBytes(memory)), tr("MemAvailable in /proc/meminfo"));
  const auto count = static_cast<qint64>(catalog_->components().size());
  const auto folders = static_cast<qint64>(catalog_->folders().size());
  row(count > 0 ? State::Ok : State::Warning, tr("Components"),
      tr("%1 in %2")
          .arg(theme::formatCount(count), theme::formatNoun(folders, tr("folder"), tr("folders"))),
      composer::Catalog::searchPath().join(u'\n'));
  const auto told = [&row](State state, const QString& what,
                           const std::vector<composer::Error>& errors) {
    if (errors.empty()) return;
    QStringList texts;
    for (const composer::Error& one : errors) texts << one.message();
    row(state, what, theme::formatCount(static_cast<qint64>(texts.size())), texts.join(u'\n'));
  };
  told(State::Warning, tr("Components not read"), catalog_->problems());
  told(State::Info, tr("Components found twice"), catalog_->shadowed());
  const QString compiler = QStandardPaths::findExecutable(QStringLiteral("c++"));
  row(compiler.isEmpty() ? State::Info : State::Ok, tr("Compiler"),
      compiler.isEmpty() ? tr("not found") : compilerName(compiler),
      tr("Only needed to build federates of your own: apt install g++"));
  const QString dot = QStandardPaths::findExecutable(QStringLiteral("dot"));
  row(dot.isEmpty() ? State::Info : State::Ok, tr("Layout"),
      dot.isEmpty() ? tr("Graphviz not found") : tr("Graphviz"),
      tr("Only needed to tidy up the canvas: apt install graphviz"));
}

QWidget* StartPage::buildLearn() {
  auto* section = new QWidget(this);
  section->setFixedWidth(kRightWidth);
  auto* column = new QVBoxLayout(section);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(12);
  column->addWidget(theme::makeLabel(tr("Learn by doing"), "heading", section));
  auto* list = card(section);
  auto* rows = new QVBoxLayout(list);
  rows->setContentsMargins(1, 1, 1, 1);
  rows->setSpacing(0);
  struct Lesson {
    QString name;
    QString title;
    QString detail;
    QString page;   ///< of the window; empty: that of the run
    QString guide;  ///< page of the guide beside it; may be empty
  };
  QList<Lesson> lessons;
  if (!sample_.isEmpty()) {
    lessons << Lesson{QStringLiteral("run"), tr("Run the sample"),
                      tr("and watch it live on the topology"), {}, {}}
            << Lesson{QStringLiteral("kill"), tr("Kill a federate"),
                      tr("and see what the others lose with it"), {},
                      QStringLiteral("when-something-dies.md#a-federate")};
  }
  lessons << Lesson{QStringLiteral("own"), tr("Put your own federate in"),
                    tr("from a template, beside the samples"), QStringLiteral("compose"),
                    QStringLiteral("first-federate.md")}
          << Lesson{QStringLiteral("hosts"), tr("Practise with four hosts"),
                    tr("on this machine, and lose one of them"), QStringLiteral("deploy"),
                    QStringLiteral("several-hosts.md#a-practice-cluster")}
          << Lesson{QStringLiteral("benchmarks"), tr("Compare two RTIs"),
                    tr("with the bare limit of the machine beside them"),
                    QStringLiteral("benchmarks"),
                    QStringLiteral("benchmarks.md#measure-another-rti")}
          << Lesson{QStringLiteral("fom"), tr("Open your FOM"),
                    tr("read and check it as the RTI does"), QStringLiteral("object-model"),
                    QStringLiteral("questions.md#standard-and-object-models")};
  for (const Lesson& lesson : lessons) {
    if (rows->count() > 0) rows->addWidget(theme::rule(list));
    auto* row = new Card(true, list);
    row->setObjectName(QStringLiteral("learn-") + lesson.name);
    row->setAccessibleName(lesson.title);
    row->setFixedHeight(46);
    auto* inner = new QHBoxLayout(row);
    inner->setContentsMargins(14, 6, 12, 6);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(0);
    texts->addWidget(theme::makeLabel(lesson.title, "label-strong", row));
    texts->addWidget(theme::makeLabel(lesson.detail, "caption", row));
    inner->addLayout(texts, 1);
    auto* arrow = new QLabel(row);
    theme::followTheme(arrow, [arrow](const Palette&) {
      arrow->setPixmap(theme::icon(QStringLiteral("next")).pixmap(14, 14));
    });
    inner->addWidget(arrow);
    rows->addWidget(row);
    connect(row, &QAbstractButton::clicked, this, [this, lesson] {
      if (lesson.page.isEmpty())
        Q_EMIT openRequested(sample_, true);
      else
        Q_EMIT pageRequested(lesson.page);
      if (!lesson.guide.isEmpty()) Q_EMIT guideRequested(lesson.guide);
    });
  }
  column->addWidget(list);
  return section;
}

}  // namespace tutti::app
