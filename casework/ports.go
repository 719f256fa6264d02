package casework

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"countersign/domain"
	"countersign/rules"
	"countersign/workflow"
)

// Ports are the external dependencies of the service; cmd provides them.
type Ports struct {
	Reader   DocumentReader
	Blobs    Blobs
	Notifier Notifier
	// Connector calls other systems for sagas; nil if none is configured, and then a call opens an
	// incident.
	Connector Connector
	// ConnectorTester sends test events to receivers of the feed; nil in programs without an API.
	ConnectorTester ConnectorTester
	// ConnectorReconciler asks receivers which events they have; nil in programs without an API.
	ConnectorReconciler ConnectorReconciler
	// Model is the language model of stages with the behaviour parse; nil if none is configured.
	Model LanguageModel
	// Images makes images of pages smaller for the language model; nil if none are sent.
	Images ImageReducer
	// Uploads stores resumable uploads; nil if they are disabled.
	Uploads Uploads
	// SignInLinks sends the links by which people choose their passwords; nil if no mail server is
	// configured, and then the person who confirms gets the link to pass on.
	SignInLinks SignInLinkSender
	// Aged lists stored files that may be orphans; nil if none are removed.
	Aged AgedFiles
	// Definitions, RuleSets and DocumentTypes cache the published versions; nil creates a cache of
	// the service's own. A program with a read side passes the same caches to both.
	Definitions   *domain.VersionCache[*workflow.Definition]
	RuleSets      *domain.VersionCache[*rules.Set]
	DocumentTypes *domain.VersionCache[*domain.DocumentType]
	// UnsupportedFile, if set, says what a file of another kind than the supported ones is, by its
	// first bytes and its name.
	UnsupportedFile func(head []byte, name string) error
	// ObserveQueueWait, if set, receives the time between a run becoming due and its lease.
	ObserveQueueWait func(time.Duration)
}

// withCaches returns the ports with new caches in place of missing ones.
func (p Ports) withCaches() Ports {
	if p.Definitions == nil {
		p.Definitions = &domain.VersionCache[*workflow.Definition]{}
	}
	if p.RuleSets == nil {
		p.RuleSets = &domain.VersionCache[*rules.Set]{}
	}
	if p.DocumentTypes == nil {
		p.DocumentTypes = &domain.VersionCache[*domain.DocumentType]{}
	}
	return p
}

func (p Ports) observeQueueWait(waited time.Duration) {
	if p.ObserveQueueWait != nil {
		p.ObserveQueueWait(waited)
	}
}

// DocumentReader opens a file and reads its pages for the stage `read`. Errors of kind invalid are
// permanent; all others are retried.
type DocumentReader interface {
	Open(ctx context.Context, request ReadRequest) (OpenedDocument, error)
}

// ReadRequest identifies the file to read. Open can be called repeatedly.
type ReadRequest struct {
	Open          func() (io.ReadCloser, error)
	FileName      string
	MediaType     string
	Size          int64
	CorrelationID string
	// FirstPage and LastPage are the only pages to read, from 1; 0 for all. A page keeps its number in the
	// file.
	FirstPage, LastPage int
	// Keeper keeps the pages while an engine reads them; nil for none.
	Keeper PageKeeper
}

// OpenedDocument is an open file and its embedded data. Close it after the rasters are stored.
type OpenedDocument struct {
	XML []byte // e-invoice embedded in or attached to the file, nil if none
	// Pages reads the pages; nil for a file without pages. recognise selects whether pages without
	// a text layer are sent to the OCR engine.
	Pages func(ctx context.Context, recognise bool) ([]ScannedPage, error)
	Close func()
}

// ScannedPage is a page and its raster image, a PNG. Hash is the perceptual hash of the first page, 0
// without one. OpenRaster is nil if the image is stored already, under the key of the page.
type ScannedPage struct {
	domain.Page
	Hash       uint64
	OpenRaster func() (io.ReadCloser, error)
}

// LanguageModel answers requests in JSON. It bounds time, size and number of its calls itself.
type LanguageModel interface {
	Name() string // of the model
	// Ask returns the answer. It fills the calls and the tokens also when it fails.
	Ask(ctx context.Context, request ModelRequest) (ModelAnswer, error)
}

// ModelRequest is what a language model is asked. Its answer must match Schema.
type ModelRequest struct {
	System, User string
	SchemaName   string
	Schema       json.RawMessage
	Images       []ModelImage
	MaxTokens    int // of the answer
}

// ModelImage is the image of a page.
type ModelImage struct {
	Label         string // text before the image
	MediaType     string
	Width, Height int
	Bytes         []byte
}

// ImageReducer makes the PNG of a page smaller, until its longer side has at most so many pixels, and the
// file so many bytes. It returns FileTooLarge if that cannot be. It decodes in a sandbox, because a
// document made the pixels.
type ImageReducer interface {
	Reduce(ctx context.Context, png io.Reader, side int, bytes int64, correlationID string) (ModelImage, error)
}

// ModelAnswer is the answer of a language model, with the calls that it took.
type ModelAnswer struct {
	JSON                      json.RawMessage
	Model                     string
	InputTokens, OutputTokens int64
	Calls                     []domain.ModelCall
}

// Blobs stores write-once files. A key consists of the case id and the SHA-256.
type Blobs interface {
	Put(ctx context.Context, caseID domain.ID, content io.Reader) (key string, sha256 []byte,
		size int64, err error)
	Open(ctx context.Context, key string) (content io.ReadCloser, size int64, err error)
	// Remove deletes a file of an erased case. An unknown key is no error.
	Remove(ctx context.Context, key string) error
}

// Notifier enqueues runs and publishes hints after the commit. It may lose any of them: the rows
// remain, the sweeper enqueues overdue runs again and live pages reload. It must not block for
// long.
type Notifier interface {
	Enqueue(ctx context.Context, pendingRuns []domain.PendingRun)
	PublishHints(ctx context.Context, hints []domain.Hint)
}
