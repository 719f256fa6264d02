package authz_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"countersign/authz"
	"countersign/domain"
)

var (
	drawnQueues = []string{"L1", "L2", "AML", "credit"}
	drawnTypes  = []string{"invoice", "receipt", "remittance"}
	drawnRoles  = []domain.Role{domain.RoleSubmitter, domain.RoleL1, domain.RoleL2,
		domain.RoleManager, "custom"}
	drawnConditions = []string{"", "true", `review.queue == "L1"`, `review.base_minor <= 5000`,
		`!review.amount_known || review.base_minor > 100`,
		`review.country in ["DE", "FR"] && review.level < 2`, `review.document_type != "receipt"`,
		`review.queue in user.queues`, `"custom" in user.roles || review.level >= 2`,
		`review.submitter != user.id`,
		`review.status == "open"`, `!(review.country == "DE")`}
	drawnCaseConditions = []string{"", `review.base_minor <= 5000`, `review.country in ["DE"]`,
		`review.submitter == user.id`, `!review.amount_known`}
)

func drawSome[T any](t *rapid.T, name string, of []T) []T {
	return rapid.SliceOfN(rapid.SampledFrom(of), 0, 3).Draw(t, name)
}

func drawPeople(t *rapid.T) []domain.User {
	people := make([]domain.User, 4)
	for i := range people {
		user := person(byte(i+1), drawSome(t, "roles", drawnRoles)...)
		user.Queues = drawSome(t, "queues", drawnQueues)
		user.Disabled = rapid.IntRange(0, 19).Draw(t, "disabled") == 19
		for _, role := range user.Roles { // otherwise limits would refuse nearly every action
			if rapid.IntRange(0, 3).Draw(t, "limited") > 0 {
				user.Limits = append(user.Limits,
					limited(role, "", rapid.Int64Range(5_000, 40_000).Draw(t, "own limit")))
			}
		}
		for range rapid.IntRange(0, 4).Draw(t, "limits") {
			user.Limits = append(user.Limits, domain.Limit{
				Role: rapid.SampledFrom(drawnRoles).Draw(t, "limit role"),
				DocumentType: rapid.SampledFrom(append([]string{"", ""}, drawnTypes...)).Draw(t,
					"limit type"),
				Action: rapid.SampledFrom(
					[]domain.Action{domain.ActDecide, domain.ActDecide, domain.ActClaim}).Draw(t,
					"limit action"),
				Unlimited: rapid.IntRange(0, 3).Draw(t, "unlimited") == 0,
				BaseMinor: rapid.Int64Range(0, 20_000).Draw(t, "limit"),
			})
		}
		people[i] = user
	}
	return people
}

func drawPolicy(t *rapid.T) authz.Policy {
	policy := authz.Policy{Version: 1}
	for i, role := range drawnRoles {
		if rapid.IntRange(0, 2).Draw(t, "plain") > 0 {
			policy.Rules = append(policy.Rules,
				authz.Rule{Name: fmt.Sprintf("plain %d", i), Role: role, Action: domain.ActClaim,
					Object: rapid.SampledFrom(
						[]authz.Object{authz.AnyReview, authz.QueueReview}).Draw(
						t, "plain object")})
		}
	}
	for i := range rapid.IntRange(0, 8).Draw(t, "rules") {
		rule := authz.Rule{Name: fmt.Sprintf("rule %d", i),
			Role: rapid.SampledFrom(drawnRoles).Draw(t, "rule role")}
		if rapid.Bool().Draw(t, "on cases") {
			rule.Action = domain.ActRead
			rule.Object = rapid.SampledFrom([]authz.Object{authz.AnyCase, authz.OwnCase,
				authz.QueueCase}).Draw(t, "case object")
			rule.Condition = rapid.SampledFrom(drawnCaseConditions).Draw(t, "case condition")
		} else {
			rule.Action = rapid.SampledFrom([]domain.Action{domain.ActClaim, domain.ActClaim,
				domain.ActRead}).Draw(t, "action")
			rule.Object = rapid.SampledFrom([]authz.Object{authz.AnyReview, authz.QueueReview,
				authz.QueueReview}).Draw(t, "review object")
			rule.Condition = rapid.SampledFrom(drawnConditions).Draw(t, "condition")
		}
		if rapid.IntRange(0, 5).Draw(t, "deny") == 5 {
			rule.Effect = authz.Deny
		}
		policy.Rules = append(policy.Rules, rule)
	}
	return policy
}

func drawPersons(t *rapid.T, name string) []domain.ID {
	var ids []domain.ID
	for _, n := range rapid.SliceOfN(rapid.IntRange(1, 12), 0, 1).Draw(t, name) {
		ids = append(ids, person(byte(n)).ID)
	}
	return ids
}

func drawReview(t *rapid.T) domain.ReviewFacts {
	facts := domain.ReviewFacts{
		Queue: rapid.SampledFrom(drawnQueues).Draw(t, "queue"),
		Level: rapid.IntRange(0, 3).Draw(t, "level"),
		Status: rapid.SampledFrom([]domain.ReviewStatus{domain.ReviewOpen, domain.ReviewOpen,
			domain.ReviewClaimed, domain.ReviewDecided, domain.ReviewCancelled}).Draw(t, "status"),
		DocumentType:   rapid.SampledFrom(drawnTypes).Draw(t, "type"),
		Country:        rapid.SampledFrom([]string{"", "DE", "FR", "US"}).Draw(t, "country"),
		OtherCountries: drawOtherCountries(t),
		BaseMinor:      rapid.Int64Range(-30_000, 30_000).Draw(t, "base"),
		AmountKnown:    rapid.IntRange(0, 4).Draw(t, "known") > 0,
		ClaimActive:    rapid.Bool().Draw(t, "live"),
		Submitter:      person(byte(rapid.IntRange(1, 9).Draw(t, "submitter"))).ID,
		InterestedIDs:  drawPersons(t, "interested"),
		VotedIDs:       drawPersons(t, "voted"),
		ConflictedIDs:  drawPersons(t, "conflicted"),
	}
	facts.Drawn = rapid.IntRange(0, 3).Draw(t, "drawn") == 0
	if facts.Status == domain.ReviewClaimed || rapid.IntRange(0, 3).Draw(t, "assigned") == 0 {
		facts.Assignee = person(byte(rapid.IntRange(1, 4).Draw(t, "assignee"))).ID
	}
	return facts
}

// TestQueueFilterEqualsAuthorize checks that the filters match exactly the reviews that Authorize
// allows.
func TestQueueFilterEqualsAuthorize(t *testing.T) {
	t.Parallel()
	admitted, refused := 0, 0
	agree := func(t *rapid.T) {
		authority, err := authz.New(drawPolicy(t))
		if err != nil {
			t.Fatal(err)
		}
		people := drawPeople(t)
		rows := rapid.SliceOfN(rapid.Custom(drawReview), 1, 12).Draw(t, "rows")
		for i, user := range people {
			other := people[(i+1)%len(people)]
			own, err1 := authority.QueueFilter(user)
			delegated, err2 := authority.QueueFilterOnBehalfOf(user, other)
			read, err3 := authority.ReviewReadFilter(user)
			if err1 != nil || err2 != nil || err3 != nil {
				t.Fatal(err1, err2, err3)
			}
			for _, row := range rows {
				permit, reason := authority.Authorize(user, domain.ActClaim, row)
				if got := admits(t, own, row); got != permit.Allowed || got != (reason == nil) {
					t.Fatalf("claim: filter %t, Authorize %t (%v)\nuser %+v\nrow %+v\nfilter %+v",
						got, permit.Allowed, reason, user, row, own)
				}
				if permit.Allowed {
					admitted++
				} else {
					refused++
				}
				permit, reason = authority.AuthorizeOnBehalfOf(user, other, domain.ActClaim, row)
				if got := admits(t, delegated, row); got != permit.Allowed {
					t.Fatalf("delegated: filter %t, Authorize %t (%v)\nuser %+v\nfor %+v\nrow %+v",
						got, permit.Allowed, reason, user, other, row)
				}
				permit, reason = authority.Authorize(user, domain.ActRead, row)
				if got := admits(t, read, row); got != permit.Allowed {
					t.Fatalf("read: filter %t, Authorize %t (%v)\nuser %+v\nrow %+v", got,
						permit.Allowed, reason, user, row)
				}
			}
		}
	}
	// Short runs draw only a fifth of the samples, so more are drawn until both results are
	// frequent enough.
	for rounds := 0; rounds < 5 && (admitted < 15 || refused < 15); rounds++ {
		rapid.Check(t, agree)
	}
	t.Logf("%d admitted, %d refused", admitted, refused)
	if admitted < 15 || refused < 15 {
		t.Fatalf("the random samples are too one-sided: %d admitted, %d refused", admitted, refused)
	}
}

func TestReadFilterEqualsAuthorizeCase(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		authority, err := authz.New(drawPolicy(t))
		if err != nil {
			t.Fatal(err)
		}
		people := drawPeople(t)
		for range 10 {
			row := domain.CaseFacts{
				Submitter:      person(byte(rapid.IntRange(1, 6).Draw(t, "submitter"))).ID,
				DocumentType:   rapid.SampledFrom(drawnTypes).Draw(t, "type"),
				Country:        rapid.SampledFrom([]string{"", "DE", "US"}).Draw(t, "country"),
				OtherCountries: drawOtherCountries(t),
				BaseMinor:      rapid.Int64Range(-9_000, 9_000).Draw(t, "base"),
				AmountKnown:    rapid.Bool().Draw(t, "known"),
				ConflictedIDs:  drawPersons(t, "conflicted"),
				OpenQueues:     drawSome(t, "open", drawnQueues),
				Deciders:       drawPersons(t, "deciders"),
			}
			for _, user := range people {
				filter, err := authority.ReadFilter(user)
				if err != nil {
					t.Fatal(err)
				}
				permit, reason := authority.AuthorizeCase(user, domain.ActRead, row)
				if got := admitsCase(t, filter, row); got != permit.Allowed ||
					got != (reason == nil) {
					t.Fatalf("filter %t, AuthorizeCase %t (%v)\nuser %+v\nrow %+v\nfilter %+v", got,
						permit.Allowed, reason, user, row, filter)
				}
			}
		}
	})
}

// TestEligibleEqualsAuthorize checks that the eligible people are those who could claim the review
// if it were open.
func TestEligibleEqualsAuthorize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		authority, err := authz.New(drawPolicy(t))
		if err != nil {
			t.Fatal(err)
		}
		people, facts := drawPeople(t), drawReview(t)
		facts.Status, facts.Assignee, facts.Drawn = domain.ReviewOpen, domain.NoID, false
		eligible := map[domain.ID]bool{}
		claimed := facts
		claimed.Status, claimed.Assignee = domain.ReviewClaimed, person(40).ID
		for _, user := range authority.Eligible(people, domain.ActClaim, claimed) {
			eligible[user.ID] = true
		}
		for _, user := range people {
			if _, err := authority.Authorize(user, domain.ActClaim,
				facts); (err == nil) != eligible[user.ID] {
				t.Fatalf("eligible %t, but Authorize returns %v for %+v", eligible[user.ID],
					err, user)
			}
		}
	})
}
