// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samples {

/// Civilian vehicles and people on a street grid, as many as fit into memory: 16 bytes each. What
/// each of them does is a matter of whole numbers and follows from the seed and from how often it
/// was moved, on every machine and in whatever order they are moved.
class Streets {
 public:
  static constexpr int kBlock = 1000;  ///< distance of neighbouring streets, dm

  struct Settings {
    std::size_t instances = 1000;
    int side = 100'000;  ///< of the square area, dm; a multiple of kBlock
    int vehicles = 70;   ///< per cent; the others are people
    std::uint32_t seed = 1;
  };
  enum Direction : std::uint8_t { North, East, South, West };
  struct Place {
    std::int32_t x;  ///< dm from the western edge, 0 to side
    std::int32_t y;  ///< dm from the southern edge, 0 to side
    Direction heading;
    std::int32_t speed;  ///< dm/s
  };

  explicit Streets(const Settings& settings);
  std::size_t size() const { return movers_.size(); }
  const Settings& settings() const { return settings_; }
  bool isVehicle(std::size_t index) const { return index < vehicles_; }
  Place place(std::size_t index) const;
  /// Lets one of them go on for so many milliseconds: along its street, and at each crossing
  /// straight on, to the left or to the right.
  void move(std::size_t index, int milliseconds);

 private:
  struct Mover {
    std::int32_t x, y;
    std::uint32_t random;
    std::uint16_t speed;
    Direction heading;
  };
  bool leadsOut(const Mover& mover, Direction heading) const;
  void turn(Mover& mover) const;

  Settings settings_;
  std::size_t vehicles_;
  std::vector<Mover> movers_;
};

/// A square area in `cells` x `cells` cells.
class CellGrid {
 public:
  CellGrid(int side, int cells) : side_(side), cells_(cells) {}
  int cells() const { return cells_; }
  std::size_t count() const {
    return static_cast<std::size_t>(cells_) * static_cast<std::size_t>(cells_);
  }
  /// The cell that holds a place, row by row from the southern one.
  std::size_t at(std::int32_t x, std::int32_t y) const {
    return static_cast<std::size_t>(line(y)) * static_cast<std::size_t>(cells_) +
           static_cast<std::size_t>(line(x));
  }
  /// Bounds of one line of cells in a dimension whose upper bound is `span`: [from, to).
  struct Bounds {
    unsigned long from, to;
  };
  Bounds bounds(int line, unsigned long span) const;

 private:
  int line(std::int32_t at) const {
    const auto cell = static_cast<int>(static_cast<std::int64_t>(at) * cells_ / side_);
    return cell < cells_ ? cell : cells_ - 1;
  }
  int side_;
  int cells_;
};

}  // namespace samples
