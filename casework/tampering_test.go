package casework_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/audit"
	"countersign/domain"
)

// recordTables are the tables that the tamperings change.
var recordTables = []string{"cases", "streams", "events", "decisions", "votes", "access_log", "assertions",
	"checkpoint_logs", "checkpoints", "checkpoint_leaves", "checkpoint_nodes", "checkpoint_copies"}

// asAdmin runs statements as a superuser without triggers and foreign keys, in one transaction.
func (env *testEnv) asAdmin(statements ...string) {
	env.t.Helper()
	conn, err := pgx.Connect(env.ctx, env.adminURL)
	must(env.t, err)
	defer func() { _ = conn.Close(env.ctx) }()
	tx, err := conn.Begin(env.ctx)
	must(env.t, err)
	defer func() { _ = tx.Rollback(env.ctx) }()
	for _, sql := range append([]string{`SET session_replication_role = replica`}, statements...) {
		if _, err := tx.Exec(env.ctx, sql); err != nil {
			env.t.Fatalf("%s: %v", sql, err)
		}
	}
	must(env.t, tx.Commit(env.ctx))
}

// tampering is one kind of change of the record by its owner.
type tampering struct {
	name string
	// do changes the record at a random place.
	do func(env *checkpointEnv, random *rand.Rand)
	// sql is a statement of it that the application role must not be able to run; "" if it has rights
	// to the rows, because it writes them itself.
	sql string
}

// pick returns one of the rows of a query.
func (env *checkpointEnv) pick(random *rand.Rand, sql string) string {
	env.t.Helper()
	rows := env.queryTexts(sql)
	if len(rows) == 0 {
		env.t.Fatalf("nothing to change: %s", sql)
	}
	return rows[random.IntN(len(rows))]
}

// rewrite rewrites a stream: change alters its events, and the chain is computed again.
func (env *checkpointEnv) rewrite(stream string, change func([]domain.Event) []domain.Event) {
	env.t.Helper()
	id, err := domain.ParseID(stream)
	must(env.t, err)
	reading, err := env.db.Reader().EventsAfter(env.ctx, id, 0, 10_000)
	must(env.t, err)
	events := change(reading.Events)
	head := audit.ChainHead{}
	statements := []string{fmt.Sprintf("CREATE TEMP TABLE old ON COMMIT DROP AS SELECT * FROM events WHERE case_id = '%s'", stream),
		fmt.Sprintf("DELETE FROM events WHERE case_id = '%s'", stream)}
	for i := range events {
		was := events[i].Seq
		head, err = audit.Chain(head, strings.NewReader(strings.Repeat("s", audit.SaltSize)),
			&events[i])
		must(env.t, err)
		e := &events[i]
		statements = append(statements, fmt.Sprintf(`INSERT INTO events OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(old,
			jsonb_build_object('seq', %d, 'body', '%s'::text, 'salt', '\x%x'::text, 'body_hash', '\x%x'::text,
			'prev_hash', '\x%x'::text, 'hash', '\x%x'::text))).* FROM old WHERE seq = %d`, e.Seq,
			strings.ReplaceAll(string(e.Body), "'", "''"), e.Salt, e.BodyHash, e.PrevHash, e.Hash, was))
	}
	for _, table := range []string{"cases", "streams"} {
		statements = append(statements, fmt.Sprintf(
			`UPDATE %s SET last_seq = %d, head_hash = '\x%x' WHERE id = '%s'`, table, head.Seq,
			head.Hash, stream))
	}
	env.asAdmin(statements...)
}

const (
	aStream   = `SELECT case_id::text FROM events GROUP BY case_id HAVING count(*) > 2 ORDER BY case_id`
	aCase     = `SELECT id::text FROM cases ORDER BY id`
	aDecision = `SELECT id::text FROM decisions ORDER BY id`
	aVote     = `SELECT ctid::text FROM votes ORDER BY case_id, duty, person`
	aLine     = `SELECT id::text FROM access_log ORDER BY id`
	anEvent   = `SELECT case_id || ' ' || seq FROM events ORDER BY case_id, seq`
	aLeaf     = `SELECT idx::text FROM checkpoint_leaves ORDER BY idx`
	aNote     = `SELECT size::text FROM checkpoints ORDER BY size`
)

// change is a tampering of one random row: %s in the statement is the row.
func change(name, rows, sql string, appRefuses bool) tampering {
	t := tampering{name: name, do: func(env *checkpointEnv, random *rand.Rand) {
		row := env.pick(random, rows)
		stream, seq, isEvent := strings.Cut(row, " ")
		if isEvent {
			env.asAdmin(fmt.Sprintf(sql, stream, seq))
			return
		}
		env.asAdmin(fmt.Sprintf(sql, row))
	}}
	if appRefuses {
		t.sql = sql
	}
	return t
}

var tamperings = []tampering{
	{name: "tail cut with the head set back", do: func(env *checkpointEnv, random *rand.Rand) {
		env.rewrite(env.pick(random, aStream), func(e []domain.Event) []domain.Event {
			return e[:1+random.IntN(len(e)-1)]
		})
	}},
	{name: "chain rewritten with recomputed hashes", do: func(env *checkpointEnv, random *rand.Rand) {
		env.rewrite(env.pick(random, aStream), func(e []domain.Event) []domain.Event {
			i := random.IntN(len(e))
			e[i].Body = []byte(strings.Replace(string(e[i].Body), "{", `{"forged":1,`, 1))
			return e
		})
	}},
	{name: "an event dropped and the rest renumbered", do: func(env *checkpointEnv, random *rand.Rand) {
		env.rewrite(env.pick(random, aStream), func(e []domain.Event) []domain.Event {
			i := random.IntN(len(e))
			return slices.Delete(e, i, i+1)
		})
	}},
	{name: "a stream deleted with its record", do: func(env *checkpointEnv, random *rand.Rand) {
		stream := env.pick(random, aStream)
		var statements []string
		for _, table := range []string{"events", "decisions", "votes", "assertions", "documents", "pages",
			"fields", "findings", "stage_runs", "reviews", "case_interests"} {
			statements = append(statements, fmt.Sprintf("DELETE FROM %s WHERE case_id = '%s'", table,
				stream))
		}
		for _, table := range []string{"cases", "streams"} {
			statements = append(statements, fmt.Sprintf("DELETE FROM %s WHERE id = '%s'", table, stream))
		}
		env.asAdmin(statements...)
	}},
	change("an event deleted", anEvent, `DELETE FROM events WHERE case_id = '%s' AND seq = %s`, true),
	change("a body altered", anEvent, `UPDATE events SET body = replace(body, '{', '{"x":1,')
		WHERE case_id = '%s' AND seq = %s`, true),
	change("a body erased without a record", anEvent, `UPDATE events SET body = '', salt = ''
		WHERE case_id = '%s' AND seq = %s`, true),
	change("the actor of an event altered", anEvent, `UPDATE events SET actor = gen_random_uuid()
		WHERE case_id = '%s' AND seq = %s`, true),
	change("the time of an event altered", anEvent, `UPDATE events SET at = at - interval '1 day'
		WHERE case_id = '%s' AND seq = %s`, true),
	{name: "an event inserted at the end of a chain", do: func(env *checkpointEnv, random *rand.Rand) {
		env.rewrite(env.pick(random, aStream), func(e []domain.Event) []domain.Event {
			return append(e, e[len(e)-1]) // with the position of the last one
		})
	}},
	change("a head altered", aCase, `UPDATE cases SET head_hash = sha256('x') WHERE id = '%s'`, false),
	change("a status altered", aCase, `UPDATE cases SET status = CASE status WHEN 'processing' THEN 'returned'
		ELSE 'processing' END WHERE id = '%s'`, false),
	change("a marking altered", aCase, `UPDATE cases SET marking = marking || '{"visits":{"x":3}}'
		WHERE id = '%s'`, false),
	change("attributes altered", aCase, `UPDATE cases
		SET attributes = '[{"name":"department","type":"text","value":"sales"}]' WHERE id = '%s'`, false),
	change("a decision altered", aDecision, `UPDATE decisions SET reason = reason || '!' WHERE id = '%s'`, true),
	change("the time of a decision altered", aDecision, `UPDATE decisions SET at = at - interval '1 s'
		WHERE id = '%s'`, true),
	change("the evidence of a decision altered", aDecision, `UPDATE decisions
		SET evidence = jsonb_set(evidence, '{risk}', '1234') WHERE id = '%s'`, true),
	change("a decision given to another person", aDecision, `UPDATE decisions SET actor = gen_random_uuid()
		WHERE id = '%s'`, true),
	change("a decision deleted", aDecision, `DELETE FROM decisions WHERE id = '%s'`, true),
	change("a decision added", aDecision, `INSERT INTO decisions SELECT case_id, gen_random_uuid(),
		gen_random_uuid(), actor, on_behalf_of, verdict, reason, evidence, at FROM decisions WHERE id = '%s'`,
		false),
	change("a vote deleted", aVote, `DELETE FROM votes WHERE ctid = '%s'`, false),
	change("a vote given to another person", aVote, `UPDATE votes SET person = gen_random_uuid()
		WHERE ctid = '%s'`, true),
	change("what a vote covers altered", aVote, `UPDATE votes SET covered = covered || '{"x":1}'
		WHERE ctid = '%s'`, true),
	change("a vote added", aVote, `INSERT INTO votes SELECT case_id, 'another duty', person, review_id, covered
		FROM votes WHERE ctid = '%s'`, false),
	change("a line of the access log altered", aLine, `UPDATE access_log SET action = action || '!'
		WHERE id = %s`, true),
	change("a line of the access log deleted", aLine, `DELETE FROM access_log WHERE id = %s`, true),
	change("a line added to the access log", aLine, `INSERT INTO access_log (id, at, actor, action, case_id,
		object, code, request_id, era, txid) OVERRIDING SYSTEM VALUE SELECT id + 1000000, at, actor, action, case_id, object,
		code, request_id, era, txid FROM access_log WHERE id = %s`, false),
	change("an assertion deleted", `SELECT ctid::text FROM assertions`, `DELETE FROM assertions
		WHERE ctid = '%s'`, true),
	change("a leaf altered", aLeaf, `UPDATE checkpoint_leaves SET seq = seq + 1 WHERE idx = %s`, true),
	change("a leaf deleted", aLeaf, `DELETE FROM checkpoint_leaves WHERE idx = %s`, true),
	change("a checkpoint deleted", aNote, `DELETE FROM checkpoints WHERE size = %s`, true),
	change("a checkpoint altered", aNote, `UPDATE checkpoints SET note = replace(note, 'at 1', 'at 2')
		WHERE size = %s`, true),
	change("checkpoints cut with their leaves", aNote, `WITH k AS (DELETE FROM checkpoints WHERE size >= %[1]s),
		c AS (DELETE FROM checkpoint_copies WHERE size >= %[1]s) DELETE FROM checkpoint_leaves
		WHERE idx >= coalesce((SELECT max(size) FROM checkpoints WHERE size < %[1]s), 0)`, true),
	{name: "all checkpoints deleted", do: func(env *checkpointEnv, _ *rand.Rand) {
		env.asAdmin(`TRUNCATE checkpoint_logs, checkpoints, checkpoint_leaves, checkpoint_nodes, checkpoint_copies`)
	}, sql: `TRUNCATE checkpoints`},
	{name: "the newest note of the witness deleted", do: func(env *checkpointEnv, _ *rand.Rand) {
		env.deleteNewest(env.witness)
	}},
	{name: "the newest note of the folder deleted", do: func(env *checkpointEnv, _ *rand.Rand) {
		env.deleteNewest(env.folder)
	}},
	{name: "all notes of the folder deleted", do: func(env *checkpointEnv, _ *rand.Rand) {
		must(env.t, os.RemoveAll(env.folder))
		must(env.t, os.MkdirAll(env.folder, 0o755))
	}},
	{name: "a note of the folder altered", do: func(env *checkpointEnv, random *rand.Rand) {
		notes := notesIn(env.t, env.folder)
		note := notes[random.IntN(len(notes))]
		text, err := os.ReadFile(note)
		must(env.t, err)
		text[random.IntN(len(text)-1)] ^= 1
		must(env.t, os.Chmod(note, 0o644))
		must(env.t, os.WriteFile(note, text, 0o644))
	}},
	{name: "rewritten, and all checkpoints signed again with the right key", do: func(env *checkpointEnv,
		random *rand.Rand) {
		env.rewrite(env.pick(random, aStream), func(e []domain.Event) []domain.Event {
			return e[:len(e)-1]
		})
		env.asAdmin(`TRUNCATE checkpoints, checkpoint_leaves, checkpoint_nodes, checkpoint_copies`)
		_, err := env.svc.SignCheckpoint(env.ctx, env.signer)
		must(env.t, err)
	}},
}

func notesIn(t *testing.T, folder string) []string {
	t.Helper()
	notes, err := filepath.Glob(filepath.Join(folder, "*", "*.note"))
	must(t, err)
	slices.Sort(notes)
	return notes
}

func (env *checkpointEnv) deleteNewest(folder string) {
	env.t.Helper()
	notes := notesIn(env.t, folder)
	must(env.t, os.Remove(notes[len(notes)-1]))
}

// snapshot keeps the record so that restore brings it back.
type snapshot struct {
	env   *checkpointEnv
	files map[string][]byte
}

func (env *checkpointEnv) snapshot() *snapshot {
	env.t.Helper()
	s := &snapshot{env: env, files: map[string][]byte{}}
	for _, table := range recordTables {
		env.asAdmin(fmt.Sprintf(`CREATE TABLE kept_%[1]s AS SELECT * FROM %[1]s`, table))
	}
	for _, folder := range []string{env.folder, env.witness} {
		for _, note := range notesIn(env.t, folder) {
			text, err := os.ReadFile(note)
			must(env.t, err)
			s.files[note] = text
		}
	}
	return s
}

func (s *snapshot) restore() {
	s.env.t.Helper()
	statements := []string{"TRUNCATE " + strings.Join(recordTables, ", ") + " CASCADE"}
	for _, table := range recordTables {
		statements = append(statements, fmt.Sprintf(
			`INSERT INTO %[1]s OVERRIDING SYSTEM VALUE SELECT * FROM kept_%[1]s`, table))
	}
	s.env.asAdmin(statements...)
	for _, folder := range []string{s.env.folder, s.env.witness} {
		for _, note := range notesIn(s.env.t, folder) {
			must(s.env.t, os.Remove(note))
		}
	}
	for path, text := range s.files {
		must(s.env.t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(s.env.t, os.WriteFile(path, text, 0o444))
	}
}

// Whatever the owner of the database changes that is older than the newest outside checkpoint is
// found, and the place is named.
func TestTamperingsAreFound(t *testing.T) {
	t.Parallel()
	env := newCheckpointEnv(t)
	env.sign()
	env.fill()
	env.sign()
	env.reader.xml = invoiceXML("150000.00", "C-last")
	env.submit(env.person("late", domain.RoleSubmitter), "later")
	env.drainQueue()
	env.sign()
	kept := env.snapshot()
	if problems := problemsOf(env.verify()); problems != "" {
		t.Fatalf("an untouched record: %s", problems)
	}
	unseen := map[string]int{}
	runs := tamperingRuns * len(tamperings)
	for n := range runs {
		kind, seed := tamperings[n%len(tamperings)], rand.New(rand.NewPCG(19, uint64(n)))
		kind.do(env, seed)
		if result := env.verify(); len(result.Problems) == 0 {
			unseen[kind.name]++
		} else if result.Problems[0].Message == "" || result.Problems[0].Reference == "" {
			t.Errorf("%s: the first bad place is not named: %+v", kind.name, result.Problems[0])
		}
		kept.restore()
	}
	if len(unseen) > 0 {
		t.Errorf("of %d tamperings not found: %v", runs, unseen)
	}
	if problems := problemsOf(env.verify()); problems != "" {
		t.Fatalf("the restored record: %s", problems)
	}
	t.Logf("figure: %d tamperings of %d kinds, %d not found", runs, len(tamperings), len(unseen))
}

// The application role cannot change the record.
func TestApplicationCannotTamper(t *testing.T) {
	t.Parallel()
	env := newCheckpointEnv(t)
	env.fill()
	env.sign()
	pool := env.appPool()
	tried := 0
	for _, kind := range tamperings {
		if kind.sql == "" {
			continue
		}
		tried++
		statement := strings.NewReplacer("'%s'", "NULL", "%s", "NULL", "%[1]s", "NULL").Replace(kind.sql)
		if _, err := pool.Exec(env.ctx, statement); err == nil ||
			!strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: %v", kind.name, err)
		}
	}
	if tried < 15 {
		t.Errorf("only %d kinds were tried", tried)
	}
}
