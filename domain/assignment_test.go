package domain_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

// A queue assigns to no one at its cap or without a required skill, prefers people who can claim one more, and
// takes one at that limit rather than leave the review without a person. Turns reach everyone.
func TestWhomAQueueAssigns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rule := domain.QueueRule{Strategy: rapid.SampledFrom(domain.Strategies()).Draw(t, "strategy"),
			Cap: rapid.IntRange(0, 4).Draw(t, "cap")}
		limit := rapid.IntRange(1, 4).Draw(t, "claim limit")
		var people []domain.ID
		loads, skills := map[domain.ID]int{}, map[domain.ID][]string{}
		for range rapid.IntRange(1, 5).Draw(t, "people") {
			id := domain.NewID()
			people, loads[id] = append(people, id), rapid.IntRange(0, 6).Draw(t, "load")
			if rapid.Bool().Draw(t, "skilled") {
				skills[id] = []string{"invoice", "french"}
			}
		}
		required := domain.RequiredSkills([]string{"french"}, "invoice")
		able := rule.Skilled(slices.Clone(people), required, skills)
		found := rule.WithRoom(slices.Clone(able), loads, limit)
		anyBelow := false
		for _, id := range people {
			fits := (rule.Strategy != domain.StrategySkill || skills[id] != nil) &&
				(rule.Cap == 0 || loads[id] < rule.Cap)
			anyBelow = anyBelow || fits && loads[id] < limit
			if slices.Contains(found, id) && !fits {
				t.Fatalf("a person with %d open reviews and the skills %v is asked by %+v", loads[id], skills[id], rule)
			}
			if fits && loads[id] < limit && !slices.Contains(found, id) {
				t.Fatalf("a person with %d open reviews is not asked by %+v", loads[id], rule)
			}
		}
		if len(found) == 0 {
			return
		}
		least := domain.FewestOpen(found, loads)
		if anyBelow && loads[least] >= limit {
			t.Fatalf("a person with %d open reviews is asked, others have fewer than %d", loads[least], limit)
		}
		turns, last := map[domain.ID]bool{}, domain.NoID
		for range found {
			last = domain.NextInTurn(found, last)
			turns[last] = true
		}
		if len(turns) != len(found) {
			t.Fatalf("%d of %d people had a turn", len(turns), len(found))
		}
	})
}
