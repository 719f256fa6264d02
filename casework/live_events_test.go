package casework_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"testing"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/store"
)

// startSession signs the person in with the password's hash and returns the session's id.
func (env *testEnv) startSession(person domain.ID, password string) domain.ID {
	env.t.Helper()
	id := domain.NewID()
	must(env.t, env.db.InTx(env.ctx, func(tx *store.Tx) error {
		_, err := tx.PutSession(env.ctx,
			store.NewSession{ID: id, UserID: person, PasswordHash: password,
				TokenHash: tokenHash(id.String()), Lifetime: time.Hour})
		return err
	}))
	return id
}

func (env *testEnv) sessionEnded(session domain.ID) bool {
	env.t.Helper()
	held, err := env.db.Reader().SessionByHash(env.ctx, tokenHash(session.String()))
	must(env.t, err)
	return !held.Session.EndedAt.IsZero()
}

func TestPasswordChangeAndDisablingEndSessions(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, ben := env.person("ada", domain.RoleL1), env.person("ben", domain.RoleL1)
	user, err := env.db.Reader().User(env.ctx, ada.UserID)
	must(t, err)
	put := func(password string) {
		_, err := env.svc.PutUser(env.ctx, domain.SystemActor(),
			casework.PutUser{User: user, PasswordHash: password})
		must(t, err)
	}
	put("$one$")
	must(t, env.db.InTx(env.ctx, func(tx *store.Tx) error {
		other, err := tx.User(env.ctx, ben.UserID)
		if err != nil {
			return err
		}
		return tx.PutUser(env.ctx, other, "$ben$")
	}))
	others, first := env.startSession(ben.UserID, "$ben$"), env.startSession(ada.UserID, "$one$")
	user.Name = "Ada L."
	put("")
	if env.sessionEnded(first) {
		t.Error("a new name ended the session")
	}
	put("$two$")
	if !env.sessionEnded(first) {
		t.Error("a new password left the session of the old one")
	}
	second := env.startSession(ada.UserID, "$two$")
	user.Disabled = true
	put("")
	if !env.sessionEnded(second) {
		t.Error("a disabled person's session goes on")
	}
	if env.sessionEnded(others) {
		t.Error("another person's session ended")
	}
}

// A page's and the manifest's hash are told without reading them.
func TestBlobHashIsReturnedBeforeReading(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	id := env.submit(sam, "x")
	env.drainQueue()
	if got := env.caseByID(id).Status; got != domain.Archived {
		t.Fatalf("the case is %s", got)
	}
	for _, in := range []casework.OpenBlob{{CaseID: id, Kind: casework.BlobOriginal},
		{CaseID: id, Kind: casework.BlobPage, Page: 1}, {CaseID: id, Kind: casework.BlobManifest}} {
		opened, err := env.svc.OpenBlob(env.ctx, sam, in)
		must(t, err)
		text, err := io.ReadAll(opened.Content)
		must(t, err)
		must(t, opened.Content.Close())
		if sum := sha256.Sum256(text); opened.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: told %q, is %x", in.Kind, opened.SHA256, sum)
		}
	}
}

// Who lists incidents is told when one opens and when it is resolved, though no review is touched.
func TestIncidentNotifiesLists(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	told := func() (n int) {
		env.notifier.mu.Lock()
		defer env.notifier.mu.Unlock()
		for _, hint := range env.notifier.hints {
			if hint.Stream == domain.QueuesTopic {
				n++
			}
		}
		env.notifier.hints = nil
		return n
	}
	env.reader.mu.Lock()
	env.reader.err = domain.Errorf(domain.DamagedFile, "The file is damaged.")
	env.reader.mu.Unlock()
	id := env.submit(sam, "x")
	if told() != 0 {
		t.Error("a mere submission woke the lists")
	}
	env.drainQueue()
	if got := env.caseByID(id).Status; got != domain.Incident || told() == 0 {
		t.Errorf("the case is %s and the lists were not told", got)
	}
	_, err := env.svc.RetryIncident(env.ctx, sam, casework.CaseTarget{CaseID: id})
	must(t, err)
	if told() == 0 {
		t.Error("the lists were not told of the resolved incident")
	}
}
