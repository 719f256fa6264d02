package ocr

import (
	"context"
	"fmt"
	"sync"

	"countersign/domain"
)

// covers reports whether the page with the index is to be read.
func (t *task) covers(i int) bool {
	r := &t.req
	return !t.known[i+1] && (r.FirstPage == 0 || i+1 >= r.FirstPage && i+1 <= r.LastPage)
}

// findKnown asks which of the pages are known, if an engine reads them.
func (t *task) findKnown(ctx context.Context, pages int) {
	if t.recognises && t.req.Known != nil {
		t.known = t.req.Known(ctx, t.req.count(pages))
	}
}

// report reports a page that was read, if an engine reads pages.
func (t *task) report(ctx context.Context, i int, page domain.Page, raster string) {
	if !t.recognises || t.req.OnPage == nil {
		return
	}
	page.Number = i + 1
	t.req.OnPage(ctx, PageImage{Page: page, Hash: t.hashOf(raster), raster: raster, job: t.job})
}

// readEach reads the pages of the document and adds them in order when all are read.
func (t *task) readEach(
	ctx context.Context, count int,
	read func(ctx context.Context, i int) (domain.Page, picture, error),
) error {
	t.findKnown(ctx, count)
	pages := make([]PageImage, count)
	err := t.eachPage(ctx, count, func(ctx context.Context, i int) error {
		if !t.covers(i) {
			return nil
		}
		page, pic, err := read(ctx, i)
		if err != nil {
			return fmt.Errorf("page %d: %w", i+1, err)
		}
		pages[i] = PageImage{Page: page, raster: pic.png}
		t.report(ctx, i, page, pic.png)
		return nil
	})
	if err != nil {
		return err
	}
	t.addAll(pages)
	return nil
}

// addAll adds the pages that were to be read, in order.
func (t *task) addAll(pages []PageImage) {
	for i, page := range pages {
		if !t.covers(i) {
			continue
		}
		t.reading.HasTextLayer = t.reading.HasTextLayer || page.Source == domain.SourceText
		t.add(i, page.Page, page.raster)
	}
}

// eachPage runs work for pages 0..count-1 concurrently, limited by the Reader. It stops at the
// first error and returns it.
func (t *task) eachPage(
	ctx context.Context, count int, work func(ctx context.Context, i int) error,
) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var group sync.WaitGroup
	var once sync.Once
	var first error
	fail := func(err error) {
		once.Do(func() { first = err })
		cancel(err)
	}
	for i := range count {
		select {
		case t.pageSlots <- struct{}{}:
		case <-ctx.Done():
			group.Wait()
			if first == nil {
				first = callerError(ctx, ctx.Err())
			}
			return first
		}
		group.Go(func() {
			defer func() { <-t.pageSlots }()
			if err := work(ctx, i); err != nil {
				fail(err)
			}
		})
	}
	group.Wait()
	return first
}

// largePixels is the size from which a page is large: decoding it needs more memory than the engine.
const largePixels = 12_000_000

// awaitLarge waits until no other large page of any document is being processed, if a page of so
// many pixels is one. The caller must call the returned function after the page.
func (t *task) awaitLarge(ctx context.Context, pixels int) (func(), error) {
	if pixels < largePixels {
		return func() {}, nil
	}
	select {
	case t.largeSlot <- struct{}{}:
		return func() { <-t.largeSlot }, nil
	case <-ctx.Done():
		return nil, callerError(ctx, ctx.Err())
	}
}
