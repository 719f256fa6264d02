package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// writeJPEG writes a picture as a photo.
func writeJPEG(path string, picture image.Image) error {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: 88}); err != nil {
		return err
	}
	return os.WriteFile(path, out.Bytes(), 0o600)
}

// writeTIFF writes the pictures as the pages of one TIFF file, without compression.
func writeTIFF(path string, pages []*image.Gray) error {
	type entry struct {
		tag, kind    uint16
		count, value uint32
	}
	const short, long = 3, 4
	order := binary.LittleEndian
	out := []byte{'I', 'I', 42, 0, 0, 0, 0, 0}
	next := 4 // where the offset of the next directory is written
	for _, page := range pages {
		size := page.Bounds()
		strip := len(out)
		for y := range size.Dy() {
			out = append(out, page.Pix[y*page.Stride:y*page.Stride+size.Dx()]...)
		}
		if len(out)%2 == 1 {
			out = append(out, 0)
		}
		order.PutUint32(out[next:], uint32(len(out)))
		entries := []entry{{256, long, 1, uint32(size.Dx())}, {257, long, 1, uint32(size.Dy())},
			{258, short, 1, 8}, {259, short, 1, 1}, {262, short, 1, 1},
			{273, long, 1, uint32(strip)}, {277, short, 1, 1}, {278, long, 1, uint32(size.Dy())},
			{279, long, 1, uint32(size.Dx() * size.Dy())}}
		out = order.AppendUint16(out, uint16(len(entries)))
		for _, e := range entries {
			out = order.AppendUint16(out, e.tag)
			out = order.AppendUint16(out, e.kind)
			out = order.AppendUint32(out, e.count)
			out = order.AppendUint32(out, e.value)
		}
		next = len(out)
		out = order.AppendUint32(out, 0)
	}
	return os.WriteFile(path, out, 0o600)
}

// scan returns the first page of a PDF as a picture of the resolution.
func scan(ctx context.Context, path string, dpi int) (*image.Gray, error) {
	folder, err := os.MkdirTemp("", "partsbench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	root := filepath.Join(folder, "page")
	if err := run(ctx, "pdftoppm", "-r", fmt.Sprint(dpi), "-gray", "-f", "1", "-l", "1",
		"-singlefile", "-jpeg", path, root); err != nil {
		return nil, err
	}
	file, err := os.Open(root + ".jpg")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	picture, err := jpeg.Decode(file)
	if err != nil {
		return nil, err
	}
	grey := image.NewGray(picture.Bounds())
	for y := range grey.Rect.Dy() {
		for x := range grey.Rect.Dx() {
			grey.Set(x, y, picture.At(x, y))
		}
	}
	return grey, nil
}

// unite writes the pages of the PDF files into one, with the attachments of the files.
func unite(ctx context.Context, path string, parts ...string) error {
	return run(ctx, "pdfunite", append(parts, path)...)
}

func run(ctx context.Context, program string, args ...string) error {
	text, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, strings.TrimSpace(string(text)))
	}
	return nil
}

// writePicturePDF writes a PDF in which each picture fills a page, as from a scanner of the
// resolution.
func writePicturePDF(path string, dpi int, pictures ...*image.Gray) error {
	var out bytes.Buffer
	var offsets []int
	object := func(text string) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", len(offsets), text)
	}
	out.WriteString("%PDF-1.4\n")
	var kids []string
	const perPicture = 3
	for i := range pictures {
		kids = append(kids, fmt.Sprintf("%d 0 R", 3+perPicture*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " ")))
	for _, picture := range pictures {
		var data bytes.Buffer
		if err := jpeg.Encode(&data, picture, &jpeg.Options{Quality: 88}); err != nil {
			return err
		}
		size, next := picture.Bounds(), len(offsets)+2
		width, height := float64(size.Dx())*72/float64(dpi), float64(size.Dy())*72/float64(dpi)
		object(fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents %d 0 R "+
			"/Resources << /XObject << /Im %d 0 R >> >> >>", width, height, next, next+1))
		content := fmt.Sprintf("q %.2f 0 0 %.2f 0 0 cm /Im Do Q", width, height)
		object(fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
		object(fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace "+
			"/DeviceGray /BitsPerComponent 8 /Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream",
			size.Dx(), size.Dy(), data.Len(), data.Bytes()))
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(offsets)+1, start)
	return os.WriteFile(path, out.Bytes(), 0o600)
}
