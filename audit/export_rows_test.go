package audit_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/audit"
	"countersign/domain"
)

// exportOf writes an export of the parts.
func exportOf(tb testing.TB, whole bool, parts ...func(*audit.Exporter) error) []byte {
	tb.Helper()
	var out bytes.Buffer
	exporter, err := audit.NewExporter(&out, origin, baseTime, whole)
	for _, part := range append(parts, (*audit.Exporter).Close) {
		if err == nil {
			err = part(exporter)
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func (r *record) checkpoints(e *audit.Exporter) error {
	for _, sealed := range r.sealed {
		if err := e.Checkpoint(sealed); err != nil {
			return err
		}
	}
	return nil
}

func (r *record) stream(e *audit.Exporter) error {
	return e.Stream(caseID, r.head(), eventSeq(r.events), r.rows)
}

func (r *record) breakOf(tb testing.TB, export []byte) string {
	tb.Helper()
	report, err := audit.VerifyExport(bytes.NewReader(export), audit.ExportCheck{Keys: r.signer.Keys()})
	if err != nil {
		tb.Fatal(err)
	}
	if report.Break == nil {
		return ""
	}
	return report.Break.Message
}

// A complete export has all rows that the checkpoints recorded; a part of the record need not.
func TestRowsOfExports(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	access := func(e *audit.Exporter) error { return e.Access(r.access) }
	without := func(e *audit.Exporter) error {
		return e.Stream(caseID, r.head(), eventSeq(r.events), nil)
	}
	imported := func(e *audit.Exporter) error {
		return e.Stream(absent, audit.ChainHead{}, eventSeq(nil), &audit.StreamRows{
			CaseRows: audit.CaseRows{Status: domain.Archived}})
	}
	if found := r.breakOf(t, exportOf(t, true, r.checkpoints, r.stream, imported, access)); found != "" {
		t.Errorf("with a case without events: %s", found)
	}
	if found := r.breakOf(t, exportOf(t, false, r.checkpoints, without)); found != "" {
		t.Errorf("a part without rows: %s", found)
	}
	if found := r.breakOf(t, exportOf(t, true, r.checkpoints, without, access)); found != fmt.Sprintf(
		"a checkpoint recorded the decision on review %s, which is missing or has another hash", reviewID) {
		t.Errorf("a complete export without rows: %q", found)
	}
	// The rows of a stream after its head could replace those that were verified.
	export := exportOf(t, true, r.checkpoints, r.stream, access)
	lines := bytes.SplitAfter(export, []byte("\n"))
	isRows := func(line []byte) bool { return bytes.HasPrefix(line, []byte(`{"kind":"rows"`)) }
	rows := slices.IndexFunc(lines, isRows)
	wrong := fmt.Sprintf("the rows of stream %s are in the wrong place", caseID)
	if found := r.breakOf(t, bytes.Join(slices.Insert(slices.Clone(lines), rows+2, lines[rows]),
		nil)); found != wrong {
		t.Errorf("the rows after the head: %q", found)
	}
	other := bytes.Replace(lines[rows], []byte(caseID.String()), []byte(absent.String()), 1)
	if found := r.breakOf(t, bytes.Join(slices.Insert(slices.Clone(lines), rows, other), nil)); found !=
		strings.Replace(wrong, caseID.String(), absent.String(), 1) {
		t.Errorf("the rows of another stream: %q", found)
	}
	empty := fmt.Appendf(nil, `{"kind":"rows","stream":"%s"}`+"\n", caseID)
	if found := r.breakOf(t, bytes.Join(slices.Insert(slices.Clone(lines), rows, empty), nil)); found !=
		wrong {
		t.Errorf("a line without rows: %q", found)
	}
}

// Salted decisions keep their salt in an export.
func TestSaltedDecisionsOfExports(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.rows.Decisions[0].Salt = bytes.Repeat([]byte{5}, audit.SaltSize)
	r.sealed, r.proofs = nil, nil
	r.seal(t)
	if found := r.breakOf(t, r.exported(t)); found != "" {
		t.Errorf("with a salt: %s", found)
	}
	r.rows.Decisions[0].Salt[0]++
	if r.breakOf(t, r.exported(t)) == "" {
		t.Error("another salt was not found")
	}
}

// An export of an earlier program verifies, and no other format.
func TestFormatsOfExports(t *testing.T) {
	t.Parallel()
	for format, valid := range map[string]bool{audit.ExportFormat: true, "countersign.audit.v1": true,
		"countersign.audit.v3": false, "": false} {
		text := fmt.Sprintf(`{"kind":"export","format":"%s","origin":"o"}`+"\n"+`{"kind":"end"}`, format)
		report, err := audit.VerifyExport(strings.NewReader(text), audit.ExportCheck{})
		if valid != (err == nil && report.Break == nil) {
			t.Errorf("%q: %+v, %v", format, report.Break, err)
		}
	}
}

// An event that no checkpoint has may not say that it happened long before the newest checkpoint.
func TestBackdatedEventsOfExports(t *testing.T) {
	t.Parallel()
	for back, want := range map[time.Duration]bool{-59 * time.Minute: false, -61 * time.Minute: true} {
		r := newRecord(t)
		event := exampleEvent(caseID, 3)
		event.Type, event.StatusAfter = domain.VoteRevoked, domain.Approved
		event.At = baseTime.Add(time.Minute + back) // the newest checkpoint is of the minute 1
		event.Body = []byte(`{}`)
		if _, err := audit.Chain(r.head(), &countingReader{}, event); err != nil {
			t.Fatal(err)
		}
		r.events = append(r.events, event)
		if found := r.breakOf(t, r.exported(t)); strings.Contains(found,
			"event 4 says that it happened at") != want || !want && found != "" {
			t.Errorf("%v: %q", back, found)
		}
	}
	if audit.Backdated(audit.Checkpoint{}, time.Time{}.Add(-2*time.Hour)) {
		t.Error("without a checkpoint")
	}
}

// Whatever fails while an export is written makes the export fail.
func TestUnwritableExports(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	many := make([]audit.AccessLine, 600)
	for name, write := range map[string]func(*audit.Exporter) error{
		"the access log": func(e *audit.Exporter) error { return e.Access(many) },
		"the leaves": func(e *audit.Exporter) error {
			return e.Checkpoint(audit.SealedCheckpoint{Leaves: make([]audit.Leaf, 600)})
		},
		"the events": func(e *audit.Exporter) error {
			return e.Stream(caseID, r.head(), eventSeq(slices.Repeat(r.events, 20)), nil)
		},
		"the rows": func(e *audit.Exporter) error {
			rows := *r.rows
			rows.Votes = slices.Repeat(rows.Votes, 100)
			return e.Stream(caseID, r.head(), eventSeq(nil), &rows)
		},
		"the counts": (*audit.Exporter).Close,
	} {
		exporter, err := audit.NewExporter(fullDisk{}, origin, baseTime, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(exporter); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// Problems name what a leaf records.
func TestNamesOfLeaves(t *testing.T) {
	t.Parallel()
	stream, item, person := domain.ID{1}, domain.ID{2}, domain.ID{3}
	for kind, want := range map[audit.LeafKind]string{
		audit.LeafHead:     fmt.Sprintf("event 5 of stream %s", stream),
		audit.LeafDecision: fmt.Sprintf("the decision on review %s", item),
		audit.LeafVote:     fmt.Sprintf("the vote of %s in review %s", person, item),
		audit.LeafPasskey:  fmt.Sprintf("the passkey %s of %s", item, person),
		audit.LeafAccess:   "the 5 lines of the access log after 1 2 3",
	} {
		leaf := audit.Leaf{Kind: kind, Subject: stream, Item: item, Person: person, Seq: 5,
			After: domain.FeedPosition{Era: 1, TxID: 2, ID: 3}}
		if leaf.String() != want {
			t.Errorf("%s: %s", kind, leaf)
		}
	}
	lines := audit.NewAccessRange(domain.FeedPosition{})
	if _, exists := lines.Leaf(); exists {
		t.Error("a range without lines has a leaf")
	}
	lines.Add(&audit.AccessLine{})
	if _, exists := lines.Leaf(); !exists {
		t.Error("a range with a line has no leaf")
	}
}

// A place outside reads the size of a checkpoint without the keys of its log.
func TestParseNote(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	if read, err := audit.ParseNote(r.sealed[1].Note); err != nil || read.Size != 7 || read.Origin != origin {
		t.Errorf("%+v, %v", read, err)
	}
	text, _, _ := bytes.Cut(r.sealed[1].Note, []byte("\n\n"))
	if _, err := audit.ParseNote(text); err == nil || !strings.HasSuffix(err.Error(),
		"the note has no signature") {
		t.Errorf("without a signature: %v", err)
	}
}
