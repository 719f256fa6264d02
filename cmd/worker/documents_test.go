package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"countersign/casework"
	"countersign/cmd/countersign/sampledocs"
	"countersign/domain"
	"countersign/internal/config"
)

// memoryKeeper keeps pages in memory. The first reading waits after the given page until its time is over.
type memoryKeeper struct {
	mu      sync.Mutex
	pages   int
	kept    []casework.ScannedPage
	waitsAt int
}

func (k *memoryKeeper) Kept(_ context.Context, reader string, pages int) []casework.ScannedPage {
	k.mu.Lock()
	defer k.mu.Unlock()
	if reader == "" {
		return nil
	}
	k.pages = pages
	return k.kept
}

func (k *memoryKeeper) Keep(ctx context.Context, page casework.ScannedPage) {
	k.mu.Lock()
	k.kept = append(k.kept, page)
	waits := len(k.kept) == k.waitsAt
	k.mu.Unlock()
	if waits {
		<-ctx.Done()
	}
}

// A reading whose time is over says so, and the next one reads the pages that were not kept.
func TestAReadingWhoseTimeIsOverIsContinued(t *testing.T) {
	t.Parallel()
	p := &components{log: slog.New(slog.DiscardHandler), metrics: newWorkerMetrics()}
	p.settings.Reading = config.Reading{Engine: "tesseract", Tesseract: "tesseract", SandboxAcceptLimits: true}
	p.settings.Work.Concurrency = 1
	if err := p.openReader(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.cleanup.Run)
	file, keeper := sampledocs.LongPDF(3), &memoryKeeper{waitsAt: 1}
	read := func(limit time.Duration) ([]casework.ScannedPage, error) {
		settings := p.settings.Reading
		settings.Timeout = limit
		opened, err := documentReader{p.reader, settings, p.metrics, p.log}.Open(t.Context(),
			casework.ReadRequest{FileName: "long.pdf", MediaType: "application/pdf", Size: int64(len(file)),
				Keeper: keeper, Open: func() (io.ReadCloser, error) {
					return io.NopCloser(bytes.NewReader(file)), nil
				}})
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		return opened.Pages(t.Context(), true)
	}
	// One page is read in a second on a free machine, and in up to thirty beside all other tests.
	_, err := read(45 * time.Second)
	if !errors.Is(err, casework.ErrReadingTime) || !domain.HasCode(err, domain.TimedOut) || keeper.pages != 3 {
		t.Fatalf("the first reading of %d pages ended with %v", keeper.pages, err)
	}
	before := len(keeper.kept)
	pages, err := read(10 * time.Minute)
	if err != nil || len(pages) != 3 || before == 0 || before == 3 || len(keeper.kept) != 3 {
		t.Fatalf("kept %d, then %d pages of which %d are kept: %v", before, len(pages), len(keeper.kept), err)
	}
	for i, page := range pages {
		if page.Page.Number != i+1 || len(page.Page.Words) != 2 {
			t.Errorf("page %d is %d with %q", i+1, page.Page.Number, page.Page.Text)
		}
	}
}
