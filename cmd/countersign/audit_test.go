package main

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/audit"
	"countersign/casework"
	"countersign/checkpoint"
	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
)

// A database and its export have the same number of streams and events, and an existing file is
// never overwritten.
func TestExportsMatchTheDatabase(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	o.person("anna", domain.RoleL1)
	o.ok("limit", "set", "manager", "3")
	file := filepath.Join(t.TempDir(), "log.jsonl")
	var exported struct {
		Streams int
		File    string
	}
	o.decoded(&exported, "audit", "export", file)
	content, err := os.ReadFile(file)
	if err != nil || exported.Streams < 2 || exported.File != file {
		t.Fatalf("%+v, %v", exported, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the export: %v %v", info.Mode(), err)
	}
	online, offline := o.ok("audit", "verify"), o.ok("audit", "verify", "--file", file)
	if online != offline || !strings.Contains(online, " of them cases, verified\n") {
		t.Errorf("online %q, from the export %q", online, offline)
	}
	o.refused(exitUsage, "The file "+file+" already exists. Choose another name", "audit", "export",
		file)
	if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, content) {
		t.Errorf("the export was changed: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "none", "log.jsonl")
	o.refused(exitUsage, "The file "+missing+" cannot be created: no such file or directory.",
		"audit", "export", missing)
}

// A log without events is intact. An operator checks a new installation first, and an alarm there
// would teach them to ignore alarms.
func TestANewLogIsIntact(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	folder := t.TempDir()
	for _, state := range []string{"empty", "migrated"} {
		online := o.ok("audit", "verify")
		file := filepath.Join(folder, state)
		o.ok("audit", "export", file)
		if offline := o.ok("audit", "verify", "--file", file); online != offline {
			t.Errorf("%s: online %q, from the export %q", state, online, offline)
		}
		if state == "empty" && online != "0 events in 2 streams, 0 of them cases, verified\n"+noKeyNote {
			t.Errorf("an empty log: %q", online)
		}
		o.ok("migrate")
	}
}

// A changed, shortened or foreign file is reported with exit code 1, never as verified.
func TestAlteredExports(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	o.person("anna", domain.RoleL1)
	folder := t.TempDir()
	file := filepath.Join(folder, "log.jsonl")
	o.ok("audit", "export", file)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
	for name, altered := range map[string][]byte{
		"body":       bytes.Replace(content, []byte("anna@example.test"), []byte("eva@example.test"), 1),
		"last line":  bytes.Join(lines[:len(lines)-1], nil),
		"half":       content[:len(content)/2],
		"no header":  bytes.Join(lines[1:], nil),
		"empty":      nil,
		"other":      []byte("not an export\n"),
		"a line off": bytes.Join(append(append([][]byte{}, lines[:2]...), lines[3:]...), nil),
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, altered, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, messages := o.run("audit", "verify", "--file", path)
		if code != exitFailed || out == "" && messages == "" || bytes.Equal(altered, content) {
			t.Errorf("%s: exit code %d, output %q, messages %q", name, code, out, messages)
		}
	}
}

// A stream that was altered in the database is named with its first altered event, as text and as
// JSON, and the exit code is 1. The other streams are counted as verified.
func TestAlteredStreams(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	o.person("anna", domain.RoleL1)
	o.person("bob", domain.RoleL1)
	var before, after struct {
		Streams, Cases, Events int64
		Broken                 []struct {
			Name, Message string
			Seq           int64
		}
	}
	o.decoded(&before, "audit", "verify")
	if before.Broken == nil || len(before.Broken) != 0 {
		t.Errorf("an intact log: %+v", before)
	}
	changed, err := o.db.Admin(t).Exec(t.Context(), `UPDATE events
		SET body = replace(body, 'bob@', 'eva@') WHERE body LIKE '%bob@%'`)
	if err != nil || changed.RowsAffected() != 1 {
		t.Fatalf("%d rows: %v", changed.RowsAffected(), err)
	}
	// The stream is broken, and its event no longer gives the address of the account.
	code, out, _ := o.run("audit", "verify")
	if code != exitFailed || strings.Count(out, "BROKEN  ") != 2 ||
		!strings.Contains(out, " at event ") {
		t.Errorf("exit code %d: %s", code, out)
	}
	code, out, _ = o.run("--json", "audit", "verify")
	decode(t, out, &after)
	if code != exitFailed || len(after.Broken) != 2 || after.Broken[0].Seq < 1 ||
		after.Broken[0].Name == "" || after.Streams != before.Streams-1 {
		t.Errorf("exit code %d: %+v, before %+v", code, after, before)
	}
}

func TestVerifyingOneCase(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	o.refused(exitFailed, "The case cs-2026-000001 was not found", "audit", "verify", "--case",
		"cs-2026-000001")
	o.refused(exitUsage, "The options --file, --pack and --case cannot be used together.", "audit", "verify",
		"--file", "main.go", "--case", "CS-2026-000001")
	if got := countText(1, "stream") + countText(0, "event") + countText(2, "event"); got !=
		"1 stream0 events2 events" {
		t.Errorf("%q", got)
	}
}

// noKeyNote is printed without a public key.
const noKeyNote = "NOTE: the checkpoints were not verified, because no public key is given (--trust).\n"

// An export with checkpoints verifies with the public key and the folder of checkpoints. A change of any line
// is found, and so is a folder of another installation.
func TestExportsWithCheckpoints(t *testing.T) {
	t.Parallel()
	o := newOperatorTool(t)
	o.person("anna", domain.RoleL1)
	folder := t.TempDir()
	key, places := filepath.Join(folder, "log.key"), filepath.Join(folder, "kept")
	o.ok("audit", "keygen", "test.example", key)
	o.refused(exitUsage, "The file "+key+" already exists.", "audit", "keygen", "test.example", key)
	o.refused(exitUsage, `"two words" is not a valid name`, "audit", "keygen", "two words", key+"2")
	text, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := audit.ParseSigner(string(text))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := checkpoint.OpenFolder(places)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), o.db.AppURL, 4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	service, err := casework.New(db, casework.Ports{Notifier: silentNotifier{}},
		casework.Settings{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { service.Close(context.WithoutCancel(t.Context())) })
	pgtest.Settle(t, o.db.App(t))
	if err := checkpoint.New(service, checkpoint.Options{Holder: "test", Key: signer,
		Places: []checkpoint.Place{kept}}).Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "log.jsonl")
	o.ok("audit", "export", file)
	verify := []string{"audit", "verify", "--trust", key + ".pub", "--checkpoints", places}
	if out := o.ok(verify...); !strings.Contains(out, "1 checkpoint verified") ||
		!strings.Contains(out, "1 outside of the database compared") {
		t.Errorf("the database: %s", out)
	}
	offline := append(verify, "--file", file)
	if out := o.ok(offline...); !strings.Contains(out, "1 checkpoint verified") {
		t.Errorf("the export: %s", out)
	}
	o.refused(exitUsage, "Checkpoints can be compared only with the public key of the log.", "audit", "verify", "--checkpoints", places)
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range bytes.SplitAfter(content, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		altered := bytes.Replace(content, line, nil, 1)
		path := filepath.Join(folder, "altered")
		if err := os.WriteFile(path, altered, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, messages := o.run(append(verify, "--file", path)...); code != exitFailed {
			t.Errorf("without line %d (%.60s): exit code %d, %s %s", n+1, line, code, out, messages)
		}
	}
	other := filepath.Join(folder, "other.key")
	o.ok("audit", "keygen", "other.example", other)
	if code, _, messages := o.run("audit", "verify", "--trust", other+".pub", "--file",
		file); code != exitFailed || !strings.Contains(messages, "line") && !strings.Contains(messages, "Line") {
		t.Errorf("the key of another installation: exit code %d, %s", code, messages)
	}
}
