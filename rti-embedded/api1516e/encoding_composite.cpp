// SPDX-License-Identifier: Apache-2.0
// Arrays and records (IEEE 1516.2-2010, 4.13). Each element starts at a multiple of its octet
// boundary, counted from the start of the whole, and nothing follows the last one. As every element
// itself lies at a multiple of its own boundary, which is the largest of its parts, it makes no
// difference whether a nested whole counts from its own start.
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAfixedArray.h>
#include <RTI/encoding/HLAfixedRecord.h>
#include <RTI/encoding/HLAvariableArray.h>
#include <RTI/encoding/HLAvariantRecord.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace rti1516e;

constexpr unsigned int kCountLength = 4;

std::size_t aligned(std::size_t offset, unsigned int boundary) {
  return boundary <= 1 ? offset : (offset + boundary - 1) / boundary * boundary;
}

void pad(std::vector<Octet>& buffer, std::size_t start, unsigned int boundary) {
  buffer.resize(start + aligned(buffer.size() - start, boundary), Octet{0});
}

[[noreturn]] void fail(const wchar_t* type, const std::wstring& what) {
  throw EncoderException(std::wstring(type) + L": " + what);
}

// An element: one of our own, or one of the caller.
class Slot {
 public:
  explicit Slot(std::unique_ptr<DataElement> own) : own_(std::move(own)), element_(own_.get()) {}
  Slot(const wchar_t* type, DataElement* theirs) : element_(theirs) {
    if (theirs == nullptr) {
      fail(type, L"null pointer; pass the address of an element that outlives its use");
    }
  }
  DataElement& element() const { return *element_; }

 private:
  std::unique_ptr<DataElement> own_;
  DataElement* element_;
};

std::unique_ptr<DataElement> cloned(const DataElement& element) {
  return std::unique_ptr<DataElement>(element.clone().release());
}

using Slots = std::vector<Slot>;

Slots cloned(const Slots& slots) {
  Slots result;
  result.reserve(slots.size());
  for (const Slot& slot : slots) result.emplace_back(cloned(slot.element()));
  return result;
}

void requireIndex(const wchar_t* type, std::size_t index, std::size_t size) {
  if (index < size) return;
  fail(type, L"there is no element " + std::to_wstring(index) + L"; it has " +
                 std::to_wstring(size) + L", counted from 0");
}

void requireSameType(const wchar_t* type, const DataElement& wanted, const DataElement& given) {
  if (wanted.isSameTypeAs(given)) return;
  fail(type, L"the element has another type than this place");
}

// The index behind `element`, decoded from buffer[index]. Elements may be the federate's own
// classes, so their answer is checked too.
std::size_t decodeElement(const wchar_t* type, DataElement& element,
                          const std::vector<Octet>& buffer, std::size_t index) {
  if (index > buffer.size()) fail(type, L"the octets end before an element; too few were received");
  const std::size_t next = element.decodeFrom(buffer, index);
  if (next < index || next > buffer.size()) {
    fail(type, L"an element's decodeFrom gave an index outside of the octets");
  }
  return next;
}

// Elements one after the other, each with its boundary.
void appendAll(const Slots& slots, std::vector<Octet>& buffer, std::size_t start) {
  for (const Slot& slot : slots) {
    pad(buffer, start, slot.element().getOctetBoundary());
    slot.element().encodeInto(buffer);
  }
}

std::size_t lengthOfAll(const Slots& slots, std::size_t offset) {
  for (const Slot& slot : slots) {
    offset = aligned(offset, slot.element().getOctetBoundary()) + slot.element().getEncodedLength();
  }
  return offset;
}

std::size_t decodeAll(const wchar_t* type, const Slots& slots, const std::vector<Octet>& buffer,
                      std::size_t start, std::size_t index) {
  for (const Slot& slot : slots) {
    index = start + aligned(index - start, slot.element().getOctetBoundary());
    index = decodeElement(type, slot.element(), buffer, index);
  }
  return index;
}

std::vector<Octet> octetsOf(const VariableLengthData& data) {
  const auto* octets = static_cast<const Octet*>(data.data());
  return data.size() == 0 ? std::vector<Octet>() : std::vector<Octet>(octets, octets + data.size());
}

std::vector<Octet> octetsOf(const DataElement& element) {
  std::vector<Octet> octets;
  element.encodeInto(octets);
  return octets;
}

}  // namespace

// What all four have in common.
#define TUTTI_DEFINE_COMPOSITE(Composite)                                                       \
  std::auto_ptr<DataElement> Composite::clone() const {                                         \
    return std::auto_ptr<DataElement>(new Composite(*this));                                    \
  }                                                                                             \
  VariableLengthData Composite::encode() const {                                                \
    VariableLengthData result;                                                                  \
    encode(result);                                                                             \
    return result;                                                                              \
  }                                                                                             \
  void Composite::encode(VariableLengthData& inData) const {                                    \
    std::vector<Octet> octets;                                                                  \
    encodeInto(octets);                                                                         \
    inData.setData(octets.data(), octets.size());                                               \
  }                                                                                             \
  void Composite::decode(const VariableLengthData& inData) { decodeFrom(octetsOf(inData), 0); } \
  Composite::~Composite() { delete _impl; }

namespace rti1516e {

// ------------------------------------------------------------------------------- HLAfixedArray

class HLAfixedArrayImplementation {
 public:
  HLAfixedArrayImplementation(const DataElement& elementPrototype, std::size_t length)
      : prototype(cloned(elementPrototype)) {
    slots.reserve(length);
    for (std::size_t i = 0; i < length; ++i) slots.emplace_back(cloned(*prototype));
  }
  HLAfixedArrayImplementation(const HLAfixedArrayImplementation& rhs)
      : prototype(cloned(*rhs.prototype)), slots(cloned(rhs.slots)) {}

  std::unique_ptr<DataElement> prototype;
  Slots slots;
};

namespace {
constexpr const wchar_t* kFixedArray = L"HLAfixedArray";
}

TUTTI_DEFINE_COMPOSITE(HLAfixedArray)

HLAfixedArray::HLAfixedArray() : _impl(new HLAfixedArrayImplementation(HLAoctet(), 0)) {}
HLAfixedArray::HLAfixedArray(const DataElement& protoType, size_t length)
    : _impl(new HLAfixedArrayImplementation(protoType, length)) {}
HLAfixedArray::HLAfixedArray(const HLAfixedArray& rhs)
    : DataElement(), _impl(new HLAfixedArrayImplementation(*rhs._impl)) {}
HLAfixedArray& HLAfixedArray::operator=(const HLAfixedArray& rhs) {
  HLAfixedArray copy(rhs);
  std::swap(_impl, copy._impl);
  return *this;
}

void HLAfixedArray::encodeInto(std::vector<Octet>& buffer) const {
  appendAll(_impl->slots, buffer, buffer.size());
}

size_t HLAfixedArray::decodeFrom(const std::vector<Octet>& buffer, size_t index) {
  return decodeAll(kFixedArray, _impl->slots, buffer, index, index);
}

size_t HLAfixedArray::getEncodedLength() const { return lengthOfAll(_impl->slots, 0); }

unsigned int HLAfixedArray::getOctetBoundary() const {
  return _impl->prototype->getOctetBoundary();
}

bool HLAfixedArray::isSameTypeAs(const DataElement& inData) const {
  const auto* other = dynamic_cast<const HLAfixedArray*>(&inData);
  return other != nullptr && size() == other->size() &&
         hasPrototypeSameTypeAs(*other->_impl->prototype);
}

bool HLAfixedArray::hasPrototypeSameTypeAs(const DataElement& dataElement) const {
  return _impl->prototype->isSameTypeAs(dataElement);
}

size_t HLAfixedArray::size() const { return _impl->slots.size(); }

void HLAfixedArray::set(size_t index, const DataElement& dataElement) {
  requireIndex(kFixedArray, index, size());
  requireSameType(kFixedArray, *_impl->prototype, dataElement);
  _impl->slots[index] = Slot(cloned(dataElement));
}

void HLAfixedArray::setElementPointer(size_t index, DataElement* dataElement) {
  requireIndex(kFixedArray, index, size());
  Slot slot(kFixedArray, dataElement);
  requireSameType(kFixedArray, *_impl->prototype, *dataElement);
  _impl->slots[index] = std::move(slot);
}

const DataElement& HLAfixedArray::get(size_t index) const {
  requireIndex(kFixedArray, index, size());
  return _impl->slots[index].element();
}

const DataElement& HLAfixedArray::operator[](size_t index) const { return get(index); }

// ---------------------------------------------------------------------------- HLAvariableArray

class HLAvariableArrayImplementation {
 public:
  explicit HLAvariableArrayImplementation(const DataElement& elementPrototype)
      : prototype(cloned(elementPrototype)) {}
  HLAvariableArrayImplementation(const HLAvariableArrayImplementation& rhs)
      : prototype(cloned(*rhs.prototype)), slots(cloned(rhs.slots)) {}

  std::unique_ptr<DataElement> prototype;
  Slots slots;
};

namespace {
constexpr const wchar_t* kVariableArray = L"HLAvariableArray";
// Elements without octets can be any number in no octets; an array of more is taken for garbage.
constexpr std::size_t kMostEmptyElements = 65536;
}  // namespace

TUTTI_DEFINE_COMPOSITE(HLAvariableArray)

HLAvariableArray::HLAvariableArray() : _impl(new HLAvariableArrayImplementation(HLAoctet())) {}
HLAvariableArray::HLAvariableArray(const DataElement& prototype)
    : _impl(new HLAvariableArrayImplementation(prototype)) {}
HLAvariableArray::HLAvariableArray(const HLAvariableArray& rhs)
    : DataElement(), _impl(new HLAvariableArrayImplementation(*rhs._impl)) {}
HLAvariableArray& HLAvariableArray::operator=(const HLAvariableArray& rhs) {
  HLAvariableArray copy(rhs);
  std::swap(_impl, copy._impl);
  return *this;
}

void HLAvariableArray::encodeInto(std::vector<Octet>& buffer) const {
  if (size() > 0x7FFFFFFF) fail(kVariableArray, L"too many elements for the 32-bit count");
  const std::size_t start = buffer.size();
  HLAinteger32BE(static_cast<Integer32>(size())).encodeInto(buffer);
  appendAll(_impl->slots, buffer, start);
}

size_t HLAvariableArray::decodeFrom(const std::vector<Octet>& buffer, size_t index) {
  const std::size_t start = index;
  HLAinteger32BE number;
  index = decodeElement(kVariableArray, number, buffer, index);
  if (number.get() < 0) {
    fail(kVariableArray, L"the octets mean " + std::to_wstring(number.get()) +
                             L" elements; does the sender encode this type?");
  }
  const auto count = static_cast<std::size_t>(number.get());
  const bool empty = _impl->prototype->getEncodedLength() == 0;
  if (count > (empty ? kMostEmptyElements : buffer.size() - index)) {
    fail(kVariableArray, L"the octets mean " + std::to_wstring(count) + L" elements, but only " +
                             std::to_wstring(buffer.size() - index) + L" octets follow");
  }
  // Elements that are there take the values, so that those of the caller stay in their places.
  Slots& slots = _impl->slots;
  while (slots.size() > count) slots.pop_back();
  while (slots.size() < count) slots.emplace_back(cloned(*_impl->prototype));
  return decodeAll(kVariableArray, slots, buffer, start, index);
}

size_t HLAvariableArray::getEncodedLength() const {
  return lengthOfAll(_impl->slots, kCountLength);
}

unsigned int HLAvariableArray::getOctetBoundary() const {
  return std::max(kCountLength, _impl->prototype->getOctetBoundary());
}

size_t HLAvariableArray::size() const { return _impl->slots.size(); }

bool HLAvariableArray::isSameTypeAs(const DataElement& inData) const {
  const auto* other = dynamic_cast<const HLAvariableArray*>(&inData);
  return other != nullptr && hasPrototypeSameTypeAs(*other->_impl->prototype);
}

bool HLAvariableArray::hasPrototypeSameTypeAs(const DataElement& dataElement) const {
  return _impl->prototype->isSameTypeAs(dataElement);
}

void HLAvariableArray::addElement(const DataElement& dataElement) {
  requireSameType(kVariableArray, *_impl->prototype, dataElement);
  _impl->slots.emplace_back(cloned(dataElement));
}

void HLAvariableArray::addElementPointer(DataElement* dataElement) {
  Slot slot(kVariableArray, dataElement);
  requireSameType(kVariableArray, *_impl->prototype, *dataElement);
  _impl->slots.push_back(std::move(slot));
}

void HLAvariableArray::set(size_t index, const DataElement& dataElement) {
  requireIndex(kVariableArray, index, size());
  requireSameType(kVariableArray, *_impl->prototype, dataElement);
  _impl->slots[index] = Slot(cloned(dataElement));
}

void HLAvariableArray::setElementPointer(size_t index, DataElement* dataElement) {
  requireIndex(kVariableArray, index, size());
  Slot slot(kVariableArray, dataElement);
  requireSameType(kVariableArray, *_impl->prototype, *dataElement);
  _impl->slots[index] = std::move(slot);
}

const DataElement& HLAvariableArray::get(size_t index) const {
  requireIndex(kVariableArray, index, size());
  return _impl->slots[index].element();
}

const DataElement& HLAvariableArray::operator[](size_t index) const { return get(index); }

// ------------------------------------------------------------------------------ HLAfixedRecord

class HLAfixedRecordImplementation {
 public:
  HLAfixedRecordImplementation() = default;
  HLAfixedRecordImplementation(const HLAfixedRecordImplementation& rhs)
      : slots(cloned(rhs.slots)) {}

  Slots slots;
};

namespace {
constexpr const wchar_t* kFixedRecord = L"HLAfixedRecord";
}

TUTTI_DEFINE_COMPOSITE(HLAfixedRecord)

HLAfixedRecord::HLAfixedRecord() : _impl(new HLAfixedRecordImplementation) {}
HLAfixedRecord::HLAfixedRecord(const HLAfixedRecord& rhs)
    : DataElement(), _impl(new HLAfixedRecordImplementation(*rhs._impl)) {}
HLAfixedRecord& HLAfixedRecord::operator=(const HLAfixedRecord& rhs) {
  HLAfixedRecord copy(rhs);
  std::swap(_impl, copy._impl);
  return *this;
}

void HLAfixedRecord::encodeInto(std::vector<Octet>& buffer) const {
  appendAll(_impl->slots, buffer, buffer.size());
}

size_t HLAfixedRecord::decodeFrom(const std::vector<Octet>& buffer, size_t index) {
  return decodeAll(kFixedRecord, _impl->slots, buffer, index, index);
}

size_t HLAfixedRecord::getEncodedLength() const { return lengthOfAll(_impl->slots, 0); }

unsigned int HLAfixedRecord::getOctetBoundary() const {
  unsigned int boundary = 1;
  for (const Slot& slot : _impl->slots) {
    boundary = std::max(boundary, slot.element().getOctetBoundary());
  }
  return boundary;
}

bool HLAfixedRecord::isSameTypeAs(const DataElement& inData) const {
  const auto* other = dynamic_cast<const HLAfixedRecord*>(&inData);
  if (other == nullptr || size() != other->size()) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!hasElementSameTypeAs(i, other->get(i))) return false;
  }
  return true;
}

bool HLAfixedRecord::hasElementSameTypeAs(size_t index, const DataElement& inData) const {
  return index < size() && _impl->slots[index].element().isSameTypeAs(inData);
}

size_t HLAfixedRecord::size() const { return _impl->slots.size(); }

void HLAfixedRecord::appendElement(const DataElement& dataElement) {
  _impl->slots.emplace_back(cloned(dataElement));
}

void HLAfixedRecord::appendElementPointer(DataElement* dataElement) {
  _impl->slots.emplace_back(kFixedRecord, dataElement);
}

void HLAfixedRecord::set(size_t index, const DataElement& dataElement) {
  requireIndex(kFixedRecord, index, size());
  requireSameType(kFixedRecord, _impl->slots[index].element(), dataElement);
  _impl->slots[index] = Slot(cloned(dataElement));
}

void HLAfixedRecord::setElementPointer(size_t index, DataElement* dataElement) {
  requireIndex(kFixedRecord, index, size());
  Slot slot(kFixedRecord, dataElement);
  requireSameType(kFixedRecord, _impl->slots[index].element(), *dataElement);
  _impl->slots[index] = std::move(slot);
}

const DataElement& HLAfixedRecord::get(size_t index) const {
  requireIndex(kFixedRecord, index, size());
  return _impl->slots[index].element();
}

const DataElement& HLAfixedRecord::operator[](size_t index) const { return get(index); }

// ---------------------------------------------------------------------------- HLAvariantRecord

// Alternatives by the octets of their discriminant. A discriminant without an alternative is
// allowed, for enumerators which the object model gives no data; it is encoded alone.
class HLAvariantRecordImplementation {
 public:
  explicit HLAvariantRecordImplementation(const DataElement& discriminantPrototype)
      : discriminant(cloned(discriminantPrototype)) {}
  HLAvariantRecordImplementation(const HLAvariantRecordImplementation& rhs)
      : discriminant(cloned(*rhs.discriminant)) {
    for (const auto& [key, slot] : rhs.alternatives) {
      alternatives.emplace(key, Slot(cloned(slot.element())));
    }
  }

  DataElement* find(const DataElement& of) const {
    const auto found = alternatives.find(octetsOf(of));
    return found == alternatives.end() ? nullptr : &found->second.element();
  }
  unsigned int alternativesBoundary() const {
    unsigned int boundary = 1;
    for (const auto& [key, slot] : alternatives) {
      boundary = std::max(boundary, slot.element().getOctetBoundary());
    }
    return boundary;
  }

  std::unique_ptr<DataElement> discriminant;
  std::map<std::vector<Octet>, Slot> alternatives;
};

namespace {
constexpr const wchar_t* kVariantRecord = L"HLAvariantRecord";

void requireDiscriminant(const HLAvariantRecordImplementation& inside, const DataElement& given) {
  if (inside.discriminant->isSameTypeAs(given)) return;
  fail(kVariantRecord, L"the discriminant has another type than the prototype");
}

DataElement& requireAlternative(const HLAvariantRecordImplementation& inside,
                                const DataElement& discriminant) {
  if (DataElement* found = inside.find(discriminant)) return *found;
  fail(kVariantRecord, L"the discriminant has no alternative; add one with addVariant");
}
}  // namespace

TUTTI_DEFINE_COMPOSITE(HLAvariantRecord)

HLAvariantRecord::HLAvariantRecord() : _impl(new HLAvariantRecordImplementation(HLAoctet())) {}
HLAvariantRecord::HLAvariantRecord(const DataElement& discriminantPrototype)
    : _impl(new HLAvariantRecordImplementation(discriminantPrototype)) {}
HLAvariantRecord::HLAvariantRecord(const HLAvariantRecord& rhs)
    : DataElement(), _impl(new HLAvariantRecordImplementation(*rhs._impl)) {}
HLAvariantRecord& HLAvariantRecord::operator=(const HLAvariantRecord& rhs) {
  HLAvariantRecord copy(rhs);
  std::swap(_impl, copy._impl);
  return *this;
}

void HLAvariantRecord::encodeInto(std::vector<Octet>& buffer) const {
  const std::size_t start = buffer.size();
  _impl->discriminant->encodeInto(buffer);
  const DataElement* alternative = _impl->find(*_impl->discriminant);
  if (alternative == nullptr) return;
  pad(buffer, start, _impl->alternativesBoundary());
  alternative->encodeInto(buffer);
}

size_t HLAvariantRecord::decodeFrom(const std::vector<Octet>& buffer, size_t index) {
  const std::size_t start = index;
  index = decodeElement(kVariantRecord, *_impl->discriminant, buffer, index);
  DataElement* alternative = _impl->find(*_impl->discriminant);
  if (alternative == nullptr) return index;
  index = start + aligned(index - start, _impl->alternativesBoundary());
  return decodeElement(kVariantRecord, *alternative, buffer, index);
}

size_t HLAvariantRecord::getEncodedLength() const {
  const std::size_t length = _impl->discriminant->getEncodedLength();
  const DataElement* alternative = _impl->find(*_impl->discriminant);
  if (alternative == nullptr) return length;
  return aligned(length, _impl->alternativesBoundary()) + alternative->getEncodedLength();
}

unsigned int HLAvariantRecord::getOctetBoundary() const {
  return std::max(_impl->discriminant->getOctetBoundary(), _impl->alternativesBoundary());
}

bool HLAvariantRecord::isSameTypeAs(const DataElement& inData) const {
  const auto* other = dynamic_cast<const HLAvariantRecord*>(&inData);
  if (other == nullptr || !hasMatchingDiscriminantTypeAs(*other->_impl->discriminant)) return false;
  const auto& left = _impl->alternatives;
  const auto& right = other->_impl->alternatives;
  return std::equal(
      left.begin(), left.end(), right.begin(), right.end(), [](const auto& a, const auto& b) {
        return a.first == b.first && a.second.element().isSameTypeAs(b.second.element());
      });
}

bool HLAvariantRecord::isSameTypeAs(const DataElement& discriminant,
                                    const DataElement& inData) const {
  return requireAlternative(*_impl, discriminant).isSameTypeAs(inData);
}

bool HLAvariantRecord::hasMatchingDiscriminantTypeAs(const DataElement& dataElement) const {
  return _impl->discriminant->isSameTypeAs(dataElement);
}

void HLAvariantRecord::addVariant(const DataElement& discriminant,
                                  const DataElement& valuePrototype) {
  requireDiscriminant(*_impl, discriminant);
  _impl->alternatives.insert_or_assign(octetsOf(discriminant), Slot(cloned(valuePrototype)));
  _impl->discriminant = cloned(discriminant);
}

void HLAvariantRecord::addVariantPointer(const DataElement& discriminant, DataElement* valuePtr) {
  requireDiscriminant(*_impl, discriminant);
  _impl->alternatives.insert_or_assign(octetsOf(discriminant), Slot(kVariantRecord, valuePtr));
  _impl->discriminant = cloned(discriminant);
}

void HLAvariantRecord::setDiscriminant(const DataElement& discriminant) {
  requireDiscriminant(*_impl, discriminant);
  _impl->discriminant = cloned(discriminant);
}

void HLAvariantRecord::setVariant(const DataElement& discriminant, const DataElement& value) {
  requireDiscriminant(*_impl, discriminant);
  requireSameType(kVariantRecord, requireAlternative(*_impl, discriminant), value);
  _impl->alternatives.insert_or_assign(octetsOf(discriminant), Slot(cloned(value)));
  _impl->discriminant = cloned(discriminant);
}

void HLAvariantRecord::setVariantPointer(const DataElement& discriminant, DataElement* valuePtr) {
  requireDiscriminant(*_impl, discriminant);
  Slot slot(kVariantRecord, valuePtr);
  requireSameType(kVariantRecord, requireAlternative(*_impl, discriminant), *valuePtr);
  _impl->alternatives.insert_or_assign(octetsOf(discriminant), std::move(slot));
  _impl->discriminant = cloned(discriminant);
}

const DataElement& HLAvariantRecord::getDiscriminant() const { return *_impl->discriminant; }

const DataElement& HLAvariantRecord::getVariant() const {
  return requireAlternative(*_impl, *_impl->discriminant);
}

}  // namespace rti1516e
