// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "pipes/address.h"
#include "pipes/pipe.h"

/// What connecting and listening have in common.
namespace tutti::pipes {

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

/// Looks a name up, which can take a while.
tl::expected<Addresses, PipeError> resolve(const Address& address, bool toListen);
/// Options of a connection between nodes.
void setUpConnection(int socket);
/// HOST:PORT in numbers, for display.
std::string nameOf(const sockaddr* address, socklen_t bytes);

}  // namespace tutti::pipes
