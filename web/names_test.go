package web

import (
	"mime"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// For any file name, the header is plain ASCII, cannot be broken out of, and decodes to the name.
func TestAnyNameIsAnAttachment(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		checkAttachment(r, rapid.OneOf(rapid.String(),
			rapid.SampledFrom([]string{"", "../../etc/passwd", "a\x00b.pdf", "\u202egnp.exe",
				"\"; filename=\"evil.html", "a\r\nSet-Cookie: x=y", "100%.pdf", "发票.pdf",
				"it's (1)*.pdf", "\xff\xfe", strings.Repeat("长", 300)})).Draw(r, "name"))
	})
}

type failReporter interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkAttachment(t failReporter, name string) {
	t.Helper()
	header := attachment(name)
	for i := range len(header) {
		if header[i] < ' ' || header[i] > '~' {
			t.Fatalf("%q holds %#x", header, header[i])
		}
	}
	kind, parameters, err := mime.ParseMediaType(header)
	if err != nil || kind != "attachment" || parameters["filename"] == "" || len(parameters) != 1 {
		t.Fatalf("%q is parsed as %q %v (%v)", header, kind, parameters, err)
	}
	if got := parameters["filename"]; strings.ContainsAny(got, "/\\\r\n\x00") ||
		!utf8.ValidString(got) {
		t.Fatalf("%q names the file %q", header, got)
	}
	_, encoded, _ := strings.Cut(header, "filename*=UTF-8''")
	if decoded, err := url.PathUnescape(encoded); err != nil || utf8.ValidString(name) &&
		!strings.ContainsAny(name, "/\\") && printable(name) && decoded != name {
		t.Fatalf("%q decodes to %q", name, decoded)
	}
}

func printable(name string) bool {
	return name != "" && strings.IndexFunc(name,
		func(r rune) bool { return r < ' ' || r == 0x7f }) < 0
}

func FuzzAttachment(f *testing.F) {
	for _, name := range []string{"a.pdf", `"`, "发票 1%.pdf", "a\r\nb", "\xff", "../x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) { checkAttachment(t, name) })
}

func TestLanguages(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{"": "en", "zh": "zh", "zh-Hans-CN,en;q=0.5": "zh",
		"de, fr;q=0.9": "en", "fr, ZH-tw": "zh", ";;;,,": "en"} {
		if got := languageOf(header); got != want {
			t.Errorf("%q is %s, want %s", header, got, want)
		}
	}
}
