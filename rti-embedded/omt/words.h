// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "omt/object_model.h"

/// The words that cells of OMT tables take (IEEE 1516.2-2010, 4).
namespace tutti::omt {

/// A word and what it means.
template <typename Enum>
struct Word {
  std::string_view text;
  Enum value;
};

inline constexpr std::array<Word<Sharing>, 4> sharingWords{
    {{"Publish", Sharing::Publish},
     {"Subscribe", Sharing::Subscribe},
     {"PublishSubscribe", Sharing::PublishSubscribe},
     {"Neither", Sharing::Neither}}};
inline constexpr std::array<Word<OrderType>, 2> orderWords{
    {{"Receive", OrderType::Receive}, {"TimeStamp", OrderType::TimeStamp}}};
inline constexpr std::array<Word<UpdateType>, 3> updateTypeWords{
    {{"Static", UpdateType::Static},
     {"Periodic", UpdateType::Periodic},
     {"Conditional", UpdateType::Conditional}}};
inline constexpr std::array<Word<Ownership>, 4> ownershipWords{
    {{"NoTransfer", Ownership::NoTransfer},
     {"Divest", Ownership::Divest},
     {"Acquire", Ownership::Acquire},
     {"DivestAcquire", Ownership::DivestAcquire}}};
inline constexpr std::array<Word<ResignAction>, 6> resignWords{
    {{"UnconditionallyDivestAttributes", ResignAction::UnconditionallyDivestAttributes},
     {"DeleteObjects", ResignAction::DeleteObjects},
     {"CancelPendingOwnershipAcquisitions", ResignAction::CancelPendingOwnershipAcquisitions},
     {"DeleteObjectsThenDivest", ResignAction::DeleteObjectsThenDivest},
     {"CancelThenDeleteThenDivest", ResignAction::CancelThenDeleteThenDivest},
     {"NoAction", ResignAction::NoAction}}};

/// "Publish, Subscribe or Neither".
template <typename Words>
std::string listOf(const Words& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += words[i].text;
  }
  return list;
}

}  // namespace tutti::omt
