// SPDX-License-Identifier: GPL-3.0-or-later
// Changes inputs of parts (target.h) part by part, so that a longer message does not turn all that
// follows it into garbage: the bytes of one part as libFuzzer changes any bytes, or the order of
// parts, or their number.
#include <algorithm>
#include <cstring>
#include <random>

#include "target.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t bytes, std::size_t most);

namespace {

using tutti::fuzz::Bytes;

struct OwnPart {
  std::uint8_t kind;
  Bytes bytes;
};

void mutateBytes(OwnPart& part, std::size_t room) {
  const std::size_t before = part.bytes.size();
  if (before + room == 0) return;
  const std::size_t most = std::min<std::size_t>(std::min<std::size_t>(before + room, 0xffff),
                                                 std::max<std::size_t>(before * 2, 64));
  part.bytes.resize(std::max(most, before));
  part.bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(part.bytes.data()), before,
                                     part.bytes.size()));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t bytes,
                                               std::size_t most, unsigned seed) {
  namespace fuzz = tutti::fuzz;
  std::minstd_rand random(seed);
  std::vector<OwnPart> list;
  for (const auto& part : fuzz::parts({reinterpret_cast<const std::byte*>(data), bytes})) {
    list.push_back({part.kind, {part.bytes.begin(), part.bytes.end()}});
  }
  if (list.empty() || random() % 32 == 0) return LLVMFuzzerMutate(data, bytes, most);
  const auto any = [&] { return random() % list.size(); };
  const std::size_t at = any();
  switch (random() % 8) {
    case 0:  // a part comes again, perhaps somewhere else
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(any()), OwnPart(list[at]));
      break;
    case 1:
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 2:
      std::swap(list[at], list[any()]);
      break;
    case 3:
      list[at].kind = static_cast<std::uint8_t>(random() % 16);
      break;
    case 4:  // the bytes of one with the kind of another
      list[at].bytes = Bytes(list[any()].bytes);
      break;
    default:
      mutateBytes(list[at], most - std::min(most, bytes));
  }
  Bytes result;
  for (const OwnPart& part : list) fuzz::appendPart(result, part.kind, part.bytes);
  if (result.empty()) return LLVMFuzzerMutate(data, bytes, most);
  const std::size_t kept = std::min(result.size(), most);
  std::memcpy(data, result.data(), kept);
  return kept;
}
