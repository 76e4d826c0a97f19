// SPDX-License-Identifier: GPL-3.0-or-later
// Object models from elsewhere: reading, merging, the compact form that federates map, and the
// current FDD as a document. Modules of one input are separated by a line "<!--next module-->".
// Inputs whose length is a multiple of 32 are merged with the standard MIM, which takes longer.
#include "models.h"
#include "omt/merge.h"
#include "omt/reader.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

constexpr std::string_view separator = "<!--next module-->\n";
constexpr std::size_t mostModules = 4;
constexpr std::size_t lengthsWithMim = 32;

Landmark read("a module was read");
Landmark mergedModules("modules were merged");
Landmark mergedWithMim("modules were merged with the standard MIM");
Landmark contradicted("modules contradicted each other");
Landmark extended("a model was extended");

}  // namespace

void target(Input input) {
  std::string_view rest = textOf(input);
  std::vector<omt::Module> modules;
  for (std::size_t i = 0; i < mostModules && !rest.empty(); ++i) {
    const auto end = rest.find(separator);
    const auto text = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + separator.size());
    auto module = omt::readModule(text, "module-" + std::to_string(i) + ".xml");
    if (!module) {
      require(!module.error().message.empty(), "an error says what is wrong");
      continue;
    }
    read.reach();
    modules.push_back(std::move(*module));
  }
  if (modules.empty()) return;
  const bool withMim = input.size() % lengthsWithMim == 0;
  if (withMim) static_cast<void>(omt::checkMim(modules.front()));
  auto merged = withMim ? omt::merge(omt::standardMim(), modules) : omt::merge(modules);
  if (!merged) {
    require(!merged.error().message.empty(), "an error says what is wrong");
    contradicted.reach();
    return;
  }
  (withMim ? mergedWithMim : mergedModules).reach();
  checkModel(merged->model);
  if (modules.size() < 2) return;
  const std::span<const omt::Module> all(modules);
  const auto first = omt::merge(all.first(1));
  if (!first) return;
  if (const auto more = omt::extend(first->model, all.subspan(1))) {
    extended.reach();
    checkModel(more->model);
  }
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> list;
  Bytes both;
  for (const char* path : {"tests/rti/test_fom.xml", "tests/conformance/fom.xml",
                           "tests/conformance/boats.xml", "tests/conformance/regions.xml"}) {
    list.push_back(fileContent(path));
  }
  const Bytes conflict = fileContent("tests/conformance/conflict.xml");
  for (const Bytes& other : {list[2], list[3], conflict}) {
    both = list[1];
    const Bytes between = bytesOf(separator);
    both.insert(both.end(), between.begin(), between.end());
    both.insert(both.end(), other.begin(), other.end());
    list.push_back(both);
  }
  const Bytes small = bytesOf(R"(<?xml version="1.0"?>
<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010">
<modelIdentification><name>Small</name><type>FOM</type><version>1</version></modelIdentification>
<objects><objectClass><name>HLAobjectRoot</name><attribute><name>HLAprivilegeToDeleteObject</name></attribute>
<objectClass><name>A</name><sharing>PublishSubscribe</sharing>
<attribute><name>x</name><dataType>D</dataType><updateType>Static</updateType><transportation>HLAreliable</transportation><order>TimeStamp</order><dimensions><dimension>X</dimension></dimensions></attribute>
</objectClass></objectClass></objects>
<interactions><interactionClass><name>HLAinteractionRoot</name>
<interactionClass><name>I</name><sharing>Publish</sharing><order>Receive</order><transportation>HLAbestEffort</transportation>
<parameter><name>p</name><dataType>D</dataType></parameter></interactionClass></interactionClass></interactions>
<dimensions><dimension><name>X</name><dataType>D</dataType><upperBound>10</upperBound><value>[0..3)</value></dimension></dimensions>
<transportations><transportation><name>T</name><reliable>Yes</reliable></transportation></transportations>
<updateRates><updateRate><name>Low</name><rate>2.5</rate></updateRate></updateRates>
<switches><autoProvide isEnabled="true"/><automaticResignAction resignAction="NoAction"/></switches>
<synchronizations><synchronizationPoint><label>S</label><capability>NoSynch</capability></synchronizationPoint></synchronizations>
<dataTypes><basicDataRepresentations><basicData><name>B</name><size>32</size><endian>Big</endian></basicData></basicDataRepresentations>
<simpleDataTypes><simpleData><name>D</name><representation>B</representation></simpleData></simpleDataTypes>
<enumeratedDataTypes><enumeratedData><name>E</name><representation>B</representation><enumerator><name>e</name><value>1</value></enumerator></enumeratedData></enumeratedDataTypes>
<arrayDataTypes><arrayData><name>L</name><dataType>D</dataType><cardinality>3</cardinality><encoding>HLAfixedArray</encoding></arrayData></arrayDataTypes>
<fixedRecordDataTypes><fixedRecordData><name>R</name><field><name>f</name><dataType>D</dataType></field></fixedRecordData></fixedRecordDataTypes>
<variantRecordDataTypes><variantRecordData><name>V</name><discriminant>d</discriminant><dataType>E</dataType><alternative><enumerator>e</enumerator><name>n</name><dataType>D</dataType></alternative></variantRecordData></variantRecordDataTypes></dataTypes>
<tags><updateReflectTag><dataType>D</dataType></updateReflectTag></tags>
<time><timeStamp><dataType>D</dataType></timeStamp><lookahead><dataType>D</dataType></lookahead></time>
<notes><note><label>n1</label><semantics>s</semantics></note></notes>
</objectModel>
)");
  for (std::size_t pad = 0; pad < 2; ++pad) {
    Bytes padded = small;
    while (padded.size() % lengthsWithMim != pad) padded.push_back(std::byte{'\n'});
    list.push_back(padded);
  }
  list.push_back(bytesOf(R"(<objectModel DTDversion="1516.2" name="Old" type="FOM" version="1">
<objects><objectClass name="HLAobjectRoot" sharing="Neither"><objectClass name="A" sharing="PublishSubscribe">
<attribute name="x" dataType="HLAopaqueData" transportation="HLAreliable" order="Receive" dimensions="NA"/>
</objectClass></objectClass></objects><interactions><interactionClass name="HLAinteractionRoot" sharing="Neither"
 transportation="HLAreliable" order="Receive"/></interactions></objectModel>)"));
  list.push_back(bytesOf(R"(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2025"><objects><objectClass>
<name>HLAobjectRoot</name><objectClass><name>A</name><directedInteraction><name>I</name></directedInteraction>
<dimensions><dimension>X</dimension></dimensions><attribute><name>x</name><valueRequired>true</valueRequired>
</attribute></objectClass></objectClass></objects><dimensions><dimension><name>X</name><upperBound>3</upperBound>
</dimension></dimensions><time><logicalTime><dataType>T</dataType></logicalTime></time>
<switches><allowRelaxedDDM isEnabled="true"/></switches><dataTypes><referenceDataTypes><referenceDataType>
<name>R</name><representation>HLAunicodeString</representation><referenceClass>A</referenceClass>
<referencedAttribute>x</referencedAttribute></referenceDataType></referenceDataTypes></dataTypes></objectModel>)"));
  list.push_back(bytesOf(R"(<objectModel DTDversion="1516.2" date="2000" references="r"><objects><objectClass
 name="HLAobjectRoot" nameNotes="n1"/></objects><transportations><transportation name="HLAbestEffort"
 description="d"/></transportations><dataTypes><enumeratedDataTypes><enumeratedData name="E"><enumerator name="a"
 values="1, 2 3"/></enumeratedData></enumeratedDataTypes></dataTypes><notes><note name="n1" semantics="s"/></notes>
</objectModel>)"));
  return list;
}

}  // namespace tutti::fuzz
