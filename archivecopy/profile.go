package archivecopy

import (
	"encoding/binary"
	"unicode/utf16"
)

// sRGBProfile returns an ICC profile (version 4.2, ISO 15076-1) of the colour space sRGB, IEC
// 61966-2-1. It is made from the numbers of the standards: the primaries adapted to D50 by the method
// of Bradford, and the transfer function as parameters. The numbers are 1/65,536.
func sRGBProfile() []byte {
	curve := []int32{157286, 62119, 3417, 5072, 2651} // 2.4, 1/1.055, 0.055/1.055, 1/12.92, 0.04045
	transfer := tag("para", []int32{3 << 16}, curve)
	tags := []profileTag{
		{[]string{"desc"}, text("sRGB IEC61966-2.1")},
		{[]string{"cprt"}, text("No copyright, use freely")},
		{[]string{"wtpt"}, tag("XYZ ", whiteD50)},
		{[]string{"chad"}, tag("sf32", []int32{68674, 1502, -3291, 1939, 64912, -1119, -607, 988, 49262})},
		{[]string{"rXYZ"}, tag("XYZ ", []int32{28578, 14581, 912})},
		{[]string{"gXYZ"}, tag("XYZ ", []int32{25241, 46981, 6362})},
		{[]string{"bXYZ"}, tag("XYZ ", []int32{9376, 3972, 46799})},
		{[]string{"rTRC", "gTRC", "bTRC"}, transfer},
	}
	return packProfile(tags)
}

// whiteD50 is the white of the space in which profiles are connected.
var whiteD50 = []int32{63190, 65536, 54061}

// profileTag is an element of a profile under its names.
type profileTag struct {
	names []string
	data  []byte
}

func packProfile(tags []profileTag) []byte {
	const headSize, entrySize = 128, 12
	count := 0
	for _, t := range tags {
		count += len(t.names)
	}
	var table, data []byte
	for _, t := range tags {
		at := headSize + 4 + entrySize*count + len(data)
		for _, name := range t.names {
			table = append(table, name...)
			table = binary.BigEndian.AppendUint32(table, uint32(at))
			table = binary.BigEndian.AppendUint32(table, uint32(len(t.data)))
		}
		data = append(append(data, t.data...), make([]byte, -len(t.data)&3)...)
	}
	head := make([]byte, headSize)
	binary.BigEndian.PutUint32(head, uint32(headSize+4+len(table)+len(data)))
	head[8], head[9] = 4, 0x20 // version 4.2
	copy(head[12:], "mntrRGB XYZ ")
	binary.BigEndian.PutUint16(head[24:], 2026) // a date is required; this one is constant
	head[27], head[29] = 1, 1
	copy(head[36:], "acsp")
	for i, value := range whiteD50 {
		binary.BigEndian.PutUint32(head[68+4*i:], uint32(value))
	}
	profile := binary.BigEndian.AppendUint32(head, uint32(count))
	return append(append(profile, table...), data...)
}

// tag packs an element of numbers.
func tag(kind string, parts ...[]int32) []byte {
	data := append([]byte(kind), 0, 0, 0, 0)
	for _, part := range parts {
		for _, value := range part {
			data = binary.BigEndian.AppendUint32(data, uint32(value))
		}
	}
	return data
}

// text packs a text in English.
func text(value string) []byte {
	const records, recordSize, at = 1, 12, 28
	units := utf16.Encode([]rune(value))
	data := tag("mluc", []int32{records, recordSize})
	data = append(data, "enUS"...)
	data = binary.BigEndian.AppendUint32(data, uint32(2*len(units)))
	data = binary.BigEndian.AppendUint32(data, at)
	for _, unit := range units {
		data = binary.BigEndian.AppendUint16(data, unit)
	}
	return data
}
