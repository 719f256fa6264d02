package ocr_test

import (
	"bytes"
	"context"
	"image"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"countersign/domain"
	"countersign/reading/ocr"
)

// longScan returns a PDF of so many scanned pages.
func longScan(t *testing.T, pages int, scan image.Image) []byte {
	t.Helper()
	var all []testPage
	height := 360 * float64(scan.Bounds().Dy()) / float64(scan.Bounds().Dx())
	for range pages {
		all = append(all, testPage{width: 360, height: height, scan: scan})
	}
	return asPDF(t, all, nil)
}

// An attempt that is interrupted has reported its pages with their images, and the next one asks the engine
// only for the others. Pages keep their numbers in the file.
func TestKnownPagesAreNotReadAgain(t *testing.T) {
	t.Parallel()
	asked := &atomic.Int64{}
	reader := newReader(t, ocr.Options{Engine: countingEngine{calls: asked}, Parallel: 2})
	file := longScan(t, 12, drawText(t, receipt))
	var mu sync.Mutex
	kept := map[int]bool{}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request := ocr.Request{Known: func(_ context.Context, pages int) map[int]bool {
		if pages != 12 && pages != 8 {
			t.Errorf("%d pages", pages)
		}
		return nil
	}, OnPage: func(_ context.Context, page ocr.PageImage) {
		raster, err := page.Raster()
		mu.Lock()
		defer mu.Unlock()
		kept[page.Number] = true
		if err != nil || len(raster) == 0 || page.Text != "hello" || (page.Hash != 0) != (page.Number == 1) {
			t.Errorf("page %+v: %d bytes, %v", page, len(raster), err)
		}
		if len(kept) == 5 {
			cancel()
		}
	}}
	if _, err := reader.Read(ctx, bytes.NewReader(file), request); !domain.HasCode(err, domain.TimedOut) {
		t.Fatalf("the interrupted reading ended with %v", err)
	}
	known := kept
	kept = map[int]bool{}
	if len(known) < 5 || len(known) > 7 {
		t.Fatalf("reported %v", known)
	}
	for name, c := range map[string]struct{ first, last, from, to int }{
		"the whole file": {0, 0, 1, 12}, "a range of its pages": {4, 11, 4, 11},
	} {
		asked.Store(0)
		request.FirstPage, request.LastPage = c.first, c.last
		request.OnPage = nil
		request.Known = func(context.Context, int) map[int]bool { return known }
		reading, err := reader.Read(t.Context(), bytes.NewReader(file), request)
		if err != nil {
			t.Fatal(err)
		}
		defer reading.Close()
		var got, want []int
		for _, page := range reading.Pages {
			got = append(got, page.Number)
		}
		for number := c.from; number <= c.to; number++ {
			if !known[number] {
				want = append(want, number)
			}
		}
		if !slices.Equal(got, want) || asked.Load() != int64(len(want)) {
			t.Errorf("%s: read %v with %d calls of the engine, want %v", name, got, asked.Load(), want)
		}
	}
}

// The fingerprint changes with what reads a page.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	first := newReader(t, ocr.Options{})
	same := newReader(t, ocr.Options{})
	other := newReader(t, ocr.Options{Limits: ocr.Limits{Pixels: 1 << 20}})
	engine := newReader(t, ocr.Options{Engine: fixedEngine{}})
	one := first.Fingerprint([]string{"eng"})
	if one == "" || one != same.Fingerprint([]string{"eng"}) {
		t.Errorf("two equal readers: %q", one)
	}
	for name, found := range map[string]string{"languages": first.Fingerprint([]string{"deu"}),
		"limits": other.Fingerprint([]string{"eng"}), "engine": engine.Fingerprint([]string{"eng"})} {
		if found == one {
			t.Errorf("other %s have the same fingerprint", name)
		}
	}
}
