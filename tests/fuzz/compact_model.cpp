// SPDX-License-Identifier: GPL-3.0-or-later
// The compact object model, which a federate maps from memory that another process wrote: whatever
// lies there, opening it fails or every question about it has an answer.
#include "omt/compact_model.h"

#include "omt/compact_writer.h"
#include "omt/merge.h"
#include "omt/reader.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

Landmark opened("a model was opened");
Landmark inherits("a class that inherits attributes was asked for them");
Landmark dimensions("an attribute with dimensions was asked for them");
Landmark rate("an update rate was found");

void askAll(const omt::CompactModel& model) {
  const auto objectClasses = static_cast<std::uint32_t>(model.objectClassCount());
  for (std::uint32_t handle = 0; handle <= objectClasses + 1; ++handle) {
    const auto name = model.objectClassName(handle);
    if (!name.empty()) static_cast<void>(model.objectClass(name));
    require(model.objectClassParent(handle) <= objectClasses, "a parent is a class");
    for (const std::uint32_t attribute : model.attributes(handle)) {
      require(attribute >= 1 && attribute <= model.attributeCount(), "an attribute has a handle");
      require(model.hasAttribute(handle, attribute), "a class has its attributes");
      if (model.attributeClass(attribute) != handle) inherits.reach();
      static_cast<void>(model.attribute(handle, model.attributeName(attribute)));
    }
    static_cast<void>(model.isObjectClassWithin(handle, 1));
  }
  for (std::uint32_t handle = 0; handle <= model.attributeCount() + 1; ++handle) {
    static_cast<void>(model.attributeOrder(handle));
    static_cast<void>(model.isReliable(model.attributeTransportation(handle)));
    for (const std::uint32_t dimension : model.attributeDimensions(handle)) {
      require(dimension >= 1 && dimension <= model.dimensionCount(), "a dimension has a handle");
      dimensions.reach();
    }
  }
  const auto interactionClasses = static_cast<std::uint32_t>(model.interactionClassCount());
  for (std::uint32_t handle = 0; handle <= interactionClasses + 1; ++handle) {
    const auto name = model.interactionClassName(handle);
    if (!name.empty()) static_cast<void>(model.interactionClass(name));
    require(model.interactionClassParent(handle) <= interactionClasses, "a parent is a class");
    for (const std::uint32_t parameter : model.parameters(handle)) {
      require(parameter >= 1 && parameter <= model.parameterCount(), "a parameter has a handle");
      static_cast<void>(model.parameter(handle, model.parameterName(parameter)));
    }
    static_cast<void>(model.interactionOrder(handle));
    static_cast<void>(model.isReliable(model.interactionTransportation(handle)));
    for (const std::uint32_t dimension : model.interactionDimensions(handle)) {
      require(dimension >= 1 && dimension <= model.dimensionCount(), "a dimension has a handle");
    }
  }
  for (std::uint32_t handle = 0; handle <= model.dimensionCount() + 1; ++handle) {
    static_cast<void>(model.dimension(model.dimensionName(handle)));
    static_cast<void>(model.dimensionUpperBound(handle));
    static_cast<void>(model.dimensionDefault(handle));
  }
  for (std::uint32_t handle = 0; handle <= model.transportationCount() + 1; ++handle) {
    static_cast<void>(model.transportation(model.transportationName(handle)));
  }
  if (model.updateRate("Low") != 0) rate.reach();
  static_cast<void>(model.timeStampType().size() + model.lookaheadType().size());
}

Bytes compact(std::string_view text) {
  const auto module = omt::readModule(text, "seed.xml");
  require(module.has_value(), "a seed can be read");
  const omt::Module modules[] = {*module};
  const auto merged = omt::merge(modules);
  require(merged.has_value(), "a seed can be merged");
  return omt::encode(merged->model);
}

}  // namespace

void target(Input input) {
  // Aligned as in shared memory.
  std::vector<std::uint64_t> words((input.size() + 7) / 8);
  const auto copied = std::as_writable_bytes(std::span(words)).first(input.size());
  std::copy(input.begin(), input.end(), copied.begin());
  const auto model = omt::CompactModel::open(copied);
  if (!model) {
    require(!model.error().empty(), "an error says what is wrong");
    return;
  }
  opened.reach();
  askAll(*model);
}

std::vector<Bytes> seeds() {
  return {compact(R"(<objectModel><objects><objectClass><name>HLAobjectRoot</name>
<attribute><name>HLAprivilegeToDeleteObject</name></attribute>
<objectClass><name>A</name><sharing>PublishSubscribe</sharing><attribute><name>x</name>
<order>TimeStamp</order><dimensions><dimension>X</dimension><dimension>Y</dimension></dimensions>
</attribute><objectClass><name>B</name><attribute><name>y</name></attribute></objectClass>
</objectClass></objectClass></objects><interactions><interactionClass>
<name>HLAinteractionRoot</name><interactionClass><name>I</name><parameter><name>p</name></parameter>
<dimensions><dimension>X</dimension></dimensions></interactionClass></interactionClass>
</interactions><dimensions><dimension><name>X</name><upperBound>10</upperBound>
<value>[0..3)</value></dimension><dimension><name>Y</name><upperBound>7</upperBound></dimension>
</dimensions><transportations><transportation><name>T</name><reliable>Yes</reliable></transportation>
</transportations><updateRates><updateRate><name>Low</name><rate>2.5</rate></updateRate>
</updateRates></objectModel>)"),
          compact(textOf(fileContent("tests/rti/test_fom.xml"))),
          compact(textOf(fileContent("tests/conformance/fom.xml"))),
          omt::encode(omt::merge(std::span(&omt::standardMim(), 1))->model)};
}

}  // namespace tutti::fuzz
