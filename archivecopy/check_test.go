package archivecopy_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/pdfacheck"
)

// found reports whether a clause is among the violations.
func found(violations []pdfacheck.Violation, clause string) bool {
	return slices.ContainsFunc(violations, func(v pdfacheck.Violation) bool { return v.Clause == clause })
}

// brokenCopies are changes of a copy with the clause that each breaks.
var brokenCopies = []struct{ name, clause, old, with string }{
	{"another version", "6.1.2", "%PDF-1.7\n", "%PDF-2.0\n"},
	{"no binary comment", "6.1.2", "%\xe2\xe3\xcf\xd3\n", "%text\n"},
	{"no ID", "6.1.3", "/ID [", "/Di ["},
	{"a short ID", "6.1.3", "/ID [ <", "/ID [ <> <00> ] /Di [ <"},
	{"encryption", "6.1.3", "/Size ", "/Encrypt << /Filter /Standard >> /Size "},
	{"another length", "6.1.7.1", "/Subtype /XML /Length ", "/Subtype /XML /Length 1"},
	{"external data", "6.1.7.1", "/Type /Metadata", "/Type /Metadata /FFilter /FlateDecode"},
	{"LZW", "6.1.7.2", "/Predictor 15", "/Predictor 15 >> /Filter /LZWDecode /DecodeParms << /Predictor 15"},
	{"a missing object", "6.1.9", "/Parent 2 0 R", "/Parent 99 0 R"},
	{"another count of pages", "6.1.9", "/Count 1", "/Count 2"},
	{"permissions", "6.1.12", "/Type /Catalog", "/Type /Catalog /Perms << >>"},
	{"a long string", "6.1.13", "(sRGB)", "(" + strings.Repeat("s", 32768) + ")"},
	{"a long name", "6.1.13", "/Type /Page ", "/Type /Page /" + strings.Repeat("n", 128) + " 1 "},
	{"a large number", "6.1.13", "/StemV 80", "/StemV 2147483648"},
	{"a small page", "6.1.13", "/MediaBox [ 0 0 595.2 ", "/MediaBox [ 0 0 2.9 "},
	{"a large page", "6.1.13", "/MediaBox [ 0 0 595.2 ", "/MediaBox [ 0 0 14400.5 "},
	{"a broken hexadecimal string", "6.1.6", "/ID [ <", "/ID [ <0g"},
	{"no resources", "6.2.2", "/Resources <<", "/Sources <<"},
	{"another name of the image", "6.2.2", "/XObject << /Im ", "/XObject << /Mi "},
	{"no output intent", "6.2.3", "/OutputIntents [", "/Intents ["},
	{"an output intent of PDF/X", "6.2.3", "/GTS_PDFA1", "/GTS_PDFX"},
	{"another number of components", "6.2.3", "/N 3", "/N 4"},
	{"no profile", "6.2.3", "/DestOutputProfile 4 0 R", "/DestOutputProfile 2 0 R"},
	{"colours without an output intent", "6.2.4.3", "/OutputIntents [", "/Intents ["},
	{"CMYK", "6.2.4.3", "/DeviceGray", "/DeviceCMYK"},
	{"a graphics state", "6.2.5", "/Resources <<", "/Resources << /ExtGState << >> "},
	{"alternates", "6.2.8", "/Subtype /Image", "/Subtype /Image /Alternates [ ]"},
	{"OPI", "6.2.8", "/Subtype /Image", "/Subtype /Image /OPI << >>"},
	{"interpolation", "6.2.8", "/Subtype /Image", "/Subtype /Image /Interpolate true"},
	{"another height", "6.2.8", "/Height 1754", "/Height 1755"},
	{"another width", "6.2.8", "/Width 1240 ", "/Width 1241 "},
	{"another predictor", "6.2.8", "/Predictor 15", "/Predictor 2"},
	{"a form", "6.2.9", "/Subtype /Image", "/Subtype /Form"},
	{"transparency", "6.2.10", "/Subtype /Image", "/Subtype /Image /SMask 5 0 R"},
	{"a group", "6.2.10", "/Type /Page ", "/Type /Page /Group << /S /Transparency >> "},
	{"a simple font", "6.2.11.2", "/Subtype /Type0", "/Subtype /TrueType"},
	{"no descriptor", "6.2.11.2", "/FontDescriptor ", "/FontDescription "},
	{"another name of the descendant", "6.2.11.2", "/CIDFontType2 /BaseFont /Invisible", "/CIDFontType2 /BaseFont /Other"},
	{"another encoding", "6.2.11.3.1", "/Identity-H", "/GBK-EUC-H"},
	{"no CIDSystemInfo", "6.2.11.3.1", "/CIDSystemInfo ", "/SystemInfo "},
	{"no map of glyphs", "6.2.11.3.2", "/CIDToGIDMap ", "/CIDToGlyphs "},
	{"a font that is not embedded", "6.2.11.4.1", "/FontFile2 ", "/FontFile9 "},
	{"other widths", "6.2.11.5", "/DW 500", "/DW 600"},
	{"single widths", "6.2.11.5", "/DW 500", "/DW 500 /W [ 1 [ 300 ] ]"},
	{"no ToUnicode", "6.2.11.7.2", "/ToUnicode ", "/ToNothing "},
	{"a note", "6.3.1", "/Type /Page ", "/Type /Page /Annots [ ] "},
	{"a form to fill in", "6.4.1", "/Type /Catalog", "/Type /Catalog /AcroForm << >>"},
	{"an action", "6.5.1", "/Type /Catalog", "/Type /Catalog /OpenAction [ 7 0 R /Fit ]"},
	{"JavaScript", "6.5.1", "/Type /Catalog", "/Type /Catalog /Names << /JavaScript << >> >>"},
	{"a script", "6.5.1", "/Type /Page ", "/Type /Page /X << /S /JavaScript /JS (app.alert) >> "},
	{"additional actions", "6.5.2", "/Type /Page ", "/Type /Page /AA << >> "},
	{"no metadata", "6.6.2.1", "/Metadata 3 0 R", "/Metadaten 3 0 R"},
	{"metadata without a packet", "6.6.2.1", "<?xpacket begin=", "<?xpacked begin="},
	{"metadata that are not well-formed", "6.6.2.1", "</rdf:RDF>", "</rdf:RDX>"},
	{"an own property", "6.6.2.3.1", "dc:format>", "dc:colour>"},
	{"part 3", "6.6.4", "<pdfaid:part>2", "<pdfaid:part>3"},
	{"level B", "6.6.4", "<pdfaid:conformance>U", "<pdfaid:conformance>B"},
	{"another namespace", "6.6.4", "ns/id/", "ns/ix/"},
	{"an embedded file", "6.8", "/Type /Catalog", "/Type /Catalog /Names << /EmbeddedFiles << >> >>"},
	{"layers", "6.9", "/Type /Catalog", "/Type /Catalog /OCProperties << >>"},
	{"presentations", "6.10", "/Type /Page ", "/Type /Page /PresSteps << >> "},
	{"requirements", "6.11", "/Type /Catalog", "/Type /Catalog /Requirements [ ]"},
}

// Each change of a copy that follows the clauses is found under its clause.
func TestTheCheckerFindsBrokenCopies(t *testing.T) {
	t.Parallel()
	valid := copyOf(t, pageOf(t, scripts()...))
	if again := edited(t, valid, "/Kids", "/Kids"); len(pdfacheck.Check(again)) > 0 || !bytes.Equal(again, valid) {
		t.Fatalf("an unchanged copy: %v", pdfacheck.Check(again))
	}
	for _, c := range brokenCopies {
		if got := pdfacheck.Check(edited(t, valid, c.old, c.with)); !found(got, c.clause) {
			t.Errorf("%s is not found under %s: %v", c.name, c.clause, got)
		}
	}
	checkDamagedFiles(t, valid)
	checkEditedStreams(t, valid)
}

func checkDamagedFiles(t *testing.T, valid []byte) {
	t.Helper()
	for name, c := range map[string]struct {
		clause string
		file   []byte
	}{
		"bytes after the end":  {"6.1.3", append(bytes.Clone(valid), "more"...)},
		"bytes before":         {"6.1.2", append([]byte(" "), valid...)},
		"cut":                  {"6.1.3", valid[:len(valid)-7]},
		"another table":        {"6.1.4", bytes.Replace(valid, []byte("\nxref\n"), []byte("\nxref \n"), 1)},
		"a shifted object":     {"6.1.9", bytes.Replace(valid, []byte(" 00000 n \n"), []byte("1 0000 n \n"), 1)},
		"empty":                {"6.1.2", nil},
		"an object on no line": {"6.1.9", bytes.Replace(valid, []byte("\n1 0 obj\n"), []byte("\n1 0 obj<"), 1)},
	} {
		got := pdfacheck.Check(c.file)
		if name == "a shifted object" { // the table no longer has the form
			c.clause = "6.1.4"
		}
		if !found(got, c.clause) {
			t.Errorf("%s is not found under %s: %v", name, c.clause, got)
		}
	}
	for at := 0; at < len(valid); at += max(1, len(valid)/400) { // no change makes it panic
		damaged := bytes.Clone(valid)
		damaged[at] ^= 0x15
		_ = pdfacheck.Check(damaged)
		_ = pdfacheck.Check(valid[:at])
	}
}

// checkEditedStreams changes what is in the compressed streams.
func checkEditedStreams(t *testing.T, valid []byte) {
	t.Helper()
	for _, c := range []struct{ name, clause, begins, old, with string }{
		{"an unknown operator", "6.2.2", "q\n", "/Im Do", "/Im Do wx"},
		{"another font", "6.2.2", "q\n", "/F1 ", "/F9 "},
		{"an unfinished stream", "6.2.2", "q\n", "/Im Do\nQ", "/Im Do"},
		{"deep nesting", "6.1.13", "q\n", "/Im Do", strings.Repeat("q ", 30) + strings.Repeat("Q ", 30) + "/Im Do"},
		{"a graphics state", "6.2.5", "q\n", "/Im Do", "/G gs /Im Do"},
		{"a code without text", "6.2.11.7.2", "/CIDInit", "<0001> <0052>\n", ""},
		{"a code that maps to nothing", "6.2.11.7.2", "/CIDInit", "<0001> <0052>", "<0001> <0000>"},
		{"a code that maps to a mark", "6.2.11.7.2", "/CIDInit", "<0001> <0052>", "<0001> <FEFF>"},
		{"half a pair", "6.2.11.7.2", "/CIDInit", "<0001> <0052>", "<0001> <D83D>"},
		{"no glyph", "6.2.11.8", "q\n", "<0001", "<0000"},
		{"a code behind the map", "6.2.11.8", "q\n", "<0001", "<FFF0"},
		{"half a code", "6.2.11.2", "q\n", "> Tj", "00> Tj"},
	} {
		if got := pdfacheck.Check(withStream(t, valid, c.begins, c.old, c.with)); !found(got, c.clause) {
			t.Errorf("%s is not found under %s: %v", c.name, c.clause, got)
		}
	}
}

var streams = regexp.MustCompile(`(?s)/FlateDecode /Length (\d+) >>\nstream\n`)

// withStream changes the compressed stream that begins with a text.
func withStream(t *testing.T, valid []byte, begins, old, with string) []byte {
	t.Helper()
	for _, at := range streams.FindAllSubmatchIndex(valid, -1) {
		var length int
		_, err := fmt.Sscan(string(valid[at[2]:at[3]]), &length)
		must(t, err)
		stream := inflate(t, valid[at[1]:at[1]+length])
		if !strings.HasPrefix(stream, begins) {
			continue
		}
		if !strings.Contains(stream, old) {
			t.Fatalf("%q is not in %.200q", old, stream)
		}
		changed := deflate(strings.Replace(stream, old, with, 1))
		return edited(t, valid, string(valid[at[0]:at[1]+length]),
			fmt.Sprintf("/FlateDecode /Length %d >>\nstream\n%s", len(changed), changed))
	}
	t.Fatalf("no stream begins with %q", begins)
	return nil
}
