package audit_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/audit"
	"countersign/domain"
)

// erase erases the record as an erasure of its case does: bodies, assertions, reason and evidence go, and
// a last event lists the hashes.
func (r *record) erase(tb testing.TB) {
	tb.Helper()
	decision := r.rows.Decisions[0]
	hash, err := audit.DecisionHash(&decision)
	if err != nil {
		tb.Fatal(err)
	}
	type row = map[string]any
	body := row{"events": []int{1, 2, 3}, "assertions": []string{hex.EncodeToString(
		r.rows.Assertions[0].Hash)}, "decisions": []row{{"reviewId": reviewID, "person": reviewer,
		"onBehalfOf": absent, "verdict": "approve", "sha256": hex.EncodeToString(hash)}}}
	var votes []row
	for i, vote := range r.rows.Votes {
		hash := hex.EncodeToString(audit.VoteHash(vote))
		votes = append(votes, row{"reviewId": vote.ReviewID, "duty": vote.Duty, "person": vote.Person,
			"sha256": hash})
		r.rows.Votes[i].Covered = fmt.Sprintf(`{"erasedSha256":"%s"}`, hash)
	}
	body["votes"] = votes
	text, err := json.Marshal(body)
	if err != nil {
		tb.Fatal(err)
	}
	r.appendErasure(tb, text)
	if r.rows.Decisions[0], err = audit.EraseDecision(decision); err != nil {
		tb.Fatal(err)
	}
	r.rows.Assertions[0].Body, r.rows.Assertions[0].Salt = nil, nil
	r.rows.Attributes = nil
}

// appendErasure appends the event of the erasure and erases the bodies before it.
func (r *record) appendErasure(tb testing.TB, body []byte) {
	tb.Helper()
	event := exampleEvent(caseID, 3)
	event.Type, event.StatusAfter, event.Body = domain.CaseErased, domain.Approved, body
	head, err := audit.Chain(r.head(), &countingReader{}, event)
	if err != nil || head.Seq != 4 {
		tb.Fatalf("head %d: %v", head.Seq, err)
	}
	for _, before := range r.events {
		before.Body, before.Salt = nil, nil
	}
	r.events = append(r.events, event)
}

func (r *record) derivedProblems(head int64) []string {
	check := audit.NewCaseCheck(head)
	for _, event := range r.events {
		check.Add(event)
	}
	var found []string
	for _, problem := range check.Problems(r.rows.CaseRows) {
		found = append(found, fmt.Sprint(problem.Seq, ": ", problem.Message))
	}
	return found
}

// The event of an erasure says which decisions and votes were erased, and no other row is accepted.
func TestErasedRows(t *testing.T) {
	t.Parallel()
	decision, vote := fmt.Sprintf("4: the decision on review %s ", reviewID),
		fmt.Sprintf("4: the vote of %s for l1 ", absent)
	changed, revote := decision+"was changed: it is not the one that was erased",
		vote+"was added or changed: the erasure does not mention it"
	for what, tc := range map[string]struct {
		change func(*record)
		want   []string
	}{
		"nothing":     {func(*record) {}, nil},
		"no decision": {func(r *record) { r.rows.Decisions = nil }, []string{decision + "is missing"}},
		"a second decision": {func(r *record) {
			added := r.rows.Decisions[0]
			added.ReviewID = absent
			r.rows.Decisions = append(r.rows.Decisions, added)
		}, []string{fmt.Sprintf("4: the decision on review %s was added: the erasure does not mention it", absent)}},
		"another verdict": {func(r *record) { r.rows.Decisions[0].Verdict = domain.Reject },
			[]string{changed}},
		"a hash that is none": {func(r *record) { r.rows.Decisions[0].Erased.SHA256 = "zz" },
			[]string{changed}},
		"another hash": {func(r *record) { r.rows.Decisions[0].Erased.SHA256 = strings.Repeat("0", 64) },
			[]string{changed}},
		"no vote": {func(r *record) { r.rows.Votes = r.rows.Votes[:1] }, []string{vote + "is missing"}},
		"a vote in another review": {func(r *record) { r.rows.Votes[1].ReviewID = absent },
			[]string{revote}},
		"a vote that covers something": {func(r *record) { r.rows.Votes[1].Covered = "{}" },
			[]string{revote}},
		"a vote of another person": {func(r *record) { r.rows.Votes[1].Person = domain.ID{99} },
			[]string{vote + "is missing", fmt.Sprintf(
				"4: the vote of %s for l1 was added or changed: the erasure does not mention it", domain.ID{99})}},
		"another status": {func(r *record) { r.rows.Status = domain.Rejected },
			[]string{"4: the status of the case is rejected, but by event 4 it is approved"}},
		"attributes that were kept": {func(r *record) { r.rows.Attributes = []domain.Attribute{{Name: "department"}} },
			[]string{"1: the attributes of the case are not those that were stated at its submission"}},
		// Without a readable event the erased rows are erased without a record.
		"an unreadable event": {func(r *record) { r.events[3].Body = []byte("[]") }, []string{
			fmt.Sprintf("0: the decision on review %s was erased, but no event records an erasure", reviewID),
			fmt.Sprintf("0: the vote of %s for l1 was erased, but no event records an erasure", reviewer),
			fmt.Sprintf("0: the vote of %s for l1 was erased, but no event records an erasure", absent)}},
	} {
		r := newRecord(t)
		r.erase(t)
		tc.change(r)
		if found := r.derivedProblems(4); !slices.Equal(found, tc.want) {
			t.Errorf("%s: %q, want %q", what, found, tc.want)
		}
	}
}

// A record that was erased verifies with the checkpoints from before and after its erasure, and the
// leaves find a vote whose hash was exchanged in the event too.
func TestErasedRecordVerifies(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	leaves := r.sealed[1].Leaves[1:4]
	r.erase(t)
	if found, err := audit.CheckRows(4, r.events, r.rows, leaves); err != nil || len(found) > 0 {
		t.Fatalf("%+v, %v", found, err)
	}
	for _, covered := range []string{`{"erasedSha256":"zz"}`, `{"erasedSha256":""}`,
		fmt.Sprintf(`{"erasedSha256":"%s"}`, strings.Repeat("0", 64)), "[]", "{}"} {
		r := newRecord(t)
		r.erase(t)
		r.rows.Votes[0].Covered = covered
		found, err := r.leafProblems(leaves)
		if (err != nil || len(found) != 1) == (covered != "{}") {
			t.Errorf("covered %s: %+v, %v", covered, found, err)
		}
	}
	export := r.exported(t)
	report, err := audit.VerifyExport(bytes.NewReader(export), audit.ExportCheck{Keys: r.signer.Keys()})
	if err != nil || report.Break != nil || report.Erased != 3 {
		t.Fatalf("the export: %+v, %v", report, err)
	}
}

func (r *record) leafProblems(leaves []audit.Leaf) ([]audit.RowProblem, error) {
	check := audit.NewCaseCheck(4)
	for _, event := range r.events {
		check.Add(event)
	}
	return check.LeafProblems(r.rows.CaseRows, leaves)
}

// Rows that are marked as erased without an event that says so are found, also when the marks have the
// right hashes.
func TestErasureMarksWithoutAnEvent(t *testing.T) {
	t.Parallel()
	for what, tc := range map[string]struct {
		mark func(*testing.T, *record)
		want string
	}{
		"the assertions": {func(_ *testing.T, r *record) {
			r.rows.Assertions[0].Body, r.rows.Assertions[0].Salt = nil, nil
		}, "were erased, but no event records an erasure"},
		"the decision": {func(t *testing.T, r *record) {
			t.Helper()
			erased, err := audit.EraseDecision(r.rows.Decisions[0])
			if err != nil {
				t.Fatal(err)
			}
			r.rows.Decisions[0] = erased
		}, "was erased, but no event records an erasure"},
		"a vote": {func(_ *testing.T, r *record) {
			r.rows.Votes[0].Covered = fmt.Sprintf(`{"erasedSha256":"%x"}`, audit.VoteHash(r.rows.Votes[0]))
		}, "was erased, but no event records an erasure"},
	} {
		r := newRecord(t)
		leaves := r.sealed[1].Leaves[1:4]
		tc.mark(t, r)
		found, err := audit.CheckRows(3, r.events, r.rows, leaves)
		if err != nil || len(found) == 0 || !strings.HasSuffix(found[0].Message, tc.want) {
			t.Errorf("%s: %+v, %v", what, found, err)
		}
	}
}

// Decisions of events later than the head may be absent, and those up to the head may not.
func TestDecisionsAfterTheHead(t *testing.T) {
	t.Parallel()
	r := newRecord(t)
	r.rows.Decisions, r.rows.Votes, r.rows.Status = nil, nil, domain.Processing
	if found := r.derivedProblems(2); len(found) > 0 {
		t.Errorf("at event 2: %q", found)
	}
	r.rows.Status = domain.Approved
	if found := r.derivedProblems(3); len(found) != 3 || found[0] != fmt.Sprintf(
		"3: the decision on review %s is missing", reviewID) {
		t.Errorf("at event 3: %q", found)
	}
}
