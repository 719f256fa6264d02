package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/devservices"
	"countersign/test/testcluster"
)

// Where PP-OCR is installed, a worker reads a scan with it and again with tesseract. The clusters of
// other tests choose tesseract, which needs a quarter of the time.
func TestTwoEnginesReadAScan(t *testing.T) {
	t.Parallel()
	checkout, err := devservices.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	files := filepath.Join(checkout, ".data", "ocrengine")
	h := testcluster.New(t, "COUNTERSIGN_OCR_ENGINE=both",
		"COUNTERSIGN_OCR_LIBRARY="+filepath.Join(files, "libonnxruntime.so.1"),
		"COUNTERSIGN_OCR_MODELS="+files)
	worker := h.Worker()
	address := "http://" + worker.WaitForLog("the worker's health page", "addr")
	reference := h.CLI("submitter").Expect(0, []string{"was archived"}, "submit",
		"--watch", h.PNG(testcluster.Invoice(1, 100))).Reference()
	shown := h.CLI("manager").Expect(0, nil, "case", "show", reference)
	for _, value := range []string{"132.60", "KB-2026-10001"} {
		if !strings.Contains(shown.Out, value) {
			t.Errorf("the fields of the scan lack %q:\n%s", value, shown.Out)
		}
	}
	if engine := worker.WaitForLog("documents are read in a sandbox", "engine"); engine != "ppocr" {
		t.Errorf("the worker reads with %s", engine)
	}
	if read, _ := metricValue(t, address,
		`countersign_second_readings_total{outcome="ok"}`); read != 1 {
		t.Errorf("tesseract has read %g pages again, want 1", read)
	}
	if said := h.CLI("").Expect(0, nil, "doctor"); strings.Contains(said.Out, "tesseract") {
		t.Errorf("both engines are installed, and doctor reports:\n%s", said.Out)
	}
}
