package ppocr

import "fmt"

// character is a read character.
type character struct {
	text       string
	confidence float64 // 0..1
	at         float64 // position of its middle, 0..1 of the width of the line
}

// minWidth is the least width of a line for recognition. Shorter ones are continued with grey. With the
// 320 of the training a page costs 14 % more, and not more is right.
const minWidth = 96

// readLine returns the characters of a line, spaces included.
func readLine(line Grey, network Network, alphabet []string) ([]character, error) {
	width := max(minWidth, (line.Width+7)/8*8)
	result, shape, err := network(line.tensor(forRecognition, width),
		[]int64{1, 3, int64(line.Height), int64(width)})
	if err != nil {
		return nil, fmt.Errorf("ppocr: recognition: %w", err)
	}
	if len(shape) != 3 || shape[2] != int64(len(alphabet)) ||
		int64(len(result)) != shape[1]*shape[2] {
		return nil, fmt.Errorf("ppocr: recognition: the result has the shape %v for %d characters",
			shape, len(alphabet))
	}
	characters := decode(result, alphabet)
	for i := range characters {
		characters[i].at = min(1, characters[i].at*float64(width)/float64(line.Width))
	}
	return characters, nil
}

// decode returns the most likely character of each step. The first of the alphabet means none, and
// equal ones in a row are one character.
func decode(steps []float32, alphabet []string) []character {
	var found []character
	count := len(steps) / len(alphabet)
	last, begin := 0, 0
	for step := range count {
		best, probability := 0, float32(0)
		for i, value := range steps[step*len(alphabet) : (step+1)*len(alphabet)] {
			if value > probability {
				best, probability = i, value
			}
		}
		switch {
		case best == 0:
		case best == last: // continues: the character is in the middle of its steps
			current := &found[len(found)-1]
			current.confidence = max(current.confidence, float64(min(1, probability)))
			current.at = (float64(begin+step) + 1) / 2 / float64(count)
		default:
			begin = step
			found = append(found, character{text: alphabet[best],
				confidence: float64(min(1, probability)),
				at:         (float64(step) + 0.5) / float64(count)})
		}
		last = best
	}
	return found
}

// isUpsideDown asks the network for the direction of a line.
func isUpsideDown(line Grey, network Network) (bool, error) {
	const width, sure = 192, 0.9
	part := line.resize(min(width, line.Width), lineHeight)
	if line.Width > width { // the beginning is enough, and is not distorted
		part = NewGrey(width, lineHeight)
		for y := range lineHeight {
			copy(part.Pix[y*width:(y+1)*width], line.Pix[y*line.Width:])
		}
	}
	result, shape, err := network(part.tensor(forRecognition, width),
		[]int64{1, 3, lineHeight, width})
	if err != nil {
		return false, fmt.Errorf("ppocr: direction: %w", err)
	}
	if len(result) != 2 {
		return false, fmt.Errorf("ppocr: direction: the result has the shape %v", shape)
	}
	return result[1] > sure, nil
}
