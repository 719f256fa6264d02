package views_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/store"
	"countersign/views"
)

func TestOnlyPublishersRehearse(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	for _, actor := range []domain.Actor{h.person("sam", domain.RoleSubmitter), h.person("lena", domain.RoleL1),
		h.person("mia", domain.RoleManager), h.person("aud", domain.RoleAuditor)} {
		_, err := h.views.Rehearse(h.ctx, actor, views.RehearsalQuery{Closed: 1, Zone: "UTC",
			Change: views.RehearsalChange{Process: known(2, fiftyThousand)}})
		wantCode(t, err, domain.NotPermitted)
	}
	narrow := h.person("ada", domain.RoleAdmin)
	narrow.Scopes = []string{string(domain.ActRead)}
	_, err := h.views.Rehearse(h.ctx, narrow, views.RehearsalQuery{Closed: 1, Zone: "UTC",
		Change: views.RehearsalChange{Process: known(2, fiftyThousand)}})
	if err == nil {
		t.Error("a credential without the scope rehearses")
	}
}

// Cases that an administrator may not read, or submitted, are counted alone: no guard is a question about
// their facts.
func TestGuardsDoNotAskAboutHiddenCases(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	sam, ada := h.person("sam", domain.RoleSubmitter), h.person("ada", domain.RoleAdmin, domain.RoleSubmitter)
	ids := h.insertKnown(20, 1, hundredThousand, sam.UserID, h.person("lena", domain.RoleL1).UserID)
	party := domain.NewID()
	h.insert(`INSERT INTO parties (id, key, name, group_id) VALUES ($1, 'acme', 'Acme', $1)`, party)
	h.insert(`UPDATE cases SET party_id = $2 WHERE id = ANY($1)`, ids[:3], party)
	h.insert(`UPDATE cases SET submitter = $2 WHERE id = ANY($1)`, ids[3:5], ada.UserID)
	h.insert(`INSERT INTO conflicts (id, person, party_id, reason, declared_by)
		VALUES ($1, $2, $3, '', $2)`, domain.NewID(), ada.UserID, party)
	ask := func() (answers []*views.Rehearsal) {
		for _, guard := range []string{"base_minor >= 5000000", "risk > 10", "country == 'DE'"} {
			text := strings.Replace(known(2, hundredThousand), "!amount_known || base_minor >= 10000000", guard, 1)
			text = strings.Replace(text, "risk > 10", "risk > 10 && amount_known", 1)
			answers = append(answers, h.rehearse(ada, views.RehearsalQuery{Closed: 100, Open: true, Named: 100,
				Change: views.RehearsalChange{Process: text}}))
		}
		return answers
	}
	before := ask()
	if before[0].Hidden != 5 || before[0].Closed != 15 || before[0].Open != 0 {
		t.Errorf("hidden %d, closed %d", before[0].Hidden, before[0].Closed)
	}
	for _, one := range before[0].Different {
		if slices.Contains(ids[:5], one.Case.ID) {
			t.Errorf("a hidden case is named: %s", one.Case.Reference)
		}
	}
	h.insert(`UPDATE cases SET base_minor = 7000000, risk = 90, country = 'DE', status = 'rejected',
		amount_known = true WHERE id = ANY($1)`, ids[:5])
	if after := ask(); !reflect.DeepEqual(before, after) {
		t.Errorf("the facts of hidden cases change a rehearsal: %+v, %+v", before, after)
	}
}

// A publisher without confidential access learns nothing about confidential reviews: not from a finding,
// the risk, a verdict, a reviewer, a person who may not decide any more, or a return.
func TestRehearsalKeepsConfidentialReviews(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, root := h.person("ada", domain.RoleAdmin), h.person("root", domain.RoleAdmin, domain.RoleAuditor)
	vera := h.person("vera", domain.RoleL2)
	id := h.caseAt("cross_border_remittance", domain.InReview, 900_000, h.now())
	h.insert(`UPDATE cases SET document_type = 'remittance', country = 'DE' WHERE id = $1`, id)
	oracle := strings.Replace(known(2, hundredThousand), "key: known", "key: cross_border_remittance", 1)
	ask := func(by domain.Actor) (answers []*views.Rehearsal) {
		changes := []views.RehearsalChange{{Limit: &views.RehearsedLimit{Limit: domain.Limit{
			Role: domain.RoleL2, Action: domain.ActDecide}}}}
		for _, guard := range []string{"risk > 50", "blocking > 0", "size(unsure_fields) > 0", "size(unstated) > 0"} {
			changes = append(changes, views.RehearsalChange{Process: strings.Replace(oracle,
				"!amount_known || base_minor >= 10000000", guard, 1)})
		}
		for _, change := range changes {
			answers = append(answers, h.rehearse(by, views.RehearsalQuery{Open: true, Named: 10,
				Process: "cross_border_remittance", Change: change}))
		}
		return answers
	}
	adaBefore, rootBefore := ask(ada), ask(root)
	if adaBefore[0].Open != 1 || adaBefore[0].Simplified != 1 || rootBefore[0].Simplified != 0 {
		t.Fatalf("simplified: %+v, %+v", adaBefore[0], rootBefore[0])
	}
	review := domain.NewID()
	h.insert(`INSERT INTO findings (case_id, stage, rule, rule_version, severity, score, message, revision)
		VALUES ($1, 'assess', $2, 1, 'blocking', 90, '', 1)`, id, domain.ConfidentialRules()[0])
	h.insert(`INSERT INTO reviews (id, case_id, node, visit, seat, queue, level, duty, assignee, status,
		claim_by, decide_by, claimed_at, decided_at, submitter, party_id, base_minor, amount_known, band,
		document_type, country) SELECT $1, id, 'review_aml', 1, 1, 'AML', 1, 'aml', $3, 'decided', created_at,
		created_at, created_at, created_at, submitter, party_id, 0, true, 0, '', '' FROM cases WHERE id = $2`,
		review, id, vera.UserID)
	h.insert(`INSERT INTO decisions (case_id, id, review_id, actor, verdict, reason, evidence, at)
		VALUES ($1, $2, $3, $4, 'reject', 'made', '{}', clock())`, id, domain.NewID(), review, vera.UserID)
	h.insert(`INSERT INTO votes (case_id, duty, person, review_id) VALUES ($1, 'aml', $2, $3)`, id,
		vera.UserID, review)
	h.insert(`INSERT INTO case_interests (case_id, person, reason) VALUES ($1, $2, 'set_amount')`, id,
		vera.UserID)
	h.insert(`UPDATE cases SET risk = 90, marking = '{"visits": {"review_aml": 1, "returned": 1}}'
		WHERE id = $1`, id)
	if after := ask(ada); !reflect.DeepEqual(forgetCases(adaBefore), forgetCases(after)) {
		t.Errorf("without confidential access: %+v, %+v", adaBefore, after)
	}
	if after := ask(root); reflect.DeepEqual(forgetCases(rootBefore), forgetCases(after)) {
		t.Error("an auditor does not see the confidential review either: the test has no effect")
	}
}

// forgetCases removes the cases themselves, whose pages have tests of their own.
func forgetCases(answers []*views.Rehearsal) []*views.Rehearsal {
	for _, answer := range answers {
		for i := range answer.Different {
			answer.Different[i].Case = views.CaseView{}
		}
	}
	return answers
}

// A second rehearsal waits for the first one: it is refused.
func TestOneRehearsalAtATime(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada := h.person("ada", domain.RoleAdmin)
	query := views.RehearsalQuery{Closed: 1, Zone: "UTC",
		Change: views.RehearsalChange{Process: known(2, fiftyThousand)}}
	must(t, h.db.Reader().Alone(h.ctx, "rehearsal", func(store.Snapshots) error {
		_, err := h.views.Rehearse(h.ctx, ada, query)
		wantCode(t, err, domain.Busy)
		return nil
	}))
	h.rehearse(ada, query)
}

func TestRehearsalRefusesBadQueries(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada := h.person("ada", domain.RoleAdmin)
	h.insertKnown(20, 1, hundredThousand, h.person("sam", domain.RoleSubmitter).UserID,
		h.person("lena", domain.RoleL1).UserID)
	one := views.RehearsalChange{Reviewers: &views.QueueReviewers{Queue: "L1", More: 1}}
	for name, query := range map[string]views.RehearsalQuery{
		"no change": {Closed: 1},
		"two changes": {Closed: 1, Change: views.RehearsalChange{Process: "x",
			Reviewers: one.Reviewers}},
		"no case":        {Change: one},
		"too many":       {Closed: views.MaxRehearsed + 1, Change: one},
		"too many named": {Closed: 1, Named: views.MaxNamed + 1, Change: one},
		"process":        {Closed: 1, Change: views.RehearsalChange{Process: "key: x"}},
		"policy":         {Closed: 1, Change: views.RehearsalChange{Policy: "{"}},
		"rule": {Closed: 1, Change: views.RehearsalChange{Policy: `{"version": 9, "rules": [{"name": "x",
			"role": "admin", "action": "decide", "object": "any", "effect": "allow", "condition": "no ("}]}`}},
		"deadline": {Closed: 1, Change: views.RehearsalChange{Deadline: &views.QueueDeadline{Queue: "L1"}}},
		"reviewers": {Closed: 1, Change: views.RehearsalChange{Reviewers: &views.QueueReviewers{Queue: "L1",
			More: 1000}}},
		"queue without reviews": {Closed: 20, Change: views.RehearsalChange{Reviewers: &views.QueueReviewers{
			Queue: "L9", More: 1}}},
		"unknown role": {Closed: 1, Change: views.RehearsalChange{Limit: &views.RehearsedLimit{
			Limit: domain.Limit{Role: "nothing"}}}},
		"unknown calendar": {Closed: 1, Change: views.RehearsalChange{Calendar: &domain.Calendar{Name: "none"}}},
		"zone":             {Closed: 1, Change: one, Zone: "Nowhere/Here"},
	} {
		if query.Zone == "" {
			query.Zone = "UTC"
		}
		if _, err := h.views.Rehearse(h.ctx, ada, query); !domain.HasCode(err, domain.InvalidInput) &&
			!domain.HasCode(err, domain.UnsoundDefinition) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The sums that are recorded for others use of confidential reviews nothing, also if the person who rehearses
// sees them, and leave out what was erased.
func TestRecordedSumsKeepConfidentialReviews(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, root := h.person("ada", domain.RoleAdmin), h.person("root", domain.RoleAdmin, domain.RoleAuditor)
	id := h.caseAt("cross_border_remittance", domain.InReview, 900_000, h.now())
	erased := h.caseAt("cross_border_remittance", domain.Archived, 900_000, h.now())
	h.insert(`UPDATE cases SET document_type = 'remittance', country = 'DE' WHERE id = ANY($1)`,
		[]domain.ID{id, erased})
	h.insert(`INSERT INTO findings (case_id, stage, rule, rule_version, severity, score, message, revision)
		VALUES ($1, 'assess', $2, 1, 'blocking', 90, '', 1)`, id, domain.ConfidentialRules()[0])
	h.insert(`UPDATE cases SET risk = 90 WHERE id = $1`, id)
	h.insert(`UPDATE cases SET erased_at = clock() WHERE id = $1`, erased)
	text := strings.Replace(strings.Replace(known(2, hundredThousand), "key: known",
		"key: cross_border_remittance", 1), "!amount_known || base_minor >= 10000000", "blocking > 0", 1)
	query := views.RehearsalQuery{Closed: 10, Open: true, Named: 10, Zone: "UTC"}
	proposal := domain.Proposal{Kind: domain.ProposeProcess, Document: text, Base: 1}
	var sums []domain.RehearsalSums
	for _, by := range []domain.Actor{ada, root} {
		made, err := h.views.RehearseProposal(h.ctx, by, proposal, query)
		must(t, err)
		made.People, made.Changed = nil, nil
		sums = append(sums, made.Sums(query))
	}
	if !reflect.DeepEqual(sums[0], sums[1]) {
		t.Errorf("the sums tell what the person who rehearsed may see: %+v, %+v", sums[0], sums[1])
	}
	if sums[1].Simplified != 1 || sums[1].Erased != 1 || sums[1].Cases() != 1 || sums[1].OtherVersions != 0 {
		t.Errorf("sums %+v", sums[1])
	}
}
