package e2e

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/test/testcluster"
)

// The documents of a folder are sent in place of our own; make through asks for it.
var (
	documents = flag.String("documents", "",
		"folder whose documents are sent, one after the other; none = our own few")
	documentsType = flag.String("documents-type", "invoice", "document type that they are sent as")
)

// maxDocumentTime is how long one document may take from the command to its end, be it as hostile
// as it likes.
const maxDocumentTime = 60 * time.Second

// outcomes are the ways in which a document may end, by the exit code of submit --watch.
var outcomes = map[int]string{0: "archived", 1: "refused", 2: "rejected", 3: "incident",
	4: "waits for a person"}

// Whatever is sent is read, refused or stopped with a sentence, in time; the worker lives, its
// folder is empty, the log verifies and rows, queue and files agree.
func TestEveryDocumentEnds(t *testing.T) {
	t.Parallel()
	h := testcluster.New(t)
	temporary := filepath.Join(h.Folder(), "tmp")
	if err := os.Mkdir(temporary, 0o755); err != nil { // sandboxed children pass through it
		t.Fatal(err)
	}
	for currency, rate := range map[string]string{"CNY": "0.139", "INR": "0.0119", "MYR": "0.213",
		"CHF": "1.13"} {
		h.CLI("").Expect(0, nil, "rate", "seed", currency, rate) // a rate that is missing would end what it is not about
	}
	worker := h.Worker("TMPDIR=" + temporary)
	ended := map[string]int{}
	var slowest time.Duration
	for _, path := range documentsToSend(t, h) {
		said := h.CLI("submitter").Run("submit", "--watch", "--type", *documentsType, path)
		sentence := reason(said.Combined)
		outcome, known := outcomes[said.Code]
		t.Logf("%5.1f s  %-18s %-45s %s", said.Took.Seconds(), outcome, filepath.Base(path),
			sentence)
		if !known || sentence == "" || strings.Contains(said.Combined, "Internal") {
			t.Errorf("%s: exit code %d\n%s", path, said.Code, said.Combined)
		}
		if said.Took > maxDocumentTime {
			t.Errorf("%s took %s, longer than %s", path, said.Took, maxDocumentTime)
		}
		ended[outcome]++
		slowest = max(slowest, said.Took)
	}
	t.Logf("%v, the slowest after %s", ended, slowest.Round(100*time.Millisecond))
	if *documents == "" &&
		fmt.Sprint(ended) != "map[archived:3 incident:4 refused:4 waits for a person:1]" {
		t.Errorf("our own documents ended otherwise: %v", ended)
	}
	worker.Signal(syscall.Signal(0)) // fails if it has ended
	if log := worker.Log(); strings.Contains(log, "panic") {
		t.Errorf("the worker panicked:\n%s", log)
	}
	if jobs, err := filepath.Glob(filepath.Join(temporary, "*", "job-*")); err != nil ||
		len(jobs) > 0 {
		t.Errorf("left in the worker's folder: %v %v", jobs, err)
	}
	if roots, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(roots) != 1 {
		t.Errorf("the worker works in %v %v, want one folder in %s", roots, err, temporary)
	}
	h.CLI("").Expect(0, []string{"verified"}, "audit", "verify")
	h.CLI("").Expect(0, []string{"agree"}, "doctor", "--grace", "1s")
}

// reason is what the submitter sees at the end: the cause of an incident, else the last line.
func reason(text string) string {
	last := ""
	for line := range strings.Lines(text) {
		if cause, ok := strings.CutPrefix(strings.TrimSpace(line), "cause:"); ok {
			return strings.TrimSpace(cause)
		}
		last = strings.TrimSpace(line)
	}
	return last
}

// documentsToSend is the documents of the folder that was asked for, without the truth and the
// notes beside them, or our own few.
func documentsToSend(t *testing.T, h *testcluster.Cluster) []string {
	t.Helper()
	if *documents == "" {
		return ownDocuments(h)
	}
	var paths []string
	err := filepath.WalkDir(*documents, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() &&
			!slices.Contains([]string{".json", ".csv", ".tsv", ".txt", ".md", ".py"},
				filepath.Ext(path)) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d documents in %s: %v", len(paths), *documents, err)
	}
	return paths
}

// ownDocuments are three clean ones, one above the limit, four that are no documents, and four with
// false extensions.
func ownDocuments(h *testcluster.Cluster) []string {
	pdf := testcluster.Invoice(201, 100).PDF()
	paths := []string{h.PDF(testcluster.Invoice(202, 100)), h.PNG(testcluster.Invoice(203, 100)),
		h.XML(204, 100), h.PDF(testcluster.Invoice(205, 90_000))}
	for name, content := range map[string]string{
		"empty.pdf": "", "page.pdf": "<!DOCTYPE html><html><body>invoice</body></html>",
		"drawing.png": `<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`,
		"program.pdf": "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 60),
		"name.pdf":    "%PDF-1.4\n", "part.pdf": string(pdf[:len(pdf)/3]),
		"header.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x75\x30\x00\x00\x75\x30\x08\x02\x00\x00\x00",
		"loop.pdf":   "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[2 0 R]/Count 1>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF",
	} {
		paths = append(paths, h.File(name, []byte(content)))
	}
	return paths
}
