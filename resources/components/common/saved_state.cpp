// SPDX-License-Identifier: Apache-2.0
#include "common/saved_state.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace samples {

namespace {

const char* const kEnd = "\nend of state\n";

/// A name that every file system takes: other characters as %XX, long ones cut, with a hash.
std::string fileName(const std::string& text) {
  constexpr std::size_t kLongest = 100;
  static const char* const kDigits = "0123456789ABCDEF";
  std::string name;
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    hash = (hash ^ byte) * 0x100000001b3u;
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (plain) {
      name += c;
    } else {
      name += '%';
      name += kDigits[byte >> 4];
      name += kDigits[byte & 15];
    }
  }
  if (name.size() <= kLongest) return name.empty() ? "%" : name;
  return name.substr(0, kLongest) + "%" + std::to_string(hash);
}

}  // namespace

std::string stateFile(const std::string& federation, const std::string& label,
                      const std::string& federate) {
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  std::filesystem::path folder;
  if (state != nullptr && *state == '/') {
    folder = state;
  } else {
    folder = std::filesystem::path(home != nullptr && *home != 0 ? home : "/tmp") / ".local/state";
  }
  return folder / "tutti/federates" / fileName(federation) / fileName(label) /
         (fileName(federate) + ".state");
}

bool writeStateFile(const std::string& file, const std::string& state) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  const std::string draft = file + ".new";
  {
    std::ofstream out(draft, std::ios::binary | std::ios::trunc);
    out << state << kEnd;
    out.close();
    if (!out) {
      std::filesystem::remove(draft, error);
      return false;
    }
  }
  std::filesystem::rename(draft, file, error);
  return !error;
}

std::optional<std::string> readStateFile(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string end = kEnd;
  if (!in || content.size() < end.size() ||
      content.compare(content.size() - end.size(), end.size(), end) != 0) {
    return std::nullopt;
  }
  content.resize(content.size() - end.size());
  return content;
}

void writeText(std::ostream& to, const std::string& text) { to << std::quoted(text) << ' '; }

std::string readText(std::istream& from) {
  std::string text;
  from >> std::quoted(text);
  return text;
}

void writeNumber(std::ostream& to, double number) {
  to << std::hexfloat << number << std::defaultfloat << ' ';
}

// Reading hexadecimal numbers from a stream is not to be relied on; strtod does it.
double readNumber(std::istream& from) {
  std::string word;
  from >> word;
  char* end = nullptr;
  const double number = std::strtod(word.c_str(), &end);
  if (word.empty() || *end != 0) from.setstate(std::ios::failbit);
  return number;
}

void writeHandle(std::ostream& to, const rti1516e::ObjectInstanceHandle& handle) {
  const rti1516e::VariableLengthData data = handle.encode();
  const auto* bytes = static_cast<const unsigned char*>(data.data());
  std::ostringstream text;
  text << std::hex << std::setfill('0');
  for (std::size_t i = 0; i < data.size(); ++i) text << std::setw(2) << int{bytes[i]};
  to << text.str() << ' ';
}

rti1516e::ObjectInstanceHandle readHandle(std::istream& from, rti1516e::RTIambassador& rti) {
  std::string word;
  from >> word;
  std::string bytes;
  for (std::size_t i = 0; i + 1 < word.size(); i += 2) {
    bytes += static_cast<char>(std::strtoul(word.substr(i, 2).c_str(), nullptr, 16));
  }
  return rti.decodeObjectInstanceHandle(rti1516e::VariableLengthData(bytes.data(), bytes.size()));
}

void writeFlight(std::ostream& to, const FlightState& state) {
  for (const std::string& text : {state.callsign, state.origin, state.destination})
    writeText(to, text);
  for (const double number :
       {state.position.latitude, state.position.longitude, state.altitude, state.groundSpeed,
        state.heading, state.verticalRate, state.located ? 1.0 : 0.0})
    writeNumber(to, number);
}

FlightState readFlight(std::istream& from) {
  FlightState state;
  for (std::string* text : {&state.callsign, &state.origin, &state.destination})
    *text = readText(from);
  for (double* number : {&state.position.latitude, &state.position.longitude, &state.altitude,
                         &state.groundSpeed, &state.heading, &state.verticalRate})
    *number = readNumber(from);
  state.located = readNumber(from) != 0.0;
  return state;
}

}  // namespace samples
