package domain

import (
	"path"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestDownloadNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 400)
	for _, c := range []struct{ name, mediaType, want string }{
		{"invoice.pdf", "application/pdf", "invoice.pdf"},
		{"Rechnung März 发票.PDF", "application/pdf", "Rechnung März 发票.PDF"},
		{"evil.html", "application/pdf", "evil.html.pdf"},
		{"evil.pdf.html", "application/pdf", "evil.pdf.html.pdf"},
		{"evil.html.pdf", "application/pdf", "evil.html.pdf"},
		{"evil.exe", "image/png", "evil.exe.png"}, {"evil.svg", "image/jpeg", "evil.svg.jpg"},
		{"photo.JPEG", "image/jpeg", "photo.JPEG"}, {"scan.tif", "image/tiff", "scan.tif"},
		{"scan.tiff", "image/tiff", "scan.tiff"}, {"page.html", "application/xml", "page.html.xml"},
		{"page.xhtml", "application/xml", "page.xhtml.xml"},
		{"CS-1.json", "application/json", "CS-1.json"},
		{"photo.jpg", "application/pdf", "photo.jpg.pdf"},
		{"evil.html", "application/octet-stream", "evil.html.bin"},
		{"evil.html", "text/html", "evil.html.bin"}, {"evil", "", "evil.bin"},
		{"invoice", "application/pdf", "invoice.pdf"}, {"invoice.", "application/pdf",
			"invoice.pdf"}, {"invoice.pdf.", "application/pdf", "invoice.pdf"},
		{"invoice.pdf . .", "application/pdf", "invoice.pdf"},
		{"invoice .pdf", "application/pdf", "invoice.pdf"},
		{"evil.exe .pdf", "application/pdf", "evil.exe.pdf"},
		{"evil.exe.", "application/pdf", "evil.exe.pdf"},
		{"evil.pdf   \u00a0\u3000   .exe", "application/pdf", "evil.pdf .exe.pdf"},
		{"invoice\u202efdp.exe", "application/pdf", "invoicefdp.exe.pdf"},
		{"invoice\u2066.pdf\u2069.exe", "application/pdf", "invoice.pdf.exe.pdf"},
		{"evil.h\u200btml", "application/pdf", "evil.html.pdf"},
		{"evil.p\u200bdf", "application/pdf", "evil.pdf"},
		{"evil\x00.html", "application/pdf", "evil.html.pdf"},
		{"a\r\nb.pdf", "application/pdf", "a b.pdf"},
		{"../../etc/passwd", "application/pdf", "_.._etc_passwd.pdf"},
		{`C:\x\evil.bat`, "application/pdf", "C__x_evil.bat.pdf"},
		{`a<b>|"?*.pdf`, "application/pdf", "a_b_____.pdf"},
		{"a:evil.exe", "application/pdf", "a_evil.exe.pdf"},
		{".htaccess", "application/pdf", "htaccess.pdf"}, {".pdf", "application/pdf", "pdf.pdf"},
		{"", "application/pdf", "document.pdf"}, {"...", "image/png", "document.png"},
		{" \u202e ", "image/png", "document.png"},
		{"CON", "application/pdf", "_CON.pdf"}, {"con.pdf", "application/pdf", "_con.pdf"},
		{"Aux.tar.pdf", "application/pdf", "_Aux.tar.pdf"},
		{"COM1 .pdf", "application/pdf", "_COM1.pdf"}, {"lpt¹.pdf", "application/pdf", "_lpt¹.pdf"},
		{"COM10.pdf", "application/pdf", "COM10.pdf"}, {"CONTRACT.pdf", "application/pdf",
			"CONTRACT.pdf"}, {"\xff\xfe.html", "application/pdf", "_.html.pdf"},
		{long + ".html", "application/pdf", long[:193] + "….pdf"},
		{long + ".jpeg", "image/jpeg", long[:192] + "….jpeg"},
	} {
		if got := DownloadName(c.name, c.mediaType); got != c.want {
			t.Errorf("%.60q of %s: %q, want %q", c.name, c.mediaType, got, c.want)
		}
	}
}

func checkDownloadName(t *testing.T, name, mediaType string) {
	t.Helper()
	got := DownloadName(name, mediaType)
	endings := fileEndings[mediaType]
	if len(endings) == 0 {
		endings = []string{otherEnding}
	}
	stem := strings.TrimSuffix(got, path.Ext(got))
	switch {
	case !slices.Contains(endings, strings.ToLower(path.Ext(got))):
		t.Errorf("%q of %s: %q has another ending", name, mediaType, got)
	case len(got) > maxDownloadName, !utf8.ValidString(got), stem == "":
		t.Errorf("%q: %q has %d bytes", name, got, len(got))
	case strings.ContainsAny(got, `<>:"/\|?*`),
		strings.HasPrefix(got, "."), strings.HasSuffix(stem, "."), strings.HasSuffix(stem, " "),
		isDevice(got):
		t.Errorf("%q: %q is no name everywhere", name, got)
	case strings.IndexFunc(got, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r != ' ' && unicode.IsSpace(r)
	}) >= 0:
		t.Errorf("%q: %q holds what cannot be seen", name, got)
	case DownloadName(got, mediaType) != got:
		t.Errorf("%q: %q, then %q", name, got, DownloadName(got, mediaType))
	}
}

func FuzzDownloadName(f *testing.F) {
	for _, name := range []string{"a.pdf", "evil.html", "\u202egnp.exe", "con .pdf", "../x",
		strings.Repeat("长", 300) + ".exe", "a. .pdf", "…", "\xff", "_", "._.", "a\u0301.pdf",
		"_con", ". ."} {
		f.Add(name, "application/pdf")
		f.Add(name, "text/html")
	}
	f.Fuzz(func(t *testing.T, name, mediaType string) { checkDownloadName(t, name, mediaType) })
}
