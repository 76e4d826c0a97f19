// SPDX-License-Identifier: Apache-2.0
#include "clutter/streets.h"

#include <algorithm>
#include <cstdlib>

namespace samples {

namespace {

/// The next of a sequence of numbers that look random (Marsaglia's xorshift).
std::uint32_t next(std::uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

/// Well mixed, never 0.
std::uint32_t mixed(std::uint32_t seed, std::uint32_t index) {
  std::uint64_t value = (std::uint64_t{seed} << 32) + index + 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  const auto result = static_cast<std::uint32_t>(value ^ (value >> 31));
  return result == 0 ? 1 : result;
}

}  // namespace

Streets::Streets(const Settings& settings) : settings_(settings) {
  vehicles_ = settings.instances * static_cast<std::size_t>(settings.vehicles) / 100;
  movers_.reserve(settings.instances);
  const auto streets = static_cast<std::uint32_t>(settings.side / kBlock + 1);
  for (std::size_t i = 0; i < settings.instances; ++i) {
    Mover mover{};
    mover.random = mixed(settings.seed, static_cast<std::uint32_t>(i));
    const auto along =
        static_cast<std::int32_t>(next(mover.random) % static_cast<std::uint32_t>(settings.side));
    const auto street = static_cast<std::int32_t>(next(mover.random) % streets) * kBlock;
    mover.heading = static_cast<Direction>(next(mover.random) % 4);
    const bool upright = mover.heading == North || mover.heading == South;
    mover.x = upright ? street : along;
    mover.y = upright ? along : street;
    mover.speed = static_cast<std::uint16_t>(isVehicle(i) ? 80 + next(mover.random) % 90
                                                          : 8 + next(mover.random) % 12);
    movers_.push_back(mover);
  }
}

Streets::Place Streets::place(std::size_t index) const {
  const Mover& mover = movers_[index];
  return {mover.x, mover.y, mover.heading, mover.speed};
}

bool Streets::leadsOut(const Mover& mover, Direction heading) const {
  switch (heading) {
    case North:
      return mover.y >= settings_.side;
    case East:
      return mover.x >= settings_.side;
    case South:
      return mover.y <= 0;
    case West:
      return mover.x <= 0;
  }
  return true;
}

void Streets::turn(Mover& mover) const {
  const std::uint32_t chance = next(mover.random) % 10;
  const int first = chance < 6 ? 0 : chance < 8 ? 1 : 3;  // on, right, left
  for (const int more : {0, 2, 1, 3}) {
    const auto heading = static_cast<Direction>((mover.heading + first + more) % 4);
    if (leadsOut(mover, heading)) continue;
    mover.heading = heading;
    return;
  }
}

void Streets::move(std::size_t index, int milliseconds) {
  Mover& mover = movers_[index];
  std::int32_t left = mover.speed * milliseconds / 1000;
  while (left > 0) {
    const bool upright = mover.heading == North || mover.heading == South;
    const bool forward = mover.heading == North || mover.heading == East;
    std::int32_t& at = upright ? mover.y : mover.x;
    if (leadsOut(mover, mover.heading)) {
      turn(mover);
      continue;
    }
    const std::int32_t past = at % kBlock;
    const std::int32_t toCrossing = forward ? kBlock - past : past == 0 ? kBlock : past;
    const std::int32_t step = std::min(left, toCrossing);
    at += forward ? step : -step;
    left -= step;
    if (step == toCrossing) turn(mover);
  }
}

CellGrid::Bounds CellGrid::bounds(int line, unsigned long span) const {
  const auto edge = [&](int number) {
    return span * static_cast<unsigned long>(number) / static_cast<unsigned long>(cells_);
  };
  return {edge(line), edge(line + 1)};
}

}  // namespace samples
