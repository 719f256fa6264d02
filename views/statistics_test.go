package views_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/domain"
	"countersign/views"
)

// history makes rows of the past directly, because a service cannot act in the past.
type history struct {
	*testEnv
	admin *pgxpool.Pool
	cases int
}

// at returns a time of March 2026 in Berlin, such as "29 01:30".
func at(t *testing.T, text string) time.Time {
	t.Helper()
	zone, err := domain.LoadZone("Europe/Berlin")
	must(t, err)
	parsed, err := time.ParseInLocation("2006-01-02 15:04", "2026-03-"+text, zone)
	must(t, err)
	return parsed
}

// insert executes statements without triggers and foreign keys.
func (h *history) insert(sql string, args ...any) {
	h.t.Helper()
	must(h.t, pgx.BeginFunc(h.ctx, h.admin, func(tx pgx.Tx) error {
		if _, err := tx.Exec(h.ctx, `SET LOCAL session_replication_role = replica`); err != nil {
			return err
		}
		_, err := tx.Exec(h.ctx, sql, args...)
		return err
	}))
}

// madeCase is a case of a history; ended "" = it has not ended.
type madeCase struct {
	process, vendor, submitted, ended string
	status                            domain.Status
	submitter                         domain.ID
	parent, origin                    domain.ID
	part                              string
}

func (h *history) add(c madeCase) domain.ID {
	h.t.Helper()
	h.cases++
	submitted := at(h.t, c.submitted)
	id := domain.NewID()
	milliseconds := submitted.UnixMilli()
	for i := range 6 {
		id[i] = byte(milliseconds >> (40 - 8*i))
	}
	if c.process == "" {
		c.process = "document_approval"
	}
	if c.part == "" {
		c.part = "{}"
	}
	h.insert(`INSERT INTO cases (id, reference, process_key, process_version, channel, counterparty,
		marking, status, submitter, correlation_id, manifest_key, created_at, parent_id, origin_id, part)
		VALUES ($1, $2, $3, 1, 'api', $4, '{}', $5, $6, 'made', 'made', $7, $8, $9, $10)`, id,
		fmt.Sprintf("H-%d", h.cases), c.process, c.vendor, string(c.status), c.submitter, submitted,
		c.parent, c.origin, c.part)
	if c.ended != "" {
		h.event(id, 100, "case."+string(c.status), c.ended, "{}", domain.SystemUserID)
	}
	return id
}

func (h *history) event(id domain.ID, seq int, kind, when, body string, actor domain.ID) {
	h.t.Helper()
	h.insert(`INSERT INTO events (case_id, seq, type, schema_version, actor, on_behalf_of,
		correlation_id, at, status_before, status_after, marking_before, marking_after, prev_hash,
		body_hash, hash, salt, body, txid) VALUES ($1, $2, $3, 1, $4, $4, 'made', $5, '', '', '', '',
		$6, $6, $6, '', $7, '1')`, id, seq, kind, actor, at(h.t, when), make([]byte, 32), body)
}

// madeReview is a review of a history; decided "" = it is open.
type madeReview struct {
	queue, node, opened, claimed, decided, deadline string
	by                                              domain.ID
	verdict                                         domain.Verdict
	missed                                          int
}

func (h *history) review(id domain.ID, r madeReview) {
	h.t.Helper()
	h.cases++
	status, by := domain.ReviewOpen, domain.NoID
	var claimed, decided *time.Time
	if r.decided != "" {
		from, to := at(h.t, r.claimed), at(h.t, r.decided)
		status, claimed, decided, by = domain.ReviewDecided, &from, &to, r.by
	}
	if r.node == "" {
		r.node = "review_l1"
	}
	review := domain.NewID()
	h.insert(`INSERT INTO reviews (id, case_id, node, visit, seat, queue, level, duty, assignee,
		status, claim_by, decide_by, claimed_at, decided_at, submitter, party_id, base_minor,
		amount_known, band, document_type, country, created_at, breaches)
		SELECT $1, id, $3, $4, 1, $5, 1, 'approval', $6, $7, $8, $8, $9, $10, submitter, party_id, 0,
		false, 0, '', '', $11, $12 FROM cases WHERE id = $2`, review, id, r.node, h.cases, r.queue, by,
		string(status), at(h.t, r.deadline), claimed, decided, at(h.t, r.opened), r.missed)
	if r.verdict != "" {
		h.insert(`INSERT INTO decisions (case_id, id, review_id, actor, verdict, reason, evidence, at)
			VALUES ($1, $2, $3, $4, $5, 'made', '{}', $6)`, id, domain.NewID(), review, r.by,
			string(r.verdict), *decided)
	}
}

func newHistory(t *testing.T) *history {
	env := newTestEnv(t)
	return &history{testEnv: env, admin: env.database.Admin(t)}
}

// march asks for figures of days of March 2026 in Berlin.
func (h *history) march(by domain.Actor, group domain.StatisticsGroup, first, last string,
	narrow ...func(*views.StatisticsQuery)) *views.Statistics {
	h.t.Helper()
	days, err := domain.NewDays("2026-03-"+first, "2026-03-"+last, "Europe/Berlin")
	must(h.t, err)
	query := views.StatisticsQuery{Days: days, By: group}
	for _, one := range narrow {
		one(&query)
	}
	stats, err := h.views.Statistics(h.ctx, by, query)
	must(h.t, err)
	return stats
}

// rowOf returns the row with the key or of the person.
func rowOf(t *testing.T, stats *views.Statistics, key string, person domain.ID) views.StatisticsRow {
	t.Helper()
	for _, row := range stats.Rows {
		if row.Key == key && row.PersonID == person {
			return row
		}
	}
	t.Fatalf("no row %q %s in %+v", key, person, stats.Rows)
	return views.StatisticsRow{}
}

func wantHours(t *testing.T, what string, seconds, hours float64) {
	t.Helper()
	if math.Abs(seconds-hours*3600) > 0.01 {
		t.Errorf("%s: %v h, want %v", what, seconds/3600, hours)
	}
}

// Five cases end on the day when clocks change and the day after. Lead times: 24 h straight-through,
// 47 h and 9 h approved, 3 h rejected; the abandoned one has no lead time.
func TestFiguresOfCases(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor := h.person("auditor", domain.RoleAuditor)
	sam := h.person("sam", domain.RoleSubmitter).UserID
	made := func(process, submitted, ended string, status domain.Status) domain.ID {
		return h.add(madeCase{process: process, submitted: submitted, ended: ended, status: status,
			submitter: sam})
	}
	made("", "28 20:00", "29 21:00", domain.Archived) // 24 h: the night had one hour less
	approved := made("", "28 00:00", "30 00:00", domain.Archived)
	h.review(approved, madeReview{queue: "L1", opened: "28 00:00", claimed: "28 01:00",
		decided: "28 02:00", deadline: "31 00:00", by: auditor.UserID, verdict: domain.Approve})
	other := made("content_review", "30 01:00", "30 10:00", domain.Archived)
	h.review(other, madeReview{queue: "L1", opened: "30 01:00", claimed: "30 02:00",
		decided: "30 03:00", deadline: "31 00:00", by: auditor.UserID, verdict: domain.Approve})
	made("", "30 20:00", "30 23:00", domain.Rejected)
	made("", "29 12:00", "30 12:00", domain.Abandoned)
	made("", "30 08:00", "", domain.InReview)
	made("", "20 08:00", "31 08:00", domain.Archived) // after the period

	stats := h.march(auditor, domain.ByDay, "29", "30")
	if got := *stats.Total.Cases; got.Ended != 5 || got.Archived != 3 || got.Rejected != 1 ||
		got.Abandoned != 1 || got.Straight != 1 || got.Submitted != 4 {
		t.Errorf("total %+v", got)
	}
	wantHours(t, "median", stats.Total.Cases.LeadMedian, (9.0+24)/2)
	wantHours(t, "p90", stats.Total.Cases.LeadP90, 24+(47-24)*0.7)
	sunday := rowOf(t, stats, "2026-03-29", domain.NoID)
	if sunday.Cases.Ended != 1 || sunday.Cases.Submitted != 1 || sunday.Cases.Straight != 1 {
		t.Errorf("Sunday %+v", sunday.Cases)
	}
	wantHours(t, "Sunday", sunday.Cases.LeadMedian, 24)
	byProcess := h.march(auditor, domain.ByProcess, "29", "30")
	if content := rowOf(t, byProcess, "content_review", domain.NoID); content.Cases.Ended != 1 ||
		content.Reviews.Decided != 1 {
		t.Errorf("content_review %+v", content)
	}
}

// Cases that were reopened, split, merged or corrected count once.
func TestNoCaseCountsTwice(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor := h.person("auditor", domain.RoleAuditor)
	reopened := h.add(madeCase{submitted: "02 08:00", ended: "05 08:00", status: domain.Archived})
	h.event(reopened, 50, "case.archived", "03 08:00", "{}", domain.SystemUserID)
	h.event(reopened, 51, "case.reopened", "04 08:00", "{}", domain.SystemUserID)
	open := h.add(madeCase{submitted: "02 08:00", status: domain.InReview})
	h.event(open, 50, "case.archived", "03 08:00", "{}", domain.SystemUserID)
	h.event(open, 51, "case.reopened", "04 08:00", "{}", domain.SystemUserID)

	file := h.add(madeCase{submitted: "02 08:00", ended: "02 09:00", status: domain.Abandoned})
	for _, ended := range []string{"02 18:00", "02 20:00"} {
		h.add(madeCase{submitted: "02 09:00", ended: ended, status: domain.Archived, parent: file,
			origin: file})
	}
	undone := h.add(madeCase{submitted: "06 08:00", ended: "06 09:00", status: domain.Abandoned})
	for range 2 {
		h.add(madeCase{submitted: "06 09:00", ended: "06 10:00", status: domain.Abandoned,
			parent: undone, origin: undone})
	}
	h.add(madeCase{submitted: "06 10:00", ended: "06 18:00", status: domain.Archived, parent: undone,
		origin: undone, part: `{"merged": true}`})
	correction := h.add(madeCase{submitted: "07 08:00", ended: "07 09:00", status: domain.Archived})
	h.insert(`INSERT INTO case_corrections VALUES ($1, $2, $3)`, correction, reopened, domain.NewID())

	stats := h.march(auditor, domain.ByDay, "01", "10")
	// the reopened case, two parts, the merged file
	if got := *stats.Total.Cases; got.Ended != 4 || got.Archived != 4 || got.Abandoned != 0 ||
		got.Submitted != 4 {
		t.Errorf("total %+v", got)
	}
	if day := rowOf(t, stats, "2026-03-03", domain.NoID); day.Cases.Ended != 0 {
		t.Errorf("an end before the case was reopened counts: %+v", day.Cases)
	}
	parts := rowOf(t, stats, "2026-03-02", domain.NoID)
	wantHours(t, "parts, since the file was submitted", parts.Cases.LeadMedian, 11)
	wantHours(t, "merged", rowOf(t, stats, "2026-03-06", domain.NoID).Cases.LeadMedian, 10)
}

func TestFiguresOfReviews(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	auditor := h.person("auditor", domain.RoleAuditor)
	ann, bob := h.person("ann", domain.RoleL1).UserID, h.person("bob", domain.RoleL1).UserID
	c := h.add(madeCase{submitted: "02 08:00", status: domain.InReview})
	// waits 1, 2 and 6 h; work 1, 3 and 2 h; the last one is late and missed its claim deadline twice
	h.review(c, madeReview{queue: "L1", opened: "02 08:00", claimed: "02 09:00", decided: "02 10:00",
		deadline: "03 08:00", by: ann, verdict: domain.Approve})
	h.review(c, madeReview{queue: "L1", opened: "02 08:00", claimed: "02 10:00", decided: "02 13:00",
		deadline: "03 08:00", by: ann, verdict: domain.Approve})
	h.review(c, madeReview{queue: "L2", opened: "02 20:00", claimed: "03 02:00", decided: "03 04:00",
		deadline: "02 23:00", by: bob, verdict: domain.Reject, missed: 2})
	h.review(c, madeReview{queue: "L2", opened: "03 08:00", deadline: "03 12:00"}) // open and overdue
	h.review(c, madeReview{queue: "L2", opened: "03 09:00", deadline: "03 12:00"}) // paused
	h.insert(`UPDATE reviews SET paused_at = created_at WHERE created_at = $1`, at(t, "03 09:00"))

	stats := h.march(auditor, domain.ByQueue, "02", "03")
	total := stats.Total.Reviews
	if total.Decided != 3 || total.Opened != 5 || total.Late != 2 || total.MissedClaims != 2 {
		t.Errorf("total %+v", total)
	}
	wantHours(t, "wait", total.WaitMedian, 2)
	wantHours(t, "wait p90", total.WaitP90, 2+4*0.8)
	wantHours(t, "work", total.WorkMedian, 2)
	wantHours(t, "total", total.TotalMedian, 5)
	wantHours(t, "total p90", total.TotalP90, 5+3*0.8)
	l2 := rowOf(t, stats, "L2", domain.NoID).Reviews
	if l2.Decided != 1 || l2.Opened != 3 || l2.Late != 2 {
		t.Errorf("L2 %+v", l2)
	}
	people := h.march(auditor, domain.ByPerson, "02", "03")
	if got := rowOf(t, people, "", ann).Reviews; got.Decided != 2 || got.Late != 0 ||
		got.Opened >= 0 {
		t.Errorf("ann %+v", got)
	}
	if got := rowOf(t, people, "", bob).Reviews; got.Decided != 1 || got.Late != 1 {
		t.Errorf("bob %+v", got)
	}
	days := h.march(auditor, domain.ByDay, "02", "03")
	if got := rowOf(t, days, "2026-03-02", domain.NoID).Reviews; got.Decided != 2 ||
		got.Late != 1 || got.Opened != 3 {
		t.Errorf("2 March %+v", got)
	}
}
