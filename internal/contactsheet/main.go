// Command contactsheet puts screenshots side by side into one JPEG, so that a sequence of pages can be
// looked at in a document: contactsheet -columns 2 -out FILE.jpg FILE.png
//
// Each screenshot is scaled to the same width, and only its first window is shown, or its last with
// -end. It reads and writes the named files only.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"

	"golang.org/x/image/draw"
)

const (
	gap     = 8  // pixels between two screenshots
	quality = 82 // of the JPEG, from 1 to 100
	// longest is the height of a screenshot that is shown, relative to its width: that of a window.
	longest = 0.625
)

func main() {
	columns := flag.Int("columns", 2, "screenshots in a row")
	width := flag.Int("width", 640, "width of a screenshot in pixels")
	end := flag.Bool("end", false, "show the end of each screenshot instead of its beginning")
	out := flag.String("out", "", "the JPEG to write")
	flag.Parse()
	if err := run(flag.Args(), *columns, *width, *end, *out); err != nil {
		fmt.Fprintln(os.Stderr, "contactsheet:", err)
		os.Exit(1)
	}
}

func run(names []string, columns, width int, end bool, out string) error {
	if len(names) == 0 || columns < 1 || width < 1 || out == "" {
		return errors.New("usage: contactsheet [-columns N] [-width PIXELS] -out FILE.jpg FILE.png")
	}
	height := int(float64(width) * longest)
	rows := (len(names) + columns - 1) / columns
	sheet := image.NewRGBA(image.Rect(0, 0, columns*(width+gap)+gap, rows*(height+gap)+gap))
	draw.Draw(sheet, sheet.Bounds(), image.NewUniform(color.Gray{Y: 160}), image.Point{}, draw.Src)
	for i, name := range names {
		corner := image.Pt(gap+i%columns*(width+gap), gap+i/columns*(height+gap))
		place := image.Rectangle{Min: corner, Max: corner.Add(image.Pt(width, height))}
		if err := drawScreenshot(sheet, place, name, end); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	if err := jpeg.Encode(file, sheet, &jpeg.Options{Quality: quality}); err != nil {
		return err
	}
	return file.Close()
}

// drawScreenshot draws the first or the last window of a screenshot.
func drawScreenshot(sheet draw.Image, place image.Rectangle, name string, end bool) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	page, err := png.Decode(file)
	if err != nil {
		return err
	}
	shown := page.Bounds()
	height := min(shown.Dy(), int(float64(shown.Dx())*longest))
	if end {
		shown.Min.Y = shown.Max.Y - height
	} else {
		shown.Max.Y = shown.Min.Y + height
	}
	place.Max.Y = place.Min.Y + place.Dx()*shown.Dy()/shown.Dx()
	draw.CatmullRom.Scale(sheet, place, page, shown, draw.Src, nil)
	return nil
}
