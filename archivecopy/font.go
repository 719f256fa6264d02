package archivecopy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf16"
)

// The size of the glyph, which is empty: glyphUnits are the size of the text.
const (
	glyphUnits = 1000
	glyphWidth = 500
	fontName   = "Invisible"
)

// maxCodes is the number of characters of one font, whose codes have two bytes. Code 0 is not used,
// because it is the glyph of missing characters, which a file must not show (6.2.11.8).
const maxCodes = 1<<16 - 1

// font maps codes to characters. All of them have the same empty glyph.
type font struct {
	name   string
	object int    // 0 until a page uses it
	runes  []rune // by code - 1
}

// fontSet gives each character that occurs a code, in the order of the occurrence.
type fontSet struct {
	fonts []*font
	codes map[rune]fontCode
}

type fontCode struct {
	font *font
	code int
}

func (s *fontSet) code(r rune) (*font, int) {
	if known, ok := s.codes[r]; ok {
		return known.font, known.code
	}
	if s.codes == nil {
		s.codes = map[rune]fontCode{}
	}
	if len(s.fonts) == 0 || len(s.fonts[len(s.fonts)-1].runes) == maxCodes {
		s.fonts = append(s.fonts, &font{name: fmt.Sprintf("F%d", len(s.fonts)+1)})
	}
	last := s.fonts[len(s.fonts)-1]
	last.runes = append(last.runes, r)
	s.codes[r] = fontCode{last, len(last.runes)}
	return last, len(last.runes)
}

// write writes the fonts, which share one font file.
func (s *fontSet) write(w *Writer) {
	if len(s.fonts) == 0 {
		return
	}
	file, descriptor := w.newObject(), w.newObject()
	program := fontFile()
	w.deflated(file, fmt.Sprintf("/Length1 %d", len(program)), program)
	// Symbolic and of fixed width. A descent of 0 would be read as a missing one.
	w.object(descriptor, fmt.Sprintf("<< /Type /FontDescriptor /FontName /%s /Flags 5 "+
		"/FontBBox [ 0 -1 %d %d ] /ItalicAngle 0 /Ascent %d /Descent -1 /CapHeight %d /StemV 80 "+
		"/FontFile2 %d 0 R >>", fontName, glyphWidth, glyphUnits, glyphUnits, glyphUnits, file))
	for _, f := range s.fonts {
		glyphs, unicodes, cids := w.newObject(), w.newObject(), w.newObject()
		w.deflated(glyphs, "", f.glyphMap())
		w.deflated(unicodes, "", []byte(f.unicodeMap()))
		w.object(cids, fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo "+
			"<< /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor %d 0 R /DW %d "+
			"/CIDToGIDMap %d 0 R >>", fontName, descriptor, glyphWidth, glyphs))
		w.object(f.object, fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H "+
			"/DescendantFonts [ %d 0 R ] /ToUnicode %d 0 R >>", fontName, cids, unicodes))
	}
}

// glyphMap maps every code to the empty glyph, which is number 1, and 0 to the one of missing
// characters.
func (f *font) glyphMap() []byte {
	glyphs := make([]byte, 2, 2+2*len(f.runes))
	for range f.runes {
		glyphs = append(glyphs, 0, 1)
	}
	return glyphs
}

// unicodeMap maps the codes to characters, in UTF-16.
func (f *font) unicodeMap() string {
	const perBlock = 100 // what a block may have
	var text strings.Builder
	text.WriteString("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n" +
		"/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n" +
		"/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n" +
		"1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n")
	for from := 0; from < len(f.runes); from += perBlock {
		block := f.runes[from:min(from+perBlock, len(f.runes))]
		fmt.Fprintf(&text, "%d beginbfchar\n", len(block))
		for i, r := range block {
			fmt.Fprintf(&text, "<%04X> <", from+i+1)
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&text, "%04X", unit)
			}
			text.WriteString(">\n")
		}
		text.WriteString("endbfchar\n")
	}
	text.WriteString("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n")
	return text.String()
}

// fontFile returns a TrueType font with two empty glyphs, with the tables that ISO 32000-1, 9.9,
// requires of a font that is addressed by the numbers of its glyphs.
func fontFile() []byte {
	const glyphs = 2
	pack := func(values ...any) []byte {
		var table bytes.Buffer
		for _, value := range values {
			_ = binary.Write(&table, binary.BigEndian, value) // writing to memory cannot fail
		}
		return table.Bytes()
	}
	const version, magic = 0x00010000, 0x5f0f3cf5
	return sfnt([]sfntTable{
		{"glyf", make([]byte, 4)}, // both glyphs have no bytes; an empty table is refused by some programs
		{"head", pack(int32(version), int32(version), uint32(0), uint32(magic), uint16(0), uint16(glyphUnits),
			int64(0), int64(0), int16(0), int16(-1), int16(glyphWidth), int16(glyphUnits), uint16(0), uint16(8),
			int16(2), int16(0), int16(0))},
		{"hhea", pack(int32(version), int16(glyphUnits), int16(-1), int16(0), uint16(glyphWidth), int16(0), int16(0),
			int16(glyphWidth), int16(1), int16(0), int16(0), int64(0), int16(0), uint16(glyphs))},
		{"hmtx", pack(uint16(glyphWidth), int16(0), uint16(glyphWidth), int16(0))},
		{"loca", make([]byte, 2*(glyphs+1))},
		{"maxp", pack(int32(version), uint16(glyphs), [13]uint16{4: 2})},
	})
}

type sfntTable struct {
	tag  string
	data []byte
}

// sfnt packs the tables of a font, which are ordered by their tags.
func sfnt(tables []sfntTable) []byte {
	const headSize, entrySize, adjustmentAt = 12, 16, 8
	count := len(tables)
	largest := 1 << (bits.Len(uint(count)) - 1) // power of two
	file := binary.BigEndian.AppendUint32(nil, 0x00010000)
	for _, value := range []int{count, entrySize * largest, bits.Len(uint(largest)) - 1,
		entrySize * (count - largest)} {
		file = binary.BigEndian.AppendUint16(file, uint16(value))
	}
	var data []byte
	head := 0
	for _, table := range tables {
		at := headSize + entrySize*count + len(data)
		if table.tag == "head" {
			head = at
		}
		padded := append(bytes.Clone(table.data), make([]byte, -len(table.data)&3)...)
		file = append(file, table.tag...)
		file = binary.BigEndian.AppendUint32(file, sfntSum(padded))
		file = binary.BigEndian.AppendUint32(file, uint32(at))
		file = binary.BigEndian.AppendUint32(file, uint32(len(table.data)))
		data = append(data, padded...)
	}
	file = append(file, data...)
	// The checksum of the whole file is this number.
	binary.BigEndian.PutUint32(file[head+adjustmentAt:], 0xb1b0afba-sfntSum(file))
	return file
}

func sfntSum(data []byte) (sum uint32) {
	for ; len(data) >= 4; data = data[4:] {
		sum += binary.BigEndian.Uint32(data)
	}
	return sum
}
