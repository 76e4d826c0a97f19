// SPDX-License-Identifier: GPL-3.0-or-later
// The glyph of a module: read, shown, written.
#include <sys/stat.h>

#include <QBuffer>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>

#include "editable_modules.h"
#include "fom-editor/model/checks/checked_module.h"
#include "fom-editor/model/checks/checks.h"
#include "fom-editor/model/checks/schema_validation.h"
#include "fom-editor/model/glyph.h"

using namespace tutti;
using namespace tutti::fomedit;
using testmodels::EditedModules;
using testmodels::with;

namespace {

const std::string k2010 = testmodels::content(testmodels::data("Edits-2010.xml"));

QByteArray picture(const char* format, const QSize& size) {
  QImage image(size, QImage::Format_RGB32);
  image.fill(Qt::darkCyan);
  QByteArray bytes;
  QBuffer buffer(&bytes);
  if (!buffer.open(QIODevice::WriteOnly) || !image.save(&buffer, format)) qFatal("no %s", format);
  return bytes;
}

std::string withGlyph(const std::string& base64, const std::string& attributes = "") {
  return with(k2010, "  </modelIdentification>",
              "    <glyph" + attributes + ">" + base64 + "</glyph>\n  </modelIdentification>");
}

std::string base64(const QByteArray& bytes) { return bytes.toBase64().toStdString(); }

/// A PNG that says that it is as large as that.
QByteArray pngThatClaims(quint32 width, quint32 height) {
  QByteArray png = picture("PNG", QSize(4, 4));
  const auto put = [&](qsizetype at, quint32 value) {
    for (int i = 0; i < 4; ++i) png[at + i] = static_cast<char>(value >> (24 - 8 * i));
  };
  put(16, width);
  put(20, height);
  quint32 crc = 0xFFFFFFFFU;
  for (qsizetype i = 12; i < 29; ++i) {
    crc ^= static_cast<quint8>(png[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  put(29, ~crc);
  return png;
}

QString write(QTemporaryDir& folder, const char* name, const QByteArray& bytes) {
  QFile file(folder.filePath(name));
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("not written");
  return file.fileName();
}

QStringList findings(const std::string& text) {
  EditedModules m({text});
  QStringList said;
  for (const Finding& f :
       glyphFindings({"M0.xml", omt::Edition::Ieee2010, std::move(*m.sources[0])})) {
    said << f.text;
  }
  return said;
}

}  // namespace

class TestGlyph : public QObject {
  Q_OBJECT

 private slots:
  void aPictureIsWrittenAndRead_data() {
    QTest::addColumn<QByteArray>("format");
    QTest::addColumn<QString>("type");
    QTest::newRow("png") << QByteArray("PNG") << "PNG";
    QTest::newRow("jpg") << QByteArray("JPG") << "JPG";
    QTest::newRow("bmp") << QByteArray("BMP") << "BITMAP";
  }
  void aPictureIsWrittenAndRead() {
    QFETCH(QByteArray, format);
    QFETCH(QString, type);
    QTemporaryDir folder;
    const QByteArray bytes = picture(format.constData(), QSize(20, 10));
    const auto glyph = readGlyph(write(folder, "p", bytes));
    QVERIFY2(glyph, glyph ? "" : qPrintable(glyph.error()));
    QCOMPARE(glyph->type, type);
    EditedModules m({k2010});
    QVERIFY(m.apply(setGlyph(m.changes(), 0, *glyph)));
    Glyph read = glyphOf(*m.sources[0]);
    QCOMPARE(read.picture, bytes);
    QCOMPARE(read.type, type);
    QCOMPARE(read.size, QSize(20, 10));
    QCOMPARE(read.problem, QString());
    QCOMPARE(glyphImage(read, QSize(100, 100)).size(), QSize(20, 10));
    QCOMPARE(glyphImage(read, QSize(10, 10)).size(), QSize(10, 5));
    QVERIFY(m.has("<glyph type=\"" + type.toStdString() + "\" height=\"10\" width=\"20\">"));
    QVERIFY(m.isRead());
    const auto errors = validate(*m.sources[0], Schema::Dif2010);
    QVERIFY(errors);
    for (const SchemaError& error : *errors) {
      QVERIFY2(error.element == noElement || m.sources[0]->nameOf(error.element) != "glyph",
               error.message.c_str());
    }
    // Another picture, in words, and gone.
    QVERIFY(m.apply(setGlyphAlt(m.changes(), 0, "a \"small\" box")));
    auto other = readGlyph(write(folder, "q", picture("PNG", QSize(3, 5))));
    QVERIFY(other);
    QVERIFY(m.apply(setGlyph(m.changes(), 0, *other)));
    read = glyphOf(*m.sources[0]);
    QCOMPARE(read.picture, other->picture);
    QCOMPARE(read.type, QString("PNG"));
    QCOMPARE(read.alt, QString("a \"small\" box"));
    QVERIFY(m.has("height=\"5\" width=\"3\""));
    QVERIFY(m.apply(removeGlyph(m.changes(), 0)));
    QCOMPARE(m.bytes(), k2010);
    m.undoAll();
    QVERIFY(m.isAsBefore());
  }

  void laterEditionsHaveNoTypeOrSize() {
    EditedModules m({with(k2010, "IEEE1516-2010", "IEEE1516-2025")});
    QTemporaryDir folder;
    const auto glyph = readGlyph(write(folder, "p.png", picture("PNG", QSize(2, 2))));
    QVERIFY(glyph && m.apply(setGlyph(m.changes(), 0, *glyph)));
    QVERIFY(m.has("<glyph>"));
    EditedModules named({testmodels::prefixed(with(k2010, "IEEE1516-2010", "IEEE1516-2025"))});
    QVERIFY(named.apply(setGlyph(named.changes(), 0, *glyph)));
    QVERIFY(named.has("<omt:glyph>"));
    QCOMPARE(glyphOf(*named.sources[0]).picture, glyph->picture);
    EditedModules old({testmodels::content(testmodels::data("Edits-2000.xml"))});
    QVERIFY(!old.apply(setGlyph(old.changes(), 0, *glyph)));
    QVERIFY2(old.refused.contains("2000"), qPrintable(old.refused));
  }

  void whatCannotBeShownIsSaid_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("said");
    const QByteArray png = picture("PNG", QSize(20, 10));
    const auto row = [](const char* name, const std::string& content, const char* said) {
      QTest::newRow(name) << QByteArray::fromStdString(content) << said;
    };
    row("characters", "not base64!", "is not base64: it has other characters");
    row("end", base64(png).substr(0, 42) + "=", "is not base64");
    row("empty", " \n ", "is empty");
    row("no picture", base64("just text, no picture"), "no PNG, JPG, GIF, bitmap or TIFF");
    row("svg", base64("<svg xmlns='http://www.w3.org/2000/svg'/>"), "no PNG, JPG");
    row("cut", base64(png.left(60)), "damaged PNG");
    row("huge", base64(pngThatClaims(60000, 60000)), "60000 × 60000 pixels");
    row("absurd", base64(pngThatClaims(0x7FFFFFFF, 0x7FFFFFFF)), "");
    row("lying", base64(pngThatClaims(4000, 4000)), "damaged PNG");
    row("too much", std::string(maxGlyphText + 1, 'A'), "has 4097 KiB of text; at most 4096 KiB");
    row("bitmap", base64(QByteArray("BM") + QByteArray(200, '\x7F')), "bitmap|BITMAP");
  }
  void whatCannotBeShownIsSaid() {
    QFETCH(QByteArray, content);
    QFETCH(QString, said);
    EditedModules m({withGlyph(content.toStdString())});
    Glyph glyph = glyphOf(*m.sources[0]);
    QVERIFY(glyph.exists);
    QVERIFY(glyphImage(glyph, QSize(64, 64)).isNull());
    QVERIFY2(QRegularExpression(said).match(glyph.problem).hasMatch(), qPrintable(glyph.problem));
    QCOMPARE(findings(withGlyph(content.toStdString())), QStringList{glyph.problem});
  }

  void typesThatDoNotFitAreFound() {
    const std::string png = base64(picture("PNG", QSize(4, 4)));
    QCOMPARE(findings(withGlyph(png, " type=\"PNG\"")), QStringList());
    QCOMPARE(findings(withGlyph(png, " type=\"image/png\"")), QStringList());
    QCOMPARE(findings(withGlyph(png)), QStringList());
    QCOMPARE(findings(withGlyph(png, " type=\"JPG\"")),
             QStringList{"The glyph is a PNG picture, and its type says JPG."});
    QCOMPARE(findings(withGlyph("", " href=\"http://example.org/a.png\"")), QStringList());
    QCOMPARE(findings(k2010), QStringList());
  }

  /// The Checks pane has it.
  void theFindingIsAmongThoseOfTheModule() {
    QTemporaryDir folder;
    const QString path =
        write(folder, "m.xml", QByteArray::fromStdString(withGlyph("not base64!")));
    LoadedModel loaded = loadModel({path});
    checkModules(loaded, moduleBytes);
    QVERIFY(std::any_of(loaded.findings.begin(), loaded.findings.end(),
                        [](const Finding& f) { return f.rule == u"omt/glyph" && f.line > 0; }));
  }

  void filesThatAreNoGlyphAreRefused() {
    QTemporaryDir folder;
    const auto refused = [](const QString& path) {
      const auto glyph = readGlyph(path);
      return glyph ? QString("taken") : glyph.error();
    };
    QVERIFY(refused(folder.filePath("none.png")).contains("none.png cannot be read"));
    QVERIFY(refused(write(folder, "a.txt", "text")).contains("a.txt is no PNG"));
    QVERIFY(refused(write(folder, "large.png", QByteArray(maxGlyphBytes + 1, 'x')))
                .contains("more than 1024 KiB"));
    QVERIFY(refused(write(folder, "huge.png", pngThatClaims(60000, 60000))).contains("60000"));
    QVERIFY(refused(write(folder, "cut.png", picture("PNG", QSize(50, 50)).left(60)))
                .contains("damaged"));
    QVERIFY(refused(folder.path()).contains("it is a folder"));
    // Nobody writes into it, and nothing waits for that.
    const QString pipe = folder.filePath("pipe.png");
    QCOMPARE(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    QVERIFY(refused(pipe).contains("pipe.png cannot be read: it is a pipe or a device"));
    QVERIFY(refused("/dev/null").contains("not a file"));
  }
};

QTEST_GUILESS_MAIN(TestGlyph)
#include "tst_glyph.moc"
