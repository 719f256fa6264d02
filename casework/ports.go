package casework

import (
	"context"
	"io"
	"time"

	"countersign/domain"
)

// Ports are what the service needs from the outside; cmd fills them.
type Ports struct {
	Reader   DocumentReader
	Blobs    Blobs
	Notifier Notifier
	// Connector makes the calls of sagas; nil where there is no way to other systems: such a call is an incident then.
	Connector Connector
	// Uploads keeps files that come in pieces; nil where none are taken.
	Uploads Uploads
	// Aged finds stored files that may be orphans; nil where none are swept.
	Aged AgedFiles
	// ObserveQueueWait, if set, is told how long a run had been due when it was leased: after its commit, or a retry its pause.
	ObserveQueueWait func(time.Duration)
}

func (p Ports) observeQueueWait(waited time.Duration) {
	if p.ObserveQueueWait != nil {
		p.ObserveQueueWait(waited)
	}
}

// DocumentReader opens a file and reads its pages: the engine room behind the stage `read`. Errors of kind invalid are
// permanent; all others are tried again.
type DocumentReader interface {
	Open(ctx context.Context, request ReadRequest) (OpenedDocument, error)
}

// ReadRequest names the file to read. Open gives its bytes as often as asked.
type ReadRequest struct {
	Open          func() (io.ReadCloser, error)
	FileName      string
	MediaType     string
	Size          int64
	CorrelationID string
}

// OpenedDocument is a file that was opened, and what it says of itself. Close it when the rasters are kept.
type OpenedDocument struct {
	XML []byte // e-invoice inside or beside the pages, nil if none
	// Pages reads the pages; nil for a file that has none. recognise says whether pages without text of their own are given
	// to the OCR engine.
	Pages func(ctx context.Context, recognise bool) ([]ScannedPage, error)
	Close func()
}

// ScannedPage is a page and its raster, a PNG.
type ScannedPage struct {
	domain.Page
	OpenRaster func() (io.ReadCloser, error)
}

// Blobs keeps files write-once. Keys are case id / SHA-256.
type Blobs interface {
	Put(ctx context.Context, caseID domain.ID, content io.Reader) (key string, sha256 []byte, size int64, err error)
	Open(ctx context.Context, key string) (content io.ReadCloser, size int64, err error)
}

// Notifier tells after the commit what is to do and what has changed. It may lose anything: the rows stand, the sweeper
// rings again, live pages are read up. It must not block for long.
type Notifier interface {
	Enqueue(ctx context.Context, pendingRuns []domain.PendingRun)
	PublishHints(ctx context.Context, hints []domain.Hint)
}
