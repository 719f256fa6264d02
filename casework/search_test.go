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
	words := store.SearchWords{All: query.Literal(false), Public: query.Literal(true)}
	hits, err := env.db.Reader().SearchCases(env.ctx, domain.Constant(true), store.SearchQuery{
		Words: words, Whole: words, Limit: 100,
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

// A word that was removed is written again with the next case that has it, although this worker wrote it
// before.
func TestRemovedWordsAreWrittenAgain(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	known := func(word string) int {
		return env.queryInt(`SELECT count(*) FROM search_words WHERE word = '` + word + `'`)
	}
	env.index()
	env.readsText("Beispiel Zeppelin")
	sam := env.person("tess", domain.RoleSubmitter)
	env.submit(sam, "a document")
	env.drainQueue()
	env.index()
	if known("zeppelin") != 1 || known("rita") != 1 {
		t.Fatal("words are missing")
	}
	_, err := env.owner.Exec(env.ctx, `DELETE FROM search_words WHERE word = 'zeppelin'`)
	must(t, err)
	env.erase() // of the only case that Rita reviewed
	if known("zeppelin")+known("rita") != 0 {
		t.Fatal("words are left")
	}
	env.rename(sam.UserID, "Rita")
	env.submit(sam, "another document")
	env.drainQueue()
	env.index()
	if known("zeppelin") != 1 || known("rita") != 1 {
		t.Errorf("removed words are not written again: %d, %d", known("zeppelin"), known("rita"))
	}
	env.wantIndexAgrees()
	_, err = env.owner.Exec(env.ctx, `ALTER TABLE search_words DISABLE TRIGGER search_words_removed;
		DELETE FROM search_words WHERE word = 'zeppelin'`)
	must(t, err)
	must(t, errOf(env.svc.RebuildSearch(env.ctx)))
	if known("zeppelin") != 1 {
		t.Error("a rebuild trusts what the worker remembers")
	}
}

// Postgres has received the words as it would have parsed them: in its order, each once, with weights.
func TestPostgresReceivesWords(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.readsText("ab abc a Straße Überweisung überweisung 增值税发票 🧾 חשבונית 1.032.210,50 ИНВОЙС l'avoine " +
		"zzz_underscore a-b-c \\ ' '' : * | &")
	env.submit(env.person("tess", domain.RoleSubmitter), "a document")
	env.drainQueue()
	env.index()
	if n := env.queryInt(`SELECT count(*) FROM search_cases WHERE words = words::text::tsvector AND length(words) > 10
		AND NOT 0 = ANY (SELECT coalesce(array_length(w.positions, 1), 0) FROM unnest(words) w)`); n != 2 {
		t.Errorf("%d rows of 2 are as Postgres would have parsed them", n)
	}
	if n := env.queryInt(`SELECT count(*) FROM search_cases WHERE words @@ 'überweisung' OR words @@ 'uberweisung:C & 增值:C & ab:C'`); n != 1 {
		t.Errorf("%d cases have the words of the page", n)
	}
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
