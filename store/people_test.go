package store_test

import (
	"reflect"
	"testing"

	"countersign/domain"
	"countersign/store"
)

func TestUsers(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	user := domain.User{ID: domain.NewID(), Email: "Ada@Example.com", Name: "Ada",
		Roles:  []domain.Role{domain.RoleManager, domain.RoleL1},
		Queues: []string{"L2", "L1"}, Locale: "zh"}
	w.inTx(func(tx *store.Tx) error { return tx.PutUser(w.ctx, user, "hash-1") })
	got, hash, err := w.read().UserByEmail(w.ctx, "ADA@example.com")
	w.must(err)
	want := user
	want.Email, want.Version = "ada@example.com", 1
	want.Roles, want.Queues = []domain.Role{domain.RoleManager, domain.RoleL1}, []string{"L1", "L2"}
	want.Limits = got.Limits
	if hash != "hash-1" || !reflect.DeepEqual(got, want) || len(got.Limits) != 2 {
		t.Errorf("hash %q, user\n%+v, want\n%+v", hash, got, want)
	}

	user.Name, user.Roles, user.Queues, user.Disabled = "Ada L.", []domain.Role{domain.RoleAuditor},
		nil, true
	w.inTx(func(tx *store.Tx) error { return tx.PutUser(w.ctx, user, "") })
	got, hash, err = w.read().UserByEmail(w.ctx, "ada@example.com")
	w.must(err)
	if hash != "hash-1" || got.Version != 2 || !got.Disabled || len(got.Queues) != 0 ||
		len(got.Limits) != 0 ||
		!reflect.DeepEqual(got.Roles, []domain.Role{domain.RoleAuditor}) {
		t.Errorf("after the change: %+v, hash %q", got, hash)
	}

	other := domain.User{ID: domain.NewID(), Email: "ada@EXAMPLE.com", Name: "Impostor"}
	err = w.db.InTx(w.ctx, func(tx *store.Tx) error { return tx.PutUser(w.ctx, other, "x") })
	wantCode(t, err, domain.InvalidInput)
	_, _, err = w.read().UserByEmail(w.ctx, "nobody@example.com")
	wantCode(t, err, domain.NotFound)
	_, err = w.read().User(w.ctx, domain.NewID())
	wantCode(t, err, domain.NotFound)

	everyone, err := w.read().Users(w.ctx, nil)
	w.must(err)
	some, err := w.read().Users(w.ctx, []domain.ID{user.ID, domain.NewID()})
	w.must(err)
	none, err := w.read().Users(w.ctx, []domain.ID{})
	w.must(err)
	if len(everyone) != 1 || len(some) != 1 || len(none) != 0 {
		t.Errorf("everyone %v, some %v, none %v", everyone, some, none)
	}
}

func TestLockAuthority(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	a, b := w.person(domain.RoleL1), w.person(domain.RoleManager)
	w.inTx(func(tx *store.Tx) error {
		authority, users, err := tx.LockAuthority(w.ctx, b.ID, a.ID)
		if err == nil && (authority.Version != 1 || len(users) != 2 || users[0].ID != a.ID ||
			len(users[0].Limits) != 1) {
			t.Errorf("authority %+v, users %+v", authority, users)
		}
		if _, nobody, err := tx.LockAuthority(w.ctx); err != nil || len(nobody) != 0 {
			t.Errorf("rights without users: %v %v", nobody, err)
		}
		return err
	})
	w.inTx(func(tx *store.Tx) error {
		version, err := tx.IncrementAuthority(w.ctx)
		if version != 2 {
			t.Errorf("version %d, want 2", version)
		}
		return err
	})
	authority, err := w.read().AuthorityVersion(w.ctx)
	w.must(err)
	if authority.Version != 2 || authority.PolicyVersion != 0 {
		t.Errorf("authority %+v", authority)
	}
}

// A change of rights waits for a running decision, and a decision for a running change of rights.
func TestRightsAndDecisionsWait(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	person := w.person(domain.RoleL1).ID
	order := make(chan string, 2)
	w.inTx(func(tx *store.Tx) error {
		_, _, err := tx.LockAuthority(w.ctx, person)
		w.must(err)
		go func() {
			err := w.db.InTx(w.ctx,
				func(tx *store.Tx) error { _, err := tx.IncrementAuthority(w.ctx); return err })
			if err != nil {
				t.Error(err)
			}
			order <- "rights"
		}()
		w.waitForLock()
		order <- "decision"
		return nil
	})
	if first, second := <-order, <-order; first != "decision" || second != "rights" {
		t.Errorf("%s finished before %s", first, second)
	}
}

func TestLimitsAndRates(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	person := w.person(domain.RoleL1)
	limit := domain.Limit{Role: domain.RoleL1, Action: domain.ActDecide, DocumentType: "receipt",
		BaseMinor: 77}
	w.inTx(func(tx *store.Tx) error { return tx.PutLimit(w.ctx, limit) })
	limit.Unlimited, limit.BaseMinor = true, 0
	w.inTx(func(tx *store.Tx) error { return tx.PutLimit(w.ctx, limit) })
	got, err := w.read().User(w.ctx, person.ID)
	w.must(err)
	if len(got.Limits) != 2 || !(got.Limits[0] == limit || got.Limits[1] == limit) {
		t.Errorf("limits %+v", got.Limits)
	}

	row, err := w.read().Limit(w.ctx, domain.RoleL1, domain.ActDecide, "receipt")
	if err != nil || row != limit {
		t.Errorf("limit %+v, want %+v: %v", row, limit, err)
	}
	_, err = w.read().Limit(w.ctx, domain.RoleAuditor, domain.ActDecide, "")
	wantCode(t, err, domain.NotFound)

	now := w.now()
	_, err = w.read().RateAt(w.ctx, "EUR", now)
	wantCode(t, err, domain.RateMissing)
	w.inTx(func(tx *store.Tx) error {
		return tx.AddRate(w.ctx, store.DatedRate{Currency: "EUR", Micros: 1_200_000,
			SetBy: domain.SystemUserID})
	})
	w.asOwner(`ALTER TABLE rates DISABLE TRIGGER USER; -- which refuses rates of the past
		INSERT INTO rates (id, currency, micros, valid_from, confirmed_micros)
		SELECT gen_random_uuid(), 'EUR', m, clock() - make_interval(days => d), m
		FROM (VALUES (1, 1000000), (2, 900000)) old (d, m);
		ALTER TABLE rates ENABLE TRIGGER USER`)
	now = w.now()
	for days, micros := range []int64{1_200_000, 1_000_000, 900_000, 900_000} {
		rate, err := w.read().RateAt(w.ctx, "EUR", now.AddDate(0, 0, -days))
		if days == 3 {
			wantCode(t, err, domain.RateMissing)
		} else if err != nil || rate.Micros != micros || rate.ID == domain.NoID {
			t.Errorf("%d days ago: %+v, want %d: %v", days, rate, micros, err)
		}
	}
	if rate, err := w.read().RateAt(w.ctx, "USD", now.AddDate(-90, 0, 0)); err != nil ||
		rate.Micros != 1_000_000 {
		t.Errorf("the base currency: %+v %v", rate, err)
	}
}

func TestPartiesAndConflicts(t *testing.T) {
	t.Parallel()
	w := newTestEnv(t)
	person := w.person().ID
	acme, other := w.party("acme"), w.party("acme asia")
	if again := w.party("acme"); again != acme {
		t.Errorf("the same key made another party: %v, %v", again, acme)
	}
	if id, err := w.read().PartyByKey(w.ctx, "acme asia"); err != nil || id != other {
		t.Errorf("party by key %v: %v", id, err)
	}
	_, err := w.read().PartyByKey(w.ctx, "unknown")
	wantCode(t, err, domain.NotFound)

	id := w.conflict(person, acme)
	declare := func() bool {
		var declared bool
		w.inTx(func(tx *store.Tx) (err error) {
			declared, err = tx.DeclareConflict(w.ctx, domain.Conflict{ID: domain.NewID(),
				Person: person, PartyID: acme, DeclaredBy: person})
			return err
		})
		return declared
	}
	if declare() {
		t.Error("a second declaration counted as new")
	}
	mine, err := w.read().Conflicts(w.ctx, person)
	w.must(err)
	everyones, err := w.read().Conflicts(w.ctx, domain.NoID)
	w.must(err)
	if len(mine) != 1 || mine[0].ID != id || mine[0].Reason != "cousin" || len(everyones) != 1 {
		t.Errorf("conflicts %+v, everyone's %+v", mine, everyones)
	}
	conflicted := func(party domain.ID) int {
		bars, err := w.read().Exclusions(w.ctx, domain.NewID(), []domain.ID{party})
		w.must(err)
		return len(bars.Conflicted)
	}
	if conflicted(acme) != 1 || conflicted(other) != 0 {
		t.Error("the conflict bars one party before the groups join")
	}
	w.joinGroup(other, acme)
	if conflicted(other) != 1 {
		t.Error("the conflict bars the whole group")
	}
	adam := w.person(domain.RoleAdmin).ID
	proposal := w.endingOf(id, adam)
	w.inTx(func(tx *store.Tx) error {
		ended, err := tx.EndConflict(w.ctx, id, adam, "over", proposal)
		if err == nil && !ended {
			t.Error("a conflict in force did not end")
		}
		if again, err := tx.EndConflict(w.ctx, id, adam, "over", proposal); err != nil || again {
			t.Errorf("it ended twice: %v", err)
		}
		return err
	})
	if conflicted(acme) != 0 || !declare() {
		t.Error("an ended conflict still bars, or keeps a new one away")
	}
}
