// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "fabric/protocol.h"

namespace tutti::executive {

/// Why a request is not granted, as the federate will be told.
struct Refused {
  fabric::Refusal refusal = fabric::Refusal::Internal;
  std::string message;  ///< what, where, why, what next
};

/// The outcome of a request.
template <class T>
using Answer = tl::expected<T, Refused>;

inline tl::unexpected<Refused> refuse(fabric::Refusal refusal, std::string message) {
  return tl::unexpected(Refused{refusal, std::move(message)});
}

}  // namespace tutti::executive
