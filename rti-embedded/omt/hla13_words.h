// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "omt/object_model.h"
#include "omt/words.h"

/// The words of the object model template of HLA 1.3. Of several with one meaning the first is
/// written.
namespace tutti::omt::hla13 {

inline constexpr std::array<Word<Sharing>, 4> classWords{{{"P", Sharing::Publish},
                                                          {"S", Sharing::Subscribe},
                                                          {"PS", Sharing::PublishSubscribe},
                                                          {"N", Sharing::Neither}}};
/// Initiates, senses, reacts.
inline constexpr std::array<Word<Sharing>, 6> interactionWords{{{"I", Sharing::Publish},
                                                                {"R", Sharing::Subscribe},
                                                                {"S", Sharing::Subscribe},
                                                                {"IR", Sharing::PublishSubscribe},
                                                                {"IS", Sharing::PublishSubscribe},
                                                                {"N", Sharing::Neither}}};
/// Updates, reflects.
inline constexpr std::array<Word<Sharing>, 4> attributeWords{{{"U", Sharing::Publish},
                                                              {"R", Sharing::Subscribe},
                                                              {"UR", Sharing::PublishSubscribe},
                                                              {"N", Sharing::Neither}}};
/// Transfers, accepts.
inline constexpr std::array<Word<Ownership>, 4> ownershipWords{{{"T", Ownership::Divest},
                                                                {"A", Ownership::Acquire},
                                                                {"TA", Ownership::DivestAcquire},
                                                                {"N", Ownership::NoTransfer}}};

/// Empty where `words` has none for it.
template <typename Enum, std::size_t n>
std::string_view wordFor(const std::array<Word<Enum>, n>& words, Enum value) {
  for (const Word<Enum>& word : words) {
    if (word.value == value) return word.text;
  }
  return {};
}

}  // namespace tutti::omt::hla13
