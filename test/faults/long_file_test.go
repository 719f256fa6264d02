package faults

import (
	"testing"
	"time"

	"countersign/cmd/countersign/sampledocs"
	"countersign/test/testcluster"
)

// A worker is killed while it reads a long file. The other worker reads only the pages that were not kept.
func TestWorkerKilledInALongFile(t *testing.T) {
	t.Parallel()
	exclusive(t)
	h := testcluster.New(t)
	one, two := h.Worker(), h.Worker()
	const pages = 24
	h.CLI("submitter").Expect(0, nil, "submit", h.File("long.pdf", sampledocs.LongPDF(pages)))
	owner := h.Database.Owner(t)
	count := func(sql string) (n int) {
		if err := owner.QueryRow(t.Context(), sql).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	busy, idle := underWay(t, one, two)
	kept := 0
	testcluster.Eventually(t, time.Minute, "pages are kept", func() bool {
		kept = count(`SELECT count(*) FROM kept_pages`)
		return kept >= 5
	})
	busy.Kill()
	took := testcluster.Eventually(t, 2*time.Minute, "the other worker reads the rest",
		func() bool { return count(`SELECT count(*) FROM pages`) == pages })
	recordTiming(t, "kill -9 of a worker in a long file -> read by another", took, time.Minute)
	lines := idle.LogLines("document read")
	if len(lines) != 1 {
		t.Fatalf("the other worker read %v", lines)
	}
	known, _ := lines[0]["kept"].(float64)
	read, _ := lines[0]["pages"].(float64)
	if int(known) < kept || int(read+known) != pages {
		t.Errorf("of %d pages %d were kept, and the other worker read %v and knew %v", pages, kept, read, known)
	}
	t.Logf("the other worker read %v of %d pages", read, pages)
	if n := count(`SELECT count(*) FROM kept_pages`); n > 0 {
		t.Errorf("%d pages are kept after the reading", n)
	}
	h.CLI("").Expect(0, []string{"verified"}, "audit", "verify")
}
