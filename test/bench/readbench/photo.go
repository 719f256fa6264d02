package main

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"strings"

	"countersign/reading/plane"
)

// photo describes how made photos show a document.
type photo struct {
	// slant is the share of the width and height, in percent, by which corners move as in a picture that
	// is not taken from above; 0 for one from above.
	slant int
	// isCropped cuts the document out and turns it back by the corners that the photo was made with, as
	// the best possible correction would.
	isCropped bool
	// every says that only each so many-th picture is read.
	every int
}

// maxPhotoPixels leaves out pictures that take too long to transform.
const maxPhotoPixels = 9_000_000

// photograph replaces the pictures of the sets by photos of them on a table.
func photograph(sets []set, folder string, p photo) error {
	for i := range sets {
		into := filepath.Join(folder, sets[i].name)
		if err := os.MkdirAll(into, 0o755); err != nil {
			return err
		}
		var photos []string
		for at, path := range sets[i].files {
			if at%max(1, p.every) != 0 {
				continue
			}
			copied := filepath.Join(into, filepath.Base(path))
			made, err := p.write(path, copied, at)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if made {
				photos = append(photos, copied)
			}
		}
		if len(photos) == 0 {
			return fmt.Errorf("the set %s has no pictures", sets[i].name)
		}
		sets[i].files = photos
	}
	return nil
}

// write makes the photo of a file, with its truth; false if it is no picture or too large.
func (p photo) write(path, copied string, at int) (bool, error) {
	in, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = in.Close() }()
	decoded, _, err := image.Decode(in)
	if err != nil {
		return false, nil //nolint:nilerr // not a picture
	}
	if size := decoded.Bounds().Size(); size.X*size.Y > maxPhotoPixels {
		return false, nil
	}
	out, err := os.Create(copied)
	if err != nil {
		return false, err
	}
	if err := jpeg.Encode(out, p.take(decoded, at%2 == 1), &jpeg.Options{Quality: 92}); err != nil {
		return false, err
	}
	if err := out.Close(); err != nil {
		return false, err
	}
	text, err := os.ReadFile(truthPath(path))
	if os.IsNotExist(err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(truthPath(copied), text, 0o644)
}

// take returns the photo of a picture. The far side is the top, or the right one.
func (p photo) take(picture image.Image, fromTheSide bool) image.Image {
	page := image.NewRGBA(image.Rectangle{Max: picture.Bounds().Size()})
	draw.Draw(page, page.Bounds(), picture, picture.Bounds().Min, draw.Src)
	w, h := float64(page.Rect.Dx()), float64(page.Rect.Dy())
	left, top := math.Round(w*0.15), math.Round(h*0.08)
	corners := p.corners(left, top, w, h, fromTheSide)
	table := image.NewRGBA(image.Rect(0, 0, int(w+2*left), int(h+2*top)))
	toTable := plane.Onto(w, h, corners)
	toPage := toTable.Inverse()
	for y := range table.Rect.Dy() {
		for x := range table.Rect.Dx() {
			fx, fy := toPage.At(float64(x), float64(y))
			if fx >= 0 && fy >= 0 && fx <= w-1 && fy <= h-1 {
				table.SetRGBA(x, y, blend(page, fx, fy))
				continue
			}
			grain := uint8(70 + 14*math.Sin(float64(x)/9+3*math.Sin(float64(y)/70)))
			table.SetRGBA(x, y, color.RGBA{grain + 30, grain + 12, grain, 255})
		}
	}
	if !p.isCropped {
		return table
	}
	cut := image.NewRGBA(page.Rect)
	for y := range cut.Rect.Dy() {
		for x := range cut.Rect.Dx() {
			fx, fy := toTable.At(float64(x), float64(y))
			cut.SetRGBA(x, y, blend(table, fx, fy))
		}
	}
	return cut
}

// corners returns the places of the corners of a page, clockwise from its top left one.
func (p photo) corners(left, top, w, h float64, fromTheSide bool) plane.Quad {
	d, e := w*float64(p.slant)/100, h*float64(p.slant)/200
	if fromTheSide {
		return plane.Quad{{X: left, Y: top}, {X: left + w - d/2, Y: top + e},
			{X: left + w - d, Y: top + h - e}, {X: left + d/3, Y: top + h}}
	}
	return plane.Quad{{X: left + d, Y: top + e}, {X: left + w - d, Y: top + e/2},
		{X: left + w, Y: top + h}, {X: left, Y: top + h - e/2}}
}

// blend returns the colour between four pixels.
func blend(from *image.RGBA, x, y float64) color.RGBA {
	x, y = min(max(x, 0), float64(from.Rect.Dx()-1)), min(max(y, 0), float64(from.Rect.Dy()-1))
	left, top := int(x), int(y)
	right, bottom := min(left+1, from.Rect.Dx()-1), min(top+1, from.Rect.Dy()-1)
	fx, fy := x-float64(left), y-float64(top)
	mix := func(part func(color.RGBA) uint8) uint8 {
		at := func(x, y int) float64 { return float64(part(from.RGBAAt(x, y))) }
		return uint8(0.5 + (at(left, top)*(1-fx)+at(right, top)*fx)*(1-fy) +
			(at(left, bottom)*(1-fx)+at(right, bottom)*fx)*fy)
	}
	return color.RGBA{mix(func(c color.RGBA) uint8 { return c.R }),
		mix(func(c color.RGBA) uint8 { return c.G }), mix(func(c color.RGBA) uint8 { return c.B }), 255}
}

// parsePhoto reads the value of -photo: the slant in percent, then ",cropped" to correct it.
func parsePhoto(text string, every int) (photo, error) {
	slant, rest, _ := strings.Cut(text, ",")
	p := photo{isCropped: rest == "cropped", every: every}
	if _, err := fmt.Sscanf(slant, "%d", &p.slant); err != nil || rest != "" && !p.isCropped ||
		p.slant < 0 || p.slant > 30 {
		return p, fmt.Errorf("-photo is a slant of 0 to 30 percent, or one with \",cropped\", not %q", text)
	}
	return p, nil
}
