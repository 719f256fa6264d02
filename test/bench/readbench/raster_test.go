package main

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A rasterised PDF has the pages and their size, and no text.
func TestRasterisedPDF(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 150, 300)), nil); err != nil {
		t.Fatal(err)
	}
	text, err := pdfOfPictures([][]byte{picture.Bytes(), picture.Bytes()}, 150)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	first, second := filepath.Join(folder, "first.pdf"), filepath.Join(folder, "second.pdf")
	if err := os.WriteFile(first, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := rasterisePDF(t.Context(), first, second, 75); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("pdfinfo", second).Output()
	if err != nil || !strings.Contains(string(out), "Page size:       72 x 144 pts") ||
		strings.Count(strings.Join(strings.Fields(string(out)), " "), "Pages: 2") != 1 {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := pdfOfPictures([][]byte{[]byte("no picture")}, 150); err == nil {
		t.Error("a page is no picture")
	}
}
