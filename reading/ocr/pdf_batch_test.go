package ocr_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"countersign/domain"
	"countersign/reading/ocr"
)

// syncBuffer is a buffer for a log to which several children are written.
type syncBuffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *syncBuffer) count(text string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.all.String(), text)
}

// textPages are pages with a text layer, each with a line of its own, one of them turned and one
// of another size.
func textPages(t *testing.T, count int) []byte {
	t.Helper()
	papers := make([]testPage, count)
	for i := range papers {
		own := "page " + strings.Repeat("x", i+1) + " of this document"
		papers[i] = testPage{width: 595, height: 842, lines: append([]string{own}, long...)}
	}
	papers[1].rotate = 90
	papers[2].width, papers[2].height = 420, 595
	return asPDF(t, papers, nil)
}

// loggingReader opens a reader that logs its children.
func loggingReader(t *testing.T, options ocr.Options) (*ocr.Reader, *syncBuffer) {
	t.Helper()
	log := &syncBuffer{}
	options.Logger = slog.New(slog.NewTextHandler(log, nil))
	return newReader(t, options), log
}

// checkAlone checks that the pages look and read as they do when each is rendered alone.
func checkAlone(t *testing.T, file []byte, pages []ocr.PageImage) {
	t.Helper()
	reader := newReader(t, ocr.Options{})
	for i, page := range pages {
		alone, err := reader.Read(t.Context(), bytes.NewReader(file),
			ocr.Request{FirstPage: i + 1, LastPage: i + 1})
		if err != nil {
			t.Fatal(err)
		}
		want, wantErr := alone.Pages[0].Raster()
		got, err := page.Raster()
		if err != nil || wantErr != nil || !bytes.Equal(want, got) {
			t.Errorf("page %d looks different: %v %v", i+1, err, wantErr)
		}
		if page.Number != i+1 || page.Text != alone.Pages[0].Text || page.Text == "" ||
			page.Width != alone.Pages[0].Width || page.Hash != alone.Pages[0].Hash {
			t.Errorf("page %d is %d: %q, want %q", i+1, page.Number, page.Text, alone.Pages[0].Text)
		}
		alone.Close()
	}
}

// Pages with text are rendered and encoded by few processes, and look as if rendered alone.
func TestPagesWithTextAreRenderedTogether(t *testing.T) {
	t.Parallel()
	reader, log := loggingReader(t, ocr.Options{})
	file := textPages(t, 11)
	reading := read(t, reader, file)
	checkReading(t, reading)
	if drawn, encoded := log.count("child=pdftoppm"), log.count("child=call:image"); drawn != 2 ||
		encoded != 2 {
		t.Errorf("%d processes rendered and %d encoded", drawn, encoded)
	}
	checkAlone(t, file, reading.Pages)
}

// Only the requested pages are rendered.
func TestARangeOfPagesWithText(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	reading, err := reader.Read(t.Context(), bytes.NewReader(textPages(t, 11)),
		ocr.Request{FirstPage: 3, LastPage: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	if len(reading.Pages) != 6 || reading.Pages[0].Number != 3 ||
		!strings.Contains(reading.Pages[5].Text, " "+strings.Repeat("x", 8)+" ") {
		t.Errorf("%d pages", len(reading.Pages))
	}
}

// A page that is missing, incomplete or of the wrong size after rendering together is rendered alone,
// and so is every page if the process fails. The pages after it are not rendered together.
func TestPagesThatCannotBeRenderedTogether(t *testing.T) {
	t.Parallel()
	file := textPages(t, 4)
	// A batch has the arguments -r 150 -f FIRST -l LAST FILE ROOT. No process may start another one.
	const together = `case "$*" in *singlefile*) exec pdftoppm "$@";; esac
`
	for name, c := range map[string]struct {
		batch   string
		renders int
	}{
		"fails": {"exit 1", 1 + 4},
		"dies":  {"kill -SEGV $$", 1 + 4},
		"second page lacks": {`exec pdftoppm -r 150 -f "$4" -l "$4" "$7" "$8"`,
			1 + 3},
		"second page is incomplete": {`printf 'P6\n1755 1240\n255\n1234' > "$8-2.ppm"
exec pdftoppm -r 150 -f "$4" -l "$4" "$7" "$8"`, 1 + 3},
		"wrong size": {`exec pdftoppm -r 75 -f "$4" -l "$6" "$7" "$8"`, 1 + 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader, log := loggingReader(t, ocr.Options{Parallel: 1,
				Programs: ocr.Programs{PDFToPPM: script(t, together+c.batch)}})
			reading := read(t, reader, file)
			checkReading(t, reading)
			if renders := log.count("child=program"); renders != c.renders {
				t.Errorf("%d processes rendered", renders)
			}
			checkAlone(t, file, reading.Pages)
		})
	}
}

// Attack: a document of which every page takes as long as it may does not get more processor time
// because pages are rendered together, and a page that is broken is still an error of the file.
func TestABatchIsNoWayAroundTheLimits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		program string
		code    domain.Code
		renders int // by pdftoppm
	}{
		"computes without end": {endless, domain.FileTooComplex, 1},
		"draws nothing":        {"exit 0", domain.DamagedFile, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader, log := loggingReader(t, ocr.Options{Parallel: 1, Programs: ocr.Programs{
				PDFToPPM: script(t, c.program), PDFToCairo: script(t, endless)},
				Limits: ocr.Limits{PageCPU: 1e9}})
			reading, err := reader.Read(t.Context(), bytes.NewReader(textPages(t, 3)), ocr.Request{})
			if err == nil {
				reading.Close()
			}
			if !domain.HasCode(err, c.code) || ocr.Transient(err) {
				t.Errorf("got %v, want %s", err, c.code)
			}
			if all := log.count("child=program"); name == "draws nothing" && all != c.renders ||
				name != "draws nothing" && all != c.renders+1 {
				t.Errorf("%d processes rendered", all)
			}
		})
	}
}
