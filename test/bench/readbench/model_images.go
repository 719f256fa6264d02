package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"countersign/casework"
	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/parsing"
)

// pageImage is the image of a page within the bounds of the settings.
type pageImage struct {
	page  int
	image casework.ModelImage
}

// sendsImages reports whether images are sent beside the text: COUNTERSIGN_MODEL_INPUT=images.
func (m *languageModel) sendsImages() bool { return m != nil && m.Settings.Images.Send }

// keepImages returns the images of the first pages of a document that was just read, as the stage sends
// them. A page that no quality brings within the bounds has none.
func (m *languageModel) keepImages(ctx context.Context, reader *ocr.Reader, pages []ocr.PageImage) ([]pageImage, error) {
	var kept []pageImage
	left := casework.MaxModelImagesBytes
	for i := range pages {
		if len(kept) >= m.Settings.Images.Pages {
			break
		}
		png, err := pages[i].Raster()
		if err != nil {
			return nil, err
		}
		image, err := m.Settings.Images.Fit(ctx, imageReducer{reader}, &pages[i].Page, bytes.NewReader(png), int64(len(png)), "")
		switch {
		case domain.HasCode(err, domain.FileTooLarge) || len(image.Bytes) > left:
			continue
		case err != nil:
			return nil, fmt.Errorf("image of page %d: %w", pages[i].Number, err)
		}
		left -= len(image.Bytes)
		kept = append(kept, pageImage{pages[i].Number, image})
	}
	return kept, nil
}

// imagesOf returns the images of a document and what the prompt says of them, none for a type with fields
// that must not leave.
func (m *languageModel) imagesOf(kind *domain.DocumentType, doc saved) ([]casework.ModelImage, []parsing.Image) {
	if !m.sendsImages() || len(kind.NeverSent) > 0 {
		return nil, nil
	}
	var images []casework.ModelImage
	var sent []parsing.Image
	for _, kept := range doc.images {
		of := parsing.Image{Page: kept.page, SHA256: sha256.Sum256(kept.image.Bytes)}
		kept.image.Label = of.Label()
		images, sent = append(images, kept.image), append(sent, of)
	}
	return images, sent
}

// imageReducer makes images smaller as the worker does.
type imageReducer struct{ reader *ocr.Reader }

// Reduce returns the image within the bounds.
func (r imageReducer) Reduce(ctx context.Context, png io.Reader, side int, most int64, correlationID string) (
	casework.ModelImage, error) {
	reduced, err := r.reader.Reduce(ctx, png, ocr.ImageBounds{Side: side, Bytes: most}, correlationID)
	return casework.ModelImage{MediaType: reduced.MediaType, Width: reduced.Width, Height: reduced.Height,
		Bytes: reduced.Bytes}, err
}
