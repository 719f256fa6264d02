package main

import (
	"context"
	"io"

	"countersign/casework"
	"countersign/reading/ocr"
)

// imageReducer makes images of pages smaller by the reader of documents.
type imageReducer struct{ reader *ocr.Reader }

// Reduce returns the image within the bounds.
func (r imageReducer) Reduce(
	ctx context.Context, png io.Reader, side int, bytes int64, correlationID string,
) (casework.ModelImage, error) {
	reduced, err := r.reader.Reduce(ctx, png, ocr.ImageBounds{Side: side, Bytes: bytes}, correlationID)
	return casework.ModelImage{MediaType: reduced.MediaType, Width: reduced.Width, Height: reduced.Height,
		Bytes: reduced.Bytes}, err
}
