// SPDX-License-Identifier: Apache-2.0
#include "common/ping_pong.h"

#include <vector>

namespace samples {

void BallClass::resolve(rti1516e::RTIambassador& rti, const std::wstring& name) {
  class_ = rti.getInteractionClassHandle(L"HLAinteractionRoot." + name);
  sequence_ = rti.getParameterHandle(class_, L"sequence");
  last_ = rti.getParameterHandle(class_, L"last");
  payload_ = rti.getParameterHandle(class_, L"payload");
}

rti1516e::ParameterHandleValueMap BallClass::encode(int sequence, bool last,
                                                    const rti1516e::VariableLengthData& payload) {
  rti1516e::ParameterHandleValueMap values;
  number_.set(sequence);
  values[sequence_] = number_.encode();
  boolean_.set(last);
  values[last_] = boolean_.encode();
  values[payload_] = payload;
  return values;
}

int BallClass::sequence(const rti1516e::ParameterHandleValueMap& values) {
  const auto found = values.find(sequence_);
  if (found == values.end()) return -1;
  number_.decode(found->second);
  return number_.get();
}

bool BallClass::isLast(const rti1516e::ParameterHandleValueMap& values) {
  const auto found = values.find(last_);
  if (found == values.end()) return false;
  boolean_.decode(found->second);
  return boolean_.get();
}

rti1516e::VariableLengthData BallClass::payload(
    const rti1516e::ParameterHandleValueMap& values) const {
  const auto found = values.find(payload_);
  return found == values.end() ? rti1516e::VariableLengthData() : found->second;
}

rti1516e::VariableLengthData BallClass::makePayload(std::size_t size) {
  std::vector<rti1516e::Octet> octets(size);
  for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<rti1516e::Octet>(i * 31 + 7);
  return rti1516e::HLAopaqueData(octets.data(), octets.size()).encode();
}

}  // namespace samples
