package views_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/views"
)

// scoredProcess asks a person about a risk of 50 and about unknown amounts.
var scoredProcess = strings.NewReplacer("next: route}", "next: validate}\n"+
	"  - {id: validate, kind: stage, behaviour: validate, next: assess}\n"+
	"  - {id: assess, kind: stage, behaviour: assess, next: route}",
	"!amount_known || base_minor >= 10000000", "!amount_known || risk >= 50").
	Replace(known(1, hundredThousand))

// scoredRules has one rule with a threshold.
const scoredRules = `
key: scored
version: %d
title: {en: Scored, zh: 评分}
document_types: [scored_type]
rules:
  - id: large
    title: {en: Large amount, zh: 大额}
    phase: risk
    severity: warning
    score: 60
    override: %s
    asks: {en: "Is it large?", zh: "是否大额？"}
    when: '%s'
    message: {en: "It is large.", zh: "大额。"}
`

func largeFrom(version int, threshold int64) string {
	return fmt.Sprintf(scoredRules, version, "none", fmt.Sprintf("amount_known && base_minor >= %d", threshold))
}

// insertScored inserts n cases of the known kinds that version 1 of the scored rules judged.
func (h *history) insertScored(n int, submitter, by domain.ID) []domain.ID {
	h.t.Helper()
	h.insert(`INSERT INTO rule_sets (key, version, document, published_by, published_at)
		VALUES ('scored', 1, $1, $2, clock() - interval '1 hour')`, largeFrom(1, hundredThousand), domain.SystemUserID)
	ids := h.insertKnown(n, 1, hundredThousand, submitter, by)
	h.insert(`UPDATE process_definitions SET document = $1 WHERE key = 'known'`, scoredProcess)
	h.insert(`UPDATE cases SET document_type = 'scored_type',
		risk = CASE WHEN amount_known AND base_minor >= $1 THEN 60 ELSE 0 END`, hundredThousand)
	h.insert(`INSERT INTO findings (case_id, stage, rule, rule_set, rule_version, severity, score, message, revision)
		SELECT id, 'assess', 'large', 'scored', 1, 'warning', 60, 'It is large.', 1 FROM cases WHERE risk = 60`)
	return ids
}

// Of 1,000 closed cases exactly those between the thresholds have another finding, and with it a review, when
// the threshold of a rule moves from 100,000 to 50,000.
func TestRehearsalOfARuleSet(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	lena := h.person("lena", domain.RoleL1)
	ids := h.insertScored(1000, sam.UserID, lena.UserID)
	rehearse := func(text string) *views.Rehearsal {
		return h.rehearse(ada, views.RehearsalQuery{Closed: 1000, Named: 1000,
			Change: views.RehearsalChange{Rules: text}})
	}
	same := domain.RehearsalCounts{Same: 1000, TooFewBefore: 100, TooFewAfter: 100, ComparedWithRecord: 1000}
	if made := rehearse(largeFrom(2, hundredThousand)); made.RehearsalCounts != same || len(made.Rules) != 0 {
		t.Errorf("the same rule: %+v", made)
	}
	made := rehearse(largeFrom(2, fiftyThousand))
	wantNamed(t, made, ids, func(k knownCase) bool {
		return k.reviewed(fiftyThousand) && !k.reviewed(hundredThousand)
	})
	want := domain.RehearsalCounts{Same: 600, MoreReviews: 400, StraightToPerson: 400, OtherFindings: 400,
		TooFewBefore: 100, TooFewAfter: 100, ComparedWithRecord: 1000}
	if made.RehearsalCounts != want || made.Closed != 1000 || !made.Complete {
		t.Errorf("a lower threshold: %+v", made.RehearsalCounts)
	}
	if len(made.Rules) != 1 || made.Rules[0].Title("en") != "Large amount" || made.Rules[0].Before != 200 ||
		made.Rules[0].After != 600 || made.Rules[0].Appears != 400 || made.Rules[0].Disappears != 0 {
		t.Errorf("by rule: %+v", made.Rules)
	}
	for _, one := range made.Different {
		if !reflect.DeepEqual(one.Found, []string{"large"}) || one.RiskBefore != 0 || one.RiskAfter != 60 ||
			one.Asked[0].Verdict != "" || one.Asked[0].Eligible != 1 {
			t.Fatalf("a case that would be reviewed: %+v", one)
		}
	}
	if len(made.People) != 1 || made.People[0].AskedBefore != 200 || made.People[0].AskedAfter != 600 {
		t.Errorf("the reviewer: %+v", made.People)
	}
	made = rehearse(largeFrom(2, hundredThousand*2))
	if made.PersonToStraight != 100 || made.Rules[0].Disappears != 100 || made.Rules[0].After != 100 {
		t.Errorf("a higher threshold: %+v, %+v", made.RehearsalCounts, made.Rules)
	}
}

// A rule that needs a fact which is not recorded is named with the fact and the number of cases, and its
// recorded finding stays. A rule that fails stops the case.
func TestRehearsalOfRulesWithoutTheirFacts(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	ids := h.insertScored(20, sam.UserID, h.person("lena", domain.RoleL1).UserID)
	h.insert(`UPDATE cases SET party_id = $2 WHERE id = ANY($1)`, ids[:7], domain.NewID())
	rehearse := func(when string) *views.Rehearsal {
		return h.rehearse(ada, views.RehearsalQuery{Closed: 20, Named: 20,
			Change: views.RehearsalChange{Rules: fmt.Sprintf(scoredRules, 2, "none", when)}})
	}
	made := rehearse("vendor_approved > 3")
	if made.Undetermined != 7 || len(made.Rules) != 1 || made.Rules[0].Unknown != 7 ||
		!reflect.DeepEqual(made.Rules[0].Facts, []string{"vendor_approved"}) ||
		made.Rules[0].Disappears != 3 || made.Rules[0].After != 1 || made.Same != 10 {
		t.Errorf("an unrecorded fact: %+v, %+v", made.RehearsalCounts, made.Rules)
	}
	made = rehearse("amount_known && 100 / (lines - 1) > 3")
	if made.Stopped != 18 || len(made.Missing) != 1 || made.Missing[0].Cases != 18 ||
		!strings.Contains(made.Missing[0].Message, "large") {
		t.Errorf("a rule that fails: %+v, %+v", made.RehearsalCounts, made.Missing)
	}
	// Old facts that do not lead to the recorded finding are counted.
	h.insert(`UPDATE cases SET base_minor = base_minor + 10000000 WHERE id = $1`, ids[0])
	if made = rehearse("amount_known && base_minor > 1"); made.Rules[0].Unlike != 1 {
		t.Errorf("changed facts: %+v", made.Rules)
	}
}

// Approvals that a finding would have stopped are counted, and named with its rule.
func TestRehearsalOfRulesNamesRefusedApprovals(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	h.insertScored(20, sam.UserID, h.person("lena", domain.RoleL1).UserID)
	for override, want := range map[string][2]int{"none": {0, 0}, "reason": {0, 0}, "second_person": {4, 0},
		"never": {4, 4}} {
		made := h.rehearse(ada, views.RehearsalQuery{Closed: 20, Named: 20, Change: views.RehearsalChange{
			Rules: fmt.Sprintf(scoredRules, 2, override, "amount_known && base_minor >= 10000000")}})
		if got := [2]int{made.Refused, made.Impossible}; got != want {
			t.Errorf("%s: %v", override, got)
		}
		if len(made.Different) != want[0] || want[0] > 0 && made.Different[0].RefusedBy[0] != "large" {
			t.Errorf("%s: %+v", override, made.Different)
		}
	}
}

// Cases of other document types are not rehearsed; those of a type that the set gives up are, and stop
// because no set covers them.
func TestRehearsalOfRulesCoversItsTypes(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	ids := h.insertScored(20, sam.UserID, h.person("lena", domain.RoleL1).UserID)
	h.insert(`UPDATE cases SET document_type = 'odd_type' WHERE id = ANY($1)`, ids[:5])
	rehearse := func(text string) *views.Rehearsal {
		return h.rehearse(ada, views.RehearsalQuery{Closed: 20, Named: 20, Change: views.RehearsalChange{Rules: text}})
	}
	if made := rehearse(largeFrom(2, hundredThousand)); made.Closed != 15 || made.Same != 15 {
		t.Errorf("its own type: %+v", made)
	}
	other := strings.Replace(largeFrom(2, hundredThousand), "[scored_type]", "[other_type]", 1)
	made := rehearse(other) // the set of all other types covers them
	if made.Closed != 15 || len(made.Rules) == 0 {
		t.Errorf("a type that the set gives up: %+v", made)
	}
	if made := rehearse(strings.Replace(other, "key: scored", "key: invoice", 1)); made.Stopped != 5 {
		t.Errorf("no set covers all other types: %+v", made.RehearsalCounts)
	}
}

// A rule is no question about cases that a publisher may not read, submitted, or sees without their
// confidential reviews.
func TestRulesDoNotAskAboutHiddenCases(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin, domain.RoleSubmitter), h.person("sam", domain.RoleSubmitter)
	root := h.person("root", domain.RoleAdmin, domain.RoleAuditor)
	ids := h.insertScored(10, sam.UserID, h.person("lena", domain.RoleL1).UserID)
	confidential := h.caseAt("cross_border_remittance", domain.InReview, 900_000, h.now())
	h.insert(`UPDATE cases SET document_type = 'scored_type', risk = 0 WHERE id = $1`, confidential)
	h.insert(`UPDATE cases SET submitter = $2 WHERE id = $1`, ids[0], ada.UserID)
	ask := func(by domain.Actor) *views.Rehearsal {
		return h.rehearse(by, views.RehearsalQuery{Closed: 100, Open: true, Named: 100, Change: views.RehearsalChange{
			Rules: fmt.Sprintf(scoredRules, 2, "none", `amount_known && country == "KP"`)}})
	}
	before := ask(ada)
	if before.Hidden != 2 || before.Closed != 9 || before.Open != 0 {
		t.Fatalf("hidden %d, closed %d, open %d", before.Hidden, before.Closed, before.Open)
	}
	if seen := ask(root); seen.Open != 1 || seen.Hidden != 0 {
		t.Errorf("an auditor: %+v", seen)
	}
	h.insert(`UPDATE cases SET country = 'KP', amount_known = true, base_minor = 7000000 WHERE id = ANY($1)`,
		[]domain.ID{ids[0], confidential})
	if after := ask(ada); !reflect.DeepEqual(before, after) {
		t.Errorf("the facts of hidden cases change a rehearsal: %+v, %+v", before, after)
	}
}

// The side without the change has the attributes of the submission too: nothing but the change makes a
// difference.
func TestRehearsalHasTheAttributesOfTheSubmission(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	h.insertKnown(20, 1, hundredThousand, sam.UserID, h.person("lena", domain.RoleL1).UserID)
	h.insert(`UPDATE process_definitions SET document = $1 WHERE key = 'known'`, strings.NewReplacer(
		"re_enter: route", "re_enter: route\nattributes: [{name: urgent, type: yes_no, required: true}]",
		"!amount_known || base_minor >= 10000000", "attributes.urgent").Replace(known(1, hundredThousand)))
	h.insert(`UPDATE cases SET attributes = '[{"name": "urgent", "type": "yes_no", "value": "true"}]'`)
	made := h.rehearse(ada, views.RehearsalQuery{Closed: 20, Named: 20, Change: views.RehearsalChange{
		Limit: &views.RehearsedLimit{Limit: domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, Unlimited: true}}}})
	if made.MoreReviews != 0 || made.StraightToPerson != 0 || made.Stopped != 0 {
		t.Errorf("%+v", made.RehearsalCounts)
	}
}
