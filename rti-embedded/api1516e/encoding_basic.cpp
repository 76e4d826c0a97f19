// SPDX-License-Identifier: Apache-2.0
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAopaqueData.h>

#include <cstdint>
#include <string>
#include <vector>

#include "api1516e/encoding_text.h"
#include "api1516e/octets.h"

namespace {

using namespace rti1516e;
namespace api = tutti::api1516e;
using api::Endian;

constexpr std::size_t kCountLength = 4;

// Throws unless `size` octets hold `wanted` more from `index` on.
void require(const wchar_t* type, std::size_t size, std::size_t index, std::size_t wanted) {
  if (index <= size && size - index >= wanted) return;
  throw EncoderException(std::wstring(type) + L": needs " + std::to_wstring(wanted) +
                         L" octets at " + std::to_wstring(index) + L", but only " +
                         std::to_wstring(size) +
                         L" were received; does the sender encode this type?");
}

// A codec says how values of one type are written. `read` gives the index behind the value and
// leaves `value` alone when it throws.

template <class Value, Endian kOrder>
struct NumberCodec {
  static constexpr unsigned int kBoundary = sizeof(Value);
  static std::size_t length(const wchar_t*, const Value&) { return sizeof(Value); }
  static void append(const wchar_t*, const Value& value, std::vector<Octet>& to) {
    char octets[sizeof(Value)];
    api::store(octets, value, kOrder);
    to.insert(to.end(), octets, octets + sizeof(Value));
  }
  static std::size_t read(const wchar_t* type, const Octet* data, std::size_t size,
                          std::size_t index, Value& value) {
    require(type, size, index, sizeof(Value));
    value = api::load<Value>(data + index, kOrder);
    return index + sizeof(Value);
  }
};

struct BooleanCodec {
  using Number = NumberCodec<std::int32_t, Endian::kBig>;
  static constexpr unsigned int kBoundary = Number::kBoundary;
  static std::size_t length(const wchar_t*, bool) { return sizeof(std::int32_t); }
  static void append(const wchar_t* type, bool value, std::vector<Octet>& to) {
    Number::append(type, value ? 1 : 0, to);
  }
  static std::size_t read(const wchar_t* type, const Octet* data, std::size_t size,
                          std::size_t index, bool& value) {
    std::int32_t number = 0;
    index = Number::read(type, data, size, index, number);
    if (number != 0 && number != 1) {
      throw EncoderException(std::wstring(type) + L": the octets mean " + std::to_wstring(number) +
                             L", which is neither HLAfalse (0) nor HLAtrue (1)");
    }
    value = number == 1;
    return index;
  }
};

template <bool kSecondFirst>
struct PairCodec {
  static constexpr unsigned int kBoundary = 2;
  static std::size_t length(const wchar_t*, const OctetPair&) { return 2; }
  static void append(const wchar_t*, const OctetPair& value, std::vector<Octet>& to) {
    to.push_back(kSecondFirst ? value.second : value.first);
    to.push_back(kSecondFirst ? value.first : value.second);
  }
  static std::size_t read(const wchar_t* type, const Octet* data, std::size_t size,
                          std::size_t index, OctetPair& value) {
    require(type, size, index, 2);
    value = kSecondFirst ? OctetPair(data[index + 1], data[index])
                         : OctetPair(data[index], data[index + 1]);
    return index + 2;
  }
};

struct UnicodeCharCodec {
  using Unit = NumberCodec<std::uint16_t, Endian::kBig>;
  static constexpr unsigned int kBoundary = 2;
  static std::size_t length(const wchar_t*, wchar_t) { return 2; }
  static void append(const wchar_t* type, wchar_t value, std::vector<Octet>& to) {
    const auto code = static_cast<std::uint32_t>(value);
    if (code > 0xFFFF) {
      throw EncoderException(std::wstring(type) + L": character " + std::to_wstring(code) +
                             L" takes two UTF-16 code units; use HLAunicodeString");
    }
    Unit::append(type, static_cast<std::uint16_t>(code), to);
  }
  static std::size_t read(const wchar_t* type, const Octet* data, std::size_t size,
                          std::size_t index, wchar_t& value) {
    std::uint16_t unit = 0;
    index = Unit::read(type, data, size, index, unit);
    value = static_cast<wchar_t>(unit);
    return index;
  }
};

void appendCount(const wchar_t* type, std::size_t count, std::vector<Octet>& to) {
  if (count > 0x7FFFFFFF) {
    throw EncoderException(std::wstring(type) + L": " + std::to_wstring(count) +
                           L" elements do not fit the 32-bit count of the encoding");
  }
  NumberCodec<std::int32_t, Endian::kBig>::append(type, static_cast<std::int32_t>(count), to);
}

std::size_t readCount(const wchar_t* type, const Octet* data, std::size_t size, std::size_t index,
                      std::size_t octetsPerElement, std::size_t& count) {
  std::int32_t number = 0;
  index = NumberCodec<std::int32_t, Endian::kBig>::read(type, data, size, index, number);
  if (number < 0) {
    throw EncoderException(std::wstring(type) + L": the octets mean " + std::to_wstring(number) +
                           L" elements; does the sender encode this type?");
  }
  count = static_cast<std::size_t>(number);
  require(type, size, index, count * octetsPerElement);
  return index;
}

struct AsciiStringCodec {
  static constexpr unsigned int kBoundary = kCountLength;
  static std::size_t length(const wchar_t*, const std::string& value) {
    return kCountLength + value.size();
  }
  static void append(const wchar_t* type, const std::string& value, std::vector<Octet>& to) {
    appendCount(type, value.size(), to);
    to.insert(to.end(), value.begin(), value.end());
  }
  static std::size_t read(const wchar_t* type, const Octet* data, std::size_t size,
                          std::size_t index, std::string& value) {
    std::size_t count = 0;
    index = readCount(type, data, size, index, 1, count);
    value.assign(data + index, count);
    return index + count;
  }
};

struct UnicodeStringCodec {
  static constexpr unsigned int kBoundary = kCountLength;
  static std::size_t length(const wchar_t*, const std::wstring& value) {
    return kCountLength + 2 * api::utf16Length(value);
  }
  static void append(const wchar_t* type, const std::wstring& value, std::vector<Octet>& to) {
    appendCount(type, api::utf16Length(value), to);
    api::appendUtf16(type, value, to);
  }
  static std::size_t read(const wchar_t* type, const Octet* data, std::size_t size,
                          std::size_t index, std::wstring& value) {
    std::size_t count = 0;
    index = readCount(type, data, size, index, 2, count);
    api::readUtf16(data + index, count, value);
    return index + 2 * count;
  }
};

// The value of an element: its own, or a variable of the caller.
template <class Value>
class Place {
 public:
  explicit Place(const Value& value) : own_(value), value_(&own_) {}
  Place(const wchar_t* type, Value* value) : own_(), value_(nullptr) { pointTo(type, value); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  void pointTo(const wchar_t* type, Value* value) {
    if (value == nullptr) {
      throw EncoderException(
          std::wstring(type) +
          L": null pointer; pass the address of a variable that outlives its use");
    }
    value_ = value;
  }
  Value& value() { return *value_; }

 private:
  Value own_;
  Value* value_;
};

template <class Codec, class Value>
Integer64 hashOfValue(const wchar_t* type, const Value& value) {
  std::vector<Octet> octets;
  Codec::append(type, value, octets);
  return static_cast<Integer64>(api::hashOf(octets.data(), octets.size()));
}

template <class Value>
Value zero() {
  return Value();
}

}  // namespace

#define TUTTI_DEFINE_ELEMENT(Element, Value, Codec)                                                \
  namespace rti1516e {                                                                             \
  class Element##Implementation : public Place<Value> {                                            \
   public:                                                                                         \
    using Place<Value>::Place;                                                                     \
  };                                                                                               \
  Element::Element() : _impl(new Element##Implementation(zero<Value>())) {}                        \
  Element::Element(const Value& inData) : _impl(new Element##Implementation(inData)) {}            \
  Element::Element(Value* inData) : _impl(new Element##Implementation(L"" #Element, inData)) {}    \
  Element::Element(const Element& rhs)                                                             \
      : DataElement(), _impl(new Element##Implementation(rhs._impl->value())) {}                   \
  Element::~Element() { delete _impl; }                                                            \
  Element& Element::operator=(const Element& rhs) {                                                \
    if (this != &rhs) _impl->value() = rhs._impl->value();                                         \
    return *this;                                                                                  \
  }                                                                                                \
  std::auto_ptr<DataElement> Element::clone() const {                                              \
    return std::auto_ptr<DataElement>(new Element(*this));                                         \
  }                                                                                                \
  VariableLengthData Element::encode() const {                                                     \
    VariableLengthData result;                                                                     \
    encode(result);                                                                                \
    return result;                                                                                 \
  }                                                                                                \
  void Element::encode(VariableLengthData& inData) const {                                         \
    std::vector<Octet> octets;                                                                     \
    Codec::append(L"" #Element, _impl->value(), octets);                                           \
    inData.setData(octets.data(), octets.size());                                                  \
  }                                                                                                \
  void Element::encodeInto(std::vector<Octet>& buffer) const {                                     \
    Codec::append(L"" #Element, _impl->value(), buffer);                                           \
  }                                                                                                \
  void Element::decode(const VariableLengthData& inData) {                                         \
    Codec::read(L"" #Element, static_cast<const Octet*>(inData.data()), inData.size(), 0,          \
                _impl->value());                                                                   \
  }                                                                                                \
  size_t Element::decodeFrom(const std::vector<Octet>& buffer, size_t index) {                     \
    return Codec::read(L"" #Element, buffer.data(), buffer.size(), index, _impl->value());         \
  }                                                                                                \
  size_t Element::getEncodedLength() const { return Codec::length(L"" #Element, _impl->value()); } \
  unsigned int Element::getOctetBoundary() const { return Codec::kBoundary; }                      \
  Integer64 Element::hash() const { return hashOfValue<Codec>(L"" #Element, _impl->value()); }     \
  void Element::setDataPointer(Value* inData) { _impl->pointTo(L"" #Element, inData); }            \
  void Element::set(Value inData) { _impl->value() = inData; }                                     \
  Value Element::get() const { return _impl->value(); }                                            \
  Element& Element::operator=(Value rhs) {                                                         \
    _impl->value() = rhs;                                                                          \
    return *this;                                                                                  \
  }                                                                                                \
  Element::operator Value() const { return _impl->value(); }                                       \
  }  // namespace rti1516e

using OctetCodec = NumberCodec<Octet, Endian::kBig>;
using Float32BE = NumberCodec<float, Endian::kBig>;
using Float32LE = NumberCodec<float, Endian::kLittle>;
using Float64BE = NumberCodec<double, Endian::kBig>;
using Float64LE = NumberCodec<double, Endian::kLittle>;
using Integer16BE = NumberCodec<Integer16, Endian::kBig>;
using Integer16LE = NumberCodec<Integer16, Endian::kLittle>;
using Integer32BE = NumberCodec<Integer32, Endian::kBig>;
using Integer32LE = NumberCodec<Integer32, Endian::kLittle>;
using Integer64BE = NumberCodec<Integer64, Endian::kBig>;
using Integer64LE = NumberCodec<Integer64, Endian::kLittle>;

TUTTI_DEFINE_ELEMENT(HLAASCIIchar, char, OctetCodec)
TUTTI_DEFINE_ELEMENT(HLAASCIIstring, std::string, AsciiStringCodec)
TUTTI_DEFINE_ELEMENT(HLAboolean, bool, BooleanCodec)
TUTTI_DEFINE_ELEMENT(HLAbyte, Octet, OctetCodec)
TUTTI_DEFINE_ELEMENT(HLAfloat32BE, float, Float32BE)
TUTTI_DEFINE_ELEMENT(HLAfloat32LE, float, Float32LE)
TUTTI_DEFINE_ELEMENT(HLAfloat64BE, double, Float64BE)
TUTTI_DEFINE_ELEMENT(HLAfloat64LE, double, Float64LE)
TUTTI_DEFINE_ELEMENT(HLAinteger16BE, Integer16, Integer16BE)
TUTTI_DEFINE_ELEMENT(HLAinteger16LE, Integer16, Integer16LE)
TUTTI_DEFINE_ELEMENT(HLAinteger32BE, Integer32, Integer32BE)
TUTTI_DEFINE_ELEMENT(HLAinteger32LE, Integer32, Integer32LE)
TUTTI_DEFINE_ELEMENT(HLAinteger64BE, Integer64, Integer64BE)
TUTTI_DEFINE_ELEMENT(HLAinteger64LE, Integer64, Integer64LE)
TUTTI_DEFINE_ELEMENT(HLAoctet, Octet, OctetCodec)
TUTTI_DEFINE_ELEMENT(HLAoctetPairBE, OctetPair, PairCodec<false>)
TUTTI_DEFINE_ELEMENT(HLAoctetPairLE, OctetPair, PairCodec<true>)
TUTTI_DEFINE_ELEMENT(HLAunicodeChar, wchar_t, UnicodeCharCodec)
TUTTI_DEFINE_ELEMENT(HLAunicodeString, std::wstring, UnicodeStringCodec)

namespace rti1516e {

// Octets of its own, or `capacity` octets of the caller of which the first `size` are the value.
class HLAopaqueDataImplementation {
 public:
  void set(const Octet* data, std::size_t count) {
    if (data == nullptr) count = 0;
    if (theirs == nullptr) {
      own.assign(data, data + count);
      return;
    }
    if (count > capacity) {
      throw EncoderException(L"HLAopaqueData: " + std::to_wstring(count) +
                             L" octets do not fit the buffer of " + std::to_wstring(capacity) +
                             L" given with setDataPointer; give a larger one");
    }
    if (count > 0) std::memmove(*theirs, data, count);
    size = count;
  }
  void pointTo(Octet** data, std::size_t bufferSize, std::size_t dataSize) {
    if (data == nullptr || *data == nullptr) {
      throw EncoderException(
          L"HLAopaqueData: null pointer; pass the address of a pointer to a buffer");
    }
    if (dataSize > bufferSize) {
      throw EncoderException(L"HLAopaqueData: " + std::to_wstring(dataSize) +
                             L" octets of data in a buffer of " + std::to_wstring(bufferSize));
    }
    theirs = data;
    capacity = bufferSize;
    size = dataSize;
    own = std::vector<Octet>();
  }
  const Octet* data() const { return theirs != nullptr ? *theirs : own.data(); }
  std::size_t dataSize() const { return theirs != nullptr ? size : own.size(); }
  std::size_t bufferSize() const { return theirs != nullptr ? capacity : own.capacity(); }

 private:
  std::vector<Octet> own;
  Octet** theirs = nullptr;
  std::size_t capacity = 0;
  std::size_t size = 0;
};

HLAopaqueData::HLAopaqueData() : _impl(new HLAopaqueDataImplementation) {}
HLAopaqueData::HLAopaqueData(const Octet* inData, size_t dataSize)
    : _impl(new HLAopaqueDataImplementation) {
  _impl->set(inData, dataSize);
}
HLAopaqueData::HLAopaqueData(Octet** inData, size_t bufferSize, size_t dataSize) : _impl(nullptr) {
  auto inside = std::make_unique<HLAopaqueDataImplementation>();
  inside->pointTo(inData, bufferSize, dataSize);
  _impl = inside.release();
}
HLAopaqueData::HLAopaqueData(const HLAopaqueData& rhs)
    : DataElement(), _impl(new HLAopaqueDataImplementation) {
  _impl->set(rhs.get(), rhs.dataLength());
}
HLAopaqueData::~HLAopaqueData() { delete _impl; }
HLAopaqueData& HLAopaqueData::operator=(const HLAopaqueData& rhs) {
  if (this != &rhs) _impl->set(rhs.get(), rhs.dataLength());
  return *this;
}

std::auto_ptr<DataElement> HLAopaqueData::clone() const {
  return std::auto_ptr<DataElement>(new HLAopaqueData(*this));
}

VariableLengthData HLAopaqueData::encode() const {
  VariableLengthData result;
  encode(result);
  return result;
}

void HLAopaqueData::encode(VariableLengthData& inData) const {
  std::vector<Octet> octets;
  encodeInto(octets);
  inData.setData(octets.data(), octets.size());
}

void HLAopaqueData::encodeInto(std::vector<Octet>& buffer) const {
  appendCount(L"HLAopaqueData", _impl->dataSize(), buffer);
  buffer.insert(buffer.end(), _impl->data(), _impl->data() + _impl->dataSize());
}

void HLAopaqueData::decode(const VariableLengthData& inData) {
  const auto* data = static_cast<const Octet*>(inData.data());
  std::size_t count = 0;
  const std::size_t index = readCount(L"HLAopaqueData", data, inData.size(), 0, 1, count);
  _impl->set(data + index, count);
}

size_t HLAopaqueData::decodeFrom(const std::vector<Octet>& buffer, size_t index) {
  std::size_t count = 0;
  index = readCount(L"HLAopaqueData", buffer.data(), buffer.size(), index, 1, count);
  _impl->set(buffer.data() + index, count);
  return index + count;
}

size_t HLAopaqueData::getEncodedLength() const { return kCountLength + _impl->dataSize(); }
unsigned int HLAopaqueData::getOctetBoundary() const { return kCountLength; }
size_t HLAopaqueData::bufferLength() const { return _impl->bufferSize(); }
size_t HLAopaqueData::dataLength() const { return _impl->dataSize(); }
void HLAopaqueData::setDataPointer(Octet** inData, size_t bufferSize, size_t dataSize) {
  _impl->pointTo(inData, bufferSize, dataSize);
}
void HLAopaqueData::set(const Octet* inData, size_t dataSize) { _impl->set(inData, dataSize); }
const Octet* HLAopaqueData::get() const { return _impl->data(); }
HLAopaqueData::operator const Octet*() const { return _impl->data(); }

}  // namespace rti1516e
