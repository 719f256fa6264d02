package views_test

import (
	"slices"
	"testing"

	"countersign/domain"
	"countersign/store"
	"countersign/views"
)

func (h *history) run(id domain.ID, node string, attempt int, status domain.RunStatus, from, to string) {
	h.t.Helper()
	h.insert(`INSERT INTO stage_runs (case_id, id, node, visit, kind, attempt, queue, run_after, status,
		next_ring_at, created_at, ended_at) VALUES ($1, $2, $3, 1, 'stage', $4, 'light', $5, $6, $5, $5,
		$7)`, id, domain.NewID(), node, attempt, at(h.t, from), string(status), at(h.t, to))
}

func TestFiguresOfSteps(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor := h.person("auditor", domain.RoleAuditor)
	manager := h.person("manager", domain.RoleManager)
	one := h.add(madeCase{submitted: "02 08:00", status: domain.InReview})
	two := h.add(madeCase{submitted: "03 08:00", status: domain.InReview})
	h.run(one, "read", 1, domain.RunDone, "02 08:00", "02 09:00")
	// the second attempt ends three hours after the first began
	h.run(two, "read", 1, domain.RunFailed, "03 08:00", "03 09:00")
	h.run(two, "read", 2, domain.RunDone, "03 10:00", "03 11:00")
	h.run(two, "validate", 1, domain.RunPending, "03 11:00", "03 11:00")
	h.review(one, madeReview{queue: "L1", opened: "02 09:00", claimed: "02 10:00",
		decided: "02 12:00", deadline: "03 08:00", by: manager.UserID, verdict: domain.Approve})
	h.review(one, madeReview{queue: "other", node: "review_other", opened: "02 09:00",
		deadline: "03 08:00"})
	h.run(h.add(madeCase{submitted: "09 08:00", status: domain.InReview}), "read", 1, domain.RunDone,
		"09 08:00", "09 18:00") // after the period

	steps, err := h.march(auditor, domain.ByDay, "02", "03").Steps(h.ctx, "document_approval")
	must(t, err)
	want := []store.StepStatistics{
		{Node: "read", Ended: 2, Median: 2 * 3600, P90: 2.8 * 3600},
		{Node: "review_l1", Review: true, Ended: 1, Median: 3 * 3600, P90: 3 * 3600,
			ClaimMedian: 3600},
		{Node: "review_other", Review: true, Waiting: 1},
		{Node: "validate", Waiting: 1},
	}
	if !slices.Equal(steps, want) {
		t.Errorf("%+v", steps)
	}
	// A manager sees the reviews of their own queues only.
	steps, err = h.march(manager, domain.ByDay, "02", "03").Steps(h.ctx, "document_approval")
	must(t, err)
	if !slices.Equal(steps, slices.Delete(slices.Clone(want), 2, 3)) {
		t.Errorf("of a manager: %+v", steps)
	}
}

const correctionBody = `{"fields": [
	{"name": "total", "before": "100", "after": "110", "source": "human"},
	{"name": "number", "before": "1", "after": "2", "source": "human"},
	{"name": "vendor", "after": "New", "source": "human"},
	{"name": "date", "before": "2026-01-01", "after": "2026-01-01", "source": "human"},
	{"name": "country", "before": "DE", "after": "FR", "source": "human"},
	{"name": "currency", "before": "EUR", "after": "USD", "source": "declared"}]}`

func TestCorrectionsPerFieldAndVendor(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor := h.person("auditor", domain.RoleAuditor)
	manager := h.person("manager", domain.RoleManager)
	ann, bob := h.person("ann", domain.RoleL1), h.person("bob", domain.RoleL1)
	acme := h.add(madeCase{submitted: "02 08:00", status: domain.InReview, vendor: "Acme"})
	erased := h.add(madeCase{submitted: "02 08:00", ended: "03 08:00", status: domain.Archived})
	h.event(acme, 2, "fields.corrected", "02 09:00", correctionBody, ann.UserID)
	h.event(acme, 3, "fields.corrected", "02 10:00",
		`{"fields": [{"name": "total", "before": "110", "after": "120", "source": "human"}]}`,
		bob.UserID)
	h.event(erased, 2, "fields.corrected", "02 09:00", "", ann.UserID)

	corrections := func(by domain.Actor, narrow ...func(*views.StatisticsQuery)) []store.CorrectionCount {
		list, err := h.march(by, domain.ByDay, "02", "02", narrow...).Corrections(h.ctx)
		must(t, err)
		return list
	}
	want := []store.CorrectionCount{{Field: "total", Corrections: 2, Cases: 1},
		{Field: "country", Corrections: 1, Cases: 1}, {Field: "number", Corrections: 1, Cases: 1},
		{Vendor: "Acme", Corrections: 4, Cases: 1}}
	if got := corrections(auditor); !slices.Equal(got, want) {
		t.Errorf("of an auditor: %+v", got)
	}
	// Statements about a country can lead to a confidential review, so they do not count for others.
	want = []store.CorrectionCount{{Field: "total", Corrections: 2, Cases: 1},
		{Field: "number", Corrections: 1, Cases: 1}, {Vendor: "Acme", Corrections: 3, Cases: 1}}
	if got := corrections(manager); !slices.Equal(got, want) {
		t.Errorf("of a manager: %+v", got)
	}
	want = []store.CorrectionCount{{Field: "total", Corrections: 1, Cases: 1},
		{Vendor: "Acme", Corrections: 1, Cases: 1}}
	if got := corrections(bob); !slices.Equal(got, want) {
		t.Errorf("own: %+v", got)
	}
	// No one reads the corrections of one other person by a filter.
	for _, by := range []domain.Actor{bob, manager} {
		got := corrections(by, func(q *views.StatisticsQuery) { q.Person = ann.UserID })
		if len(got) != 0 {
			t.Errorf("corrections of ann: %+v", got)
		}
	}
}

func TestHitsAndOverrulingsPerRule(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor := h.person("auditor", domain.RoleAuditor)
	manager := h.person("manager", domain.RoleManager)
	finding := func(id domain.ID, stage, rule string) {
		h.insert(`INSERT INTO findings (case_id, stage, rule, rule_version, severity, score, message,
			revision) VALUES ($1, $2, $3, 1, 'blocking', 10, '', 1)`, id, stage, rule)
	}
	one := h.add(madeCase{submitted: "02 08:00", ended: "03 08:00", status: domain.Archived})
	two := h.add(madeCase{submitted: "02 08:00", status: domain.InReview})
	finding(one, "validate", "duplicate_number")
	finding(one, "assess", "duplicate_number")
	finding(two, "validate", "duplicate_number")
	finding(two, "validate", "high_risk_country")
	h.insert(`INSERT INTO overrides (case_id, id, rule, finding_hash, review_id, person, reason, at)
		VALUES ($1, $2, 'duplicate_number', $3, $2, $2, 'made', clock())`, one, domain.NewID(),
		make([]byte, 32))
	h.insert(`UPDATE cases SET document_type = 'receipt' WHERE id = $1`, two)
	rules := func(by domain.Actor, types ...string) []store.RuleCount {
		list, err := h.march(by, domain.ByDay, "02", "02", func(query *views.StatisticsQuery) {
			query.DocumentTypes = types
		}).Rules(h.ctx)
		must(t, err)
		return list
	}
	duplicate := store.RuleCount{Rule: "duplicate_number", Hits: 2, Overruled: 1, Archived: 1}
	if got := rules(auditor); !slices.Equal(got, []store.RuleCount{duplicate,
		{Rule: "high_risk_country", Hits: 1}}) {
		t.Errorf("of an auditor: %+v", got)
	}
	if got := rules(auditor, "receipt"); !slices.Equal(got, []store.RuleCount{
		{Rule: "duplicate_number", Hits: 1}, {Rule: "high_risk_country", Hits: 1}}) {
		t.Errorf("of receipts: %+v", got)
	}
	if got := rules(auditor, "invoice", "remittance"); len(got) > 0 {
		t.Errorf("of types without cases: %+v", got)
	}
	// A hidden vote of a committee is known neither by its verdict nor by what only approvals have.
	voter := h.person("voter", domain.RoleL1)
	h.review(two, madeReview{queue: "L1", opened: "02 08:00", claimed: "02 09:00", decided: "02 10:00",
		deadline: "03 08:00", by: voter.UserID, verdict: domain.Approve})
	h.insert(`INSERT INTO overrides (case_id, id, rule, finding_hash, review_id, person, reason, at)
		SELECT case_id, $2, 'high_risk_country', $3, id, assignee, 'made', clock() FROM reviews WHERE case_id = $1`,
		two, domain.NewID(), make([]byte, 32))
	for _, hidden := range []bool{true, false} {
		h.insert(`UPDATE reviews SET vote_hidden = $2 WHERE case_id = $1`, two, hidden)
		if got := rules(auditor)[1]; (got.Overruled == 0) != hidden {
			t.Errorf("the override of a vote, hidden %t: %+v", hidden, got)
		}
	}
	if got := rules(manager); !slices.Equal(got, []store.RuleCount{duplicate}) {
		t.Errorf("of a manager: %+v", got)
	}
}
