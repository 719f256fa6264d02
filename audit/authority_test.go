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
