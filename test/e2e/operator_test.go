package e2e

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/tasks"
	"countersign/test/testcluster"
)

// The doctor names what does not match, repairs what it can, and reports success when all matches.
func TestDoctorNamesEachDifference(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	operator := h.CLI("")
	reference := h.CLI("submitter").Expect(0, nil, "submit",
		h.PDF(testcluster.Invoice(90, 100))).Reference()
	step := "read of " + reference
	operator.Expect(1, []string{"unserved_queue", "1 steps wait in queue ocr", step}, "doctor",
		"--grace", "1ms")
	operator.Expect(1, []string{`"count":1`, `"reference":"` + reference + `"`, `"node":"read"`},
		"--json", "doctor", "--grace", "1ms")
	manySteps(t, h, reference)
	said := operator.Expect(1, []string{"26 steps wait in queue ocr", step, ", 6 more"}, "doctor",
		"--grace", "1ms")
	if strings.Count(said.Out, " of "+reference) != 20 {
		t.Errorf("not twenty steps are named:\n%s", said.Out)
	}
	if _, err := h.Database.Owner(t).Exec(t.Context(),
		`DELETE FROM stage_runs WHERE visit > 1`); err != nil {
		t.Fatal(err)
	}

	orphan := filepath.Join(h.Folder(), "blobs", "01890000-0000-7000-8000-000000000000",
		strings.Repeat("ab", 32))
	if err := os.MkdirAll(filepath.Dir(orphan), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(orphan, []byte("left over"), 0o600); err != nil {
		t.Fatal(err)
	}
	operator.Expect(1, []string{"orphan_file", strings.Repeat("ab", 32)}, "doctor", "--grace",
		"1ms")
	operator.Expect(1, []string{" repaired"}, "doctor", "--grace", "1ms", "--repair") // no worker serves the queue yet
	if _, err := os.Stat(orphan); !os.IsNotExist(err) {
		t.Errorf("the left-over file is still there: %v", err)
	}

	h.Worker()
	h.CLI("submitter").Expect(0, nil, "watch", reference)
	operator.Expect(0, []string{"agree"}, "doctor", "--grace", "1ms")
	file := original(t, h)
	testcluster.Eventually(t, time.Minute, "the doctor misses the file", func() bool {
		// The server restores it once if it retires the journal segment of the file in this moment.
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		said := operator.Run("doctor", "--grace", "1ms")
		return said.Code == 1 && strings.Contains(said.Out, "missing_file") &&
			strings.Contains(said.Out, "document of case "+reference)
	})
}

// manySteps lets 25 more steps of the case wait: as many cases would take long to submit.
func manySteps(t *testing.T, h *testcluster.Cluster, reference string) {
	t.Helper()
	_, err := h.Database.Owner(t).Exec(t.Context(), `INSERT INTO stage_runs (case_id, id, node, visit, kind, queue, run_after, status, next_ring_at)
		SELECT r.case_id, gen_random_uuid(), r.node, r.visit + n, r.kind, r.queue, r.run_after + n * interval '1 s', 'pending', r.next_ring_at
		FROM stage_runs r JOIN cases c ON c.id = r.case_id CROSS JOIN generate_series(1, 25) n WHERE c.reference = $1 AND r.status = 'pending'`, reference)
	if err != nil {
		t.Fatal(err)
	}
}

// original is the stored PDF.
func original(t *testing.T, h *testcluster.Cluster) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.Folder(), "blobs", "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil &&
			strings.HasPrefix(string(content), "%PDF-") {
			return file
		}
	}
	t.Fatal("no stored PDF")
	return ""
}

// A task that the queue gave up is named with its queue's error, and is gone after the repair.
func TestDoctorNamesWhatTheQueueGaveUp(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	h.Worker()
	option, err := tasks.Redis(h.Redis.URL())
	if err != nil {
		t.Fatal(err)
	}
	enqueuer, err := tasks.NewEnqueuer(option, domain.SystemClock{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = enqueuer.Close() })
	enqueuer.Enqueue(t.Context(), []domain.PendingRun{{Queue: domain.QueueLight}}) // names no run, unlike every task of ours
	operator := h.CLI("")
	testcluster.Eventually(t, 20*time.Second, "the doctor names it",
		func() bool { return operator.Run("doctor").Code == 1 })
	operator.Expect(1, []string{"dead_task", "the queue archived task", "has no run id"}, "doctor")
	operator.Expect(0, []string{"1 repaired"}, "doctor", "--repair")
	operator.Expect(0, []string{"agree"}, "doctor")
}

// Redis away: the doctor says so instead of failing, and the rest is still examined.
func TestDoctorWithoutTheQueue(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	h.CLI("").Expect(0, nil, "search", "rebuild") // no worker indexes the cases of the template
	if err := h.Redis.Stop(); err != nil {
		t.Fatal(err)
	}
	h.CLI("").Expect(1, []string{"unreachable_queue"}, "doctor")
	h.CLI("").Expect(0, []string{"agree"}, "doctor", "--no-redis")
}

// A change of the log that bypasses the application is detected, at the exact event.
func TestAuditFindsWhatWasAltered(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	h.Worker()
	reference := h.CLI("submitter").Expect(0, nil, "submit", "--watch",
		h.PDF(testcluster.Invoice(91, 100))).Reference()
	operator := h.CLI("")
	operator.Expect(0, []string{"verified"}, "audit", "verify")
	superuser := h.Database.Admin(t)
	changed, err := superuser.Exec(t.Context(), `UPDATE events SET body = replace(body, '"done"', '"DONE"')
		WHERE seq = 3 AND case_id = (SELECT id FROM cases WHERE reference = $1)`, reference)
	if err != nil || changed.RowsAffected() != 1 {
		t.Fatalf("%d rows: %v", changed.RowsAffected(), err)
	}
	operator.Expect(1, []string{"BROKEN", reference + " at event 3", "body"}, "audit", "verify")
	operator.Expect(1, []string{reference + " at event 3"}, "audit", "verify", "--case", reference)

	other := h.CLI("submitter").Expect(0, nil, "submit", "--watch",
		h.PDF(testcluster.Invoice(93, 100))).Reference()
	whole := h.CLI("submitter").Expect(0, nil, "submit", "--watch",
		h.PDF(testcluster.Invoice(94, 100))).Reference()
	changed, err = superuser.Exec(t.Context(),
		`UPDATE events SET type = 'case.approved' WHERE seq = 2 AND case_id = (SELECT id FROM cases WHERE reference = $1)`, other)
	if err != nil || changed.RowsAffected() != 1 {
		t.Fatalf("%d rows: %v", changed.RowsAffected(), err)
	}
	cases := fmt.Sprintf("%d of them cases", testcluster.KnownCases()+1)
	online := operator.Expect(1, []string{cases, reference + " at event 3",
		other + " at event 2"}, "audit", "verify")
	export := h.File("export.jsonl", nil) + ".new"
	operator.Expect(0, nil, "audit", "export", export)
	offline := operator.Expect(1, []string{"1 of them cases", "at event 3: the body",
		"at event 2: the header"}, "audit", "verify", "--file", export)
	if strings.Count(online.Out, "BROKEN") != 2 || strings.Count(offline.Out, "BROKEN") != 2 ||
		strings.Contains(online.Out, whole) {
		t.Errorf("online:\n%s\nfrom the export:\n%s", online.Out, offline.Out)
	}
}

// The operator's own commands change permissions immediately.
func TestOperatorChangesPermissions(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	h.Worker()
	operator, senior, submitter := h.CLI(""), h.CLI("senior"), h.CLI("submitter")
	reference := submitter.Expect(4, nil, "submit", "--watch",
		h.PDF(testcluster.Invoice(92, 20_000))).Reference()

	operator.Expect(0, []string{"may not decide"}, "conflict", "declare", "senior@test.test",
		testcluster.Invoice(92, 1).Vendor, "--reason", "a cousin owns it")
	if list := senior.Expect(0, nil, "review", "list"); strings.Contains(list.Out, reference) {
		t.Errorf("a conflicted reviewer sees the review:\n%s", list.Out)
	}
	senior.Expect(1, nil, "review", "claim", reference)
	id := strings.Fields(operator.Expect(0, []string{"a cousin owns it"}, "conflict", "list").Out)
	h.AddUser(testcluster.Person{Email: "admin2@test.test", Name: "admin2",
		Roles: "administrator"})
	admin, second := h.CLI("admin"), h.CLI("admin2")
	admin.Expect(0, []string{"proposed"}, "conflict", "end", id[5], "--reason", "sold") // the first word under five headings
	senior.Expect(1, nil, "review", "claim", reference)
	change := strings.Fields(second.Expect(0, []string{"conflict_end", "sold"},
		"change", "list").Out)[8] // the first word under eight words of headings
	admin.Expect(1, []string{"own proposal"}, "change", "confirm", change)
	second.Expect(0, []string{"confirmed"}, "change", "confirm", change)
	senior.Expect(0, []string{reference}, "review", "list")

	operator.Expect(0, nil, "limit", "set", "reviewer_senior", "1000")
	operator.Expect(0, []string{"reviewer_senior", "1000.00 USD", "unlimited"}, "limit", "list")
	operator.Expect(0, []string{`"role":"reviewer_senior"`, `"baseMinor":100000`}, "--json",
		"limit", "list")
	operator.Expect(0, []string{"1 EUR", "1.08 USD", "1 GBP"}, "rate", "list")
	admin.Expect(0, []string{"EUR  in force now"}, "rate", "set", "EUR", "1.09", "--reason", "x")
	admin.Expect(0, []string{"EUR  proposed"}, "rate", "set", "EUR", "1.20", "--reason", "x")
	operator.Expect(1, []string{"already has a rate"}, "rate", "seed", "EUR", "1.20")
	admin.Expect(0, []string{"IR  proposed"}, "country", "set", "ir", "none", "--reason", "x")
	operator.Expect(0, []string{"IR", "high"}, "country", "list")
	senior.Expect(1, nil, "review", "claim", reference)
	operator.Expect(0, nil, "limit", "set", "reviewer_senior", "2000000")
	senior.Expect(0, nil, "review", "claim", reference)
	operator.Expect(0, nil, "user", "set", "senior@test.test", "--queue", "L2")
	senior.Expect(1, nil, "review", "decide", reference, "approve")
	operator.Expect(0, nil, "user", "set", "senior@test.test", "--queue", "L1")
	senior.Expect(1, []string{"not claimed"}, "review", "decide", reference, "approve") // the claim was withdrawn with the queue
	senior.Expect(0, nil, "review", "claim", reference)
	senior.Expect(0, nil, "review", "decide", reference, "approve")
	submitter.Expect(0, nil, "watch", reference)

	token := strings.TrimSpace(operator.Expect(0, nil, "token", "create", "auditor@test.test",
		"--name", "short", "--scope", "read", "--valid", "1h").Out)
	if !strings.HasPrefix(token, "cs_") {
		t.Errorf("the token is %q", token)
	}
	list := strings.Fields(operator.Expect(0, []string{"short", "read"}, "token", "list",
		"auditor@test.test").Out)
	operator.Expect(0, []string{"revoked"}, "token", "revoke", list[11]) // the first word under eleven words of headings
	h.CLI("manager").Expect(0, nil, "review", "list")
}
