package main

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"os"

	"countersign/cmd/ocrengine/ppocr"
)

// maxPixels bounds the picture. The reader of documents refuses larger ones before.
const maxPixels = 64_000_000

// decode reads a PGM, PPM, PNG or JPEG file as a grey picture.
func decode(name string) (ppocr.Grey, error) {
	file, err := os.Open(name)
	if err != nil {
		return ppocr.Grey{}, err
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, 2)
	if _, err := io.ReadFull(file, head); err != nil {
		return ppocr.Grey{}, fmt.Errorf("picture: %w", err)
	}
	rewind := func() error { _, err := file.Seek(0, io.SeekStart); return err }
	if err := rewind(); err != nil {
		return ppocr.Grey{}, err
	}
	if head[0] == 'P' && (head[1] == '5' || head[1] == '6') {
		return decodePNM(bufio.NewReaderSize(file, 256<<10), int(head[1]-'0'))
	}
	readConfig, read := png.DecodeConfig, png.Decode
	if head[0] == 0xff {
		readConfig, read = jpeg.DecodeConfig, jpeg.Decode
	}
	size, err := readConfig(file)
	if err != nil {
		return ppocr.Grey{}, fmt.Errorf("picture: %w", err)
	}
	if err := errors.Join(checkSize(size.Width, size.Height), rewind()); err != nil {
		return ppocr.Grey{}, err
	}
	decoded, err := read(bufio.NewReaderSize(file, 256<<10))
	if err != nil {
		return ppocr.Grey{}, fmt.Errorf("picture: %w", err)
	}
	return greyOf(decoded), nil
}

func checkSize(width, height int) error {
	if width < 1 || height < 1 || width > maxPixels || height > maxPixels ||
		width*height > maxPixels {
		return fmt.Errorf("picture: %dx%d pixels", width, height)
	}
	return nil
}

// greyOf returns the brightness of a decoded picture on white.
func greyOf(decoded image.Image) ppocr.Grey {
	bounds := decoded.Bounds()
	var pixels []byte
	stride := 0
	switch picture := decoded.(type) {
	case *image.Gray:
		pixels, stride = picture.Pix, picture.Stride
	case *image.YCbCr:
		pixels, stride = picture.Y, picture.YStride
	default:
		flat := image.NewGray(bounds)
		draw.Draw(flat, bounds, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(flat, bounds, decoded, bounds.Min, draw.Over)
		pixels, stride = flat.Pix, flat.Stride
	}
	result := ppocr.NewGrey(bounds.Dx(), bounds.Dy())
	for y := range result.Height {
		copy(result.Pix[y*result.Width:(y+1)*result.Width], pixels[y*stride:])
	}
	return result
}

// decodePNM reads a binary PGM (kind 5) or PPM (kind 6) with one byte for each value, without
// comments, as the reader of documents and poppler write it.
func decodePNM(from io.Reader, kind int) (ppocr.Grey, error) {
	var width, height, highest int
	var separator byte
	if _, err := fmt.Fscanf(from, fmt.Sprintf("P%d\n%%d %%d\n%%d%%c", kind), &width, &height,
		&highest, &separator); err != nil {
		return ppocr.Grey{}, fmt.Errorf("picture: header: %w", err)
	}
	if highest != 255 {
		return ppocr.Grey{}, fmt.Errorf("picture: values up to %d", highest)
	}
	if err := checkSize(width, height); err != nil {
		return ppocr.Grey{}, err
	}
	result := ppocr.NewGrey(width, height)
	if kind == 5 {
		if _, err := io.ReadFull(from, result.Pix); err != nil {
			return ppocr.Grey{}, fmt.Errorf("picture: %w", err)
		}
		return result, nil
	}
	row := make([]byte, 3*width)
	for y := range height {
		if _, err := io.ReadFull(from, row); err != nil {
			return ppocr.Grey{}, fmt.Errorf("picture: %w", err)
		}
		for x := range width {
			red, green, blue := int(row[3*x]), int(row[3*x+1]), int(row[3*x+2])
			result.Pix[y*width+x] = byte((299*red + 587*green + 114*blue + 500) / 1000)
		}
	}
	return result, nil
}
