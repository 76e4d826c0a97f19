// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// One object model in several editions. Apart from the test, because moc loses its way in them.
namespace editionmodules {

inline constexpr char fed[] = R"file((FED (Federation Harbour) (FEDversion v1.3)
 (spaces (space Map (dimension X) (dimension Y)))
 (objects (class ObjectRoot (attribute privilegeToDelete reliable timestamp)
  (class RTIprivate)
  (class Ship (attribute position reliable receive Map) (attribute name best_effort receive)
   (class Tug))))
 (interactions (class InteractionRoot best_effort receive (class RTIprivate best_effort receive)
  (class Call reliable receive (parameter text))))))file";

inline constexpr char omd[] = R"file((DIF HLA-OMT v1.3 (TYPE Single))
(ObjectModel (Name "Harbour")
 (RoutingSpace (Name "Map") (RSDimension (Name "X")) (RSDimension (Name "Y")))
 (Class (ID 1) (Name "Ship") (PSCapabilities PS)
  (Attribute (Name "position") (DataType "double") (Cardinality "2") (RoutingSpace "Map"))
  (Attribute (Name "name") (DataType "string") (Cardinality "1")))
 (Class (ID 2) (Name "Tug") (PSCapabilities PS) (SuperClass 1))
 (Interaction (ID 3) (Name "Call") (ISRType IR)
  (Parameter (Name "text") (DataType "string") (Cardinality "1")))))file";

inline constexpr char of2000[] =
    R"file(<objectModel DTDversion="1516.2" name="Harbour" type="FOM" version="1">
<objects><objectClass name="HLAobjectRoot"><objectClass name="Ship">
<attribute name="position" transportation="HLAreliable" order="Receive" dimensions="Map_X Map_Y"/>
<attribute name="name" transportation="HLAbestEffort" order="Receive" dimensions="NA"/>
<objectClass name="Tug"/></objectClass></objectClass></objects>
<interactions><interactionClass name="HLAinteractionRoot"><interactionClass name="Call"
 transportation="HLAreliable" order="Receive" dimensions="NA"><parameter name="text"/></interactionClass>
</interactionClass></interactions>
<dimensions><dimension name="Map_X" upperBound="100"/><dimension name="Map_Y" upperBound="100"/></dimensions>
</objectModel>)file";

inline constexpr char of2025[] = R"file(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2025">
<objects><objectClass><name>HLAobjectRoot</name><objectClass><name>Ship</name><sharing>PublishSubscribe</sharing>
<directedInteraction><name>Call</name></directedInteraction>
<dimensions><dimension>Map_X</dimension><dimension>Map_Y</dimension></dimensions>
<attribute><name>position</name><transportation>HLAreliable</transportation><order>Receive</order></attribute>
<attribute><name>name</name><transportation>HLAbestEffort</transportation><order>Receive</order></attribute>
<objectClass><name>Tug</name><sharing>PublishSubscribe</sharing></objectClass></objectClass></objectClass></objects>
<interactions><interactionClass><name>HLAinteractionRoot</name><interactionClass><name>Call</name>
<sharing>PublishSubscribe</sharing><parameter><name>text</name></parameter></interactionClass></interactionClass>
</interactions>
<dimensions><dimension><name>Map_X</name><upperBound>100</upperBound></dimension>
<dimension><name>Map_Y</name><upperBound>100</upperBound></dimension></dimensions>
</objectModel>)file";

}  // namespace editionmodules
