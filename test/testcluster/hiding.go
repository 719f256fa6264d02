package testcluster

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"countersign/cmd/countersign/sampledocs"
)

// Hiding is a way to put a text into a PDF.
type Hiding string

// The ways. Only those of Shown have ink on the page.
const (
	Shown          Hiding = "printed below the invoice"
	ShownInTable   Hiding = "a row of the table"
	ShownSmall     Hiding = "printed in 5 points"
	ShownTurned    Hiding = "printed upwards"
	ShownForeign   Hiding = "printed in a font of its own"
	OutsideCropBox Hiding = "outside the crop box"
	White          Hiding = "white on white"
	AlmostWhite    Hiding = "almost white"
	RenderMode3    Hiding = "render mode 3"
	Covered        Hiding = "behind a white rectangle"
	Clipped        Hiding = "clipped away"
	Tiny           Hiding = "1 point high"
	WhiteTable     Hiding = "white, in the table"
	WhiteForeign   Hiding = "white, in a font of its own"
	OutsidePage    Hiding = "outside the page"
	Metadata       Hiding = "the document information"
	XMP            Hiding = "XMP metadata"
	Annotation     Hiding = "a hidden annotation"
	Comment        Hiding = "a comment of the file"
)

// IsShown reports whether a person sees the text on the page.
func (h Hiding) IsShown() bool {
	return strings.HasPrefix(string(h), "print") || h == ShownInTable
}

// Hide draws an invoice with one more text.
func Hide(invoice sampledocs.Invoice, how Hiding, text string) []byte {
	words := "(" + strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text) + ") Tj"
	line := func(state string, size float64, x, y int) string {
		return fmt.Sprintf("q %s BT /F1 %g Tf %d %d Td %s ET Q\n", state, size, x, y, words)
	}
	added := sampledocs.Addition{}
	switch how {
	case Shown:
		added.Content = line("", 10, 50, 330)
	case ShownInTable:
		added.Content = line("", 10, 50, 520)
	case ShownSmall:
		added.Content = line("", 5, 50, 330)
	case ShownTurned:
		added.Content = fmt.Sprintf("q BT /F1 10 Tf 0 1 -1 0 30 200 Tm %s ET Q\n", words)
	case OutsideCropBox:
		added.Content, added.Page = line("", 10, 50, 20), "/CropBox [0 60 595 842] "
	case White:
		added.Content = line("1 g", 10, 50, 330)
	case AlmostWhite:
		added.Content = line("0.97 g", 10, 50, 330)
	case WhiteTable:
		added.Content = line("1 g", 10, 50, 520)
	case RenderMode3:
		added.Content = line("3 Tr", 10, 50, 330)
	case Covered:
		added.Content = line("", 10, 50, 330) + "q 1 g 40 320 550 24 re f Q\n"
	case Clipped:
		added.Content = line("0 0 1 1 re W n", 10, 50, 330)
	case Tiny:
		added.Content = line("", 1, 50, 330)
	case OutsidePage:
		added.Content = line("", 10, 700, 330)
	case ShownForeign, WhiteForeign:
		addForeign(&added, text, how == WhiteForeign)
	case Metadata:
		added.Trailer = fmt.Sprintf("/Info %d 0 R ", sampledocs.FirstAdded)
		added.Objects = []string{"<< /Title " + words[:len(words)-3] + " >>"}
	case XMP:
		added.Catalog = fmt.Sprintf("/Metadata %d 0 R ", sampledocs.FirstAdded)
		xmp := "<x:xmpmeta xmlns:x='adobe:ns:meta/'><dc:description>" + text + "</dc:description></x:xmpmeta>"
		added.Objects = []string{fmt.Sprintf("<< /Type /Metadata /Subtype /XML /Length %d >>\nstream\n%s\nendstream",
			len(xmp), xmp)}
	case Annotation:
		added.Page = fmt.Sprintf("/Annots [%d 0 R] ", sampledocs.FirstAdded)
		added.Objects = []string{"<< /Type /Annot /Subtype /Text /F 2 /Rect [50 320 70 340] /Contents " +
			words[:len(words)-3] + " >>"}
	case Comment:
		added.Content = "% " + text + "\n"
	}
	return invoice.PDFWith(added)
}

// addForeign prints a text in any script with a Type 3 font whose glyphs are frames, and that maps its
// codes to the characters.
func addForeign(added *sampledocs.Addition, text string, white bool) {
	const frame = "600 0 0 0 550 700 d1 50 0 500 700 re 150 100 300 500 re f*"
	var codes, mapped, differences strings.Builder
	known := map[rune]int{}
	for _, r := range text {
		code, has := known[r]
		if !has {
			code = 33 + len(known)
			known[r] = code
			fmt.Fprintf(&mapped, "<%02x> <", code)
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&mapped, "%04x", unit)
			}
			mapped.WriteString(">\n")
			glyph := "/frame"
			if r == ' ' {
				glyph = "/blank"
			}
			fmt.Fprintf(&differences, "%d %s ", code, glyph)
		}
		fmt.Fprintf(&codes, "%02x", code)
	}
	stream := func(data string) string {
		return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(data), data)
	}
	first := sampledocs.FirstAdded
	widths := strings.Repeat("600 ", len(known))
	added.Fonts = fmt.Sprintf("/F3 %d 0 R ", first)
	added.Objects = []string{fmt.Sprintf("<< /Type /Font /Subtype /Type3 /FontBBox [0 0 600 700] "+
		"/FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /frame %d 0 R /blank %d 0 R >> /Encoding "+
		"<< /Type /Encoding /Differences [%s] >> /FirstChar 33 /LastChar %d /Widths [%s] /Resources << >> "+
		"/ToUnicode %d 0 R >>", first+1, first+2, differences.String(), 32+len(known), widths, first+3),
		stream(frame), stream("600 0 0 0 0 0 d1"),
		stream("/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> " +
			"endcodespacerange\n" + fmt.Sprint(len(known)) + " beginbfchar\n" + mapped.String() +
			"endbfchar endcmap end end")}
	colour := ""
	if white {
		colour = "1 g"
	}
	added.Content = fmt.Sprintf("q %s BT /F3 10 Tf 50 330 Td <%s> Tj ET Q\n", colour, codes.String())
}
