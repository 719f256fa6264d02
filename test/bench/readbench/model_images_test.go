package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/modelvendor"
	"countersign/languagemodel"
	"countersign/languagemodel/stage"
	"countersign/reading/ocr"
)

func TestMain(m *testing.M) {
	ocr.Child()
	os.Exit(m.Run())
}

// With COUNTERSIGN_MODEL_INPUT=images the image of each page that was read is sent, made smaller to its
// bounds, and only then. A document without words is asked about by its image, and what only the image
// shows is a suggestion.
func TestModelOfTheBenchGetsImages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "scan.png")
	file, err := os.Create(path) //nolint:gosec // in the folder of the test
	if err == nil {
		err = png.Encode(file, modelvendor.Picture(2000, 2800, ""))
	}
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	options, err := settings{limits: true}.options("tesseract")
	if err != nil {
		t.Fatal(err)
	}
	reader, err := ocr.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	for _, send := range []bool{true, false} {
		vendor, model := imageModel(t, casework.ModelImageSettings{Send: send, Pages: 1, Side: 700, Bytes: 1 << 20, Tokens: 2500})
		s := settings{model: model}
		doc, _, err := obtain(t.Context(), reader, "made", path, s)
		if err != nil || doc.Err != "" || len(doc.Pages) != 1 {
			t.Fatalf("%v %q, %d pages", err, doc.Err, len(doc.Pages))
		}
		answer, err := askAbout(t.Context(), s, doc, truth{"total": {"99.00"}})
		if err != nil {
			t.Fatal(err)
		}
		requests := vendor.Requests()
		if !send {
			if answer.outcome != "no_text" || len(requests) != 0 || len(doc.images) != 0 {
				t.Errorf("without images: %+v, %d requests, %d images", answer, len(requests), len(doc.images))
			}
			continue
		}
		if answer.outcome != domain.ModelAnswered || answer.images != 1 || len(requests) != 1 || len(requests[0].Images) != 1 {
			t.Fatalf("%+v, %d requests", answer, len(requests))
		}
		if seen := requests[0].Images[0]; seen.Label != "Image of page 1:" || max(seen.Width, seen.Height) != 700 {
			t.Errorf("the vendor saw %+v", seen)
		}
	}
}

// What an image shows and no word states is a suggestion, and the images of a document type with fields
// that must not leave are not sent.
func TestImagesOfTheBenchAreSuggestions(t *testing.T) {
	t.Parallel()
	vendor, model := imageModel(t, casework.ModelImageSettings{Send: true, Pages: 1, Side: 2000, Bytes: 1 << 20, Tokens: 2500})
	picture := filepath.Join(t.TempDir(), "page.png")
	file, err := os.Create(picture) //nolint:gosec // in the folder of the test
	if err == nil {
		err = png.Encode(file, modelvendor.Picture(1000, 1400, "Invoice code: ZZ-77"))
	}
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(picture) //nolint:gosec // written above
	if err != nil {
		t.Fatal(err)
	}
	doc := saved{Pages: invoicePage("Invoice number: M-1"), images: []pageImage{{1, casework.ModelImage{
		MediaType: "image/png", Width: 1000, Height: 1400, Bytes: content}}}}
	answer, err := model.ask(t.Context(), doc, "invoice", nil)
	if err != nil || answer.outcome != domain.ModelAnswered || answer.images != 1 {
		t.Fatalf("%+v %v", answer, err)
	}
	for _, a := range answer.assertions {
		if a.Field == domain.FieldInvoiceCode && (a.Grounded || !a.Suggestion || a.Value != "ZZ-77") ||
			a.Field == domain.FieldNumber && !a.Grounded {
			t.Errorf("%+v", a)
		}
	}
	if len(answer.assertions) < 2 {
		t.Errorf("only %+v", answer.assertions)
	}
	model.kinds["invoice"].NeverSent = []string{domain.FieldIBAN}
	if answer, err := model.ask(t.Context(), doc, "invoice", nil); err != nil || answer.images != 0 {
		t.Errorf("%+v %v", answer, err)
	}
	if requests := vendor.Requests(); len(requests) != 2 || len(requests[1].Images) != 0 {
		t.Errorf("%d requests", len(requests))
	}
}

// imageModel returns a stub and a model in front of it with settings of images.
func imageModel(t *testing.T, images casework.ModelImageSettings) (*modelvendor.Vendor, *languageModel) {
	t.Helper()
	vendor, err := modelvendor.Start(modelvendor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(vendor.Close)
	client, err := stage.New(languagemodel.Settings{Endpoint: vendor.URL, Model: "stub", ImageTokens: int(images.Tokens)})
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := builtinKinds()
	if err != nil {
		t.Fatal(err)
	}
	return vendor, &languageModel{stage.Configured{Client: client, Settings: casework.ModelSettings{
		DocumentTypes: []string{"invoice"}, MaxTokens: 4096, Images: images}}, kinds}
}
