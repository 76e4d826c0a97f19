// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/fault.h"
#include "core/records.h"

/// Values and tag of an update or interaction, as its record holds them.
namespace tutti::core {

/// `Writer`: RecordWriter or BodyWriter.
template <class Writer>
void putValues(Writer& writer, std::span<const Value> values, std::span<const std::byte> tag) {
  for (const Value& value : values) {
    writer.put(ValueHead{value.handle, static_cast<std::uint32_t>(value.bytes.size())});
  }
  writer.put(tag.data(), tag.size());
  for (const Value& value : values) writer.put(value.bytes.data(), value.bytes.size());
}

inline std::uint32_t bytesOf(std::span<const Value> values) {
  std::size_t bytes = 0;
  for (const Value& value : values) bytes += value.bytes.size();
  if (bytes > 0xffff0000u) {
    fail(Fault::RTIinternalError, "An update or interaction is limited to 4 GiB.");
  }
  return static_cast<std::uint32_t>(bytes);
}

/// Bytes that putValues() writes.
inline std::size_t listBytes(std::size_t count, std::span<const std::byte> tag,
                             std::size_t valueBytes) {
  return count * sizeof(ValueHead) + tag.size() + valueBytes;
}

/// Reads the value heads, the tag and the values that follow. False: the record is not whole.
inline bool readValues(RecordReader& reader, std::size_t count, std::uint32_t tagBytes,
                       std::vector<Value>& values, std::span<const std::byte>& tag) {
  values.clear();
  for (std::size_t i = 0; i < count; ++i) {
    ValueHead head{};
    reader.take(head);
    if (reader.failed()) return false;
    values.push_back({head.handle, {static_cast<const std::byte*>(nullptr), head.bytes}});
  }
  tag = reader.takeBytes(tagBytes);
  for (Value& value : values) value.bytes = reader.takeBytes(value.bytes.size());
  return !reader.failed();
}

}  // namespace tutti::core
