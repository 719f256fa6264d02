package ppocr

import (
	"fmt"
	"math"
	"strings"
)

// Networks are the three networks and the characters that the last one knows: none first, then those
// of the list that belongs to it, then the space.
type Networks struct {
	Detect, Direct, Recognise Network
	Alphabet                  []string
}

// Alphabet returns the characters of the list that belongs to the network, one in each line.
func Alphabet(list string) []string {
	characters := strings.Split(strings.TrimRight(list, "\r\n"), "\n")
	result := make([]string, 0, len(characters)+2)
	result = append(result, "")
	for _, c := range characters {
		result = append(result, strings.TrimSuffix(c, "\r"))
	}
	return append(result, " ")
}

// Word is a word of a page. The box is in pixels of the page. Lines are numbered from 1.
type Word struct {
	Text                string
	X, Y, Width, Height int
	Confidence          float64 // 0..1
	Line                int
}

const (
	// poor is the mean confidence of a line below which its direction is asked for.
	poor = 0.8
	// unreadable is the mean confidence below which a line is no text: shadows, logos, edges.
	unreadable = 0.5
	// turnedFactor lowers the confidence of a page that lies on its side or upside down. Its lines
	// are read, but not in order, so the caller has to turn the page and read it again.
	turnedFactor = 0.5
	// onItsSide is the ratio of height to width from which a rectangle holds a line on its side.
	onItsSide = 2
)

// Read returns the words of a page in reading order.
func Read(page Grey, networks Networks) ([]Word, error) {
	if err := page.check(); err != nil {
		return nil, err
	}
	found, err := findLines(page, networks.Detect)
	if err != nil {
		return nil, err
	}
	reader := &reader{page: page, networks: networks}
	for i, line := range inReadingOrder(found) {
		for _, r := range line {
			if err := reader.read(r, i+1); err != nil {
				return nil, err
			}
		}
	}
	if sideways(found) || 2*reader.turned > reader.characters {
		for i := range reader.words {
			reader.words[i].Confidence *= turnedFactor
		}
	}
	return reader.words, nil
}

// sideways reports whether most of the text lies on its side.
func sideways(lines []rectangle) bool {
	lying, all := 0.0, 0.0
	for _, line := range lines {
		all += line.width * line.height
		if line.height > onItsSide*line.width {
			lying += line.width * line.height
		}
	}
	return 2*lying > all
}

// reader reads the lines of a page.
type reader struct {
	page               Grey
	networks           Networks
	words              []Word
	characters, turned int // all of them, and those of lines that were upside down
}

// read reads a rectangle of the line with the number.
func (r *reader) read(line rectangle, number int) error {
	if line.height > onItsSide*line.width { // from the bottom up, as scanners turn pages
		line.along, line.width, line.height = line.down().times(-1), line.height, line.width
		line.along = point{line.along.x, -math.Abs(line.along.y)}
	}
	picture := crop(r.page, line)
	characters, err := readLine(picture, r.networks.Recognise, r.networks.Alphabet)
	if err != nil {
		return err
	}
	if confidence(characters) < poor {
		if line, picture, characters, err = r.other(line, picture, characters); err != nil {
			return err
		}
	}
	if confidence(characters) < unreadable {
		return nil
	}
	r.characters += len(characters)
	perColumn := line.width / float64(picture.Width)
	for _, word := range words(picture, characters) {
		part := line.part(float64(word.left)*perColumn, float64(word.right)*perColumn)
		r.words = append(r.words, part.word(word, number))
	}
	return nil
}

// other reads a poor line upside down if the network of directions says so, and returns the better
// result.
func (r *reader) other(line rectangle, picture Grey, characters []character) (rectangle, Grey,
	[]character, error) {
	upsideDown, err := isUpsideDown(picture, r.networks.Direct)
	if err != nil || !upsideDown {
		return line, picture, characters, err
	}
	turned := picture.turned()
	again, err := readLine(turned, r.networks.Recognise, r.networks.Alphabet)
	if err != nil || confidence(again) <= confidence(characters) {
		return line, picture, characters, err
	}
	r.turned += len(again)
	line.along = line.along.times(-1)
	return line, turned, again, nil
}

// confidence is the mean confidence of the characters, 0 without any.
func confidence(characters []character) float64 {
	if len(characters) == 0 {
		return 0
	}
	sum := 0.0
	for _, c := range characters {
		sum += c.confidence
	}
	return sum / float64(len(characters))
}

// word returns the word with the upright box around the rectangle.
func (r rectangle) word(w piece, number int) Word {
	left, top := math.Inf(1), math.Inf(1)
	right, bottom := math.Inf(-1), math.Inf(-1)
	for _, corner := range r.corners() {
		left, right = min(left, corner.x), max(right, corner.x)
		top, bottom = min(top, corner.y), max(bottom, corner.y)
	}
	x, y := int(math.Floor(left)), int(math.Floor(top))
	return Word{Text: w.text, X: x, Y: y, Width: max(1, int(math.Ceil(right))-x),
		Height: max(1, int(math.Ceil(bottom))-y), Confidence: w.confidence, Line: number}
}

// String describes the word for tests.
func (w Word) String() string {
	return fmt.Sprintf("%q %d,%d %dx%d line %d", w.Text, w.X, w.Y, w.Width, w.Height, w.Line)
}
