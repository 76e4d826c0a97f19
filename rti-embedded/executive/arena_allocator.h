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

  /// `bytes` long; only what is given to `back` has memory behind it.
  static tl::expected<SharedMemory, std::string> make(const char* name, std::uint64_t bytes);
  /// Puts memory behind [offset, offset + bytes).
  tl::expected<void, std::string> back(std::uint64_t offset, std::uint64_t bytes);
  /// A descriptor through which the memory can be read but not written.
  tl::expected<fabric::UniqueFd, std::string> readOnly() const;
};

/// The memory of one federation execution (fabric/layout.h): hands out extents of it. Memory is
/// there before an extent is handed out, so touching it never ends in SIGBUS; extents that were
/// used before are zeroed. Not thread-safe: only the node allocates.
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
  ArenaAllocator(Made, Budget& budget, SharedMemory memory)
      : budget_(budget), memory_(std::move(memory)) {}
  ~ArenaAllocator();
  ArenaAllocator(const ArenaAllocator&) = delete;
  ArenaAllocator& operator=(const ArenaAllocator&) = delete;

  /// An extent of the next power of two, at least 4096 bytes; the error names `purpose`.
  tl::expected<Extent, std::string> allocate(std::uint64_t bytes, fabric::FederateNumber owner,
                                             std::string_view purpose);
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

  int descriptor() const { return memory_.descriptor.get(); }
  int readOnlyDescriptor() const { return readOnly_.get(); }
  std::uint64_t size() const { return header().size; }
  std::uint64_t committed() const { return committed_; }

 private:
  struct InUse {
    std::uint64_t bytes = 0;
    fabric::FederateNumber owner = execution;
  };

  /// Backs at least `bytes` more behind the last free range that reaches the end.
  tl::expected<void, std::string> grow(std::uint64_t bytes, std::string_view purpose);
  void addFree(fabric::Offset offset, std::uint64_t bytes);
  void removeFree(std::map<fabric::Offset, std::uint64_t>::iterator range);

  Budget& budget_;
  SharedMemory memory_;
  fabric::UniqueFd readOnly_;
  fabric::Arena arena_;
  std::uint64_t committed_ = 0;
  std::uint64_t fresh_ = 0;  ///< from here to committed_ nothing was ever handed out: zero
  std::map<fabric::Offset, InUse> used_;
  std::set<std::pair<fabric::FederateNumber, fabric::Offset>> usedByOwner_;  ///< the same extents
  std::map<fabric::Offset, std::uint64_t> free_;                   ///< ranges, never adjacent
  std::set<std::pair<std::uint64_t, fabric::Offset>> freeBySize_;  ///< the same ranges
  std::multimap<fabric::LogNumber, Extent> retired_;
  std::function<void()> shortage_;
};

}  // namespace tutti::executive
