// SPDX-License-Identifier: Apache-2.0
#include "observe/node_links.h"

#include "fabric/endpoint.h"
#include "fabric/protocol.h"

namespace tutti::observe {

using fabric::Endpoint;

tl::expected<std::vector<fabric::LinkStatus>, std::string> linksOf(const std::string& nodeName) {
  constexpr std::chrono::seconds patience{5};
  const auto silent = [&](const fabric::EndpointError& error) {
    return tl::unexpected("the RTI node '" + nodeName + "' does not answer: " + error.text);
  };
  auto endpoint = Endpoint::connect(nodeName);
  if (!endpoint) return silent(endpoint.error());
  fabric::RequestHead head;
  head.request = fabric::Request::Status;
  head.number = 1;
  if (auto sent = endpoint->send(fabric::toWire(head)); !sent) return silent(sent.error());
  auto answer = endpoint->receive(Endpoint::Clock::now() + patience);
  if (!answer) return silent(answer.error());
  fabric::ReplyHead reply;
  fabric::StatusReply status;
  std::vector<fabric::LinkStatus> links;
  fabric::WireReader reader(answer->bytes);
  reader(reply);
  if (!reader.failed() && reply.refusal != fabric::Refusal::None) {
    return tl::unexpected(reply.message);
  }
  reader(status, links);
  if (reader.failed()) {
    return tl::unexpected("the RTI node '" + nodeName +
                          "' sent a status without its links: it is of another version");
  }
  return links;
}

}  // namespace tutti::observe
