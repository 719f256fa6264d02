package ppocr

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// The network often leaves out spaces between English words, so that wide gaps separate words too.
// How wide depends on the type: where all characters have the same pitch, narrow ones have wide gaps
// around them, but the distance of the middles is constant.
const (
	// minGap is the least width of blank columns that separate words, in pixels of a line of
	// lineHeight, and minNumberGap that between parts of a number or characters that fill squares.
	minGap       = 8
	minNumberGap = 12
	// gapFactor is how much wider than the usual one of the line such a gap is.
	gapFactor = 2.2
	// fixedPitch and numberPitch are how much farther apart than usual the middles of characters are
	// that belong to different words, in type of one pitch, and in numbers, whose figures have one
	// pitch in nearly every type.
	fixedPitch  = 1.6
	numberPitch = 1.33
	// pitchSpread is how much distances differ at most from the usual one in type of one pitch, and
	// pitchShare the share of the distances for which that holds at least.
	pitchSpread = 0.15
	pitchShare  = 0.8
)

// piece is a word of a line, with its left and right side in columns of the line.
type piece struct {
	text        string
	confidence  float64
	left, right int
}

// words splits the characters of a line where the network saw a space, and at wide gaps.
func words(line Grey, characters []character) []piece {
	ink := inkColumns(line)
	solid := slices.DeleteFunc(slices.Clone(characters),
		func(c character) bool { return strings.TrimSpace(c.text) == "" })
	if len(solid) == 0 {
		return nil
	}
	spaced := spacesBefore(characters)
	gaps := gapsBetween(ink, solid, line.Width)
	left, end := firstInk(ink, 0, line.Width), lastInk(ink, line.Width)
	set := settingOf(gaps, left, end)
	var found []piece
	begin := 0
	for i := 1; i <= len(solid); i++ {
		if i < len(solid) && !spaced[i] && !set.separates(i-1, solid[i-1], solid[i]) {
			continue
		}
		right, next := end, 0
		if i < len(solid) {
			right, next = gaps[i-1].left, gaps[i-1].right
		}
		found = append(found, join(solid[begin:i], left, max(left+1, right)))
		begin, left = i, next
	}
	return found
}

// spacesBefore says of each character that is not a space whether one is before it.
func spacesBefore(characters []character) []bool {
	var result []bool
	space, last := false, ""
	for _, c := range characters {
		if strings.TrimSpace(c.text) == "" {
			space = true
			continue
		}
		result = append(result, space && !areBracketed(last, c.text))
		space, last = false, c.text
	}
	return result
}

// areBracketed reports whether two neighbours belong together because of a bracket, whose place in
// its square looks like a space.
func areBracketed(before, after string) bool {
	return strings.ContainsAny(before, "([（") || strings.ContainsAny(after, ")]）")
}

func join(characters []character, left, right int) piece {
	var text strings.Builder
	sum := 0.0
	for _, c := range characters {
		text.WriteString(c.text)
		sum += c.confidence
	}
	return piece{text.String(), sum / float64(len(characters)), left, right}
}

// gap is a run of blank columns: left is the first one, right the one behind the last.
type gap struct{ left, right int }

func (g gap) width() int { return g.right - g.left }

// gapsBetween returns the widest run of blank columns between the middles of neighbouring characters.
// It is empty and in the middle between them if there is none.
func gapsBetween(ink []bool, characters []character, width int) []gap {
	gaps := make([]gap, 0, len(characters))
	for i := 1; i < len(characters); i++ {
		from := min(width-1, int(characters[i-1].at*float64(width)))
		to := min(width-1, int(characters[i].at*float64(width)))
		middle := (from + to) / 2
		widest, begin := gap{middle, middle}, -1
		for x := from; x <= to; x++ {
			blank := !ink[x]
			if blank && begin < 0 {
				begin = x
			}
			if begin >= 0 && (!blank || x == to) {
				if x-begin > widest.width() {
					widest = gap{begin, x}
				}
				begin = -1
			}
		}
		gaps = append(gaps, widest)
	}
	return gaps
}

// setting is how the characters of a line are set.
type setting struct {
	gaps      []gap
	distances []float64 // of the middles of neighbours
	gap       float64   // usual width
	distance  float64   // usual distance
	onePitch  bool
}

// settingOf measures the line whose ink begins and ends at the columns.
func settingOf(gaps []gap, begin, end int) setting {
	s := setting{gaps: gaps, distances: make([]float64, len(gaps))}
	widths := make([]float64, len(gaps))
	for i, g := range gaps {
		before, after := begin, end
		if i > 0 {
			before = gaps[i-1].right
		}
		if i+1 < len(gaps) {
			after = gaps[i+1].left
		}
		s.distances[i] = float64(g.right+after-before-g.left) / 2
		widths[i] = float64(g.width())
	}
	s.gap, s.distance = median(widths), median(s.distances)
	near, far := 0, 0
	for _, distance := range s.distances {
		switch {
		case math.Abs(distance-s.distance) <= pitchSpread*s.distance:
			near++
		case distance > fixedPitch*s.distance: // a space
			far++
		}
	}
	const enough = 4 // of fewer distances nothing follows
	regular := len(gaps) - far
	s.onePitch = regular >= enough && float64(near) >= pitchShare*float64(regular)
	return s
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)/2]
}

// separates reports whether the gap between two characters separates words.
func (s setting) separates(i int, before, after character) bool {
	width, distance := float64(s.gaps[i].width()), s.distances[i]
	if width < minGap || width <= gapFactor*s.gap || areBracketed(before.text, after.text) {
		return false
	}
	if s.onePitch {
		return distance >= fixedPitch*s.distance
	}
	if isPartOfNumber(before.text) && isPartOfNumber(after.text) {
		return width >= minNumberGap && distance >= numberPitch*s.distance
	}
	if isWideScript(before.text) || isWideScript(after.text) {
		return width >= minNumberGap && distance >= fixedPitch*s.distance
	}
	return true
}

func isPartOfNumber(text string) bool {
	return strings.ContainsFunc(text, unicode.IsDigit) || strings.Contains(".,:/-'", text)
}

// isWideScript reports whether characters of the script fill squares, with gaps around narrow ones.
func isWideScript(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x2e80 })
}

// inkColumns says of each column of a line whether it has a pixel of text. The brightness that
// separates text from ground is the one that separates the two best (Otsu), and the rarer side is
// the text.
func inkColumns(line Grey) []bool {
	const margin = 5 // rows at the edges may belong to other lines or a frame
	var counts [256]int
	rows := line.Pix[margin*line.Width : (line.Height-margin)*line.Width]
	for _, value := range rows {
		counts[value]++
	}
	level := separation(counts, len(rows))
	dark := 0
	for value := range level + 1 {
		dark += counts[value]
	}
	isDark := 2*dark <= len(rows)
	ink := make([]bool, line.Width)
	for i, value := range rows {
		if int(value) <= level == isDark {
			ink[i%line.Width] = true
		}
	}
	return ink
}

// separation returns the highest brightness of the darker of two classes whose variance between each
// other is the greatest.
func separation(counts [256]int, total int) int {
	sum := 0.0
	for value, count := range counts {
		sum += float64(value * count)
	}
	best, level := -1.0, 0
	below, sumBelow := 0.0, 0.0
	for value, count := range counts {
		below += float64(count)
		sumBelow += float64(value * count)
		above := float64(total) - below
		if below == 0 || above == 0 {
			continue
		}
		difference := sumBelow/below - (sum-sumBelow)/above
		if variance := below * above * difference * difference; variance > best {
			best, level = variance, value
		}
	}
	return level
}

// firstInk returns the first column with ink from a column on, or the column itself.
func firstInk(ink []bool, from, width int) int {
	for x := from; x < width; x++ {
		if ink[x] {
			return x
		}
	}
	return from
}

// lastInk returns the column behind the last one with ink.
func lastInk(ink []bool, width int) int {
	for x := width; x > 0; x-- {
		if ink[x-1] {
			return x
		}
	}
	return width
}
