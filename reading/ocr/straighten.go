package ocr

import (
	"context"
	"math"
	"path"
	"strings"
	"sync/atomic"

	"countersign/domain"
)

// skewedReader is an engine that reads skewed pages and pages seen from an angle well. Other engines,
// like tesseract, are given a straightened copy.
type skewedReader interface {
	// MaxSkew is the largest angle of lines in degrees up to which the engine needs no copy.
	MaxSkew() float64
}

// needsStraight reports whether the engine needs a straightened copy of a page in the pose.
func needsStraight(engine Engine, p pose) bool {
	able, ok := engine.(skewedReader)
	return !p.isStraight() && (!ok || math.Abs(p.Skew) > able.MaxSkew())
}

// await waits until the files of the picture exist, and sets its pose.
func (p *picture) await(ready func() (pose, error)) (err error) {
	if ready != nil {
		p.pose, err = ready()
	}
	return err
}

// readFirst reads a page while its picture is still being decoded. If the page turns out not to be
// straight, it stops the engine and reads a straightened copy, because an upright page, the usual one,
// must not wait for the decoder.
func (t *task) readFirst(
	ctx context.Context, image Image, pic *picture, ready func() (pose, error),
) ([]domain.Word, error) {
	if ready == nil || !pic.pose.isStraight() {
		return t.readStraight(ctx, t.engine, image, *pic)
	}
	early, stop := context.WithCancel(ctx)
	defer stop()
	var skewed atomic.Bool
	go func() {
		if found, err := ready(); err == nil && needsStraight(t.engine, found) {
			skewed.Store(true)
			stop()
		}
	}()
	words, err := t.engine.Recognise(early, t.job, image)
	refused := domain.HasCode(err, domain.EngineFailed)
	if err != nil && !refused && !skewed.Load() {
		return nil, err
	}
	if failed := pic.await(ready); failed != nil {
		return nil, failed
	}
	if err == nil && !needsStraight(t.engine, pic.pose) {
		return words, nil
	}
	image.File = pic.pixels // the engine may not decode what the child decodes
	return t.readStraight(ctx, t.engine, image, *pic)
}

// readStraight reads an image with an engine. Words of a skewed page have boxes of that page.
func (t *task) readStraight(
	ctx context.Context, engine Engine, image Image, pic picture,
) (words []domain.Word, err error) {
	turn, err := t.straightened(ctx, engine, image, pic, func(image Image) (err error) {
		words, err = engine.Recognise(ctx, t.job, image)
		return err
	})
	if err != nil || turn == nil {
		return words, err
	}
	kept := words[:0]
	for _, word := range words {
		var inside bool
		if word.Box, inside = turn.backBox(word.Box); inside {
			kept = append(kept, word)
		}
	}
	return kept, nil
}

// straightened calls use with a straightened copy of a page, and returns how it was turned.
// If the page is straight, the engine does not need it or the copy would be too large, use gets the
// image itself and the flattening is nil.
func (t *task) straightened(
	ctx context.Context, engine Engine, image Image, pic picture, use func(Image) error,
) (*flattening, error) {
	turn, ok := pic.pose.straightening(pic.width, pic.height)
	if !ok || !needsStraight(engine, pic.pose) ||
		int64(turn.outWidth)*int64(turn.outHeight) > t.limits.Pixels {
		return nil, use(image)
	}
	copied := strings.TrimSuffix(pic.pixels, path.Ext(pic.pixels)) + "-straight.pgm"
	size, err := t.image(ctx, imageJob{In: pic.pixels, MediaType: mediaPNM, PNM: copied,
		Straighten: &pic.pose})
	if err != nil {
		return nil, err
	}
	defer func() { _ = t.job.Remove(copied) }() // removed with the folder otherwise
	image.File, image.Width, image.Height = copied, size.Width, size.Height
	return &turn, use(image)
}
