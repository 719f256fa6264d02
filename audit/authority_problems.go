package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"countersign/domain"
)

// Problems returns the rows that were changed, deleted or added.
func (a *AuthorityCheck) Problems(rows AuthorityRows) []RowProblem {
	problems := append(slices.Clone(a.unreadable), a.peopleProblems(rows.People)...)
	problems = append(problems, compare(a.limits, rows.Limits, AuthorityLimit.key,
		func(l AuthorityLimit) string {
			return fmt.Sprintf("the limit of the role %s%s", l.Role, ofDocumentType(l.DocumentType))
		}, func(a, b AuthorityLimit) bool { return a == b })...)
	problems = append(problems, compare(a.conflicts, rows.Conflicts,
		func(c AuthorityConflict) domain.ID { return c.ID },
		func(c AuthorityConflict) string { return fmt.Sprintf("the conflict %s of %s", c.ID, c.Person) },
		func(a, b AuthorityConflict) bool { return a == b })...)
	problems = append(problems, compare(a.delegations, rows.Delegations,
		func(d AuthorityDelegation) domain.ID { return d.ID },
		func(d AuthorityDelegation) string {
			return fmt.Sprintf("the delegation %s from %s to %s", d.ID, d.From, d.To)
		}, AuthorityDelegation.equal)...)
	problems = append(problems, compare(a.owners, rows.Owners,
		func(o AuthorityOwners) string { return o.Process },
		func(o AuthorityOwners) string { return "the list of owners of the process " + o.Process },
		func(a, b AuthorityOwners) bool { return a.Required == b.Required && same(a.Owners, b.Owners) })...)
	problems = append(problems, compare(a.rehearsals, rows.Rehearsals,
		func(r AuthorityRehearsal) domain.ID { return r.ID },
		func(r AuthorityRehearsal) string {
			return fmt.Sprintf("the report %s of a rehearsal of the proposal %s", r.ID, r.Proposal)
		}, func(a, b AuthorityRehearsal) bool { return a == b })...)
	return append(problems, compare(a.versions, rows.Versions, AuthorityVersion.key,
		func(v AuthorityVersion) string {
			return fmt.Sprintf("version %d of the %s %s", v.Version, kindName(v.Kind), v.Key)
		}, func(a, b AuthorityVersion) bool { return a == b })...)
}

// compare compares the expected rows of a kind with the present ones. It names rows by describe.
func compare[K comparable, T any](want map[K]expected[T], rows []T, key func(T) K,
	describe func(T) string, equal func(a, b T) bool) []RowProblem {
	var problems []RowProblem
	present := map[K]bool{}
	for _, row := range rows {
		present[key(row)] = true
		must, known := want[key(row)]
		switch {
		case !known:
			problems = append(problems, RowProblem{Message: describe(row) + " was added: no event has it"})
		case !equal(must.row, row):
			problems = append(problems, RowProblem{must.seq, describe(row) + " was changed: " + differs(must.seq)})
		}
	}
	missing := slices.DeleteFunc(slices.Collect(maps.Values(want)),
		func(must expected[T]) bool { return present[key(must.row)] })
	slices.SortFunc(missing, func(a, b expected[T]) int {
		return cmp.Or(cmp.Compare(a.seq, b.seq), cmp.Compare(describe(a.row), describe(b.row)))
	})
	for _, must := range missing {
		problems = append(problems, RowProblem{must.seq, describe(must.row) + " is missing: " + differs(must.seq)})
	}
	return problems
}

func differs(seq int64) string {
	if seq == 0 {
		return "it is part of every new installation, and no event changes it"
	}
	return fmt.Sprintf("the row differs from event %d", seq)
}

func ofDocumentType(key string) string {
	if key == "" {
		return ""
	}
	return " for the document type " + key
}

func kindName(kind domain.ProposalKind) string {
	if kind == domain.ProposeDocumentType {
		return "document type"
	}
	return string(kind)
}

// equal compares two delegations; the database keeps microseconds.
func (d AuthorityDelegation) equal(other AuthorityDelegation) bool {
	limits := d.BaseMinor == nil && other.BaseMinor == nil ||
		d.BaseMinor != nil && other.BaseMinor != nil && *d.BaseMinor == *other.BaseMinor
	return d.ID == other.ID && d.From == other.From && d.To == other.To && limits &&
		sameMoment(d.ValidFrom, other.ValidFrom) && sameMoment(d.ValidUntil, other.ValidUntil) &&
		same(d.Queues, sorted(other.Queues)) && same(d.DocumentTypes, sorted(other.DocumentTypes))
}

func sameMoment(a, b time.Time) bool { return a.Sub(b).Abs() <= time.Microsecond }

func (a *AuthorityCheck) peopleProblems(rows []AuthorityPerson) []RowProblem {
	var problems []RowProblem
	present := map[domain.ID]bool{}
	for _, row := range rows {
		present[row.ID] = true
		must := a.people[row.ID]
		if must == nil {
			problems = append(problems, RowProblem{Message: fmt.Sprintf(
				"the account %s (%s) was added: no event creates it", row.Email, row.ID)})
			continue
		}
		for _, fault := range must.faults(row) {
			problems = append(problems, RowProblem{must.seq, fmt.Sprintf(
				"the account %s (%s) was changed: %s", row.Email, row.ID, fault)})
		}
	}
	var missing []RowProblem
	for id, must := range a.people {
		if !present[id] {
			missing = append(missing, RowProblem{must.seq, fmt.Sprintf("the account %s is missing", id)})
		}
	}
	slices.SortFunc(missing, func(a, b RowProblem) int { return cmp.Compare(a.Seq, b.Seq) })
	return append(problems, missing...)
}

// faults returns what differs between the events and the row.
func (p *expectedPerson) faults(row AuthorityPerson) []string {
	var faults []string
	for _, list := range []struct {
		name      string
		must, has []string
	}{{"roles", p.Roles, row.Roles}, {"queues", p.Queues, row.Queues}, {"skills", p.Skills, row.Skills}} {
		if !same(list.must, list.has) {
			faults = append(faults, fmt.Sprintf("its %s are %q, by the events %q", list.name, list.has, list.must))
		}
	}
	if p.Disabled != row.Disabled {
		faults = append(faults, map[bool]string{true: "the events disable it, but it is enabled",
			false: "it is disabled, but no event disables it"}[p.Disabled])
	}
	if p.EmployeeID != row.EmployeeID {
		faults = append(faults, fmt.Sprintf("its employee id is %q, by the events %q", row.EmployeeID,
			p.EmployeeID))
	}
	if !p.emailChanged && p.Email != row.Email {
		faults = append(faults, fmt.Sprintf("its address is %s, by the events %s", row.Email, p.Email))
	}
	return faults
}
