// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Object models to be converted. Apart from the test, because moc loses its way in them.
namespace conversionmodules {

/// As a FED file is written.
inline constexpr char fed[] = R"file((FED
  (Federation Harbour)
  (FEDversion v1.3)
  (spaces
    (space Map
      (dimension X)
      (dimension Y)
    )
    (space "Radio 1"
      (dimension Band)
    )
  )
  (objects
    (class ObjectRoot
      (attribute privilegeToDelete reliable timestamp)
      (class RTIprivate)
      (class Ship
        (attribute position best_effort timestamp Map)
        (attribute name reliable receive)
        (class Tug
        )
      )
    )
  )
  (interactions
    (class InteractionRoot best_effort receive
      (class RTIprivate best_effort receive)
      (class Call reliable timestamp "Radio 1"
        (parameter text)
      )
    )
  )
)
)file";

/// As an object model of HLA 1.3 is written.
inline constexpr char omd[] = R"file((DIF HLA-OMT v1.3 (TYPE Single))
(ObjectModel
    (Name "Harbour")
    (VersionNumber "1.0")
    (Type FOM)
    (Purpose "Says \"hello\".\r\nTwice \\ thrice.")
    (SponsorOrgName "The port")
    (POCLastName "Ann Lee")
    (POCEmail "ann@example.org")
    (RoutingSpace (Name "Map")
        (RSDimension (Name "X")
        )
    )
    (ComplexDataType (Name "Position" [2])
        (ComplexComponent (FieldName "x")
            (DataType "float")
            (Cardinality "1")
            (Description "East.")
        )
        (ComplexComponent (FieldName "track")
            (DataType "unsigned short")
            (Cardinality "1+")
        )
        (ComplexComponent (FieldName "mark")
            (DataType "octet")
            (Cardinality "0-1 (x = 0)")
        )
    )
    (EnumeratedDataType (Name "Colour")
        (Enumeration (Enumerator "Red")
            (Representation 1)
        )
    )
    (Class (ID 1)
        (Name "Ship" [1])
        (PSCapabilities S)
        (Description "What floats.")
        (Attribute (Name "position" [1, 2])
            (DataType "Position")
            (Cardinality "1")
            (UpdateType Periodic)
            (UpdateCondition "10 Hz")
            (TransferAccept TA)
            (UpdateReflect UR)
            (Description "Where.")
            (RoutingSpace "Map")
            (DeliveryCategory best_effort)
            (MessageOrdering timestamp)
        )
        (Attribute (Name "lights")
            (DataType "Colour")
            (Cardinality "3")
            (UpdateType NA)
            (TransferAccept N)
            (DeliveryCategory reliable)
            (MessageOrdering receive)
        )
    )
    (Class (ID 2)
        (Name "Tug")
        (PSCapabilities PS)
        (SuperClass 1)
    )
    (Interaction (ID 3)
        (Name "Call")
        (ISRType IR)
        (DeliveryCategory reliable)
        (Parameter (Name "text")
            (DataType "string")
            (Cardinality "1")
            (Description "Spoken.")
        )
    )
    (Note (NoteNumber 1)
        (NoteText "The first.")
    )
    (Note (NoteNumber 2)
        (NoteText "The second.")
    )
)
)file";

/// Of each table a row; line 2 is the first below <objectModel>.
inline constexpr char of2010[] =
    R"file(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010">
<modelIdentification><name>Harbour</name><type>FOM</type><version>1.0</version><modificationDate>2010-08-18</modificationDate>
<securityClassification>Unclassified</securityClassification><purpose>Says "hello" &amp; &lt;more&gt;</purpose><applicationDomain>Engineering</applicationDomain><description>Ships.</description>
<useLimitation>None</useLimitation><useHistory>Once</useHistory><keyword><keywordValue>port</keywordValue></keyword>
<poc><pocType>Primary author</pocType><pocName>Ann Lee</pocName><pocOrg>The port</pocOrg><pocTelephone>1</pocTelephone><pocTelephone>2</pocTelephone><pocEmail>ann@example.org</pocEmail></poc>
<poc><pocType>Sponsor</pocType><pocOrg>The town</pocOrg></poc><reference><type>Standalone</type><identification>http://example.org</identification></reference><other>More</other></modelIdentification>
<objects><objectClass><name>HLAobjectRoot</name><objectClass notes="n1"><name>Ship</name><sharing>PublishSubscribe</sharing><semantics>What floats</semantics>
<attribute notes="n1"><name>position</name><dataType>Track</dataType><updateType>Conditional</updateType><updateCondition>On change</updateCondition><ownership>DivestAcquire</ownership><sharing>PublishSubscribe</sharing><dimensions><dimension>Sea</dimension></dimensions><transportation>Pigeon</transportation><order>TimeStamp</order><semantics>Where</semantics></attribute>
<attribute><name>speed</name><dataType>Speed</dataType><updateType>NA</updateType><ownership>NoTransfer</ownership><transportation>HLAbestEffort</transportation><order>Receive</order></attribute>
<attribute><name>grid</name><dataType>Grid</dataType><transportation>HLAreliable</transportation><order>Receive</order></attribute></objectClass>
<objectClass><name>Port</name></objectClass></objectClass></objects>
<interactions><interactionClass><name>HLAinteractionRoot</name><interactionClass><name>Call</name><sharing>Publish</sharing><transportation>HLAreliable</transportation><order>Receive</order>
<parameter><name>text</name><dataType>HLAunicodeString</dataType><semantics>Spoken</semantics></parameter></interactionClass></interactionClass></interactions>
<dimensions><dimension><name>Sea</name><dataType>Speed</dataType><upperBound>10</upperBound><normalization>linear</normalization><value>[0..3)</value></dimension></dimensions>
<time><timeStamp><dataType>HLAfloat64Time</dataType><semantics>s</semantics></timeStamp></time>
<tags><sendReceiveTag><dataType>HLAunicodeString</dataType></sendReceiveTag></tags>
<synchronizations><synchronizationPoint><label>Start</label><capability>RegisterAchieve</capability></synchronizationPoint></synchronizations>
<transportations><transportation><name>Pigeon</name><reliable>No</reliable><semantics>Perhaps</semantics></transportation></transportations>
<switches><autoProvide isEnabled="true"/><conveyProducingFederate isEnabled="true"/><automaticResignAction resignAction="NoAction"/></switches>
<updateRates><updateRate><name>Low</name><rate>2.5</rate></updateRate></updateRates>
<dataTypes><basicDataRepresentations><basicData><name>Word24</name><size>24</size><endian>Big</endian></basicData></basicDataRepresentations>
<simpleDataTypes><simpleData><name>Speed</name><representation>HLAfloat64BE</representation><units>m/s</units><resolution>0.1</resolution><accuracy>perfect</accuracy><semantics>How fast</semantics></simpleData></simpleDataTypes>
<enumeratedDataTypes><enumeratedData><name>Kind</name><representation>HLAinteger32BE</representation><enumerator><name>Big</name><value>1</value><value>2</value></enumerator></enumeratedData></enumeratedDataTypes>
<arrayDataTypes><arrayData><name>Row</name><dataType>Speed</dataType><cardinality>3</cardinality><encoding>HLAfixedArray</encoding></arrayData>
<arrayData><name>Grid</name><dataType>Row</dataType><cardinality>Dynamic</cardinality><encoding>HLAvariableArray</encoding></arrayData></arrayDataTypes>
<fixedRecordDataTypes><fixedRecordData><name>Track</name><encoding>HLAfixedRecord</encoding><field><name>load</name><dataType>Load</dataType></field></fixedRecordData></fixedRecordDataTypes>
<variantRecordDataTypes><variantRecordData><name>Load</name><discriminant>kind</discriminant><dataType>Kind</dataType><alternative><enumerator>Big</enumerator><name>mass</name><dataType>Speed</dataType></alternative><alternative><enumerator>HLAother</enumerator><name>NA</name><dataType>NA</dataType></alternative><encoding>HLAvariantRecord</encoding></variantRecordData></variantRecordDataTypes></dataTypes>
<notes><note><label>n1</label><semantics>A note</semantics></note></notes>
</objectModel>
)file";

/// What only the edition of 2025 has.
inline constexpr char of2025[] =
    R"file(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2025">
<modelIdentification><name>Harbour</name><type>FOM</type><version>1</version></modelIdentification>
<objects><objectClass><name>HLAobjectRoot</name><objectClass noteReferences="n1"><name>Ship</name><sharing>PublishSubscribe</sharing>
<directedInteraction><name>Call</name></directedInteraction>
<dimensions><dimension>Sea</dimension></dimensions>
<attribute><name>position</name><dataType>ShipName</dataType><valueRequired>true</valueRequired></attribute>
</objectClass></objectClass></objects>
<dimensions><dimension><name>Sea</name><inputDataTypes><dataType>HLAinteger32BE</dataType></inputDataTypes>
<inputDataDescription>Depth</inputDataDescription><upperBound>10</upperBound><normalization>linear</normalization><outputDataSemantics/></dimension></dimensions>
<time><logicalTime><dataType>HLAfloat64Time</dataType></logicalTime></time>
<switches><allowRelaxedDDM isEnabled="true"/><nonRegulatedGrant isEnabled="false"/></switches>
<dataTypes><referenceDataTypes><referenceDataType><name>ShipName</name><representation>HLAinteger32BE</representation>
<referenceClass>Ship</referenceClass><referencedAttribute>position</referencedAttribute></referenceDataType></referenceDataTypes></dataTypes>
<notes><note><label>n1</label><semantics>A note</semantics></note></notes></objectModel>
)file";

/// Dimensions that rows share, one with a name that HLA 1.3 needs, and two of no row.
inline constexpr char regions[] =
    R"file(<objectModel xmlns="http://standards.ieee.org/IEEE1516-2010">
<objects><objectClass><name>HLAobjectRoot</name><objectClass><name>A</name><sharing>Neither</sharing>
<attribute><name>a</name><dimensions><dimension>Map_X</dimension><dimension>Map_Y</dimension></dimensions></attribute>
<attribute><name>b</name><dimensions><dimension>Map_X</dimension></dimensions></attribute>
<attribute><name>c</name><dimensions><dimension>reliable</dimension></dimensions></attribute>
</objectClass></objectClass></objects><dimensions><dimension><name>Map_X</name></dimension>
<dimension><name>Map_Y</name></dimension><dimension><name>reliable</name></dimension>
<dimension><name>Free_1</name></dimension><dimension><name>Free_2</name></dimension></dimensions></objectModel>
)file";

}  // namespace conversionmodules
