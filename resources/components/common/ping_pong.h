// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/RTI1516.h>
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAopaqueData.h>

#include <string>

namespace samples {

/// One of the two interaction classes of PingPong.xml, which have the same parameters.
class BallClass {
 public:
  void resolve(rti1516e::RTIambassador& rti, const std::wstring& name);
  rti1516e::InteractionClassHandle handle() const { return class_; }
  rti1516e::ParameterHandleValueMap encode(int sequence, bool last,
                                           const rti1516e::VariableLengthData& payload);
  int sequence(const rti1516e::ParameterHandleValueMap& values);
  bool isLast(const rti1516e::ParameterHandleValueMap& values);
  /// As encoded, length included.
  rti1516e::VariableLengthData payload(const rti1516e::ParameterHandleValueMap& values) const;
  /// `size` octets as parameter value.
  static rti1516e::VariableLengthData makePayload(std::size_t size);

 private:
  rti1516e::InteractionClassHandle class_;
  rti1516e::ParameterHandle sequence_, last_, payload_;
  rti1516e::HLAinteger32BE number_;
  rti1516e::HLAboolean boolean_;
};

}  // namespace samples
