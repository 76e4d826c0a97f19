// SPDX-License-Identifier: GPL-3.0-or-later
// Object models of HLA 1.3 in its interchange format: reading, merging, the compact form, and the
// current FDD as a document.
#include "models.h"
#include "target.h"

namespace tutti::fuzz {

namespace {

Landmark read("an object model was read");
Landmark merged("an object model was merged with the standard MIM");

}  // namespace

void target(Input input) { readOne(textOf(input), omt::Edition::Hla13Omt, read, merged); }

std::vector<Bytes> seeds() {
  return {bytesOf(R"omt((DIF HLA-OMT v1.3 (TYPE Single))
(ObjectModel (Name "m") (VersionNumber "1") (Type FOM) (Purpose "p \"q\"\r\n") (POCEmail "e")
 (RoutingSpace (Name "Map") (RSDimension (Name "X")))
 (ComplexDataType (Name "P" [2]) (Description "d")
  (ComplexComponent (FieldName "x") (DataType "float") (Cardinality "1"))
  (ComplexComponent (FieldName "y") (DataType octet) (Cardinality "0-1 (x = 0)")))
 (EnumeratedDataType (Name "E") (Enumeration (Enumerator "a") (Representation 1)))
 (Class (ID 2) (Name "B") (SuperClass 1) (PSCapabilities PS))
 (Class (ID 1) (Name "A" [1]) (PSCapabilities S) (Description "d")
  (Attribute (Name "a" [1, 2]) (DataType "P") (Cardinality "3") (UpdateType Periodic)
   (UpdateCondition "c") (TransferAccept TA) (UpdateReflect UR) (RoutingSpace "Map")
   (DeliveryCategory best_effort) (MessageOrdering timestamp) (Description "d")))
 (Interaction (ID 1) (Name "I") (ISRType IR) (Parameter (Name "p") (DataType "string") (Cardinality "0+")))
 (Interaction (ID 2) (Name "J") (ISRType N) (SuperInteraction 1))
 (Note (NoteNumber 1) (NoteText "n"))))omt"),
          bytesOf("(ObjectModel (Class (ID 1) (Name Manager)) (Class (ID 2) (Name ObjectRoot)))")};
}

}  // namespace tutti::fuzz
