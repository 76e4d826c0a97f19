// SPDX-License-Identifier: GPL-3.0-or-later
// Object models of any edition, written in each edition and read again: what was converted has the
// same classes, stays as it is when it is converted again, and comes back where nothing was lost.
#include "fom-editor/model/module_conversion.h"

#include <algorithm>
#include <array>
#include <vector>

#include "omt/reader.h"
#include "omt/text.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

using omt::Edition;

constexpr std::array<Edition, 5> editions{Edition::Hla13Fed, Edition::Hla13Omt, Edition::Ieee2000,
                                          Edition::Ieee2010, Edition::Ieee2025};
std::array<Landmark, 5> readFrom{
    Landmark("a FED file was read"), Landmark("an object model of HLA 1.3 was read"),
    Landmark("a module of 2000 was read"), Landmark("a module of 2010 was read"),
    Landmark("a module of 2025 was read")};
Landmark lossless("a module was converted without a loss");
Landmark lossy("a module was converted with losses");
Landmark joined("a module was joined with itself");

/// Beyond it a name that HLA 1.3 makes of two may be longer than anybody reads.
constexpr std::size_t longName = 300;

std::size_t longest(std::size_t so, const std::string& name) { return std::max(so, name.size()); }

template <typename Class>
std::size_t longestName(const std::vector<Class>& classes) {
  std::size_t most = 0;
  for (const Class& c : classes) {
    most = std::max(longest(most, c.name), longestName(c.subclasses));
    if constexpr (requires { c.parameters; }) {
      for (const omt::Parameter& p : c.parameters) {
        most = longest(longest(most, p.name), p.dataType);
      }
      for (const std::string& d : c.dimensions) most = longest(most, d);
    } else {
      for (const omt::Attribute& a : c.attributes) {
        most = longest(longest(most, a.name), a.dataType);
        for (const std::string& d : a.dimensions) most = longest(most, d);
      }
    }
  }
  return most;
}

bool hasLongNames(const omt::Module& module) {
  std::size_t most =
      std::max(longestName(module.objectClasses), longestName(module.interactionClasses));
  for (const omt::Dimension& d : module.dimensions) most = longest(most, d.name);
  for (const omt::DataType& t : module.dataTypes) {
    most = longest(longest(most, t.name), t.elementType);
    for (const omt::RecordField& f : t.fields) most = longest(most, f.dataType);
  }
  return most > longName;
}

/// Classes, attributes and parameters, a line each, without what HLA 1.3 has in its own way.
template <typename Class>
void addTree(const std::vector<Class>& classes, int depth, std::vector<std::string>& lines) {
  for (const Class& c : classes) {
    if (depth == 1 && (c.name == "HLAmanager" || omt::sameIgnoringCase(c.name, "RTIprivate"))) {
      continue;
    }
    const std::string prefix(static_cast<std::size_t>(depth), ' ');
    if (depth > 0) lines.push_back(prefix + c.name);
    if constexpr (requires { c.parameters; }) {
      for (const omt::Parameter& p : c.parameters) lines.push_back(prefix + '.' + p.name);
    } else {
      for (const omt::Attribute& a : c.attributes) {
        if (a.name != "HLAprivilegeToDeleteObject") lines.push_back(prefix + '.' + a.name);
      }
    }
    addTree(c.subclasses, depth + 1, lines);
  }
}

std::vector<std::string> treeOf(const omt::Module& module) {
  std::vector<std::string> lines;
  addTree(module.objectClasses, 0, lines);
  lines.emplace_back();
  addTree(module.interactionClasses, 0, lines);
  // Where a module states a root twice, its parts come together.
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Readers have no place for these lists in a row, and say so.
std::string withoutUnits(const std::string& text) {
  std::string result;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(start, end - start);
    const std::size_t word = line.find_first_not_of(' ');
    const std::string_view rest = word == std::string_view::npos ? line : line.substr(word);
    if (!rest.starts_with("(Units ") && !rest.starts_with("(Resolution ") &&
        !rest.starts_with("(Accuracy ")) {
      result += line;
    }
    start = end;
  }
  return result;
}

bool isHla13(Edition edition) {
  return edition == Edition::Hla13Fed || edition == Edition::Hla13Omt;
}

}  // namespace

void target(Input input) {
  const std::string_view bytes = textOf(input);
  const auto module = omt::readModule(bytes, "module");
  if (!module) return;
  readFrom[static_cast<std::size_t>(module->edition)].reach();
  const bool longNames = hasLongNames(*module);
  const std::vector<std::string> before = treeOf(*module);
  for (const Edition to : editions) {
    const auto there = fomedit::convertModule(bytes, "module", to);
    require(there.has_value() || longNames,
            there ? "" : "what is read can be written: " + there.error().toText());
    if (!there) continue;
    (there->losses.empty() ? lossless : lossy).reach();
    const auto after = omt::readModule(there->text, "converted");
    require(after.has_value() && after->edition == to, "what was written is of its edition");
    const std::vector<std::string> now = treeOf(*after);
    require(now.size() == before.size(), "a converted module has as many classes and members");
    require(now == before || isHla13(to), "a converted module has the same classes and members");
    const auto again = fomedit::convertModule(there->text, "converted", to);
    require(again.has_value() || longNames,
            again ? "" : "what was converted can be converted: " + again.error().toText());
    if (again) {
      const bool omt13 = to == Edition::Hla13Omt;
      require((omt13 ? withoutUnits(again->text) : again->text) ==
                  (omt13 ? withoutUnits(there->text) : there->text),
              "what was converted is written as it is");
    }
    if (!there->losses.empty()) continue;
    const auto back = fomedit::convertModule(there->text, "converted", module->edition);
    require(back.has_value(), "what was converted without a loss comes back");
    const auto returned = omt::readModule(back->text, "back");
    require(returned.has_value() && treeOf(*returned) == before,
            "what was converted without a loss comes back as it was");
  }
  const std::string whole(bytes);
  if (fomedit::joinModules({{whole, "a"}, {whole, "b"}}, "Both", Edition::Ieee2010)) joined.reach();
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> list;
  for (const char* path : {"tests/rti/test_fom.xml", "tests/conformance/fom.xml",
                           "tests/conformance/boats.xml", "tests/conformance/regions.xml"}) {
    list.push_back(fileContent(path));
  }
  list.push_back(bytesOf(R"((FED (Federation "F 1") (FEDversion v1.3) ; c
(spaces (space Map (dimension X) (dimension Y)) (space reliable_2 (dimension Z)))
(objects (class ObjectRoot (attribute privilegeToDelete reliable timestamp) (class RTIprivate)
(class A (sec_level "p") (attribute x best_effort timestamp Map) (class B))))
(interactions (class InteractionRoot reliable receive (class Manager reliable receive (class F reliable receive))
(class I reliable timestamp reliable_2 (parameter p))))))"));
  list.push_back(bytesOf(R"omt((DIF HLA-OMT v1.3 (TYPE Single))
(ObjectModel (Name "m") (VersionNumber "1") (Type FOM) (Purpose "p \"q\"\r\n") (POCEmail "e") (ModificationDate 1/2/3)
 (RoutingSpace (Name "Map") (RSDimension (Name "X")))
 (ComplexDataType (Name "P" [2]) (Description "d")
  (ComplexComponent (FieldName "x") (DataType "float") (Cardinality "1") (Units "m"))
  (ComplexComponent (FieldName "y") (DataType octet) (Cardinality "0-1 (x = 0)")))
 (EnumeratedDataType (Name "E") (Enumeration (Enumerator "a") (Representation 1)))
 (Class (ID 2) (Name "B") (SuperClass 1) (PSCapabilities PS))
 (Class (ID 1) (Name "A" [1]) (PSCapabilities S) (Description "d")
  (Attribute (Name "a" [1, 2]) (DataType "P") (Cardinality "3") (UpdateType Periodic)
   (UpdateCondition "c") (TransferAccept TA) (UpdateReflect UR) (RoutingSpace "Map")
   (DeliveryCategory best_effort) (MessageOrdering timestamp) (Description "d")))
 (Interaction (ID 1) (Name "I") (ISRType IR) (Parameter (Name "p") (DataType "string") (Cardinality "0+")))
 (Note (NoteNumber 1) (NoteText "n"))))omt"));
  list.push_back(bytesOf(
      R"(<objectModel DTDversion="1516.2" name="n" date="2000" references="r s" pocName="p" sponsor="s"><objects><objectClass
 name="HLAobjectRoot"><objectClass name="A" semanticsNotes="n1"><attribute name="x" dimensions="D, E" order="TimeStamp"/></objectClass>
</objectClass></objects><dimensions><dimension name="D"/></dimensions><transportations><transportation name="HLAbestEffort"
 description="d"/></transportations><switches autoProvide="Enabled"/><dataTypes><enumeratedDataTypes><enumeratedData name="E">
<enumerator name="a" values="1, 2 3"/></enumeratedData></enumeratedDataTypes></dataTypes><notes><note name="n1" semantics="s"/></notes>
</objectModel>)"));
  list.push_back(
      bytesOf(R"(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2025"><objects><objectClass>
<name>HLAobjectRoot</name><objectClass noteReferences="n"><name>A</name><sharing>Neither</sharing>
<dimensions><dimension>X</dimension></dimensions><attribute><name>x</name><valueRequired>true</valueRequired>
</attribute></objectClass></objectClass></objects><dimensions><dimension><name>X</name><inputDataTypes><dataType>T</dataType>
</inputDataTypes><upperBound>3</upperBound></dimension></dimensions><time><logicalTime><dataType>T</dataType></logicalTime></time>
<switches><allowRelaxedDDM isEnabled="true"/></switches><dataTypes><referenceDataTypes><referenceDataType><name>R</name>
<representation>HLAunicodeString</representation><referenceClass>A</referenceClass><referencedAttribute>x</referencedAttribute>
</referenceDataType></referenceDataTypes></dataTypes></objectModel>)"));
  list.push_back(bytesOf(
      R"(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010"><modelIdentification><name>S</name><type>FOM</type>
<poc><pocType>Sponsor</pocType><pocName>a</pocName><pocEmail>e</pocEmail></poc></modelIdentification>
<objects><objectClass><name>HLAobjectRoot</name><objectClass><name>A</name><sharing>Publish</sharing>
<attribute><name>x</name><dataType>G</dataType><dimensions><dimension>M_X</dimension><dimension>M_Y</dimension></dimensions></attribute>
<attribute><name>y</name><dataType>V</dataType><dimensions><dimension>M_X</dimension></dimensions></attribute></objectClass>
<objectClass><name>Manager</name></objectClass></objectClass></objects><dimensions><dimension><name>M_X</name></dimension></dimensions>
<updateRates><updateRate><name>L</name><rate>0.25</rate></updateRate></updateRates>
<dataTypes><basicDataRepresentations><basicData><name>B</name><size>32</size></basicData></basicDataRepresentations>
<simpleDataTypes><simpleData><name>D</name><representation>B</representation><units>m</units></simpleData></simpleDataTypes>
<enumeratedDataTypes><enumeratedData><name>E</name><enumerator><name>e</name><value>1</value></enumerator></enumeratedData></enumeratedDataTypes>
<arrayDataTypes><arrayData><name>L</name><dataType>D</dataType><cardinality>3</cardinality></arrayData>
<arrayData><name>G</name><dataType>L</dataType><cardinality>[1..2]</cardinality></arrayData></arrayDataTypes>
<variantRecordDataTypes><variantRecordData><name>V</name><discriminant>d</discriminant><dataType>E</dataType><alternative>
<enumerator>e</enumerator><name>n</name><dataType>D</dataType></alternative></variantRecordData></variantRecordDataTypes></dataTypes>
</objectModel>)"));
  return list;
}

}  // namespace tutti::fuzz
