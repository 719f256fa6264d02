package audit_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"countersign/audit"
	"countersign/domain"
)

func TestManifestIsSealedAndReadBack(t *testing.T) {
	t.Parallel()
	verdict, err := audit.NewManifestDecision(
		domain.Decision{ReviewID: domain.ID{1}, Actor: domain.ID{2}, Verdict: domain.Approve,
			At: baseTime, Evidence: domain.Evidence{DocumentSHA256: "ab",
				Fields: map[string]string{"total": "1.00", "number": "7"}}})
	if err != nil || len(verdict.EvidenceSHA256) != 64 {
		t.Fatalf("got %+v, %v", verdict, err)
	}
	manifest := audit.Manifest{CaseID: domain.ID{1}, Reference: "CS-1", Outcome: domain.Archived,
		Decisions: []audit.ManifestDecision{verdict},
		Fields: []audit.ManifestField{{Name: "vendor", Value: "A <& Co",
			Source: domain.SourceOCR, Confidence: 0.5}}, SealedAt: baseTime}
	text, sum, err := manifest.Seal()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := domain.Canonicalise(text); err != nil || !bytes.Equal(again, text) ||
		!strings.Contains(string(text), `"A <& Co"`) {
		t.Fatalf("not canonical (%v): %s", err, text)
	}
	if _, second, _ := manifest.Seal(); second != sum {
		t.Fatal("sealing twice gives different hashes")
	}
	var read audit.Manifest
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if read.Format != audit.ManifestFormat ||
		read.Decisions[0].EvidenceSHA256 != verdict.EvidenceSHA256 || read.Findings == nil {
		t.Fatalf("got %+v", read)
	}
	if err := audit.CheckManifest(text, sum); err != nil {
		t.Fatal(err)
	}
	for name, modified := range map[string][]byte{
		"altered":   bytes.Replace(text, []byte("CS-1"), []byte("CS-2"), 1),
		"truncated": text[:len(text)-1], "empty": nil} {
		if err := audit.CheckManifest(modified, sum); err == nil {
			t.Errorf("%s: accepted as the sealed manifest", name)
		}
	}
}
