// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/RTI1516.h>
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAfixedRecord.h>

#include <string>

#include "common/geo.h"

namespace samples {

/// Values of an object instance of class Flight (AirTraffic-Flight.xml).
struct FlightState {
  std::string callsign;
  std::string origin;       ///< ICAO code
  std::string destination;  ///< ICAO code
  GeoPoint position;
  double altitude = 0.0;      ///< ft
  double groundSpeed = 0.0;   ///< kt
  double heading = 0.0;       ///< degrees clockwise from true north
  double verticalRate = 0.0;  ///< ft/min
  bool located = false;       ///< a position has been set
};

/// A latitude and longitude as the record GeoPosition.
class GeoPositionCodec {
 public:
  GeoPositionCodec();
  GeoPositionCodec(const GeoPositionCodec&) = delete;
  GeoPositionCodec& operator=(const GeoPositionCodec&) = delete;
  rti1516e::VariableLengthData encode(const GeoPoint& point);
  GeoPoint decode(const rti1516e::VariableLengthData& data);

 private:
  rti1516e::HLAfloat64BE latitude_;
  rti1516e::HLAfloat64BE longitude_;
  rti1516e::HLAfixedRecord record_;
};

/// The class Flight of a federation execution: handles, encoding and decoding.
class FlightClass {
 public:
  /// Asks the RTI for the handles.
  void resolve(rti1516e::RTIambassador& rti);
  rti1516e::ObjectClassHandle handle() const { return class_; }
  rti1516e::AttributeHandleSet allAttributes() const;
  /// Only those that an observer needs: no plan.
  rti1516e::AttributeHandleSet observedAttributes() const;
  /// Values that change in flight; with `complete`, the others too.
  const rti1516e::AttributeHandleValueMap& encode(const FlightState& state, bool complete);
  /// Takes over what is in `values`. Throws EncoderException when a value cannot be decoded.
  void decode(const rti1516e::AttributeHandleValueMap& values, FlightState& state);

 private:
  rti1516e::ObjectClassHandle class_;
  rti1516e::AttributeHandle callsign_, origin_, destination_, position_, altitude_, groundSpeed_,
      heading_, verticalRate_;
  rti1516e::HLAASCIIstring text_;
  rti1516e::HLAfloat64BE number_;
  GeoPositionCodec geo_;
  rti1516e::AttributeHandleValueMap values_;
};

/// One radar detection (AirTraffic-Radar.xml).
struct RadarPlot {
  std::string radar;
  std::string callsign;
  double time = 0.0;     ///< s, when the antenna pointed at the flight
  double range = 0.0;    ///< km, slant
  double azimuth = 0.0;  ///< degrees
  GeoPoint position;
  double altitude = 0.0;  ///< ft
  double snr = 0.0;       ///< dB
};

class RadarPlotClass {
 public:
  void resolve(rti1516e::RTIambassador& rti);
  rti1516e::InteractionClassHandle handle() const { return class_; }
  const rti1516e::ParameterHandleValueMap& encode(const RadarPlot& plot);
  RadarPlot decode(const rti1516e::ParameterHandleValueMap& values);

 private:
  rti1516e::InteractionClassHandle class_;
  rti1516e::ParameterHandle radar_, callsign_, time_, range_, azimuth_, position_, altitude_, snr_;
  rti1516e::HLAASCIIstring text_;
  rti1516e::HLAfloat64BE number_;
  rti1516e::HLAfloat32BE small_;
  GeoPositionCodec geo_;
  rti1516e::ParameterHandleValueMap values_;
};

/// A pair of flights that lost its separation, or has it again (AirTraffic-Conflict.xml).
struct Conflict {
  std::string first;  ///< callsign that sorts first
  std::string second;
  double time = 0.0;        ///< s
  bool active = false;      ///< lost; false: there again
  double horizontal = 0.0;  ///< NM
  double vertical = 0.0;    ///< ft
  GeoPoint position;        ///< of the first
};

class ConflictClass {
 public:
  void resolve(rti1516e::RTIambassador& rti);
  rti1516e::InteractionClassHandle handle() const { return class_; }
  const rti1516e::ParameterHandleValueMap& encode(const Conflict& conflict);
  Conflict decode(const rti1516e::ParameterHandleValueMap& values);

 private:
  rti1516e::InteractionClassHandle class_;
  rti1516e::ParameterHandle first_, second_, time_, active_, horizontal_, vertical_, position_;
  rti1516e::HLAASCIIstring text_;
  rti1516e::HLAfloat64BE number_;
  rti1516e::HLAboolean boolean_;
  GeoPositionCodec geo_;
  rti1516e::ParameterHandleValueMap values_;
};

}  // namespace samples
