// SPDX-License-Identifier: GPL-3.0-or-later
// Object models in the notation of other editions: what is carried over, and what is said of the
// rest.
#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include <QDirIterator>
#include <QFile>
#include <QTest>
#include <algorithm>
#include <array>
#include <cstdarg>
#include <memory>

#include "../omt/fom_files.h"
#include "conversion_modules.h"
#include "fom-editor/model/difference.h"
#include "fom-editor/model/module_conversion.h"
#include "omt/merge.h"
#include "omt/module_writer.h"
#include "omt/reader.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

constexpr std::array<omt::Edition, 5> editions{omt::Edition::Hla13Fed, omt::Edition::Hla13Omt,
                                               omt::Edition::Ieee2000, omt::Edition::Ieee2010,
                                               omt::Edition::Ieee2025};

QString nameOf(omt::Edition edition) {
  const std::string_view name = omt::toText(edition);
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

std::string content(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

QStringList linesOf(const std::string& text) { return QString::fromStdString(text).split('\n'); }

/// All files of object models that lie beside the source and are not broken on purpose.
QStringList realFiles() {
  QStringList paths;
  QDirIterator folder(fomfiles::folder(), {"*.xml", "*.fed", "*.omt"}, QDir::Files,
                      QDirIterator::Subdirectories);
  while (folder.hasNext()) {
    const QString path = folder.next();
    if (!path.contains("/broken/")) paths << path;
  }
  paths.sort();
  return paths;
}

omt::Module readOrFail(const std::string& text) {
  auto module = omt::readModule(text, "module");
  if (!module) qFatal("%s", module.error().toText().c_str());
  return std::move(*module);
}

std::shared_ptr<const omt::ObjectModel> merged(const omt::Module& module) {
  const omt::Module one[] = {module};
  auto result = omt::merge(one);
  if (!result) return nullptr;
  return std::make_shared<const omt::ObjectModel>(std::move(result->model));
}

/// What differs, in words; the identification is not compared with the file's name.
QStringList differences(const omt::ObjectModel& before, const omt::ObjectModel& after) {
  DifferenceOptions options;
  options.matching.guess = false;
  const ModelDifference difference = differenceOf(before, after, options);
  QStringList words;
  for (const Difference& d : difference.differences) {
    QString line = markName(d.mark) + ' ' + kindName(d.kind) + ' ' + difference.pathOf(d);
    for (const PropertyChange& p : d.properties) {
      line += ", " + p.name + ": " + p.before + " -> " + p.after;
    }
    words << line;
  }
  return words;
}

/// Names of classes, attributes and parameters of a module, without the MOM and the roots' own
/// attribute, which HLA 1.3 always has. A name HLA 1.3 spells otherwise is that of IEEE 1516.
template <typename Class>
void addTree(const std::vector<Class>& classes, const std::string& above, QStringList& lines) {
  for (const Class& c : classes) {
    const std::string path = above.empty() ? c.name : above + '.' + c.name;
    const bool first = !above.empty() && above.find('.') == std::string::npos;
    if (first && (c.name == "HLAmanager" || c.name == "RTIprivate")) continue;
    lines << QString::fromStdString(path);
    if constexpr (requires { c.parameters; }) {
      for (const omt::Parameter& p : c.parameters) {
        lines << QString::fromStdString(path + '.' + p.name);
      }
    } else {
      for (const omt::Attribute& a : c.attributes) {
        if (a.name == "HLAprivilegeToDeleteObject") continue;
        lines << QString::fromStdString(path + '.' + a.name);
      }
    }
    addTree(c.subclasses, path, lines);
  }
}

QStringList tree(const omt::Module& module) {
  QStringList lines;
  addTree(module.objectClasses, {}, lines);
  addTree(module.interactionClasses, {}, lines);
  lines.removeAll("HLAobjectRoot");
  lines.removeAll("HLAinteractionRoot");
  lines.sort();
  return lines;
}

const omt::Loss* find(const std::vector<omt::Loss>& losses, const QString& what) {
  const auto exact = std::find_if(losses.begin(), losses.end(), [&](const omt::Loss& loss) {
    return QString::fromStdString(loss.what) == what;
  });
  if (exact != losses.end()) return &*exact;
  const auto found = std::find_if(losses.begin(), losses.end(), [&](const omt::Loss& loss) {
    return QString::fromStdString(loss.what).startsWith(what);
  });
  return found == losses.end() ? nullptr : &*found;
}

QString listOf(const std::vector<omt::Loss>& losses) {
  QStringList lines;
  for (const omt::Loss& loss : losses) {
    lines << QString::fromStdString(loss.what + " -> " + loss.became);
    for (const omt::Loss::Place& place : loss.places) {
      lines << QString("  %1:%2").arg(place.line).arg(QString::fromStdString(place.name));
    }
  }
  return lines.join('\n');
}

/// A schema of the standard, as the product has it.
class Schema {
 public:
  explicit Schema(const QString& name) {
    const QString folder = QStringLiteral(TUTTI_SOURCE_DIR "/fom-editor/schemas");
    const QByteArray path = QFile::encodeName(folder + "/IEEE1516-" + name + ".xsd");
    xmlSchemaParserCtxt* parser = xmlSchemaNewParserCtxt(path.constData());
    schema_.reset(xmlSchemaParse(parser));
    xmlSchemaFreeParserCtxt(parser);
  }
  bool isThere() const { return schema_ != nullptr; }

  /// Empty: valid.
  QString faultOf(const std::string& text) const {
    xmlDoc* document = xmlReadMemory(text.data(), static_cast<int>(text.size()), "module.xml",
                                     nullptr, XML_PARSE_NONET | XML_PARSE_NOERROR);
    if (document == nullptr) return "not well-formed";
    xmlSchemaValidCtxt* check = xmlSchemaNewValidCtxt(schema_.get());
    QString fault;
    xmlSchemaSetValidErrors(check, &Schema::keep, &Schema::keep, &fault);
    const int code = xmlSchemaValidateDoc(check, document);
    xmlSchemaFreeValidCtxt(check);
    xmlFreeDoc(document);
    return code == 0 ? QString() : fault + QString(" (%1)").arg(code);
  }

 private:
  static void keep(void* kept, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    *static_cast<QString*>(kept) += QString::vasprintf(format, arguments);
    va_end(arguments);
  }
  struct Free {
    void operator()(xmlSchema* schema) const { xmlSchemaFree(schema); }
  };
  std::unique_ptr<xmlSchema, Free> schema_;
};

}  // namespace

class TestModuleConversion : public QObject {
  Q_OBJECT

 private slots:
  void realFilesAreReadAgain_data() {
    QTest::addColumn<QString>("path");
    for (const QString& path : realFiles()) {
      QTest::newRow(qPrintable(path.mid(fomfiles::folder().size() + 1))) << path;
    }
    if (realFiles().isEmpty()) QTest::newRow("none") << QString();
  }
  void realFilesAreReadAgain() {
    SKIP_WITHOUT_FOMS();
    QFETCH(QString, path);
    const std::string bytes = content(path);
    const omt::Module before = readOrFail(bytes);
    const auto modelBefore = merged(before);
    for (const omt::Edition to : editions) {
      const auto there = convertModule(bytes, "module", to);
      QVERIFY2(there, there ? "" : there.error().toText().c_str());
      const omt::Module after = readOrFail(there->text);
      QCOMPARE(after.edition, to);
      QCOMPARE(tree(after), tree(before));
      // What was converted stays as it is.
      const auto again = convertModule(there->text, "module", to);
      QVERIFY(again);
      QStringList lines = linesOf(there->text);
      if (to == omt::Edition::Hla13Omt) {
        // Readers have no place for them in a row, and say so.
        lines.removeIf([](const QString& line) {
          return line.contains("(Units ") || line.contains("(Resolution ") ||
                 line.contains("(Accuracy ");
        });
        QCOMPARE(find(again->losses, "Lists (Units ...)") != nullptr,
                 QString::fromStdString(there->text).contains("(Units "));
      }
      QCOMPARE(linesOf(again->text), lines);
      // Nothing has changed unless it is said, on the way there and on the way back.
      const auto back = convertModule(there->text, "module", before.edition);
      QVERIFY2(back, back ? "" : back.error().toText().c_str());
      if (modelBefore == nullptr) continue;
      if (there->losses.empty()) {
        QCOMPARE(differences(*modelBefore, *merged(after)), QStringList());
      }
      if (there->losses.empty() && back->losses.empty()) {
        QCOMPARE(differences(*modelBefore, *merged(readOrFail(back->text))), QStringList());
      }
    }
  }

  void whatIsWrittenInAnEditionIsWrittenSoAgain_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("FED") << QByteArray(conversionmodules::fed);
    QTest::newRow("OMT") << QByteArray(conversionmodules::omd);
  }
  void whatIsWrittenInAnEditionIsWrittenSoAgain() {
    QFETCH(QByteArray, text);
    const omt::Module module = readOrFail(text.toStdString());
    const auto conversion = convertModule(text.toStdString(), "module", module.edition);
    QVERIFY(conversion);
    QCOMPARE(linesOf(conversion->text), linesOf(text.toStdString()));
    QVERIFY2(conversion->losses.empty(), qPrintable(listOf(conversion->losses)));
  }

  /// Where the report is empty nothing may differ, so the report may be empty only there.
  void nothingIsLostSilently_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("to");
    QTest::addColumn<bool>("lossless");
    const auto row = [](const char* name, const char* text, omt::Edition to, bool lossless) {
      QTest::addRow("%s to %s", name, qPrintable(nameOf(to)))
          << QByteArray(text) << static_cast<int>(to) << lossless;
    };
    for (const omt::Edition to : editions) {
      // HLA 1.3 has both forms of one model; the other one says more.
      const bool is13 = to == omt::Edition::Hla13Fed || to == omt::Edition::Hla13Omt;
      row("FED", conversionmodules::fed, to, is13);
      row("OMT", conversionmodules::omd, to, to == omt::Edition::Hla13Omt);
      row("2010", conversionmodules::of2010, to, to == omt::Edition::Ieee2010);
      row("2025", conversionmodules::of2025, to, false);
    }
  }
  void nothingIsLostSilently() {
    QFETCH(QByteArray, text);
    QFETCH(int, to);
    QFETCH(bool, lossless);
    const auto conversion =
        convertModule(text.toStdString(), "module", static_cast<omt::Edition>(to));
    QVERIFY2(conversion, conversion ? "" : conversion.error().toText().c_str());
    QVERIFY2(conversion->losses.empty() == lossless, qPrintable(listOf(conversion->losses)));
    const auto before = merged(readOrFail(text.toStdString()));
    const auto after = merged(readOrFail(conversion->text));
    QVERIFY(before && after);
    if (lossless) QCOMPARE(differences(*before, *after), QStringList());
  }

  void aLossSaysWhatAndWhere_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("to");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("place");
    QTest::addColumn<int>("line");
    int number = 0;
    const auto row = [&](const QByteArray& text, omt::Edition to, const char* what,
                         const char* place, int line) {
      QTest::addRow("%d %s: %s", ++number, qPrintable(nameOf(to)), what)
          << text << static_cast<int>(to) << QString(what) << QString(place) << line;
    };
    using omt::Edition;
    const QByteArray of2010 = conversionmodules::of2010;
    const QByteArray of2025 = conversionmodules::of2025;
    const QByteArray fed = conversionmodules::fed;
    const QByteArray omd = conversionmodules::omd;
    row(of2010, Edition::Hla13Fed, "Datatypes of attributes", "Ship.position", 8);
    row(of2010, Edition::Hla13Fed, "Semantics", "Ship", 7);
    row(of2010, Edition::Hla13Fed, "Sharing", "Ship", 7);
    row(of2010, Edition::Hla13Fed, "Ownership", "Ship.position", 8);
    row(of2010, Edition::Hla13Fed, "Update types", "Ship.position", 8);
    row(of2010, Edition::Hla13Fed, "References to notes", "Ship", 7);
    row(of2010, Edition::Hla13Fed, "Notes", "n1", 28);
    row(of2010, Edition::Hla13Fed, "Classes that are only named", "Port", 11);
    row(of2010, Edition::Hla13Fed, "Transportation types besides", "Ship.position: Pigeon", 8);
    row(of2010, Edition::Hla13Fed, "Transportation types of their own", "Pigeon", 18);
    row(of2010, Edition::Hla13Fed, "Dimensions that belong to no routing space", "Sea in Sea", 14);
    row(of2010, Edition::Hla13Fed, "Upper bounds and defaults", "Sea", 14);
    row(of2010, Edition::Hla13Fed, "Datatypes and normalization of dimensions", "Sea", 14);
    row(of2010, Edition::Hla13Fed, "Update rates", "Low", 20);
    row(of2010, Edition::Hla13Fed, "Synchronization points", "Start", 17);
    row(of2010, Edition::Hla13Fed, "Switches", "", 19);
    row(of2010, Edition::Hla13Fed, "Datatypes of tags and of time", "sendReceiveTag", 16);
    row(of2010, Edition::Hla13Fed, "Datatypes", "Word24", 21);
    row(of2010, Edition::Hla13Fed, "Identification of the module", "version", 0);
    row(of2010, Edition::Hla13Omt, "Simple datatypes", "Speed as double", 22);
    row(of2010, Edition::Hla13Omt, "Semantics of simple datatypes", "Speed", 22);
    row(of2010, Edition::Hla13Omt, "Basic, simple and array datatypes that no row", "Word24", 21);
    row(of2010, Edition::Hla13Omt, "Arrays of arrays", "Grid of Row", 25);
    row(of2010, Edition::Hla13Omt, "Array datatypes", "Row as double 3", 24);
    row(of2010, Edition::Hla13Omt, "Variant records", "Load", 27);
    row(of2010, Edition::Hla13Omt, "Alternatives of variant records without", "Load.HLAother", 27);
    row(of2010, Edition::Hla13Omt, "Representations of enumerated", "Kind: HLAinteger32BE", 23);
    row(of2010, Edition::Hla13Omt, "Further values of enumerators", "Kind.Big 2", 23);
    row(of2010, Edition::Hla13Omt, "Encodings of records", "Track", 26);
    row(of2010, Edition::Hla13Omt, "Datatypes of the standard MIM", "HLAunicodeString as string",
        0);
    row(of2010, Edition::Hla13Omt, "Labels of notes", "n1 as 1", 28);
    row(of2010, Edition::Hla13Omt, "Identification that HLA 1.3", "security classification", 0);
    row(of2010, Edition::Hla13Omt, "Types of points of contact", "Primary author Ann Lee", 0);
    row(of2010, Edition::Ieee2000, "Update rates", "Low", 20);
    row(of2010, Edition::Ieee2000, "Switches that the edition", "conveyProducingFederate, enabled",
        19);
    row(of2010, Edition::Ieee2000, "Whether transportation types are reliable", "Pigeon", 18);
    row(of2010, Edition::Ieee2000, "Classes that are only named", "Port", 11);
    row(of2010, Edition::Ieee2000, "Keywords", "objectModel", 0);
    row(of2010, Edition::Ieee2000, "Details of points of contact", "Ann Lee", 0);
    row(of2010, Edition::Ieee2000, "References", "http://example.org", 0);
    row(of2010, Edition::Ieee2025, "Switches that the edition", "conveyProducingFederate, enabled",
        19);
    row(of2010, Edition::Ieee2025, "Dimensions of attributes", "Ship.speed", 9);
    row(of2025, Edition::Ieee2010, "Directed interactions are not offered", "", 4);
    row(of2025, Edition::Ieee2010, "Required values of attributes are not asked for", "", 6);
    row(of2025, Edition::Ieee2010, "Required values of attributes", "position", 6);
    row(of2025, Edition::Ieee2010, "Switches that the edition", "allowRelaxedDDM, enabled", 11);
    row(of2025, Edition::Ieee2010, "Reference datatype ShipName", "", 12);
    row(of2025, Edition::Ieee2010, "Directed interactions", "Ship.Call", 4);
    row(of2025, Edition::Ieee2010, "Reference datatypes", "ShipName", 12);
    row(of2025, Edition::Ieee2000, "Directed interactions", "Ship.Call", 4);
    row(of2025, Edition::Hla13Fed, "Directed interactions", "Ship.Call", 4);
    row(of2025, Edition::Hla13Omt, "Directed interactions", "Ship.Call", 4);
    row(of2025, Edition::Hla13Omt, "Which instances reference datatypes refer to", "ShipName", 12);
    row(of2025, Edition::Ieee2010, "Switch allowRelaxedDDM", "", 11);
    row(of2025, Edition::Ieee2010, "Elements that are not read", "dimension/inputDataDescription",
        9);
    row(QByteArray(of2025).replace("</version>", "</version><copyright>Ours</copyright>"),
        Edition::Ieee2025, "The copyright", "modelIdentification/copyright", 2);
    row(fed, Edition::Ieee2010, "Dimensions of routing spaces", "Map_X", 5);
    row(fed, Edition::Ieee2010, "Sharing of classes", "Tug", 20);
    row(omd, Edition::Ieee2010, "Base types of HLA 1.3", "unsigned short as UnsignedInteger16BE",
        0);
    row(omd, Edition::Ieee2010, "Labels of notes that are numbers", "1", 74);
    row(QByteArray(omd).replace("(VersionNumber \"1.0\")", "(ModificationDate 10/08/2015)"),
        Edition::Ieee2010, "A modification date", "10/08/2015", 0);
    row(QByteArray(omd).replace("            (Cardinality \"3\")\n            (UpdateType NA)",
                                "            (Cardinality \"3\") (Units \"lx\")\n (UpdateType NA)"),
        Edition::Ieee2010, "Lists (Units ...)", "Attribute", 52);
    row(QByteArray(omd).replace("            (DeliveryCategory reliable)\n"
                                "            (MessageOrdering receive)\n",
                                ""),
        Edition::Ieee2010, "Transportation and order of attributes", "lights", 50);
    row(QByteArray(omd).replace("(UpdateCondition \"10 Hz\")", "(UpdateCondition \"10 Hz\" [2])"),
        Edition::Hla13Omt, "References to notes of single cells", "Attribute UpdateCondition", 42);
    row(QByteArray(omd).replace("(FieldName \"x\")", "(FieldName \"x\" [2])"), Edition::Hla13Omt,
        "References to notes, but for", "ComplexComponent FieldName", 15);
    row(QByteArray(fed).replace("(class Tug", "(class Tug ; pulls\n(sec_level \"Public\")"),
        Edition::Ieee2010, "Comments", "", 20);
    row(QByteArray(fed).replace("(class Tug", "(class Tug ; pulls\n(sec_level \"Public\")"),
        Edition::Ieee2010, "Lists (sec_level ...)", "class", 21);
    row(QByteArray(fed).replace("(class InteractionRoot best_effort",
                                "(class InteractionRoot reliable"),
        Edition::Hla13Fed, "How the root of interactions", "InteractionRoot", 26);
    row(QByteArray(fed).replace("(class RTIprivate)\n",
                                "(class RTIprivate) (class Manager (class Federate))\n"),
        Edition::Ieee2010, "Class Manager, the MOM of HLA 1.3", "", 16);
    row(QByteArray(of2010).replace("<objects>", "<!-- keep -->\n<objects>"), Edition::Ieee2010,
        "Comments and instructions", "", 7);
    row(QByteArray(of2010).replace("<other>", "<glyph href=\"a.png\">AAAA</glyph><other>"),
        Edition::Ieee2010, "Elements that are not read", "modelIdentification/glyph", 6);
    row(QByteArray(of2010).replace("<semantics>What floats", "<semantics notes=\"n1\">What floats"),
        Edition::Ieee2010, "References to notes, but for", "semantics notes", 7);
    row(QByteArray(of2010).replace("<size>24</size>", "<size>24</size><colour>red</colour>"),
        Edition::Ieee2010, "Elements that are not read", "basicData/colour", 21);
    row(QByteArray(of2010).replace("<semantics>A note",
                                   "<semantics>Once</semantics><semantics>A note"),
        Edition::Ieee2010, "Cells that stand twice", "note/semantics", 28);
    row(QByteArray(of2010).replace(
            "<objectClass><name>Port</name>",
            "<objectClass><name>HLAmanager</name><objectClass><name>Port</name>"
            "</objectClass>"),
        Edition::Hla13Fed, "The MOM of IEEE 1516", "HLAmanager", 11);
    row(QByteArray(of2010).replace("<name>Port</name>", "<name>Manager</name>"), Edition::Hla13Omt,
        "Classes with names that HLA 1.3 keeps", "Manager", 11);
    row(QByteArray(of2010).replace("<name>speed</name>", "<name>a \"fast\" one</name>"),
        Edition::Hla13Fed, "Names with quotation marks", "a \"fast\" one", 9);
    row(QByteArray(of2010)
            .replace("<dimension>Sea<", "<dimension>A Sea<")
            .replace("<name>Sea<", "<name>A Sea<"),
        Edition::Ieee2000, "Names of dimensions with blanks", "A Sea", 8);
    row("<objectModel DTDversion=\"1516.2\">\n<objects><objectClass name=\"HLAobjectRoot\">\n"
        "<objectClass name=\"Ship\" semanticsNotes=\"n1\" colour=\"red\"/></objectClass></objects>"
        "</objectModel>",
        Edition::Ieee2000, "References to notes of single cells", "objectClass semanticsNotes", 3);
    row("<objectModel DTDversion=\"1516.2\">\n<objects><objectClass name=\"HLAobjectRoot\">\n"
        "<objectClass name=\"Ship\" semanticsNotes=\"n1\" colour=\"red\"/></objectClass></objects>"
        "</objectModel>",
        Edition::Ieee2000, "XML attributes that are not read", "objectClass colour", 3);
  }
  void aLossSaysWhatAndWhere() {
    QFETCH(QByteArray, text);
    QFETCH(int, to);
    QFETCH(QString, what);
    QFETCH(QString, place);
    QFETCH(int, line);
    const auto conversion =
        convertModule(text.toStdString(), "module", static_cast<omt::Edition>(to));
    QVERIFY2(conversion, conversion ? "" : conversion.error().toText().c_str());
    const omt::Loss* loss = find(conversion->losses, what);
    QVERIFY2(loss != nullptr, qPrintable(listOf(conversion->losses)));
    const bool there =
        std::any_of(loss->places.begin(), loss->places.end(), [&](const omt::Loss::Place& p) {
          return QString::fromStdString(p.name) == place && p.line == line;
        });
    QVERIFY2(there, qPrintable(listOf(conversion->losses)));
    QVERIFY(loss->count >= loss->places.size());
  }

  /// What was converted to HLA 1.3 and comes back has routing spaces for dimensions, and base types
  /// for datatypes; the federation's classes are the same.
  void routingSpacesHoldTheDimensionsOfEachRow() {
    const std::string text = conversionmodules::regions;
    const auto conversion = convertModule(text, "module", omt::Edition::Hla13Fed);
    QVERIFY2(conversion, conversion ? "" : conversion.error().toText().c_str());
    const omt::Module module = readOrFail(conversion->text);
    const auto& attributes = module.objectClasses[0].subclasses[0].attributes;
    using Names = std::vector<std::string>;
    QCOMPARE(attributes[0].dimensions, (Names{"Map_X", "Map_Y"}));
    QCOMPARE(attributes[1].dimensions, (Names{"Map_X_Map-X"}));
    QCOMPARE(attributes[2].dimensions, (Names{"reliable2_reliable"}));
    Names all;
    for (const omt::Dimension& d : module.dimensions) all.push_back(d.name);
    QCOMPARE(all,
             (Names{"Map_X", "Map_Y", "Map_X_Map-X", "reliable2_reliable", "Free_1", "Free_2"}));
    QVERIFY(find(conversion->losses, "Dimensions that rows with other dimensions have, too"));
  }

  void theFormsOfRprConvertIntoEachOther_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<int>("to");
    for (const char* from : {"1.3.fed", "1516-2000.xml", "1516-2010.xml"}) {
      for (const omt::Edition to :
           {omt::Edition::Hla13Fed, omt::Edition::Ieee2000, omt::Edition::Ieee2010}) {
        QTest::addRow("%s to %s", from, qPrintable(nameOf(to)))
            << QString(from) << static_cast<int>(to);
      }
    }
  }
  void theFormsOfRprConvertIntoEachOther() {
    SKIP_WITHOUT_FOMS();
    QFETCH(QString, from);
    QFETCH(int, to);
    const auto delivered = [](const omt::Module& module) {
      QStringList lines;
      const auto model = merged(module);
      if (model == nullptr) qFatal("not merged");
      for (const omt::ObjectClass& c : model->objectClasses()) {
        if (c.fullName.find("HLAmanager") != std::string::npos) continue;
        for (const omt::AttributeHandle handle : c.attributes) {
          const omt::Attribute& a = *model->attribute(handle);
          lines << QString::fromStdString(c.fullName + '.' + a.name + ' ' + a.transportation + ' ' +
                                          std::string(omt::toText(a.order)));
        }
      }
      for (const omt::InteractionClass& c : model->interactionClasses()) {
        if (c.fullName.find("HLAmanager") != std::string::npos) continue;
        lines << QString::fromStdString(c.fullName + ' ' + c.transportation + ' ' +
                                        std::string(omt::toText(c.order)));
      }
      lines.sort();
      return lines;
    };
    const auto conversion = convertModule(content(fomfiles::path("rpr2/RPR_FOM_v2.0_" + from)),
                                          "module", static_cast<omt::Edition>(to));
    QVERIFY(conversion);
    const char* other = to == static_cast<int>(omt::Edition::Hla13Fed)   ? "1.3.fed"
                        : to == static_cast<int>(omt::Edition::Ieee2000) ? "1516-2000.xml"
                                                                         : "1516-2010.xml";
    const omt::Module converted = readOrFail(conversion->text);
    const omt::Module published = readOrFail(content(fomfiles::path("rpr2/RPR_FOM_v2.0_") + other));
    QCOMPARE(tree(converted), tree(published));
    QCOMPARE(delivered(converted), delivered(published));
  }

  void resultsAreValid() {
    const Schema dif2010("DIF-2010");
    const Schema dif2025("DIF-2025");
    QVERIFY(dif2010.isThere() && dif2025.isThere());
    int valid = 0;
    const auto check = [&](const std::string& text, const QString& name) {
      for (const auto& [schema, to] : {std::pair(&dif2010, omt::Edition::Ieee2010),
                                       std::pair(&dif2025, omt::Edition::Ieee2025)}) {
        const auto conversion = convertModule(text, "module", to);
        if (!conversion) qFatal("%s", conversion.error().toText().c_str());
        const QString fault = schema->faultOf(conversion->text);
        QVERIFY2(fault.isEmpty(), qPrintable(name + " to " + nameOf(to) + ": " + fault));
      }
      ++valid;
    };
    check(conversionmodules::of2010, "2010");
    check(conversionmodules::of2025, "2025");
    check(conversionmodules::omd, "OMT");
    check(QByteArray(conversionmodules::fed).replace("Radio 1", "Radio1").toStdString(), "FED");
    for (const QString& path : testmodels::airTraffic()) check(content(path), path);
    if (!fomfiles::present()) return;
    for (const QString& path : realFiles()) {
      const std::string bytes = content(path);
      if (path.endsWith(".xml") && dif2010.faultOf(bytes).isEmpty()) check(bytes, path);
    }
    // 2000 and HLA 1.3 have no schema of their own here; what they say is valid in later ones.
    for (const char* from : {"1.3.fed", "1516-2000.xml"}) {
      check(content(fomfiles::path("rpr2/RPR_FOM_v2.0_") + from), from);
    }
    QVERIFY2(valid > 40, qPrintable(QString::number(valid)));
  }

  void joinedModulesDefineTheSame_data() {
    QTest::addColumn<QStringList>("paths");
    QTest::newRow("air traffic") << testmodels::airTraffic();
    for (const QString& set : fomfiles::sets())
      QTest::newRow(qPrintable(set)) << fomfiles::set(set);
  }
  void joinedModulesDefineTheSame() {
    QFETCH(QStringList, paths);
    if (!QString(QTest::currentDataTag()).startsWith("air")) SKIP_WITHOUT_FOMS();
    std::vector<JoinedFile> files;
    std::vector<omt::Module> modules;
    for (const QString& path : paths) {
      files.push_back({content(path), path.toStdString()});
      modules.push_back(readOrFail(files.back().bytes));
    }
    const auto apart = omt::merge(modules);
    QVERIFY2(apart, apart ? "" : apart.error().toText().c_str());
    const auto joined = joinModules(files, "Joined", omt::Edition::Ieee2010);
    QVERIFY2(joined, joined ? "" : joined.error().toText().c_str());
    const omt::Module module = readOrFail(joined->text);
    QCOMPARE(module.identification.name, std::string("Joined"));
    const auto together = merged(module);
    QVERIFY(together);
    QStringList differ = differences(apart->model, *together);
    differ.removeIf([](const QString& line) { return line.contains(" identification "); });
    QCOMPARE(differ, QStringList());
    // Of an edition without modules, too.
    const auto old = joinModules(files, "Joined", omt::Edition::Ieee2000);
    QVERIFY2(old, old ? "" : old.error().toText().c_str());
    QCOMPARE(tree(readOrFail(old->text)), tree(module));
  }

  void whatIsJoinedHasToFit() {
    const std::string one = conversionmodules::of2010;
    std::string other = one;
    other.replace(other.find("<dataType>Speed</dataType>"), 26, "<dataType>Track</dataType>");
    const auto joined =
        joinModules({{one, "one.xml"}, {other, "other.xml"}}, "Both", omt::Edition::Ieee2010);
    QVERIFY(!joined);
    QCOMPARE(joined.error().kind, omt::ErrorKind::Inconsistent);
    QCOMPARE(joined.error().file, std::string("other.xml"));
  }

  void aNewModuleIsOneOfItsEdition() {
    for (const omt::Edition edition : editions) {
      const omt::Module module = readOrFail(newModule("Fresh \"one\"", edition));
      QCOMPARE(module.edition, edition);
      QVERIFY(QString::fromStdString(module.identification.name).startsWith("Fresh "));
      QVERIFY(merged(module) != nullptr);
    }
    const Schema dif("DIF-2010");
    QVERIFY(dif.isThere());
    QCOMPARE(dif.faultOf(newModule("Fresh", omt::Edition::Ieee2010)), QString());
  }

  void whatCannotBeReadIsNotConverted() {
    const auto conversion = convertModule("(FED (Federation", "cut.fed", omt::Edition::Ieee2010);
    QVERIFY(!conversion);
    QCOMPARE(conversion.error().file, std::string("cut.fed"));
    // Names that HLA 1.3 makes longer than anybody reads.
    const std::string name(700, 'a');
    const std::string longNames = "(FED (spaces (space " + name + " (dimension " + name + "))))";
    const auto longer = convertModule(longNames, "long.fed", omt::Edition::Ieee2010);
    QVERIFY(!longer);
    QVERIFY2(
        longer.error().toText().find("cannot be written as IEEE 1516-2010") != std::string::npos,
        longer.error().toText().c_str());
  }
};

QTEST_GUILESS_MAIN(TestModuleConversion)
#include "tst_module_conversion.moc"
