// SPDX-License-Identifier: Apache-2.0
#include "common/air_traffic.h"

namespace samples {

namespace {

/// Calls `use` with the value of `handle` when the message carries it.
template <typename Map, typename Handle, typename Use>
void with(const Map& values, const Handle& handle, Use&& use) {
  const auto found = values.find(handle);
  if (found != values.end()) use(found->second);
}

}  // namespace

GeoPositionCodec::GeoPositionCodec() {
  record_.appendElementPointer(&latitude_);
  record_.appendElementPointer(&longitude_);
}

rti1516e::VariableLengthData GeoPositionCodec::encode(const GeoPoint& point) {
  latitude_.set(point.latitude);
  longitude_.set(point.longitude);
  return record_.encode();
}

GeoPoint GeoPositionCodec::decode(const rti1516e::VariableLengthData& data) {
  record_.decode(data);
  return {latitude_.get(), longitude_.get()};
}

// --- Flight
// ----------------------------------------------------------------------------------------------------------

void FlightClass::resolve(rti1516e::RTIambassador& rti) {
  class_ = rti.getObjectClassHandle(L"HLAobjectRoot.Flight");
  callsign_ = rti.getAttributeHandle(class_, L"callsign");
  origin_ = rti.getAttributeHandle(class_, L"origin");
  destination_ = rti.getAttributeHandle(class_, L"destination");
  position_ = rti.getAttributeHandle(class_, L"position");
  altitude_ = rti.getAttributeHandle(class_, L"altitude");
  groundSpeed_ = rti.getAttributeHandle(class_, L"groundSpeed");
  heading_ = rti.getAttributeHandle(class_, L"heading");
  verticalRate_ = rti.getAttributeHandle(class_, L"verticalRate");
}

rti1516e::AttributeHandleSet FlightClass::allAttributes() const {
  return {callsign_, origin_,      destination_, position_,
          altitude_, groundSpeed_, heading_,     verticalRate_};
}

rti1516e::AttributeHandleSet FlightClass::observedAttributes() const {
  return {callsign_, position_, altitude_, groundSpeed_, heading_};
}

const rti1516e::AttributeHandleValueMap& FlightClass::encode(const FlightState& state,
                                                             bool complete) {
  const auto putNumber = [this](const rti1516e::AttributeHandle& handle, double value) {
    number_.set(value);
    values_[handle] = number_.encode();
  };
  const auto putText = [this](const rti1516e::AttributeHandle& handle, const std::string& value) {
    text_.set(value);
    values_[handle] = text_.encode();
  };
  values_.clear();
  values_[position_] = geo_.encode(state.position);
  putNumber(altitude_, state.altitude);
  putNumber(groundSpeed_, state.groundSpeed);
  putNumber(heading_, state.heading);
  putNumber(verticalRate_, state.verticalRate);
  if (complete) {
    putText(callsign_, state.callsign);
    putText(origin_, state.origin);
    putText(destination_, state.destination);
  }
  return values_;
}

void FlightClass::decode(const rti1516e::AttributeHandleValueMap& values, FlightState& state) {
  const auto getNumber = [&](const rti1516e::AttributeHandle& handle, double& value) {
    with(values, handle, [&](const rti1516e::VariableLengthData& data) {
      number_.decode(data);
      value = number_.get();
    });
  };
  const auto getText = [&](const rti1516e::AttributeHandle& handle, std::string& value) {
    with(values, handle, [&](const rti1516e::VariableLengthData& data) {
      text_.decode(data);
      value = text_.get();
    });
  };
  getText(callsign_, state.callsign);
  getText(origin_, state.origin);
  getText(destination_, state.destination);
  getNumber(altitude_, state.altitude);
  getNumber(groundSpeed_, state.groundSpeed);
  getNumber(heading_, state.heading);
  getNumber(verticalRate_, state.verticalRate);
  with(values, position_, [&](const rti1516e::VariableLengthData& data) {
    state.position = geo_.decode(data);
    state.located = true;
  });
}

// --- RadarPlot
// -------------------------------------------------------------------------------------------------------

void RadarPlotClass::resolve(rti1516e::RTIambassador& rti) {
  class_ = rti.getInteractionClassHandle(L"HLAinteractionRoot.RadarPlot");
  radar_ = rti.getParameterHandle(class_, L"radar");
  callsign_ = rti.getParameterHandle(class_, L"callsign");
  time_ = rti.getParameterHandle(class_, L"time");
  range_ = rti.getParameterHandle(class_, L"range");
  azimuth_ = rti.getParameterHandle(class_, L"azimuth");
  position_ = rti.getParameterHandle(class_, L"position");
  altitude_ = rti.getParameterHandle(class_, L"altitude");
  snr_ = rti.getParameterHandle(class_, L"snr");
}

const rti1516e::ParameterHandleValueMap& RadarPlotClass::encode(const RadarPlot& plot) {
  const auto putNumber = [this](const rti1516e::ParameterHandle& handle, double value) {
    number_.set(value);
    values_[handle] = number_.encode();
  };
  values_.clear();
  text_.set(plot.radar);
  values_[radar_] = text_.encode();
  text_.set(plot.callsign);
  values_[callsign_] = text_.encode();
  putNumber(time_, plot.time);
  putNumber(range_, plot.range);
  putNumber(azimuth_, plot.azimuth);
  putNumber(altitude_, plot.altitude);
  small_.set(static_cast<float>(plot.snr));
  values_[snr_] = small_.encode();
  values_[position_] = geo_.encode(plot.position);
  return values_;
}

RadarPlot RadarPlotClass::decode(const rti1516e::ParameterHandleValueMap& values) {
  RadarPlot plot;
  const auto getNumber = [&](const rti1516e::ParameterHandle& handle, double& value) {
    with(values, handle, [&](const rti1516e::VariableLengthData& data) {
      number_.decode(data);
      value = number_.get();
    });
  };
  const auto getText = [&](const rti1516e::ParameterHandle& handle, std::string& value) {
    with(values, handle, [&](const rti1516e::VariableLengthData& data) {
      text_.decode(data);
      value = text_.get();
    });
  };
  getText(radar_, plot.radar);
  getText(callsign_, plot.callsign);
  getNumber(time_, plot.time);
  getNumber(range_, plot.range);
  getNumber(azimuth_, plot.azimuth);
  getNumber(altitude_, plot.altitude);
  with(values, snr_, [&](const rti1516e::VariableLengthData& data) {
    small_.decode(data);
    plot.snr = static_cast<double>(small_.get());
  });
  with(values, position_,
       [&](const rti1516e::VariableLengthData& data) { plot.position = geo_.decode(data); });
  return plot;
}

// --- Conflict
// --------------------------------------------------------------------------------------------------------

void ConflictClass::resolve(rti1516e::RTIambassador& rti) {
  class_ = rti.getInteractionClassHandle(L"HLAinteractionRoot.Conflict");
  first_ = rti.getParameterHandle(class_, L"first");
  second_ = rti.getParameterHandle(class_, L"second");
  time_ = rti.getParameterHandle(class_, L"time");
  active_ = rti.getParameterHandle(class_, L"active");
  horizontal_ = rti.getParameterHandle(class_, L"horizontal");
  vertical_ = rti.getParameterHandle(class_, L"vertical");
  position_ = rti.getParameterHandle(class_, L"position");
}

const rti1516e::ParameterHandleValueMap& ConflictClass::encode(const Conflict& conflict) {
  const auto putNumber = [this](const rti1516e::ParameterHandle& handle, double value) {
    number_.set(value);
    values_[handle] = number_.encode();
  };
  values_.clear();
  text_.set(conflict.first);
  values_[first_] = text_.encode();
  text_.set(conflict.second);
  values_[second_] = text_.encode();
  putNumber(time_, conflict.time);
  boolean_.set(conflict.active);
  values_[active_] = boolean_.encode();
  putNumber(horizontal_, conflict.horizontal);
  putNumber(vertical_, conflict.vertical);
  values_[position_] = geo_.encode(conflict.position);
  return values_;
}

Conflict ConflictClass::decode(const rti1516e::ParameterHandleValueMap& values) {
  Conflict conflict;
  const auto getNumber = [&](const rti1516e::ParameterHandle& handle, double& value) {
    with(values, handle, [&](const rti1516e::VariableLengthData& data) {
      number_.decode(data);
      value = number_.get();
    });
  };
  const auto getText = [&](const rti1516e::ParameterHandle& handle, std::string& value) {
    with(values, handle, [&](const rti1516e::VariableLengthData& data) {
      text_.decode(data);
      value = text_.get();
    });
  };
  getText(first_, conflict.first);
  getText(second_, conflict.second);
  getNumber(time_, conflict.time);
  getNumber(horizontal_, conflict.horizontal);
  getNumber(vertical_, conflict.vertical);
  with(values, active_, [&](const rti1516e::VariableLengthData& data) {
    boolean_.decode(data);
    conflict.active = boolean_.get();
  });
  with(values, position_,
       [&](const rti1516e::VariableLengthData& data) { conflict.position = geo_.decode(data); });
  return conflict;
}

}  // namespace samples
