package main

import (
	"encoding/binary"
	"image"
	"os"
	"path/filepath"
	"testing"
)

func greyPicture(width, height int, grey uint8) *image.Gray {
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = grey
	}
	return picture
}

// A composed TIFF file has a directory for every page, and the pixels of each.
func TestComposedTIFFHasEveryPage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "three.tif")
	pages := []*image.Gray{greyPicture(3, 5, 10), greyPicture(4, 4, 20), greyPicture(7, 2, 30)}
	if err := writeTIFF(path, pages); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	order := binary.LittleEndian
	at, count := order.Uint32(text[4:]), 0
	for ; at != 0; count++ {
		entries := int(order.Uint16(text[at:]))
		values := map[uint16]uint32{}
		for i := range entries {
			entry := text[int(at)+2+12*i:]
			values[order.Uint16(entry)] = order.Uint32(entry[8:])
		}
		size := pages[count].Bounds()
		if int(values[256]) != size.Dx() || int(values[257]) != size.Dy() ||
			text[values[273]] != pages[count].Pix[0] {
			t.Errorf("page %d: %v", count+1, values)
		}
		at = order.Uint32(text[int(at)+2+12*entries:])
	}
	if count != len(pages) {
		t.Errorf("%d pages, want %d", count, len(pages))
	}
}

// Composed pictures keep a gap between the documents, beside and above each other.
func TestComposedPicturesKeepTheirGap(t *testing.T) {
	t.Parallel()
	first, second := greyPicture(100, 200, 0), greyPicture(80, 150, 50)
	const gap, ground = 40, 255
	page := beside(gap, ground, 0, first, second)
	for x, want := range map[int]uint8{20: ground, 90: 0, 160: ground, 220: 50, 280: ground} {
		if got := page.GrayAt(x, 150).Y; got != want {
			t.Errorf("beside: %d at x %d, want %d", got, x, want)
		}
	}
	page = stacked(gap, ground, 0, first, second)
	for y, want := range map[int]uint8{20: ground, 140: 0, 260: ground, 350: 50, 450: ground} {
		if got := page.GrayAt(60, y).Y; got != want {
			t.Errorf("stacked: %d at y %d, want %d", got, y, want)
		}
	}
}
