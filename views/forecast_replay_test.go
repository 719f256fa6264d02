package views_test

import (
	"reflect"
	"testing"
	"time"

	"countersign/domain"
	"countersign/export"
	"countersign/views"
)

// pastReviews makes four weeks of reviews in a queue, five on each day from 9:00, each an hour after
// the one before. The person decides each 30 minutes after it was opened, until yesterday.
func (h *history) pastReviews(queue, process string, base int64, by domain.ID) {
	h.t.Helper()
	today := time.Now().UTC().Truncate(24 * time.Hour)
	for day := 28; day > 0; day-- {
		for n := range 5 {
			opened := today.AddDate(0, 0, -day).Add(time.Duration(9+n) * time.Hour)
			id := h.caseAt(process, domain.InReview, base, opened)
			h.insert(`INSERT INTO reviews (id, case_id, node, visit, seat, queue, level, duty, assignee,
				status, claim_by, decide_by, claimed_at, decided_at, submitter, party_id, base_minor,
				amount_known, band, document_type, country, created_at)
				SELECT $1, id, 'review_l1', 1, 1, $3, 1, 'approval', $4, 'decided', $5, $5, $6, $7,
				submitter, party_id, $8, true, 0, '', '', created_at FROM cases WHERE id = $2`,
				domain.NewID(), id, queue, by, opened.Add(8*time.Hour), opened.Add(10*time.Minute),
				opened.Add(30*time.Minute), base)
		}
	}
}

func (h *history) caseAt(process string, status domain.Status, base int64, created time.Time) domain.ID {
	h.t.Helper()
	h.cases++
	id := domain.NewID()
	for i := range 6 {
		id[i] = byte(created.UnixMilli() >> (40 - 8*i))
	}
	h.insert(`INSERT INTO cases (id, reference, process_key, process_version, channel, counterparty,
		marking, status, submitter, correlation_id, manifest_key, created_at, base_minor, amount_known,
		amount_minor, currency) SELECT $1, 'P-' || $2::int, $3, 1, 'api', '', '{}', $4, $5, 'made', 'made',
		$6, $7, true, $7, 'USD'`, id, h.cases, process, string(status), domain.NoID, created, base)
	return id
}

func (h *history) replay(by domain.Actor, change views.ReplayChange) *views.Replay {
	h.t.Helper()
	made, err := h.views.Replay(h.ctx, by, views.ReplayQuery{Weeks: 4, Zone: "UTC", Change: change})
	must(h.t, err)
	return made
}

func TestReplayOfAQueue(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor, ann := h.person("auditor", domain.RoleAuditor), h.person("ann", domain.RoleL1).UserID
	h.pastReviews("L1", "document_approval", 150_000, ann)
	made := h.replay(auditor, views.ReplayChange{})
	if len(made.Queues) != 1 || len(made.Unknown) != 0 {
		t.Fatalf("%+v", made)
	}
	one := made.Queues[0]
	if one.Queue != "L1" || one.Reviewers != 1 || one.Recorded.Arrived != 140 || one.Recorded.Decided != 140 ||
		one.Recorded.Late != 0 || one.Replayed.Decided+one.Replayed.Open != 140 {
		t.Errorf("%+v", one)
	}
	wantHours(t, "recorded", one.Recorded.Median, 0.5)
	if one.Replayed.Median < 1700 || one.Replayed.Median > 1900 || made.Error.Weeks == 0 ||
		made.Error.Decided > 5 || made.Error.Median > 10 {
		t.Errorf("replayed %+v, error %+v", one.Replayed, made.Error)
	}
	if !reflect.DeepEqual(one.Replayed, one.Changed) {
		t.Errorf("without a change: %+v, %+v", one.Replayed, one.Changed)
	}
	if again := h.replay(auditor, views.ReplayChange{}); !reflect.DeepEqual(made, again) {
		t.Errorf("the same question has two answers: %+v, %+v", made, again)
	}
	none := h.replay(auditor, views.ReplayChange{Queue: "L1", Reviewers: -1}).Queues[0]
	if none.Changed.Decided != 0 || none.Changed.Open != 140 || none.ChangedReviewers != 0 {
		t.Errorf("without reviewers: %+v", none)
	}
	late := h.replay(auditor, views.ReplayChange{Queue: "L1", DeadlinePercent: 10}).Queues[0]
	if late.Changed.Late <= late.Replayed.Late && late.Changed.Median > 0.8*3600 ||
		late.Recorded.Late != 0 {
		t.Errorf("with a deadline of 48 minutes: %+v", late)
	}
	below, above := int64(150_000), int64(150_001)
	if got := h.replay(auditor, views.ReplayChange{Process: "document_approval", BaseMinor: &below}); got.Removed != 0 {
		t.Errorf("the bound is the amount: %d removed", got.Removed)
	}
	got := h.replay(auditor, views.ReplayChange{Process: "document_approval", BaseMinor: &above})
	if got.Removed != 140 || got.Queues[0].Changed.Arrived != 0 {
		t.Errorf("the bound is above all amounts: %d removed, %+v", got.Removed, got.Queues[0].Changed)
	}
}

// A lower bound adds the cases that were archived without a review; a warning keeps a review.
func TestReplayWithAnotherBound(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor, ann := h.person("auditor", domain.RoleAuditor), h.person("ann", domain.RoleL1).UserID
	h.pastReviews("L1", "document_approval", 150_000, ann)
	yesterday := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -1)
	h.caseAt("document_approval", domain.Archived, 90_000, yesterday)
	h.caseAt("document_approval", domain.Archived, 10_000, yesterday)
	h.caseAt("content_review", domain.Archived, 90_000, yesterday)
	h.insert(`INSERT INTO findings (case_id, stage, rule, rule_version, severity, score, message, revision)
		SELECT id, 'assess', 'new_vendor', 1, 'warning', 10, '', 1 FROM cases WHERE base_minor = 150000
		ORDER BY id LIMIT 3`)
	low, high := int64(50_000), int64(200_000)
	got := h.replay(auditor, views.ReplayChange{Process: "document_approval", BaseMinor: &low})
	if got.Added != 1 || got.Removed != 0 || got.Queues[0].Changed.Arrived != 141 {
		t.Errorf("lower: %+v", got)
	}
	got = h.replay(auditor, views.ReplayChange{Process: "document_approval", BaseMinor: &high})
	if got.Added != 0 || got.Removed != 137 {
		t.Errorf("higher: %+v", got)
	}
}

// Reviewers see no forecast. What happens in queues that a manager does not share, and in confidential
// reviews, changes nothing of the manager's.
func TestReplayFollowsTheStatistics(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	manager, ann := h.person("manager", domain.RoleManager), h.person("ann", domain.RoleL1)
	for _, person := range []domain.Actor{ann, h.person("sam", domain.RoleSubmitter)} {
		query := views.ReplayQuery{Weeks: 4, Zone: "UTC"}
		if _, err := h.views.Replay(h.ctx, person, query); !domain.HasCode(err, domain.NotPermitted) {
			t.Errorf("%s: %v", person.Name, err)
		}
		export := h.views.Export(views.ExportQuery{Kind: export.Replays, Replay: query})
		if page, err := export.Next(h.ctx, person); !domain.HasCode(err, domain.NotPermitted) {
			t.Errorf("export of %s: %+v, %v", person.Name, page, err)
		}
	}
	h.pastReviews("L1", "document_approval", 150_000, ann.UserID)
	low := int64(1)
	for _, change := range []views.ReplayChange{{}, {Queue: "other", Reviewers: 3},
		{Queue: domain.QueueAML, DeadlinePercent: 50}, {Process: "document_approval", BaseMinor: &low},
		{Process: "cross_border_remittance", BaseMinor: &low}} {
		before := h.replay(manager, change)
		h.pastReviews("other", "document_approval", 150_000, ann.UserID)
		h.pastReviews("L1", "cross_border_remittance", 150_000, ann.UserID)
		h.pastReviews(domain.QueueAML, "cross_border_remittance", 150_000, ann.UserID)
		h.caseAt("cross_border_remittance", domain.Archived, 90_000, time.Now().Add(-48*time.Hour))
		if after := h.replay(manager, change); !reflect.DeepEqual(before, after) {
			t.Errorf("%+v: other queues change the replay:\n%+v\n%+v", change, before, after)
		}
	}
}

func TestReplayIsBounded(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor, minus := h.person("auditor", domain.RoleAuditor), int64(-1)
	for name, query := range map[string]views.ReplayQuery{"few weeks": {Weeks: 2, Zone: "UTC"},
		"many weeks": {Weeks: 27, Zone: "UTC"}, "no zone": {Weeks: 4},
		"reviewers": {Weeks: 4, Zone: "UTC", Change: views.ReplayChange{Reviewers: 21}},
		"deadline":  {Weeks: 4, Zone: "UTC", Change: views.ReplayChange{DeadlinePercent: 1}},
		"amount":    {Weeks: 4, Zone: "UTC", Change: views.ReplayChange{BaseMinor: &minus}}} {
		if _, err := h.views.Replay(h.ctx, auditor, query); !domain.HasCode(err, domain.InvalidInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	made := h.replay(auditor, views.ReplayChange{Queue: "L1", Reviewers: 2})
	if len(made.Queues) != 0 || made.Error.Weeks != 0 {
		t.Errorf("without reviews: %+v", made)
	}
}
