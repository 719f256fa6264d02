package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/domain"
)

// TestStatementsNameQueuesByConstants checks that no statement repeats the name of a work queue or
// of a behaviour, and that the partial index of external runs covers the queue of the statements.
func TestStatementsNameQueuesByConstants(t *testing.T) {
	t.Parallel()
	names := append(domain.WorkQueues(), domain.QueueExternal, domain.BehaviourRead,
		domain.BehaviourExtract, domain.BehaviourValidate, domain.BehaviourAssess,
		domain.BehaviourArchive)
	sources, err := filepath.Glob("*.go")
	if err != nil || len(sources) < 20 {
		t.Fatalf("found %d source files: %v", len(sources), err)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.Contains(string(text), "'"+name+"'") {
				t.Errorf("%s has the literal '%s' instead of the constant of package domain",
					source, name)
			}
		}
	}
	w := newTestEnv(t)
	var index string
	w.must(w.owner.QueryRow(w.ctx, `SELECT indexdef FROM pg_indexes
		WHERE indexname = 'stage_runs_external'`).Scan(&index))
	if !strings.Contains(index, "queue = '"+domain.QueueExternal+"'") {
		t.Errorf("the index does not cover the queue %s: %s", domain.QueueExternal, index)
	}
}
