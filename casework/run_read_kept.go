package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"

	"countersign/domain"
	"countersign/store"
)

// minKeptPages is the number of pages from which the pages of a file are kept while it is read. Fewer are
// read within the time of one attempt, and keeping them would cost each of them a statement.
const minKeptPages = 10

// maxContinuations limits how many attempts of a run that kept pages until their time was over are not
// counted as failures. At the default limit of 10 minutes, a page of the longest file has 90 seconds.
const maxContinuations = 30

// ErrReadingTime is the cause of the end of a reading that took longer than one attempt may.
var ErrReadingTime = errors.New("the time of one attempt is over")

// PageKeeper keeps the pages of a file while it is read, so that the next attempt reads only the others.
type PageKeeper interface {
	// Kept returns the pages that earlier attempts have read of a file with so many pages, in the order of
	// their numbers. reader identifies the program, its engines and their settings. It is called once, before
	// the pages are read by an engine.
	Kept(ctx context.Context, reader string, pages int) []ScannedPage
	// Keep keeps a page. Calls may be concurrent. A failure does not end the reading.
	Keep(ctx context.Context, page ScannedPage)
}

// pageKeeper keeps pages in the database, and their images among the files of the case.
type pageKeeper struct {
	svc  *Service
	run  domain.StageRun
	file store.KeptFile

	mu    sync.Mutex
	keeps bool           // Kept was called for a file with many pages
	total int            // pages of the file
	known int            // pages that earlier attempts have kept
	keys  map[int]string // images of the pages that this attempt has kept, by number
}

func (svc *Service) newPageKeeper(p *stageSession, file store.KeptFile) *pageKeeper {
	return &pageKeeper{svc: svc, run: p.leasedRun, file: file, keys: map[int]string{}}
}

// Kept implements PageKeeper. It removes the kept pages that cannot be used, so that they are read again.
func (k *pageKeeper) Kept(ctx context.Context, reader string, pages int) []ScannedPage {
	if pages < minKeptPages || reader == "" {
		return nil
	}
	k.mu.Lock()
	k.keeps, k.total, k.file.Reader = true, pages, reader
	k.mu.Unlock()
	found, err := k.svc.db.Reader().KeptPages(ctx, k.file)
	if err != nil {
		k.warn(ctx, "kept pages not read", err)
		found = nil
	}
	var usable []ScannedPage
	numbers := []int{}
	for i := range found {
		page := found[i].Page
		if err := k.verifyRaster(ctx, page.RasterKey); err != nil {
			k.warn(ctx, "kept page not used", err)
			continue
		}
		numbers = append(numbers, page.Number)
		usable = append(usable, ScannedPage{Page: page, Hash: found[i].Hash})
	}
	if err := k.svc.db.Autocommit().DropKeptPages(ctx, k.file, numbers); err != nil {
		k.warn(ctx, "kept pages not removed", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = len(usable)
	return usable
}

// verifyRaster checks that the image of a kept page is a file of the case with the bytes of its key.
func (k *pageKeeper) verifyRaster(ctx context.Context, key string) error {
	if key == "" {
		return nil
	}
	if !strings.HasPrefix(key, k.file.CaseID.String()+"/") {
		return fmt.Errorf("casework: the image %s is not of the case", key)
	}
	content, _, err := k.svc.ports.Blobs.Open(ctx, key)
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != path.Base(key) {
		return fmt.Errorf("casework: the image %s was changed", key)
	}
	return nil
}

// Keep implements PageKeeper. Without the lease of the run nothing is kept.
func (k *pageKeeper) Keep(ctx context.Context, scanned ScannedPage) {
	k.mu.Lock()
	keeps := k.keeps
	k.mu.Unlock()
	if !keeps || ctx.Err() != nil {
		return
	}
	page := scanned.Page
	if scanned.OpenRaster != nil {
		key, err := k.svc.storeRaster(ctx, k.file.CaseID, scanned)
		if err != nil {
			k.warn(ctx, "page not kept", err)
			return
		}
		page.RasterKey = key
	}
	kept, err := k.svc.db.Autocommit().KeepPage(ctx, k.run, k.file,
		store.KeptPage{Page: page, Hash: scanned.Hash})
	if err != nil {
		k.warn(ctx, "page not kept", err)
	}
	if kept && err == nil {
		k.mu.Lock()
		k.keys[page.Number] = page.RasterKey
		k.mu.Unlock()
	}
}

func (k *pageKeeper) warn(ctx context.Context, message string, err error) {
	if ctx.Err() == nil {
		k.svc.log.WarnContext(ctx, message, "case", k.file.CaseID, "run", k.run.ID, "error", err)
	}
}

// withStoredRasters gives the pages that were kept the keys of their images, so that they are not stored
// again.
func (k *pageKeeper) withStoredRasters(scanned []ScannedPage) {
	for i := range scanned {
		if key, ok := k.keys[scanned[i].Page.Number]; ok {
			scanned[i].Page.RasterKey, scanned[i].OpenRaster = key, nil
		}
	}
}

// readingToContinue is the end of an attempt whose time was over after it had kept pages.
type readingToContinue struct{ refusal *domain.Error }

func (r *readingToContinue) Error() string { return r.refusal.Error() }

// Unwrap returns the error for users.
func (r *readingToContinue) Unwrap() error { return r.refusal }

// failure returns the error of an attempt: one to continue if its time was over and it had kept pages.
func (k *pageKeeper) failure(err error) error {
	if !errors.Is(err, ErrReadingTime) || len(k.keys) == 0 {
		return err
	}
	return &readingToContinue{domain.Errorf(domain.TimedOut,
		"%d of %d pages were read. The next attempt continues after them.", k.known+len(k.keys), k.total).
		WithCause(err)}
}

// continuesReading reports whether the next attempt only continues, so that this one is no failure.
func continuesReading(run domain.StageRun, failure error) bool {
	var reading *readingToContinue
	return errors.As(failure, &reading) && run.Attempt-1-run.Failures < maxContinuations
}
