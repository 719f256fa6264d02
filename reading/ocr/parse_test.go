package ocr

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/png"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

const head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"

func TestParseTSV(t *testing.T) {
	t.Parallel()
	table := head + "1\t1\t0\t0\t0\t0\t0\t0\t100\t50\t-1\t\n" +
		"5\t1\t1\t1\t1\t1\t10\t10\t20\t8\t96.5\tTotal\n" +
		"5\t1\t1\t1\t1\t2\t40\t10\t200\t8\t30\t12.50\n" +
		"5\t1\t1\t1\t2\t1\t10\t30\t20\t8\t-1\t \n" +
		"5\t1\t1\t1\t3\t1\t10\t30\t20\t8\t101\ta\tb\n" +
		"5\t1\t1\t1\t4\t1\t300\t30\t20\t8\t90\toff\n"
	words, err := parseTSV([]byte(table), 100, 50)
	want := []domain.Word{
		{Text: "Total", Box: domain.Box{X: 10, Y: 10, W: 20, H: 8}, Confidence: 0.965, Line: 1},
		{Text: "12.50", Box: domain.Box{X: 40, Y: 10, W: 60, H: 8}, Confidence: 0.3, Line: 1},
		{Text: "a\tb", Box: domain.Box{X: 10, Y: 30, W: 20, H: 8}, Confidence: 1, Line: 2},
	}
	if err != nil || !reflect.DeepEqual(words, want) {
		t.Errorf("%v %+v", err, words)
	}
	for _, broken := range []string{"", "hello\n", head +
		"5\t1\t1\t1\t1\t1\tx\t10\t20\t8\t96\tTotal\n", head +
		"5\t1\t1\t1\t1\t1\t1\t10\t20\t8\tsure\tTotal\n"} {
		if _, err := parseTSV([]byte(broken), 100, 50); err == nil {
			t.Errorf("%q passes", broken)
		}
	}
	if words, err := parseTSV([]byte(head), 100, 50); err != nil || len(words) != 0 {
		t.Errorf("an empty page: %v %v", words, err)
	}
}

func TestParseOSD(t *testing.T) {
	t.Parallel()
	text := "Page number: 0\nRotate: %d\nOrientation confidence: %s\nScript: %s\nScript confidence: %s\n"
	for _, c := range []struct {
		rotate             int
		sure, script, well string
		want               Orientation
	}{
		{180, "8.62", "Latin", "12", Orientation{Rotate: 180}},
		{90, "0.2", "Latin", "12", Orientation{}},
		{0, "8", "Han", "4", Orientation{Language: "chi_sim"}},
		{0, "8", "Latin", "2.4", Orientation{Language: "chi_sim"}},
		{45, "9", "Cyrillic", "9", Orientation{}},
	} {
		if got := parseOSD(fmt.Appendf(nil, text, c.rotate, c.sure, c.script,
			c.well)); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

func TestParseInfo(t *testing.T) {
	t.Parallel()
	sheets, err := parseInfo(
		[]byte(
			"Pages:           2\nPage    1 size:  595.2 x 842 pts (A4)\nPage    1 rot:   0\nPage    2 size:  842 x 595.2 pts (A4)\n",
		),
		5,
	)
	if err != nil || !reflect.DeepEqual(sheets, []pdfPage{{595.2, 842}, {842, 595.2}}) {
		t.Errorf("%v %+v", err, sheets)
	}
	for text, code := range map[string]domain.Code{
		"": domain.DamagedFile, "Pages:  0\n": domain.DamagedFile,
		"Pages:  1\n": domain.DamagedFile, "Pages:  99999999999999999999\n": domain.DamagedFile,
		"Pages:  6\n": domain.FileTooComplex,
		"Pages:  1\nPage    1 size:  0 x 0 pts\n":           domain.DamagedFile,
		"Pages:  1\nPage    1 size:  200000 x 200000 pts\n": domain.FileTooComplex,
	} {
		if _, err := parseInfo([]byte(text), 5); !domain.HasCode(err, code) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestPDFPageDPI(t *testing.T) {
	t.Parallel()
	for s, want := range map[pdfPage]int{{595, 842}: 300, {8400, 8400}: 42, {200_000, 200_000}: 0} {
		if got := s.dpi(300); got != want {
			t.Errorf("%v: %d", s, got)
		}
	}
}

func TestReadableTextLayer(t *testing.T) {
	t.Parallel()
	word := func(text string) string {
		return fmt.Sprintf(
			`<word xMin="72.0" yMin="100.5" xMax="90" yMax="110">%s</word>`+"\n", text,
		)
	}
	line := `<line xMin="1" yMin="1" xMax="2" yMax="2">` + "\n"
	for text, want := range map[string]bool{
		line + word("Invoice") + word("total"): true, "": false, line + word("ab"): false,
		line + strings.Repeat(word("\x01\x02\x03\x04"), 9): false,
		line + strings.Repeat(word("\ue001\ue002x"), 9):    false,
		line + word("&lt;tag&gt;") + word("Zahlung"):       true,
	} {
		if got := parseLayer([]byte(text)).isReadable(); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	page := parseLayer(
		[]byte(line + word("A&amp;B") + line + word("next")),
	).toPage(picture{width: 1240, height: 1755, dpi: 150})
	want := []domain.Word{
		{Text: "A&B", Box: domain.Box{X: 150, Y: 209, W: 38, H: 21}, Confidence: 1, Line: 1},
		{Text: "next", Box: domain.Box{X: 150, Y: 209, W: 38, H: 21}, Confidence: 1, Line: 2},
	}
	if !reflect.DeepEqual(page.Words, want) || page.Text != "A&B\nnext" {
		t.Errorf("%+v %q", page.Words, page.Text)
	}
}

func TestInvoiceOrder(t *testing.T) {
	t.Parallel()
	got := invoiceOrder(
		[]byte(
			"4 embedded files\n1: a.png\n2: other.XML\n3: Factur-X.xml\n4: zugferd-invoice.xml\n",
		),
	)
	if !reflect.DeepEqual(got, []string{"3", "4", "2"}) {
		t.Errorf("%v", got)
	}
}

// Correcting an orientation and its inverse restores the image.
func TestOrientationsUndoEachOther(t *testing.T) {
	t.Parallel()
	opposite := map[int]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6}
	rapid.Check(t, func(t *rapid.T) {
		r := raster{
			width:    rapid.IntRange(1, 9).Draw(t, "width"),
			height:   rapid.IntRange(1, 9).Draw(t, "height"),
			channels: rapid.SampledFrom([]int{1, 3}).Draw(t, "channels"),
		}
		r.data = rapid.SliceOfN(rapid.Byte(), r.width*r.height*r.channels,
			r.width*r.height*r.channels).
			Draw(t, "data")
		orientation := rapid.IntRange(1, 8).Draw(t, "orientation")
		there := r.orient(orientation)
		if back := there.orient(opposite[orientation]); !reflect.DeepEqual(back, r) {
			t.Fatalf("%d: %v became %v", orientation, r, back)
		}
	})
}

// The engine reads the same pixels as are displayed.
func TestPNMAndPNGHoldTheSamePixels(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := raster{
			width:    rapid.IntRange(1, 40).Draw(t, "width"),
			height:   rapid.IntRange(1, 40).Draw(t, "height"),
			channels: rapid.SampledFrom([]int{1, 3}).Draw(t, "channels"),
		}
		r.data = rapid.SliceOfN(rapid.Byte(), r.width*r.height*r.channels,
			r.width*r.height*r.channels).
			Draw(t, "data")
		var pnm, out bytes.Buffer
		if err := errors.Join(r.writePNM(&pnm), r.writePNG(&out)); err != nil {
			t.Fatal(err)
		}
		first, err := decodePNM(&pnm)
		if err != nil {
			t.Fatal(err)
		}
		second, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := flatten(first), flatten(second); !reflect.DeepEqual(a, b) {
			t.Fatalf("%v and %v", a, b)
		}
	})
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 7, 9))); err != nil {
		t.Fatal(err)
	}
	file := out.Bytes()
	phys := binary.BigEndian.AppendUint32(nil, 9)
	phys = append(phys, "pHYs"...)
	phys = binary.BigEndian.AppendUint32(phys, 11811)
	phys = binary.BigEndian.AppendUint32(phys, 11811)
	phys = append(phys, 1, 0, 0, 0, 0)
	withDPI := append(append(append([]byte{}, file[:33]...), phys...), file[33:]...)
	frames, err := pngFrame(byteReader(withDPI))
	if err != nil || len(frames) != 1 ||
		frames[0] != (imageFrame{width: 7, height: 9, dpi: 300, orientation: 1}) {
		t.Errorf("%v %+v", err, frames)
	}
	jfif := "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x02\x00\x76\x00\x76\x00\x00\xff\xda"
	if orientation, dpi := jpegMetadata(strings.NewReader(jfif)); orientation != 1 || dpi != 300 {
		t.Errorf("orientation %d, dpi %d", orientation, dpi)
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add(
		[]byte(
			"II*\x00\x08\x00\x00\x00\x01\x00\x00\x01\x04\x00\x01\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00",
		),
	)
	f.Add([]byte("MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00\x00\x08"))
	f.Add(
		[]byte(
			"\xff\xd8\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00",
		),
	)
	f.Add(
		[]byte(
			"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x10\x08\x00\x00\x00\x00",
		),
	)
	f.Add([]byte("P6\n3 2\n255\n"))
	f.Add([]byte(cdiHead))
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, frames := range []func() ([]imageFrame, error){
			func() ([]imageFrame, error) {
				return tiffFrames(byteReader(file), int64(len(file)),
					10)
			},
			func() ([]imageFrame, error) { return pngFrame(byteReader(file)) },
			func() ([]imageFrame, error) { return jpegFrame(byteReader(file), int64(len(file))) },
		} {
			found, err := frames()
			if err != nil && domain.CodeOf(err).Kind() != domain.KindInvalid {
				t.Errorf("untyped: %v", err)
			}
			for _, f := range found {
				if f.orientation < 1 || f.orientation > 8 || f.dpi < 0 || f.dpi > 1200 {
					t.Errorf("%+v", f)
				}
			}
		}
		if shape, err := parsePNMHead(file); err == nil &&
			(shape.width < 1 || shape.height < 1 || shape.offset > len(file)) {
			t.Errorf("%+v", shape)
		}
		if _, err := mediaTypeOf(byteReader(file), ""); err != nil &&
			!domain.HasCode(err, domain.UnsupportedFile) {
			t.Errorf("untyped: %v", err)
		}
	})
}

const cdiHead = `<?xml version="1.0"?><!-- x --><rsm:CrossIndustryDocument xmlns:rsm="y">`

func FuzzTables(f *testing.F) {
	f.Add([]byte(head + "5\t1\t1\t1\t1\t1\t10\t10\t20\t8\t96.5\tTotal\n"))
	f.Add([]byte(`<word xMin="1" yMin="2" xMax="3" yMax="4">x&amp;y</word>`))
	f.Add([]byte("Pages: 1\nPage    1 size:  5 x 5 pts\n1: a.xml\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		words, _ := parseTSV(text, 500, 400)
		words = append(
			words,
			parseLayer(text).toPage(picture{width: 500, height: 400, dpi: 150}).Words...)
		for _, word := range words {
			if b := word.Box; b.X < 0 || b.Y < 0 || b.W < 1 || b.H < 1 || b.X+b.W > 500 ||
				b.Y+b.H > 400 ||
				word.Text == "" {
				t.Errorf("%+v", word)
			}
		}
		if sheets, err := parseInfo(text, 10); err == nil && (len(sheets) < 1 || len(sheets) > 10) {
			t.Errorf("%v", sheets)
		}
		invoiceOrder(text)
		parseOSD(text)
	})
}

// Some e-invoices have terms of use in a comment before the root element.
func TestAnInvoiceMayBeginWithALongComment(t *testing.T) {
	t.Parallel()
	file := `<?xml version="1.0"?><!--` + strings.Repeat(
		"terms of use ", 600,
	) + `--><rsm:CrossIndustryInvoice xmlns:rsm="y"/>`
	if kind, err := mediaTypeOf(byteReader(file), ""); err != nil || kind != mediaXML {
		t.Errorf("found %q, %v", kind, err)
	}
}

// Pages that take long to render are accepted if the engine reads them, because reading takes
// longer, but rejected otherwise.
func TestDrawingMayTakeLongerWhereReadingDoes(t *testing.T) {
	t.Parallel()
	refusedAt := func(share time.Duration) int {
		read := &task{Reader: &Reader{limits: Limits{}.withDefaults()}}
		for page := 1; page <= 200; page++ {
			if read.chargeCPU(page, 840*time.Millisecond, share) != nil {
				return page
			}
		}
		return 0
	}
	if page := refusedAt(readCPU); page != 0 {
		t.Errorf("a scan was refused at page %d", page)
	}
	if page := refusedAt(shownCPU); page != 36 {
		t.Errorf("drawn pages were refused at page %d", page)
	}
}
