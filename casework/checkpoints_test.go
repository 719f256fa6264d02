package casework_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/casework"
	"countersign/checkpoint"
	"countersign/domain"
	"countersign/views"
)

// checkpointEnv is a test environment with a signer, a folder of checkpoints and a witness.
type checkpointEnv struct {
	*testEnv
	key     string // private and public key of the log
	signer  audit.Signer
	folder  string
	witness string // folder of the witness
	places  []checkpoint.Place
}

func newLogKey(t *testing.T, name string) string {
	t.Helper()
	private, public, err := audit.NewSigningKey(rand.Reader, name)
	must(t, err)
	return private + "\n" + public + "\n"
}

func parseSigner(t *testing.T, text string) audit.Signer {
	t.Helper()
	signer, err := audit.ParseSigner(text)
	must(t, err)
	return signer
}

func newCheckpointEnv(t *testing.T) *checkpointEnv {
	t.Helper()
	env := &checkpointEnv{testEnv: newTestEnv(t), key: newLogKey(t, "test.example/log"),
		folder: t.TempDir(), witness: t.TempDir()}
	env.signer = parseSigner(t, env.key)
	folder, err := checkpoint.OpenFolder(env.folder)
	must(t, err)
	env.places = []checkpoint.Place{folder, env.newWitness(env.witness)}
	return env
}

// newWitness starts a witness of the log on a folder and returns a place at it.
func (env *checkpointEnv) newWitness(folder string) checkpoint.Place {
	env.t.Helper()
	private, public, err := audit.NewSigningKey(rand.Reader, "witness.example")
	must(env.t, err)
	witness, err := checkpoint.NewWitness(private, env.signer.Keys(), folder,
		slog.New(slog.DiscardHandler))
	must(env.t, err)
	server := httptest.NewServer(witness)
	env.t.Cleanup(server.Close)
	client, err := checkpoint.NewWitnessClient(server.URL, public)
	must(env.t, err)
	return client
}

// sign signs a checkpoint over everything that has happened and copies it to the places.
func (env *checkpointEnv) sign() {
	env.t.Helper()
	signing := checkpoint.New(env.svc, checkpoint.Options{Holder: "test", Key: env.signer,
		Places: env.places})
	var result views.AuditResult
	defer func() {
		if env.t.Failed() {
			env.t.Logf("verified: %+v %s", result.Log, problemsOf(result))
		}
	}()
	env.awaitFeed(func() bool {
		must(env.t, signing.Round(env.ctx))
		result = env.verify()
		return result.Log.OpenEvents+result.Log.OpenAccesses == 0
	})
}

// feedPatience is longer than idle_in_transaction_session_timeout, after which Postgres ends a transaction that
// another test of the server left open.
const feedPatience = 90 * time.Second

// awaitFeed repeats a step until it has reached the newest event. Transactions of other tests of the server may
// hold the feed back meanwhile.
func (env *testEnv) awaitFeed(reached func() bool) {
	env.t.Helper()
	limit := time.NewTimer(feedPatience)
	defer limit.Stop()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	began, oldest := time.Now(), ""
	for !reached() {
		if time.Since(began) > feedPatience/3 {
			oldest = env.oldestTransaction() // it may have ended when the limit is reached
		}
		select {
		case <-ticker.C:
		case <-limit.C:
			env.t.Fatalf("the feed is held back for %s, before by %s, now by %s", feedPatience, oldest,
				env.oldestTransaction())
		}
	}
}

// releaseFeed waits until every event can be read. A checkpoint that an event was held back from, signed with a
// clock that was moved meanwhile, would report the event as backdated.
func (env *testEnv) releaseFeed() {
	env.t.Helper()
	env.awaitFeed(func() bool {
		lag, err := env.db.Reader().FeedLag(env.ctx)
		must(env.t, err)
		return lag.HeldEvents == 0
	})
}

// oldestTransaction describes the oldest transaction of the server, which holds the feed back.
func (env *testEnv) oldestTransaction() (text string) {
	env.t.Helper()
	admin, err := pgx.Connect(env.ctx, env.adminURL)
	must(env.t, err)
	defer func() { must(env.t, admin.Close(env.ctx)) }()
	must(env.t, admin.QueryRow(env.ctx, `SELECT coalesce((SELECT
		format('database %s, user %s, application %s, state %s since %s, transaction since %s: %s', datname, usename,
			application_name, state, state_change, xact_start, left(query, 500))
		FROM pg_stat_activity WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid()
		ORDER BY xact_start LIMIT 1), 'no transaction')`).Scan(&text))
	return text
}

// verify verifies everything against the places.
func (env *checkpointEnv) verify() views.AuditResult {
	env.t.Helper()
	read := env.newViews()
	trust := views.LogTrust{Keys: env.signer.Keys()}
	for _, place := range env.places {
		trust.Places = append(trust.Places, place)
	}
	read.TrustLog(trust)
	result, err := read.Verify(env.ctx, domain.NoID)
	must(env.t, err)
	return result
}

func problemsOf(result views.AuditResult) string {
	var all []string
	for _, problem := range result.Problems {
		all = append(all, problem.Reference+": "+problem.Message)
	}
	return strings.Join(all, "\n")
}

// fill makes cases with approvals, a rejection, a revoked vote, and lines of the access log.
func (env *checkpointEnv) fill() {
	env.t.Helper()
	sam := env.person("sam", domain.RoleSubmitter)
	jo, mia := env.person("jo", domain.RoleL1), env.person("mia", domain.RoleManager)
	totals := []string{"120000.00", "130000.00", "140000.00", "1200000.00", "90.00"}
	reads := env.recordedReads() + len(totals)
	for n, total := range totals {
		env.reader.xml = invoiceXML(total, "C-"+total)
		submitted, err := env.svc.SubmitDocument(env.ctx, sam, casework.SubmitDocument{
			File: upload("order " + total), Process: "cross_border_remittance"})
		must(env.t, err)
		env.drainQueue()
		env.svc.RecordRead(jo, submitted.CaseID, "case")
		verdict := domain.Approve
		if n == 1 {
			verdict = domain.Reject
		}
		for _, by := range []domain.Actor{jo, mia} {
			for _, review := range env.undecidedReviews(submitted.CaseID) {
				if n == 2 {
					continue // still waits
				}
				_, err := env.svc.ClaimReview(env.ctx, by, casework.ReviewTarget{ReviewID: review.ID})
				if err != nil {
					continue // not their level
				}
				must(env.t, env.decide(by, review.ID, verdict, "checked"))
				env.drainQueue()
			}
		}
	}
	// They are written in batches, so that a part of them may follow later.
	env.waitFor("the reads in the access log", func() bool { return env.recordedReads() >= reads })
}

func (env *checkpointEnv) recordedReads() int {
	env.t.Helper()
	return env.queryInt(`SELECT count(*) FROM access_log WHERE action = 'read'`)
}

func (env *checkpointEnv) waitFor(what string, holds func() bool) {
	env.t.Helper()
	limit := time.NewTimer(time.Minute)
	defer limit.Stop()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for !holds() {
		select {
		case <-ticker.C:
		case <-limit.C:
			env.t.Fatalf("waited in vain for %s", what)
		}
	}
}

// An untouched record verifies after every step, and nothing is open after a checkpoint.
func TestCheckpointsOfARecord(t *testing.T) {
	t.Parallel()
	env := newCheckpointEnv(t)
	if result := env.verify(); len(result.Problems) > 0 || result.Log.Checkpoints != 0 ||
		result.Log.OpenEvents == 0 {
		t.Fatalf("without a checkpoint: %s %+v", problemsOf(result), result.Log)
	}
	env.sign()
	env.fill()
	if result := env.verify(); len(result.Problems) > 0 || result.Log.OpenEvents == 0 {
		t.Fatalf("before the next checkpoint: %s %+v", problemsOf(result), result.Log)
	}
	env.sign()
	result := env.verify()
	if len(result.Problems) > 0 || result.Log.Checkpoints < 2 || result.Log.ExternalCount < 2 {
		t.Fatalf("%s %+v", problemsOf(result), result.Log)
	}
	if n := env.queryInt(`SELECT count(*) FROM checkpoint_leaves WHERE kind = 'decision'`); n < 3 {
		t.Fatalf("%d decisions are in the log", n)
	}
	if n := env.queryInt(`SELECT count(*) FROM checkpoint_leaves WHERE kind = 'vote'`); n < 3 {
		t.Fatalf("%d votes are in the log", n)
	}
	more, err := env.svc.SignCheckpoint(env.ctx, env.signer)
	if err != nil || more {
		t.Fatalf("nothing happened: %t, %v", more, err)
	}
}

// A place refuses a checkpoint that does not continue the one that it has, also after the database was
// set back and signed again with the right key. A witness that was away catches up.
func TestPlacesRefuseAFork(t *testing.T) {
	t.Parallel()
	env := newCheckpointEnv(t)
	env.sign()
	env.fill()
	away := env.places[1]
	env.places = env.places[:1]
	env.sign()
	env.places = append(env.places, away)
	env.asAdmin(`DELETE FROM checkpoint_copies WHERE place = 'witness'`)
	env.round(nil, env.places...)
	if notes, err := away.Notes(env.ctx); err != nil || len(notes) != 1 ||
		string(notes[0].Note[:len(env.newestNote())]) != env.newestNote() {
		t.Errorf("the witness did not catch up: %v", err)
	}
	env.asAdmin(`TRUNCATE checkpoints, checkpoint_leaves, checkpoint_nodes, checkpoint_copies`,
		`DELETE FROM access_log WHERE id = (SELECT max(id) FROM access_log)`)
	for _, place := range []checkpoint.Place{env.newFolder(), env.newWitness(env.witness)} {
		var fork *checkpoint.ForkError
		env.round(&fork, place)
	}
}

// newestNote is the newest checkpoint in the database.
func (env *checkpointEnv) newestNote() string {
	env.t.Helper()
	return env.queryTexts(`SELECT note FROM checkpoints ORDER BY size DESC LIMIT 1`)[0]
}

// round signs and copies to the places; it must fail with the kind of error that fork points to, or
// succeed if fork is nil.
func (env *checkpointEnv) round(fork **checkpoint.ForkError, places ...checkpoint.Place) {
	env.t.Helper()
	err := checkpoint.New(env.svc, checkpoint.Options{Holder: "test", Key: env.signer,
		Places: places}).Round(env.ctx)
	if fork == nil {
		must(env.t, err)
	} else if !errors.As(err, fork) {
		env.t.Errorf("%s kept a fork: %v", places[0].Name(), err)
	}
}

func (env *checkpointEnv) newFolder() checkpoint.Place {
	env.t.Helper()
	folder, err := checkpoint.OpenFolder(env.folder)
	must(env.t, err)
	return folder
}

// A checkpoint never follows from an altered state of the log.
func TestNothingIsSignedOverAnAlteredLog(t *testing.T) {
	t.Parallel()
	env := newCheckpointEnv(t)
	env.sign()
	env.fill()
	for _, statement := range []string{
		`UPDATE checkpoints SET state = (SELECT state FROM checkpoints ORDER BY size LIMIT 1)
			|| '\x00'::bytea WHERE size = (SELECT max(size) FROM checkpoints)`,
		`UPDATE checkpoints SET note = replace(note, 'at 1', 'at 2')`} {
		env.asAdmin(statement)
		if _, err := env.svc.SignCheckpoint(env.ctx, env.signer); !domain.HasCode(err,
			domain.StateMismatch) {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// An untouched record never alarms, whatever happens between its verifications.
func TestUntouchedRecordsVerify(t *testing.T) {
	t.Parallel()
	env := newCheckpointEnv(t)
	env.fill()
	jo := env.person("joe", domain.RoleL1)
	sue := env.person("sue", domain.RoleSubmitter)
	signing := checkpoint.New(env.svc, checkpoint.Options{Holder: "test", Key: env.signer,
		Places: env.places})
	for n := range untouchedRuns {
		switch n % 4 {
		case 0:
			must(t, signing.Round(env.ctx))
		case 1:
			env.svc.RecordRead(jo, domain.NoID, fmt.Sprintf("look %d", n))
		case 2:
			if n < 100 {
				env.submitForReview(sue, n)
			}
		case 3:
			env.setMark("cross_border_remittance", int64(1_000_000+n))
		}
		if result := env.verify(); len(result.Problems) > 0 {
			t.Fatalf("step %d: %s", n, problemsOf(result))
		}
	}
}
