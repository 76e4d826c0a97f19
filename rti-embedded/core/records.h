// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "core/callbacks.h"
#include "fabric/ring.h"

/// Bodies of the data records, behind the RecordHead. Lists follow the fixed part in the order
/// named; nothing in between is aligned but the whole record. A record in timestamp order ends with
/// its serial number at its sender, by which it can be retracted (8.21); a Retract record is
/// nothing but the head and that number.
namespace tutti::core {

/// `count` x ValueHead, the tag, the values.
struct UpdateBody {
  ObjectInstance instance;
  std::uint32_t row;  ///< in the table of its registrant
  ObjectClass objectClass;
  std::uint32_t tagBytes;
  std::uint32_t valueBytes;
};
struct ValueHead {
  std::uint32_t handle;
  std::uint32_t bytes;
};

/// `count` x ValueHead, the tag, the values.
struct InteractionBody {
  InteractionClass interactionClass;
  std::uint32_t tagBytes;
  std::uint32_t valueBytes;
  std::uint32_t reserved;
};

/// The name (none: the generated one), `owned` x attribute that its registrant owned at first,
/// `count` x AttributeRegion.
struct DiscoverBody {
  ObjectInstance instance;
  std::uint32_t row;
  ObjectClass objectClass;
  std::uint32_t nameBytes;
  std::uint32_t owned;
};

/// TableRegion: `count` ranges. As RegionTable::Room says where it lies.
struct TableRegionBody {
  Region region;
  std::uint32_t first;
  std::uint32_t rows;
  std::uint32_t dimensions;
  std::uint32_t exists;  ///< 0: it was deleted
};

/// TableUpdateRegion: a row of the table of update regions; a region of 0 makes it free.
struct TableUpdateRegionBody {
  ObjectInstance instance;
  Region region;
  Attribute attribute;
  std::uint32_t instanceRow;
  std::uint32_t row;
  std::uint32_t reserved;
};

/// The tag.
/// With Delay Subscription Evaluation, in timestamp order: what a discovery of the instance needs,
/// as a DiscoverBody, for who subscribes it before its removal is delivered.
enum class Described : std::uint32_t { No = 0, Yes = 1, WithRegions = 2 };
struct RemoveBody {
  ObjectInstance instance;
  std::uint32_t tagBytes;
  Described described;
};

/// `count` x attribute handle, the tag. With an instance of 0 all of `objectClass` are meant.
struct RequestBody {
  ObjectInstance instance;
  ObjectClass objectClass;
  std::uint32_t tagBytes;
};

/// The class that a record is about; nothing when it is about none.
inline std::optional<fabric::ClassKey> classKeyOf(fabric::RecordType type,
                                                  std::span<const std::byte> body) {
  if (type == fabric::RecordType::Update && body.size() >= sizeof(UpdateBody)) {
    UpdateBody update;
    std::memcpy(&update, body.data(), sizeof update);
    return fabric::classKey(update.objectClass, false);
  }
  if (type == fabric::RecordType::Interaction && body.size() >= sizeof(InteractionBody)) {
    InteractionBody interaction;
    std::memcpy(&interaction, body.data(), sizeof interaction);
    return fabric::classKey(interaction.interactionClass, true);
  }
  return std::nullopt;
}
/// Of a whole record.
inline std::optional<fabric::ClassKey> classKeyOf(std::span<const std::byte> record) {
  fabric::RecordHead head;
  if (record.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, record.data(), sizeof head);
  return classKeyOf(head.type, record.subspan(sizeof head));
}

/// The name of a message within its federation execution: what a message retraction handle holds.
inline std::uint64_t messageNumber(FederateNumber sender, std::uint64_t serial) {
  return (static_cast<std::uint64_t>(sender) << 40) | serial;
}
inline FederateNumber senderOf(std::uint64_t message) {
  return static_cast<FederateNumber>(message >> 40);
}
inline std::uint64_t serialOf(std::uint64_t message) {
  return message & ((std::uint64_t{1} << 40) - 1);
}

/// Builds one record in a buffer that keeps its memory.
class RecordWriter {
 public:
  explicit RecordWriter(std::vector<std::byte>& buffer) : buffer_(buffer) {
    buffer_.resize(sizeof(fabric::RecordHead));
  }
  template <class T>
  void put(const T& value) {
    put(&value, sizeof value);
  }
  void put(const void* data, std::size_t bytes) {
    if (bytes == 0) return;
    const auto* first = static_cast<const std::byte*>(data);
    buffer_.insert(buffer_.end(), first, first + bytes);
  }
  /// `serial` counts for records in timestamp order only.
  void finish(fabric::RecordType type, std::uint8_t flags, std::size_t count,
              fabric::LogNumber logNumber, std::uint64_t stamp, std::uint64_t serial = 0) {
    if ((flags & fabric::recordFlag::timestampOrder) != 0) put(serial);
    fabric::RecordHead head{};
    head.bytes = static_cast<std::uint32_t>(buffer_.size());
    head.type = type;
    head.flags = flags;
    head.count = static_cast<std::uint16_t>(count);
    head.logNumber = logNumber;
    head.stamp = stamp;
    std::memcpy(buffer_.data(), &head, sizeof head);
  }

 private:
  std::vector<std::byte>& buffer_;
};

/// Writes a body of known size into its place.
class BodyWriter {
 public:
  /// `place` is as large as all that will be put there.
  explicit BodyWriter(std::span<std::byte> place) : rest_(place) {}
  template <class T>
  void put(const T& value) {
    put(&value, sizeof value);
  }
  void put(const void* data, std::size_t bytes) {
    if (bytes == 0) return;
    std::memcpy(rest_.data(), data, bytes);
    rest_ = rest_.subspan(bytes);
  }

 private:
  std::span<std::byte> rest_;
};

/// Reads a record that came from another process: never past its end.
class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> record)
      : RecordReader(record, record.subspan(std::min(record.size(), sizeof(fabric::RecordHead)))) {}
  /// A record whose body lies elsewhere.
  RecordReader(std::span<const std::byte> record, std::span<const std::byte> body) : rest_(record) {
    take(head_);
    rest_ = body;
    if ((head_.flags & fabric::recordFlag::timestampOrder) == 0 || rest_.size() < sizeof serial_) {
      return;
    }
    std::memcpy(&serial_, rest_.last(sizeof serial_).data(), sizeof serial_);
    rest_ = rest_.first(rest_.size() - sizeof serial_);
  }
  const fabric::RecordHead& head() const { return head_; }
  std::uint64_t serial() const { return serial_; }  ///< 0: not in timestamp order
  template <class T>
  void take(T& value) {
    const auto bytes = takeBytes(sizeof value);
    if (bytes.size() == sizeof value) {
      std::memcpy(&value, bytes.data(), sizeof value);
    } else {
      value = T{};
    }
  }
  std::span<const std::byte> takeBytes(std::size_t bytes) {
    if (bytes > rest_.size()) {
      failed_ = true;
      rest_ = {};
      return {};
    }
    const auto result = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return result;
  }
  bool failed() const { return failed_; }

 private:
  std::span<const std::byte> rest_;
  fabric::RecordHead head_{};
  std::uint64_t serial_ = 0;
  bool failed_ = false;
};

}  // namespace tutti::core
