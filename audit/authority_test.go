package audit_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/audit"
	"countersign/domain"
)

// The first contract of published definitions knew only processes, and an account may have events from
// before its creation was recorded.
func TestAuthorityOfEarlierEvents(t *testing.T) {
	t.Parallel()
	person, hash := domain.NewID(), strings.Repeat("ab", 32)
	check := audit.NewAuthorityCheck()
	for seq, event := range []domain.Event{
		{Type: domain.DefinitionPublished, Body: fmt.Appendf(nil,
			`{"key":"k","definitionVersion":3,"sha256":%q}`, hash)},
		{Type: domain.UserChanged, Body: fmt.Appendf(nil,
			`{"userId":%q,"changed":["name"],"rolesAfter":["manager"],"disabled":true}`, person)},
		{Type: domain.UserChanged, Body: fmt.Appendf(nil,
			`{"userId":%q,"changed":["roles"],"rolesAfter":["b","a","a"]}`, person)},
		{Type: domain.ReviewOpened, Body: []byte("another event")},
	} {
		event.Seq = int64(seq + 1)
		check.Add(&event)
	}
	rows := audit.AuthorityRows{Limits: audit.InitialLimits,
		Versions: []audit.AuthorityVersion{{Kind: "process", Key: "k", Version: 3, SHA256: hash}},
		People: []audit.AuthorityPerson{{ID: domain.SystemUserID, Disabled: true},
			{ID: person, Email: "any@example.com", Disabled: true, Roles: []string{"a", "b"}}}}
	if problems := check.Problems(rows); len(problems) > 0 {
		t.Errorf("problems %+v", problems)
	}
	check.Add(&domain.Event{Seq: 9, Type: domain.LimitChanged})
	problems := check.Problems(rows)
	if len(problems) != 1 || problems[0].Seq != 9 || !strings.Contains(problems[0].Message, "cannot be read") {
		t.Errorf("an erased event: %+v", problems)
	}
}

// A list of owners that was changed or added beside the events is found.
func TestOwnersAreCompared(t *testing.T) {
	t.Parallel()
	one, two := "0190a0b0-0000-7000-8000-000000000001", "0190a0b0-0000-7000-8000-000000000002"
	check := audit.NewAuthorityCheck()
	for seq, body := range []string{`{"process":"a","after":["` + two + `","` + one + `"],"required":2}`,
		`{"process":"b","after":["` + one + `"],"required":1}`, `{"process":"b","required":0}`} {
		check.Add(&domain.Event{Seq: int64(seq + 1), Type: domain.ProcessOwnersChanged, Body: []byte(body)})
	}
	present := func(owners ...audit.AuthorityOwners) string {
		var found []string
		for _, problem := range check.Problems(audit.AuthorityRows{Limits: audit.InitialLimits, Owners: owners,
			People: []audit.AuthorityPerson{{ID: domain.SystemUserID, Disabled: true}}}) {
			found = append(found, problem.Message)
		}
		return strings.Join(found, "; ")
	}
	right := audit.AuthorityOwners{Process: "a", Owners: []string{one, two}, Required: 2}
	if found := present(right); found != "" {
		t.Errorf("the right rows have problems: %s", found)
	}
	fewer := right
	fewer.Required = 1
	for want, owners := range map[string][]audit.AuthorityOwners{
		"process a was changed": {fewer}, "process a is missing": {},
		"process b was added": {right, {Process: "b", Owners: []string{one}, Required: 1}},
	} {
		if found := present(owners...); !strings.Contains(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
	}
}

// A report of a rehearsal that was changed, removed or added beside the events is found.
func TestReportsOfRehearsalsAreCompared(t *testing.T) {
	t.Parallel()
	report := audit.AuthorityRehearsal{ID: domain.NewID(), Proposal: domain.NewID(), By: domain.NewID(),
		SHA256: strings.Repeat("a", 64), TextSHA256: strings.Repeat("b", 64), Base: 1,
		BaseSHA256: strings.Repeat("c", 64)}
	check := audit.NewAuthorityCheck()
	check.Add(&domain.Event{Seq: 1, Type: domain.ProposalRehearsed, Actor: report.By, Body: fmt.Appendf(nil,
		`{"proposalId":%q,"reportId":%q,"reportSha256":%q,"sha256":%q,"base":1,"baseSha256":%q}`,
		report.Proposal, report.ID, report.SHA256, report.TextSHA256, report.BaseSHA256)})
	present := func(reports ...audit.AuthorityRehearsal) string {
		var found []string
		for _, problem := range check.Problems(audit.AuthorityRows{Limits: audit.InitialLimits,
			Rehearsals: reports, People: []audit.AuthorityPerson{{ID: domain.SystemUserID, Disabled: true}}}) {
			found = append(found, problem.Message)
		}
		return strings.Join(found, "; ")
	}
	other, added := report, report
	other.By, added.ID = domain.NewID(), domain.NewID()
	for want, reports := range map[string][]audit.AuthorityRehearsal{"": {report}, "is missing": {},
		"was changed": {other}, "was added": {report, added}} {
		if got := present(reports...); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %s", want, got)
		}
	}
}
