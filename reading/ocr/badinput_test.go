package ocr_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/ocr"
)

// refusal reads a file that must be refused permanently.
func refusal(t *testing.T, reader *ocr.Reader, file []byte, name string) *domain.Error {
	t.Helper()
	reading, err := reader.Read(t.Context(), bytes.NewReader(file), ocr.Request{FileName: name})
	if err == nil {
		reading.Close()
	}
	var typed *domain.Error
	if !errors.As(err, &typed) || ocr.Transient(err) || typed.Remedy == "" ||
		strings.Contains(typed.Message, "recognition failed") {
		t.Fatalf("got %v", err)
	}
	return typed
}

// noise is a picture that compresses badly.
func noise(width, height int) *image.Gray {
	random := rand.New(rand.NewPCG(3, 4))
	page := image.NewGray(image.Rect(0, 0, width, height))
	for i := range page.Pix {
		page.Pix[i] = byte(random.IntN(256))
	}
	return page
}

// A broken file is refused with where it is broken.
func TestBrokenFilesSayWhere(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	photo, scan := asJPEG(t, noise(900, 900)), asPNG(t, noise(700, 700))
	middle := bytes.Clone(photo)
	for i := len(middle) / 2; i < len(middle)/2+4000; i++ {
		middle[i] = 0xff
	}
	tiff := asTIFF([]*image.Gray{drawText(t, receipt)}, nil)
	document := asPDF(t, []testPage{{width: 595, height: 842, lines: long}}, nil)
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"JPEG, cut off": {photo[:412_345], "The file is damaged: the JPEG cannot be read after 412 kB."},
		"JPEG, header":  {photo[:100], "The file is damaged: the JPEG cannot be read after 100 bytes."},
		"PNG, cut off":  {scan[:312_999], "The file is damaged: the PNG cannot be read after 312 kB."},
		"PNG, header":   {scan[:20], "The file is damaged: the PNG cannot be read."},
		"TIFF":          {tiff[:len(tiff)/2], "The file is damaged: the TIFF cannot be read."},
		"PDF":           {document[:len(document)/3], "The file is damaged: the PDF cannot be read."},
		"XML":           {[]byte(ciiInvoice[:len(ciiInvoice)-5]), "The file is damaged: the XML cannot be read."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := refusal(t, reader, c.file, "")
			if err.Code != domain.DamagedFile || err.Message != c.want ||
				err.Remedy != "Save or scan it again and send the new copy." {
				t.Errorf("%s %q %q", err.Code, err.Message, err.Remedy)
			}
		})
	}
	var kilobytes int
	err := refusal(t, reader, middle, "")
	if n, _ := fmt.Sscanf(err.Message, "The file is damaged: the JPEG cannot be read after %d kB.", &kilobytes); n != 1 ||
		kilobytes < len(middle)/2000-1 || kilobytes > len(middle)/2000+10 {
		t.Errorf("broken after %d kB: %q", len(middle)/2000, err.Message)
	}
}

// A file that is not what its name says is refused with both. Attack: no other part of the name is
// repeated.
func TestUnsupportedFilesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	html := "<!DOCTYPE html><html><body>invoice</body></html>"
	type row struct{ name, content, want string }
	for _, c := range []row{
		{"invoice.pdf", html, "This file is named .pdf but is HTML."},
		{"Invoice.PDF", html, "This file is named .pdf but is HTML."},
		{"scan.jpg", "GIF89a\x01\x00\x01\x00\x00\x00\x00;", "This file is named .jpg but is GIF."},
		{"invoice.pdf", strings.Repeat("\x00\x01", 90), "This file is named .pdf but is not a PDF file."},
		{"invoice.docx", "\x1f\x8b\x08" + strings.Repeat("\x00", 60),
			"This file is a gzip archive, which is not supported."},
		{"", html, "This file is HTML, which is not supported."},
		{"a.<script>", html, "This file is HTML, which is not supported."},
		{strings.Repeat("x", 9000) + "/../.pdf\n", html, "This file is HTML, which is not supported."},
		{"invoice.xml", `<?xml version="1.0"?><Order><Total>1</Total></Order>`,
			"This file is XML but not a supported e-invoice."},
	} {
		err := refusal(t, reader, []byte(c.content), c.name)
		if err.Code != domain.UnsupportedFile || err.Message != c.want {
			t.Errorf("%.20q: %s %q", c.name, err.Code, err.Message)
		}
		for key, value := range err.Detail {
			if len(value) > 100 {
				t.Errorf("%.20q: detail %s has %d bytes", c.name, key, len(value))
			}
		}
	}
}

// photo is a picture without text: round shapes, shades and grain.
func photo() *image.RGBA {
	random := rand.New(rand.NewPCG(5, 6))
	page := image.NewRGBA(image.Rect(0, 0, 900, 700))
	for y := range 700 {
		for x := range 900 {
			shade := 120 + 60*math.Sin(float64(x)/140)*math.Cos(float64(y)/110) +
				40*math.Exp(-math.Pow(math.Hypot(float64(x-450), float64(y-300))-160, 2)/900)
			grain := byte(shade) + byte(random.IntN(16))
			page.SetRGBA(x, y, color.RGBA{grain, grain - 20, grain - 40, 255})
		}
	}
	return page
}

// scribble is a page of connected waves, like illegible handwriting.
func scribble() *image.Gray {
	page := image.NewGray(image.Rect(0, 0, 900, 600))
	for i := range page.Pix {
		page.Pix[i] = 255
	}
	for line := range 8 {
		for step := range 7000 {
			at := float64(step) / 10
			x := 80 + at + 9*math.Sin(at/5)
			y := float64(70+60*line) + 14*math.Sin(at/3+float64(line)) + 6*math.Cos(at/7)
			for dy := range 3 {
				for dx := range 3 {
					page.SetGray(int(x)+dx, int(y)+dy, color.Gray{Y: 20})
				}
			}
		}
	}
	return page
}

// Pages without readable text end with a result: a page for people, with few words or none.
func TestPagesWithoutReadableText(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	blank := func(width, height int) *image.Gray {
		page := image.NewGray(image.Rect(0, 0, width, height))
		for i := range page.Pix {
			page.Pix[i] = 255
		}
		return page
	}
	for name, file := range map[string][]byte{
		"blank PNG":  asPNG(t, blank(900, 1200)),
		"blank TIFF": asTIFF([]*image.Gray{blank(900, 1200), blank(900, 1200)}, nil),
		"blank PDF":  asPDF(t, []testPage{{width: 595, height: 842}}, nil),
		"black":      asPNG(t, image.NewGray(image.Rect(0, 0, 900, 1200))),
		"photo":      asJPEG(t, photo()), "scribble": asPNG(t, scribble()),
		"noise":     asPNG(t, noise(300, 300)),
		"one pixel": asPNG(t, blank(1, 1)), "one JPEG pixel": asJPEG(t, blank(1, 1)),
		"a row": asPNG(t, blank(3000, 1)), "a column": asPNG(t, blank(1, 3000)),
		"few pixels": asPNG(t, noise(5, 5)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reading := read(t, reader, file)
			checkReading(t, reading)
			if strings.Contains(name, "blank") && len(reading.Pages[0].Words) != 0 {
				t.Errorf("read %q", reading.Pages[0].Text)
			}
		})
	}
}

// Two languages on a page are read in one pass.
func TestTwoLanguagesOnAPage(t *testing.T) {
	t.Parallel()
	reading := read(t, newReader(t, ocr.Options{}), asPNG(t, drawText(t, []string{
		"Rechnung Nummer RE-20417", "Der Betrag ist in 14 Tagen fällig", "Gesamtbetrag 1.123,45 EUR",
		"Invoice number RE-20417", "The amount is due within 14 days", "Total amount 1.123,45 EUR"})))
	checkReading(t, reading)
	if text := reading.Pages[0].Text; strings.Count(text, "RE-20417") != 2 ||
		strings.Count(text, "1.123,45") != 2 {
		t.Errorf("read:\n%s", text)
	}
}

// A picture that the engine refuses, but the decoder reads, is read from the decoded pixels: the
// engine's failure must not be reported for it.
func TestAPictureThatOnlyTheDecoderReads(t *testing.T) {
	t.Parallel()
	program := script(t, `case "$1" in *document) echo 'cannot read' >&2; exit 1;; esac
exec tesseract "$@"`)
	reader := newReader(t, ocr.Options{Programs: ocr.Programs{Tesseract: program}})
	find(t, read(t, reader, asPNG(t, drawText(t, receipt))).Pages[0], "123.45")
}
