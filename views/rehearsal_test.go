package views_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/views"
)

// knownProcess asks a person from a threshold on, and about unknown amounts.
const knownProcess = `
key: known
version: %d
on_abandon: seal_abandoned
re_enter: route
nodes:
  - {id: start, kind: start, next: route}
  - {id: route, kind: exclusive, branches: [{when: "!amount_known || base_minor >= %d", to: review}], default: archive}
  - {id: review, kind: review, queue: L1, level: 1, decide_within: 24h, on: {approve: archive, reject: seal_rejected, return: route}}
  - {id: archive, kind: stage, behaviour: archive, outcome: archived, next: archived}
  - {id: seal_rejected, kind: stage, behaviour: archive, outcome: rejected, next: rejected}
  - {id: seal_abandoned, kind: stage, behaviour: archive, outcome: abandoned, next: abandoned}
  - {id: abandoned, kind: end, status: abandoned}
  - {id: archived, kind: end, status: archived}
  - {id: rejected, kind: end, status: rejected}
`

// The thresholds of the known set, in minor units.
const hundredThousand, fiftyThousand = 10_000_000, 5_000_000

func known(version, threshold int) string { return fmt.Sprintf(knownProcess, version, threshold) }

// knownCase is one kind of case of the known set.
type knownCase struct {
	base     int64
	currency string
	unknown  bool
}

// knownKinds are amounts around both thresholds. The amount at risk in the base currency counts, whatever
// the currency of the document is.
var knownKinds = []knownCase{{4_999_999, "USD", false}, {5_000_000, "USD", false},
	{9_999_999, "USD", false}, {10_000_000, "USD", false}, {0, "USD", true}, {7_500_000, "JPY", false},
	{5_390_000, "EUR", false}, {1_000, "USD", false}, {25_000_000, "EUR", false}, {4_900_000, "GBP", false}}

func (k knownCase) reviewed(threshold int64) bool { return k.unknown || k.base >= threshold }

// insertKnown inserts n cases of a version of the known process, in turn of each kind, with the reviews
// that the threshold asks for. Every seventh reviewed case was rejected. It returns their ids.
func (h *history) insertKnown(n, version int, threshold int64, submitter, by domain.ID) []domain.ID {
	h.t.Helper()
	h.insert(`INSERT INTO process_definitions (key, version, document, published_by)
		VALUES ('known', $1, $2, $3)`, version, known(version, int(threshold)), domain.SystemUserID)
	var ids, reviewed, reviews, decisions []domain.ID
	var bases []int64
	var currencies, statuses, verdicts []string
	var unknown []bool
	for i := range n {
		kind := knownKinds[i%len(knownKinds)]
		status, verdict := domain.Archived, domain.Approve
		if i%7 == 0 && kind.reviewed(threshold) {
			status, verdict = domain.Rejected, domain.Reject
		}
		id := domain.NewID()
		ids, bases, unknown = append(ids, id), append(bases, kind.base), append(unknown, kind.unknown)
		currencies, statuses = append(currencies, kind.currency), append(statuses, string(status))
		if kind.reviewed(threshold) {
			reviewed, reviews = append(reviewed, id), append(reviews, domain.NewID())
			decisions, verdicts = append(decisions, domain.NewID()), append(verdicts, string(verdict))
		}
	}
	h.insert(`INSERT INTO cases (id, reference, process_key, process_version, document_type, channel,
		counterparty, marking, status, submitter, correlation_id, manifest_key, base_minor, amount_known,
		amount_minor, currency) SELECT id, 'K-' || $7::int || '-' || n, 'known', $7, 'invoice', 'api', '', '{}',
		status, $6, 'made', 'made', base, NOT unknown, base, currency
		FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::bool[]) WITH ORDINALITY
		AS x (id, base, currency, status, unknown, n)`, ids, bases, currencies, statuses, unknown,
		submitter, version)
	h.insert(`INSERT INTO reviews (id, case_id, node, visit, seat, queue, level, duty, assignee, status,
		claim_by, decide_by, claimed_at, decided_at, submitter, party_id, base_minor, amount_known, band,
		document_type, country, created_at)
		SELECT x.review, c.id, 'review', 1, 1, 'L1', 1, 'approval', $3, 'decided', c.created_at,
		c.created_at + interval '24 hours', c.created_at, c.created_at + interval '1 minute', c.submitter,
		c.party_id, c.base_minor, c.amount_known, 0, 'invoice', '', c.created_at
		FROM unnest($1::uuid[], $2::uuid[]) AS x (id, review) JOIN cases c ON c.id = x.id`, reviewed,
		reviews, by)
	h.insert(`INSERT INTO decisions (case_id, id, review_id, actor, verdict, reason, evidence, at)
		SELECT id, decision, review, $5, verdict, 'made', '{}', clock()
		FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) AS x (id, decision, review, verdict)`,
		reviewed, decisions, reviews, verdicts, by)
	return ids
}

func (h *history) rehearse(by domain.Actor, query views.RehearsalQuery) *views.Rehearsal {
	h.t.Helper()
	query.Zone = "UTC"
	made, err := h.views.Rehearse(h.ctx, by, query)
	must(h.t, err)
	return made
}

// wantNamed checks that exactly the cases of the kinds for which a function holds are named.
func wantNamed(t *testing.T, made *views.Rehearsal, ids []domain.ID, holds func(knownCase) bool) {
	t.Helper()
	var want, got []domain.ID
	for i, id := range ids {
		if holds(knownKinds[i%len(knownKinds)]) {
			want = append(want, id)
		}
	}
	for _, one := range made.Different {
		got = append(got, one.Case.ID)
	}
	if !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("%d cases are named, want %d", len(got), len(want))
	}
}

// Of 1,000 closed cases exactly those between the thresholds differ when the threshold moves from 100,000
// to 50,000 and back.
func TestRehearsalOfTheKnownSet(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	lena := h.person("lena", domain.RoleL1)
	between := func(k knownCase) bool { return k.reviewed(fiftyThousand) && !k.reviewed(hundredThousand) }
	high := h.insertKnown(1000, 1, hundredThousand, sam.UserID, lena.UserID)
	query := views.RehearsalQuery{Closed: 1000, Named: 1000,
		Change: views.RehearsalChange{Process: known(2, fiftyThousand)}}
	made := h.rehearse(ada, query)
	wantNamed(t, made, high, between)
	want := domain.RehearsalCounts{Same: 600, MoreReviews: 400, StraightToPerson: 400,
		TooFewBefore: 100, TooFewAfter: 100, ComparedWithRecord: 1000} // no limit covers an unknown amount
	if made.RehearsalCounts != want || made.Closed != 1000 || made.Open+made.Hidden != 0 || !made.Complete {
		t.Errorf("lower threshold: %+v", made)
	}
	for _, one := range made.Different {
		if one.Asked[0].Verdict != "" || one.Asked[0].Eligible != 1 || one.EndAfter != domain.Archived ||
			!slices.Equal(one.Added, []string{"review"}) {
			t.Fatalf("a case that would be reviewed: %+v", one)
		}
	}
	if len(made.People) != 1 || made.People[0].CouldBefore != 200 || made.People[0].CouldAfter != 600 ||
		made.People[0].AskedAfter != 600 {
		t.Errorf("the reviewer: %+v", made.People)
	}
	query.Named = 10
	if few := h.rehearse(ada, query); few.RehearsalCounts != want || len(few.Different) != 10 {
		t.Errorf("named %d: %+v", len(few.Different), few.RehearsalCounts)
	}

	low := h.insertKnown(1000, 2, fiftyThousand, sam.UserID, lena.UserID)
	query.Named, query.Change.Process = 1000, known(3, hundredThousand)
	made = h.rehearse(ada, query)
	wantNamed(t, made, low, between)
	rejected := 0 // of those that would no longer meet a person
	for i := range low {
		if i%7 == 0 && between(knownKinds[i%len(knownKinds)]) {
			rejected++
		}
	}
	want = domain.RehearsalCounts{Same: 600, FewerReviews: 400, PersonToStraight: 400, OtherEnd: rejected,
		TooFewBefore: 100, TooFewAfter: 100, ComparedWithRecord: 1000}
	if made.RehearsalCounts != want {
		t.Errorf("higher threshold: %+v", made.RehearsalCounts)
	}
}

// A fact that the change needs and old cases lack is named at the node, with the number of cases, and for
// each case.
func TestRehearsalNamesMissingFacts(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter)
	h.insertKnown(20, 1, hundredThousand, sam.UserID, h.person("lena", domain.RoleL1).UserID)
	center := strings.Replace(known(2, hundredThousand), `"!amount_known || base_minor >= 10000000"`,
		`'fields["number"] == "1"'`, 1)
	for name, row := range map[string]struct {
		text    string
		node    string
		stopped int
		cases   int
	}{
		"guard": {center, "route", 20, 20},
		"unknown amount": {strings.Replace(known(2, hundredThousand), "!amount_known || ", "", 1), "route",
			2, 2},
		"needs": {strings.Replace(strings.Replace(known(2, hundredThousand), "re_enter: route",
			"re_enter: route\nneeds: [counterparty]", 1), "  - {id: start, kind: start, next: route}",
			"  - {id: start, kind: start, next: complete}\n"+
				"  - {id: complete, kind: exclusive, branches: [{when: size(missing) > 0, to: repair}], default: route}\n"+
				"  - {id: repair, kind: review, queue: repair, duty: repair, on: {repaired: route, return: route}}", 1),
			"repair", 0, 20},
	} {
		made := h.rehearse(ada, views.RehearsalQuery{Closed: 100, Named: 100,
			Change: views.RehearsalChange{Process: row.text}})
		if made.Stopped != row.stopped || len(made.Missing) != 1 || made.Missing[0].Node != row.node ||
			made.Missing[0].Cases != row.cases || made.Missing[0].Message == "" {
			t.Errorf("%s: stopped %d, %+v", name, made.Stopped, made.Missing)
		}
		named := 0
		for _, one := range made.Different {
			if one.ProblemNode == row.node && one.Problem == made.Missing[0].Message ||
				len(one.Lacks) > 0 && slices.Contains(one.Added, row.node) {
				named++
			}
		}
		if named != row.cases {
			t.Errorf("%s: %d cases are named, want %d", name, named, row.cases)
		}
	}
}

// People count as the product would have asked them: within their limits, without the submitter, people
// with a conflict of interest and those who were out of office until the deadline.
func TestRehearsalCountsEligiblePeople(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	ada, sam := h.person("ada", domain.RoleAdmin), h.person("sam", domain.RoleSubmitter, domain.RoleL1)
	lena, ann := h.person("lena", domain.RoleL1), h.person("ann", domain.RoleL1)
	party := domain.NewID()
	h.insert(`INSERT INTO parties (id, key, name, group_id) VALUES ($1, 'acme', 'Acme', $1)`, party)
	id := h.insertKnown(2, 1, hundredThousand, sam.UserID, lena.UserID)[1]
	h.insert(`UPDATE cases SET party_id = $2, created_at = clock() - interval '10 days' WHERE id = $1`, id,
		party)
	query := views.RehearsalQuery{Closed: 1, Named: 1,
		Change: views.RehearsalChange{Process: known(2, fiftyThousand)}}
	twoSeats := query
	twoSeats.Change.Process = strings.Replace(known(2, fiftyThousand), "level: 1,", "level: 1, seats: 2,", 1)
	check := func(what string, query views.RehearsalQuery, eligible int, tooFew bool) {
		t.Helper()
		made := h.rehearse(ada, query)
		if len(made.Different) != 1 || made.Different[0].Asked[0].Eligible != eligible ||
			made.Different[0].TooFewAfter != tooFew || (made.TooFewAfter == 1) != tooFew {
			t.Errorf("%s: %+v", what, made)
		}
	}
	check("two reviewers besides the submitter", query, 2, false)
	check("two seats", twoSeats, 2, false)
	absent := func(person domain.ID, from, until, ended string) {
		h.insert(`INSERT INTO absences (id, person, substitute, valid_from, valid_until, reason, created_by,
			ended_at) VALUES ($1, $2, $3, clock() - $4::interval, clock() - $5::interval, '', $2,
			clock() - nullif($6, '')::interval)`, domain.NewID(), person, domain.NoID, from, until, ended)
	}
	absent(ann.UserID, "11 days", "9 days 12 hours", "")
	absent(ann.UserID, "30 days", "20 days", "")
	check("back before the deadline", query, 2, false)
	absent(ann.UserID, "12 days", "0 days", "11 days")
	check("an absence that ended early", query, 2, false)
	absent(ann.UserID, "12 days", "8 days", "")
	check("out of office until the deadline", query, 1, false)
	check("two seats and one person", twoSeats, 1, true)
	h.insert(`INSERT INTO conflicts (id, person, party_id, reason, declared_by)
		VALUES ($1, $2, $3, '', $2)`, domain.NewID(), lena.UserID, party)
	check("a conflict of interest", query, 0, true)
}

// A case with supporting documents meets a person where its values alone would not, on both sides of the
// rehearsal. Its number of documents is its real one.
func TestRehearsalConsidersSupportingDocuments(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	sam, lena := h.person("sam", domain.RoleSubmitter), h.person("lena", domain.RoleL1)
	ada := h.person("ada", domain.RoleAdmin)
	ids := h.insertKnown(10, 1, hundredThousand, sam.UserID, lena.UserID)
	query := views.RehearsalQuery{Closed: 10, Named: 10, Change: views.RehearsalChange{
		Process: known(2, 100*hundredThousand)}} // fewer people than before
	before := h.rehearse(ada, query)
	h.insert(`INSERT INTO supporting_documents (case_id, number, kind, replaces, file_name, media_type, size, sha256,
		blob_key, created_by, created_at) SELECT id, 1, 'payslip', 0, 'a.pdf', 'application/pdf', 1, sha256('a'),
		'x', submitter, clock()
		FROM cases WHERE id = ANY($1)`, ids)
	after := h.rehearse(ada, query)
	if before.PersonToStraight == 0 || after.PersonToStraight != 0 {
		t.Errorf("without documents %+v, with them %+v", before.RehearsalCounts, after.RehearsalCounts)
	}
}
