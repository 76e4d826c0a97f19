// SPDX-License-Identifier: Apache-2.0
#include <RTI/VariableLengthData.h>

#include <cstring>
#include <new>

#include "api1516e/variable_length_data_access.h"

namespace rti1516e {

namespace {

using Inside = VariableLengthDataImplementation;

Inside* newInside(std::size_t capacity) {
  capacity = (capacity + 15) & ~std::size_t{15};
  void* block = ::operator new(sizeof(Inside) + capacity);
  auto* inside = new (block) Inside;
  inside->capacity = capacity;
  return inside;
}

void releaseTaken(Inside& inside) {
  if (inside.release == nullptr) return;
  VariableLengthDataDeleteFunction release = inside.release;
  void* taken = const_cast<void*>(inside.data);
  inside.release = nullptr;
  inside.data = nullptr;
  inside.size = 0;
  release(taken);
}

void destroy(Inside* inside) {
  if (inside == nullptr) return;
  releaseTaken(*inside);
  inside->~Inside();
  ::operator delete(inside);
}

void deleteArray(void* data) { delete[] static_cast<char*>(data); }

}  // namespace

VariableLengthData::VariableLengthData() : _impl(nullptr) {}

VariableLengthData::VariableLengthData(const void* inData, size_t inSize) : _impl(nullptr) {
  setData(inData, inSize);
}

VariableLengthData::VariableLengthData(const VariableLengthData& rhs) : _impl(nullptr) {
  setData(rhs.data(), rhs.size());
}

VariableLengthData::~VariableLengthData() { destroy(_impl); }

VariableLengthData& VariableLengthData::operator=(const VariableLengthData& rhs) {
  if (this != &rhs) setData(rhs.data(), rhs.size());
  return *this;
}

const void* VariableLengthData::data() const { return _impl == nullptr ? nullptr : _impl->data; }

size_t VariableLengthData::size() const { return _impl == nullptr ? 0 : _impl->size; }

void VariableLengthData::setData(const void* inData, size_t inSize) {
  if (inData == nullptr) inSize = 0;
  if (inSize == 0) {
    if (_impl == nullptr) return;
    releaseTaken(*_impl);
    _impl->data = nullptr;
    _impl->size = 0;
    return;
  }
  // The new octets may be part of the old ones, so these go last.
  if (_impl == nullptr || _impl->capacity < inSize) {
    Inside* inside = newInside(inSize);
    std::memcpy(inside->octets(), inData, inSize);
    destroy(_impl);
    _impl = inside;
  } else {
    std::memmove(_impl->octets(), inData, inSize);
    releaseTaken(*_impl);
  }
  _impl->data = _impl->octets();
  _impl->size = inSize;
}

void VariableLengthData::setDataPointer(void* inData, size_t inSize) {
  if (_impl == nullptr) _impl = newInside(0);
  releaseTaken(*_impl);
  _impl->data = inData;
  _impl->size = inSize;
}

void VariableLengthData::takeDataPointer(void* inData, size_t inSize,
                                         VariableLengthDataDeleteFunction func) {
  if (_impl == nullptr) _impl = newInside(0);
  releaseTaken(*_impl);
  _impl->data = inData;
  _impl->size = inSize;
  _impl->release = func == nullptr ? deleteArray : func;
}

}  // namespace rti1516e
