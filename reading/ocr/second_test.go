package ocr_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

// secondEngine is a second engine with a fixed result.
type secondEngine struct {
	fixedEngine
	words []domain.Word
	err   error
}

func (s secondEngine) Recognise(ctx context.Context, _ *sandbox.Folder, _ ocr.Image) ([]domain.Word, error) {
	if s.words == nil && s.err == nil {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.words, s.err
}

// Attack: a page that disables the second engine is read, but nothing on it is sure.
func TestAFailedSecondReading(t *testing.T) {
	t.Parallel()
	scan := asPNG(t, drawText(t, receipt))
	for name, row := range map[string]struct {
		second secondEngine
		most   float64
	}{
		"fails":         {secondEngine{err: domain.Errorf(domain.EngineFailed, "broken")}, 0.3},
		"takes long":    {secondEngine{err: domain.Errorf(domain.TimedOut, "slow")}, 0.3},
		"is too large":  {secondEngine{err: domain.Errorf(domain.FileTooComplex, "memory")}, 0.3},
		"reads nothing": {secondEngine{words: []domain.Word{}}, 0.3},
		"agrees": {secondEngine{words: []domain.Word{{Text: "hello", Confidence: 0.5,
			Box: domain.Box{X: 1, Y: 1, W: 5, H: 5}}}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var observed []error
			var mu sync.Mutex
			reader := newReader(t, ocr.Options{Engine: fixedEngine{}, Second: row.second,
				OnSecondReading: func(err error) {
					mu.Lock()
					defer mu.Unlock()
					observed = append(observed, err)
				}})
			page := read(t, reader, scan).Pages[0]
			if page.Text != "hello" || page.Words[0].Confidence != row.most || page.Engine != ocr.Both {
				t.Errorf("%q by %q: %+v", page.Text, page.Engine, page.Words)
			}
			if len(observed) != 1 || !errors.Is(observed[0], row.second.err) {
				t.Errorf("observed %v", observed)
			}
		})
	}
}

// askedEngine is an engine that reads fixed words and keeps the languages that it was asked for.
type askedEngine struct {
	fixedEngine
	words     []domain.Word
	languages *[]string
}

func (a askedEngine) Recognise(_ context.Context, _ *sandbox.Folder, image ocr.Image) ([]domain.Word, error) {
	*a.languages = image.Languages
	return a.words, nil
}

// A Chinese page is read again in Chinese, if the request allows it: in English every word would
// differ.
func TestTheSecondReadingKnowsTheScript(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text      string
		requested []string
		want      string
	}{
		{"发票号码", nil, "chi_sim eng"}, {"Invoice", nil, "eng"},
		{"发票号码", []string{"deu"}, "deu"}, {"发票", []string{"deu", "chi_sim"}, "chi_sim deu"},
	} {
		var first, second []string
		word := domain.Word{Text: row.text, Confidence: 1, Box: domain.Box{W: 9, H: 9}}
		reader := newReader(t, ocr.Options{
			Engine: askedEngine{words: []domain.Word{word}, languages: &first},
			Second: askedEngine{words: []domain.Word{word}, languages: &second}})
		reading, err := reader.Read(t.Context(), bytes.NewReader(asPNG(t, drawText(t, receipt))),
			ocr.Request{Languages: row.requested})
		if err != nil {
			t.Fatal(err)
		}
		reading.Close()
		if got := strings.Join(second, " "); got != row.want || len(first) != 1 {
			t.Errorf("%s: %q after %q, want %q", row.text, got, first, row.want)
		}
	}
}

// A caller that stops waiting gets its own error, and no page without a second reading.
func TestACancelledSecondReading(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{Engine: fixedEngine{}, Second: secondEngine{}})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err := reader.Read(ctx, bytes.NewReader(asPNG(t, drawText(t, receipt))), ocr.Request{})
	if !domain.HasCode(err, domain.TimedOut) {
		t.Errorf("got %v", err)
	}
}

// A second engine that hangs or computes without end is stopped after half of the engine's time.
func TestASecondEngineHasLimits(t *testing.T) {
	t.Parallel()
	files := ppocrFiles(t)
	for _, program := range []string{"exec sleep 3600", "while :; do :; done",
		"echo std::bad_alloc >&2; exit 134"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			reader := newReader(t, ocr.Options{PPOCR: files, Compare: true,
				Programs: ocr.Programs{Tesseract: script(t, program)},
				Limits:   ocr.Limits{OCRCPU: 20 * time.Second, OCRWall: 40 * time.Second}})
			reading := read(t, reader, asPNG(t, drawText(t, receipt)))
			requireReceipt(t, reading)
			for _, word := range reading.Pages[0].Words {
				if word.Confidence > 0.3 {
					t.Fatalf("%+v is sure", word)
				}
			}
		})
	}
}

// Both engines read a clear page alike: the words stay sure and have no alternatives that count.
func TestBothEnginesReadAClearPage(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{PPOCR: ppocrFiles(t), Compare: true})
	reading := read(t, reader, asPNG(t, drawText(t, receipt)))
	requireReceipt(t, reading)
	sure := 0
	for _, word := range reading.Pages[0].Words {
		if word.Confidence > 0.9 && word.Alternative == "" {
			sure++
		}
	}
	if all := len(reading.Pages[0].Words); sure*10 < all*8 {
		t.Errorf("%d of %d words are sure", sure, all)
	}
}
