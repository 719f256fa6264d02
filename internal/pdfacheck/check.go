package pdfacheck

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Violation is a clause of ISO 19005-2 that a file does not follow, and where.
type Violation struct{ Clause, Message string }

// String returns the clause and the message.
func (v Violation) String() string { return v.Clause + ": " + v.Message }

// Clauses are the clauses of ISO 19005-2 that are checked, with what is required.
var Clauses = map[string]string{
	"6.1.2":      "header, with a binary comment",
	"6.1.3":      "trailer with ID and without Encrypt; nothing after the end",
	"6.1.4":      "table of objects",
	"6.1.6":      "hexadecimal strings",
	"6.1.7.1":    "streams: length, keywords, no external data",
	"6.1.7.2":    "filters",
	"6.1.9":      "indirect objects",
	"6.1.12":     "no permissions",
	"6.1.13":     "limits of numbers, strings, names, objects, nesting, codes and page sizes",
	"6.2.2":      "content streams: known operators, explicit resources",
	"6.2.3":      "output intent with a profile of a device",
	"6.2.4.3":    "device colours match the output intent",
	"6.2.5":      "no extended graphics states",
	"6.2.8":      "images: no Alternates, OPI or Interpolate; bits; data of the stated size",
	"6.2.9":      "no form and PostScript XObjects",
	"6.2.10":     "no transparency",
	"6.2.11.2":   "fonts are composite TrueType fonts with the required entries",
	"6.2.11.3.1": "Identity-H encoding",
	"6.2.11.3.2": "CIDToGIDMap",
	"6.2.11.4.1": "embedded font programs, also of invisible text",
	"6.2.11.5":   "widths of the dictionary and of the font program",
	"6.2.11.7.2": "a Unicode value for every code that is shown",
	"6.2.11.8":   "no glyph of missing characters",
	"6.3.1":      "no annotations",
	"6.4.1":      "no forms",
	"6.5.1":      "no actions and scripts",
	"6.5.2":      "no additional actions",
	"6.6.2.1":    "metadata: an XMP packet, well-formed, UTF-8",
	"6.6.2.3.1":  "properties of the predefined schemas only",
	"6.6.4":      "identification of part 2, level U",
	"6.8":        "no embedded files",
	"6.9":        "no optional content",
	"6.10":       "no alternate presentations",
	"6.11":       "no requirements",
}

// Check returns all violations, ordered by their clauses.
func Check(data []byte) []Violation {
	f := &file{data: data}
	if err := f.parse(); err == nil {
		f.checkTrailer()
		f.checkObjects()
		f.checkCatalog()
	}
	slices.SortStableFunc(f.violations, func(x, y Violation) int { return cmp.Compare(x.Clause, y.Clause) })
	return slices.Compact(f.violations)
}

func (f *file) checkTrailer() {
	id := f.list(f.trailer["ID"])
	if len(id) != 2 {
		f.report("6.1.3", "the trailer has no ID of two strings")
	}
	for _, part := range id {
		if value, _ := part.(text); len(value) < 16 {
			f.report("6.1.3", "a part of the ID has %d bytes", len(value))
		}
	}
	if _, encrypted := f.trailer["Encrypt"]; encrypted {
		f.report("6.1.3", "the file is encrypted")
	}
}

// forbiddenKeys are entries of any dictionary that a file must not have here, with their clauses.
var forbiddenKeys = map[name]string{"F": "6.1.7.1", "FFilter": "6.1.7.1", "FDecodeParms": "6.1.7.1",
	"SMask": "6.2.10", "Group": "6.2.10", "ExtGState": "6.2.5", "Annots": "6.3.1", "AcroForm": "6.4.1",
	"OpenAction": "6.5.1", "JavaScript": "6.5.1", "JS": "6.5.1", "AA": "6.5.2", "Perms": "6.1.12",
	"EF": "6.8", "EmbeddedFiles": "6.8", "OCProperties": "6.9", "AlternatePresentations": "6.10",
	"PresSteps": "6.10", "Requirements": "6.11", "NeedsRendering": "6.4.1"}

// checkObjects checks what applies to every object, wherever it is used.
func (f *file) checkObjects() {
	for number, o := range f.objects {
		f.checkValue(number, o.value)
		if !o.stream {
			continue
		}
		d, _ := o.value.(dict)
		switch filter := f.resolve(d["Filter"]).(type) {
		case nil:
		case name:
			if filter != "FlateDecode" && filter != "DCTDecode" {
				f.report("6.1.7.2", "stream %d has the filter %s", number, filter)
			}
		default:
			f.report("6.1.7.2", "stream %d has several filters", number)
		}
		if d["Subtype"] == name("Image") {
			f.checkImage(number, o, d)
		} else if d["Type"] == name("XObject") {
			f.report("6.2.9", "stream %d is an XObject %v", number, d["Subtype"])
		}
	}
}

func (f *file) checkValue(number int64, value any) {
	switch v := value.(type) {
	case array:
		for _, element := range v {
			f.checkValue(number, element)
		}
	case dict:
		for key, entry := range v {
			if clause := forbiddenKeys[key]; clause != "" {
				f.report(clause, "object %d has an entry %s", number, key)
			}
			f.checkValue(number, entry)
		}
		if v["S"] == name("JavaScript") || v["S"] == name("Launch") {
			f.report("6.5.1", "object %d is an action %v", number, v["S"])
		}
	case ref:
		if f.objects[v.number] == nil {
			f.report("6.1.9", "object %d refers to %d, which is missing", number, v.number)
		}
	}
}

func (f *file) checkImage(number int64, o *object, d dict) {
	for _, key := range []name{"Alternates", "OPI"} {
		if _, has := d[key]; has {
			f.report("6.2.8", "image %d has an entry %s", number, key)
		}
	}
	if interpolate, _ := f.resolve(d["Interpolate"]).(bool); interpolate {
		f.report("6.2.8", "image %d is interpolated", number)
	}
	wide, _ := f.resolve(d["Width"]).(int64)
	high, _ := f.resolve(d["Height"]).(int64)
	bits, _ := f.resolve(d["BitsPerComponent"]).(int64)
	if !slices.Contains([]int64{1, 2, 4, 8, 16}, bits) {
		f.report("6.2.8", "image %d has %d bits", number, bits)
	}
	channels := map[any]int64{name("DeviceGray"): 1, name("DeviceRGB"): 3}[f.resolve(d["ColorSpace"])]
	if channels == 0 {
		f.report("6.2.4.3", "image %d has the colour space %v", number, d["ColorSpace"])
		return
	}
	if space := f.outputSpace(); space == "" || channels == 3 && space != "RGB " {
		f.report("6.2.4.3", "image %d has device colours, and the output intent is of %q", number, space)
	}
	parameters := f.dict(d["DecodeParms"])
	if parameters["Predictor"] != int64(15) || parameters["Colors"] != channels ||
		parameters["BitsPerComponent"] != bits || parameters["Columns"] != wide {
		f.report("6.2.8", "image %d has the parameters %v", number, parameters)
	}
	pixels, err := f.decoded(o)
	if row := 1 + (wide*channels*bits+7)/8; err != nil || int64(len(pixels)) != row*high {
		f.report("6.2.8", "image %d has %d bytes instead of %d rows of %d (%v)", number, len(pixels), high, row,
			err)
	}
}

// checkCatalog checks the catalogue and all that it leads to.
func (f *file) checkCatalog() {
	catalog := f.dict(f.trailer["Root"])
	if catalog["Type"] != name("Catalog") {
		f.report("6.1.3", "the trailer leads to no catalogue")
		return
	}
	f.checkIntents(catalog)
	f.checkMetadata(catalog)
	shown := shownCodes{}
	count := 0
	f.walkPages(catalog["Pages"], 0, func(number int64, page dict) {
		count++
		f.checkPage(number, page, shown)
	})
	if stated := f.dict(catalog["Pages"])["Count"]; stated != int64(count) {
		f.report("6.1.9", "%v pages are stated and %d found", stated, count)
	}
	f.checkFonts(shown)
}

func (f *file) walkPages(node any, depth int, visit func(int64, dict)) {
	r, _ := node.(ref)
	d := f.dict(node)
	if d["Type"] == name("Page") {
		visit(r.number, d)
		return
	}
	if depth > 20 || d["Type"] != name("Pages") {
		f.report("6.1.9", "the tree of pages has %v at object %d", d["Type"], r.number)
		return
	}
	for _, kid := range f.list(d["Kids"]) {
		f.walkPages(kid, depth+1, visit)
	}
}

// profile returns the profile of the output intent and its entries.
func (f *file) profile() (*object, dict) {
	for _, entry := range f.list(f.dict(f.trailer["Root"])["OutputIntents"]) {
		if intent := f.dict(entry); intent["S"] == name("GTS_PDFA1") {
			return f.streamOf(intent["DestOutputProfile"]), intent
		}
	}
	return nil, nil
}

// outputSpace returns the colour space of the output intent; "" if there is none.
func (f *file) outputSpace() string {
	o, _ := f.profile()
	if o == nil {
		return ""
	}
	data, err := f.decoded(o)
	if err != nil || len(data) < 128 {
		return ""
	}
	return string(data[16:20])
}

func (f *file) checkIntents(catalog dict) {
	o, intent := f.profile()
	if o == nil {
		f.report("6.2.3", "there is no output intent GTS_PDFA1 with a profile (%d intents)",
			len(f.list(catalog["OutputIntents"])))
		return
	}
	if value, _ := f.resolve(intent["OutputConditionIdentifier"]).(text); len(value) == 0 {
		f.report("6.2.3", "the output intent has no OutputConditionIdentifier")
	}
	data, err := f.decoded(o)
	if err == nil {
		err = checkProfile(data)
	}
	if err != nil {
		f.report("6.2.3", "the profile: %v", err)
		return
	}
	d, _ := o.value.(dict)
	if components := map[string]int64{"GRAY": 1, "RGB ": 3, "CMYK": 4}[string(data[16:20])]; components == 0 ||
		f.resolve(d["N"]) != components {
		f.report("6.2.3", "the profile of %q has N %v", data[16:20], d["N"])
	}
}

// checkProfile checks the header and the tags of an ICC profile of a monitor or printer.
func checkProfile(data []byte) error {
	const headSize, entrySize = 128, 12
	if len(data) < headSize+4 || binary.BigEndian.Uint32(data) != uint32(len(data)) {
		return errors.New("its size is wrong")
	}
	class := string(data[12:16])
	if string(data[36:40]) != "acsp" || data[8] >= 5 || class != "mntr" && class != "prtr" {
		return fmt.Errorf("its class is %q, its version %d", class, data[8])
	}
	required := []string{"desc", "cprt", "wtpt", "chad", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"}
	count := int(binary.BigEndian.Uint32(data[headSize:]))
	for i := range count {
		at := headSize + 4 + entrySize*i
		if at+entrySize > len(data) {
			return errors.New("its table is cut")
		}
		entry := data[at : at+entrySize]
		begin, size := binary.BigEndian.Uint32(entry[4:]), binary.BigEndian.Uint32(entry[8:])
		if begin%4 != 0 || uint64(begin)+uint64(size) > uint64(len(data)) {
			return fmt.Errorf("its tag %q is outside", entry[:4])
		}
		required = slices.DeleteFunc(required, func(tag string) bool {
			return bytes.Equal(entry[:4], []byte(tag))
		})
	}
	if len(required) > 0 && string(data[16:20]) == "RGB " {
		return fmt.Errorf("it has no tags %v", required)
	}
	return nil
}
