// SPDX-License-Identifier: GPL-3.0-or-later
// Classes of a module in a new one: what goes, and that both together are what the one was.
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTextStream>
#include <algorithm>
#include <map>
#include <random>

#include "fom-editor/model/extraction_command.h"
#include "fom-editor/model/item.h"
#include "fom-editor/model/module_conversion.h"
#include "fom-editor/model/module_extraction.h"
#include "fom-editor/model/module_file.h"
#include "omt/merge.h"
#include "omt/reader.h"
#include "test_models.h"

using namespace tutti;
using namespace tutti::fomedit;

namespace {

using Class = ExtractionRequest::Class;

/// Every XML module of the collection, and those of these tests.
QStringList collection() {
  const QString given = qEnvironmentVariable("TUTTI_FOMS");
  const QDir foms(given.isEmpty() ? QStringLiteral(TUTTI_SOURCE_DIR "/../shared/foms") : given);
  QStringList files = testmodels::airTraffic();
  for (const QFileInfo& folder : foms.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
    for (const QFileInfo& file :
         QDir(folder.filePath()).entryInfoList({"*.xml"}, QDir::Files, QDir::Name)) {
      files << file.filePath();
    }
  }
  return files;
}

std::string bytesOf(const QString& path) {
  const auto bytes = omt::readModuleBytes(path.toStdString());
  if (!bytes) qFatal("%s", bytes.error().toText().c_str());
  return *bytes;
}

/// The model as an RTI sees it, whatever the order of definition: names, and what each says.
std::map<std::string, std::string> asAnRtiSeesIt(const omt::ObjectModel& model) {
  std::map<std::string, std::string> all;
  const auto number = [](auto value) { return std::to_string(static_cast<int>(value)) + ' '; };
  const auto joined = [](std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    std::string list;
    for (const std::string& name : names) list += name + ',';
    return list;
  };
  for (const omt::ObjectClass& c : model.objectClasses()) {
    all["object " + c.fullName] = number(c.sharing) + number(c.scaffolding);
    for (const omt::AttributeHandle handle : c.attributes) {
      const omt::Attribute& a = *model.attribute(handle);
      all["attribute " + c.fullName + ' ' + a.name] = a.dataType + ' ' + a.transportation + ' ' +
                                                      number(a.order) + number(a.sharing) +
                                                      joined(a.dimensions);
    }
  }
  for (const omt::InteractionClass& c : model.interactionClasses()) {
    all["interaction " + c.fullName] = number(c.sharing) + number(c.scaffolding) +
                                       c.transportation + ' ' + number(c.order) +
                                       joined(c.dimensions);
    for (const omt::ParameterHandle handle : c.parameters) {
      const omt::Parameter& p = *model.parameter(handle);
      all["parameter " + c.fullName + ' ' + p.name] = p.dataType;
    }
  }
  for (const omt::DataType& t : model.dataTypes()) {
    std::string said = number(t.kind) + t.representation + ' ' + t.elementType + ' ' +
                       t.discriminantType + ' ' + t.encoding + ' ';
    for (const omt::RecordField& f : t.fields) said += f.name + ':' + f.dataType + ',';
    for (const omt::Enumerator& e : t.enumerators) said += e.name + ',';
    for (const omt::VariantAlternative& a : t.alternatives) said += a.name + ':' + a.dataType + ',';
    all["datatype " + t.name] = said;
  }
  for (const omt::Dimension& d : model.dimensions()) {
    all["dimension " + d.name] = d.dataType + ' ' + std::to_string(d.upperBound.value_or(0));
  }
  for (const omt::Transportation& t : model.transportations()) all["transportation " + t.name];
  for (const omt::Note& n : model.notes()) all["note " + n.label] = n.semantics;
  for (const omt::UpdateRate& r : model.updateRates()) all["rate " + r.name];
  return all;
}

std::map<std::string, std::string> merged(const std::vector<std::string>& texts) {
  std::vector<omt::Module> modules;
  for (const std::string& text : texts) {
    auto module = omt::readModule(text, "module" + std::to_string(modules.size()));
    if (!module) qFatal("%s", module.error().toText().c_str());
    modules.push_back(std::move(*module));
  }
  const auto result = omt::merge(modules);
  if (!result) return {{"error", result.error().message}};
  return asAnRtiSeesIt(result->model);
}

QStringList told(const std::vector<ExtractedRow>& rows) {
  QStringList list;
  for (const ExtractedRow& row : rows) list << text(row.kind) + ' ' + text(row.name);
  return list;
}

ModuleSource sourceOf(const std::string& bytes) {
  auto source = ModuleSource::parse(bytes, "Old.xml");
  if (!source) qFatal("%s", source.error().toText().c_str());
  return std::move(*source);
}

std::string harbour() { return bytesOf(testmodels::data("extraction/Harbour.xml")); }

ExtractionRequest tug() {
  ExtractionRequest request;
  request.classes = {{true, "HLAobjectRoot.Ship.Tug"}};
  request.name = "Tugs";
  return request;
}

}  // namespace

class TestModuleExtraction : public QObject {
  Q_OBJECT

 private slots:
  void whatClassesAloneUseGoesWithThem() {
    const ModuleSource source = sourceOf(harbour());
    const auto made = extractionOf(source, tug());
    QVERIFY2(made.has_value(), made ? "" : qPrintable(made.error()));
    QCOMPARE(told(made->moved),
             (QStringList{"object class HLAobjectRoot.Ship.Tug",
                          "object class HLAobjectRoot.Ship.Tug.FireTug", "dimension Basin",
                          "transportation type Radio", "datatype Tow", "datatype Link", "note N1",
                          "note N2"}));
    QCOMPARE(told(made->needed),
             (QStringList{"object class HLAobjectRoot.Ship", "datatype Metres", "datatype Force"}));
    const QString now = QString::fromStdString(made->text);
    for (const char* part :
         {"<name>Tugs</name>", "<securityClassification>Unclassified</securityClassification>",
          "<identification>Sea.xml</identification>", "<identification>Old.xml</identification>",
          "      <objectClass>\n        <name>Ship</name>\n        <objectClass>\n          "
          "<name>Tug"
          "</name>\n          <sharing notes=\"N1\">"}) {
      QVERIFY2(now.contains(part), qPrintable(now));
    }
    QVERIFY(!now.contains("draught") && !now.contains("Metres</name>"));
    // Of the old module only that is gone; tables without rows are no more.
    const std::string rest = spliced(source.text(), made->changes);
    const QString old = QString::fromStdString(rest);
    QVERIFY2(!old.contains("Tug") && !old.contains("<notes>") && !old.contains("<dimensions>"),
             qPrintable(old));
    QVERIFY(old.contains("<!-- of the harbour -->") && old.contains("<!-- a comment stays -->"));
    QVERIFY(old.contains("draught"));
    QCOMPARE(merged({rest, made->text}), merged({harbour()}));
  }

  void whatOthersUseTooIsCopiedOrMoved() {
    const ModuleSource source = sourceOf(harbour());
    ExtractionRequest request = tug();
    request.shared = SharedRows::Copy;
    auto made = extractionOf(source, request);
    QVERIFY(made.has_value());
    QCOMPARE(told(made->copied), (QStringList{"datatype Metres", "datatype Force"}));
    QCOMPARE(told(made->needed), QStringList{"object class HLAobjectRoot.Ship"});
    QCOMPARE(merged({spliced(source.text(), made->changes), made->text}), merged({harbour()}));
    request.shared = SharedRows::Move;
    request.file = "Tugs 2.xml";
    made = extractionOf(source, request);
    QVERIFY(made.has_value());
    QVERIFY(told(made->moved).contains("datatype Force"));
    const std::string rest = spliced(source.text(), made->changes);
    QVERIFY(rest.find("<identification>Tugs%202.xml</identification>") != std::string::npos);
    QCOMPARE(merged({rest, made->text}), merged({harbour()}));
    // What another module uses is used by others, too.
    request.shared = SharedRows::Stay;
    request.usedElsewhere = {{NameKind::DataType, "Link"}};
    made = extractionOf(source, request);
    QVERIFY(made.has_value());
    QVERIFY(told(made->needed).contains("datatype Link"));
    QVERIFY(told(made->moved).contains("datatype Tow"));
  }

  void aClassCanGoWithoutItsSubclasses() {
    const ModuleSource source = sourceOf(harbour());
    ExtractionRequest request = tug();
    request.withSubclasses = false;
    const auto made = extractionOf(source, request);
    QVERIFY2(made.has_value(), made ? "" : qPrintable(made.error()));
    QVERIFY(!told(made->moved).contains("object class HLAobjectRoot.Ship.Tug.FireTug"));
    const std::string rest = spliced(source.text(), made->changes);
    QVERIFY(rest.find("FireTug") != std::string::npos);
    QVERIFY(made->text.find("FireTug") == std::string::npos);
    QCOMPARE(merged({rest, made->text}), merged({harbour()}));
  }

  void aScaffoldingWithoutClassesGoes() {
    const ModuleSource source = sourceOf(harbour());
    ExtractionRequest request = tug();
    request.classes = {{true, "HLAobjectRoot.Outer.Buoy"}};
    const auto made = extractionOf(source, request);
    QVERIFY(made.has_value());
    const std::string rest = spliced(source.text(), made->changes);
    QVERIFY(rest.find("Outer") == std::string::npos);
    QCOMPARE(merged({rest, made->text}), merged({harbour()}));
  }

  void notesOfTheIdentificationGoAlong() {
    // The new module has cells of the old one's identification, and its start tag.
    std::string noted = harbour();
    const auto replace = [&](const std::string& from, const std::string& to) {
      const std::size_t at = noted.find(from);
      QVERIFY(at != std::string::npos);
      noted.replace(at, from.size(), to);
    };
    replace("<objectModel xmlns", "<objectModel notes=\"N3\" xmlns");
    replace("<securityClassification>", "<securityClassification notes=\"N4 N1\">");
    replace("<type>Dependency</type>", "<type notes=\"N5\">Dependency</type>");
    replace("<version>", "<version notes=\"N6\">");
    std::string rows;
    for (const char* label : {"N3", "N4", "N5", "N6"}) {
      rows += std::string("<note><label>") + label + "</label><semantics>x</semantics></note>";
    }
    replace("  </notes>", rows + "</notes>");
    const ModuleSource source = sourceOf(noted);
    const auto made = extractionOf(source, tug());
    QVERIFY2(made.has_value(), made ? "" : qPrintable(made.error()));
    const auto both = {made->text, spliced(source.text(), made->changes)};
    for (const std::string& each : both) {
      const ModuleSource now = sourceOf(each);
      std::set<std::string> labels;
      std::set<std::string> used;
      for (ElementId id = 0; id < now.elements().size(); ++id) {
        if (now.nameOf(id) == "label") labels.insert(std::string(now.rawText(id)));
        const auto notes = now.attribute(id, "notes");
        if (!notes) continue;
        for (const QString& note : text(now.resolved(notes->value)).split(' ')) {
          used.insert(note.toStdString());
        }
      }
      QVERIFY2(labels == used, each.c_str());
    }
    QVERIFY(told(made->copied).contains("note N1") && told(made->copied).contains("note N5"));
    QVERIFY(told(made->moved).contains("note N2"));
    QVERIFY(!told(made->copied).contains("note N6"));
  }

  void anotherNameNeedsNoSecondCheck() {
    const ModuleSource source = sourceOf(harbour());
    ExtractionRequest request = tug();
    request.name = "Other & more";
    const auto made = extractionOf(source, request);
    const auto unchecked = extractionUnchecked(source, request);
    QVERIFY(made.has_value() && unchecked.has_value());
    QCOMPARE(unchecked->text, made->text);
    QCOMPARE(spliced(source.text(), unchecked->changes), spliced(source.text(), made->changes));
    // One that is not waited for any more ends without a word.
    const auto givenUp = extractionOf(source, request, [] { return false; });
    QVERIFY(!givenUp && givenUp.error().isEmpty());
  }

  void whatMakesNoSenseIsSaid_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("why");
    QTest::newRow("unknown") << "HLAobjectRoot.Car"
                             << "has no class HLAobjectRoot.Car";
    QTest::newRow("root") << "HLAobjectRoot"
                          << "cannot do without HLAobjectRoot";
    QTest::newRow("named") << "HLAobjectRoot.Outer"
                           << "only names HLAobjectRoot.Outer";
    QTest::newRow("none") << ""
                          << "no class is chosen";
  }
  void whatMakesNoSenseIsSaid() {
    QFETCH(QString, name);
    QFETCH(QString, why);
    ExtractionRequest request = tug();
    request.classes.clear();
    if (!name.isEmpty()) request.classes = {{true, name.toStdString()}};
    const auto made = extractionOf(sourceOf(harbour()), request);
    QVERIFY(!made.has_value());
    QVERIFY2(made.error().contains(why), qPrintable(made.error()));
  }
  void anEditionWithoutModulesIsSaid() {
    const auto fed = ModuleSource::parseFed(
        "(FED (Federation x) (FEDversion v1.3) (objects (class ObjectRoot (class Ship))))",
        "x.fed");
    QVERIFY2(fed.has_value(), fed ? "" : fed.error().toText().c_str());
    ExtractionRequest request = tug();
    request.classes = {{true, "HLAobjectRoot.Ship"}};
    const auto made = extractionOf(*fed, request);
    QVERIFY(!made.has_value());
    QVERIFY2(made.error().startsWith("x.fed is of HLA 1.3"), qPrintable(made.error()));
  }

  void publishedModelsStayWhatTheyAre_data() {
    QTest::addColumn<QString>("file");
    for (const QString& file : collection()) QTest::newRow(qPrintable(file)) << file;
  }
  void publishedModelsStayWhatTheyAre() {
    QFETCH(QString, file);
    const std::string bytes = bytesOf(file);
    staysWhatItIs(file, bytes);
    // The collection has none of 2025.
    const auto newer = convertModule(bytes, "x", omt::Edition::Ieee2025);
    if (newer && !QTest::currentTestFailed()) staysWhatItIs(file, newer->text);
  }
  /// Those of these tests are among them: one is a model by itself, one needs the others.
  void publishedModelsAreCompared() {
    qInfo("%d extractions compared alone, %d with other modules, %d not at all",
          compared_[Extraction::Compared::Alone], compared_[Extraction::Compared::WithOthers],
          compared_[Extraction::Compared::No]);
    QVERIFY(compared_[Extraction::Compared::Alone] > 0);
    QVERIFY(compared_[Extraction::Compared::WithOthers] > 0);
  }

  void aModuleThatNeedsOthersIsComparedWithThem() {
    // Its transportation type is elsewhere: alone the harbour is no model.
    std::string part = harbour();
    const std::size_t at = part.find("<transportations>");
    const std::string last = "</transportations>";
    const std::size_t end = part.find(last, at) + last.size();
    const std::string row = part.substr(at, end - at);
    part.erase(at, end - at);
    const ModuleSource source = sourceOf(part);
    const auto alone = extractionOf(source, tug());
    QVERIFY2(alone.has_value(), alone ? "" : qPrintable(alone.error()));
    QVERIFY(alone->compared == Extraction::Compared::No);
    QVERIFY2(alone->uncompared.contains("Radio"), qPrintable(alone->uncompared));
    ExtractionRequest request = tug();
    const auto radios = std::make_shared<const std::string>(
        "<objectModel xmlns=\"http://standards.ieee.org/IEEE1516-2010\"><modelIdentification>"
        "<name>Radios</name></modelIdentification>" +
        row + "</objectModel>");
    request.others = {{"Broken.xml", std::make_shared<const std::string>("<objectModel>")},
                      {"Radios.xml", radios}};
    const auto made = extractionOf(source, request);
    QVERIFY2(made.has_value(), made ? "" : qPrintable(made.error()));
    QVERIFY(made->compared == Extraction::Compared::WithOthers && made->uncompared.isEmpty());
    QCOMPARE(merged({spliced(source.text(), made->changes), made->text, *radios}),
             merged({part, *radios}));
  }

 private:
  std::map<Extraction::Compared, int> compared_;

  /// The other modules of its folder that can be read.
  static std::vector<ExtractionRequest::Other> besides(const QString& file) {
    std::vector<ExtractionRequest::Other> others;
    for (const QFileInfo& each :
         QFileInfo(file).dir().entryInfoList({"*.xml"}, QDir::Files, QDir::Name)) {
      if (each.filePath() == file) continue;
      const bool ours = testmodels::airTraffic().contains(file);
      if (ours && !testmodels::airTraffic().contains(each.filePath())) continue;
      const auto bytes = std::make_shared<const std::string>(bytesOf(each.filePath()));
      const std::string name = each.fileName().toStdString();
      if (omt::readModule(*bytes, name)) others.push_back({name, bytes});
    }
    return others;
  }

  void staysWhatItIs(const QString& file, const std::string& bytes) {
    const auto source = ModuleSource::parse(bytes, QFileInfo(file).fileName().toStdString());
    // The collection has files that are no modules, and of an edition without modules.
    if (!source || !omt::readModule(bytes, "x")) return;
    std::vector<Class> classes = classesOf(*source);
    std::erase_if(classes,
                  [](const Class& c) { return c.fullName.find('.') == std::string::npos; });
    if (classes.empty()) return;
    auto before = merged({bytes});
    std::vector<ExtractionRequest::Other> others;
    std::vector<std::string> more;
    if (before.contains("error")) {
      others = besides(file);
      for (const auto& other : others) more.push_back(*other.bytes);
      more.insert(more.begin(), bytes);
      before = merged(more);
      more.erase(more.begin());
    }
    std::mt19937 random(static_cast<unsigned>(qHash(QFileInfo(file).fileName())));
    for (int round = 0; round < 6; ++round) {
      std::shuffle(classes.begin(), classes.end(), random);
      ExtractionRequest request;
      const std::size_t most = std::min<std::size_t>(classes.size(), 8);
      const std::size_t count = 1 + random() % most;
      request.classes.assign(classes.begin(), classes.begin() + static_cast<long>(count));
      request.withSubclasses = random() % 2 == 0;
      request.shared = static_cast<SharedRows>(random() % 3);
      request.name = "New";
      request.others = others;
      const auto made = extractionOf(*source, request);
      if (source->isOf2000()) {
        QVERIFY(!made && made.error().contains("IEEE 1516-2000"));
        return;
      }
      QVERIFY2(made.has_value(), made ? "" : qPrintable(made.error()));
      const std::string rest = source->bytesOf(spliced(source->text(), made->changes));
      ++compared_[made->compared];
      QCOMPARE(made->compared == Extraction::Compared::No, before.contains("error"));
      const auto mergedAs = [&](std::vector<std::string> texts) {
        texts.insert(texts.end(), more.begin(), more.end());
        return merged(texts);
      };
      const auto after = mergedAs({rest, made->text});
      if (after != before) {
        for (const auto& [name, said] : before) {
          const auto found = after.find(name);
          if (found == after.end() || found->second != said) {
            QFAIL((name + ": " + said + " became " +
                   (found == after.end() ? "nothing" : found->second))
                      .c_str());
          }
        }
        QFAIL("something was added");
      }
      // The order of the files says nothing either.
      QVERIFY(mergedAs({made->text, rest}) == before);
    }
  }

 private slots:
  void theCommandWritesBothFilesOrNone() {
    QTemporaryDir folder;
    const QString old = folder.filePath("Harbour.xml");
    const QString into = folder.filePath("Tugs.xml");
    const auto write = [](const QString& path, const QByteArray& bytes) {
      QFile file(path);
      QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    };
    write(old, QByteArray::fromStdString(harbour()));
    QString said;
    QString errors;
    const auto run = [&](const QStringList& arguments) {
      said.clear();
      errors.clear();
      QTextStream out(&said);
      QTextStream err(&errors);
      return runFomExtraction(arguments, out, err);
    };
    QCOMPARE(run({old, "Tug"}), 2);
    QVERIFY(errors.contains("-o NEW"));
    QCOMPARE(run({old, "Car", "-o", into}), 2);
    QVERIFY2(errors.contains("defines no class Car"), qPrintable(errors));
    QCOMPARE(run({old, "Tug", "-o", old}), 2);
    QVERIFY2(errors.contains("is the module itself"), qPrintable(errors));
    QCOMPARE(run({old, "Tug", "-o", folder.filePath("none/x.xml")}), 2);
    QCOMPARE(bytesOf(old), harbour());
    write(into, "mine");
    QCOMPARE(run({old, "Tug", "-o", into}), 2);
    QVERIFY2(errors.contains("is there already"), qPrintable(errors));
    QCOMPARE(bytesOf(into), std::string("mine"));

    QCOMPARE(run({old, "Tug", "-o", into, "--force", "--json"}), 0);
    const QJsonObject all = QJsonDocument::fromJson(said.toUtf8()).object();
    QCOMPARE(all.value("written").toString(), into);
    QCOMPARE(all.value("needed").toArray().size(), 3);
    QCOMPARE(merged({bytesOf(old), bytesOf(into)}), merged({harbour()}));
    QVERIFY(bytesOf(old).find("ISO-8859-1") != std::string::npos);
    QCOMPARE(run({old, "Ship", "-o", folder.filePath("Ships.xml"), "--shared", "copy"}), 0);
    QVERIFY2(errors.startsWith(folder.filePath("Ships.xml") + " has "), qPrintable(errors));
    QCOMPARE(run({old, "Buoy", "-o", folder.filePath("B.xml"), "--shared", "some"}), 2);
  }
};

QTEST_GUILESS_MAIN(TestModuleExtraction)
#include "tst_module_extraction.moc"
