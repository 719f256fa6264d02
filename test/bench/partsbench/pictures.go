package main

import (
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // the receipts are JPEG files
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// textHeight is the height in pixels of the lines of a receipt on a composed page.
const textHeight = 30

// receiptPicture returns the printed part of a receipt, scaled to the same height of text. path is the
// picture; its lines are those of NAME.box.csv beside it.
func receiptPicture(path string) (*image.Gray, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	picture, _, err := image.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	printed, height, err := printedArea(strings.TrimSuffix(path, ".jpg") + ".box.csv")
	if err != nil {
		return nil, err
	}
	printed = printed.Inset(-2 * height).Intersect(picture.Bounds())
	scale := min(2, float64(textHeight)/float64(max(1, height)))
	size := image.Rect(0, 0, int(float64(printed.Dx())*scale), int(float64(printed.Dy())*scale))
	scaled := image.NewGray(size)
	draw.CatmullRom.Scale(scaled, size, picture, printed, draw.Src, nil)
	return scaled, nil
}

// printedArea returns the bounds of the lines of a receipt and their median height.
func printedArea(path string) (image.Rectangle, int, error) {
	file, err := os.Open(path)
	if err != nil {
		return image.Rectangle{}, 0, err
	}
	defer func() { _ = file.Close() }()
	reader := csv.NewReader(file)
	reader.FieldsPerRecord, reader.LazyQuotes = -1, true
	rows, err := reader.ReadAll()
	if err != nil {
		return image.Rectangle{}, 0, fmt.Errorf("%s: %w", path, err)
	}
	var area image.Rectangle
	var heights []int
	for _, row := range rows {
		var at [8]int
		for i := range at {
			if i < len(row) {
				if at[i], err = strconv.Atoi(strings.TrimSpace(row[i])); err != nil {
					return area, 0, fmt.Errorf("%s: %w", path, err)
				}
			}
		}
		line := image.Rect(at[0], at[1], at[4], at[5])
		area = area.Union(line)
		heights = append(heights, line.Dy())
	}
	if len(heights) == 0 {
		return area, 0, fmt.Errorf("%s has no lines", path)
	}
	slices.Sort(heights)
	return area, heights[len(heights)/2], nil
}

// placed is a picture at a place of a page, turned by some degrees.
type placed struct {
	picture *image.Gray
	x, y    int
	degrees float64
}

// compose draws the pictures on a page of the given grey.
func compose(width, height int, ground uint8, pictures ...placed) *image.Gray {
	page := image.NewGray(image.Rect(0, 0, width, height))
	draw.Draw(page, page.Bounds(), image.NewUniform(color.Gray{Y: ground}), image.Point{}, draw.Src)
	for _, p := range pictures {
		sin, cos := math.Sincos(p.degrees * math.Pi / 180)
		move := f64.Aff3{cos, -sin, float64(p.x), sin, cos, float64(p.y)}
		draw.BiLinear.Transform(page, move, p.picture, p.picture.Bounds(), draw.Src, nil)
	}
	return page
}

// beside places the pictures side by side with gaps of the given pixels, turned by the degrees in
// alternating directions.
func beside(gap int, ground uint8, degrees float64, pictures ...*image.Gray) *image.Gray {
	x, height := gap, 0
	var all []placed
	for i, picture := range pictures {
		size := picture.Bounds()
		turn := degrees * float64(1-2*(i%2))
		lean := int(math.Abs(math.Sin(degrees*math.Pi/180)) * float64(size.Dy()))
		all = append(all, placed{picture, x + lean, gap + i*textHeight, turn})
		x += size.Dx() + 2*lean + gap
		height = max(height, size.Dy()+lean+i*textHeight)
	}
	return compose(x, height+2*gap, ground, all...)
}

// stacked places the pictures one above the other.
func stacked(gap int, ground uint8, degrees float64, pictures ...*image.Gray) *image.Gray {
	y, width := gap, 0
	var all []placed
	for i, picture := range pictures {
		size := picture.Bounds()
		turn := degrees * float64(1-2*(i%2))
		lean := int(math.Abs(math.Sin(degrees*math.Pi/180)) * float64(max(size.Dx(), size.Dy())))
		all = append(all, placed{picture, gap + lean, y + lean, turn})
		y += size.Dy() + 2*lean + gap
		width = max(width, size.Dx()+2*lean)
	}
	return compose(width+2*gap, y, ground, all...)
}
