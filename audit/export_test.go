package audit_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/audit"
	"countersign/domain"
)

func exported(tb testing.TB, l *testLog, whole bool, streams ...domain.ID) []byte {
	tb.Helper()
	var out bytes.Buffer
	exporter, err := audit.NewExporter(&out, origin, baseTime, whole)
	if err != nil {
		tb.Fatal(err)
	}
	for _, sealed := range l.sealed {
		if err := exporter.Checkpoint(sealed); err != nil {
			tb.Fatal(err)
		}
	}
	for _, stream := range streams {
		events := l.events[stream]
		head := audit.ChainHead{Seq: int64(len(events)), Hash: events[len(events)-1].Hash}
		if err := exporter.Stream(stream, head, eventSeq(events), nil); err != nil {
			tb.Fatal(err)
		}
	}
	if err := exporter.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func TestExportVerifiesOffline(t *testing.T) {
	t.Parallel()
	l := newTestLog(t)
	l.events[domain.ID{2}][5].Type = domain.CaseErased
	l.events[domain.ID{2}][5].Body = []byte(`{"events":[2]}`)
	rechain(t, l, domain.ID{2})
	l.events[domain.ID{2}][1].Body, l.events[domain.ID{2}][1].Salt = nil, nil
	l.events[domain.ID{1}][0].Body = []byte(`{"html":"<a&b>","u":"é` + "\u2028" + `"}`)
	rechain(t, l, domain.ID{1})
	text := exported(t, l, true, domain.ID{1}, domain.ID{2}, domain.ID{3})
	report, err := audit.VerifyExport(bytes.NewReader(text), audit.ExportCheck{Keys: l.keys})
	if err != nil || report.Break != nil || report.Streams != 3 || report.Events != 18 ||
		report.Erased != 1 || len(report.ErasedBodies) != 1 || report.Log.Checkpoints != 3 || !report.Signed {
		t.Fatalf("got %+v, %v", report, err)
	}
	report, err = audit.VerifyExport(bytes.NewReader(exported(t, l, false, domain.ID{2})), audit.ExportCheck{Keys: l.keys})
	if err != nil || report.Break != nil || report.Streams != 1 {
		t.Fatalf("a single case: %+v, %v", report, err)
	}
	newer := strings.Replace(string(text), `{"kind":"end"`,
		`{"kind":"comment","more":1}`+"\n\n"+`{"kind":"end","later":true`, 1)
	if report, err = audit.VerifyExport(strings.NewReader(newer), audit.ExportCheck{Keys: l.keys}); err != nil ||
		report.Break != nil {
		t.Fatalf("lines of a newer format: %+v, %v", report, err)
	}
}

// rechain hashes a stream again after a change, and the log's checkpoints with it.
func rechain(tb testing.TB, l *testLog, stream domain.ID) {
	tb.Helper()
	if _, err := audit.Chain(audit.ChainHead{}, &countingReader{},
		l.events[stream]...); err != nil {
		tb.Fatal(err)
	}
	chain := newSealer(tb)
	for i := range l.sealed {
		for j, leaf := range l.sealed[i].Leaves {
			l.sealed[i].Leaves[j].Hash = l.events[leaf.Subject][leaf.Seq-1].Hash
		}
		l.sealed[i] = chain.seal(l.signer, i, l.sealed[i].Leaves...)
	}
}

func TestExportFindsTampering(t *testing.T) {
	t.Parallel()
	l := newTestLog(t)
	whole := string(exported(t, l, true, domain.ID{1}, domain.ID{2}, domain.ID{3}))
	lines := strings.SplitAfter(whole, "\n")
	other := signerOf(t, newKey(t)).Keys()
	without := func(n int) string {
		return strings.Join(slices.Delete(slices.Clone(lines), n, n+1),
			"")
	}
	cases := map[string]struct {
		text string
		keys audit.Keys
		want audit.BreakKind // "" = the file itself is malformed
	}{
		"a body altered": {strings.Replace(whole, `\"visit\":0`, `\"visit\":9`, 1),
			l.keys, audit.BreakAlteredBody},
		"a status altered": {strings.Replace(whole, `"statusAfter":"processing"`,
			`"statusAfter":"approved"`, 1), l.keys, audit.BreakAlteredHeader},
		"a marking reformatted": {strings.Replace(whole, `"{\"tokens\":[`, `"{\"tokens\": [`,
			1), l.keys, audit.BreakAlteredHeader},
		"an event removed":   {without(9), l.keys, audit.BreakGap},
		"the newest removed": {without(12), l.keys, audit.BreakWrongEnd},
		"a stream removed": {string(exported(t, l, true, domain.ID{1}, domain.ID{2})),
			l.keys, audit.BreakMissingEvent},
		"a stream twice": {string(exported(t, l, true, domain.ID{1}, domain.ID{1})),
			l.keys, audit.BreakForeignEvent},
		"a head altered": {
			strings.Replace(whole,
				`"kind":"head","stream":"01000000-0000-0000-0000-000000000000","seq":6`,
				`"kind":"head","stream":"01000000-0000-0000-0000-000000000000","seq":5`, 1),
			l.keys, audit.BreakWrongEnd},
		"a head removed":       {without(13), l.keys, audit.BreakForeignEvent},
		"another log's key":    {whole, other, audit.BreakAlteredLog},
		"a checkpoint removed": {without(4), l.keys, audit.BreakAlteredLog},
		"other counts": {strings.Replace(whole, `"kind":"end","streams":3`,
			`"kind":"end","streams":4`, 1), l.keys, audit.BreakWrongEnd},
		"truncated":               {strings.Join(lines[:15], ""), l.keys, ""},
		"truncated within a line": {whole[:len(whole)-9], l.keys, ""},
		"no header":               {without(0), l.keys, ""},
		"lines after the end":     {whole + lines[8], l.keys, ""},
		"empty":                   {"", l.keys, ""},
		"a checkpoint among events": {strings.Join(slices.Insert(slices.Clone(lines), 10, lines[2]),
			""), l.keys, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.text == whole && tc.keys.String() == l.keys.String() {
				t.Fatal("the test case changes nothing")
			}
			report, err := audit.VerifyExport(strings.NewReader(tc.text), audit.ExportCheck{Keys: tc.keys})
			if tc.want == "" {
				if !domain.HasCode(err, domain.ValidationFailed) {
					t.Fatalf("got %+v, %v", report, err)
				}
				return
			}
			if err != nil || report.Break == nil || report.Break.Kind != tc.want {
				t.Fatalf("got %+v, %v", report.Break, err)
			}
		})
	}
}

// TestExportNamesEveryBrokenStream checks that the report names the first bad event of every broken
// stream, and that the intact streams still verify.
func TestExportNamesEveryBrokenStream(t *testing.T) {
	t.Parallel()
	l := newTestLog(t)
	whole := string(exported(t, l, true, domain.ID{1}, domain.ID{2}, domain.ID{3}))
	lines := strings.SplitAfter(whole, "\n")
	altered := func(stream domain.ID, seq int) {
		at := slices.IndexFunc(lines, func(line string) bool {
			return strings.Contains(line,
				fmt.Sprintf(`"kind":"event","stream":"%s","seq":%d,`, stream, seq))
		})
		lines[at] = strings.Replace(lines[at], `"statusAfter":"`, `"statusAfter":"x`, 1)
	}
	altered(domain.ID{1}, 2)
	altered(domain.ID{1}, 4)
	altered(domain.ID{3}, 5)
	report, err := audit.VerifyExport(strings.NewReader(strings.Join(lines, "")), audit.ExportCheck{Keys: l.keys})
	if err != nil || len(report.Breaks) != 2 || report.Streams != 1 || report.Events != 1+6+4 {
		t.Fatalf("got %+v, %v", report, err)
	}
	first, second := report.Breaks[0], report.Breaks[1]
	if first.Stream != (domain.ID{1}) || first.Seq != 2 || second.Stream != (domain.ID{3}) ||
		second.Seq != 5 || *report.Break != first {
		t.Fatalf("got %+v", report.Breaks)
	}
	headless := strings.SplitAfter(whole, "\n")
	head := slices.IndexFunc(headless, func(line string) bool {
		return strings.Contains(line, fmt.Sprintf(`"kind":"head","stream":"%s"`, domain.ID{1}))
	})
	report, err = audit.VerifyExport(
		strings.NewReader(strings.Join(slices.Delete(headless, head, head+1), "")), audit.ExportCheck{Keys: l.keys})
	if err != nil || len(report.Breaks) != 1 || report.Breaks[0].Stream != (domain.ID{1}) ||
		report.Streams != 2 {
		t.Fatalf("without a head: %+v, %v", report, err)
	}
}

// TestTruncatedTogetherWithItsHead removes the newest events of a stream together with its record.
// The checkpoints reveal it.
func TestTruncatedTogetherWithItsHead(t *testing.T) {
	t.Parallel()
	l := newTestLog(t)
	l.events[domain.ID{1}] = l.events[domain.ID{1}][:5]
	for _, keys := range []audit.Keys{l.keys, {}} {
		report, err := audit.VerifyExport(bytes.NewReader(exported(t, l, false, domain.ID{1})),
			audit.ExportCheck{Keys: keys})
		if err != nil || report.Break == nil || report.Break.Kind != audit.BreakMissingEvent ||
			report.Signed != (keys.Origin() != "") {
			t.Fatalf("got %+v, %v", report, err)
		}
	}
}

func FuzzVerifyExport(f *testing.F) {
	l := newTestLog(f)
	f.Add(exported(f, l, true, domain.ID{1}, domain.ID{2}, domain.ID{3}))
	f.Add(exported(f, l, false, domain.ID{2}))
	f.Add([]byte(`{"kind":"export","format":"countersign.audit.v1"}` + "\n" + `{"kind":"event"}`))
	f.Add([]byte(
		`{"kind":"export","format":"countersign.audit.v1"}` + "\n" + `{"kind":"head","hash":"zz"}`))
	f.Add([]byte(`{"kind":"export","format":"countersign.audit.v1"}` + "\n" + `{"kind":"end"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		report, err := audit.VerifyExport(bytes.NewReader(text), audit.ExportCheck{Keys: l.keys})
		if err != nil && !domain.HasCode(err, domain.ValidationFailed) {
			t.Fatalf("unexpected error code: %v", err)
		}
		if report.Break != nil && report.Break.Message == "" {
			t.Fatal("a break without a message")
		}
	})
}
