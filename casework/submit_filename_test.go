package casework

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSafeFileName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"invoice.pdf": "invoice.pdf", "Rechnung März 2025.pdf": "Rechnung März 2025.pdf",
		"領収書.png":          "領収書.png",
		"../../etc/passwd": "passwd", "..": "document", "../": "document", "/": "document",
		"a/b/":                           "b",
		`C:\Users\Ann\My scans\bill.pdf`: "bill.pdf", `..\..\boot.ini`: "boot.ini",
		`\\server\share\x.tif`: "x.tif",
		"":                     "document", " \t\n": "document", ".": "document", "...": "document",
		". . .": "document", ".\x00.": "document",
		strings.Repeat(".", 300): "document", ".pdf": ".pdf",
		"in\x00voice.pdf": "invoice.pdf", "line\r\nbreak.pdf": "linebreak.pdf",
		"one\u2028two\u2029.pdf": "onetwo.pdf",
		"invoice\u202efdp.exe":   "invoicefdp.exe", "\u2066a\u2069\u200e\u200f\u061c.pdf": "a.pdf",
		"\u202e":           "document",
		"\u202e .\u202c. ": "document", "\x85 \x00\u00a0x.pdf\u00a0": "x.pdf",
		"bad\xff\xfebytes.pdf": "badbytes.pdf", "\xff": "document",
		"re\ufffdplaced.pdf":                        "replaced.pdf",
		strings.Repeat("a", 300) + ".pdf":           strings.Repeat("a", 145) + "….pdf",
		strings.Repeat("é", 300):                    strings.Repeat("é", 149) + "…",
		"x." + strings.Repeat("y", 300):             "x." + strings.Repeat("y", 147) + "…",
		strings.Repeat("a", 146) + ".pdf":           strings.Repeat("a", 146) + ".pdf",
		strings.Repeat("../", 300) + "x.pdf":        "x.pdf",
		strings.Repeat("\u202e", 300) + "x.pdf\x00": "x.pdf",
	} {
		if got := safeFileName(name); got != want {
			t.Errorf("%.60q: %q, want %q", name, got, want)
		}
	}
}

func TestSafeFileNameProperties(t *testing.T) {
	t.Parallel()
	odd := rapid.SampledFrom([]string{".", "..", "/", `\`, " ", "\x00", "\n", "\x7f", "\u0085",
		"\u00a0", "\u202e", "\u2067", "\u200f",
		"\u061c", "\u2028", "\u2029", "\ufeff", "\ufffd", "\xff", "\xe2\x80", "\xed\xa0\x80", "é",
		"e\u0301", "漢", ".pdf", "C:", "…",
		strings.Repeat("a", 140), strings.Repeat(" ", 150)})
	part := rapid.OneOf(odd, rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	names := rapid.Map(rapid.SliceOf(part),
		func(parts []string) string { return strings.Join(parts, "") })
	rapid.Check(t, func(t *rapid.T) {
		name := names.Draw(t, "name")
		got := safeFileName(name)
		if !utf8.ValidString(got) || strings.Trim(got, ".") == "" || strings.TrimSpace(got) != got {
			t.Errorf("%q: %q is not a valid name", name, got)
		}
		if length := utf8.RuneCountInString(got); length > 150 {
			t.Errorf("%q: %d characters", name, length)
		}
		if strings.ContainsAny(got, `/\`) || strings.ContainsFunc(got, func(r rune) bool {
			return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
		}) {
			t.Errorf("%q: %q contains forbidden characters", name, got)
		}
		if again := safeFileName(got); again != got {
			t.Errorf("%q: %q becomes %q", name, got, again)
		}
	})
}
