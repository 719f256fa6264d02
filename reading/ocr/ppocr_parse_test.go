package ocr

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"countersign/domain"
)

func TestParseWordLines(t *testing.T) {
	t.Parallel()
	const word = `{"text":"Total","x":10,"y":10,"w":20,"h":8,"confidence":0.9,"line":1}` + "\n"
	words, err := parseWordLines([]byte(word+
		`{"text":" 12.50 ","x":40,"y":-3,"w":200,"h":8,"confidence":1.5,"line":2}`+"\n"+
		`{"text":"off","x":300,"y":1,"w":20,"h":8,"confidence":0.9,"line":3}`+"\n"+
		`{"text":" ","x":1,"y":1,"w":20,"h":8,"confidence":0.9,"line":3}`+"\n"+
		`{"words":4}`+"\n"), 100, 50)
	want := []domain.Word{
		{Text: "Total", Box: domain.Box{X: 10, Y: 10, W: 20, H: 8}, Confidence: 0.9, Line: 1},
		{Text: "12.50", Box: domain.Box{X: 40, Y: 0, W: 60, H: 5}, Confidence: 1, Line: 2},
	}
	if err != nil || !reflect.DeepEqual(words, want) {
		t.Errorf("%v %+v", err, words)
	}
	if words, err := parseWordLines([]byte(`{"words":0}`), 100, 50); err != nil || len(words) != 0 {
		t.Errorf("an empty page: %v %v", words, err)
	}
	// Output that was cut off, doubled or never written must not pass as a page with less text.
	for _, broken := range []string{"", "hello", word, word + `{"words":2}`, word + word + `{"words":1}`,
		word + `{"words":1}` + word, `{"words":0}{"words":0}`, `[]`, `{"words":-1}`,
		strings.Replace(word, "10", "1.5", 1) + `{"words":1}`} {
		if _, err := parseWordLines([]byte(broken), 100, 50); err == nil {
			t.Errorf("%q passes", broken)
		}
	}
}

// The engine is used only if it is chosen and nothing is missing; the error names each missing file.
func TestChoosePPOCR(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, name := range []string{"program", "library", ppocrDetection, ppocrDirection,
		ppocrRecognition, ppocrCharacters} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	files := PPOCRFiles{Program: filepath.Join(folder, "program"),
		Library: filepath.Join(folder, "library"), Models: folder}
	if found, err := ChoosePPOCR("ppocr", files); err != nil || found == nil || *found != files {
		t.Errorf("%+v %v", found, err)
	}
	for _, other := range []string{"tesseract", ""} {
		if found, err := ChoosePPOCR(other, files); err != nil || found != nil {
			t.Errorf("%q: %+v %v", other, found, err)
		}
	}
	if found, err := ChoosePPOCR("ppocr", PPOCRFiles{Program: "ocrengine-missing"}); err == nil ||
		found != nil || !strings.Contains(err.Error(), ppocrDirection) ||
		!strings.Contains(err.Error(), "ocrengine-missing") {
		t.Errorf("%+v %v", found, err)
	}
	files.Library = folder
	if _, err := ChoosePPOCR("ppocr", files); err == nil {
		t.Error("a folder is a library")
	}
}

// Whatever the program writes, the words lie on the page and have a confidence.
func FuzzParseWordLines(f *testing.F) {
	f.Add([]byte(`{"text":"a","x":1,"y":1,"w":2,"h":2,"confidence":0.5,"line":1}{"words":1}`))
	f.Add([]byte(`{"text":"a","x":-9223372036854775808,"w":9223372036854775807,"h":1}{"words":1}`))
	f.Add([]byte(`{"words":0}`))
	f.Fuzz(func(t *testing.T, output []byte) {
		words, err := parseWordLines(output, 100, 50)
		if err != nil && words != nil {
			t.Fatalf("words and an error: %v", err)
		}
		for _, w := range words {
			if w.Box.X < 0 || w.Box.Y < 0 || w.Box.W < 1 || w.Box.H < 1 ||
				w.Box.X+w.Box.W > 100 || w.Box.Y+w.Box.H > 50 || w.Line < 1 ||
				!(w.Confidence >= 0 && w.Confidence <= 1) || strings.TrimSpace(w.Text) == "" {
				t.Fatalf("%+v", w)
			}
		}
	})
}
