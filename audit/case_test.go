package audit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"countersign/audit"
	"countersign/domain"
)

var (
	caseID   = domain.ID{7}
	reviewID = domain.ID{8}
	reviewer = domain.ID{9}
	absent   = domain.ID{10} // on whose behalf the reviewer decided
)

const original = "%PDF-1.7 an invoice"

// record is a case with a decision, and its checkpoints and access log.
type record struct {
	events []*domain.Event
	rows   *audit.StreamRows
	access []audit.AccessLine
	sealed []audit.SealedCheckpoint
	signer audit.Signer
	proofs []audit.LeafProof
	files  []audit.PackSource // of its pack
}

func newRecord(tb testing.TB) *record {
	tb.Helper()
	r := &record{signer: signerOf(tb, newKey(tb))}
	assertions := domain.AssertionSet{CaseID: caseID, Revision: 1, Source: domain.SourceDeclared,
		By: domain.ID{3}, At: baseTime, Body: []byte(`[{"field":"total","value":"1.00"}]`),
		Salt: bytes.Repeat([]byte{4}, audit.SaltSize)}
	hash := audit.BodyHash(assertions.Salt, assertions.Body)
	assertions.Hash = hash[:]
	evidence := domain.Evidence{DocumentSHA256: sumOf(original), FactsRevision: 1,
		Fields: map[string]string{"total": "1.00"}, Findings: []string{"new_vendor"}, Risk: 30,
		Assertions: []string{hex.EncodeToString(assertions.Hash)}}
	evidenceHash, err := audit.EvidenceHash(evidence)
	if err != nil {
		tb.Fatal(err)
	}
	for n, body := range []string{
		fmt.Sprintf(`{"sha256":"%s","manifest":"%s","assertions":["%x"],"attributes":[{"name":"department","type":"choice","value":"sales"}]}`, sumOf(original),
			sumOf("a manifest"), assertions.Hash),
		fmt.Sprintf(`{"reviewId":"%s","duty":"l1"}`, reviewID),
		fmt.Sprintf(`{"reviewId":"%s","verdict":"approve","reason":"checked","evidence":{"evidenceSha256":"%s"}}`,
			reviewID, evidenceHash),
	} {
		event := exampleEvent(caseID, n)
		event.Type = []domain.EventType{domain.CaseSubmitted, domain.ReviewOpened,
			domain.ReviewDecidedEvent}[n]
		event.Body, event.Actor, event.OnBehalfOf = []byte(body), reviewer, domain.NoID
		if event.Type == domain.ReviewDecidedEvent {
			event.OnBehalfOf, event.StatusAfter = absent, domain.Approved
		}
		r.events = append(r.events, event)
	}
	last := r.events[len(r.events)-1]
	r.rows = &audit.StreamRows{Assertions: []domain.AssertionSet{assertions},
		CaseRows: audit.CaseRows{Status: last.StatusAfter, Marking: last.MarkingAfter,
			Attributes: []domain.Attribute{{Name: "department", Type: domain.AttributeChoice, Value: "sales"}},
			Decisions: []domain.Decision{{ID: domain.ID{11}, CaseID: caseID, ReviewID: reviewID,
				Actor: reviewer, OnBehalfOf: absent, Verdict: domain.Approve, Reason: "checked",
				Evidence: evidence, At: last.At}},
			Votes: []domain.Vote{{CaseID: caseID, Duty: "l1", Person: reviewer, ReviewID: reviewID,
				Covered: "{}"}, {CaseID: caseID, Duty: "l1", Person: absent, ReviewID: reviewID}}}}
	for n := range 5 {
		r.access = append(r.access, audit.AccessLine{Position: domain.FeedPosition{Era: 1,
			TxID: int64(n + 1), ID: int64(n + 1)}, At: baseTime, Actor: reviewer, Action: "read",
			CaseID: caseID, Object: fmt.Sprint("page/", n), Code: "", RequestID: "r"})
	}
	r.files = []audit.PackSource{{Name: "original.pdf", Role: audit.RoleOriginal, Open: text(original)},
		{Name: "page-1.png", Role: audit.RolePage, Open: text("a picture")},
		{Name: "manifest.json", Role: audit.RoleManifest, Open: text("a manifest")}}
	r.seal(tb)
	return r
}

func sumOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// seal chains the events and seals two checkpoints: over the first two events and the first access
// lines, and over the rest.
func (r *record) seal(tb testing.TB) {
	tb.Helper()
	if _, err := audit.Chain(audit.ChainHead{}, &countingReader{}, r.events...); err != nil {
		tb.Fatal(err)
	}
	decision, err := audit.DecisionHash(&r.rows.Decisions[0])
	if err != nil {
		tb.Fatal(err)
	}
	first, second := r.rangeOf(domain.FeedPosition{}, 2, domain.FeedPosition{Era: 1, TxID: 3}),
		r.rangeOf(domain.FeedPosition{Era: 1, TxID: 3}, 5, domain.FeedPosition{Era: 1, TxID: 9})
	leaves := [][]audit.Leaf{{headLeaf(r.events[:2]), first}, {headLeaf(r.events),
		{Kind: audit.LeafDecision, Subject: caseID, Item: reviewID, Seq: 3, Hash: decision},
		r.voteLeaf(0), r.voteLeaf(1), second}}
	chain := newSealer(tb)
	for minute, of := range leaves {
		r.sealed = append(r.sealed, chain.seal(r.signer, minute, of...))
	}
	all := slices.Concat(leaves...)
	for index, leaf := range all {
		if leaf.Kind == audit.LeafAccess {
			continue
		}
		path, err := audit.InclusionProof(uint64(index), uint64(len(all)),
			func(_ uint, from uint64, count int) (hashes [][]byte, err error) {
				for _, one := range all[from : from+uint64(count)] {
					hashes = append(hashes, one.Digest())
				}
				return hashes, nil
			})
		if err != nil {
			tb.Fatal(err)
		}
		r.proofs = append(r.proofs, audit.LeafProof{Leaf: leaf, Index: uint64(index), Path: path})
	}
}

func (r *record) rangeOf(after domain.FeedPosition, until int, end domain.FeedPosition) audit.Leaf {
	lines := audit.NewAccessRange(after)
	for i := range r.access[:until] {
		if after.Before(r.access[i].Position) {
			lines.Add(&r.access[i])
		}
	}
	lines.Extend(end)
	leaf, _ := lines.Leaf()
	return leaf
}

func (r *record) voteLeaf(n int) audit.Leaf {
	v := r.rows.Votes[n]
	return audit.Leaf{Kind: audit.LeafVote, Subject: caseID, Item: v.ReviewID, Person: v.Person, Seq: 3,
		Duty: v.Duty, Hash: audit.VoteHash(v)}
}

func (r *record) head() audit.ChainHead {
	last := r.events[len(r.events)-1]
	return audit.ChainHead{Seq: last.Seq, Hash: last.Hash}
}

func (r *record) exported(tb testing.TB) []byte {
	tb.Helper()
	var out bytes.Buffer
	exporter, err := audit.NewExporter(&out, origin, baseTime, true)
	if err != nil {
		tb.Fatal(err)
	}
	for _, sealed := range r.sealed {
		if err := exporter.Checkpoint(sealed); err != nil {
			tb.Fatal(err)
		}
	}
	if err := exporter.Stream(caseID, r.head(), eventSeq(r.events), r.rows); err != nil {
		tb.Fatal(err)
	}
	if err := exporter.Access(r.access); err != nil {
		tb.Fatal(err)
	}
	if err := exporter.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func (r *record) packed(tb testing.TB) []byte {
	tb.Helper()
	var out bytes.Buffer
	if err := audit.WritePack(&out, r.pack()); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

func (r *record) pack() *audit.Pack {
	return &audit.Pack{Origin: origin, Reference: "CS-1", Case: caseID,
		MadeAt: baseTime.UnixMicro(), People: map[string]string{reviewer.String(): "Rita"},
		Keys: r.signer.Keys().String(), Note: r.sealed[1].Note, Proofs: r.proofs, Head: r.head(),
		Events: r.events, Rows: r.rows, Files: r.files}
}

func text(content string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil }
}

// rowChanges are changes of a record beside its events; each is found in an export and, if inPack, in a
// pack.
var rowChanges = map[string]struct {
	change func(*record)
	inPack bool
}{
	"another status":      {func(r *record) { r.rows.Status = domain.Rejected }, true},
	"another attribute":   {func(r *record) { r.rows.Attributes[0].Value = "finance" }, true},
	"no attributes":       {func(r *record) { r.rows.Attributes = nil }, true},
	"another marking":     {func(r *record) { r.rows.Marking = "{}" }, true},
	"another reason":      {func(r *record) { r.rows.Decisions[0].Reason = "seen" }, true},
	"another verdict":     {func(r *record) { r.rows.Decisions[0].Verdict = domain.Reject }, true},
	"another decider":     {func(r *record) { r.rows.Decisions[0].Actor = absent }, true},
	"another principal":   {func(r *record) { r.rows.Decisions[0].OnBehalfOf = domain.NoID }, true},
	"another time":        {func(r *record) { r.rows.Decisions[0].At = baseTime }, true},
	"another evidence":    {func(r *record) { r.rows.Decisions[0].Evidence.Risk++ }, true},
	"other assertions":    {func(r *record) { r.rows.Decisions[0].Evidence.Assertions = []string{} }, true},
	"no decision":         {func(r *record) { r.rows.Decisions = nil }, true},
	"a second decision":   {func(r *record) { r.rows.Decisions = append(r.rows.Decisions, domain.Decision{ReviewID: absent}) }, true},
	"no votes":            {func(r *record) { r.rows.Votes = nil }, true},
	"one vote less":       {func(r *record) { r.rows.Votes = r.rows.Votes[1:] }, true},
	"a vote of another":   {func(r *record) { r.rows.Votes[0].Person = caseID }, true},
	"a vote for another":  {func(r *record) { r.rows.Votes[0].Duty = "l2" }, true},
	"a vote in another":   {func(r *record) { r.rows.Votes[0].ReviewID = absent }, true},
	"what a vote covers":  {func(r *record) { r.rows.Votes[0].Covered = "{ }" }, true},
	"no assertions":       {func(r *record) { r.rows.Assertions = nil }, true},
	"changed assertions":  {func(r *record) { r.rows.Assertions[0].Body = []byte(`[]`) }, true},
	"no rows":             {func(r *record) { r.rows = nil }, true},
	"an access line less": {func(r *record) { r.access = r.access[:4] }, false},
	"the first line less": {func(r *record) { r.access = r.access[1:] }, false},
	"an access line more": {func(r *record) { r.access = append(r.access, addedLine(6)) }, false},
	"a changed line":      {func(r *record) { r.access[3].Object = "page/9" }, false},
	"another actor":       {func(r *record) { r.access[0].Actor = absent }, false},
	"no access lines":     {func(r *record) { r.access = nil }, false},
	"a checkpoint less":   {func(r *record) { r.sealed = r.sealed[:1] }, false},
	"an erased body":      {func(r *record) { r.events[1].Body, r.events[1].Salt = nil, nil }, true},
	"events of the tail":  {func(r *record) { r.events = r.events[:2] }, true},
	"a chain made again": {func(r *record) {
		r.events[1].Body = []byte(fmt.Sprintf(`{"reviewId":"%s","duty":"l1","x":1}`, reviewID))
		_, _ = audit.Chain(audit.ChainHead{}, &countingReader{}, r.events...)
	}, true},
}

func addedLine(n int64) audit.AccessLine {
	return audit.AccessLine{Position: domain.FeedPosition{Era: 1, TxID: n, ID: n}, At: baseTime}
}

func TestChangedRowsAreFound(t *testing.T) {
	t.Parallel()
	intact := newRecord(t)
	report, err := audit.VerifyExport(bytes.NewReader(intact.exported(t)),
		audit.ExportCheck{Keys: intact.signer.Keys(), External: []audit.ExternalNote{
			{Place: "a folder", Note: intact.sealed[0].Note}}})
	if err != nil || report.Break != nil || report.Cases != 1 || report.Accesses != 5 ||
		report.Log.ExternalCount != 1 || report.Log.Newest.Size != 7 {
		t.Fatalf("an intact export: %+v, %v, %v", report, report.Break, err)
	}
	for name, tc := range rowChanges {
		r := newRecord(t)
		tc.change(r)
		if r.rows == nil {
			r.rows = &audit.StreamRows{}
		}
		keys := r.signer.Keys()
		external := []audit.ExternalNote{{Place: "a folder", Note: newestNote(t, r)}}
		report, err := audit.VerifyExport(bytes.NewReader(r.exported(t)),
			audit.ExportCheck{Keys: keys, External: external})
		if err != nil || report.Break == nil || report.Break.Message == "" {
			t.Errorf("%s: an export verifies: %+v, %v", name, report, err)
		}
	}
}

// newestNote is the second checkpoint also of a record that lost it.
func newestNote(tb testing.TB, r *record) []byte {
	tb.Helper()
	if len(r.sealed) > 1 {
		return r.sealed[1].Note
	}
	chain := newSealer(tb)
	chain.seal(r.signer, 0, r.sealed[0].Leaves...)
	return chain.seal(r.signer, 1, audit.Leaf{Kind: audit.LeafHead, Subject: caseID, Seq: 3}).Note
}

func TestPacksOfChangedRecords(t *testing.T) {
	t.Parallel()
	intact := newRecord(t)
	pack := intact.packed(t)
	check := audit.ExportCheck{Keys: intact.signer.Keys()}
	report, err := audit.VerifyPack(bytes.NewReader(pack), int64(len(pack)), check)
	if err != nil || report.Break != nil || report.Covered != 3 || report.OwnKeys ||
		!slices.Equal(report.Proved, []string{"original.pdf", "manifest.json"}) ||
		!slices.Equal(report.Unproved, []string{"page-1.png"}) {
		t.Fatalf("an intact pack: %+v, %v, %v", report, report.Break, err)
	}
	own, err := audit.VerifyPack(bytes.NewReader(pack), int64(len(pack)), audit.ExportCheck{})
	if err != nil || own.Break != nil || !own.OwnKeys {
		t.Fatalf("with its own keys: %+v, %v", own, err)
	}
	fork := newSealer(t)
	fork.seal(intact.signer, 0, audit.Leaf{Kind: audit.LeafHead, Subject: caseID, Seq: 1},
		audit.Leaf{Kind: audit.LeafHead, Subject: absent, Seq: 1})
	forked := fork.seal(intact.signer, 1, make([]audit.Leaf, 5)...).Note
	differs, err := audit.VerifyPack(bytes.NewReader(pack), int64(len(pack)), audit.ExportCheck{
		Keys: intact.signer.Keys(), External: []audit.ExternalNote{{Place: "a witness", Note: forked}}})
	if err != nil || differs.Break == nil {
		t.Errorf("a witness has another checkpoint of this size: %+v, %v", differs, err)
	}
	same, err := audit.VerifyPack(bytes.NewReader(pack), int64(len(pack)), audit.ExportCheck{
		Keys: intact.signer.Keys(), External: []audit.ExternalNote{{Place: "a witness",
			Note: intact.sealed[1].Note}, {Place: "a folder", Note: intact.sealed[0].Note}}})
	if err != nil || same.Break != nil {
		t.Errorf("a witness has the same checkpoint: %+v, %v", same, err)
	}
	for at := range pack {
		altered := slices.Clone(pack)
		altered[at] ^= 1
		if report, err := audit.VerifyPack(bytes.NewReader(altered), int64(len(altered)),
			check); err == nil && report.Break == nil {
			t.Fatalf("byte %d of %d was altered", at, len(pack))
		}
	}
	for name, tc := range rowChanges {
		if !tc.inPack {
			continue
		}
		r := newRecord(t)
		tc.change(r)
		pack := r.packed(t)
		report, err := audit.VerifyPack(bytes.NewReader(pack), int64(len(pack)),
			audit.ExportCheck{Keys: r.signer.Keys()})
		if err != nil || report.Break == nil || report.Break.Message == "" {
			t.Errorf("%s: a pack verifies: %+v, %v", name, report, err)
		}
	}
}

// Votes that an event revoked are not among the rows, and rows of later events are no problem.
func TestRowsFollowEvents(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	fell := exampleEvent(caseID, 3)
	fell.Type, fell.StatusAfter = domain.VoteRevoked, domain.Approved
	fell.Body = fmt.Appendf(nil, `{"reviewId":"%s","duty":"l1","person":"%s","why":"changed"}`, reviewID,
		absent)
	r.events = append(r.events, fell)
	if _, err := audit.Chain(audit.ChainHead{}, &countingReader{}, r.events...); err != nil {
		t.Fatal(err)
	}
	problems := func(head int64, votes ...domain.Vote) []audit.RowProblem {
		t.Helper()
		rows := *r.rows
		rows.Votes = votes
		found, err := audit.CheckRows(head, r.events, &rows, []audit.Leaf{r.voteLeaf(0), r.voteLeaf(1)})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	kept, revoked := r.rows.Votes[0], r.rows.Votes[1]
	if found := problems(4, kept); len(found) > 0 {
		t.Errorf("after the revocation: %+v", found)
	}
	if found := problems(4, kept, revoked); len(found) == 0 {
		t.Error("a revoked vote is still there")
	}
	if found := problems(3, kept); len(found) > 0 {
		t.Errorf("revoked after the head was read: %+v", found)
	}
	if found := problems(3, kept, revoked); len(found) > 0 {
		t.Errorf("read before the revocation: %+v", found)
	}
}
