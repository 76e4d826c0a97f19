// SPDX-License-Identifier: GPL-3.0-or-later
#include "target.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace tutti::fuzz {

std::vector<Landmark*>& Landmark::all() {
  static std::vector<Landmark*> list;
  return list;
}

Landmark::Landmark(const char* name) : name_(name) { all().push_back(this); }

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz target: this does not hold: %s\n", what);
  std::abort();
}

void require(bool holds, const std::string& what) { require(holds, what.c_str()); }

Bytes fileContent(const std::string& path) {
  const std::string full = std::string(TUTTI_SOURCE_DIR) + "/" + path;
  std::ifstream file(full, std::ios::binary);
  require(static_cast<bool>(file), "a seed file can be read: " + full);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return bytesOf(text);
}

std::vector<Part> parts(Input input) {
  std::vector<Part> list;
  while (input.size() >= 3) {
    std::uint16_t length = 0;
    std::memcpy(&length, input.data() + 1, sizeof length);
    const auto kind = static_cast<std::uint8_t>(input[0]);
    input = input.subspan(3);
    const std::size_t bytes = std::min<std::size_t>(length, input.size());
    list.push_back({kind, input.first(bytes)});
    input = input.subspan(bytes);
  }
  return list;
}

void appendPart(Bytes& input, std::uint8_t kind, Input bytes) {
  const auto length = static_cast<std::uint16_t>(std::min<std::size_t>(bytes.size(), 0xffff));
  input.push_back(static_cast<std::byte>(kind));
  const auto* head = reinterpret_cast<const std::byte*>(&length);
  input.insert(input.end(), head, head + sizeof length);
  input.insert(input.end(), bytes.begin(), bytes.begin() + length);
}

}  // namespace tutti::fuzz
