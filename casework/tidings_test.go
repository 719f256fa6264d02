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

// session signs the person in with the password's hash and returns the session's id.
func (w *world) session(person domain.ID, password string) domain.ID {
	w.t.Helper()
	id := domain.NewID()
	must(w.t, w.db.InTx(w.ctx, func(tx *store.Tx) error {
		_, err := tx.PutSession(w.ctx, store.NewSession{ID: id, UserID: person, PasswordHash: password, TokenHash: tokenHash(id.String()), Lifetime: time.Hour})
		return err
	}))
	return id
}

func (w *world) ended(session domain.ID) bool {
	w.t.Helper()
	held, err := w.db.Reader().SessionByHash(w.ctx, tokenHash(session.String()))
	must(w.t, err)
	return !held.Session.EndedAt.IsZero()
}

func TestANewPasswordAndBeingDisabledEndSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, ben := w.person("ada", domain.RoleL1), w.person("ben", domain.RoleL1)
	user, err := w.db.Reader().User(w.ctx, ada.UserID)
	must(t, err)
	put := func(password string) {
		_, err := w.hall.PutUser(w.ctx, domain.SystemActor(), casework.PutUser{User: user, PasswordHash: password})
		must(t, err)
	}
	put("$one$")
	must(t, w.db.InTx(w.ctx, func(tx *store.Tx) error {
		other, err := tx.User(w.ctx, ben.UserID)
		if err != nil {
			return err
		}
		return tx.PutUser(w.ctx, other, "$ben$")
	}))
	others, first := w.session(ben.UserID, "$ben$"), w.session(ada.UserID, "$one$")
	user.Name = "Ada L."
	put("")
	if w.ended(first) {
		t.Error("a new name ended the session")
	}
	put("$two$")
	if !w.ended(first) {
		t.Error("a new password left the session of the old one")
	}
	second := w.session(ada.UserID, "$two$")
	user.Disabled = true
	put("")
	if !w.ended(second) {
		t.Error("a disabled person's session goes on")
	}
	if w.ended(others) {
		t.Error("another person's session ended")
	}
}

// A page's and the manifest's hash are told without reading them.
func TestTheHashOfAFileIsKnownBeforeItIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	id := w.submit(sam, "x")
	w.work()
	if got := w.kase(id).Status; got != domain.Archived {
		t.Fatalf("the case is %s", got)
	}
	for _, in := range []casework.OpenBlob{{CaseID: id, Kind: casework.BlobOriginal}, {CaseID: id, Kind: casework.BlobPage, Page: 1}, {CaseID: id, Kind: casework.BlobManifest}} {
		opened, err := w.hall.OpenBlob(w.ctx, sam, in)
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
func TestAnIncidentWakesTheLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sam := w.person("sam", domain.RoleSubmitter)
	told := func() (n int) {
		w.bell.mu.Lock()
		defer w.bell.mu.Unlock()
		for _, hint := range w.bell.hints {
			if hint.Stream == domain.QueuesTopic {
				n++
			}
		}
		w.bell.hints = nil
		return n
	}
	w.desk.mu.Lock()
	w.desk.err = domain.Fail(domain.DamagedFile, "The file is damaged.")
	w.desk.mu.Unlock()
	id := w.submit(sam, "x")
	if told() != 0 {
		t.Error("a mere submission woke the lists")
	}
	w.work()
	if got := w.kase(id).Status; got != domain.Incident || told() == 0 {
		t.Errorf("the case is %s and the lists were not told", got)
	}
	_, err := w.hall.RetryIncident(w.ctx, sam, casework.OnCase{CaseID: id})
	must(t, err)
	if told() == 0 {
		t.Error("the lists were not told of the resolved incident")
	}
}
