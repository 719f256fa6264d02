package ppocr

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// stepsOf returns the result of a network that sees the characters of the text, of which "-" is none.
func stepsOf(text string, alphabet []string) []float32 {
	steps := make([]float32, 0, len(text)*len(alphabet))
	for _, r := range text {
		step := make([]float32, len(alphabet))
		step[max(0, slices.Index(alphabet, string(r)))] = 0.9
		steps = append(steps, step...)
	}
	return steps
}

func textOf(characters []character) string {
	var text strings.Builder
	for _, c := range characters {
		text.WriteString(c.text)
	}
	return text.String()
}

func TestDecodeJoinsEqualSteps(t *testing.T) {
	t.Parallel()
	alphabet := Alphabet("a\nb\r\nc\n")
	if len(alphabet) != 5 || alphabet[2] != "b" || alphabet[4] != " " {
		t.Fatalf("alphabet %q", alphabet)
	}
	for steps, want := range map[string]string{"": "", "----": "", "abc": "abc", "aab-b": "abb",
		"-a-a-": "aa", "a bb": "a b", "ccc": "c"} {
		if got := textOf(decode(stepsOf(steps, alphabet), alphabet)); got != want {
			t.Errorf("%q: got %q, want %q", steps, got, want)
		}
	}
	found := decode(stepsOf("--aa------b-", alphabet), alphabet)
	if len(found) != 2 || found[0].at != 3.0/12 || found[1].at != 10.5/12 ||
		found[0].confidence < 0.89 || found[0].confidence > 0.91 {
		t.Errorf("got %+v", found)
	}
}

// The positions of characters increase and lie in the line, whatever the network says.
func TestDecodeOfAnything(t *testing.T) {
	t.Parallel()
	alphabet := Alphabet("a\nb")
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.Float32(), 0, 60).Draw(t, "steps")
		last := 0.0
		for _, c := range decode(steps, alphabet) {
			if c.at <= last || c.at >= 1 || c.confidence <= 0 || c.confidence > 1 {
				t.Fatalf("%+v after %f", c, last)
			}
			last = c.at
		}
	})
}

func TestRecognitionReportsAnotherAlphabet(t *testing.T) {
	t.Parallel()
	network := func([]float32, []int64) ([]float32, []int64, error) {
		return make([]float32, 30), []int64{1, 10, 3}, nil
	}
	if _, err := readLine(NewGrey(100, lineHeight), network, Alphabet("a\nb\nc")); err == nil {
		t.Error("a network with 3 characters is used with a list of 5")
	}
}
