// SPDX-License-Identifier: Apache-2.0
#include "clutter/movement.h"

#include <RTI/RangeBounds.h>

#include <cstring>

namespace samples {

namespace {

template <typename Word, typename Value>
void put(unsigned char* at, Value value) {
  static_assert(sizeof(Word) == sizeof(Value), "one is the bits of the other");
  Word word;
  std::memcpy(&word, &value, sizeof word);
  for (std::size_t i = 0; i < sizeof word; ++i) {
    at[i] = static_cast<unsigned char>(word >> (8 * (sizeof word - 1 - i)));
  }
}

template <typename Word, typename Value>
Value take(const unsigned char* at) {
  static_assert(sizeof(Word) == sizeof(Value), "one is the bits of the other");
  Word word = 0;
  for (std::size_t i = 0; i < sizeof word; ++i) word = static_cast<Word>(word << 8 | at[i]);
  Value value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

}  // namespace

void MovementClass::resolve(rti1516e::RTIambassador& rti) {
  clutter_ = rti.getObjectClassHandle(L"Clutter");
  vehicle_ = rti.getObjectClassHandle(L"Clutter.Vehicle");
  person_ = rti.getObjectClassHandle(L"Clutter.Person");
  movement_ = rti.getAttributeHandle(clutter_, L"movement");
  easting_ = rti.getDimensionHandle(L"Easting");
  northing_ = rti.getDimensionHandle(L"Northing");
  span_ = rti.getDimensionUpperBound(easting_);
  values_.clear();
  value_ = &values_[movement_];
}

const rti1516e::AttributeHandleValueMap& MovementClass::encode(const Streets::Place& place) {
  std::array<unsigned char, kBytes> bytes;
  put<std::uint64_t>(bytes.data(), place.x / 10.0);
  put<std::uint64_t>(bytes.data() + 8, place.y / 10.0);
  put<std::uint32_t>(bytes.data() + 16, 90.0f * static_cast<float>(place.heading));
  put<std::uint32_t>(bytes.data() + 20, static_cast<float>(place.speed) / 10.0f);
  value_->setData(bytes.data(), bytes.size());
  return values_;
}

bool MovementClass::decode(const rti1516e::AttributeHandleValueMap& values, State& state) const {
  const auto found = values.find(movement_);
  if (found == values.end() || found->second.size() != kBytes) return false;
  const auto* bytes = static_cast<const unsigned char*>(found->second.data());
  state.x = take<std::uint64_t, double>(bytes);
  state.y = take<std::uint64_t, double>(bytes + 8);
  state.heading = take<std::uint32_t, float>(bytes + 16);
  state.speed = take<std::uint32_t, float>(bytes + 20);
  return true;
}

rti1516e::RegionHandle MovementClass::makeRegion(rti1516e::RTIambassador& rti,
                                                 CellGrid::Bounds east,
                                                 CellGrid::Bounds north) const {
  const rti1516e::RegionHandle region = rti.createRegion(dimensions());
  setBounds(rti, region, east, north);
  return region;
}

void MovementClass::setBounds(rti1516e::RTIambassador& rti, const rti1516e::RegionHandle& region,
                              CellGrid::Bounds east, CellGrid::Bounds north) const {
  rti.setRangeBounds(region, easting_, rti1516e::RangeBounds(east.from, east.to));
  rti.setRangeBounds(region, northing_, rti1516e::RangeBounds(north.from, north.to));
  rti.commitRegionModifications({region});
}

}  // namespace samples
