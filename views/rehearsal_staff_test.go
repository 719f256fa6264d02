package views_test

import (
	"strings"
	"testing"

	"countersign/domain"
	"countersign/views"
)

// rule sets how the queue L1 assigns.
func (h *history) rule(strategy domain.Strategy, most int) {
	h.insert(`INSERT INTO queues (name, strategy, cap) VALUES ('L1', $1, $2)
		ON CONFLICT (name) DO UPDATE SET strategy = $1, cap = $2`, strategy, most)
}

func (h *history) skill(person domain.ID, skills ...string) {
	h.insert(`INSERT INTO user_skills (user_id, skill) SELECT $1, unnest($2::text[])`, person, skills)
}

// askedOf returns how many reviews a person would be asked for and could take, before and after.
func askedOf(made *views.Rehearsal, person domain.ID) domain.RehearsedPerson {
	for _, one := range made.People {
		if one.Person == person {
			return one
		}
	}
	return domain.RehearsedPerson{}
}

// A queue that assigns by skill asks no one without the skill, whatever rights they have, and no one at all
// if no person has it. The report says so, although there are enough eligible people.
func TestRehearsalAsksOnlyPeopleWithTheSkill(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	lena, ann := h.person("lena", domain.RoleL1), h.person("ann", domain.RoleL1)
	h.insertKnown(10, 1, hundredThousand, sam.UserID, lena.UserID)
	query := views.RehearsalQuery{Closed: 10, Named: 10,
		Change: views.RehearsalChange{Process: known(2, fiftyThousand)}} // four reviews more
	check := func(what string, assignable, unassigned int, lenaAsked, annAsked float64) {
		t.Helper()
		made := h.rehearse(ada, query)
		for _, one := range made.Different {
			if one.Asked[0].Eligible != 2 || one.Asked[0].Assignable != assignable || one.TooFewAfter {
				t.Errorf("%s: %+v", what, one.Asked)
			}
		}
		for _, one := range made.Different {
			if one.UnassignedAfter && assignable > 0 && one.Asked[0].Eligible > 0 {
				t.Errorf("%s: %+v", what, one)
			}
		}
		if made.UnassignedAfter != unassigned || askedOf(made, ann.UserID).AskedAfter != annAsked ||
			askedOf(made, lena.UserID).AskedAfter-askedOf(made, lena.UserID).AskedBefore != lenaAsked ||
			askedOf(made, ann.UserID).CouldAfter != 6 {
			t.Errorf("%s: unassigned %d, %+v", what, made.UnassignedAfter, made.People)
		}
	}
	check("reviewers claim", 2, 0, 2, 2)
	h.rule(domain.StrategySkill, 0)
	check("no one has the skill", 0, 7, 0, 0) // also those that were decided, and one of an unknown amount
	h.skill(ann.UserID, "french")
	check("another skill", 0, 7, 0, 0)
	h.skill(lena.UserID, "invoice")
	check("one person has the skill", 1, 1, 4, 0) // no limit covers an unknown amount
	query.Change.Process = strings.Replace(known(2, fiftyThousand), "level: 1,", "level: 1, skills: [french],", 1)
	check("a skill of the step that only another person has", 0, 7, 0, 0)
	h.skill(ann.UserID, "invoice")
	check("both skills", 1, 1, 0, 4)
}

// A queue with a cap asks no one who holds that many reviews, and spreads them by the load.
func TestRehearsalRespectsTheCap(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	lena, ann := h.person("lena", domain.RoleL1), h.person("ann", domain.RoleL1)
	ids := h.insertKnown(100, 1, hundredThousand, sam.UserID, lena.UserID) // 30 reviews, and 40 more
	h.insert(`UPDATE cases SET created_at = date_trunc('day', clock()) - interval '10 days' + interval '9 hours'
		WHERE id = ANY($1)`, ids) // in the working hours, whatever the time is now
	h.insert(`UPDATE reviews r SET created_at = x.at, claimed_at = x.at, decided_at = x.at + interval '1 minute',
		decide_by = x.at + interval '1 day' FROM (SELECT id, clock() - interval '11 days' -
		row_number() OVER () * interval '1 hour' AS at FROM reviews) x WHERE x.id = r.id`)
	query := views.RehearsalQuery{Closed: 100,
		Change: views.RehearsalChange{Process: known(2, fiftyThousand)}}
	for name, row := range map[string]struct {
		strategy         domain.Strategy
		most, unassigned int
		each             float64
	}{
		"no cap":    {domain.StrategyLeastLoaded, 0, 0, 20},
		"cap":       {domain.StrategyLeastLoaded, 3, 34, 3},
		"in turn":   {domain.StrategyRoundRobin, 0, 0, 20},
		"turns cap": {domain.StrategyRoundRobin, 5, 30, 5},
	} {
		h.rule(row.strategy, row.most)
		made := h.rehearse(ada, query)
		mine, others := askedOf(made, ann.UserID), askedOf(made, lena.UserID)
		if mine.AskedAfter != row.each || others.AskedAfter-others.AskedBefore != row.each {
			t.Errorf("%s: %+v", name, made.People)
		}
		if len(made.Queues) != 1 || !made.Queues[0].People || made.Queues[0].Unassigned != 0 ||
			made.Queues[0].ChangedUnassigned != row.unassigned {
			t.Errorf("%s: %+v", name, made.Queues)
		}
	}
}

// Deadlines are missed because one person must do all reviews that a skill or a limit leaves to them, however
// many reviewers the queue has.
func TestRehearsalCountsDeadlinesOfTheOnlyPerson(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	lena, ann := h.person("lena", domain.RoleL1), h.person("ann", domain.RoleL1)
	h.pastReviews("L1", "document_approval", 150_000, lena.UserID)
	h.pastReviews("L1", "document_approval", 150_000, ann.UserID) // the queue has two reviewers
	ids := h.insertKnown(100, 1, 10*hundredThousand, sam.UserID, lena.UserID)
	h.insert(`UPDATE cases SET created_at = date_trunc('day', clock()) - interval '10 days' + interval '9 hours'
		WHERE id = ANY($1)`, ids) // in the working hours, whatever the time is now
	query := views.RehearsalQuery{Closed: 100, Process: "known", Change: views.RehearsalChange{
		Process: strings.Replace(known(2, hundredThousand), "decide_within: 24h", "decide_within: 6h", 1)}}
	late := func() int {
		t.Helper()
		made := h.rehearse(ada, query)
		if len(made.Queues) != 1 || made.Queues[0].Replayed.Late > made.Queues[0].Changed.Late {
			t.Fatalf("%+v", made.Queues)
		}
		return made.Queues[0].Changed.Late - made.Queues[0].Replayed.Late
	}
	h.rule(domain.StrategySkill, 0)
	h.skill(lena.UserID, "invoice")
	h.skill(ann.UserID, "invoice")
	both := late()
	h.insert(`DELETE FROM user_skills WHERE user_id = $1`, ann.UserID)
	if one := late(); one <= both {
		t.Errorf("%d deadlines are missed by one person with the skill, %d by two", one, both)
	}
}

// A delegate counts for the absent person on whose behalf they act, once, and not if they could take the review
// anyway, or for a person who was there.
func TestRehearsalCountsDelegatesOnce(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	lena, ann := h.person("lena", domain.RoleL1), h.person("ann", domain.RoleL1)
	senior := h.person("senior", domain.RoleL2) // has no access to L1
	id := h.insertKnown(2, 1, hundredThousand, sam.UserID, lena.UserID)[1]
	h.insert(`UPDATE cases SET created_at = clock() - interval '10 days' WHERE id = $1`, id)
	twoSeats := strings.Replace(known(2, fiftyThousand), "level: 1,", "level: 1, seats: 2,", 1)
	check := func(what string, eligible, assignable int) {
		t.Helper()
		made := h.rehearse(ada, views.RehearsalQuery{Closed: 1, Named: 1,
			Change: views.RehearsalChange{Process: twoSeats}})
		if one := made.Different[0]; one.Asked[0].Eligible != eligible || one.TooFewAfter != (eligible < 2) ||
			one.Asked[0].Assignable != assignable {
			t.Errorf("%s: %+v", what, one)
		}
	}
	delegate := func(from, to domain.ID, since, until, ended string) {
		h.insert(`INSERT INTO delegations (id, giver, taker, valid_from, valid_until, queues, document_types, reason,
			created_by, ended_at) VALUES ($1, $2, $3, clock() - $4::interval, clock() - $5::interval, '{}', '{}', '', $2,
			clock() - nullif($6, '')::interval)`, domain.NewID(), from, to, since, until, ended)
	}
	h.rule(domain.StrategyLeastLoaded, 0)
	check("both reviewers", 2, 2)
	delegate(ann.UserID, senior.UserID, "12 days", "11 days", "")
	delegate(ann.UserID, senior.UserID, "12 days", "1 day", "11 days")
	delegate(lena.UserID, ann.UserID, "12 days", "1 day", "")
	check("a delegate of a person who is there", 2, 2)
	h.insert(`INSERT INTO absences (id, person, substitute, valid_from, valid_until, reason, created_by)
		VALUES ($1, $2, $3, clock() - interval '12 days', clock() - interval '8 days', '', $2)`, domain.NewID(),
		ann.UserID, domain.NoID)
	check("an absent person, with delegations that have ended", 1, 1)
	delegate(ann.UserID, lena.UserID, "12 days", "1 day", "")
	check("the delegate is the other reviewer", 1, 1)
	delegate(ann.UserID, senior.UserID, "12 days", "1 day", "")
	check("a delegate who could not take it themselves", 2, 1) // queues assign to people in their own name
	delegate(ann.UserID, ada.UserID, "12 days", "1 day", "")
	check("several delegates of one person", 2, 1)
}
