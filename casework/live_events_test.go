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

// startSession creates a session of the user for a password hash and returns its id.
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
	found, err := env.db.Reader().SessionByHash(env.ctx, tokenHash(session.String()))
	must(env.t, err)
	return !found.Session.EndedAt.IsZero()
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
		t.Error("the session of a disabled user is still active")
	}
	if env.sessionEnded(others) {
		t.Error("another person's session ended")
	}
}

// TestBlobHashIsReturnedBeforeReading checks that OpenBlob returns the hash of every kind of file
// without reading it.
func TestBlobHashIsReturnedBeforeReading(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	env.knowVendors()
	env.reader.rasters = true
	sam, aud := env.person("sam", domain.RoleSubmitter), env.person("aud", domain.RoleAuditor)
	id := env.submit(sam, "x")
	env.drainQueue()
	if got := env.caseByID(id).Status; got != domain.Archived {
		t.Fatalf("the case is %s", got)
	}
	for _, in := range []casework.OpenBlob{{CaseID: id, Kind: casework.BlobOriginal},
		{CaseID: id, Kind: casework.BlobPage, Page: 1}, {CaseID: id, Kind: casework.BlobManifest},
		{CaseID: id, Kind: casework.BlobArchiveCopy}} {
		opened, err := env.svc.OpenBlob(env.ctx, aud, in)
		must(t, err)
		text, err := io.ReadAll(opened.Content)
		must(t, err)
		must(t, opened.Content.Close())
		if sum := sha256.Sum256(text); opened.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: got %q, want %x", in.Kind, opened.SHA256, sum)
		}
	}
}

// TestIncidentNotifiesLists checks that lists of incidents are notified when one opens or is
// resolved, although no review changes.
func TestIncidentNotifiesLists(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	hints := func() (n int) {
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
	if hints() != 0 {
		t.Error("a submission notified the lists")
	}
	env.drainQueue()
	if got := env.caseByID(id).Status; got != domain.Incident || hints() == 0 {
		t.Errorf("the case is %s and the lists were not notified", got)
	}
	_, err := env.svc.RetryIncident(env.ctx, sam, casework.CaseTarget{CaseID: id})
	must(t, err)
	if hints() == 0 {
		t.Error("the lists were not notified of the resolved incident")
	}
}
