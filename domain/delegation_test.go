package domain_test

import (
	"slices"
	"testing"
	"time"

	"countersign/domain"
)

// person is an ID that is easy to read.
func person(n byte) domain.ID { return domain.ID{15: n} }

// A delegation and an absence begin at From and have ended at Until, so that two that follow each
// other neither overlap nor leave a gap.
func TestPeriodsAreHalfOpen(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	end := start.Add(8 * time.Hour)
	first := domain.Delegation{From: start, Until: end}
	absent := domain.Absence{From: start, Until: end}
	for _, tc := range []struct {
		name string
		at   time.Time
		want bool
	}{{"before", start.Add(-time.Nanosecond), false}, {"at the start", start, true},
		{"in another zone", start.In(time.FixedZone("", 3600)), true},
		{"at the last moment", end.Add(-time.Nanosecond), true}, {"at the end", end, false}} {
		if first.At(tc.at) != tc.want || absent.At(tc.at) != tc.want {
			t.Errorf("%s: delegation %t, absence %t", tc.name, first.At(tc.at), absent.At(tc.at))
		}
	}
	for from := -3; from <= 11; from++ {
		for until := from + 1; until <= 11; until++ {
			common := false // hour in which both apply
			for hour := from; hour < until; hour++ {
				common = common || first.At(start.Add(time.Duration(hour)*time.Hour))
			}
			if first.Overlaps(start.Add(time.Duration(from)*time.Hour),
				start.Add(time.Duration(until)*time.Hour)) != common {
				t.Errorf("hours %d to %d: overlaps %t", from, until, !common)
			}
		}
	}
}

// A review is assigned to the first substitute who is in the office. A chain without one, or one
// that returns to its start, ends without anyone, so that the review stays in its queue.
func TestChainsOfSubstitutes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	away := func(who, substitute byte) domain.Absence {
		return domain.Absence{Person: person(who), Substitute: person(substitute),
			From: now.Add(-time.Hour), Until: now.Add(time.Hour)}
	}
	chain := func(length byte) (absences []domain.Absence) {
		for who := range length {
			absences = append(absences, away(who+1, who+2))
		}
		return absences
	}
	past := away(1, 2)
	past.Until = now
	future := away(1, 2)
	future.From = now.Add(time.Second)
	for name, tc := range map[string]struct {
		absences []domain.Absence
		want     byte
	}{
		"in the office":       {nil, 1},
		"another is away":     {[]domain.Absence{away(2, 3)}, 1},
		"back again":          {[]domain.Absence{past}, 1},
		"not yet away":        {[]domain.Absence{future}, 1},
		"one substitute":      {[]domain.Absence{away(1, 2)}, 2},
		"without substitute":  {[]domain.Absence{away(1, 0)}, 0},
		"two in turn":         {[]domain.Absence{away(2, 3), away(1, 2)}, 3},
		"the last has none":   {[]domain.Absence{away(1, 2), away(2, 0)}, 0},
		"one's own":           {[]domain.Absence{away(1, 1)}, 0},
		"a loop of two":       {[]domain.Absence{away(1, 2), away(2, 1)}, 0},
		"a loop later":        {[]domain.Absence{away(1, 2), away(2, 3), away(3, 2)}, 0},
		"five substitutes":    {chain(5), 6},
		"six are too many":    {chain(6), 0},
		"an ended one before": {[]domain.Absence{past, away(1, 3)}, 3},
	} {
		if got := domain.SubstituteOf(person(1), tc.absences, now); got != person(tc.want) {
			t.Errorf("%s: %s, want %s", name, got, person(tc.want))
		}
	}
}

func amount(minor int64) *int64 { return &minor }

// A delegate has at most the rights of the delegator, narrowed to the scope.
func TestDelegatorAsTheDelegateMayAct(t *testing.T) {
	t.Parallel()
	full := domain.User{ID: person(1), Roles: []domain.Role{domain.RoleSubmitter, domain.RoleL1},
		Queues: []string{"L1", "L2"}, Limits: []domain.Limit{
			{Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: 500},
			{Role: domain.RoleL1, Action: domain.ActDecide, DocumentType: "receipt", Unlimited: true},
		}}
	for name, tc := range map[string]struct {
		scope  domain.Scope
		queues []string
		limits []domain.Limit
	}{
		"everything": {domain.Scope{}, []string{"L1", "L2"}, full.Limits},
		"one queue":  {domain.Scope{Queues: []string{"L2", "AML"}}, []string{"L2"}, full.Limits},
		"no common queue": {domain.Scope{Queues: []string{"AML"}}, nil,
			full.Limits},
		"an amount between": {domain.Scope{BaseMinor: amount(700)}, full.Queues, []domain.Limit{
			full.Limits[0],
			{Role: domain.RoleL1, Action: domain.ActDecide, DocumentType: "receipt", BaseMinor: 700}}},
		"nothing at all": {domain.Scope{BaseMinor: amount(0)}, full.Queues, []domain.Limit{
			{Role: domain.RoleL1, Action: domain.ActDecide},
			{Role: domain.RoleL1, Action: domain.ActDecide, DocumentType: "receipt"}}},
		"a type with its own limit": {domain.Scope{DocumentTypes: []string{"receipt"}}, full.Queues,
			[]domain.Limit{full.Limits[1]}},
		"a type under the general limit": {domain.Scope{DocumentTypes: []string{"invoice"}},
			full.Queues, []domain.Limit{{Role: domain.RoleL1, Action: domain.ActDecide,
				DocumentType: "invoice", BaseMinor: 500}}},
		"both types up to an amount": {domain.Scope{DocumentTypes: []string{"invoice", "receipt"},
			BaseMinor: amount(600)}, full.Queues, []domain.Limit{
			{Role: domain.RoleL1, Action: domain.ActDecide, DocumentType: "invoice", BaseMinor: 500},
			{Role: domain.RoleL1, Action: domain.ActDecide, DocumentType: "receipt", BaseMinor: 600}}},
	} {
		got := full.AsDelegator(tc.scope)
		if got.HasRole(domain.RoleSubmitter) || !got.HasRole(domain.RoleL1) ||
			!slices.Equal(got.Queues, tc.queues) || !slices.Equal(got.Limits, tc.limits) {
			t.Errorf("%s: roles %v, queues %v, limits %+v", name, got.Roles, got.Queues, got.Limits)
		}
		if got.Delegated == nil || !slices.Equal(got.Delegated.Full.Roles, full.Roles) ||
			!slices.Equal(got.Delegated.Full.Queues, full.Queues) ||
			!slices.Equal(got.Delegated.Full.Limits, full.Limits) {
			t.Errorf("%s: the complete user is %+v", name, got.Delegated)
		}
	}
	if !full.HasRole(domain.RoleSubmitter) || len(full.Queues) != 2 ||
		!full.Limits[1].Unlimited || full.Delegated != nil {
		t.Errorf("the delegator was changed: %+v", full)
	}
}
