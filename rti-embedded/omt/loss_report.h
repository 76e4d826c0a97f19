// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tutti::omt {

/// What an object model had to give up or to assume on its way into another edition: one kind of
/// thing, and everywhere it was met.
struct Loss {
  enum class Kind : std::uint8_t {
    Lost,     ///< the edition cannot say it
    Guessed,  ///< said in another way, or the edition asks for what the module does not say
    Read      ///< a warning of the reader: it did not take the file as it stands
  };
  struct Place {
    std::string name;  ///< "Ship.position"; may be empty
    int line = 0;      ///< in the file that was read, from 1; 0 where it is not known
  };
  Kind kind = Kind::Lost;
  std::string what;           ///< "Datatypes of attributes"
  std::string became;         ///< "left out"
  std::vector<Place> places;  ///< the first LossReport::maxPlaces
  std::size_t count = 0;      ///< of all places
};

/// Gathers losses while a module is written. Not thread-safe.
class LossReport {
 public:
  /// Places that are kept of one loss: a file of a few megabytes may have a million of them.
  static constexpr std::size_t maxPlaces = 1000;
  /// Losses that are kept; what goes beyond is counted in the last.
  static constexpr std::size_t maxLosses = 1000;

  void lost(std::string_view what, std::string_view became, std::string_view name, int line) {
    add(Loss::Kind::Lost, what, became, name, line);
  }
  void guessed(std::string_view what, std::string_view became, std::string_view name, int line) {
    add(Loss::Kind::Guessed, what, became, name, line);
  }
  void add(Loss::Kind kind, std::string_view what, std::string_view became, std::string_view name,
           int line);

  /// In the order in which they were first met.
  std::vector<Loss> take() { return std::move(losses_); }

 private:
  std::vector<Loss> losses_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace tutti::omt
