package sampledocs

import (
	"bytes"
	"fmt"
)

// LongPDF returns a PDF of so many pages with few words, which an engine has to read each.
func LongPDF(pages int) []byte {
	var out bytes.Buffer
	var offsets []int
	object := func(format string, values ...any) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj "+format+" endobj\n", append([]any{len(offsets)}, values...)...)
	}
	out.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	kids := ""
	for page := range pages {
		kids += fmt.Sprintf("%d 0 R ", 4+2*page)
	}
	object("<< /Type /Pages /Kids [%s] /Count %d >>", kids, pages)
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	for page := range pages {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "+
			"/Resources << /Font << /F 3 0 R >> >> >>", 5+2*page)
		text := fmt.Sprintf("BT /F 24 Tf 72 700 Td (Page %d) Tj ET", page+1)
		object("<< /Length %d >> stream\n%s\nendstream", len(text), text)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return out.Bytes()
}
