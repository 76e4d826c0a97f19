// SPDX-License-Identifier: Apache-2.0
#include "api1516e/own_time_type.h"

#include <RTI/Exception.h>
#include <RTI/VariableLengthData.h>

#include <bit>
#include <cstring>
#include <exception>
#include <limits>
#include <utility>

#include "api1516e/time_factories.h"

namespace tutti::api1516e {
namespace {

using rti1516e::LogicalTime;
using rti1516e::LogicalTimeInterval;
using rti1516e::VariableLengthData;

constexpr std::size_t mostPowers = 63;
constexpr std::uint64_t lastCount = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::unique_ptr<OwnTimeType> OwnTimeType::make(const std::wstring& name) {
  auto factory = makeTimeFactory(name);
  if (!factory) return nullptr;
  return std::unique_ptr<OwnTimeType>(new OwnTimeType(std::move(factory)));
}

OwnTimeType::OwnTimeType(std::unique_ptr<rti1516e::LogicalTimeFactory> factory)
    : factory_(std::move(factory)), callbackTime_(initial()) {
  timeName_ = callbackTime_->implementationName();
  powers_.emplace_back(factory_->makeEpsilon().release());
  intervalName_ = powers_.front()->implementationName();
  while (powers_.size() < mostPowers) {
    std::unique_ptr<LogicalTimeInterval> twice = zero();
    try {
      *twice = *powers_.back();
      *twice += *powers_.back();
      const auto reached = initial();
      *reached += *twice;
      if (!(*twice > *powers_.back()) || !(*reached > *initial())) break;
    } catch (const rti1516e::Exception&) {
      break;  // past the end of the type
    }
    powers_.push_back(std::move(twice));
  }
  for (const Form form : {Form::Integer64BE, Form::Integer64LE, Form::Integer32BE,
                          Form::Integer32LE, Form::Float64BE, Form::Float64LE}) {
    if (!describes(form)) continue;
    form_ = form;
    break;
  }
}

std::unique_ptr<LogicalTime> OwnTimeType::initial() const {
  return std::unique_ptr<LogicalTime>(factory_->makeInitial().release());
}

std::unique_ptr<LogicalTimeInterval> OwnTimeType::zero() const {
  return std::unique_ptr<LogicalTimeInterval>(factory_->makeZero().release());
}

template <class Value>
bool OwnTimeType::numberOf(const Value& value, Form form, std::uint64_t& bits) {
  const VariableLengthData data = value.encode();
  if (form == Form::Integer32BE || form == Form::Integer32LE) {
    std::uint32_t small = 0;
    if (data.size() != sizeof small) return false;
    std::memcpy(&small, data.data(), sizeof small);
    if (form == Form::Integer32BE) small = __builtin_bswap32(small);
    bits = static_cast<std::uint64_t>(std::int64_t{std::bit_cast<std::int32_t>(small)});
    return true;
  }
  if (data.size() != sizeof bits) return false;
  std::memcpy(&bits, data.data(), sizeof bits);
  if (form == Form::Integer64BE || form == Form::Float64BE) bits = __builtin_bswap64(bits);
  return true;
}

template <class Value>
void OwnTimeType::fromNumber(Value& value, Form form, std::uint64_t bits) {
  if (form == Form::Integer32BE || form == Form::Integer32LE) {
    const auto number = static_cast<std::int64_t>(bits);
    const bool fits = number <= std::numeric_limits<std::int32_t>::max();
    auto small = static_cast<std::uint32_t>(fits ? static_cast<std::int32_t>(number)
                                                 : std::numeric_limits<std::int32_t>::max());
    if (form == Form::Integer32BE) small = __builtin_bswap32(small);
    value.decode(VariableLengthData(&small, sizeof small));
    return;
  }
  if (form == Form::Integer64BE || form == Form::Float64BE) bits = __builtin_bswap64(bits);
  value.decode(VariableLengthData(&bits, sizeof bits));
}

// Whether the encoding is that of a number: the initial time is 0, and sums of the type are sums of
// its numbers, over all powers of two of epsilon.
bool OwnTimeType::describes(Form form) const try {
  const bool real = form == Form::Float64BE || form == Form::Float64LE;
  const auto sum = [real](std::uint64_t a, std::uint64_t b) {
    return real ? std::bit_cast<std::uint64_t>(std::bit_cast<double>(a) + std::bit_cast<double>(b))
                : a + b;
  };
  std::uint64_t number = 0;
  if (!numberOf(*initial(), form, number) || number != 0) return false;
  if (!numberOf(*zero(), form, number) || number != 0) return false;
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < powers_.size(); ++k) {
    std::uint64_t interval = 0;
    const auto time = initial();
    *time += *powers_[k];
    if (!numberOf(*powers_[k], form, interval) || !numberOf(*time, form, number)) return false;
    if (number != interval || number == 0 || (number >> 63) != 0) return false;
    if (k != 0) {
      if (interval != sum(before, before)) return false;
      const auto further = initial();
      try {
        *further += *powers_[k];
        *further += *powers_[k - 1];
      } catch (const rti1516e::Exception&) {
        break;  // past the end of the type
      }
      if (!numberOf(*further, form, number) || number != sum(interval, before)) return false;
      const auto back = initial();
      fromNumber(*back, form, number);
      if (!(*back == *further)) return false;
    }
    before = interval;
  }
  return true;
} catch (const std::exception&) {
  return false;
} catch (const rti1516e::Exception&) {
  return false;
}

// Largest powers first: whatever the type can add without passing `value`.
template <class Value>
bool OwnTimeType::countEpsilons(const Value& value, std::unique_ptr<Value> from,
                                std::unique_ptr<Value> next, std::uint64_t& count) const {
  count = 0;
  if (value < *from) return false;
  for (std::size_t k = powers_.size(); k-- > 0;) {
    try {
      *next = *from;
      *next += *powers_[k];
      if (!(*next <= value) || !(*next > *from)) continue;
    } catch (const rti1516e::Exception&) {
      continue;  // past the end of the type
    }
    *from = *next;
    count |= std::uint64_t{1} << k;
  }
  return *from == value;
}

bool OwnTimeType::bitsOf(const LogicalTime& time, std::uint64_t& bits) const try {
  if (time.implementationName() != timeName_) return false;
  if (form_ != Form::Epsilons) return numberOf(time, form_, bits);
  if (countEpsilons(time, initial(), initial(), bits)) return true;
  bits = lastCount;
  return time.isFinal();
} catch (const std::exception&) {
  return false;
} catch (const rti1516e::Exception&) {
  return false;
}

bool OwnTimeType::bitsOf(const LogicalTimeInterval& interval, std::uint64_t& bits) const try {
  if (interval.implementationName() != intervalName_) return false;
  if (form_ != Form::Epsilons) return numberOf(interval, form_, bits);
  if (interval < *zero()) {
    bits = ~std::uint64_t{0};  // -1: any negative one is refused alike
    return true;
  }
  return countEpsilons(interval, zero(), zero(), bits);
} catch (const std::exception&) {
  return false;
} catch (const rti1516e::Exception&) {
  return false;
}

bool OwnTimeType::set(LogicalTime& time, std::uint64_t bits) const {
  if (time.implementationName() != timeName_) return false;
  if (form_ != Form::Epsilons) {
    fromNumber(time, form_, bits);
    return true;
  }
  const auto sum = initial();
  if (bits == lastCount || (bits >> powers_.size()) != 0) {
    time.setFinal();  // the last time there is
    return true;
  }
  try {
    for (std::size_t k = 0; k < powers_.size(); ++k) {
      if (((bits >> k) & 1) != 0) *sum += *powers_[k];
    }
  } catch (const rti1516e::Exception&) {
    sum->setFinal();
  }
  time = *sum;
  return true;
}

bool OwnTimeType::set(LogicalTimeInterval& interval, std::uint64_t bits) const {
  if (interval.implementationName() != intervalName_) return false;
  if (form_ != Form::Epsilons) {
    fromNumber(interval, form_, bits);
    return true;
  }
  const auto sum = zero();
  for (std::size_t k = 0; k < powers_.size(); ++k) {
    if (((bits >> k) & 1) != 0) *sum += *powers_[k];
  }
  interval = *sum;
  return true;
}

}  // namespace tutti::api1516e
