// SPDX-License-Identifier: GPL-3.0-or-later
// replay FOLDER|FILE...: gives the seeds of a target and the inputs named to it, once each, and fails
// when a landmark of the target is not reached by any of them. Works with every compiler.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "target.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  namespace fuzz = tutti::fuzz;
  std::size_t inputs = 0;
  for (const auto& seed : fuzz::seeds()) {
    fuzz::target(seed);
    ++inputs;
  }
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "replay: %s cannot be read\n", path.c_str());
      return 2;
    }
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    std::fprintf(stderr, "replay: %s\n", path.filename().c_str());  // the last one is at fault
    fuzz::target(fuzz::bytesOf(text));
    ++inputs;
  }
  int missed = 0;
  std::printf("%zu inputs\n", inputs);
  for (const fuzz::Landmark* landmark : fuzz::Landmark::all()) {
    std::printf("%8llu  %s\n", static_cast<unsigned long long>(landmark->count()),
                landmark->name());
    if (landmark->count() != 0) continue;
    std::fprintf(stderr, "replay: no input comes to '%s': the target rejects too much, or a seed "
                         "is missing\n", landmark->name());
    ++missed;
  }
  return missed == 0 ? 0 : 1;
}
