package views_test

import (
	"reflect"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/export"
	"countersign/views"
)

var allGroups = []domain.StatisticsGroup{domain.ByDay, domain.ByQueue, domain.ByProcess, domain.ByPerson}

// everything returns all figures that a person gets by any group: of the 2nd and 3rd of March, and of
// two months around them, whose statements are planned in another way.
func (h *history) everything(by domain.Actor) []any {
	h.t.Helper()
	return append(h.figures(by, "2026-03-02", "2026-03-03"), h.figures(by, "2026-02-01", "2026-03-31")...)
}

// figures returns all figures of a period that a person gets by any group. Days without figures are
// left out.
func (h *history) figures(by domain.Actor, first, last string) (list []any) {
	h.t.Helper()
	days, err := domain.NewDays(first, last, "Europe/Berlin")
	must(h.t, err)
	for _, group := range allGroups {
		stats, err := h.views.Statistics(h.ctx, by, views.StatisticsQuery{Days: days, By: group})
		must(h.t, err)
		if group == domain.ByDay {
			stats.Rows = slices.DeleteFunc(stats.Rows, func(row views.StatisticsRow) bool {
				return row.Key < "2026-03-02" || row.Key > "2026-03-03"
			})
		}
		list = append(list, stats.Total, stats.Rows)
		for _, process := range []string{"document_approval", "cross_border_remittance"} {
			steps, err := stats.Steps(h.ctx, process)
			must(h.t, err)
			list = append(list, steps)
		}
		corrections, err := stats.Corrections(h.ctx)
		must(h.t, err)
		rules, err := stats.Rules(h.ctx)
		must(h.t, err)
		list = append(list, corrections, rules)
	}
	return list
}

func (h *history) decided(id domain.ID, queue string, by domain.ID) {
	h.t.Helper()
	h.review(id, madeReview{queue: queue, node: "review_" + queue, opened: "02 08:00",
		claimed: "02 09:00", decided: "02 10:00", deadline: "02 09:30", by: by,
		verdict: domain.Approve})
}

// A long period has the same figures as a short one in which everything happened, although its
// statements are planned in another way.
func TestLongPeriodsHaveTheSameFigures(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor, manager := h.person("auditor", domain.RoleAuditor), h.person("manager", domain.RoleManager)
	ann := h.person("ann", domain.RoleL1)
	h.sql(`INSERT INTO user_queues VALUES ($1, 'L1') ON CONFLICT DO NOTHING`, manager.UserID)
	for _, process := range []string{"document_approval", "cross_border_remittance", "document_approval"} {
		c := h.add(madeCase{process: process, submitted: "02 08:00", ended: "03 08:00", status: domain.Archived})
		h.decided(c, "L1", ann.UserID)
		h.event(c, 9, "fields.corrected", "02 09:00", correctionBody, ann.UserID)
		h.event(c, 90, "case.rejected", "02 11:00", "{}", domain.SystemUserID) // reopened afterwards
	}
	h.add(madeCase{submitted: "02 08:00", ended: "02 09:00", status: domain.Rejected})
	for _, person := range []domain.Actor{auditor, manager, ann} {
		short, long := h.figures(person, "2026-03-02", "2026-03-03"), h.figures(person, "2026-02-01", "2026-03-31")
		total := short[0].(views.StatisticsRow)
		if total.Reviews.Decided == 0 || person.Name != ann.Name && total.Cases.Ended == 0 {
			t.Errorf("%s: nothing is counted: %+v", person.Name, total)
		}
		if !reflect.DeepEqual(short, long) {
			t.Errorf("%s: two days %+v\ntwo months %+v", person.Name, short, long)
		}
	}
}

// Reviewers see their own decisions and nothing that others did, whatever they filter by.
func TestReviewersSeeTheirOwnFigures(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ann, bob := h.person("ann", domain.RoleL1), h.person("bob", domain.RoleL1)
	c := h.add(madeCase{submitted: "02 08:00", ended: "03 08:00", status: domain.Archived})
	h.decided(c, "L1", ann.UserID)
	before := h.everything(ann)
	h.decided(c, "L1", bob.UserID)
	h.review(c, madeReview{queue: "L1", opened: "02 08:00", deadline: "02 09:00"})
	h.add(madeCase{submitted: "02 08:00", ended: "02 09:00", status: domain.Archived})
	h.event(c, 9, "fields.corrected", "02 09:00", correctionBody, bob.UserID)
	if after := h.everything(ann); !reflect.DeepEqual(before, after) {
		t.Errorf("what bob does changes the figures of ann:\n%+v\n%+v", before, after)
	}
	stats := h.march(ann, domain.ByPerson, "02", "03")
	if len(stats.Rows) != 1 || stats.Rows[0].PersonID != ann.UserID || stats.Total.Cases != nil ||
		stats.Total.Reviews.Decided != 1 || stats.Total.Reviews.Late != 1 ||
		stats.Total.Reviews.Opened >= 0 || stats.Scope != views.ScopeOwn {
		t.Errorf("ann: %+v", stats)
	}
	other := h.march(ann, domain.ByPerson, "02", "03", func(q *views.StatisticsQuery) {
		q.Person = bob.UserID
	})
	if len(other.Rows) != 0 || other.Total.Reviews.Decided != 0 {
		t.Errorf("bob by ann: %+v", other)
	}
}

// A manager sees the work in their own queues. Narrowing by queue, process, day or person, and taking
// differences of rows and totals, leads to no other person.
func TestManagersSeeTheWorkOfTheirQueues(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	manager := h.person("manager", domain.RoleManager)
	ann, cara := h.person("ann", domain.RoleL1).UserID, h.person("cara", domain.RoleL1).UserID
	c := h.add(madeCase{submitted: "02 08:00", ended: "03 08:00", status: domain.Archived})
	h.decided(c, "L1", ann)
	h.decided(c, "L1", cara) // cara also works in another queue
	before := h.everything(manager)
	h.decided(c, "other", cara)
	h.decided(c, "other", ann)
	h.review(c, madeReview{queue: "other", opened: "02 08:00", deadline: "02 09:00"})
	if after := h.everything(manager); !reflect.DeepEqual(before, after) {
		t.Errorf("work in another queue changes the figures:\n%+v\n%+v", before, after)
	}
	stats := h.march(manager, domain.ByPerson, "02", "03")
	if len(stats.Rows) != 2 || rowOf(t, stats, "", cara).Reviews.Decided != 1 {
		t.Errorf("people %+v", stats.Rows)
	}
	for _, group := range allGroups {
		for name, narrow := range map[string]func(*views.StatisticsQuery){
			"queue": func(q *views.StatisticsQuery) { q.Queue = "other" },
			"queue and person": func(q *views.StatisticsQuery) {
				q.Queue, q.Person = "other", cara
			},
		} {
			got := h.march(manager, group, "02", "03", narrow)
			if reviews := got.Total.Reviews; reviews.Decided != 0 || reviews.Late != 0 ||
				reviews.Opened > 0 {
				t.Errorf("by %s, with %s: %+v", group, name, reviews)
			}
		}
	}
	// without queues there is nothing to see
	h.sql(`DELETE FROM user_queues WHERE user_id = $1`, manager.UserID)
	if got := h.march(manager, domain.ByQueue, "02", "03"); got.Total.Reviews.Decided != 0 {
		t.Errorf("without queues: %+v", got.Total.Reviews)
	}
}

// No figure of those who may not see confidential reviews moves when a case goes to one, with one
// case in the whole period as with many.
func TestFiguresDoNotTellOfConfidentialReviews(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	people := []domain.Actor{h.person("manager", domain.RoleManager), h.person("ann", domain.RoleL1),
		h.person("admin", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)}
	auditor, amy := h.person("auditor", domain.RoleAuditor), h.person("amy", domain.RoleAML)
	h.sql(`INSERT INTO user_queues VALUES ($1, 'AML')`, amy.UserID)
	c := h.add(madeCase{process: "cross_border_remittance", submitted: "02 08:00",
		ended: "03 08:00", status: domain.Archived, submitter: people[3].UserID})
	h.decided(c, "L1", people[1].UserID)
	before := map[int][]any{}
	for i, person := range people {
		before[i] = h.everything(person)
	}
	auditBefore := h.everything(auditor)
	h.decided(c, domain.QueueAML, amy.UserID)
	h.review(c, madeReview{queue: domain.QueueAML, opened: "02 08:00", deadline: "02 09:00"})
	h.insert(`INSERT INTO findings (case_id, stage, rule, rule_version, severity, score, message,
		revision) VALUES ($1, 'assess', 'high_risk_country', 1, 'blocking', 10, '', 1)`, c)
	h.insert(`UPDATE events SET at = at - interval '5 hours' WHERE case_id = $1`, c)
	h.insert(`UPDATE cases SET status = 'rejected' WHERE id = $1`, c)
	for i, person := range people {
		if after := h.everything(person); !reflect.DeepEqual(before[i], after) {
			t.Errorf("%s: %+v\n%+v", person.Name, before[i], after)
		}
	}
	if reflect.DeepEqual(auditBefore, h.everything(auditor)) {
		t.Error("the auditor does not see the confidential review")
	}
	if got := h.march(amy, domain.ByQueue, "02", "03"); len(got.Rows) != 1 ||
		got.Rows[0].Key != domain.QueueAML {
		t.Errorf("amy: %+v", got.Rows)
	}
	if got := h.march(people[1], domain.ByProcess, "02", "03"); got.Total.Reviews.Decided != 1 {
		t.Errorf("a reviewer's own decision is not counted: %+v", got.Total)
	}
	if got := h.march(people[0], domain.ByDay, "02", "03").ExcludedProcesses; len(got) == 0 {
		t.Error("it is not said that a process is left out")
	}
}

// Cases that the lists keep from a person do not count either.
func TestFiguresKeepConflictsAndOwnDocuments(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	manager, admin := h.person("manager", domain.RoleManager), h.person("admin", domain.RoleAdmin)
	ann := h.person("ann", domain.RoleL1).UserID
	c := h.add(madeCase{submitted: "02 08:00", ended: "03 08:00", status: domain.Archived,
		submitter: admin.UserID})
	h.decided(c, "L1", ann)
	if got := h.march(manager, domain.ByDay, "02", "03").Total; got.Reviews.Decided != 1 ||
		got.Cases.Ended != 1 {
		t.Errorf("before: %+v %+v", got.Reviews, got.Cases)
	}
	if got := h.march(admin, domain.ByDay, "02", "03").Total; got.Reviews.Decided != 0 ||
		got.Cases.Ended != 0 {
		t.Errorf("an administrator reads of the review of their own document: %+v", got)
	}
	h.declareConflict(manager, "Acme")
	h.insert(`UPDATE cases SET party_id = (SELECT party_id FROM conflicts LIMIT 1) WHERE id = $1`, c)
	h.insert(`UPDATE reviews SET party_id = (SELECT party_id FROM conflicts LIMIT 1)`)
	if got := h.march(manager, domain.ByDay, "02", "03").Total; got.Reviews.Decided != 0 ||
		got.Cases.Ended != 0 {
		t.Errorf("with a conflict: %+v %+v", got.Reviews, got.Cases)
	}
}

// A renamed and disabled person stays one person, and a person without an account gets nothing.
func TestFiguresOfRenamedPeople(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor, ann := h.person("auditor", domain.RoleAuditor), h.person("ann", domain.RoleL1)
	h.decided(h.add(madeCase{submitted: "02 08:00", status: domain.InReview}), "L1", ann.UserID)
	h.sql(`UPDATE users SET name = 'Anna' WHERE id = $1`, ann.UserID)
	h.disable(ann)
	stats := h.march(auditor, domain.ByPerson, "02", "02")
	if len(stats.Rows) != 1 || rowOf(t, stats, "", ann.UserID).Reviews.Decided != 1 {
		t.Errorf("rows %+v", stats.Rows)
	}
	days, err := domain.NewDays("2026-03-02", "2026-03-02", "UTC")
	must(t, err)
	query := views.StatisticsQuery{Days: days, By: domain.ByPerson}
	for _, actor := range []domain.Actor{{}, ann} {
		_, err := h.views.Statistics(h.ctx, actor, query)
		wantCode(t, err, domain.Unauthenticated)
	}
	page, err := h.views.Export(views.ExportQuery{Kind: export.Statistics, Statistics: query}).
		Next(h.ctx, auditor)
	must(t, err)
	record, ok := page.Records[0].(*export.Figure)
	if !ok || record.Person != "ann" && record.Person != "Anna" || len(page.Records) != 2 {
		t.Errorf("exported %+v", page.Records)
	}
}

// A document that was returned and submitted again, and one that was reopened, through the service:
// one submission, one end, and each decision.
func TestFiguresOfAReturnedAndReopenedCase(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor, sam := h.person("auditor", domain.RoleAuditor), h.person("sam", domain.RoleSubmitter)
	ann := h.person("ann", domain.RoleL1)
	id := h.submit(sam, "90000.00")
	h.decide(ann, h.reviewOf(id), domain.Return)
	_, err := h.service.ResubmitCase(h.ctx, sam, casework.ResubmitCase{
		CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "again"})
	must(t, err)
	h.runPending()
	now := h.now().UTC()
	days, err := domain.NewDays(now.AddDate(0, 0, -1).Format("2006-01-02"),
		now.AddDate(0, 0, 1).Format("2006-01-02"), "UTC")
	must(t, err)
	total := func() views.StatisticsRow {
		stats, err := h.views.Statistics(h.ctx, auditor,
			views.StatisticsQuery{Days: days, By: domain.ByProcess})
		must(t, err)
		return stats.Total
	}
	if got := total(); got.Cases.Submitted != 1 || got.Cases.Ended != 0 || got.Reviews.Decided != 1 {
		t.Errorf("submitted again: %+v %+v", got.Cases, got.Reviews)
	}
	h.decide(ann, h.reviewOf(id), domain.Reject)
	if got := total(); got.Cases.Submitted != 1 || got.Cases.Ended != 1 ||
		got.Cases.Rejected != 1 || got.Reviews.Decided != 2 {
		t.Errorf("ended: %+v %+v", got.Cases, got.Reviews)
	}
}
