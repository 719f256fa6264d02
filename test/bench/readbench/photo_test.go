package main

import (
	"image"
	"image/color"
	"testing"
)

// A photo shows the page between its corners, and the correction returns the page.
func TestPhotosOfAPage(t *testing.T) {
	t.Parallel()
	page := image.NewRGBA(image.Rect(0, 0, 200, 400))
	for y := range 400 {
		for x := range 200 {
			page.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y / 2), 200, 255})
		}
	}
	for _, side := range []bool{false, true} {
		taken := photo{slant: 12}.take(page, side)
		if got := taken.Bounds().Size(); got != (image.Point{260, 464}) {
			t.Errorf("the photo has %v pixels", got)
		}
		if r, _, b, _ := taken.At(2, 2).RGBA(); b>>8 > r>>8 {
			t.Error("the page covers the table")
		}
		back := photo{slant: 12, isCropped: true}.take(page, side)
		for _, at := range []image.Point{{20, 30}, {100, 200}, {180, 380}} {
			want := page.RGBAAt(at.X, at.Y)
			r, g, _, _ := back.At(at.X, at.Y).RGBA()
			if max(int(r>>8)-int(want.R), int(want.R)-int(r>>8), int(g>>8)-int(want.G), int(want.G)-int(g>>8)) > 3 {
				t.Errorf("pixel %v is %d, %d, want %v", at, r>>8, g>>8, want)
			}
		}
	}
}

func TestSettingsOfPhotos(t *testing.T) {
	t.Parallel()
	if p, err := parsePhoto("12,cropped", 3); err != nil || p != (photo{12, true, 3}) {
		t.Errorf("%+v, %v", p, err)
	}
	for _, text := range []string{"", "x", "-1", "40", "12,flat"} {
		if _, err := parsePhoto(text, 1); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
