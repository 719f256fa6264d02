package ocr_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

// englishEngine is an engine whose data has only English.
type englishEngine struct {
	fixedEngine
	asked *[]string
}

func (e englishEngine) Recognise(_ context.Context, _ *sandbox.Folder, image ocr.Image) ([]domain.Word, error) {
	*e.asked = append(*e.asked, strings.Join(image.Languages, "+"))
	if !slices.Contains(image.Languages, "eng") {
		return nil, domain.Errorf(domain.EngineFailed, "no data")
	}
	return []domain.Word{{Text: "Rechnung", Confidence: 0.9, Box: domain.Box{W: 80, H: 20}}}, nil
}

// Where the data of a language is not installed, the page is still read again, in the usual one.
func TestASecondReadingWithoutTheLanguage(t *testing.T) {
	t.Parallel()
	var words []domain.Word
	for i, text := range strings.Fields("Rechnung Datum Betrag Menge Kunde") {
		words = append(words, domain.Word{Text: text, Confidence: 0.9, Line: i + 1,
			Box: domain.Box{Y: 30 * i, W: 80, H: 20}})
	}
	var first, asked []string
	reader := newReader(t, ocr.Options{Engine: askedEngine{words: words, languages: &first},
		Second: englishEngine{asked: &asked}})
	reading, err := reader.Read(t.Context(), bytes.NewReader(asPNG(t, drawText(t, receipt))), ocr.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	if got := strings.Join(asked, " "); got != "deu eng" {
		t.Errorf("asked for %q", got)
	}
	if word := reading.Pages[0].Words[0]; word.Confidence < 0.9 {
		t.Errorf("not compared: %+v", word)
	}
}
