// SPDX-License-Identifier: GPL-3.0-or-later
// The entry points of libFuzzer. With TUTTI_FUZZ_SEEDS=FOLDER the program writes its seeds there and
// ends.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "target.h"

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  const char* folder = std::getenv("TUTTI_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  std::size_t number = 0;
  for (const auto& seed : tutti::fuzz::seeds()) {
    std::ofstream file(std::string(folder) + "/seed-" + std::to_string(number++), std::ios::binary);
    file.write(reinterpret_cast<const char*>(seed.data()),
               static_cast<std::streamsize>(seed.size()));
  }
  std::_Exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  tutti::fuzz::target({reinterpret_cast<const std::byte*>(data), bytes});
  return 0;
}
