package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // sizes of the pages drawn
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// rasterise replaces every PDF of the sets by a copy in the folder that has only pictures of the
// pages, without text layer and attachments, as from a scanner with the resolution. Other files stay.
func rasterise(ctx context.Context, sets []set, folder string, dpi int) error {
	for _, s := range sets {
		into := filepath.Join(folder, s.name)
		if err := os.MkdirAll(into, 0o755); err != nil {
			return err
		}
		for i, path := range s.files {
			if !strings.EqualFold(filepath.Ext(path), ".pdf") {
				continue
			}
			copied := filepath.Join(into, filepath.Base(path))
			if err := rasterisePDF(ctx, path, copied, dpi); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			for _, truth := range []func(string) string{truthPath, xmlPath} {
				text, err := os.ReadFile(truth(path))
				if err == nil {
					err = os.WriteFile(truth(copied), text, 0o644)
				}
				if err != nil && !os.IsNotExist(err) {
					return err
				}
			}
			s.files[i] = copied
		}
	}
	return nil
}

func rasterisePDF(ctx context.Context, path, copied string, dpi int, options ...string) error {
	root := strings.TrimSuffix(copied, filepath.Ext(copied)) + "-page"
	args := append(options, "-r", fmt.Sprint(dpi), "-jpeg", "-jpegopt", "quality=90", path, root)
	draw := exec.CommandContext(ctx, "pdftoppm", args...)
	if text, err := draw.CombinedOutput(); err != nil {
		return fmt.Errorf("pdftoppm: %w: %s", err, text)
	}
	pages, err := filepath.Glob(root + "*.jpg")
	if err != nil {
		return err
	}
	slices.Sort(pages)
	var pictures [][]byte
	for _, page := range pages {
		picture, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		pictures = append(pictures, picture)
	}
	text, err := pdfOfPictures(pictures, dpi)
	if err != nil {
		return err
	}
	return os.WriteFile(copied, text, 0o644)
}

// pdfOfPictures returns a PDF in which each JPEG picture fills a page.
func pdfOfPictures(pictures [][]byte, dpi int) ([]byte, error) {
	var out bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n", len(offsets))
		fmt.Fprintf(&out, format, args...)
		out.WriteString("\nendobj\n")
	}
	out.WriteString("%PDF-1.4\n")
	const perPicture = 3
	kids := make([]string, 0, len(pictures))
	for i := range pictures {
		kids = append(kids, fmt.Sprintf("%d 0 R", 3+perPicture*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids), strings.Join(kids, " "))
	for _, picture := range pictures {
		size, _, err := image.DecodeConfig(bytes.NewReader(picture))
		if err != nil {
			return nil, err
		}
		colours := "DeviceRGB"
		if size.ColorModel == color.GrayModel {
			colours = "DeviceGray"
		}
		next := len(offsets) + 2
		width, height := float64(size.Width)*72/float64(dpi), float64(size.Height)*72/float64(dpi)
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents %d 0 R "+
			"/Resources << /XObject << /Im %d 0 R >> >> >>", width, height, next, next+1)
		content := fmt.Sprintf("q %.2f 0 0 %.2f 0 0 cm /Im Do Q", width, height)
		object("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
		object("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /%s "+
			"/BitsPerComponent 8 /Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream",
			size.Width, size.Height, colours, len(picture), picture)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(offsets)+1, start)
	return out.Bytes(), nil
}
