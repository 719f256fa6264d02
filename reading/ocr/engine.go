package ocr

import (
	"context"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// Engine turns a page's pixels into words. An engine that decodes or computes in foreign code runs it as a child of the
// job's folder; several calls may run at once.
type Engine interface {
	// Name is the engine's name, for logs.
	Name() string
	// Recognise reads one image of the job's folder. Words carry boxes in its pixels, confidences 0..1 and line numbers
	// in reading order. A page without text has no words and no error. Errors carry EngineFailed, TimedOut or
	// FileTooComplex.
	Recognise(ctx context.Context, job *sandbox.Folder, image Image) ([]domain.Word, error)
	// Orient says how a page that reads badly lies and which script it is in; zero values when it cannot tell.
	Orient(ctx context.Context, job *sandbox.Folder, image Image) (Orientation, error)
}

// Image is a page's pixels: binary PGM (a page of a PDF always) or PPM in the job's folder, or the PNG or JPEG that came in,
// if it lies upright.
type Image struct {
	File          string // path as the job's children see it
	Width, Height int
	DPI           int      // 0 = unknown
	Languages     []string // to read with, at least one
	CorrelationID string
}

// Orientation is how a page lies.
type Orientation struct {
	// Rotate is how far to turn the image clockwise to make it upright: 0, 90, 180 or 270.
	Rotate int
	// Language to read with, if the script is not the one read so far; "" otherwise.
	Language string
}
