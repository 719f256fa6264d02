package casework_test

import (
	"slices"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/search"
	"countersign/store"
)

// found returns the cases that someone who may read everything finds.
func (env *testEnv) found(text string) []domain.ID {
	env.t.Helper()
	query, err := search.Parse(text)
	must(env.t, err)
	hits, err := env.db.Reader().SearchCases(env.ctx, domain.Constant(true), store.SearchQuery{
		All: query.Literal(false), Public: query.Literal(true), Limit: 100,
		Viewer: store.SearchViewer{Staff: true, Clearance: true}})
	must(env.t, err)
	ids := []domain.ID{}
	for _, hit := range hits {
		ids = append(ids, hit.CaseID)
	}
	return ids
}

// A case is found by the words of its page, its values in any writing, its people and reasons, as soon
// as it is indexed.
func TestSearchIndex(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	if ids := env.found("muster"); len(ids) > 0 {
		t.Errorf("found before it was indexed: %v", ids)
	}
	env.index()
	for _, text := range []string{"Muster Werke", "PRIVATE-77", "private77", "5000", "5.000,00", "5 000.00",
		"beispiel", "Rita", env.caseByID(env.caseID).Reference} {
		if ids := env.found(text); !slices.Equal(ids, []domain.ID{env.caseID}) {
			t.Errorf("%q finds %v", text, ids)
		}
	}
	for _, text := range []string{"5000.01", "private78", "muster beispielhaft"} {
		if ids := env.found(text); len(ids) > 0 {
			t.Errorf("%q finds %v", text, ids)
		}
	}
}

// Words of a replaced document are not found any more and are no words for typos.
func TestReplacedWordsAreForgotten(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.readsText("Oldenburger Zeppelin")
	id := env.submit(sam, "a document")
	env.drainQueue()
	env.index()
	if !slices.Contains(env.found("zeppelin"), id) {
		t.Fatal("the first document is not found")
	}
	_, err := env.owner.Exec(env.ctx, `UPDATE pages SET text = replace(text, 'Zeppelin', 'Dampfschiff')`)
	must(t, err)
	done, err := env.svc.RebuildSearch(env.ctx)
	must(t, err)
	if done != 1 || len(env.found("zeppelin")) > 0 || !slices.Contains(env.found("dampfschiff"), id) {
		t.Errorf("%d indexed; %v, %v", done, env.found("zeppelin"), env.found("dampfschiff"))
	}
	if n := env.queryInt(`SELECT count(*) FROM search_words WHERE word = 'zeppelin'`); n != 0 {
		t.Error("the old word is still a word for typos")
	}
	if n := env.queryInt(`SELECT count(*) FROM search_words WHERE word = 'dampfschiff'`); n != 1 {
		t.Error("the new word is no word for typos")
	}
}

// A case that was erased before its events are indexed does not enter the index.
func TestErasedCaseIsNotIndexed(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.erase()
	env.index()
	if n := env.queryInt(`SELECT count(*) FROM search_cases`); n != 0 {
		t.Errorf("%d cases are indexed", n)
	}
	if n := env.queryInt(`SELECT count(*) FROM search_words WHERE word IN ('muster', 'beispiel')`); n != 0 {
		t.Errorf("%d words are left", n)
	}
}

// Several workers index each case once.
func TestIndexersTogether(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.readsText("Gothenburg")
	for range 5 {
		env.submit(sam, "a document")
	}
	env.drainQueue()
	var together sync.WaitGroup
	for range 4 {
		together.Go(func() {
			for more := true; more; {
				var err error
				if more, err = env.svc.IndexSearch(env.ctx); err != nil && !domain.HasCode(err, domain.Busy) {
					t.Error(err)
				}
			}
		})
	}
	together.Wait()
	env.index()
	if ids := env.found("gothenburg"); len(ids) != 5 {
		t.Errorf("found %d cases", len(ids))
	}
	env.wantIndexAgrees()
}

// The consistency check finds every difference of the index, and a rebuild repairs it.
func TestDoctorComparesTheSearchIndex(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.index()
	env.wantIndexAgrees()
	for _, change := range []string{
		`DELETE FROM search_cases`,
		`UPDATE search_cases SET words = words || '''planted'':1A'::tsvector`,
		`UPDATE search_cases SET confidential = NOT confidential`,
		`INSERT INTO search_cases (case_id, words, confidential) VALUES (gen_random_uuid(), '', false)`,
		`INSERT INTO search_words VALUES ('planted')`,
	} {
		_, err := env.owner.Exec(env.ctx, change)
		must(t, err)
		if found := env.indexDifferences(); len(found) == 0 {
			t.Errorf("%s: %v", change, found)
		}
		_, err = env.svc.RebuildSearch(env.ctx)
		must(t, err)
		env.wantIndexAgrees()
	}
}

// readsText lets every document have a page with a text.
func (env *testEnv) readsText(text string) {
	env.reader.change = func(page *domain.Page) { page.Text = text }
}

func (env *testEnv) wantIndexAgrees() {
	env.t.Helper()
	if found := env.indexDifferences(); len(found) > 0 {
		env.t.Errorf("the index differs: %v", found)
	}
}

func (env *testEnv) indexDifferences() []casework.Inconsistency {
	env.t.Helper()
	all, err := env.svc.CheckConsistency(env.ctx, casework.ConsistencyCheck{Files: noFiles{}})
	must(env.t, err)
	return slices.DeleteFunc(all, func(found casework.Inconsistency) bool {
		return found.Kind != casework.UnindexedCase && found.Kind != casework.NeedlessIndex
	})
}

// The index and erasures wait for each other, so that a case which is being erased is not indexed.
func TestIndexAndErasuresShareALock(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.later(3651 * day)
	done, err := env.proposeErasure(env.ada)
	must(t, err)
	other, err := env.owner.Begin(env.ctx)
	must(t, err)
	_, err = other.Exec(env.ctx, `SELECT lock_search()`)
	must(t, err)
	var both sync.WaitGroup
	both.Go(func() {
		if _, err := env.svc.IndexSearch(env.ctx); !domain.HasCode(err, domain.Busy) {
			t.Errorf("the index did not wait: %v", err)
		}
	})
	both.Go(func() {
		if _, err := env.confirmed(env.adam, done.ProposalID); !domain.HasCode(err, domain.Busy) {
			t.Errorf("the erasure did not wait: %v", err)
		}
	})
	both.Wait()
	must(t, other.Rollback(env.ctx))
	_, err = env.confirmed(env.adam, done.ProposalID)
	must(t, err)
	env.index()
	if n := env.queryInt(`SELECT count(*) FROM search_cases`); n != 0 {
		t.Errorf("%d rows", n)
	}
}
