// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <RTI/LogicalTime.h>
#include <RTI/LogicalTimeInterval.h>
#include <RTI/VariableLengthData.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>

namespace tutti::api1516e {

// Arguments of a service as text, for HLAreportServiceInvocation (IEEE 1516.1-2010, 11.4). Nothing
// is done with an argument unless a report is made.

inline std::wstring describe(const std::wstring& text) { return text; }
inline std::wstring describe(bool value) { return value ? L"true" : L"false"; }
inline std::wstring describe(const rti1516e::LogicalTime& time) { return time.toString(); }
inline std::wstring describe(const rti1516e::LogicalTimeInterval& interval) {
  return interval.toString();
}
std::wstring describe(const rti1516e::VariableLengthData& data);

template <class First, class Second>
std::wstring describe(const std::pair<First, Second>& pair);

/// Handles, numbers, enumerations, and whatever can be iterated over.
template <class T>
std::wstring describe(const T& value) {
  if constexpr (requires { value.toString(); }) {
    return value.toString();
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_wstring(static_cast<long long>(value));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_wstring(value);
  } else if constexpr (requires { value.getLowerBound(); }) {
    return L"[" + std::to_wstring(value.getLowerBound()) + L"," +
           std::to_wstring(value.getUpperBound()) + L")";
  } else if constexpr (requires {
                         value.begin();
                         value.end();
                       }) {
    std::wstring result = L"{";
    for (const auto& element : value) {
      if (result.size() > 1) result += L", ";
      result += describe(element);
    }
    return result + L"}";
  } else {
    return L"...";
  }
}

template <class First, class Second>
std::wstring describe(const std::pair<First, Second>& pair) {
  return describe(pair.first) + L"=" + describe(pair.second);
}

struct Argument {
  const void* value;
  std::wstring (*text)(const void*);
};

template <class T>
Argument argument(const T& value) {
  return {&value, [](const void* any) { return describe(*static_cast<const T*>(any)); }};
}

/// The arguments of a service, by reference.
template <class... T>
std::array<Argument, sizeof...(T)> given(const T&... values) {
  return {argument(values)...};
}

}  // namespace tutti::api1516e
