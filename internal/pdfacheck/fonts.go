package pdfacheck

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"regexp"
	"unicode/utf16"
)

// checkFonts checks the fonts, and that the codes that are shown have glyphs and Unicode values.
func (f *file) checkFonts(shown shownCodes) {
	for number, o := range f.objects {
		d, _ := o.value.(dict)
		if d["Type"] != name("Font") || d["Subtype"] == name("CIDFontType2") {
			continue
		}
		if d["Subtype"] != name("Type0") {
			f.report("6.2.11.2", "font %d is a %v", number, d["Subtype"])
			continue
		}
		f.checkComposite(number, d, shown[number])
	}
	for number := range shown {
		if o := f.objects[number]; o == nil || f.dict(o.value)["Type"] != name("Font") {
			f.report("6.2.11.2", "object %d is used as a font", number)
		}
	}
}

func (f *file) checkComposite(number int64, d dict, codes map[int]bool) {
	if f.resolve(d["Encoding"]) != name("Identity-H") {
		f.report("6.2.11.3.1", "font %d has the encoding %v", number, d["Encoding"])
	}
	f.checkUnicodes(number, d, codes)
	descendants := f.list(d["DescendantFonts"])
	if len(descendants) != 1 {
		f.report("6.2.11.2", "font %d has %d descendants", number, len(descendants))
		return
	}
	cids := f.dict(descendants[0])
	baseName, _ := f.resolve(cids["BaseFont"]).(name)
	system := f.dict(cids["CIDSystemInfo"])
	if cids["Type"] != name("Font") || cids["Subtype"] != name("CIDFontType2") || baseName == "" ||
		f.resolve(d["BaseFont"]) != baseName {
		f.report("6.2.11.2", "the descendant of font %d is %v", number, cids)
	}
	if system["Registry"] == nil || system["Ordering"] == nil || system["Supplement"] == nil {
		f.report("6.2.11.3.1", "font %d has no CIDSystemInfo", number)
	}
	descriptor := f.dict(cids["FontDescriptor"])
	for _, key := range []name{"FontName", "Flags", "FontBBox", "ItalicAngle", "Ascent", "Descent", "CapHeight",
		"StemV"} {
		if _, has := descriptor[key]; !has {
			f.report("6.2.11.2", "the descriptor of font %d has no %s", number, key)
		}
	}
	embedded := f.streamOf(descriptor["FontFile2"])
	if embedded == nil {
		f.report("6.2.11.4.1", "font %d is not embedded", number)
		return
	}
	program, err := f.decoded(embedded)
	var glyphs *trueType
	if err == nil {
		glyphs, err = parseTrueType(program)
	}
	if err != nil {
		f.report("6.2.11.2", "the program of font %d: %v", number, err)
		return
	}
	f.checkGlyphs(number, cids, glyphs, codes)
}

func (f *file) checkGlyphs(number int64, cids dict, glyphs *trueType, codes map[int]bool) {
	mapping := f.streamOf(cids["CIDToGIDMap"])
	if mapping == nil {
		f.report("6.2.11.3.2", "font %d has no stream CIDToGIDMap", number)
		return
	}
	table, err := f.decoded(mapping)
	if err != nil {
		f.report("6.2.11.3.2", "the map of font %d: %v", number, err)
		return
	}
	width, _ := numberOf(f.resolve(cids["DW"]))
	if _, has := cids["W"]; has {
		f.report("6.2.11.5", "font %d has single widths, which are not checked", number)
	}
	for code := range codes {
		glyph := 0
		if 2*code+1 < len(table) {
			glyph = int(binary.BigEndian.Uint16(table[2*code:]))
		}
		if glyph == 0 || glyph >= len(glyphs.widths) {
			f.report("6.2.11.8", "code %d of font %d has the glyph %d of %d", code, number, glyph,
				len(glyphs.widths))
			return
		}
		if difference := glyphs.widths[glyph] - width; difference > 1 || difference < -1 {
			f.report("6.2.11.5", "code %d of font %d is %g wide, its glyph %g", code, number, width,
				glyphs.widths[glyph])
			return
		}
	}
}

var (
	mapBlock = regexp.MustCompile(`(?s)beginbfchar(.*?)endbfchar`)
	mapLine  = regexp.MustCompile(`<([0-9A-Fa-f]{4})>\s*<((?:[0-9A-Fa-f]{4})+)>`)
)

// checkUnicodes checks that each code that is shown has a valid text.
func (f *file) checkUnicodes(number int64, d dict, codes map[int]bool) {
	o := f.streamOf(d["ToUnicode"])
	if o == nil {
		f.report("6.2.11.7.2", "font %d has no ToUnicode", number)
		return
	}
	data, err := f.decoded(o)
	if err != nil {
		f.report("6.2.11.7.2", "ToUnicode of font %d: %v", number, err)
		return
	}
	known := map[int]bool{}
	for _, block := range mapBlock.FindAllSubmatch(data, -1) {
		for _, line := range mapLine.FindAllSubmatch(block[1], -1) {
			code, _ := hex.DecodeString(string(line[1])) // the pattern allows digits only
			target, _ := hex.DecodeString(string(line[2]))
			known[int(binary.BigEndian.Uint16(code))] = true
			var units []uint16
			for ; len(target) > 0; target = target[2:] {
				units = append(units, binary.BigEndian.Uint16(target))
			}
			for _, r := range utf16.Decode(units) {
				paired := len(units) == 1 && !utf16.IsSurrogate(rune(units[0])) || len(units) == 2 && r > 0xffff
				if r == 0 || r == 0xfeff || r == 0xfffe || !paired {
					f.report("6.2.11.7.2", "code %x of font %d maps to %x", code, number, units)
				}
			}
		}
	}
	for code := range codes {
		if !known[code] {
			f.report("6.2.11.7.2", "code %d of font %d has no Unicode value", code, number)
			return
		}
	}
}

// trueType is what is checked of a font program.
type trueType struct{ widths []float64 }

// parseTrueType reads the tables that ISO 32000-1, 9.9, requires.
func parseTrueType(data []byte) (*trueType, error) {
	if len(data) < 12 || binary.BigEndian.Uint32(data) != 0x00010000 {
		return nil, fmt.Errorf("no TrueType font")
	}
	tables := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(data[4:])) {
		at := 12 + 16*i
		if at+16 > len(data) {
			return nil, fmt.Errorf("its list of tables is cut")
		}
		begin := uint64(binary.BigEndian.Uint32(data[at+8:]))
		size := uint64(binary.BigEndian.Uint32(data[at+12:]))
		if begin+size > uint64(len(data)) {
			return nil, fmt.Errorf("its table %q is outside", data[at:at+4])
		}
		tables[string(data[at:at+4])] = data[begin : begin+size]
	}
	for table, size := range map[string]int{"glyf": 0, "head": 54, "hhea": 36, "hmtx": 4, "loca": 2, "maxp": 32} {
		if found, has := tables[table]; !has || len(found) < size {
			return nil, fmt.Errorf("it has no table %q", table)
		}
	}
	glyphs := int(binary.BigEndian.Uint16(tables["maxp"][4:]))
	measured := int(binary.BigEndian.Uint16(tables["hhea"][34:]))
	if measured != glyphs || len(tables["hmtx"]) != 4*glyphs || len(tables["loca"]) != 2*(glyphs+1) {
		return nil, fmt.Errorf("its tables do not fit %d glyphs", glyphs)
	}
	perUnit := 1000 / float64(binary.BigEndian.Uint16(tables["head"][18:]))
	font := &trueType{}
	for i := range glyphs {
		width := float64(binary.BigEndian.Uint16(tables["hmtx"][4*i:]))
		font.widths = append(font.widths, width*perUnit)
	}
	return font, nil
}
