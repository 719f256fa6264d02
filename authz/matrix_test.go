package authz_test

import (
	"math"
	"slices"
	"testing"

	"countersign/authz"
	"countersign/domain"
	"pgregory.net/rapid"
)

var matrixTypes = []string{"invoice", "receipt"}

// drawMatrixRule draws a rule about documents of some type, often with a condition about the type.
func drawMatrixRule(t *rapid.T, name string) authz.Rule {
	action := rapid.SampledFrom([]domain.Action{domain.ActDecide, domain.ActClaim, domain.ActEscalate,
		domain.ActCorrect, domain.ActRelease}).Draw(t, "action")
	return authz.Rule{Name: name, Action: action,
		Role:   rapid.SampledFrom([]domain.Role{domain.RoleL1, domain.RoleSenior}).Draw(t, "role"),
		Object: rapid.SampledFrom([]authz.Object{authz.QueueReview, authz.AnyReview}).Draw(t, "object"),
		Effect: rapid.SampledFrom([]authz.Effect{authz.Allow, authz.Allow, authz.Allow, authz.Deny}).Draw(t, "effect"),
		Condition: rapid.SampledFrom([]string{"", "", `review.document_type == "invoice"`,
			`review.document_type != "invoice"`, `review.document_type in ["receipt", "memo"]`,
			`!(review.document_type == "receipt") && review.base_minor <= 5000`,
			`review.document_type == "invoice" || review.queue == "L2"`, `review.base_minor > 900`,
			`"invoice" == review.document_type`, `user.id == review.submitter`}).Draw(t, "condition")}
}

// What the matrix says of a role, an action, a type and an amount is what the enforcer decides about a
// person with this role. Conditional cells promise only the limit.
func TestTheMatrixIsWhatDecides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		policy := authz.Policy{Version: 1}
		for i := range rapid.IntRange(1, 6).Draw(t, "rules") {
			policy.Rules = append(policy.Rules, drawMatrixRule(t, string(rune('a'+i))))
		}
		authority, err := authz.New(policy)
		if err != nil {
			t.Fatal(err)
		}
		var limits []domain.Limit
		for _, role := range []domain.Role{domain.RoleL1, domain.RoleSenior} {
			for _, name := range append([]string{""}, matrixTypes...) {
				switch rapid.IntRange(0, 3).Draw(t, "limit") {
				case 1, 2:
					limits = append(limits, limited(role, name, rapid.Int64Range(0, 10_000).Draw(t, "minor")))
				case 3:
					one := unlimited(role)
					one.DocumentType = name
					limits = append(limits, one)
				}
			}
		}
		cells := authority.Matrix(limits, []domain.Role{domain.RoleL1, domain.RoleSenior}, matrixTypes)
		for range 40 {
			checkMatrixCell(t, authority, limits, rapid.SampledFrom(cells).Draw(t, "cell"))
		}
	})
}

func checkMatrixCell(t *rapid.T, authority *authz.Authority, limits []domain.Limit, cell authz.MatrixCell) {
	user := person(1, cell.Role)
	user.Queues = []string{domain.QueueL1}
	for _, limit := range limits {
		if limit.Role == cell.Role {
			user.Limits = append(user.Limits, limit)
		}
	}
	facts := openReview()
	facts.DocumentType = rapid.SampledFrom(append([]string{"contract"}, matrixTypes...)).Draw(t, "type")
	facts.Queue = rapid.SampledFrom([]string{domain.QueueL1, domain.QueueL2}).Draw(t, "queue")
	facts.BaseMinor = rapid.Int64Range(-11_000, 11_000).Draw(t, "amount")
	facts.AmountKnown = rapid.Bool().Draw(t, "known")
	if cell.Action != domain.ActClaim {
		facts.Status, facts.Assignee, facts.ClaimActive = domain.ReviewClaimed, user.ID, true
	}
	if !slices.Contains(authz.ObjectsOf(cell.Action), authz.QueueReview) {
		return
	}
	entry := cell.Others
	if at := slices.IndexFunc(cell.Types, func(e authz.MatrixEntry) bool {
		return e.DocumentType == facts.DocumentType
	}); at >= 0 {
		entry = cell.Types[at]
	}
	within := true
	if cell.Limited {
		most := int64(-1)
		if entry.Limit != nil {
			if most = entry.Limit.BaseMinor; entry.Limit.Unlimited {
				most = math.MaxInt64
			}
		}
		within = most == math.MaxInt64 ||
			facts.AmountKnown && max(facts.BaseMinor, -facts.BaseMinor) <= most
	}
	applies := func(grant authz.MatrixGrant) bool {
		return grant.Object == authz.AnyReview || facts.Queue == domain.QueueL1
	}
	_, refused := authority.Authorize(user, cell.Action, facts)
	switch granted := slices.ContainsFunc(entry.Grants, applies); {
	case entry.Verdict == authz.VerdictNone, entry.Verdict == authz.VerdictDenied,
		entry.Verdict == authz.VerdictNoLimit, !granted, !within:
		if refused == nil {
			t.Fatalf("allowed against %s %s %+v: %+v", cell.Role, cell.Action, entry, facts)
		}
	case slices.ContainsFunc(entry.Grants, func(grant authz.MatrixGrant) bool {
		return applies(grant) && !grant.Conditional
	}):
		if refused != nil {
			t.Fatalf("refused against %s %s %+v: %+v: %v", cell.Role, cell.Action, entry, facts, refused)
		}
	}
}

// A limit of a type takes the place of the general one, also if it is lower; a limit without a rule, and a
// rule without a limit, allow nothing.
func TestTheMatrixNamesTheLimitThatApplies(t *testing.T) {
	t.Parallel()
	limits := []domain.Limit{limited(domain.RoleL1, "", 500_00), limited(domain.RoleL1, "invoice", 20_00),
		unlimited(domain.RoleAuditor)}
	cells := authority(t).Matrix(limits, []domain.Role{domain.RoleL1, domain.RoleSenior, domain.RoleAuditor}, matrixTypes)
	of := func(role domain.Role, action domain.Action) authz.MatrixCell {
		return cells[slices.IndexFunc(cells, func(c authz.MatrixCell) bool {
			return c.Role == role && c.Action == action
		})]
	}
	decide := of(domain.RoleL1, domain.ActDecide)
	if !decide.Limited || decide.Others.Limit.BaseMinor != 500_00 || len(decide.Types) != 1 ||
		decide.Types[0].Limit.BaseMinor != 20_00 || decide.Types[0].DocumentType != "invoice" {
		t.Errorf("decide: %+v", decide)
	}
	if got := of(domain.RoleSenior, domain.ActDecide).Others; got.Verdict != authz.VerdictNoLimit || got.Limit != nil {
		t.Errorf("without a limit: %+v", got)
	}
	if got := of(domain.RoleAuditor, domain.ActDecide).Others; got.Verdict != authz.VerdictNone || got.Limit != nil {
		t.Errorf("without a rule: %+v", got)
	}
	for action, limited := range map[domain.Action]bool{domain.ActClaim: true, domain.ActEscalate: true,
		domain.ActCorrect: false, domain.ActRead: false, domain.ActRelease: false, domain.ActSubmit: false,
		domain.ActReassign: false, domain.ActEnter: false} {
		if of(domain.RoleL1, action).Limited != limited {
			t.Errorf("%s: limits apply: %t", action, !limited)
		}
	}
}

// No person decides a larger amount than the comparison shows, and they decide the amount that it shows.
func TestComparedAmountsAreWhatIsDecided(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var rules []authz.Rule
		for i := range rapid.IntRange(1, 4).Draw(t, "rules") {
			rule := drawMatrixRule(t, string(rune('a'+i)))
			rule.Action, rule.Role = domain.ActDecide, domain.RoleL1
			rules = append(rules, rule)
		}
		none, err := authz.New(authz.Policy{Version: 1})
		if err != nil {
			t.Fatal(err)
		}
		after, err := authz.New(authz.Policy{Version: 2, Rules: rules})
		if err != nil {
			t.Fatal(err)
		}
		user := person(1, domain.RoleL1)
		user.Queues = []string{domain.QueueL1}
		var changes []authz.LimitChange
		for _, name := range []string{"", "invoice", "receipt"} {
			if after := rapid.SampledFrom([]string{"none", "unlimited", "70.00 USD", "9.50 USD"}).Draw(t, "limit"); after != "none" {
				changes = append(changes, authz.LimitChange{Role: domain.RoleL1, DocumentType: name,
					Before: "none", After: after})
			}
		}
		later := func(user domain.User) domain.User { return authz.WithLimits(user, changes) }
		comparison := authz.Compare(none, after, []string{domain.QueueL1, domain.QueueL2}).
			Changing([]string{"invoice", "receipt"}, later)
		shown := comparison.Of(user)
		if !comparison.Complete() {
			return // more classes of reviews than a comparison asks about: it says so, and the page does
		}
		facts := claimedBy(user)
		facts.DocumentType = rapid.SampledFrom([]string{"invoice", "receipt", "memo", "contract"}).Draw(t, "type")
		facts.Queue = rapid.SampledFrom([]string{domain.QueueL1, domain.QueueL2}).Draw(t, "queue")
		facts.BaseMinor = rapid.Int64Range(-11_000, 11_000).Draw(t, "amount")
		facts.AmountKnown = rapid.Bool().Draw(t, "known")
		facts.Submitter = rapid.SampledFrom([]domain.ID{facts.Submitter, user.ID}).Draw(t, "submitter")
		bound := authz.Bound{}
		for _, name := range []string{"", facts.DocumentType} {
			for _, one := range shown.Amounts {
				if one.DocumentType == name {
					bound = one.After
				}
			}
		}
		if _, refused := after.Authorize(later(user), domain.ActDecide, facts); refused == nil &&
			(!bound.Granted || !facts.AmountKnown && !bound.Unknown || facts.AmountKnown &&
				!bound.Unlimited && (facts.BaseMinor > bound.BaseMinor || -facts.BaseMinor > bound.BaseMinor && !bound.Credits)) {
			t.Fatalf("decides more than %+v: %+v", shown.Amounts, facts)
		}
	})
}

// The comparison of other limits names every person and type whose bound changes, as the enforcer bounds it.
func TestChangedLimitsAreCompared(t *testing.T) {
	t.Parallel()
	before, after := authority(t), authority(t)
	changes := []authz.LimitChange{{Role: domain.RoleL1, DocumentType: "invoice", Before: "none", After: "900000.00 USD"}}
	comparison := authz.Compare(before, after, []string{"L1"}).Changing([]string{"invoice"},
		func(user domain.User) domain.User { return authz.WithLimits(user, changes) })
	got := comparison.Of(junior(1))
	if len(got.Amounts) != 1 || got.Amounts[0].DocumentType != "invoice" ||
		got.Amounts[0].Before != (authz.Bound{Granted: true, BaseMinor: 50_000_000}) ||
		got.Amounts[0].After != (authz.Bound{Granted: true, BaseMinor: 90_000_000}) {
		t.Errorf("amounts %+v", got.Amounts)
	}
	var actions []domain.Action
	for _, gain := range got.Gains {
		actions = append(actions, gain.Action)
		if !gain.Partly {
			t.Errorf("%+v is not more of the same", gain)
		}
	}
	if !slices.Equal(actions, []domain.Action{domain.ActClaim, domain.ActDecide, domain.ActEscalate}) {
		t.Errorf("gains %v", actions)
	}
	if other := comparison.Of(person(2, domain.RoleAuditor)); !other.Empty() {
		t.Errorf("an auditor: %+v", other)
	}
}

// A limit and a rule that each give nothing give something together.
func TestARuleAndALimitTogether(t *testing.T) {
	t.Parallel()
	before, after := authority(t), changed(t, func(rules []authz.Rule) []authz.Rule {
		return append(rules, authz.Rule{Name: "more", Role: domain.RoleAuditor, Action: domain.ActDecide,
			Object: authz.QueueReview, Condition: "review.base_minor <= 10000"})
	})
	auditor := person(1, domain.RoleAuditor)
	auditor.Queues = []string{"L1"}
	more := func(user domain.User) domain.User {
		return authz.WithLimits(user, []authz.LimitChange{{Role: domain.RoleAuditor, Before: "none", After: "unlimited"}})
	}
	same := func(user domain.User) domain.User { return user }
	for name, tc := range map[string]struct {
		after *authz.Authority
		later func(domain.User) domain.User
		want  authz.Bound
	}{
		"rule alone":  {after, same, authz.Bound{}},
		"limit alone": {before, more, authz.Bound{}},
		"together":    {after, more, authz.Bound{Granted: true, Unknown: true, Credits: true, BaseMinor: 10000}},
	} {
		got := authz.Compare(before, tc.after, []string{"L1"}).Changing(nil, tc.later).Of(auditor)
		var bound authz.Bound
		for _, one := range got.Amounts {
			bound = one.After
		}
		if bound != tc.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestFaultyLimitChanges(t *testing.T) {
	t.Parallel()
	for text, check := range map[string]string{
		"5000.00 USD": "", "unlimited": "", "0.00 USD": "", "5000.00 EUR": "policy_limit_amount",
		"5000": "policy_limit_amount", "5,000.00 USD": "policy_limit_amount", "-1.00 USD": "policy_limit_amount",
		"5000.00  USD": "policy_limit_amount", "none": "policy_limit_same", "": "policy_limit_amount",
		"1.001 USD": "policy_limit_amount", "99999999999999999999.00 USD": "policy_limit_amount",
		"5000.00 usd": "policy_limit_amount",
	} {
		found := authz.CheckLimits([]authz.LimitChange{{Role: domain.RoleL1, Before: "none", After: text}})
		if check == "" && len(found) > 0 || check != "" && (len(found) != 1 || found[0].Check != check) {
			t.Errorf("%q: %+v", text, found)
		}
	}
	one := authz.LimitChange{Role: domain.RoleL1, Before: "none", After: "unlimited"}
	if found := authz.CheckLimits([]authz.LimitChange{one, one}); len(found) != 1 || found[0].Check != "policy_limit_twice" {
		t.Errorf("twice: %+v", found)
	}
	if _, found := authz.ParseDocument([]byte(`{"rules": [], "limits": [{"role": "x", "amount": 5}]}`)); len(found) != 1 {
		t.Errorf("an unknown field of a limit: %+v", found)
	}
}
