// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "executive/budget.h"
#include "fabric/endpoint.h"
#include "fabric/layout.h"
#include "fabric/mapping.h"

namespace tutti::executive {

/// A sealed memfd: nobody can resize it while others map it.
struct SharedMemory {
  fabric::UniqueFd descriptor;

  /// `bytes` long; only what is given to `back` has memory behind it. To be sealed with seal().
  static tl::expected<SharedMemory, std::string> make(const char* name, std::uint64_t bytes);
  /// Puts memory behind [offset, offset + bytes).
  tl::expected<void, std::string> back(std::uint64_t offset, std::uint64_t bytes);
  enum class Writers { All, Mappers };
  /// No seal can be added after. With Mappers, those who have mapped it by now go on writing, and
  /// nobody else ever can, through whatever descriptor of it.
  tl::expected<void, std::string> seal(Writers writers);
  /// A descriptor through which the memory can be read but not written.
  tl::expected<fabric::UniqueFd, std::string> readOnly() const;
};

/// The memory of one federation execution (fabric/layout.h): hands out extents of it, of the part
/// that federates may write, or of that which is published to them. Memory is there before an extent
/// is handed out, so touching it never ends in SIGBUS; extents that were used before are zeroed. What
/// lies where is known from nothing in that memory. Not thread-safe: only the node allocates.
class ArenaAllocator {
  struct Made {};  // only make() can call the constructor

 public:
  struct Extent {
    fabric::Offset offset = 0;
    std::uint64_t bytes = 0;
  };
  static constexpr fabric::FederateNumber execution = 0;  ///< owner of what belongs to no federate

  /// `budget` outlives the arena.
  static tl::expected<std::unique_ptr<ArenaAllocator>, std::string> make(Budget& budget);
  ArenaAllocator(Made, Budget& budget) : budget_(budget) {}
  ~ArenaAllocator();
  ArenaAllocator(const ArenaAllocator&) = delete;
  ArenaAllocator& operator=(const ArenaAllocator&) = delete;

  /// An extent of the next power of two, at least 4096 bytes; the error names `purpose`.
  tl::expected<Extent, std::string> allocate(std::uint64_t bytes, fabric::FederateNumber owner,
                                             std::string_view purpose);
  /// The same of the published part, which only the node can write; its owner is the execution.
  tl::expected<Extent, std::string> publish(std::uint64_t bytes, std::string_view purpose);
  /// Makes it free for use at once. False when there is no such extent.
  bool release(fabric::Offset extent);
  /// The record `number` ends its use: free when every federate has applied that record.
  bool retire(fabric::Offset extent, fabric::LogNumber number);
  /// Frees what was retired by records up to `applied`, which every federate has applied.
  void reclaim(fabric::LogNumber applied);

  /// Whether this lies in an extent that is handed out and not retired.
  bool isInUse(fabric::Offset offset) const;
  /// The owner of an extent in use; nothing when it is none, or retired.
  std::optional<fabric::FederateNumber> ownerOf(fabric::Offset extent) const;
  /// From now on the extent belongs to `owner`.
  void giveTo(fabric::Offset extent, fabric::FederateNumber owner);
  std::vector<fabric::Offset> ownedBy(fabric::FederateNumber owner) const;
  /// Whether reclaim(applied) would free anything.
  bool hasRetired(fabric::LogNumber applied) const {
    return !retired_.empty() && retired_.begin()->first <= applied;
  }
  /// Called before more memory is taken: may call retire() and reclaim().
  void onShortage(std::function<void()> shortage) { shortage_ = std::move(shortage); }

  /// Address in the node's mapping, null when the range is not backed.
  std::byte* at(fabric::Offset offset, std::size_t bytes) const { return arena_.at(offset, bytes); }
  template <class T>
  T* as(fabric::Offset offset) const {
    return arena_.as<T>(offset);
  }
  const fabric::Arena& arena() const { return arena_; }
  fabric::ArenaHeader& header() const { return arena_.header(); }

  /// What a federate is given: the descriptors of the published and the shared part.
  std::vector<int> descriptors() const {
    return {published_.memory.descriptor.get(), shared_.memory.descriptor.get()};
  }
  /// The same for reading only.
  std::vector<int> readOnlyDescriptors() const {
    return {published_.memory.descriptor.get(), readOnly_.get()};
  }
  fabric::ArenaMemory memory() const {
    return {published_.memory.descriptor.get(), shared_.memory.descriptor.get(),
            publishedBytes(), size()};
  }
  std::uint64_t size() const { return shared_.limit; }  ///< of both parts
  std::uint64_t publishedBytes() const { return published_.limit; }
  /// Bytes that have memory behind them, of both parts.
  std::uint64_t committed() const {
    return published_.committed + shared_.committed - shared_.first;
  }

 private:
  struct InUse {
    std::uint64_t bytes = 0;
    fabric::FederateNumber owner = execution;
  };

  /// One memfd: offsets from `first` to `limit`.
  struct Part {
    SharedMemory memory;
    std::uint64_t first = 0;
    std::uint64_t limit = 0;
    std::uint64_t committed = 0;  ///< backed up to here
    std::uint64_t fresh = 0;      ///< from here to `committed` nothing was ever handed out: zero
    std::map<fabric::Offset, std::uint64_t> free;                   ///< ranges, never adjacent
    std::set<std::pair<std::uint64_t, fabric::Offset>> freeBySize;  ///< the same ranges

    void addFree(fabric::Offset offset, std::uint64_t bytes);
    void removeFree(std::map<fabric::Offset, std::uint64_t>::iterator range);
  };
  static tl::expected<Part, std::string> makePart(const char* name, std::uint64_t first,
                                                  std::uint64_t limit);

  Part& partOf(fabric::Offset offset) { return offset < shared_.first ? published_ : shared_; }
  tl::expected<Extent, std::string> allocate(Part& part, std::uint64_t bytes,
                                             fabric::FederateNumber owner,
                                             std::string_view purpose);
  /// Backs at least `bytes` more behind the last free range that reaches the end.
  tl::expected<void, std::string> grow(Part& part, std::uint64_t bytes, std::string_view purpose);

  Budget& budget_;
  Part published_;
  Part shared_;
  fabric::UniqueFd readOnly_;  ///< of the shared part
  fabric::Arena arena_;
  std::map<fabric::Offset, InUse> used_;
  std::set<std::pair<fabric::FederateNumber, fabric::Offset>> usedByOwner_;  ///< the same extents
  std::multimap<fabric::LogNumber, Extent> retired_;
  std::function<void()> shortage_;
};

}  // namespace tutti::executive
