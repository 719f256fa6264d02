package ocr_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"countersign/reading/ocr"
)

// The text layers of all pages are extracted by one process. If it fails, as a document whose text is
// expensive can make it, each page has its own. Attack: text that looks like poppler's output does not
// move words to another page.
func TestTextLayersOfAllPages(t *testing.T) {
	t.Parallel()
	page := func(own string) testPage {
		return testPage{width: 595, height: 842, lines: append([]string{own,
			`<page width="1" height="1">`, `</page><page width="2">`}, long...)}
	}
	file := asPDF(t, []testPage{page("Alpha"), page("Beta"), {width: 595, height: 842}, page("Delta")},
		nil)
	for name, c := range map[string]struct {
		program string
		runs    int
	}{
		"one process":        {"exec pdftotext \"$@\"", 1},
		"fails for all":      {"case \"$*\" in *'-f '*) exec pdftotext \"$@\";; esac; exit 1", 5},
		"forgets a page":     {"case \"$*\" in *'-f '*) exec pdftotext \"$@\";; esac; exec pdftotext -l 3 \"$@\"", 5},
		"writes without end": {"case \"$*\" in *'-f '*) exec pdftotext \"$@\";; esac; exec yes '<page '", 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			reader := newReader(t, ocr.Options{Parallel: 1,
				Programs: ocr.Programs{PDFToText: script(t, c.program)},
				Logger:   slog.New(slog.NewTextHandler(&log, nil))})
			reading := read(t, reader, file)
			checkReading(t, reading)
			if runs := strings.Count(log.String(), "child=program "); runs != c.runs {
				t.Errorf("%d runs, want %d", runs, c.runs)
			}
			for i, own := range []string{"Alpha", "Beta", "", "Delta"} {
				if text := reading.Pages[i].Text; !strings.HasPrefix(text, own) ||
					own == "" && text != "" {
					t.Errorf("page %d begins with %.30q, want %q", i+1, text, own)
				}
			}
		})
	}
}
