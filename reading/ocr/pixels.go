package ocr

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
)

// rgb implements image.Image for a three-channel raster.
type rgb struct{ raster }

// ColorModel returns RGBA. Every pixel is opaque.
func (r rgb) ColorModel() color.Model { return color.RGBAModel }

// Bounds returns the size of the raster.
func (r rgb) Bounds() image.Rectangle { return image.Rect(0, 0, r.width, r.height) }

// At returns one pixel.
func (r rgb) At(x, y int) color.Color {
	at := (y*r.width + x) * 3
	return color.RGBA{r.data[at], r.data[at+1], r.data[at+2], 255}
}

// orientationForTurn holds the EXIF orientation that is corrected by a clockwise rotation in
// degrees.
var orientationForTurn = map[int]int{90: 6, 180: 3, 270: 8}

// turnForOrientation returns the clockwise rotation that corrects an orientation. It ignores
// mirroring.
func turnForOrientation(orientation int) int {
	switch orientation {
	case 3, 4:
		return 180
	case 5, 6:
		return 90
	case 7, 8:
		return 270
	}
	return 0
}

// orient corrects an EXIF orientation, so that the result is upright.
func (r raster) orient(orientation int) raster {
	if orientation < 2 || orientation > 8 {
		return r
	}
	out := raster{
		width: r.width, height: r.height, channels: r.channels,
		data: make([]byte, len(r.data)),
	}
	if orientation >= 5 {
		out.width, out.height = r.height, r.width
	}
	at := 0
	for y := range out.height {
		for x := range out.width {
			fromX, fromY := r.source(orientation, x, y)
			from := (fromY*r.width + fromX) * r.channels
			at += copy(out.data[at:at+r.channels], r.data[from:from+r.channels])
		}
	}
	return out
}

// source returns the position of the upright pixel (x, y) in the stored image.
func (r raster) source(orientation, x, y int) (int, int) {
	right, bottom := r.width-1, r.height-1
	switch orientation {
	case 2:
		return right - x, y
	case 3:
		return right - x, bottom - y
	case 4:
		return x, bottom - y
	case 5:
		return y, x
	case 6:
		return y, bottom - x
	case 7:
		return right - y, bottom - x
	}
	return right - y, x
}

type pnmShape struct{ width, height, channels, offset int }

// parsePNMHead parses the header of a binary PGM or PPM with 8 bits per channel.
func parsePNMHead(head []byte) (pnmShape, error) {
	var kind, width, height, most int
	if _, err := fmt.Fscanf(bytes.NewReader(head), "P%d\n%d %d\n%d\n", &kind, &width, &height,
		&most); err != nil {
		return pnmShape{}, fmt.Errorf("pnm: %w", err)
	}
	shape := pnmShape{width: width, height: height, channels: 1}
	if kind == 6 {
		shape.channels = 3
	}
	if kind != 5 && kind != 6 || most != 255 || width < 1 || height < 1 || width > 1<<16 ||
		height > 1<<16 {
		return pnmShape{}, errors.New("pnm: unknown format")
	}
	for range 3 {
		next := bytes.IndexByte(head[shape.offset:], '\n')
		if next < 0 {
			return pnmShape{}, errors.New("pnm: no header")
		}
		shape.offset += next + 1
	}
	return shape, nil
}

func pnmConfig(from io.Reader) (image.Config, error) {
	head := make([]byte, 64)
	n, err := io.ReadFull(from, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return image.Config{}, err
	}
	shape, err := parsePNMHead(head[:n])
	return image.Config{Width: shape.width, Height: shape.height}, err
}

func decodePNM(from io.Reader) (image.Image, error) {
	reader := bufio.NewReaderSize(from, 256<<10)
	head, err := reader.Peek(64)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	shape, err := parsePNMHead(head)
	if err != nil {
		return nil, err
	}
	if _, err := reader.Discard(shape.offset); err != nil {
		return nil, err
	}
	data := make([]byte, shape.width*shape.height*shape.channels)
	if _, err := io.ReadFull(reader, data); err != nil {
		return nil, err
	}
	if shape.channels == 1 {
		return &image.Gray{
			Pix: data, Stride: shape.width, Rect: image.Rect(0, 0, shape.width, shape.height),
		}, nil
	}
	return rgb{raster{shape.width, shape.height, 3, data}}, nil
}
