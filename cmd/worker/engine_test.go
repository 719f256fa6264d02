package main

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"

	"countersign/internal/config"
	"countersign/reading/ocr"
)

func TestMain(m *testing.M) {
	ocr.Child()
	os.Exit(m.Run())
}

// Without the files of the chosen engine documents are read by tesseract, and the log says so once.
func TestAMissingEngineIsReplaced(t *testing.T) {
	t.Parallel()
	for engine, lines := range map[string]int{"tesseract": 0, "ppocr": 1, ocr.Both: 1} {
		var log bytes.Buffer
		p := &components{log: slog.New(slog.NewTextHandler(&log, nil))}
		p.settings.Reading = config.Reading{Engine: engine, EngineProgram: "ocrengine-missing",
			SandboxAcceptLimits: true}
		if err := p.openReader(t.Context()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.cleanup.Run)
		if name := p.reader.Engine().Name(); name != "tesseract" {
			t.Errorf("%s: documents are read by %s", engine, name)
		}
		if got := strings.Count(log.String(), "documents are read by tesseract, because"); got != lines {
			t.Errorf("%s: %d lines, want %d:\n%s", engine, got, lines, log.String())
		}
	}
}
