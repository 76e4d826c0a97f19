// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/stat.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <string>

#include "fom-editor/model/checks/schema_validation.h"

using namespace tutti::fomedit;

namespace {

std::string module(const std::string& attributes, const std::string& content) {
  return "<objectModel " + attributes + ">\n" + content + "\n</objectModel>\n";
}

std::string ofEdition(Schema schema) {
  return "xmlns=\"" + std::string(namespaceOf(schema)) + "\"";
}

}  // namespace

class TestSchemaValidation : public QObject {
  Q_OBJECT

 private slots:
  void errorsHaveTheirElement() {
    const auto source = ModuleSource::parse(
        module(ofEdition(Schema::Dif2010),
               "<objects/><dataTypes><simpleDataTypes><simpleData><name>2a</name></simpleData>"
               "</simpleDataTypes></dataTypes>"),
        "m");
    QVERIFY(source.has_value());
    const auto errors = validate(*source, Schema::Dif2010);
    QVERIFY(errors.has_value());
    QCOMPARE(errors->size(), 2U);
    const SchemaError& empty = errors->at(0);
    QCOMPARE(empty.kind, SchemaError::Kind::Content);
    QVERIFY(empty.missing);
    QCOMPARE(empty.expected, std::vector<std::string>{"objectClass"});
    QCOMPARE(source->nameOf(empty.element), std::string_view("objects"));
    const SchemaError& name = errors->at(1);
    QCOMPARE(name.kind, SchemaError::Kind::Value);
    QCOMPARE(source->rawText(name.element), std::string("2a"));
  }

  /// libxml2 keeps lines up to 65535 and tells of names that are not defined by line only.
  void placesBeyondLine65535AreRight() {
    std::string rows;
    for (int i = 0; i < 70000; ++i) rows += "\n";
    const auto source =
        ModuleSource::parse(module(ofEdition(Schema::Dif2010), rows + "<objects/>"), "m");
    QVERIFY(source.has_value());
    const auto errors = validate(*source, Schema::Dif2010);
    QVERIFY(errors.has_value());
    QCOMPARE(errors->size(), 1U);
    QCOMPARE(source->lineOf(errors->front().element), 70002);
  }

  void aForeignNamespaceHidesNothing() {
    for (const std::string attributes : {"xmlns=\"urn:other\"", "xmlns:o=\"urn:other\"", ""}) {
      const auto source = ModuleSource::parse(module(attributes, "<objects/>"), "m");
      QVERIFY(source.has_value());
      const auto errors = validate(*source, Schema::Dif2010);
      QVERIFY(errors.has_value());
      QCOMPARE(errors->size(), 1U);
      QCOMPARE(source->nameOf(errors->front().element), std::string_view("objects"));
    }
  }

  /// 151 errors of the OMT schema, none of the DIF schema: what is known of the standard's MIM.
  void theSchemasAreThoseOfTheStandard() {
    const QString given = qEnvironmentVariable("TUTTI_FOMS");
    QFile file((given.isEmpty() ? QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms") : given) +
               "/mim/HLAstandardMIM.xml");
    if (!file.open(QIODevice::ReadOnly)) {
      QSKIP("no real object models at ../shared/foms or TUTTI_FOMS");
    }
    const auto source = ModuleSource::parse(file.readAll().toStdString(), "MIM");
    QVERIFY(source.has_value());
    const auto dif = validate(*source, Schema::Dif2010);
    const auto omt = validate(*source, Schema::Omt2010);
    QVERIFY(dif.has_value() && omt.has_value());
    QCOMPARE(dif->size(), 0U);
    QCOMPARE(omt->size(), 151U);
    for (const SchemaError& error : *omt) {
      QVERIFY(error.element != noElement);
      if (error.kind != SchemaError::Kind::Reference) continue;
      QVERIFY2(
          source->text(source->at(error.element).whole).find(error.key) != std::string_view::npos,
          error.key.c_str());
    }
  }

  void allSchemasAreReadable() {
    for (const Schema schema :
         {Schema::Dif2010, Schema::Omt2010, Schema::Dif2025, Schema::Omt2025}) {
      const auto source = ModuleSource::parse(module(ofEdition(schema), ""), "m");
      QVERIFY(source.has_value());
      const auto errors = validate(*source, schema);
      QVERIFY(errors.has_value());
      const bool complete = schema == Schema::Omt2010 || schema == Schema::Omt2025;
      QCOMPARE(errors->empty(), !complete);
    }
  }

  /// A schema that a module names is not read: nobody writes the pipe, so reading it would block.
  void noOtherFileIsOpened() {
    QTemporaryDir folder;
    const QByteArray pipe = QFile::encodeName(folder.filePath("pipe.xsd"));
    QCOMPARE(mkfifo(pipe.constData(), 0600), 0);
    const std::string place = "file://" + pipe.toStdString();
    const auto source = ModuleSource::parse(
        module(
            ofEdition(Schema::Dif2010) +
                " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"" +
                std::string(namespaceOf(Schema::Dif2010)) + ' ' + place + " urn:other " + place +
                "\" xmlns:o=\"urn:other\"",
            "<o:extension/>"),
        "m");
    QVERIFY(source.has_value());
    QVERIFY(validate(*source, Schema::Dif2010).has_value());
  }

  void aModuleBeyondTheLimitIsRefused() {
    std::string content;
    while (content.size() <= maxValidatedBytes)
      content += "<!--" + std::string(1 << 20, 'x') + "-->";
    const auto source = ModuleSource::parse(module("", content), "m");
    QVERIFY(source.has_value());
    const auto errors = validate(*source, Schema::Dif2010);
    QVERIFY(!errors.has_value());
    QVERIFY2(errors.error().find("16 MiB") != std::string::npos, errors.error().c_str());
  }
};

QTEST_GUILESS_MAIN(TestSchemaValidation)
#include "tst_schema_validation.moc"
