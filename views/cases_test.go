package views_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"countersign/domain"
	"countersign/views"
)

// listedAll reads all pages of a list of cases.
func (env *testEnv) listedAll(actor domain.Actor, query views.CaseQuery) (ids []domain.ID) {
	env.t.Helper()
	for {
		page, err := env.views.Cases(env.ctx, actor, query)
		must(env.t, err)
		for i := range page.Cases {
			ids = append(ids, page.Cases[i].ID)
		}
		if !page.HasMore {
			return ids
		}
		query.After = page.Cursor()
	}
}

// Every order lists every case exactly once, whatever the size of its pages, also if many have the same
// value.
func TestCasesAreSorted(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, mia := env.person("sam", domain.RoleSubmitter), env.person("mia", domain.RoleManager)
	var all []domain.ID
	for _, total := range []string{"2000.00", "7000.00", "2000.00", "90000.00", "7000.00", "damaged"} {
		all = append(all, env.submit(sam, total))
	}
	for i, risk := range []int{10, 30, 30, 90, 10, 0} {
		env.sql(`UPDATE cases SET risk = $2 WHERE id = $1`, all[i], risk)
	}
	key := func(of func(domain.Case) int64) map[domain.ID]int64 {
		keys := map[domain.ID]int64{}
		for _, id := range all {
			c, err := env.db.Reader().Case(env.ctx, id)
			must(t, err)
			keys[id] = of(c)
		}
		return keys
	}
	amounts := key(func(c domain.Case) int64 { return c.BaseMinor })
	risks := key(func(c domain.Case) int64 { return int64(c.Risk) })
	none := key(func(domain.Case) int64 { return 0 })
	for sort, tc := range map[views.CaseSort]struct {
		keys       map[domain.ID]int64
		descending bool
	}{"": {none, true}, views.CasesNewest: {none, true}, views.CasesOldest: {none, false},
		views.CasesAmountHighest: {amounts, true}, views.CasesAmountLowest: {amounts, false},
		views.CasesRiskHighest: {risks, true}, views.CasesRiskLowest: {risks, false}} {
		want := sorted(all)
		slices.SortStableFunc(want, func(a, b domain.ID) int { return cmp.Compare(tc.keys[a], tc.keys[b]) })
		if tc.descending {
			slices.Reverse(want)
		}
		for size := 1; size <= len(all)+1; size++ {
			if got := env.listedAll(mia, views.CaseQuery{Sort: sort, Limit: size}); !slices.Equal(got, want) {
				t.Errorf("%s by pages of %d: %v, want %v", sort, size, got, want)
			}
		}
	}
	env.wantDeadlineOrder(mia, all[:5])
}

// wantDeadlineOrder checks the order by deadline: of a claimed review until it is decided, of another
// one until it is claimed.
func (env *testEnv) wantDeadlineOrder(mia domain.Actor, inReview []domain.ID) {
	env.t.Helper()
	now := env.now()
	var want []domain.ID
	for i, hours := range []int{5, 1, 3, 1, 4} {
		review := env.reviewOf(inReview[i])
		env.sql(`UPDATE reviews SET claim_by = $2, decide_by = $3 WHERE id = $1`, review.ID,
			now.Add(time.Duration(hours)*time.Hour), now.Add(10*time.Hour))
	}
	want = []domain.ID{inReview[1], inReview[3], inReview[2], inReview[4], inReview[0]}
	rita := env.person("rita", domain.RoleL1)
	env.claim(rita, env.reviewOf(inReview[2]))
	env.sql(`UPDATE reviews SET decide_by = $2 WHERE case_id = $1`, inReview[2], now.Add(20*time.Hour))
	want = append(slices.Delete(want, 2, 3), inReview[2])
	for size := 1; size <= len(inReview)+1; size++ {
		got := env.listedAll(mia, views.CaseQuery{Sort: views.CasesDeadline, Limit: size})
		if !slices.Equal(got, want) {
			env.t.Errorf("by deadline, pages of %d: %v, want %v", size, got, want)
		}
	}
}

// Each filter finds exactly the cases with the value, and filters apply together.
func TestCasesAreFiltered(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	mia, rita := env.person("mia", domain.RoleManager), env.person("rita", domain.RoleL1)
	ids := []domain.ID{env.submit(sam, "2000.00", "Alpha GmbH"), env.submit(sue, "7000.00", "Beta 100%_ AG"),
		env.submit(sam, "90000.00", "Alpha Nord"), env.submit(sue, "damaged")}
	for i, risk := range []int{10, 40, 90, 0} {
		env.sql(`UPDATE cases SET risk = $2, channel = $3, created_at = $4 WHERE id = $1`, ids[i], risk,
			[]string{"web", "mail", "api", "mail"}[i], time.Date(2026, 3, 1+i, 12, 0, 0, 0, time.UTC))
	}
	env.sql(`UPDATE cases SET document_type = 'receipt' WHERE id = $1`, ids[1])
	env.sql(`UPDATE cases SET risk_minor = 500000000, risk_currency = 'USD' WHERE id = $1`, ids[0])
	minor := func(n int64) *int64 { return &n }
	number := func(n int) *int { return &n }
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	for name, tc := range map[string]struct {
		query views.CaseQuery
		want  []int
	}{
		"process":              {views.CaseQuery{Process: "document_approval"}, []int{0, 1, 2, 3}},
		"another process":      {views.CaseQuery{Process: "other"}, nil},
		"type":                 {views.CaseQuery{DocumentType: "receipt"}, []int{1}},
		"source":               {views.CaseQuery{Channel: domain.ChannelMail}, []int{1, 3}},
		"counterparty":         {views.CaseQuery{Counterparty: "alpha"}, []int{0, 2}},
		"a pattern is letters": {views.CaseQuery{Counterparty: "a%"}, nil},
		"its letters":          {views.CaseQuery{Counterparty: "100%_"}, []int{1}},
		"submitter":            {views.CaseQuery{Submitter: sue.UserID}, []int{1, 3}},
		"from":                 {views.CaseQuery{From: day(3)}, []int{2, 3}},
		"to":                   {views.CaseQuery{To: day(3)}, []int{0, 1}},
		"days":                 {views.CaseQuery{From: day(2), To: day(3)}, []int{1}},
		"amount":               {views.CaseQuery{Currency: "EUR", MinMinor: minor(700000), MaxMinor: minor(9000000)}, []int{1, 2}},
		"amount from":          {views.CaseQuery{Currency: "EUR", MinMinor: minor(700001)}, []int{2}},
		"amount at risk":       {views.CaseQuery{Currency: "USD", MaxMinor: minor(500000000)}, []int{0}},
		"no amount":            {views.CaseQuery{Currency: "GBP"}, nil},
		"risk":                 {views.CaseQuery{MinRisk: number(40), MaxRisk: number(40)}, []int{1}},
		"risk from":            {views.CaseQuery{MinRisk: number(40)}, []int{1, 2}},
		"queue":                {views.CaseQuery{Queue: domain.QueueL1}, []int{0, 1, 2}},
		"another queue":        {views.CaseQuery{Queue: domain.QueueL2}, nil},
		"another rule":         {views.CaseQuery{Rule: "none"}, nil},
		"several":              {views.CaseQuery{Counterparty: "alpha", MinRisk: number(50), Queue: "L1"}, []int{2}},
	} {
		for _, sort := range []views.CaseSort{views.CasesOldest, views.CasesAmountLowest, views.CasesRiskLowest} {
			tc.query.Limit, tc.query.Sort = 1, sort
			var want []domain.ID
			for _, i := range tc.want {
				want = append(want, ids[i])
			}
			if got := env.listedAll(mia, tc.query); !slices.Equal(sorted(got), sorted(want)) {
				t.Errorf("%s, %s: %v, want %v of %v", name, sort, got, want, ids)
			}
		}
	}
	findings, err := env.db.Reader().Findings(env.ctx, ids[2])
	must(t, err)
	if len(findings) == 0 {
		t.Fatal("the case has no finding")
	}
	found := env.listedAll(mia, views.CaseQuery{Rule: findings[0].Rule, Limit: 10})
	if !slices.Contains(found, ids[2]) {
		t.Errorf("by the rule %s: %v", findings[0].Rule, found)
	}
	// A junior does not see the names of submitters, so they cannot ask what one submitted.
	_, err = env.views.Cases(env.ctx, rita, views.CaseQuery{Submitter: sam.UserID, Limit: 5})
	wantCode(t, err, domain.NotFound)
	_, absent := env.views.Cases(env.ctx, rita, views.CaseQuery{Submitter: domain.NewID(), Limit: 5})
	if fmt.Sprint(err) != fmt.Sprint(absent) {
		t.Errorf("a submitter: %v, an absent person: %v", err, absent)
	}
	if own := env.listedAll(sue, views.CaseQuery{Submitter: sue.UserID, Limit: 5}); len(own) != 2 {
		t.Errorf("sue's own cases: %v", own)
	}
}
