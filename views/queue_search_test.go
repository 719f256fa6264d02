package views_test

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/views"
)

// searchState is a queue of documents of several vendors, amounts and risks, and a manager with a conflict.
type searchState struct {
	*testEnv
	rita, mia, excluded domain.Actor
	cases               map[domain.ID]domain.Case // by review
}

func newSearchState(t *testing.T) searchState {
	t.Helper()
	env := newTestEnv(t)
	s := searchState{testEnv: env, rita: env.person("rita", domain.RoleL1),
		mia: env.person("mia", domain.RoleManager), excluded: env.person("max", domain.RoleManager),
		cases: map[domain.ID]domain.Case{}}
	sam := env.person("sam", domain.RoleSubmitter)
	var ids []domain.ID
	for i, vendor := range []string{"Beta AG", "alpha GmbH", "Beta AG", "Östra AB", "100% Print_Co", "Gamma"} {
		id := env.submit(sam, strconv.Itoa(3000-100*i)+".00", vendor)
		env.sql(`UPDATE documents SET file_name = $2 WHERE case_id = $1`, id, "scan "+strconv.Itoa(i%2)+".pdf")
		ids = append(ids, id)
	}
	for i, id := range ids { // each document changed the risk of the earlier ones, which have its account
		env.sql(`UPDATE cases SET risk = $2 WHERE id = $1`, id, 10*(i%3))
		c, err := env.db.Reader().Case(env.ctx, id)
		must(t, err)
		s.cases[env.reviewOf(id).ID] = c
	}
	return s
}

// found pages through a search and returns the values of its rows.
func (s searchState) found(actor domain.Actor, query views.QueueQuery, value func(domain.Case) string) string {
	s.t.Helper()
	var values []string
	for _, review := range s.allPages(actor, query, 2) {
		values = append(values, value(s.cases[review.ID]))
	}
	return strings.Join(values, ", ")
}

func vendorOf(c domain.Case) string { return c.Counterparty }

// A text finds reviews by vendor, reference and file name, literally and in any case, over all pages.
func TestQueueIsSearchedByText(t *testing.T) {
	t.Parallel()
	s := newSearchState(t)
	for text, want := range map[string]int{"beta": 2, "ALPHA": 1, "östra": 1, "scan 1": 3, "%": 1, "_": 1,
		"Beta%": 0, `\`: 0, "nothing like it": 0, "  gamma ": 1} {
		if got := s.allPages(s.rita, views.QueueQuery{Text: text}, 2); len(got) != want {
			t.Errorf("%q finds %d reviews, want %d", text, len(got), want)
		}
	}
	for review, c := range s.cases {
		got := s.allPages(s.rita, views.QueueQuery{Text: strings.ToLower(c.Reference)}, 2)
		if len(got) != 1 || got[0].ID != review {
			t.Errorf("%s finds %d reviews", c.Reference, len(got))
		}
	}
	for _, query := range []views.QueueQuery{{Text: "beta", Mine: true}, {Text: "beta", Queue: domain.QueueL2}} {
		if got := s.allPages(s.rita, query, 2); len(got) != 0 {
			t.Errorf("%+v finds %d reviews", query, len(got))
		}
	}
}

// Every order pages through all reviews once, ordered as it says.
func TestQueueIsOrdered(t *testing.T) {
	t.Parallel()
	s := newSearchState(t)
	order := map[views.ReviewSort]func(a, b domain.Case) int{
		views.ReviewsAmountHighest: func(a, b domain.Case) int { return cmp.Compare(b.BaseMinor, a.BaseMinor) },
		views.ReviewsAmountLowest:  func(a, b domain.Case) int { return cmp.Compare(a.BaseMinor, b.BaseMinor) },
		views.ReviewsRiskHighest:   func(a, b domain.Case) int { return cmp.Compare(b.Risk, a.Risk) },
		views.ReviewsOldest:        func(a, b domain.Case) int { return a.CreatedAt.Compare(b.CreatedAt) },
		views.ReviewsNewest:        func(a, b domain.Case) int { return b.CreatedAt.Compare(a.CreatedAt) },
		views.ReviewsVendor: func(a, b domain.Case) int {
			return cmp.Compare(strings.ToLower(a.Counterparty), strings.ToLower(b.Counterparty))
		},
	}
	for sort, compare := range order {
		for _, query := range []views.QueueQuery{{Sort: sort}, {Sort: sort, Available: true}} {
			for _, size := range []int{1, 2, 4, 10} {
				var cases []domain.Case
				for _, review := range s.allPages(s.rita, query, size) {
					cases = append(cases, s.cases[review.ID])
				}
				if len(cases) != len(s.cases) || !slices.IsSortedFunc(cases, compare) {
					t.Errorf("%s, pages of %d: %d reviews, %s", sort, size, len(cases),
						s.found(s.rita, query, vendorOf))
				}
			}
		}
	}
	if _, err := s.views.Queue(s.ctx, s.rita, views.QueueQuery{Sort: "salary", First: 2}); err == nil {
		t.Error("an unknown order was accepted")
	}
}

// A search and an order tell no one about a document that they may not read: a manager with a conflict of
// interest finds nothing by its vendor and learns no place of it.
func TestSearchesStayWithinTheRights(t *testing.T) {
	t.Parallel()
	s := newSearchState(t)
	s.declareConflict(s.excluded, "Beta AG")
	for _, query := range []views.QueueQuery{{Text: "beta", All: true}, {Text: "beta"},
		{Sort: views.ReviewsVendor, All: true}, {Sort: views.ReviewsAmountHighest, All: true}} {
		page, err := s.views.Queue(s.ctx, s.excluded, withFirst(query))
		must(t, err)
		for _, review := range page.Reviews {
			if s.cases[review.ID].Counterparty == "Beta AG" {
				t.Errorf("%+v lists a review of Beta AG", query)
			}
		}
		if query.Text != "" && (page.Total != 0 || len(page.Reviews) != 0) {
			t.Errorf("%+v counts %d", query, page.Total)
		}
	}
	if got := s.found(s.mia, views.QueueQuery{Text: "beta", All: true}, vendorOf); got != "Beta AG, Beta AG" {
		t.Errorf("a manager without a conflict finds %q", got)
	}
	for review, c := range s.cases {
		for _, sort := range []views.ReviewSort{views.ReviewsAmountLowest, views.ReviewsAmountHighest} {
			page, err := s.views.Queue(s.ctx, s.excluded, views.QueueQuery{Sort: sort, All: true, First: 50,
				After: &views.QueueCursor{ID: review}})
			must(t, err)
			if c.Counterparty == "Beta AG" && len(page.Reviews) > 0 {
				t.Errorf("a cursor at a review of Beta AG tells that %d are after it", len(page.Reviews))
			}
		}
	}
	_, err := s.views.Queue(s.ctx, s.rita, views.QueueQuery{Text: "beta", All: true, First: 5})
	wantCode(t, err, domain.NotPermitted)
}

func withFirst(query views.QueueQuery) views.QueueQuery { query.First = 50; return query }

// Of two reviews of one case with the same duty a person decides one, so counters and lists count one.
func TestCountsWhatOnePersonCanDecide(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	rita := env.person("rita", domain.RoleL1)
	reviews := env.submitReviews(env.person("sam", domain.RoleSubmitter), 3, "2000.00")
	env.sql(`INSERT INTO reviews SELECT (jsonb_populate_record(r, jsonb_build_object('id', $2::uuid, 'seat', 2))).*
		FROM reviews r WHERE r.id = $1`, reviews[0].ID, domain.NewID())
	for _, query := range []views.QueueQuery{{First: 2}, {First: 10}, {First: 2, Sort: views.ReviewsVendor},
		{First: 10, Text: "gmbh"}} {
		page, err := env.views.Queue(env.ctx, rita, query)
		must(t, err)
		if page.Total != 4 || page.Doable != 3 {
			t.Errorf("%+v counts %d reviews, of which %d can be decided", query, page.Total, page.Doable)
		}
	}
	counters, err := env.views.Counters(env.ctx, rita)
	must(t, err)
	if counters.Available != 3 {
		t.Errorf("the menu counts %d", counters.Available)
	}
}
