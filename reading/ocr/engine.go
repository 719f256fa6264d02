package ocr

import (
	"context"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// Engine recognises the words of a page image. An engine that uses foreign code runs it as a child
// process of the job's folder. It must be safe for concurrent use.
type Engine interface {
	// Name is the engine's name, for logs.
	Name() string
	// Recognise reads one image of the job's folder. Words have boxes in pixels of the image,
	// confidences 0..1 and line numbers in reading order. A page without text has no words and no
	// error. Errors have code EngineFailed, TimedOut or FileTooComplex; the last one also if the
	// page needs more memory than the engine may use.
	Recognise(ctx context.Context, job *sandbox.Folder, image Image) ([]domain.Word, error)
	// Orient detects the orientation and script of a page that was read with low confidence. It
	// returns zero values if it cannot detect them.
	Orient(ctx context.Context, job *sandbox.Folder, image Image) (Orientation, error)
}

// Image is a page image: a binary PGM (always for pages of a PDF and for straightened copies) or PPM in
// the job's folder, or the submitted PNG or JPEG if it is upright.
type Image struct {
	File          string // path for the job's children
	Width, Height int
	DPI           int      // 0 = unknown
	Languages     []string // to read with, at least one
	CorrelationID string
}

// Orientation is the orientation and script of a page.
type Orientation struct {
	// Rotate is the clockwise rotation in degrees that makes the image upright: 0, 90, 180 or 270.
	Rotate int
	// Language is the language of the detected script if it differs from the one used so far,
	// otherwise "".
	Language string
}
