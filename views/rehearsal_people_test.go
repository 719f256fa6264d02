package views_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"countersign/authz"
	"countersign/casework"
	"countersign/domain"
	"countersign/store"
	"countersign/views"
)

// A smaller limit, its removal and a stricter policy leave reviews without people; routes stay.
func TestRehearsalOfAuthority(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	lena := h.person("lena", domain.RoleL1)
	h.insertKnown(10, 1, fiftyThousand, sam.UserID, lena.UserID) // 7 reviews, one of an unknown amount
	version, err := h.views.Policy(h.ctx, ada, 0)
	must(t, err)
	strict := authz.Document{Version: version.Version + 1, Rules: slices.Clone(version.Rules)}
	strict.Rules = append(strict.Rules, authz.Rule{Name: "no JPY", Role: domain.RoleL1, Action: domain.ActClaim,
		Object: authz.QueueReview, Effect: authz.Deny, Condition: "review.base_minor == 7500000"})
	policy, err := json.Marshal(strict)
	must(t, err)
	limit := func(base int64, drop bool) views.RehearsalChange {
		return views.RehearsalChange{Limit: &views.RehearsedLimit{Drop: drop, Limit: domain.Limit{
			Role: domain.RoleL1, Action: domain.ActDecide, BaseMinor: base}}}
	}
	for name, row := range map[string]struct {
		change        views.RehearsalChange
		tooFew, could int
	}{
		"same limit":    {limit(50_000_000, false), 1, 6},
		"smaller limit": {limit(7_500_000, false), 4, 3},
		"no limit":      {limit(0, true), 7, 0},
		"policy":        {views.RehearsalChange{Policy: string(policy)}, 2, 5},
	} {
		made := h.rehearse(ada, views.RehearsalQuery{Closed: 10, Named: 10, Process: "known", Change: row.change})
		if made.TooFewBefore != 1 || made.TooFewAfter != row.tooFew || made.MoreReviews+made.FewerReviews != 0 ||
			len(made.Different) != row.tooFew-1 || made.Queues != nil {
			t.Errorf("%s: %+v", name, made)
		}
		if row.could != 6 && (len(made.People) != 1 || made.People[0].CouldBefore != 6 ||
			made.People[0].CouldAfter != row.could) {
			t.Errorf("%s: %+v", name, made.People)
		}
	}
}

// A shorter deadline is missed more often, and one reviewer more misses fewer. What was recorded is beside
// what the same simulation has without the change.
func TestRehearsalOfQueues(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, ann := h.person("ada", domain.RoleAdmin), h.person("ann", domain.RoleL1)
	h.pastReviews("L1", "document_approval", 150_000, ann.UserID)
	h.insert(`UPDATE reviews SET decide_by = created_at + interval '1 hour'`)
	rehearse := func(change views.RehearsalChange) views.QueueReplay {
		t.Helper()
		made := h.rehearse(ada, views.RehearsalQuery{Open: true, Change: change})
		if len(made.Queues) != 1 || made.Queues[0].Recorded.Decided != 140 || made.QueueError.Weeks == 0 ||
			made.Same != 140 {
			t.Fatalf("%+v", made)
		}
		return made.Queues[0]
	}
	short := rehearse(views.RehearsalChange{Deadline: &views.QueueDeadline{Queue: "L1", Percent: 10}})
	same := rehearse(views.RehearsalChange{Deadline: &views.QueueDeadline{Queue: "L1", Percent: 100}})
	if short.Changed.Late <= short.Replayed.Late || same.Changed.Late != same.Replayed.Late {
		t.Errorf("late %d of %d; with the same deadline %d", short.Changed.Late, short.Replayed.Late,
			same.Changed.Late)
	}
	more := rehearse(views.RehearsalChange{Reviewers: &views.QueueReviewers{Queue: "L1", More: 1}})
	none := rehearse(views.RehearsalChange{Reviewers: &views.QueueReviewers{Queue: "L1", More: -more.Reviewers}})
	if more.ChangedReviewers != more.Reviewers+1 || none.Changed.Late <= none.Replayed.Late {
		t.Errorf("reviewers %d and %d, late without any %d", more.Reviewers, more.ChangedReviewers,
			none.Changed.Late)
	}
}

// Reviews that a process would drop leave the queue, and reviews that it adds come to it.
func TestRehearsedProcessChangesTheQueue(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	ids := h.insertKnown(200, 1, hundredThousand, sam.UserID, h.person("lena", domain.RoleL1).UserID)
	h.insert(`UPDATE cases SET created_at = clock() - interval '10 days' WHERE id = ANY($1)`, ids)
	h.insert(`UPDATE reviews SET created_at = clock() - interval '10 days', claimed_at = clock() -
		interval '10 days', decided_at = clock() - interval '9 days 23 hours',
		decide_by = clock() - interval '9 days'`)
	for name, row := range map[string]struct{ threshold, arrived int }{
		"lower": {fiftyThousand, 140}, "same": {hundredThousand, 60}, "higher": {5 * hundredThousand, 20}} {
		made := h.rehearse(ada, views.RehearsalQuery{Closed: 200,
			Change: views.RehearsalChange{Process: known(2, row.threshold)}})
		if len(made.Queues) != 1 || made.Queues[0].Replayed.Arrived != 60 ||
			made.Queues[0].Changed.Arrived != row.arrived {
			t.Errorf("%s: %+v", name, made.Queues)
		}
	}
	slower := strings.Replace(known(2, hundredThousand), "decide_within: 24h", "decide_within: 1m", 1)
	made := h.rehearse(ada, views.RehearsalQuery{Closed: 200, Change: views.RehearsalChange{Process: slower}})
	if made.Queues[0].Replayed.Late != 0 || made.Queues[0].Changed.Late == 0 || made.Same != 200 {
		t.Errorf("a shorter deadline of the node: %+v", made.Queues[0])
	}
}

// A calendar changes the deadlines of its queues: with a working day of 20 minutes the reviews had 24 hours,
// with one of 24 hours they have 20 minutes.
func TestRehearsedCalendarMovesDeadlines(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, ann := h.person("ada", domain.RoleAdmin), h.person("ann", domain.RoleL1)
	h.pastReviews("L1", "document_approval", 150_000, ann.UserID)
	h.insert(`UPDATE reviews SET decide_by = created_at + interval '24 hours'`)
	calendar := func(from, to int) *domain.Calendar {
		hours := [7][]domain.TimeRange{}
		for day := range hours {
			hours[day] = []domain.TimeRange{{From: from, To: to}}
		}
		made, err := domain.NewCalendar("office", "UTC", hours, nil)
		must(t, err)
		return made
	}
	must(t, h.db.InTx(h.ctx, func(tx *store.Tx) error {
		_, err := tx.PutCalendar(h.ctx, calendar(9*60, 9*60+20))
		return err
	}))
	h.insert(`INSERT INTO queues (name, calendar) VALUES ('L1', 'office')`)
	for to, late := range map[int]bool{24 * 60: true, 20: false} {
		made := h.rehearse(ada, views.RehearsalQuery{Open: true,
			Change: views.RehearsalChange{Calendar: calendar(0, to)}})
		if len(made.Queues) != 1 || made.Queues[0].Replayed.Late != 0 || (made.Queues[0].Changed.Late > 0) != late {
			t.Errorf("a day of %d minutes: %+v", to, made.Queues)
		}
	}
}

// People of a rehearsal are those of today. The report says how many changed since the oldest case, to those
// who may see the list of people.
func TestRehearsalSaysThatPeopleChanged(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	lena := h.person("lena", domain.RoleL1)
	h.insertKnown(5, 1, hundredThousand, sam.UserID, lena.UserID)
	changed := func() *views.PermissionChanges {
		return h.rehearse(ada, views.RehearsalQuery{Closed: 5,
			Change: views.RehearsalChange{Process: known(2, fiftyThousand)}}).Changed
	}
	before := changed()
	if before.Since.IsZero() || before.People != 0 || before.Permissions != 0 {
		t.Errorf("nothing has changed: %+v", before)
	}
	put := func(user domain.User) {
		t.Helper()
		_, err := h.service.PutUser(h.ctx, domain.SystemActor(), casework.PutUser{User: user})
		must(t, err)
	}
	put(domain.User{Name: "new", Email: "new@example.com", Roles: []domain.Role{domain.RoleL1}})
	lenaNow, err := h.db.Reader().User(h.ctx, lena.UserID)
	must(t, err)
	lenaNow.Name = "Lena with another name"
	put(lenaNow)
	if after := changed(); after.People != 1 {
		t.Errorf("a new person, and one with another name: %+v", after)
	}
	lenaNow.Roles = []domain.Role{domain.RoleL2}
	put(lenaNow)
	if after := changed(); after.People != 2 {
		t.Errorf("another role: %+v", after)
	}
}
