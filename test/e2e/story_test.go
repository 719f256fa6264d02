package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"countersign/cmd/countersign/sampledocs"
	"countersign/internal/pdfacheck"
	"countersign/test/testcluster"
)

// One cluster, many stories concurrently; at the end the log verifies and nothing is left over.
func TestStories(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	h.Worker()
	t.Run("stories", func(t *testing.T) {
		for name, story := range map[string]func(*testing.T, *testcluster.Cluster){
			"a small PDF is archived": smallPDF, "a small scan is archived": smallScan,
			"a large one is reviewed and approved": approved,
			"one is rejected":                      rejected,
			"one is returned and resubmitted":      returned,
			"one is above a junior's limit":        aboveLimit,
			"a corrupt file is tried once":         corrupt,
			"bad files are refused on submission":  badFiles,
			"watch ends at the requested event":    until,
			"the same key leads to the same case":  sameKey,
			"amounts are corrected under a claim":  corrected, "several files in one submission": several,
			"a total that does not add up":                misprinted,
			"the same bytes again are linked and flagged": sameBytes,
		} {
			t.Run(name, func(t *testing.T) { t.Parallel(); story(t, h) })
		}
	})
	h.CLI("").WithTB(t).Expect(0, []string{"verified"}, "audit", "verify")
	h.CLI("").WithTB(t).Expect(0, []string{"agree"}, "doctor", "--grace", "1ms")
	export := h.File("export.jsonl", nil) + ".new"
	h.CLI("").WithTB(t).Expect(0, []string{"exported"}, "audit", "export", export)
	h.CLI("").WithTB(t).Expect(0, []string{"verified"}, "audit", "verify", "--file", export)
}

func smallPDF(t *testing.T, h *testcluster.Cluster) {
	said := h.CLI("submitter").WithTB(t).Expect(0, []string{"was submitted",
		"Read completed, 1 pages", "was approved", "was archived", "archived"},
		"submit", "--watch", h.PDF(testcluster.Invoice(1, 100)))
	t.Logf("a text-layer PDF, from the command to its archive: %s", said.Took)
	archiveCopy(t, h, said.Reference(), "KB-2026-10001")
}

func smallScan(t *testing.T, h *testcluster.Cluster) {
	said := h.CLI("submitter").WithTB(t).Expect(0, []string{"was archived"}, "submit", "--watch",
		h.PNG(testcluster.Invoice(2, 100)))
	t.Logf("a scan, from the command to its archive: %s", said.Took)
	shown := h.CLI("manager").WithTB(t).Expect(0, nil, "case", "show", said.Reference())
	for _, read := range []string{"130.50", "KB-2026-10002", "ocr"} { // 100 + 10.50 delivery, and tax: 132.60 in all
		if read == "130.50" {
			read = "132.60"
		}
		if !strings.Contains(shown.Out, read) {
			t.Errorf("the scan's fields lack %q:\n%s", read, shown.Out)
		}
	}
	archiveCopy(t, h, said.Reference(), "KB-2026-10002")
}

// archiveCopy requires that the copy of a real reading follows the clauses and has the words of its page.
func archiveCopy(t *testing.T, h *testcluster.Cluster, reference string, words ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "copy.pdf")
	h.CLI("submitter").WithTB(t).Expect(0, nil, "archive-copy", reference, "-o", file)
	copied, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range pdfacheck.Check(copied) {
		t.Errorf("the copy of %s: %s", reference, violation)
	}
	t.Logf("the copy of %s has %d bytes", reference, len(copied))
	text, err := exec.Command("pdftotext", file, "-").Output()
	for _, word := range words {
		if err != nil || !strings.Contains(string(text), word) {
			t.Errorf("the copy of %s lacks %q (%v):\n%s", reference, word, err, text)
		}
	}
}

// inReview submits an invoice too large to pass by itself and returns its reference.
func inReview(t *testing.T, h *testcluster.Cluster, number int, netEuros int64) string {
	t.Helper()
	said := h.CLI("submitter").WithTB(t).Expect(4, []string{"in review"}, "submit", "--watch",
		h.PDF(testcluster.Invoice(number, netEuros)))
	return said.Reference()
}

func approved(t *testing.T, h *testcluster.Cluster) {
	reference := inReview(t, h, 3, 20_000)
	senior, submitter := h.CLI("senior").WithTB(t), h.CLI("submitter").WithTB(t)
	senior.Expect(0, []string{reference}, "review", "list", "--first", "100")
	submitter.Expect(1, nil, "review", "claim", reference)
	senior.Expect(1, nil, "review", "decide", reference, "approve") // not claimed yet
	senior.Expect(0, []string{"claimed until"}, "review", "claim", reference)
	h.CLI("junior").WithTB(t).Expect(1, []string{"senior"}, "review", "claim", reference) // the loser learns who holds it
	senior.Expect(0, []string{"approved"}, "review", "decide", reference, "approve")
	said := submitter.Expect(0, []string{"was approved", "was archived"}, "watch", reference)
	if strings.Contains(said.Out, "L1") || strings.Contains(said.Out, "senior") {
		t.Errorf("the submitter sees the reviews:\n%s", said.Out)
	}
}

func rejected(t *testing.T, h *testcluster.Cluster) {
	reference := inReview(t, h, 4, 20_000)
	senior := h.CLI("senior").WithTB(t)
	senior.Expect(0, nil, "review", "claim", reference)
	senior.Expect(1, []string{"reason"}, "review", "decide", reference, "reject")
	senior.Expect(0, []string{"rejected"}, "review", "decide", reference, "reject", "--reason",
		"no order exists")
	h.CLI("submitter").WithTB(t).Expect(2, []string{"rejected"}, "watch", reference)
}

func returned(t *testing.T, h *testcluster.Cluster) {
	reference := inReview(t, h, 5, 20_000)
	senior, submitter := h.CLI("senior").WithTB(t), h.CLI("submitter").WithTB(t)
	senior.Expect(0, nil, "review", "claim", reference)
	senior.Expect(0, []string{"returned"}, "review", "decide", reference, "return", "--reason",
		"whose order is it?")
	submitter.Expect(4, []string{"returned"}, "watch", reference)
	submitter.Expect(4, []string{"in review"}, "resubmit", reference, "--comment",
		"order 17 of the workshop", "--watch")
	senior.Expect(0, nil, "review", "claim", reference)
	senior.Expect(0, []string{"approved"}, "review", "decide", reference, "approve", "--reason",
		"order 17 it is")
	submitter.Expect(0, []string{"was archived"}, "watch", reference)
}

func aboveLimit(t *testing.T, h *testcluster.Cluster) {
	reference := inReview(t, h, 6, 600_000) // a junior decides up to 500 000 USD
	junior := h.CLI("junior").WithTB(t)
	if list := junior.Expect(0, nil, "review", "list", "--first", "100"); strings.Contains(list.Out,
		reference) {
		t.Errorf("a review above the junior's limit is in their list:\n%s", list.Out)
	}
	junior.Expect(1, nil, "review", "claim", reference)
	h.CLI("senior").WithTB(t).Expect(0, nil, "review", "claim", reference)
	h.CLI("senior").WithTB(t).Expect(0, nil, "review", "decide", reference, "approve")
	h.CLI("submitter").WithTB(t).Expect(0, nil, "watch", reference)
}

func corrupt(t *testing.T, h *testcluster.Cluster) {
	content := testcluster.Invoice(7, 100).PDF()
	submitter := h.CLI("submitter").WithTB(t)
	said := submitter.Expect(3, []string{"failed permanently", "cause:", "incident"}, "submit",
		"--watch", h.File("corrupt.pdf", content[:len(content)/3]))
	if strings.Contains(strings.ToLower(said.Out), "again in") ||
		strings.Contains(said.Out, "tried again at") {
		t.Errorf("a corrupt file was tried more than once:\n%s", said.Out)
	}
	var detail struct{ Incident struct{ Attempt int } }
	shown := submitter.Expect(0, nil, "case", "show", said.Reference(), "--json")
	if err := json.Unmarshal([]byte(shown.Out), &detail); err != nil ||
		detail.Incident.Attempt != 1 {
		t.Errorf("the incident is of attempt %d (%v), want 1: %s", detail.Incident.Attempt, err,
			shown.Out)
	}
	submitter.Expect(64, nil, "incident", "abandon", said.Reference())
	submitter.Expect(5, []string{"abandoned"}, "incident", "abandon", said.Reference(), "--reason",
		"sent by mistake", "--watch")
}

func badFiles(t *testing.T, h *testcluster.Cluster) {
	submitter := h.CLI("submitter").WithTB(t)
	submitter.Expect(1, []string{"empty"}, "submit", h.File("empty.pdf", nil))
	submitter.Expect(1, []string{"SVG", "not supported"}, "submit",
		h.File("page.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`)))
	submitter.Expect(64, nil, "submit", "no-such-file.pdf")
	submitter.Expect(64, nil, "submit", "--amount", "12", h.PDF(testcluster.Invoice(8, 1)))
	submitter.Expect(1, []string{"amount"}, "submit", "--amount", "NaN", "--currency", "EUR",
		h.PDF(testcluster.Invoice(8, 1)))
	submitter.Expect(64, []string{"does not exist"}, "submit", "--watch", "--until", "nowhere",
		h.PDF(testcluster.Invoice(8, 1)))
	h.CLI("auditor").WithTB(t).Expect(1, nil, "submit", h.PDF(testcluster.Invoice(8, 1)))
	h.CLI("").WithTB(t).Expect(1, []string{"COUNTERSIGN_TOKEN"}, "submit",
		h.PDF(testcluster.Invoice(8, 1)))
}

func until(t *testing.T, h *testcluster.Cluster) {
	said := h.CLI("submitter").WithTB(t).Expect(0, nil, "submit", "--until", "processing",
		h.PNG(testcluster.Invoice(9, 100)))
	h.CLI("submitter").WithTB(t).Expect(0, []string{"was archived"}, "watch", said.Reference())
	// A status that the case has left permanently ends it too, with what the case is now.
	waits := h.CLI("submitter").WithTB(t).Expect(4, nil, "submit", "--watch",
		h.PDF(testcluster.Invoice(9, 90_000)))
	for _, left := range []string{"received", "processing"} {
		h.CLI("submitter").WithTB(t).Expect(4, []string{"in review"}, "watch", waits.Reference(),
			"--until", left)
	}
}

func sameBytes(t *testing.T, h *testcluster.Cluster) {
	submitter, file := h.CLI("submitter").WithTB(t), h.PDF(testcluster.Invoice(31, 100))
	first := submitter.Expect(0, nil, "submit", "--watch", file).Reference()
	again := submitter.Expect(4, []string{"identical files were submitted before: " + first},
		"submit", "--watch", file).Reference()
	h.CLI("manager").WithTB(t).Expect(0, []string{"Same file submitted more than once",
		"The same file was also submitted as " + first}, "case", "show", again)
}

func sameKey(t *testing.T, h *testcluster.Cluster) {
	submitter, file := h.CLI("submitter").WithTB(t), h.PDF(testcluster.Invoice(10, 100))
	first := submitter.Expect(0, nil, "submit", "--key", "order-10", file)
	again := submitter.Expect(0, nil, "submit", "--key", "order-10", "--watch", file)
	if first.Reference() != again.Reference() {
		t.Errorf("one key led to %s and %s", first.Reference(), again.Reference())
	}
	submitter.Expect(1, nil, "submit", "--key", "order-10", h.PDF(testcluster.Invoice(11, 100)))
}

func corrected(t *testing.T, h *testcluster.Cluster) {
	reference := inReview(t, h, 12, 20_000)
	manager := h.CLI("manager").WithTB(t)
	manager.Expect(0, nil, "review", "claim", reference)
	manager.Expect(1, []string{"amount"}, "review", "correct", reference, "total=nonsense")
	manager.Expect(0, []string{"corrected"}, "review", "correct", reference, "number=KW 12")
	manager.Expect(0, []string{"KW 12", "human"}, "review", "show", reference)
	// A person who sets a payee that was neither declared nor read cannot decide on it.
	manager.Expect(1, []string{"payee", "Confirm"}, "review", "correct", reference,
		"vendor=Kiefer Workshop GmbH")
	manager.Expect(0, nil, "review", "correct", "--confirm", reference,
		"vendor=Kiefer Workshop GmbH")
	manager.Expect(0, []string{"Kiefer Workshop GmbH", "human"}, "review", "show", reference)
	manager.Expect(1, nil, "review", "claim", reference)
	h.CLI("senior").WithTB(t).Expect(0, nil, "review", "claim", reference)
	// The corrected values differ from those that were read, and the senior has not checked them.
	senior := h.CLI("senior").WithTB(t)
	senior.Expect(1, []string{"--unchecked=vendor,number"}, "review", "decide", reference, "approve")
	senior.Expect(0, nil, "review", "decide", "--unchecked=vendor,number", reference, "approve")
	h.CLI("submitter").WithTB(t).Expect(0, nil, "watch", reference)
}

// An invoice that is small and clean except for its total goes to a person, with the reason; as a
// text and as a scan.
func misprinted(t *testing.T, h *testcluster.Cluster) {
	submitter, senior := h.CLI("submitter").WithTB(t), h.CLI("senior").WithTB(t)
	for number, draw := range map[int]func(sampledocs.Invoice) string{19: h.PDF, 20: h.PNG} {
		invoice := testcluster.Invoice(number, 100)
		invoice.Misprint = 900
		reference := submitter.Expect(4, []string{"in review"}, "submit", "--watch",
			draw(invoice)).Reference()
		senior.Expect(0, []string{"Net and tax do not add up to the total  blocking",
			"Net 110.50 and tax 22.10 do not add up to the total 141.60 EUR"}, "review", "show",
			reference)
	}
}

func several(t *testing.T, h *testcluster.Cluster) {
	submitter := h.CLI("submitter").WithTB(t)
	submitter.Expect(0, nil, "submit", "--watch", h.PDF(testcluster.Invoice(13, 100)),
		h.PDF(testcluster.Invoice(14, 100)), h.PDF(testcluster.Invoice(15, 100)))
	// The worst outcome is the exit code: one waits for a person, one failed.
	submitter.Expect(1, []string{"empty"}, "submit", "--watch", h.File("nothing.pdf", nil),
		h.PDF(testcluster.Invoice(16, 100)))
	submitter.Expect(4, []string{"in review", "archived"}, "submit", "--watch",
		h.PDF(testcluster.Invoice(17, 100)), h.PDF(testcluster.Invoice(18, 30_000)))
}
