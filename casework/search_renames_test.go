package casework_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
)

// rename gives a person another name.
func (env *testEnv) rename(id domain.ID, name string) {
	env.t.Helper()
	user, err := env.db.Reader().User(env.ctx, id)
	must(env.t, err)
	user.Name = name
	must(env.t, errOf(env.svc.PutUser(env.ctx, domain.SystemActor(), casework.PutUser{User: user})))
}

func (env *testEnv) wantFound(text string, want ...domain.ID) {
	env.t.Helper()
	got := env.found(text)
	slices.SortFunc(got, func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
	if !slices.Equal(got, want) {
		env.t.Errorf("%q finds %v, want %v", text, got, want)
	}
}

// A renamed reviewer or submitter is found by the new name, although their cases have no new event, and
// the old name is forgotten. Someone who left is renamed the same way.
func TestRenamedPeopleAreFound(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.index()
	env.wantFound("Rita", env.caseID)
	env.rename(env.rita.UserID, "Quentina Zweig")
	env.index()
	env.wantFound("Quentina", env.caseID)
	env.wantFound("Rita")
	env.wantIndexAgrees()
	env.rename(env.caseByID(env.caseID).Submitter, "Former employee")
	env.rename(env.rita.UserID, "Former employee")
	env.index()
	env.wantFound("former employee", env.caseID)
	env.wantFound("Quentina")
	if n := env.queryInt(`SELECT count(*) FROM search_words WHERE word IN ('rita', 'quentina', 'zweig')`); n != 0 {
		t.Errorf("%d old names are words for typos", n)
	}
	env.wantIndexAgrees()
	env.erase()
	env.rename(env.rita.UserID, "Rita")
	env.index()
	if n := env.queryInt(`SELECT (SELECT count(*) FROM search_cases) + (SELECT count(*) FROM search_due)
		+ (SELECT count(*) FROM search_renames)`); n != 0 {
		t.Errorf("%d rows of an erased case", n)
	}
}

// Two people who swap names swap what is found, also if one of the renames commits while the other is
// indexed.
func TestSwappedNames(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	one, two := env.person("Aurelia", domain.RoleSubmitter), env.person("Bartholomew", domain.RoleSubmitter)
	first, second := env.submit(one, "first document"), env.submit(two, "second document")
	env.drainQueue()
	env.index()
	env.wantFound("Aurelia", first)
	env.rename(one.UserID, "Bartholomew")
	other, err := env.owner.Begin(env.ctx)
	must(t, err)
	_, err = other.Exec(env.ctx, `UPDATE users SET name = 'Aurelia' WHERE id = $1`, two.UserID)
	must(t, err)
	env.index()
	env.wantFound("Aurelia")
	env.wantFound("Bartholomew", first, second)
	must(t, other.Commit(env.ctx))
	env.index()
	env.wantFound("Aurelia", second)
	env.wantFound("Bartholomew", first)
	env.wantIndexAgrees()
}

// A second rename that has not committed is waited for: it would be lost if the first were taken without it.
func TestRenameTwice(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("Aurelia", domain.RoleSubmitter)
	id := env.submit(sam, "a document")
	env.drainQueue()
	env.index()
	_, err := env.owner.Exec(env.ctx, `UPDATE users SET name = 'Clothilde' WHERE id = $1`, sam.UserID)
	must(t, err)
	other, err := env.owner.Begin(env.ctx)
	must(t, err)
	_, err = other.Exec(env.ctx, `UPDATE users SET name = 'Desdemona' WHERE id = $1`, sam.UserID)
	must(t, err)
	if _, err := env.svc.IndexSearch(env.ctx); !domain.HasCode(err, domain.Busy) {
		t.Errorf("the index did not wait: %v", err)
	}
	must(t, other.Commit(env.ctx))
	env.index()
	env.wantFound("Desdemona", id)
	env.wantFound("Clothilde")
}

// All cases of a person are indexed again in bounded batches, and several workers lose none.
func TestRenameWithManyCases(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("Aurelia", domain.RoleSubmitter)
	env.submit(sam, "a document")
	env.drainQueue()
	_, err := env.owner.Exec(env.ctx, `INSERT INTO cases SELECT (jsonb_populate_record(c, jsonb_build_object(
		'reference', 'copy ' || n, 'id', gen_random_uuid()))).* FROM cases c, generate_series(1, 850) n`)
	must(t, err)
	must(t, errOf(env.svc.RebuildSearch(env.ctx)))
	env.index()
	env.rename(sam.UserID, "Desdemona")
	rounds := 1
	for more := true; more; rounds++ {
		more, err = env.svc.IndexSearch(env.ctx)
		must(t, err)
	}
	if n := env.queryInt(`SELECT count(*) FROM search_cases WHERE words @@ 'desdemona' AND NOT words @@ 'aurelia'`); n != 851 || rounds > 5 {
		t.Errorf("%d cases in %d rounds", n, rounds)
	}
	env.rename(sam.UserID, "Aurelia")
	var together sync.WaitGroup
	for range 3 {
		together.Go(env.index)
	}
	env.rename(sam.UserID, "Clothilde")
	together.Wait()
	env.index()
	if n := env.queryInt(`SELECT count(*) FROM search_cases WHERE words @@ 'clothilde'`); n != 851 {
		t.Errorf("%d cases with the last name", n)
	}
	env.wantIndexAgrees()
}

// The consistency check finds cases with an old name: immediately if the rename was missed, and after the
// grace period if no worker indexes.
func TestDoctorFindsMissedRenames(t *testing.T) {
	t.Parallel()
	env := newErasureEnv(t)
	env.index()
	env.setClockOffset(env.clockOffset + time.Hour) // the case changed long ago
	outdated := func() int {
		all, err := env.svc.CheckConsistency(env.ctx, casework.ConsistencyCheck{Files: noFiles{}, Grace: 2 * time.Minute})
		must(t, err)
		return len(slices.DeleteFunc(all, func(found casework.Inconsistency) bool {
			return found.Kind != casework.UnindexedCase
		}))
	}
	env.rename(env.rita.UserID, "Quentina")
	if n := outdated(); n != 0 {
		t.Errorf("%d cases are reported although they were just renamed", n)
	}
	env.setClockOffset(env.clockOffset + 3*time.Minute)
	if n := outdated(); n != 1 {
		t.Errorf("%d cases are reported after the grace period, want 1", n)
	}
	env.index()
	_, err := env.owner.Exec(env.ctx, `ALTER TABLE users DISABLE TRIGGER search_renamed`)
	must(t, err)
	if n := outdated(); n != 0 {
		t.Errorf("%d cases are reported after they were indexed", n)
	}
	env.rename(env.rita.UserID, "Ottilie")
	env.index()
	if n := outdated(); n != 1 {
		t.Errorf("%d cases of a missed rename are reported, want 1", n)
	}
	must(t, errOf(env.svc.RebuildSearch(env.ctx)))
	if n := outdated(); n != 0 {
		t.Errorf("%d cases are reported after the rebuild", n)
	}
}
