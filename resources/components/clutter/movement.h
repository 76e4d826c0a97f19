// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/RTI1516.h>

#include <array>
#include <cstdint>

#include "clutter/streets.h"

namespace samples {

/// The classes of Clutter.xml in a federation execution: handles, encoding and decoding.
class MovementClass {
 public:
  static constexpr std::size_t kBytes = 24;

  /// What an instance tells of itself.
  struct State {
    double x = 0;       ///< m
    double y = 0;       ///< m
    float heading = 0;  ///< degrees clockwise from north
    float speed = 0;    ///< m/s
  };

  /// Asks the RTI for the handles.
  void resolve(rti1516e::RTIambassador& rti);
  rti1516e::ObjectClassHandle all() const { return clutter_; }
  rti1516e::ObjectClassHandle vehicle() const { return vehicle_; }
  rti1516e::ObjectClassHandle person() const { return person_; }
  rti1516e::AttributeHandleSet attributes() const { return {movement_}; }
  rti1516e::DimensionHandleSet dimensions() const { return {easting_, northing_}; }
  unsigned long span() const { return span_; }  ///< upper bound of both dimensions

  /// The values of an update; valid until the next call. Written by hand and not with the
  /// standard's encoders, a million of them a second: big endian, as HLAfixedRecord lays the fields
  /// out.
  const rti1516e::AttributeHandleValueMap& encode(const Streets::Place& place);
  /// False: there is no whole movement in `values`.
  bool decode(const rti1516e::AttributeHandleValueMap& values, State& state) const;

  /// A region of these bounds, in both dimensions.
  rti1516e::RegionHandle makeRegion(rti1516e::RTIambassador& rti, CellGrid::Bounds east,
                                    CellGrid::Bounds north) const;
  /// Gives a region new bounds.
  void setBounds(rti1516e::RTIambassador& rti, const rti1516e::RegionHandle& region,
                 CellGrid::Bounds east, CellGrid::Bounds north) const;
  /// The movement, with these regions, as services on regions want it.
  rti1516e::AttributeHandleSetRegionHandleSetPairVector with(
      const rti1516e::RegionHandle& region) const {
    return {{{movement_}, {region}}};
  }

 private:
  rti1516e::ObjectClassHandle clutter_, vehicle_, person_;
  rti1516e::AttributeHandle movement_;
  rti1516e::DimensionHandle easting_, northing_;
  unsigned long span_ = 0;
  rti1516e::AttributeHandleValueMap values_;
  rti1516e::VariableLengthData* value_ = nullptr;
};

}  // namespace samples
