package views_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/store"
	"countersign/views"
)

// A rehearsal of cases that went through the service repeats what happened: straight through, approved,
// rejected and returned. With a review for all, the recorded verdicts stay, and only the case that went
// straight through gets a review without one.
func TestRehearsalRepeatsTheRecord(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, sam := env.person("ada", domain.RoleAdmin), env.person("sam", domain.RoleSubmitter)
	lena := env.person("lena", domain.RoleL1)
	approved := env.submit(sam, "2000.00", "Acme GmbH")
	env.decide(lena, env.reviewOf(approved), domain.Approve)
	rejected := env.submit(sam, "3000.00", "Acme GmbH")
	env.decide(lena, env.reviewOf(rejected), domain.Reject)
	returned := env.submit(sam, "4000.00", "Acme GmbH")
	env.decide(lena, env.reviewOf(returned), domain.Return)
	straight := env.submit(sam, "600.00", "Acme GmbH")
	rows, err := env.db.Reader().Definitions(env.ctx)
	must(t, err)
	at := slices.IndexFunc(rows, func(row store.DefinitionRow) bool { return row.Key == "document_approval" })
	text := rows[at].Document
	rehearse := func(change string) *views.Rehearsal {
		made, err := env.views.Rehearse(env.ctx, ada, views.RehearsalQuery{Closed: 10, Open: true, Named: 10,
			Zone: "UTC", Change: views.RehearsalChange{Process: change}})
		must(t, err)
		return made
	}
	same := rehearse(text)
	want := domain.RehearsalCounts{Same: 4, ComparedWithRecord: 3}
	if same.RehearsalCounts != want || same.Closed != 3 || same.Open != 1 {
		t.Errorf("the same text: %+v", same)
	}
	all := rehearse(strings.Replace(text, "base_minor < 100000", "base_minor < 0", 1))
	want = domain.RehearsalCounts{Same: 3, MoreReviews: 1, StraightToPerson: 1, ComparedWithRecord: 3}
	if all.RehearsalCounts != want || len(all.Different) != 1 || all.Different[0].Case.ID != straight ||
		all.Different[0].Asked[0].Verdict != "" {
		t.Errorf("a review for all: %+v", all)
	}
}
