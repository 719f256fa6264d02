package ppocr

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// fakeNetworks find the dark bars of a page as lines, and read "ab" in each. A bar is upside down if
// the fake says so: then it reads badly until it is turned.
func fakeNetworks(upsideDown bool) Networks {
	alphabet := Alphabet("a\nb")
	reads := 0
	return Networks{
		Alphabet: alphabet,
		Detect: func(data []float32, shape []int64) ([]float32, []int64, error) {
			result := make([]float32, shape[2]*shape[3])
			for i := range result {
				if data[i] < 0 { // the first channel
					result[i] = 1
				}
			}
			return result, []int64{1, 1, shape[2], shape[3]}, nil
		},
		Direct: func([]float32, []int64) ([]float32, []int64, error) {
			if upsideDown {
				return []float32{0, 1}, []int64{1, 2}, nil
			}
			return []float32{1, 0}, []int64{1, 2}, nil
		},
		Recognise: func([]float32, []int64) ([]float32, []int64, error) {
			steps := stepsOf("a-b-", alphabet)
			reads++
			if upsideDown && reads%2 == 1 {
				for i := range steps {
					steps[i] *= 0.6
				}
			}
			return steps, []int64{1, 4, int64(len(alphabet))}, nil
		},
	}
}

// pageWithBars is a white page with bars as tall as lines of text.
func pageWithBars(width, height int, bars ...[4]int) Grey {
	page := NewGrey(width, height)
	for i := range page.Pix {
		page.Pix[i] = 255
	}
	for _, bar := range bars {
		for y := bar[1]; y < bar[1]+bar[3]; y++ {
			for x := bar[0]; x < bar[0]+bar[2]; x++ {
				page.Pix[y*width+x] = 0
			}
		}
	}
	return page
}

func TestReadNumbersLines(t *testing.T) {
	t.Parallel()
	page := pageWithBars(640, 320, [4]int{350, 102, 200, 20}, [4]int{60, 40, 200, 20},
		[4]int{60, 100, 200, 20})
	got, err := Read(page, fakeNetworks(false))
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, w := range got {
		lines = append(lines, w.Line)
		if w.Confidence < 0.89 || w.X < 0 || w.Y < 0 || w.X+w.Width > 640 || w.Y+w.Height > 320 {
			t.Errorf("%s, confidence %f", w, w.Confidence)
		}
	}
	if len(lines) != 3 || lines[0] != 1 || lines[1] != 2 || lines[2] != 2 || got[1].X > got[2].X {
		t.Errorf("got %v", got)
	}
}

// Lines of a page that lies upside down or on its side are in the wrong order, so the confidence is
// low and the caller turns the page.
func TestTurnedPagesAreNotConfident(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		page     Grey
		networks Networks
	}{
		"upside down": {pageWithBars(640, 320, [4]int{60, 40, 200, 20}), fakeNetworks(true)},
		"on its side": {pageWithBars(320, 640, [4]int{40, 60, 20, 200}), fakeNetworks(false)},
	} {
		got, err := Read(c.page, c.networks)
		if err != nil || len(got) == 0 {
			t.Errorf("%s: %v %v", name, got, err)
		}
		for _, w := range got {
			if !strings.Contains("ab", w.Text) || math.Abs(w.Confidence-0.45) > 0.01 {
				t.Errorf("%s: %s has the confidence %f", name, w, w.Confidence)
			}
		}
	}
}

func TestReadOfABlankPage(t *testing.T) {
	t.Parallel()
	got, err := Read(pageWithBars(200, 200), fakeNetworks(false))
	if err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	if _, err := Read(Grey{Width: 10, Height: 10}, fakeNetworks(false)); err == nil {
		t.Error("a page without pixels is read")
	}
}

func TestReadReportsNetworks(t *testing.T) {
	t.Parallel()
	failed := errors.New("no memory")
	networks := fakeNetworks(false)
	networks.Recognise = func([]float32, []int64) ([]float32, []int64, error) {
		return nil, nil, failed
	}
	page := pageWithBars(640, 320, [4]int{60, 40, 200, 20})
	if _, err := Read(page, networks); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

// Resizing keeps the brightness, and a line cut out at an angle has its pixels.
func TestPictures(t *testing.T) {
	t.Parallel()
	page := pageWithBars(100, 100, [4]int{0, 0, 100, 50})
	small := page.resize(30, 20)
	if small.Pix[0] != 0 || small.Pix[len(small.Pix)-1] != 255 {
		t.Errorf("resized %v", small.Pix)
	}
	if same := page.resize(100, 100); &same.Pix[0] != &page.Pix[0] {
		t.Error("a picture of the same size is copied")
	}
	down := crop(page, rectangle{centre: point{50, 50}, along: point{0, 1}, width: 96, height: 48})
	if down.Width != 96 || down.Height != lineHeight || down.Pix[24*96+10] > 20 ||
		down.Pix[24*96+85] < 235 {
		t.Errorf("a line that runs down: %d %d", down.Pix[24*96+10], down.Pix[24*96+85])
	}
	if turned := down.turned(); turned.Pix[24*96+10] < 235 {
		t.Error("not turned")
	}
}
