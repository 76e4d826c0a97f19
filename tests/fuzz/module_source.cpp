// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_source.h"

#include "fom-editor/model/fed_source.h"
#include "model_edits.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

using namespace fomedit;

Landmark parsed("a module was parsed");
Landmark of2000("a module has its cells as XML attributes");
Landmark ofFed("a FED file was parsed");
Landmark edited("a module was edited");
Landmark refused("an edit was refused");
Landmark otherEncoding("a module is in another encoding than UTF-8");

constexpr int mostEdits = 6;
constexpr std::size_t mostElements = 2000;

}  // namespace

void target(Input input) {
  const std::string bytes(textOf(input));
  const bool fed = beginsAsFed(bytes);
  auto source =
      fed ? ModuleSource::parseFed(bytes, "module.fed") : ModuleSource::parse(bytes, "module.xml");
  if (!source) {
    require(!source.error().message.empty(), "an error says what is wrong");
    return;
  }
  parsed.reach();
  if (source->isOf2000()) of2000.reach();
  if (fed) ofFed.reach();
  if (source->bytes().size() != source->text().size()) otherEncoding.reach();
  require(source->bytes() == bytes, "what was parsed is written as it was");
  if (source->elements().size() > mostElements) return;
  Choices choices(input);
  int done = 0;
  for (int i = 0; i < mostEdits; ++i) {
    const std::string before = source->bytes();
    Splices splices = anyEdit(*source, choices);
    if (splices.empty()) continue;
    const auto applied = source->apply(std::move(splices));
    if (!applied) {
      require(!applied.error().message.empty(), "an error says what is wrong");
      require(source->bytes() == before, "a refused edit changes nothing");
      refused.reach();
      continue;
    }
    edited.reach();
    ++done;
    const auto again = source->withoutHistory();
    require(again.has_value(),
            again ? "" : "an edited module is parsed: " + again.error().toText());
    require(again->text() == source->text(), "an edited module is written as it is");
  }
  const std::string last = source->bytes();
  for (int i = 0; i < done; ++i) source->undo();
  require(source->bytes() == bytes, "undoing all edits gives the first bytes");
  for (int i = 0; i < done; ++i) source->redo();
  require(source->bytes() == last, "redoing all edits gives the last bytes");
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> list;
  for (const char* path : {"tests/rti/test_fom.xml", "tests/conformance/fom.xml",
                           "tests/conformance/boats.xml", "tests/conformance/regions.xml"}) {
    list.push_back(fileContent(path));
  }
  const std::string old = R"(<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE objectModel SYSTEM "hla.dtd">
<objectModel DTDversion="1516.2" name="Old">
  <objects>
    <objectClass name="HLAobjectRoot" sharing='Neither'>
      <objectClass name="A" notes="n1"><attribute name="x" dataType="L" dimensions="D, E"/>
      </objectClass>
    </objectClass>
  </objects>
  <interactions/>
  <dimensions><dimension name="D" dataType="L"/></dimensions>
  <dataTypes><simpleDataTypes><simpleData name="L" semantics="gr)"
                          "\xF6"
                          R"(&#223;e"/></simpleDataTypes></dataTypes>
  <notes><note name="n1"/></notes>
</objectModel>
)";
  list.push_back(bytesOf(old));
  // Inputs with other choices: each blank at the end is another.
  std::string prefixed =
      "\xEF\xBB\xBF<m:objectModel xmlns:m=\"http://standards.ieee.org/IEEE1516-2010\">\r\n"
      "\t<m:objects><!-- c --><m:objectClass><m:name>HLAobjectRoot</m:name><m:semantics>a"
      "<![CDATA[<b>]]>&amp;</m:semantics><m:objectClass><m:name>A</m:name></m:objectClass>"
      "</m:objectClass></m:objects>\r\n\t<m:dimensions></m:dimensions>\r\n\t<m:notes />\r\n"
      "</m:objectModel>\r\n";
  for (int i = 0; i < 6; ++i) {
    list.push_back(bytesOf(prefixed));
    prefixed += ' ';
  }
  std::string lists =
      "; a harbour\r\n(Fed (Federation \"The Port\") (FEDversion v1.3)\r\n (Spaces (Space Map "
      "(Dimension X)(Dimension Y)))\r\n (Objects\r\n  (Class ObjectRoot\r\n   (Attribute "
      "privilegeToDelete RELIABLE TIMESTAMP)\r\n   (Class Ship (Attribute speed RELIABLE RECEIVE "
      "Map) ; knots\r\n    (Class Tug))))\r\n (Interactions (Class InteractionRoot BEST_EFFORT "
      "RECEIVE (Class Call RELIABLE TIMESTAMP Map (Sec_Level \"Public\") (Parameter text)))))";
  for (int i = 0; i < 12; ++i) {
    list.push_back(bytesOf(lists));
    lists += ' ';
  }
  std::string wide = "\xFF\xFE";
  for (const char c :
       std::string_view("<?xml version=\"1.0\"?><objectModel><objects/></objectModel>")) {
    wide += c;
    wide += '\0';
  }
  list.push_back(bytesOf(wide));
  return list;
}

}  // namespace tutti::fuzz
