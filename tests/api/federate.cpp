// SPDX-License-Identifier: GPL-3.0-or-later
// A federate as users write them, compiled in each language version from C++11 to C++20 with
// warnings as errors. It uses the API the way federates do: derives from its classes, calls the
// libraries, catches its exceptions. Exit code 0 when everything behaves, else a line on stderr.
#include <RTI/RTI1516.h>
#include <RTI/RTI1516fedTime.h>
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAfixedArray.h>
#include <RTI/encoding/HLAfixedRecord.h>
#include <RTI/encoding/HLAopaqueData.h>
#include <RTI/encoding/HLAvariableArray.h>
#include <RTI/encoding/HLAvariantRecord.h>
#include <RTI/time/HLAfloat64TimeFactory.h>
#include <RTI/time/HLAinteger64TimeFactory.h>

#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#ifndef HLA_SPECIFICATION_NAME
#error "RTI1516.h defines HLA_SPECIFICATION_NAME"
#endif
#if HLA_API_MAJOR_VERSION != 2 || HLA_API_MINOR_VERSION != 0
#error "the API of IEEE 1516.1-2010 is version 2.0"
#endif

namespace {

int failures = 0;

void check(bool good, const char* what) {
  if (good) return;
  std::cerr << "failed: " << what << '\n';
  ++failures;
}

// Overrides without exception lists, as code for C++17 must and older code may.
class Plain : public rti1516e::NullFederateAmbassador {
 public:
  Plain() : callbacks(0) {}
  void connectionLost(const std::wstring&) { ++callbacks; }
  void reflectAttributeValues(rti1516e::ObjectInstanceHandle,
                              const rti1516e::AttributeHandleValueMap& values,
                              const rti1516e::VariableLengthData&, rti1516e::OrderType,
                              rti1516e::TransportationType, rti1516e::SupplementalReflectInfo) {
    callbacks += static_cast<int>(values.size());
  }
  using rti1516e::NullFederateAmbassador::reflectAttributeValues;
  int callbacks;
};

#if __cplusplus < 201703L
// Overrides with exception lists, as the standard declares them. That such lists are deprecated is
// the federate's own affair.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated"
class WithLists : public rti1516e::NullFederateAmbassador {
 public:
  WithLists() throw(rti1516e::FederateInternalError) : callbacks(0) {}
  virtual ~WithLists() throw() {}
  virtual void connectionLost(const std::wstring&) throw(rti1516e::FederateInternalError) {
    ++callbacks;
  }
  virtual void timeAdvanceGrant(const rti1516e::LogicalTime&) throw(
      rti1516e::FederateInternalError) {
    ++callbacks;
  }
  int callbacks;
};
#pragma GCC diagnostic pop
#else
typedef Plain WithLists;
#endif

// An encoding helper of the federate's own.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
class Element : public rti1516e::DataElement {
 public:
  Element() : value_(0) {}
  std::auto_ptr<rti1516e::DataElement> clone() const {
    return std::auto_ptr<rti1516e::DataElement>(new Element(*this));
  }
  rti1516e::VariableLengthData encode() const { return rti1516e::VariableLengthData(&value_, 1); }
  void encode(rti1516e::VariableLengthData& data) const { data.setData(&value_, 1); }
  void encodeInto(std::vector<rti1516e::Octet>& buffer) const { buffer.push_back(value_); }
  void decode(const rti1516e::VariableLengthData& data) {
    value_ = *static_cast<const char*>(data.data());
  }
  size_t decodeFrom(const std::vector<rti1516e::Octet>& buffer, size_t index) {
    if (index >= buffer.size()) throw rti1516e::EncoderException(L"too short");
    value_ = buffer[index];
    return index + 1;
  }
  size_t getEncodedLength() const { return 1; }
  unsigned int getOctetBoundary() const { return 1; }

 private:
  rti1516e::Octet value_;
};
#pragma GCC diagnostic pop

void exceptions() {
  rti1516e::RTIambassadorFactory factory;
  auto ambassador = factory.createRTIambassador();
  check(ambassador.get() != nullptr, "the factory makes an ambassador");
  bool caught = false;
  try {
    ambassador->getFederateHandle(L"nobody");
  } catch (const rti1516e::Exception& exception) {
    std::wostringstream text;
    text << exception;
    caught = !exception.what().empty() && text.str() == exception.what();
  }
  check(caught, "a service of an ambassador that is not connected throws, with a message");
  std::unique_ptr<rti1516e::RTIambassador> owned(factory.createRTIambassador());
  check(owned.get() != nullptr, "std::unique_ptr takes an ambassador over");
}

void callbacks() {
  Plain plain;
  WithLists lists;
  rti1516e::FederateAmbassador* ambassadors[] = {&plain, &lists};
  for (rti1516e::FederateAmbassador* ambassador : ambassadors) {
    ambassador->connectionLost(L"test");
    ambassador->federationSaved();
  }
  check(plain.callbacks == 1 && lists.callbacks == 1, "both federate ambassadors get callbacks");
}

void times() {
  using namespace rti1516e;
  HLAfloat64Time a(1.5), b(1.5), c(2.0);
  check(a == b && !(a == c) && a < c && c >= a, "times compare");
  check(a != c && a == 1.5 && 1.5 == a && a < 2.0 && a != 2.0, "times compare with numbers");
  HLAinteger64Time five(5);
  check(five == 5 && five == Integer64(5) && five != 6, "integer times compare with numbers");
  HLAinteger64Interval one(1), other(1);
  check(one == other, "intervals compare");
  const LogicalTime& base = a;
  check(base == b && b == base, "times compare with their base");
  a += HLAfloat64Interval(0.5);
  check(a == c && a.getTime() == 2.0, "times add");
  std::wostringstream text;
  text << a;
  check(text.str() == a.toString(), "times print");
  HLAinteger64TimeFactory integers;
  check(integers.makeFinal()->isFinal(), "factories make final times");
  check(HLAlogicalTimeFactoryFactory::makeLogicalTimeFactory(HLAinteger64TimeName)->getName() ==
            HLAinteger64TimeName,
        "the factory of the standard's factories");
#ifndef WITHOUT_FEDTIME
  check(LogicalTimeFactoryFactory::makeLogicalTimeFactory(L"")->getName() == HLAfloat64TimeName,
        "libfedtime1516e makes the default factory");
  check(LogicalTimeFactoryFactory::makeLogicalTimeFactory(L"MyTime").get() == nullptr,
        "libfedtime1516e knows no other names");
#endif
}

// As federates of the years before 2010 go about with times.
void historicTimes() {
  using namespace rti1516e;
  RTI1516fedTime now{0.0};
  const HLAfloat64Time granted(2.5);
  const LogicalTime& theTime = granted;
  now = theTime;
  check(now.getFedTime() == 2.5, "a historic time takes a granted time");
  RTI1516fedTime cast = RTI1516fedTime(theTime);
  check(cast == now && now == granted && !(cast < now), "historic times compare");
  now += RTI1516fedTimeInterval(0.5);
  check(now.getFedTime() == 3.0 && now > cast && now == 3.0, "historic times add");
  now = 4;
  now = cast;
  now = RTI1516fedTime(now.getFedTime() + 1.0);
  RTI1516fedTimeInterval step(1.0), other(2.0);
  other = step;
  step.setToDifference(now, cast);
  check(step == other && step.getInterval() == 1.0, "historic intervals compare");
  check(step.getEpsilon() > 0.0 && step.getEpsilon() < 1e-15, "and know an epsilon");
  now.setFinal();
  check(now.isInfinity() && !cast.isInfinity(), "a historic time has an end");
  check(now.implementationName() == HLAfloat64TimeName, "for the RTI they are HLAfloat64Time");
  const VariableLengthData encoded = cast.encode();
  RTI1516fedTime decoded;
  decoded.decode(encoded);
  check(decoded.getFedTime() == 2.5, "historic times are encoded and decoded");
  ::rti1516e::RTI1516fedTime qualified(1.0);
  const std::unique_ptr<LogicalTime> owned(new RTI1516fedTime(qualified));
  check(*owned == qualified, "historic times are logical times");
}

void encodings() {
  using namespace rti1516e;
  HLAfixedRecord record;
  record.appendElement(HLAoctet(1));
  record.appendElement(HLAinteger32BE(2));
  record.appendElement(Element());
  const VariableLengthData data = record.encode();
  check(data.size() == 9, "records encode, own elements included");
  HLAfixedRecord copy(record);
  copy.decode(data);
  check(static_cast<const HLAinteger32BE&>(copy.get(1)).get() == 2, "records decode");
  std::wstring name = HLAunicodeString(L"name");
  check(name == L"name", "strings convert");
  bool caught = false;
  try {
    copy.decode(VariableLengthData("abc", 3));
  } catch (EncoderException&) {
    caught = true;
  }
  check(caught, "EncoderException arrives");
}

void handles() {
  using namespace rti1516e;
  AttributeHandle none;
  AttributeHandleValueMap values;
  values[none] = VariableLengthData("x", 1);
  std::map<ObjectInstanceHandle, std::wstring> instances;
  instances[ObjectInstanceHandle()] = L"name";
  check(!none.isValid() && none == AttributeHandle() && !(none != AttributeHandle()),
        "handles compare");
  check(values.size() == 1 && instances.size() == 1, "handles are keys");
}

}  // namespace

int main() {
  exceptions();
  callbacks();
  times();
  historicTimes();
  encodings();
  handles();
  std::cout << "C++ " << __cplusplus << '\n';
  return failures == 0 && !rti1516e::rtiName().empty() && !rti1516e::rtiVersion().empty() ? 0 : 1;
}
