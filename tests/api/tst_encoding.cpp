// SPDX-License-Identifier: GPL-3.0-or-later
#include <RTI/encoding/BasicDataElements.h>
#include <RTI/encoding/HLAfixedArray.h>
#include <RTI/encoding/HLAfixedRecord.h>
#include <RTI/encoding/HLAopaqueData.h>
#include <RTI/encoding/HLAvariableArray.h>
#include <RTI/encoding/HLAvariantRecord.h>

#include <QTest>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

using namespace rti1516e;

namespace {

using Element = std::shared_ptr<DataElement>;

// An element to encode, and one of the same type with other values to decode into.
struct Sample {
  Element value;
  Element other;
};

template <class Type, class Value>
Sample basic(Value value, Value other) {
  return {std::make_shared<Type>(value), std::make_shared<Type>(other)};
}

Element fixedArray(const DataElement& prototype, std::vector<Element> elements) {
  auto array = std::make_shared<HLAfixedArray>(prototype, elements.size());
  for (size_t i = 0; i < elements.size(); ++i) array->set(i, *elements[i]);
  return array;
}

Element variableArray(const DataElement& prototype, std::vector<Element> elements) {
  auto array = std::make_shared<HLAvariableArray>(prototype);
  for (const Element& element : elements) array->addElement(*element);
  return array;
}

Element record(std::vector<Element> elements) {
  auto result = std::make_shared<HLAfixedRecord>();
  for (const Element& element : elements) result->appendElement(*element);
  return result;
}

template <class Type, class Value>
Element make(Value value) {
  return std::make_shared<Type>(value);
}

Element octet(int value) { return make<HLAoctet>(static_cast<Octet>(value)); }
Element int16(int value) { return make<HLAinteger16BE>(static_cast<Integer16>(value)); }
Element int32(int value) { return make<HLAinteger32BE>(Integer32(value)); }
Element int64(Integer64 value) { return make<HLAinteger64BE>(value); }
Element float64(double value) { return make<HLAfloat64BE>(value); }
Element ascii(const char* value) { return make<HLAASCIIstring>(std::string(value)); }

// Octet 1: an HLAinteger32BE; octet 2: an HLAfloat64BE.
std::shared_ptr<HLAvariantRecord> variant(int discriminant, int number, double real) {
  auto result = std::make_shared<HLAvariantRecord>(HLAoctet());
  result->addVariant(HLAoctet(1), HLAinteger32BE(number));
  result->addVariant(HLAoctet(2), HLAfloat64BE(real));
  result->setDiscriminant(HLAoctet(static_cast<Octet>(discriminant)));
  return result;
}

Element shortVariant(int discriminant, int number) {
  auto result = std::make_shared<HLAvariantRecord>(HLAinteger32BE());
  result->addVariant(HLAinteger32BE(1), HLAinteger16BE(static_cast<Integer16>(number)));
  result->setDiscriminant(HLAinteger32BE(discriminant));
  return result;
}

Element unicode(const wchar_t* value) { return make<HLAunicodeString>(std::wstring(value)); }
Element boolean(bool value) { return make<HLAboolean>(value); }

// A record of one alternative.
Element choice(const Element& discriminant, const Element& value) {
  auto result = std::make_shared<HLAvariantRecord>(*discriminant);
  result->addVariant(*discriminant, *value);
  return result;
}

Element opaque(const QByteArray& octets) {
  return std::make_shared<HLAopaqueData>(octets.constData(), static_cast<size_t>(octets.size()));
}

QByteArray octetsOf(const VariableLengthData& data) {
  return QByteArray(static_cast<const char*>(data.data()), static_cast<int>(data.size()));
}

QByteArray octetsOf(const std::vector<Octet>& octets) {
  return QByteArray(octets.data(), static_cast<int>(octets.size()));
}

bool throwsEncoderException(const std::function<void()>& action) {
  try {
    action();
  } catch (const EncoderException& exception) {
    return !exception.what().empty();
  }
  return false;
}

// Octets in memory of exactly their size, so that a sanitizer sees a read beyond them.
struct Exact {
  explicit Exact(const QByteArray& octets)
      : memory(new char[static_cast<size_t>(octets.size())]), vector(octets.begin(), octets.end()) {
    std::copy(octets.begin(), octets.end(), memory.get());
    data.setDataPointer(memory.get(), static_cast<size_t>(octets.size()));
    vector.shrink_to_fit();
  }
  std::unique_ptr<char[]> memory;
  VariableLengthData data;
  std::vector<Octet> vector;
};

}  // namespace

Q_DECLARE_METATYPE(Sample)

// The octets of IEEE 1516.2-2010, 4.13, computed by hand.
class EncodingTest : public QObject {
  Q_OBJECT

  static void samples() {
    QTest::addColumn<Sample>("sample");
    QTest::addColumn<QByteArray>("octets");
    QTest::addColumn<uint>("boundary");
    const auto row = [](const char* name, Sample sample, const char* hex, uint boundary) {
      QTest::newRow(name) << sample << QByteArray::fromHex(hex) << boundary;
    };

    row("HLAoctet", basic<HLAoctet>(Octet(0x7F), Octet(1)), "7F", 1);
    row("HLAbyte -1", basic<HLAbyte>(Octet(-1), Octet(1)), "FF", 1);
    row("HLAASCIIchar", basic<HLAASCIIchar>('A', 'B'), "41", 1);
    row("HLAboolean true", basic<HLAboolean>(true, false), "00000001", 4);
    row("HLAboolean false", basic<HLAboolean>(false, true), "00000000", 4);
    row("HLAunicodeChar", basic<HLAunicodeChar>(L'\u00E9', L'x'), "00E9", 2);
    row("HLAoctetPairBE", basic<HLAoctetPairBE>(OctetPair(1, 2), OctetPair(0, 0)), "0102", 2);
    row("HLAoctetPairLE", basic<HLAoctetPairLE>(OctetPair(1, 2), OctetPair(0, 0)), "0201", 2);
    row("HLAinteger16BE", basic<HLAinteger16BE>(Integer16(0x0102), Integer16(0)), "0102", 2);
    row("HLAinteger16LE", basic<HLAinteger16LE>(Integer16(0x0102), Integer16(0)), "0201", 2);
    row("HLAinteger16BE -2", basic<HLAinteger16BE>(Integer16(-2), Integer16(0)), "FFFE", 2);
    row("HLAinteger32BE", basic<HLAinteger32BE>(0x01020304, 0), "01020304", 4);
    row("HLAinteger32LE", basic<HLAinteger32LE>(0x01020304, 0), "04030201", 4);
    row("HLAinteger32BE smallest", basic<HLAinteger32BE>(std::numeric_limits<Integer32>::min(), 0),
        "80000000", 4);
    row("HLAinteger64BE", basic<HLAinteger64BE>(Integer64(0x0102030405060708), Integer64(0)),
        "0102030405060708", 8);
    row("HLAinteger64LE", basic<HLAinteger64LE>(Integer64(0x0102030405060708), Integer64(0)),
        "0807060504030201", 8);
    row("HLAfloat32BE", basic<HLAfloat32BE>(-0.15625F, 0.0F), "BE200000", 4);
    row("HLAfloat32LE", basic<HLAfloat32LE>(1.0F, 0.0F), "0000803F", 4);
    row("HLAfloat64BE", basic<HLAfloat64BE>(3.141592653589793, 0.0), "400921FB54442D18", 8);
    row("HLAfloat64LE", basic<HLAfloat64LE>(1.0, 0.0), "000000000000F03F", 8);

    row("HLAASCIIstring", {ascii("HLA"), ascii("?")}, "00000003 484C41", 4);
    row("HLAASCIIstring empty", {ascii(""), ascii("?")}, "00000000", 4);
    row("HLAunicodeString", basic<HLAunicodeString>(std::wstring(L"H\u00E9"), std::wstring()),
        "00000002 0048 00E9", 4);
    row("HLAunicodeString beyond 16 bits",
        basic<HLAunicodeString>(std::wstring(L"\U0001F680"), std::wstring(L"abc")),
        "00000002 D83D DE80", 4);
    row("HLAunicodeString lone surrogates",
        basic<HLAunicodeString>(std::wstring({wchar_t(0xDE80), wchar_t(0xD83D)}), std::wstring()),
        "00000002 DE80 D83D", 4);
    row("HLAunicodeString two high surrogates",
        basic<HLAunicodeString>(std::wstring({wchar_t(0xD83D), wchar_t(0xD83E)}), std::wstring()),
        "00000002 D83D D83E", 4);
    row("HLAopaqueData", {opaque("\x01\x02\x03"), opaque("")}, "00000003 010203", 4);
    row("HLAopaqueData empty", {opaque(""), opaque("abc")}, "00000000", 4);

    // Arrays: each element at a multiple of the boundary of its type, nothing behind the last.
    row("HLAfixedArray of HLAinteger16BE",
        {fixedArray(HLAinteger16BE(), {int16(1), int16(2), int16(3)}),
         fixedArray(HLAinteger16BE(), {int16(0), int16(0), int16(0)})},
        "0001 0002 0003", 2);
    row("HLAfixedArray of strings pads between",
        {fixedArray(HLAASCIIstring(), {ascii("a"), ascii("bc")}),
         fixedArray(HLAASCIIstring(), {ascii(""), ascii("")})},
        "00000001 61 000000 00000002 6263", 4);
    row("HLAfixedArray of records pads between",
        {fixedArray(*record({int32(0), octet(0)}),
                    {record({int32(1), octet(2)}), record({int32(3), octet(4)})}),
         fixedArray(*record({int32(0), octet(0)}),
                    {record({int32(0), octet(0)}), record({int32(0), octet(0)})})},
        "00000001 02 000000 00000003 04", 4);
    row("HLAfixedArray without elements",
        {fixedArray(HLAfloat64BE(), {}), fixedArray(HLAfloat64BE(), {})}, "", 8);
    row("HLAvariableArray of HLAinteger32BE",
        {variableArray(HLAinteger32BE(), {int32(1), int32(2)}),
         variableArray(HLAinteger32BE(), {int32(9), int32(9), int32(9)})},
        "00000002 00000001 00000002", 4);
    row("HLAvariableArray of HLAoctet",
        {variableArray(HLAoctet(), {octet(9), octet(8)}), variableArray(HLAoctet(), {})},
        "00000002 09 08", 4);
    row("HLAvariableArray of HLAfloat64BE pads behind the count",
        {variableArray(HLAfloat64BE(), {float64(1.0)}), variableArray(HLAfloat64BE(), {})},
        "00000001 00000000 3FF0000000000000", 8);
    row("HLAvariableArray without elements",
        {variableArray(HLAfloat64BE(), {}), variableArray(HLAfloat64BE(), {float64(1.0)})},
        "00000000", 8);
    row("HLAvariableArray of arrays",
        {variableArray(*variableArray(HLAoctet(), {}),
                       {variableArray(HLAoctet(), {octet(7)}),
                        variableArray(HLAoctet(), {octet(8), octet(9)})}),
         variableArray(*variableArray(HLAoctet(), {}), {})},
        "00000002 00000001 07 000000 00000002 0809", 4);

    row("HLAvariableArray of HLAinteger16BE",
        {variableArray(HLAinteger16BE(), {int16(1), int16(2)}),
         variableArray(HLAinteger16BE(), {})},
        "00000002 0001 0002", 4);
    row("HLAvariableArray of HLAinteger64BE",
        {variableArray(HLAinteger64BE(), {int64(1), int64(2)}),
         variableArray(HLAinteger64BE(), {int64(9)})},
        "00000002 00000000 0000000000000001 0000000000000002", 8);
    row("HLAvariableArray of HLAunicodeString",
        {variableArray(HLAunicodeString(), {unicode(L"a"), unicode(L"bc")}),
         variableArray(HLAunicodeString(), {})},
        "00000002 00000001 0061 0000 00000002 0062 0063", 4);
    row("HLAvariableArray of empty strings",
        {variableArray(HLAunicodeString(), {unicode(L""), unicode(L"")}),
         variableArray(HLAunicodeString(), {unicode(L"x")})},
        "00000002 00000000 00000000", 4);
    row("HLAvariableArray of HLAopaqueData",
        {variableArray(HLAopaqueData(), {opaque("\x01\x02\x03"), opaque("\x04")}),
         variableArray(HLAopaqueData(), {})},
        "00000002 00000003 010203 00 00000001 04", 4);
    row("HLAvariableArray of arrays of HLAfloat64BE",
        {variableArray(
             *variableArray(HLAfloat64BE(), {}),
             {variableArray(HLAfloat64BE(), {float64(1.0)}), variableArray(HLAfloat64BE(), {})}),
         variableArray(*variableArray(HLAfloat64BE(), {}), {})},
        "00000002 00000000 00000001 00000000 3FF0000000000000 00000000", 8);
    row("HLAfixedArray of HLAfixedArray",
        {fixedArray(*fixedArray(HLAoctet(), {octet(0), octet(0), octet(0)}),
                    {fixedArray(HLAoctet(), {octet(1), octet(2), octet(3)}),
                     fixedArray(HLAoctet(), {octet(4), octet(5), octet(6)})}),
         fixedArray(*fixedArray(HLAoctet(), {octet(0), octet(0), octet(0)}),
                    {fixedArray(HLAoctet(), {octet(0), octet(0), octet(0)}),
                     fixedArray(HLAoctet(), {octet(0), octet(0), octet(0)})})},
        "010203 040506", 1);
    row("HLAfixedArray of HLAvariableArray",
        {fixedArray(*variableArray(HLAinteger16BE(), {}),
                    {variableArray(HLAinteger16BE(), {int16(1)}),
                     variableArray(HLAinteger16BE(), {int16(2), int16(3)})}),
         fixedArray(*variableArray(HLAinteger16BE(), {}),
                    {variableArray(HLAinteger16BE(), {}), variableArray(HLAinteger16BE(), {})})},
        "00000001 0001 0000 00000002 0002 0003", 4);
    row("HLAfixedArray of records of boundary 2",
        {fixedArray(*record({octet(0), int16(0)}),
                    {record({octet(1), int16(2)}), record({octet(3), int16(4)})}),
         fixedArray(*record({octet(0), int16(0)}),
                    {record({octet(0), int16(0)}), record({octet(0), int16(0)})})},
        "01 00 0002 03 00 0004", 2);
    row("HLAfixedArray of records of boundary 8",
        {fixedArray(*record({int64(0), octet(0)}),
                    {record({int64(1), octet(2)}), record({int64(3), octet(4)})}),
         fixedArray(*record({int64(0), octet(0)}),
                    {record({int64(0), octet(0)}), record({int64(0), octet(0)})})},
        "0000000000000001 02 00000000000000 0000000000000003 04", 8);

    // Records: each field at a multiple of its boundary, nothing behind the last.
    row("HLAfixedRecord pads before a field",
        {record({octet(1), int32(2)}), record({octet(0), int32(0)})}, "01 000000 00000002", 4);
    row("HLAfixedRecord of every boundary",
        {record({octet(1), int16(2), octet(3), int64(4)}),
         record({octet(0), int16(0), octet(0), int64(0)})},
        "01 00 0002 03 000000 0000000000000004", 8);
    row("HLAfixedRecord pads nothing behind",
        {record({int64(1), octet(2)}), record({int64(0), octet(0)})}, "0000000000000001 02", 8);
    row("HLAfixedRecord with a string of odd length",
        {record({ascii("abc"), int16(5)}), record({ascii(""), int16(0)})},
        "00000003 616263 00 0005", 4);
    row("HLAfixedRecord in a record",
        {record({octet(1), record({int16(2), float64(1.0)}), octet(3)}),
         record({octet(0), record({int16(0), float64(0.0)}), octet(0)})},
        "01 00000000000000 0002 000000000000 3FF0000000000000 03", 8);
    row("HLAfixedRecord of nothing", {record({}), record({})}, "", 1);

    row("HLAfixedRecord 2 before 4", {record({int16(1), int32(2)}), record({int16(0), int32(0)})},
        "0001 0000 00000002", 4);
    row("HLAfixedRecord 2 before 8", {record({int16(1), int64(2)}), record({int16(0), int64(0)})},
        "0001 000000000000 0000000000000002", 8);
    row("HLAfixedRecord 4 before 8", {record({int32(1), int64(2)}), record({int32(0), int64(0)})},
        "00000001 00000000 0000000000000002", 8);
    row("HLAfixedRecord 8, 1, 4, 1, 2",
        {record({int64(1), octet(2), int32(3), octet(4), int16(5)}),
         record({int64(0), octet(0), int32(0), octet(0), int16(0)})},
        "0000000000000001 02 000000 00000003 04 00 0005", 8);
    row("HLAfixedRecord of little-endian fields",
        {record({make<HLAinteger16LE>(Integer16(1)), make<HLAinteger32LE>(Integer32(2)),
                 make<HLAfloat64LE>(1.0)}),
         record({make<HLAinteger16LE>(Integer16(0)), make<HLAinteger32LE>(Integer32(0)),
                 make<HLAfloat64LE>(0.0)})},
        "0100 0000 02000000 000000000000F03F", 8);
    row("HLAfixedRecord of HLAboolean",
        {record({boolean(true), octet(2), boolean(false)}),
         record({boolean(false), octet(0), boolean(true)})},
        "00000001 02 000000 00000000", 4);
    row("HLAfixedRecord with HLAunicodeString",
        {record({octet(1), unicode(L"\u00E9")}), record({octet(0), unicode(L"")})},
        "01 000000 00000001 00E9", 4);
    row("HLAfixedRecord with HLAopaqueData",
        {record({opaque("\x09"), opaque("")}), record({opaque(""), opaque("x")})},
        "00000001 09 000000 00000000", 4);
    row("HLAfixedRecord with an array of boundary 8",
        {record({octet(1), variableArray(HLAinteger64BE(), {int64(5)})}),
         record({octet(0), variableArray(HLAinteger64BE(), {})})},
        "01 00000000000000 00000001 00000000 0000000000000005", 8);
    row("HLAfixedRecord with an empty array of boundary 8",
        {record({octet(1), variableArray(HLAinteger64BE(), {}), octet(7)}),
         record({octet(0), variableArray(HLAinteger64BE(), {int64(1)}), octet(0)})},
        "01 00000000000000 00000000 07", 8);
    row("HLAfixedRecord with a variant record",
        {record({octet(1), variant(2, 0, 1.0)}), record({octet(0), variant(1, 0, 0.0)})},
        "01 00000000000000 02 00000000000000 3FF0000000000000", 8);

    // Each boundary of a discriminant with each of an alternative.
    const struct {
      const char* name;
      Element discriminant;
      const char* octets;
      uint boundary;
    } discriminants[] = {{"1", octet(1), "01", 1},
                         {"2", int16(1), "0001", 2},
                         {"4", int32(1), "00000001", 4},
                         {"8", int64(1), "0000000000000001", 8}};
    const struct {
      const char* name;
      Element value, other;
      const char* octets;
      uint boundary;
      const char* padding[4];  // behind a discriminant of 1, 2, 4, 8 octets
    } alternatives[] = {{"1", octet(5), octet(0), "05", 1, {"", "", "", ""}},
                        {"2", int16(5), int16(0), "0005", 2, {"00", "", "", ""}},
                        {"4", int32(5), int32(0), "00000005", 4, {"000000", "0000", "", ""}},
                        {"8",
                         int64(5),
                         int64(0),
                         "0000000000000005",
                         8,
                         {"00000000000000", "000000000000", "00000000", ""}}};
    for (const auto& d : discriminants) {
      for (const auto& a : alternatives) {
        const QByteArray hex =
            QByteArray(d.octets) + a.padding[&d - discriminants] + QByteArray(a.octets);
        row(qPrintable(QString("HLAvariantRecord boundaries %1 and %2").arg(d.name, a.name)),
            {choice(d.discriminant, a.value), choice(d.discriminant, a.other)}, hex.constData(),
            std::max(d.boundary, a.boundary));
      }
    }
    row("HLAvariantRecord of a record",
        {choice(octet(1), record({octet(5), int32(6)})),
         choice(octet(1), record({octet(0), int32(0)}))},
        "01 000000 05 000000 00000006", 4);
    row("HLAvariantRecord of a string",
        {choice(octet(1), ascii("ab")), choice(octet(1), ascii(""))}, "01 000000 00000002 6162", 4);
    row("HLAvariantRecord of an array",
        {choice(int16(1), variableArray(HLAfloat64BE(), {float64(1.0)})),
         choice(int16(1), variableArray(HLAfloat64BE(), {}))},
        "0001 000000000000 00000001 00000000 3FF0000000000000", 8);

    // Variant records: the alternative at a multiple of the largest boundary of all alternatives.
    row("HLAvariantRecord small alternative", {variant(1, 7, 0.0), variant(2, 0, 0.0)},
        "01 00000000000000 00000007", 8);
    row("HLAvariantRecord large alternative", {variant(2, 0, 1.0), variant(1, 0, 0.0)},
        "02 00000000000000 3FF0000000000000", 8);
    row("HLAvariantRecord without padding", {shortVariant(1, 5), shortVariant(1, 0)},
        "00000001 0005", 4);
    row("HLAvariantRecord without an alternative", {variant(3, 0, 0.0), variant(1, 0, 0.0)}, "03",
        8);
    row("HLAvariableArray of variant records",
        {variableArray(*variant(1, 0, 0.0), {variant(1, 7, 0.0), variant(2, 0, 1.0)}),
         variableArray(*variant(1, 0, 0.0), {})},
        "00000002 00000000 01 00000000000000 00000007 00000000 02 00000000000000 3FF0000000000000",
        8);
  }

 private slots:
  void encodes_data() { samples(); }
  void encodes() {
    QFETCH(Sample, sample);
    QFETCH(QByteArray, octets);
    QFETCH(uint, boundary);

    QCOMPARE(octetsOf(sample.value->encode()).toHex(' '), octets.toHex(' '));
    QCOMPARE(sample.value->getEncodedLength(), size_t(octets.size()));
    QCOMPARE(sample.value->getOctetBoundary(), boundary);

    VariableLengthData data("rest of before", 14);
    sample.value->encode(data);
    QCOMPARE(octetsOf(data).toHex(' '), octets.toHex(' '));

    // Appended to what is there, at any place.
    for (int before = 0; before < 9; ++before) {
      std::vector<Octet> buffer(size_t(before), Octet('#'));
      sample.value->encodeInto(buffer);
      QCOMPARE(octetsOf(buffer).toHex(' '), (QByteArray(before, '#') + octets).toHex(' '));
    }
  }

  void decodes_data() { samples(); }
  void decodes() {
    QFETCH(Sample, sample);
    QFETCH(QByteArray, octets);

    QVERIFY(sample.value->isSameTypeAs(*sample.other));
    const Element whole(sample.other->clone().release());
    whole->decode(Exact(octets).data);
    QCOMPARE(octetsOf(whole->encode()).toHex(' '), octets.toHex(' '));
    QCOMPARE(whole->hash(), sample.value->hash());

    // From any place, with something behind.
    for (int before = 0; before < 9; ++before) {
      const Element element(sample.other->clone().release());
      const Exact buffer(QByteArray(before, '#') + octets + "##");
      QCOMPARE(element->decodeFrom(buffer.vector, size_t(before)), size_t(before + octets.size()));
      QCOMPARE(octetsOf(element->encode()).toHex(' '), octets.toHex(' '));
    }
  }

  void refusesTruncatedOctets_data() { samples(); }
  void refusesTruncatedOctets() {
    QFETCH(Sample, sample);
    QFETCH(QByteArray, octets);
    for (int length = 0; length < octets.size(); ++length) {
      const Exact truncated(octets.first(length));
      const Element element(sample.other->clone().release());
      QVERIFY2(throwsEncoderException([&] { element->decode(truncated.data); }),
               qPrintable(QString("decode accepted %1 octets").arg(length)));
      QVERIFY2(throwsEncoderException([&] { element->decodeFrom(truncated.vector, 0); }),
               qPrintable(QString("decodeFrom accepted %1 octets").arg(length)));
    }
  }

  void refusesAnIndexBehindTheEnd_data() { samples(); }
  void refusesAnIndexBehindTheEnd() {
    QFETCH(Sample, sample);
    QFETCH(QByteArray, octets);
    if (octets.isEmpty()) return;  // no octets: nothing to read
    const Exact buffer(octets);
    for (const size_t index :
         {buffer.vector.size(), buffer.vector.size() + 1, std::numeric_limits<size_t>::max()}) {
      QVERIFY(throwsEncoderException([&] { sample.value->decodeFrom(buffer.vector, index); }));
    }
  }

  // Whatever octets arrive: a value or an EncoderException, no memory without need, and what was
  // decoded can be encoded.
  void survivesGarbage_data() { samples(); }
  void survivesGarbage() {
    QFETCH(Sample, sample);
    QFETCH(QByteArray, octets);
    std::mt19937 random(1);
    for (int round = 0; round < 500; ++round) {
      QByteArray garbage = octets;
      if (round % 2 == 0) garbage.resize(std::uniform_int_distribution<int>(0, 40)(random));
      for (char& octet : garbage) {
        if (round % 2 == 0 || random() % 8 == 0) octet = static_cast<char>(random() % 256);
      }
      const Element element(sample.other->clone().release());
      const Exact exact(garbage);
      try {
        element->decode(exact.data);
        QCOMPARE(size_t(octetsOf(element->encode()).size()), element->getEncodedLength());
        QVERIFY(element->getEncodedLength() <= size_t(garbage.size()));
      } catch (const EncoderException&) {
      }
    }
  }

  void refusesImpossibleValues_data() {
    QTest::addColumn<Sample>("sample");
    QTest::addColumn<QByteArray>("octets");
    const auto row = [](const char* name, Element element, const char* hex) {
      QTest::newRow(name) << Sample{element, element} << QByteArray::fromHex(hex);
    };
    row("HLAboolean 2", make<HLAboolean>(true), "00000002");
    row("HLAASCIIstring -1", ascii(""), "FFFFFFFF 41");
    row("HLAASCIIstring 2 147 483 647", ascii(""), "7FFFFFFF 41");
    row("HLAunicodeString -1", make<HLAunicodeString>(std::wstring()), "FFFFFFFF 0041");
    row("HLAunicodeString 0x40000000", make<HLAunicodeString>(std::wstring()), "40000000 0041");
    row("HLAopaqueData -1", opaque(""), "FFFFFFFF");
    row("HLAopaqueData 2 147 483 647", opaque(""), "7FFFFFFF");
    row("HLAvariableArray -1", variableArray(HLAoctet(), {}), "FFFFFFFF");
    row("HLAvariableArray 2 147 483 647", variableArray(HLAoctet(), {}), "7FFFFFFF 00");
    row("HLAvariableArray of nothing 2 147 483 647", variableArray(HLAfixedRecord(), {}),
        "7FFFFFFF");
  }
  void refusesImpossibleValues() {
    QFETCH(Sample, sample);
    QFETCH(QByteArray, octets);
    QVERIFY(throwsEncoderException([&] { sample.value->decode(Exact(octets).data); }));
  }

  void refusesWhatCannotBeEncoded() {
    QVERIFY(throwsEncoderException([] { HLAunicodeChar(wchar_t(0x1F680)).encode(); }));
    const std::wstring beyond(1, wchar_t(0x110000));
    QVERIFY(throwsEncoderException([&] { HLAunicodeString(beyond).encode(); }));
  }

  void decodesPairsOfSurrogatesOnly() {
    HLAunicodeString text;
    text.decode(VariableLengthData("\0\0\0\4\xD8\x3D\xD8\x3D\xDE\x80\xD8\x3D", 12));
    QCOMPARE(text.get(), std::wstring({wchar_t(0xD83D), wchar_t(0x1F680), wchar_t(0xD83D)}));
  }

  void failedDecodingLeavesBasicValues() {
    HLAinteger32BE number(5);
    QVERIFY(throwsEncoderException([&] { number.decode(VariableLengthData("abc", 3)); }));
    QCOMPARE(number.get(), 5);
    HLAASCIIstring text(std::string("kept"));
    QVERIFY(throwsEncoderException([&] { text.decode(VariableLengthData("\0\0\0\x09x", 5)); }));
    QCOMPARE(text.get(), std::string("kept"));
  }

  void basicElementsUseTheCallersVariable() {
    Integer32 mine = 1;
    HLAinteger32BE element(&mine);
    mine = 2;
    QCOMPARE(element.get(), 2);
    element.set(3);
    QCOMPARE(mine, 3);
    element.decode(VariableLengthData("\0\0\0\4", 4));
    QCOMPARE(mine, 4);
    element = HLAinteger32BE(5);
    QCOMPARE(mine, 5);
    element = 6;
    QCOMPARE(mine, 6);

    HLAinteger32BE copy(element);  // has a value of its own
    copy.set(7);
    QCOMPARE(mine, 6);

    Integer32 next = 8;
    element.setDataPointer(&next);
    element.set(9);
    QCOMPARE(mine, 6);
    QCOMPARE(next, 9);
    QVERIFY(throwsEncoderException([&] { element.setDataPointer(nullptr); }));
    QCOMPARE(Integer32(element), 9);
  }

  void opaqueDataUsesTheCallersBuffer() {
    Octet buffer[4] = {1, 2, 3, 4};
    Octet* pointer = buffer;
    HLAopaqueData element(&pointer, 4, 2);
    QCOMPARE(element.bufferLength(), size_t(4));
    QCOMPARE(element.dataLength(), size_t(2));
    QCOMPARE(octetsOf(element.encode()).toHex(), QByteArray("000000020102"));

    element.decode(VariableLengthData("\0\0\0\3\7\10\11", 7));
    QCOMPARE(element.dataLength(), size_t(3));
    QCOMPARE(buffer[2], Octet(9));
    QCOMPARE(buffer[3], Octet(4));
    QVERIFY(
        throwsEncoderException([&] { element.decode(VariableLengthData("\0\0\0\5abcde", 9)); }));
    QCOMPARE(buffer[0], Octet(7));

    HLAopaqueData copy(element);
    copy.set("z", 1);
    QCOMPARE(buffer[0], Octet(7));
    QVERIFY(throwsEncoderException([&] { element.setDataPointer(nullptr, 1, 0); }));
    QVERIFY(throwsEncoderException([&] { element.setDataPointer(&pointer, 1, 2); }));
  }

  void arraysUseTheCallersElements() {
    HLAinteger32BE first(1);
    HLAinteger32BE second(2);
    HLAvariableArray array{HLAinteger32BE()};
    array.addElementPointer(&first);
    array.addElement(HLAinteger32BE(0));
    array.setElementPointer(1, &second);
    array.decode(VariableLengthData("\0\0\0\2\0\0\0\7\0\0\0\10", 12));
    QCOMPARE(first.get(), 7);
    QCOMPARE(second.get(), 8);
    second.set(9);
    QCOMPARE(static_cast<const HLAinteger32BE&>(array[1]).get(), 9);

    HLAvariableArray copy(array);  // has elements of its own
    second.set(10);
    QCOMPARE(static_cast<const HLAinteger32BE&>(copy[1]).get(), 9);
  }

  void arraysGrowAndShrinkWithWhatArrives() {
    HLAvariableArray array{HLAinteger16BE()};
    array.decode(VariableLengthData("\0\0\0\3\0\1\0\2\0\3", 10));
    QCOMPARE(array.size(), size_t(3));
    array.decode(VariableLengthData("\0\0\0\1\0\7", 6));
    QCOMPARE(array.size(), size_t(1));
    QCOMPARE(static_cast<const HLAinteger16BE&>(array.get(0)).get(), Integer16(7));
  }

  void elementsMustHaveTheType() {
    HLAfixedArray array(HLAinteger32BE(), 2);
    QVERIFY(throwsEncoderException([&] { array.set(0, HLAfloat32BE(1.0F)); }));
    QVERIFY(throwsEncoderException([&] { array.set(2, HLAinteger32BE(1)); }));
    QVERIFY(throwsEncoderException([&] { array.get(2); }));
    QVERIFY(throwsEncoderException([&] { array.setElementPointer(0, nullptr); }));
    HLAinteger32LE little;
    QVERIFY(throwsEncoderException([&] { array.setElementPointer(0, &little); }));

    HLAvariableArray variable{HLAinteger32BE()};
    QVERIFY(throwsEncoderException([&] { variable.addElement(HLAoctet(1)); }));
    QVERIFY(throwsEncoderException([&] { variable.addElementPointer(&little); }));
    QVERIFY(throwsEncoderException([&] { variable.set(0, HLAinteger32BE(1)); }));

    HLAfixedRecord fields;
    fields.appendElement(HLAinteger32BE(1));
    QVERIFY(fields.hasElementSameTypeAs(0, HLAinteger32BE()));
    QVERIFY(!fields.hasElementSameTypeAs(0, HLAoctet()));
    QVERIFY(!fields.hasElementSameTypeAs(1, HLAoctet()));
    QVERIFY(throwsEncoderException([&] { fields.set(0, HLAoctet(1)); }));
    QVERIFY(throwsEncoderException([&] { fields.set(1, HLAinteger32BE(1)); }));
    QVERIFY(throwsEncoderException([&] { fields.appendElementPointer(nullptr); }));
    fields.set(0, HLAinteger32BE(3));
    QCOMPARE(static_cast<const HLAinteger32BE&>(fields[0]).get(), 3);
  }

  void typesAreToldApart() {
    QVERIFY(HLAinteger32BE(1).isSameTypeAs(HLAinteger32BE(2)));
    QVERIFY(!HLAinteger32BE().isSameTypeAs(HLAinteger32LE()));
    QVERIFY(!HLAoctet().isSameTypeAs(HLAbyte()));
    QVERIFY(fixedArray(HLAoctet(), {octet(1)})->isSameTypeAs(*fixedArray(HLAoctet(), {octet(2)})));
    QVERIFY(!fixedArray(HLAoctet(), {octet(1)})
                 ->isSameTypeAs(*fixedArray(HLAoctet(), {octet(2), octet(3)})));
    QVERIFY(variableArray(HLAoctet(), {octet(1)})->isSameTypeAs(*variableArray(HLAoctet(), {})));
    QVERIFY(!variableArray(HLAoctet(), {})->isSameTypeAs(*variableArray(HLAbyte(), {})));
    QVERIFY(!record({octet(1)})->isSameTypeAs(*record({int16(1)})));
    QVERIFY(!record({octet(1)})->isSameTypeAs(*record({octet(1), octet(1)})));
    QVERIFY(!variant(1, 0, 0.0)->isSameTypeAs(*shortVariant(1, 0)));
  }

  void variantsSelectByDiscriminant() {
    const auto element = variant(1, 7, 1.0);
    QCOMPARE(static_cast<const HLAinteger32BE&>(element->getVariant()).get(), 7);
    element->setVariant(HLAoctet(2), HLAfloat64BE(2.5));
    QCOMPARE(static_cast<const HLAoctet&>(element->getDiscriminant()).get(), Octet(2));
    QCOMPARE(static_cast<const HLAfloat64BE&>(element->getVariant()).get(), 2.5);
    element->setDiscriminant(HLAoctet(1));
    QCOMPARE(static_cast<const HLAinteger32BE&>(element->getVariant()).get(), 7);

    HLAfloat64BE mine(3.5);
    element->setVariantPointer(HLAoctet(2), &mine);
    element->decode(VariableLengthData("\2\0\0\0\0\0\0\0\x3F\xF0\0\0\0\0\0\0", 16));
    QCOMPARE(mine.get(), 1.0);

    QVERIFY(element->isSameTypeAs(HLAoctet(1), HLAinteger32BE()));
    QVERIFY(!element->isSameTypeAs(HLAoctet(1), HLAfloat64BE()));
    QVERIFY(element->hasMatchingDiscriminantTypeAs(HLAoctet(9)));
    QVERIFY(!element->hasMatchingDiscriminantTypeAs(HLAinteger32BE(1)));
    QVERIFY(throwsEncoderException([&] { element->isSameTypeAs(HLAoctet(9), HLAoctet()); }));
    QVERIFY(throwsEncoderException([&] { element->setDiscriminant(HLAinteger32BE(1)); }));
    QVERIFY(throwsEncoderException([&] { element->setVariant(HLAoctet(9), HLAoctet()); }));
    QVERIFY(throwsEncoderException([&] { element->setVariant(HLAoctet(1), HLAoctet()); }));
    QVERIFY(throwsEncoderException([&] { element->addVariantPointer(HLAoctet(4), nullptr); }));
    element->setDiscriminant(HLAoctet(9));
    QVERIFY(throwsEncoderException([&] { element->getVariant(); }));
  }

  void copiesAreDeep() {
    HLAfixedRecord original;
    original.appendElement(HLAinteger32BE(1));
    const Element copy(original.clone().release());
    original.set(0, HLAinteger32BE(2));
    QCOMPARE(octetsOf(copy->encode()).toHex(), QByteArray("00000001"));
  }

  void hashesDependOnTheValue() {
    QVERIFY(HLAinteger32BE(1).hash() == HLAinteger32BE(1).hash());
    QVERIFY(HLAinteger32BE(1).hash() != HLAinteger32BE(2).hash());
    QVERIFY(HLAASCIIstring(std::string("a")).hash() != HLAASCIIstring(std::string("b")).hash());
    // The same number in every process: FNV-1a of the octet 01.
    QCOMPARE(quint64(HLAoctet(1).hash()), quint64(0xaf63bc4c8601b62cU));
  }
};

QTEST_GUILESS_MAIN(EncodingTest)
#include "tst_encoding.moc"
