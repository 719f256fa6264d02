package views_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/search"
	"countersign/views"
)

// index fills the search index.
func (env *testEnv) index() {
	env.t.Helper()
	for more := true; more; {
		var err error
		more, err = env.service.IndexSearch(env.ctx)
		must(env.t, err)
	}
}

func (env *testEnv) search(actor domain.Actor, text string) views.SearchPage {
	env.t.Helper()
	page, err := env.views.Search(env.ctx, actor, views.SearchQuery{Text: text, Limit: 50})
	must(env.t, err)
	return page
}

func foundIDs(page views.SearchPage) []domain.ID {
	ids := []domain.ID{}
	for _, hit := range page.Hits {
		ids = append(ids, hit.Case.ID)
	}
	slices.SortFunc(ids, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// Every user finds exactly the cases that their list contains: from the few cases that the filter may
// admit, by a word that is in so many cases that the readable ones are examined instead, by one that is
// in few, if an index finds too many cases that the filter may admit, and in one case only.
func TestSearchFindsWhatTheListContains(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	people := []domain.Actor{sam, sue, env.person("rita", domain.RoleL1), env.person("lena", domain.RoleL2),
		env.person("mia", domain.RoleManager), env.person("aud", domain.RoleAuditor), env.person("nora"),
		env.person("eva", domain.RoleL1), env.person("bo", domain.RoleSubmitter, domain.RoleL1)}
	submitted := []domain.ID{env.submit(sam, "2000.00"), env.submit(sue, "3000.00", "Quetzal GmbH"),
		env.submit(people[8], "4000.00"), env.submit(sam, "5000.00", "Beta GmbH"), env.submit(sue, "2500.00")}
	decided := env.reviewOf(submitted[4])
	env.claim(people[2], decided)
	env.decide(people[2], decided, domain.Approve)
	env.declareConflict(people[7], "Beta GmbH")
	env.index()
	for _, change := range []string{"",
		// Rows without a case, which no user may read.
		`INSERT INTO search_cases (case_id, words, confidential)
			SELECT gen_random_uuid(), '''gmbh'':1B'::tsvector, false FROM generate_series(1, 2100)`,
		// Reviews and own cases that are not indexed: more than are examined one by one.
		`WITH more AS (INSERT INTO cases SELECT (jsonb_populate_record(c, jsonb_build_object('reference', 'unindexed '
				|| submitter || n, 'accounts', jsonb_build_array(), 'id', overlay(gen_random_uuid()::text PLACING '00000000' FROM 1)))).*
				FROM (SELECT DISTINCT ON (submitter) c, submitter FROM cases c) x(c, submitter), generate_series(1, 2100) n
				RETURNING id)
			INSERT INTO reviews SELECT (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(),
				'case_id', more.id, 'status', 'open'))).* FROM (SELECT DISTINCT ON (queue) r FROM reviews r) x(r), more`,
		`DELETE FROM search_cases s WHERE NOT EXISTS (SELECT FROM cases c WHERE c.id = s.case_id)`,
	} {
		if change != "" {
			env.sql(change)
		}
		for _, actor := range people {
			listed := []domain.ID{}
			page, err := env.views.Cases(env.ctx, actor, views.CaseQuery{Limit: 50})
			must(t, err)
			for _, c := range slices.Backward(page.Cases) {
				if !strings.HasPrefix(c.Reference, "unindexed") {
					listed = append(listed, c.ID)
				}
			}
			if found := foundIDs(env.search(actor, "gmbh")); !slices.Equal(found, listed) {
				t.Errorf("after %.30q: %s finds %v, lists %v", change, actor.Name, found, listed)
			}
			for _, id := range submitted {
				one, err := env.views.Search(env.ctx, actor, views.SearchQuery{Text: "gmbh", Case: id, Limit: 50})
				must(t, err)
				if slices.Contains(listed, id) != slices.Equal(foundIDs(one), []domain.ID{id}) ||
					len(one.Hits) > 1 {
					t.Errorf("after %.30q: %s finds %v in one case, lists %v", change, actor.Name, foundIDs(one),
						listed)
				}
			}
		}
	}
	if len(foundIDs(env.search(people[5], "gmbh"))) != 5 || len(foundIDs(env.search(people[6], "gmbh"))) != 0 {
		t.Error("the auditor does not find all, or someone without a role finds something")
	}
	env.disable(people[5])
	_, err := env.views.Search(env.ctx, people[5], views.SearchQuery{Text: "gmbh", Limit: 5})
	wantCode(t, err, domain.Unauthenticated)
}

// A correction names only words of cases that the person may read.
func TestCorrectionsRevealNoWords(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	env.submit(sam, "2000.00", "Gothenburg Ferries GmbH")
	env.submit(sue, "3000.00", "Gothenbarg Quetzal GmbH")
	env.index()
	for _, tc := range []struct {
		actor      domain.Actor
		text, want string
	}{
		{sam, "gothenburh", "gothenburg"},
		{sue, "gothenburh", "gothenbarg"},
		{sam, "quetzaI", ""},
		{sam, "Quetzol", ""},
		{sue, "Quetzol", "quetzal"},
		{sue, "Quetzol gmbh", "quetzal"},
		{sam, "Quetzol gmbh", ""},
		{sam, "quet", ""},
		{sue, "quet", "quetzal"},
		{sam, "3000.01", ""},
	} {
		page := env.search(tc.actor, tc.text)
		got := ""
		for _, correction := range page.Corrections {
			for _, word := range correction.Replacements {
				got += word
			}
		}
		if got != tc.want || (len(page.Hits) == 1) != (tc.want != "") {
			t.Errorf("%s, %q: corrected to %q, %d hits, want %q", tc.actor.Name, tc.text, got, len(page.Hits),
				tc.want)
		}
	}
}

// A beginning of a word finds cases that a person may read, by words that they may find, and cases with the
// whole word are first. Words that only staff may find have no influence on the order of others.
func TestBeginningsRevealNoWords(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	rita, aud := env.person("Nordpeculiar", domain.RoleL1), env.person("aud", domain.RoleAuditor)
	whole := env.submit(sam, "2000.00", "Nord GmbH")
	longer := env.submit(sam, "2100.00", "Nordwind Nordwind Nordsee GmbH")
	env.submit(sue, "3000.00", "Nordlicht GmbH")
	env.claim(rita, env.reviewOf(longer))
	env.index()
	find := func(actor domain.Actor, text string) []domain.ID {
		page, err := env.views.Search(env.ctx, actor, views.SearchQuery{Text: text, Unfinished: true, Limit: 50})
		must(t, err)
		ids := []domain.ID{}
		for _, hit := range page.Hits {
			if ids = append(ids, hit.Case.ID); len(hit.Snippets) == 0 {
				t.Errorf("%s, %q: a hit without its words", actor.Name, text)
			}
		}
		return ids
	}
	for text, want := range map[string][]domain.ID{"nord": {whole, longer}, "gmbh nord": {whole, longer},
		"nordw": {longer}, "nordlicht": {}, "nordpeculi": {}, "no": {}} {
		if got := find(sam, text); !slices.Equal(got, want) {
			t.Errorf("%q: sam finds %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]int{"nord": 3, "nordpec": 1, "nordlic": 1} {
		if got := find(aud, text); len(got) != want {
			t.Errorf("%q: the auditor finds %v", text, got)
		}
	}
	if got := foundIDs(env.search(sam, "nord")); !slices.Equal(got, []domain.ID{whole}) {
		t.Errorf("finished: %v", got)
	}
	// A whole word that only staff may find makes no case the first for a submitter.
	env.sql(`UPDATE search_cases SET words = words || '''nord'':9D'::tsvector WHERE case_id = '` + longer.String() + `'`)
	if got := find(sam, "nord"); !slices.Equal(got, []domain.ID{whole, longer}) {
		t.Errorf("after a word for staff: %v", got)
	}
}

// Submitters and viewers without the whole view do not find the people and the reasons of a review.
func TestReviewersAreFoundByStaffOnly(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	rita, aud := env.person("Ritapeculiar", domain.RoleL1), env.person("aud", domain.RoleAuditor)
	mia := env.person("mia", domain.RoleManager)
	id := env.submit(sam, "2000.00")
	review := env.reviewOf(id)
	env.claim(rita, review)
	env.decide(rita, review, domain.Approve)
	env.index()
	for _, tc := range []struct {
		actor domain.Actor
		found bool
	}{{sam, false}, {aud, true}} {
		page := env.search(tc.actor, "ritapeculiar")
		if (len(page.Hits) == 1) != tc.found || len(page.Corrections) > 0 {
			t.Errorf("%s finds %d, %v", tc.actor.Name, len(page.Hits), page.Corrections)
		}
		if tc.found && !slices.Equal(page.Hits[0].Kinds, []search.Kind{search.KindPerson}) {
			t.Errorf("kinds %v", page.Hits[0].Kinds)
		}
		if typo := env.search(tc.actor, "ritapeculiat"); (len(typo.Corrections) == 1) != tc.found {
			t.Errorf("%s: %v", tc.actor.Name, typo.Corrections)
		}
	}
	// A process with confidential reviews: only people with clearance find reviewers.
	env.sql(`UPDATE search_cases SET confidential = true`)
	if hits := env.search(aud, "ritapeculiar").Hits; len(hits) != 1 {
		t.Errorf("the auditor finds %d", len(hits))
	}
	if hits := env.search(mia, "ritapeculiar").Hits; len(hits) != 0 {
		t.Errorf("a manager without clearance finds %d", len(hits))
	}
}

// A value that a field has in several writings is one line of a hit: a kind as the document names it, an
// amount as the case has it. Another value of the field is a line of its own.
func TestEachValueIsFoundOnce(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, aud := env.person("sam", domain.RoleSubmitter), env.person("aud", domain.RoleAuditor)
	id := env.submit(sam, "2000.00", "Quetzal GmbH")
	env.sql(`INSERT INTO fields (case_id, name, raw, normalised, confidence, source, grounded, revision)
		VALUES ($1, 'document_kind', 'INVOICE', 'invoice', 1, 'ocr', true, 1),
			($1, 'prepaid', '1.500,00', '1500.00', 1, 'ocr', true, 1)
		ON CONFLICT (case_id, name) DO UPDATE SET raw = excluded.raw, normalised = excluded.normalised`, id)
	env.sql(`INSERT INTO assertions (case_id, revision, source, at, body, salt, hash) VALUES ($1, 7, 'declared', clock(),
		'[{"field": "prepaid", "raw": "1500", "value": "1500.00"}, {"field": "vendor", "raw": "Quetzal", "value": "Quetzal"}]',
		'x', decode(repeat('00', 32), 'hex'))`, id)
	env.index()
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"invoice", []string{"document_kind INVOICE"}},
		{"1500", []string{"prepaid 1500.00"}},
		{"quetzal", []string{"vendor Quetzal GmbH", "vendor Quetzal"}},
	} {
		found := []string{}
		for _, hit := range env.search(aud, tc.query).Hits {
			for _, snippet := range hit.Snippets {
				if snippet.Field != "" {
					found = append(found, snippet.Field+" "+snippet.Text)
				}
			}
		}
		if !slices.Equal(found, tc.want) {
			t.Errorf("%q finds %q, want %q", tc.query, found, tc.want)
		}
	}
}
