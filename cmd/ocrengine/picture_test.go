package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func written(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The same page has the same brightness in every format that the reader of documents passes on.
func TestPicturesOfEveryFormat(t *testing.T) {
	t.Parallel()
	colour := image.NewRGBA(image.Rect(0, 0, 16, 8))
	pgm, ppm := []byte("P5\n16 8\n255\n"), []byte("P6\n16 8\n255\n")
	for y := range 8 {
		for x := range 16 {
			value := byte(255)
			if x >= 8 {
				value = 20
			}
			colour.Set(x, y, color.RGBA{value, value, value, 255})
			pgm, ppm = append(pgm, value), append(ppm, value, value, value)
		}
	}
	var asPNG, asJPEG, transparent bytes.Buffer
	if err := png.Encode(&asPNG, colour); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, colour, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	clear := image.NewNRGBA(image.Rect(0, 0, 16, 8))
	for y := range 8 {
		for x := 8; x < 16; x++ {
			clear.Set(x, y, color.NRGBA{20, 20, 20, 255})
		}
	}
	if err := png.Encode(&transparent, clear); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"pgm": pgm, "ppm": ppm, "png": asPNG.Bytes(),
		"jpeg": asJPEG.Bytes(), "transparent": transparent.Bytes()} {
		page, err := decode(written(t, content))
		if err != nil || page.Width != 16 || page.Height != 8 {
			t.Errorf("%s: %v %dx%d", name, err, page.Width, page.Height)
			continue
		}
		if light, dark := page.Pix[3*16+1], page.Pix[3*16+14]; light < 250 || dark > 25 {
			t.Errorf("%s: %d and %d", name, light, dark)
		}
	}
}

// A header must not make the program allocate what the file does not hold.
func TestPicturesThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"empty": "", "one byte": "P", "text": "hello", "html": "<html>",
		"too many pixels":   "P5\n60000 60000\n255\n",
		"overflow":          "P5\n4294967296 4294967296\n255\n",
		"negative":          "P5\n-1 -1\n255\n",
		"no pixels":         "P5\n0 8\n255\n",
		"cut off":           "P5\n16 8\n255\nabc",
		"colour, cut off":   "P6\n16 8\n255\nabc",
		"two bytes a value": "P5\n16 8\n65535\n",
		"ASCII":             "P2\n16 8\n255\n0",
		"broken PNG":        "\x89PNG\r\n\x1a\n\x00\x00",
		"broken JPEG":       "\xff\xd8\xff\xe0",
	} {
		if page, err := decode(written(t, []byte(content))); err == nil {
			t.Errorf("%s became %dx%d", name, page.Width, page.Height)
		}
	}
	if _, err := decode(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a missing file is a picture")
	}
}

// Without its files the program says which one is missing, and writes no words.
func TestFilesOfTheProgramAreNeeded(t *testing.T) {
	t.Parallel()
	page := written(t, fmt.Appendf(nil, "P5\n1 1\n255\n%c", 255))
	for name, c := range map[string]struct {
		needed   files
		pictures []string
	}{
		"one picture": {files{}, nil},
		"missing":     {files{characters: "missing"}, []string{page}},
		"library":     {files{characters: page, library: page}, []string{page}},
	} {
		var out strings.Builder
		if err := run(c.needed, c.pictures, &out); err == nil || out.Len() != 0 ||
			!strings.Contains(err.Error(), strings.Fields(name)[0]) && name != "library" {
			t.Errorf("%s: %v, %q", name, err, out.String())
		}
	}
}
