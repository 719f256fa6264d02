package ppocr

import "math"

const (
	// lineHeight is the height of a line that the networks expect.
	lineHeight = 48
	// maxLineWidth bounds the width of a line; longer ones are compressed.
	maxLineWidth = 3200
)

// crop returns the line as an upright picture of lineHeight. Pixels of the page are averaged if the
// line is much higher.
func crop(page Grey, line rectangle) Grey {
	width := int(math.Round(lineHeight * line.width / max(1, line.height)))
	width = max(8, min(width, maxLineWidth))
	samples := max(1, min(8, int(math.Round(line.height/lineHeight))))
	result := NewGrey(width, lineHeight)
	stepX := line.along.times(line.width / float64(width*samples))
	stepY := line.down().times(line.height / float64(lineHeight*samples))
	// Pixels have their value in their centre.
	first := line.at(-line.width/2, -line.height/2).plus(stepX.plus(stepY).times(0.5)).
		minus(point{0.5, 0.5})
	for y := range lineHeight {
		for x := range width {
			sum := 0.0
			for sy := range samples {
				for sx := range samples {
					at := first.plus(stepX.times(float64(x*samples + sx))).
						plus(stepY.times(float64(y*samples + sy)))
					sum += page.at(at.x, at.y)
				}
			}
			result.Pix[y*width+x] = byte(sum/float64(samples*samples) + 0.5)
		}
	}
	return result
}
