package ocr

import (
	"math"
	"slices"
)

const (
	// hashSide is the number of cells in a row and in a column of a page whose brightness is
	// transformed.
	hashSide = 32
	// hashBits is the number of frequencies in each direction of which the hash has a bit.
	hashBits = 8
	// maxSamples bounds the pixels of a page that are averaged, in each direction.
	maxSamples = 1024
	// minContrast is the standard deviation of the cells, of 255, below which a page is blank.
	minContrast = 2
)

// hash returns a perceptual hash of the page: 64 bits of which copies of the page, brightened or
// scanned again, differ in few. It is 0 if the page is blank or nearly so, because such pages are
// all alike. Each bit says whether one of the lowest frequencies of the brightness is above their
// median.
func (r raster) hash() uint64 {
	cells, contrast := r.cells()
	if contrast < minContrast {
		return 0
	}
	frequencies := lowestFrequencies(cells)
	sorted := slices.Sorted(slices.Values(frequencies[:]))
	median := (sorted[len(sorted)/2-1] + sorted[len(sorted)/2]) / 2
	var hash uint64
	for i, value := range frequencies {
		if value > median {
			hash |= 1 << i
		}
	}
	return hash
}

// cells returns the mean brightness of each cell of the page, and the standard deviation of the
// cells.
func (r raster) cells() (cells [hashSide][hashSide]float64, contrast float64) {
	const count = hashSide * hashSide
	var sum, squares float64
	for row := range hashSide {
		top, bottom := r.height*row/hashSide, max(r.height*(row+1)/hashSide, 1)
		for column := range hashSide {
			left, right := r.width*column/hashSide, max(r.width*(column+1)/hashSide, 1)
			mean := r.mean(min(left, right-1), min(top, bottom-1), right, bottom)
			cells[row][column] = mean
			sum, squares = sum+mean, squares+mean*mean
		}
	}
	mean := sum / count
	return cells, math.Sqrt(max(squares/count-mean*mean, 0))
}

// mean returns the mean brightness of a part of the page, of samples if it is large.
func (r raster) mean(left, top, right, bottom int) float64 {
	stepX, stepY := 1+r.width/maxSamples, 1+r.height/maxSamples
	sum, count := 0, 0
	for y := top; y < bottom; y += stepY {
		for x := left; x < right; x += stepX {
			at := (y*r.width + x) * r.channels
			if r.channels == 1 {
				sum += int(r.data[at])
			} else {
				sum += (int(r.data[at]) + 2*int(r.data[at+1]) + int(r.data[at+2])) / 4
			}
			count++
		}
	}
	return float64(sum) / float64(count)
}

// lowestFrequencies returns the coefficients of the discrete cosine transform (DCT-II) of the cells
// for the lowest frequencies. The mean of the page is left out, and the next vertical one taken
// instead.
func lowestFrequencies(cells [hashSide][hashSide]float64) (found [hashBits * hashBits]float64) {
	var waves [hashBits + 1][hashSide]float64
	for frequency := range waves {
		for at := range hashSide {
			waves[frequency][at] = math.Cos(
				math.Pi / hashSide * (float64(at) + 0.5) * float64(frequency))
		}
	}
	for i := range found {
		vertical, horizontal := i/hashBits, i%hashBits
		if i == 0 {
			vertical = hashBits
		}
		for row := range hashSide {
			var sum float64
			for column := range hashSide {
				sum += cells[row][column] * waves[horizontal][column]
			}
			found[i] += sum * waves[vertical][row]
		}
	}
	return found
}
