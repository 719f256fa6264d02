package faults

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"countersign/test/testcluster"
)

const movingCases = 200

// A worker is killed while it moves running cases to another version. Another one moves the rest: each case is moved
// once, with one event, and none is lost.
func TestWorkerKilledInAMigration(t *testing.T) {
	t.Parallel()
	exclusive(t)
	h := testcluster.New(t)
	h.AddUser(testcluster.Person{Email: "other@test.test", Name: "other", Roles: "administrator"})
	admin, other := h.CLI("admin"), h.CLI("other")
	publish := func(text string) {
		admin.Expect(0, nil, "process", "propose", h.File("loan.yaml", []byte(text)))
		other.Expect(0, nil, "process", "publish", "loan", "--confirm")
	}
	publish(loan)
	one := h.Worker()
	command := []string{"submit", "--process", "loan"}
	for n := range movingCases {
		command = append(command, h.XML(500+n, 2000))
	}
	h.CLI("submitter").Expect(0, nil, command...)
	owner := h.Database.Owner(t)
	count := func(sql string) (n int) {
		if err := owner.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const running = `SELECT count(*) FROM cases WHERE process_key = 'loan' AND status = 'in_review' AND process_version = `
	testcluster.Eventually(t, 5*time.Minute, "every case waits for a review",
		func() bool { return count(running+"1") == movingCases })
	publish(strings.NewReplacer("assess, next: first", "assess, next: opening", "id: first", "id: opening").Replace(loan))

	var proposed []struct{ ID string }
	admin.Expect(0, nil, "process", "migrate", "propose", "loan", "1", "2", "--map", "first=opening", "--reason", "new name")
	listed := other.Expect(0, nil, "change", "list", "--json")
	if err := json.Unmarshal([]byte(listed.Out), &proposed); err != nil || len(proposed) != 1 {
		t.Fatalf("proposed: %v in %s", err, listed.Out)
	}
	const done = `SELECT count(*) FROM case_migration_results WHERE status <> 'waiting'`
	other.Expect(0, nil, "change", "confirm", proposed[0].ID)
	testcluster.Eventually(t, time.Minute, "some cases are moved", func() bool { return count(done) >= 10 })
	one.Kill()
	before := count(done)
	if before >= movingCases {
		t.Fatalf("all %d cases were moved before the worker was killed", before)
	}
	h.Worker()
	took := testcluster.Eventually(t, time.Minute, "another worker moves the rest",
		func() bool { return count(done) == movingCases })
	recordTiming(t, "kill -9 of a worker in a migration -> the rest moved by another", took, time.Minute)
	moved := count(`SELECT count(*) FROM case_migration_results WHERE status = 'moved'`)
	events := count(`SELECT count(DISTINCT case_id) FROM events WHERE type = 'case.migrated'`)
	all := count(`SELECT count(*) FROM events WHERE type = 'case.migrated'`)
	if moved != movingCases || events != movingCases || all != movingCases || count(running+"2") != movingCases {
		t.Errorf("of %d cases %d were moved, %d have an event, %d events, %d run in version 2", movingCases, moved, events,
			all, count(running+"2"))
	}
	t.Logf("%d cases were moved before the worker was killed, %d afterwards", before, moved-before)
	h.CLI("").Expect(0, []string{"verified"}, "audit", "verify")
}
