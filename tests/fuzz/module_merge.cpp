// SPDX-License-Identifier: GPL-3.0-or-later
#include "fom-editor/model/module_merge.h"

#include <algorithm>

#include "model_edits.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

Landmark mergedClean("two versions merged without a conflict");
Landmark conflicted("two versions contradicted each other");
Landmark marked("a merge was written with markers");

constexpr std::size_t mostElements = 1000;
constexpr int mostEdits = 3;

ModuleSource editedOnce(const ModuleSource& base, Choices choices) {
  ModuleSource source = base;
  for (int i = 0; i < mostEdits; ++i) static_cast<void>(source.apply(anyEdit(source, choices)));
  // An edit may have made it a module of 2000, which is told when it is parsed.
  auto again = ModuleSource::parse(source.bytes(), "edited.xml");
  require(again.has_value(), "an edited module is parsed");
  return std::move(*again);
}

/// What the conflicts are, whichever side is called ours; what an RTI refuses is told by what it
/// finds first, which the order of rows decides.
std::vector<std::string> verdictOf(const ModuleMerge& merge) {
  std::vector<std::string> list;
  for (const MergeConflict& c : merge.conflicts) {
    const auto [first, second] = std::minmax(c.ours.text, c.theirs.text);
    constexpr std::string_view refused = "The RTI refuses both together";
    list.push_back((c.reason.starts_with(refused) ? std::string(refused) : c.reason) + '|' + first +
                   '|' + second);
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

void target(Input input) {
  const auto base = ModuleSource::parse(std::string(textOf(input)), "base.xml");
  if (!base || base->elements().size() > mostElements) return;
  const ModuleSource ours = editedOnce(*base, Choices(input, 1));
  const ModuleSource theirs = editedOnce(*base, Choices(input, 2));
  const auto merge = mergeModules(*base, ours, theirs);
  const auto back = mergeModules(*base, theirs, ours);
  require(merge.has_value() == back.has_value(), "both ways are merged or refused");
  if (!merge) {
    require(!merge.error().message.empty(), "an error says what is wrong");
    return;
  }
  require(verdictOf(*merge) == verdictOf(*back), "both ways have the same conflicts");
  const auto result = ModuleSource::parse(merge->bytes, "result.xml");
  require(result.has_value(), "a merged module is parsed");
  if (!merge->conflicts.empty()) {
    conflicted.reach();
    require(!ModuleSource::parse(merge->marked, "marked.xml"), "a module with markers is no XML");
    marked.reach();
    return;
  }
  mergedClean.reach();
  require(merge->marked == merge->bytes, "there are no markers without a conflict");
  for (const ModuleSource* side : {&ours, &theirs}) {
    const auto again = mergeModules(*base, *result, *side);
    require(again.has_value(), "a result is merged again");
    require(again->conflicts.empty(), "a result does not contradict what it was made of");
    const bool compared = result->bytes() != base->bytes();
    require(!compared || again->taken == 0, "a result has all changes of both");
  }
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> list;
  // Each line more at the end is other edits.
  Bytes tracks = fileContent("tests/fom-editor/data/Tracks.xml");
  for (int i = 0; i < 20; ++i) {
    list.push_back(tracks);
    tracks.push_back(std::byte{'\n'});
  }
  for (const char* path :
       {"tests/rti/test_fom.xml", "tests/conformance/fom.xml", "tests/conformance/boats.xml"}) {
    list.push_back(fileContent(path));
  }
  std::string old = R"(<objectModel DTDversion="1516.2"><objects><objectClass name="HLAobjectRoot">
<objectClass name="A"><attribute name="x" dataType="L"/><attribute name="y" dataType="L"/></objectClass>
</objectClass></objects><interactions/><dataTypes><simpleDataTypes><simpleData name="L" semantics="s"/>
</simpleDataTypes></dataTypes></objectModel>)";
  for (int i = 0; i < 4; ++i) {
    list.push_back(bytesOf(old));
    old += '\n';
  }
  return list;
}

}  // namespace tutti::fuzz
