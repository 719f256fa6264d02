package ppocr

import (
	"slices"
	"testing"
	"unicode"
)

// typed draws characters as bars: each has its left side, the width of its ink, and is read in its
// middle. Spaces have no ink.
type typed struct {
	text        string
	left, width int
}

func drawn(characters []typed) (Grey, []character) {
	line := NewGrey(characters[len(characters)-1].left+40, lineHeight)
	for i := range line.Pix {
		line.Pix[i] = 240
	}
	var read []character
	for _, c := range characters {
		for y := 10; y < 40; y++ {
			for x := c.left; x < c.left+c.width; x++ {
				line.Pix[y*line.Width+x] = 20
			}
		}
		read = append(read, character{c.text, 0.9,
			(float64(c.left) + float64(c.width)/2) / float64(line.Width)})
	}
	return line, read
}

// onePitch sets text with the same distance between all characters, of which i, l and 1 are narrow.
// The network sees no space.
func onePitch(text string, pitch int) []typed {
	var result []typed
	for i, r := range text {
		width := pitch - 6
		if slices.Contains([]rune("il1."), r) {
			width = 5
		}
		if r != ' ' {
			result = append(result, typed{string(r), 10 + i*pitch + (pitch-width)/2, width})
		}
	}
	return result
}

// proportional sets text with the same gap between all characters.
func proportional(text string, gap, space int) []typed {
	var result []typed
	left := 10
	for _, r := range text {
		width := 15
		switch {
		case slices.Contains([]rune("il1.:"), r):
			width = 5
		case r == 't':
			width = 8
		case unicode.IsUpper(r) && r != 'I':
			width = 23
		}
		if r == ' ' {
			left += space
			continue
		}
		result = append(result, typed{string(r), left, width})
		left += width + gap
	}
	return result
}

func textsOf(pieces []piece) []string {
	var result []string
	for _, p := range pieces {
		result = append(result, p.text)
	}
	return result
}

// Words are found although the network saw no space, and narrow characters do not split them.
func TestWordsAtWideGaps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		line []typed
		want []string
	}{
		"one pitch":           {onePitch("Description Total 11.10", 24), []string{"Description", "Total", "11.10"}},
		"number of one pitch": {onePitch("06-05-2018 12:43", 24), []string{"06-05-2018", "12:43"}},
		"proportional":        {proportional("Nett Total", 4, 9), []string{"Nett", "Total"}},
		"one word":            {proportional("INVOICE", 4, 9), []string{"INVOICE"}},
		"one character":       {proportional("1", 4, 9), []string{"1"}},
	} {
		if got := textsOf(words(drawn(c.line))); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// A space that the network saw separates words, however narrow, and belongs to none.
func TestWordsAtSpaces(t *testing.T) {
	t.Parallel()
	line, characters := drawn(proportional("TotalRM", 2, 0))
	characters = slices.Insert(characters, 5, character{" ", 0.9,
		(characters[4].at + characters[5].at) / 2})
	if got := textsOf(words(line, characters)); !slices.Equal(got, []string{"Total", "RM"}) {
		t.Errorf("got %q", got)
	}
	line, characters = drawn(proportional("B(12)", 2, 0))
	for _, at := range []int{4, 2} {
		characters = slices.Insert(characters, at, character{" ", 0.9,
			(characters[at-1].at + characters[at].at) / 2})
	}
	if got := textsOf(words(line, characters)); !slices.Equal(got, []string{"B(12)"}) {
		t.Errorf("got %q", got)
	}
	if got := words(line, []character{{" ", 0.9, 0.5}}); got != nil {
		t.Errorf("a space became %+v", got)
	}
	if got := words(line, nil); got != nil {
		t.Errorf("nothing became %+v", got)
	}
}

// The sides of a word are those of its ink, also for light text on dark ground.
func TestSidesOfWords(t *testing.T) {
	t.Parallel()
	line, characters := drawn([]typed{{"A", 20, 18}, {"B", 42, 18}, {"C", 90, 18}, {"D", 112, 18}})
	inverse := NewGrey(line.Width, line.Height)
	for i, value := range line.Pix {
		inverse.Pix[i] = 255 - value
	}
	for _, picture := range []Grey{line, inverse} {
		got := words(picture, characters)
		if len(got) != 2 || got[0].left != 20 || got[0].right != 60 || got[1].left != 90 ||
			got[1].right != 130 {
			t.Errorf("got %+v", got)
		}
	}
}
