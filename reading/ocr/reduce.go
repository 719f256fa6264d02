package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"

	"countersign/domain"
)

// ImageBounds bound an image of a page that leaves the installation.
type ImageBounds struct {
	Side  int   // pixels of the longer side
	Bytes int64 // of the file
}

// ReducedImage is the image of a page within bounds, a PNG or a JPEG.
type ReducedImage struct {
	MediaType     string
	Width, Height int
	Bytes         []byte
}

// errImageTooLarge is the cause of an image that no compression brings within its bytes.
var errImageTooLarge = errors.New("ocr: the image has more bytes than its bound in every quality")

// Reduce returns the PNG of a page within bounds. A child in the sandbox decodes it, because a document
// made its pixels. It returns FileTooLarge if no quality is small enough, and DamagedFile for something
// else than a PNG. The same PNG and bounds give the same bytes.
func (r *Reader) Reduce(
	ctx context.Context, from io.Reader, bounds ImageBounds, correlationID string,
) (ReducedImage, error) {
	select {
	case r.reduceSlot <- struct{}{}: // one at a time, so that reading documents keeps the processors
		defer func() { <-r.reduceSlot }()
	case <-ctx.Done():
		return ReducedImage{}, callerError(ctx, ctx.Err())
	}
	job, err := r.runner.NewFolder(ctx)
	if err != nil {
		return ReducedImage{}, callerError(ctx, err)
	}
	defer job.Close()
	size, err := job.Put(inputName, from, MaxRasterBytes)
	if err != nil {
		return ReducedImage{}, fmt.Errorf("ocr: reduce: %w", err)
	}
	t := &task{Reader: r, job: job, req: Request{CorrelationID: correlationID}, size: size,
		reading: &Reading{MediaType: mediaPNG, job: job}}
	reduced, err := t.reduce(ctx, bounds)
	if err != nil {
		return ReducedImage{}, fmt.Errorf("ocr: reduce: %w", err)
	}
	return reduced, nil
}

const reducedName = "reduced"

func (t *task) reduce(ctx context.Context, bounds ImageBounds) (ReducedImage, error) {
	file, err := os.Open(filepath.Join(t.job.In(), inputName))
	if err != nil {
		return ReducedImage{}, err
	}
	defer func() { _ = file.Close() }()
	frames, err := t.readFrames(file, t.size)
	if err != nil {
		return ReducedImage{}, err
	}
	done, err := t.awaitLarge(ctx, frames[0].width*frames[0].height)
	if err != nil {
		return ReducedImage{}, err
	}
	defer done()
	size, err := t.image(ctx, imageJob{In: inputPath, MediaType: mediaPNG, background: true,
		Reduced: reducedName, Side: bounds.Side, MaxBytes: bounds.Bytes})
	if err != nil {
		return ReducedImage{}, err
	}
	if size.MediaType == "" {
		return ReducedImage{}, domain.Errorf(domain.FileTooLarge, "The image of the page has more than %s.",
			sizeText(bounds.Bytes)).WithRemedy("Ask an operator to raise the bound.").WithCause(errImageTooLarge)
	}
	if size.MediaType != mediaPNG && size.MediaType != mediaJPEG {
		return ReducedImage{}, engineError(fmt.Errorf("the child returned an image of type %q", size.MediaType))
	}
	made, err := t.job.ReadFile(reducedName, bounds.Bytes)
	return ReducedImage{MediaType: size.MediaType, Width: size.Width, Height: size.Height, Bytes: made}, err
}

// jpegQualities are tried in this order if a PNG is too large. Text stays readable in all of them.
var jpegQualities = []int{90, 80, 65, 50}

// writeReduced writes the raster in the first format and quality with at most so many bytes, and
// returns its media type, "" if none is small enough.
func (r raster) writeReduced(name string, most int64) (string, error) {
	var made bytes.Buffer
	if err := r.writePNG(&made); err != nil {
		return "", err
	}
	mediaType := mediaPNG
	for i := 0; int64(made.Len()) > most; i++ {
		if i == len(jpegQualities) {
			return "", nil
		}
		made.Reset()
		if err := jpeg.Encode(&made, r.picture(), &jpeg.Options{Quality: jpegQualities[i]}); err != nil {
			return "", err
		}
		mediaType = mediaJPEG
	}
	return mediaType, write(name, func(to io.Writer) error {
		_, err := to.Write(made.Bytes())
		return err
	})
}

// picture returns the raster in a form that the library encodes fast.
func (r raster) picture() image.Image {
	bounds := image.Rect(0, 0, r.width, r.height)
	if r.channels == 1 {
		return &image.Gray{Pix: r.data, Stride: r.width, Rect: bounds}
	}
	flat := image.NewRGBA(bounds)
	draw.Draw(flat, bounds, image.NewUniform(color.White), image.Point{}, draw.Src)
	for i := range r.width * r.height {
		copy(flat.Pix[4*i:4*i+3], r.data[3*i:3*i+3])
	}
	return flat
}

// reduce returns the raster with at most so many pixels on its longer side. Each pixel is the average
// of the area that it covers, so that thin strokes stay visible.
func (r raster) reduce(side int) raster {
	longer := max(r.width, r.height)
	if longer <= side {
		return r
	}
	out := raster{width: max(1, r.width*side/longer), height: max(1, r.height*side/longer),
		channels: r.channels}
	out.data = make([]byte, out.width*out.height*out.channels)
	columns := shares(r.width, out.width)
	row := make([]float32, out.width*out.channels)
	sums := make([]float32, len(row))
	for at, part := range shares(r.height, out.height) {
		clear(sums)
		for y := part.from; y < part.to; y++ {
			r.reduceRow(y, columns, row)
			weight := part.weight(y)
			for i, value := range row {
				sums[i] += weight * value
			}
		}
		for i, sum := range sums {
			out.data[at*len(sums)+i] = byte(sum + 0.5)
		}
	}
	return out
}

// reduceRow sets the averages of one row.
func (r raster) reduceRow(y int, columns []share, row []float32) {
	data := r.data[y*r.width*r.channels:][:r.width*r.channels]
	clear(row)
	for at, part := range columns {
		for x := part.from; x < part.to; x++ {
			weight := part.weight(x)
			for c := range r.channels {
				row[at*r.channels+c] += weight * float32(data[x*r.channels+c])
			}
		}
	}
}

// share is the range of pixels that one pixel of a smaller raster covers. The first and the last may be
// covered in part.
type share struct {
	from, to          int
	first, each, last float32 // weights; their sum over the range is 1
}

func (s share) weight(at int) float32 {
	switch at {
	case s.from:
		return s.first
	case s.to - 1:
		return s.last
	}
	return s.each
}

// shares divides the pixels of a side among fewer.
func shares(from, to int) []share {
	made := make([]share, to)
	for i := range made {
		begin, end := i*from, (i+1)*from // in units of 1/to pixel
		one := share{from: begin / to, to: (end + to - 1) / to, each: float32(to) / float32(from)}
		one.first = float32(min((one.from+1)*to, end)-begin) / float32(from)
		one.last = float32(end-max((one.to-1)*to, begin)) / float32(from)
		made[i] = one
	}
	return made
}

// reduce writes the image within the bounds of the job.
func (p imageJob) reduce(pixels raster) (imageSize, error) {
	pixels = pixels.reduce(p.Side)
	mediaType, err := pixels.writeReduced(p.Reduced, p.MaxBytes)
	return imageSize{Width: pixels.width, Height: pixels.height, MediaType: mediaType}, err
}
