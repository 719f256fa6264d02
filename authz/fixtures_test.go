package authz_test

import (
	"slices"
	"testing"

	"countersign/authz"
	"countersign/domain"
	"pgregory.net/rapid"
)

// person returns a user with a recognizable id.
func person(n byte, roles ...domain.Role) domain.User {
	return domain.User{ID: domain.ID{6: 0x70, 8: 0x80, 15: n}, Name: string(rune('a' + n)),
		Roles: roles}
}

func limited(role domain.Role, documentType string, minor int64) domain.Limit {
	return domain.Limit{Role: role, DocumentType: documentType, Action: domain.ActDecide,
		BaseMinor: minor}
}

func unlimited(role domain.Role) domain.Limit {
	return domain.Limit{Role: role, Action: domain.ActDecide, Unlimited: true}
}

// junior returns a reviewer of L1 with a limit of 500,000 USD.
func junior(n byte) domain.User {
	user := person(n, domain.RoleL1)
	user.Queues = []string{domain.QueueL1}
	user.Limits = []domain.Limit{limited(domain.RoleL1, "", 50_000_000)}
	return user
}

// openReview returns a review in L1 that a junior can claim.
func openReview() domain.ReviewFacts {
	return domain.ReviewFacts{ReviewID: domain.ID{1}, CaseID: domain.ID{2}, Queue: domain.QueueL1,
		Level: 1, Duty: "case", Status: domain.ReviewOpen, DocumentType: "invoice", Country: "DE",
		CaseStatus: domain.InReview, BaseMinor: 10_000_00, AmountKnown: true, HasAmount: true,
		Submitter: domain.ID{15: 99}, PartyID: domain.ID{15: 98}}
}

func claimedBy(user domain.User) domain.ReviewFacts {
	facts := openReview()
	facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewClaimed, user.ID, true
	return facts
}

func authority(t testing.TB) *authz.Authority {
	t.Helper()
	authority, err := authz.New(authz.DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	return authority
}

// admits evaluates a filter for a review as the database does, independently of the policy.
func admits(t interface{ Fatalf(string, ...any) }, f domain.Filter, row domain.ReviewFacts) bool {
	switch {
	case f.Const != nil:
		return *f.Const
	case f.Not != nil:
		return !admits(t, *f.Not, row)
	case f.Compare != nil:
		return comparesRow(t, *f.Compare, row)
	case f.Anti != nil:
		return !slices.Contains(map[domain.AntiKind][]domain.ID{domain.AntiVote: row.VotedIDs,
			domain.AntiInterest: row.InterestedIDs,
			domain.AntiConflict: row.ConflictedIDs}[f.Anti.Kind], f.Anti.Person)
	case f.EveryCountry != nil:
		holds := admits(t, *f.EveryCountry, row)
		for _, country := range row.OtherCountries {
			row.Country = country
			holds = holds && admits(t, *f.EveryCountry, row)
		}
		return holds
	case f.Exists != nil:
		t.Fatalf("a filter over reviews refers to other reviews of the case")
		return false
	case f.Or != nil:
		return slices.ContainsFunc(f.Or,
			func(part domain.Filter) bool { return admits(t, part, row) })
	}
	return !slices.ContainsFunc(f.And,
		func(part domain.Filter) bool { return !admits(t, part, row) })
}

// drawOtherCountries draws the countries of the risk basis besides the one in force.
func drawOtherCountries(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"DE", "FR", "IR", "US"}), 0, 2).
		Draw(t, "other countries")
}

func comparesRow(
	t interface{ Fatalf(string, ...any) }, c domain.Comparison, row domain.ReviewFacts,
) bool {
	value := map[domain.Column]any{domain.ColQueue: row.Queue, domain.ColLevel: int64(row.Level),
		domain.ColDocumentType: row.DocumentType, domain.ColCountry: row.Country,
		domain.ColBaseMinor: row.BaseMinor, domain.ColAmountKnown: row.AmountKnown,
		domain.ColSubmitter: row.Submitter, domain.ColAssignee: row.Assignee,
		domain.ColStatus: string(row.Status), domain.ColDrawn: row.Drawn}[c.Column]
	number, _ := value.(int64)
	with, _ := c.Value.(int64)
	switch c.Op {
	case "==":
		return value == c.Value
	case "!=":
		return value != c.Value
	case "<":
		return number < with
	case "<=":
		return number <= with
	case ">":
		return number > with
	case ">=":
		return number >= with
	case "in":
		text, _ := value.(string)
		return slices.Contains(c.Values, text)
	}
	t.Fatalf("unknown operator %q", c.Op)
	return false
}

// admitsCase evaluates a filter for a case.
func admitsCase(t interface{ Fatalf(string, ...any) }, f domain.Filter, row domain.CaseFacts) bool {
	switch {
	case f.Exists != nil && f.Exists.DecidedBy != domain.NoID:
		return slices.Contains(row.Deciders, f.Exists.DecidedBy)
	case f.Exists != nil:
		return slices.ContainsFunc(row.OpenQueues,
			func(queue string) bool { return slices.Contains(f.Exists.Queues, queue) })
	case f.Not != nil:
		return !admitsCase(t, *f.Not, row)
	case f.Or != nil:
		return slices.ContainsFunc(f.Or,
			func(part domain.Filter) bool { return admitsCase(t, part, row) })
	case f.And != nil:
		return !slices.ContainsFunc(f.And,
			func(part domain.Filter) bool { return !admitsCase(t, part, row) })
	}
	return admits(t, f,
		domain.ReviewFacts{DocumentType: row.DocumentType, Country: row.Country,
			OtherCountries: row.OtherCountries, BaseMinor: row.BaseMinor, AmountKnown: row.AmountKnown, Submitter: row.Submitter,
			ConflictedIDs: row.ConflictedIDs})
}
