// SPDX-License-Identifier: Apache-2.0
#include "node/model_desk.h"

#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>
#include <vector>

namespace tutti::node {

using executive::ModelRead;
using executive::ModelWanted;
using fabric::Request;

namespace {

/// The execution that a request creates, destroys or joins; nothing: it is another request.
std::optional<std::string> federationOf(std::span<const std::byte> datagram) {
  fabric::RequestHead head;
  fabric::WireReader reader(datagram);
  reader(head);
  if (reader.failed()) return std::nullopt;
  if (head.request != Request::CreateFederation && head.request != Request::DestroyFederation &&
      head.request != Request::Join) {
    return std::nullopt;
  }
  // The body of each begins with the name.
  std::string name;
  reader(name);
  if (reader.failed()) return std::nullopt;
  return name;
}

}  // namespace

ModelDesk::ModelDesk(executive::Executive& executive, executive::ModelSource& models)
    : executive_(executive), models_(models), events_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

ModelDesk::~ModelDesk() {
  for (auto& [name, line] : lines_) {
    if (line.reader && line.reader->thread.joinable()) line.reader->thread.join();
  }
}

bool ModelDesk::isWaiting(ConnectionId connection) const {
  return std::any_of(lines_.begin(), lines_.end(), [&](const auto& item) {
    const auto& waiting = item.second.waiting;
    return std::any_of(waiting.begin(), waiting.end(),
                       [&](const Waiting& one) { return one.connection == connection; });
  });
}

std::size_t ModelDesk::waitingCount() const {
  std::size_t count = 0;
  for (const auto& [name, line] : lines_) count += line.waiting.size();
  return count;
}

std::size_t ModelDesk::readers() const {
  return static_cast<std::size_t>(
      std::count_if(lines_.begin(), lines_.end(),
                    [](const auto& item) { return item.second.reader != nullptr; }));
}

bool ModelDesk::takes(ConnectionId connection, std::span<const std::byte> datagram,
                      Resume resume) {
  const auto federation = federationOf(datagram);
  if (!federation) return false;
  if (!lines_.contains(*federation) && !executive_.modelWanted(connection, datagram)) return false;
  pipes::Charge charge(memory_);
  if (!charge.add(datagram.size())) throw std::bad_alloc();
  lines_[*federation].waiting.push_back(
      {connection, {datagram.begin(), datagram.end()}, std::move(resume), std::move(charge)});
  ready();
  return true;
}

void ModelDesk::ready() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(events_.get(), &count, sizeof count);
  if (proceeding_) return;  // what is resumed may have others taken
  proceeding_ = true;
  while (proceed()) {
  }
  proceeding_ = false;
}

bool ModelDesk::proceed() {
  std::vector<std::string> names;
  for (const auto& [name, line] : lines_) names.push_back(name);
  bool any = false;
  for (const std::string& name : names) any = proceed(name) || any;
  return any;
}

bool ModelDesk::proceed(const std::string& federation) {
  const auto found = lines_.find(federation);
  if (found == lines_.end()) return false;
  Line& line = found->second;
  std::optional<ModelRead> read;
  if (line.reader) {
    if (!line.reader->done.load(std::memory_order_acquire)) return false;
    line.reader->thread.join();
    read = std::move(line.reader->read);
    line.reader.reset();
  }
  // The reader may have read for one that has gone; then the next says what it wants.
  while (!line.waiting.empty() && !executive_.isOpen(line.waiting.front().connection)) {
    line.waiting.pop_front();
    read.reset();
  }
  if (line.waiting.empty()) {
    lines_.erase(found);
    return true;
  }
  auto wanted =
      executive_.modelWanted(line.waiting.front().connection, line.waiting.front().datagram);
  if (wanted && !(read && read->base == wanted->base)) {
    if (readers() >= mostReaders) return false;
    start(line, std::move(*wanted));
    return line.reader == nullptr;
  }
  // Gone from the line before it is resumed: what follows from that may come here again.
  const Waiting first = std::move(line.waiting.front());
  line.waiting.pop_front();
  first.resume(first.datagram, wanted ? &*read : nullptr);
  return true;
}

void ModelDesk::start(Line& line, ModelWanted wanted) {
  auto reader = std::make_unique<Reader>();
  reader->wanted = std::move(wanted);
  try {
    reader->thread = std::thread([this, reader = reader.get()] {
      try {
        reader->read = executive::readModel(reader->wanted, models_);
      } catch (const std::exception& error) {
        reader->read = ModelRead{
            reader->wanted.base,
            executive::refuse(fabric::Refusal::OutOfMemory,
                              std::string("the object model cannot be read: ") + error.what() +
                                  "; use a smaller one, or give the RTI node's host more memory")};
      }
      reader->done.store(true, std::memory_order_release);
      const std::uint64_t one = 1;
      [[maybe_unused]] const auto put = ::write(events_.get(), &one, sizeof one);
    });
    line.reader = std::move(reader);
  } catch (const std::system_error& error) {
    spdlog::error("an object model is read by the thread that serves: {}", error.what());
    const Waiting first = std::move(line.waiting.front());
    line.waiting.pop_front();
    first.resume(first.datagram, nullptr);
  }
}

}  // namespace tutti::node
