package extraction

import (
	"math"
	"slices"
	"testing"

	"countersign/domain"
)

var testCurves = Calibration{
	"one": {"date": {{From: 0, Right: 0.3}, {From: 0.7, Right: 0.99}},
		"total": {{From: 0, Right: 0.98}}, AnyField: {{From: 0, Right: 0.5}}},
	TextLayer: {AnyField: {{From: 0, Right: 0.8}}},
}

func TestApplyCalibration(t *testing.T) {
	t.Parallel()
	pages := []domain.Page{{Number: 1, Source: domain.SourceOCR, Engine: "one"},
		{Number: 2, Source: domain.SourceText}, {Number: 3, Source: domain.SourceOCR}}
	for name, row := range map[string]struct {
		field domain.Field
		want  float64
	}{
		"below a step":        {domain.Field{Name: "date", Page: 1, Confidence: 0.69}, 0.3},
		"doubtful":            {domain.Field{Name: "total", Page: 1, Confidence: 0.59}, uncertainMost},
		"on a step":           {domain.Field{Name: "date", Page: 1, Confidence: 0.7}, 0.99},
		"without a curve":     {domain.Field{Name: "iban", Page: 1, Confidence: 0.9}, 0.5},
		"a text layer":        {domain.Field{Name: "date", Page: 2, Confidence: 0.9}, 0.8},
		"an unknown engine":   {domain.Field{Name: "date", Page: 3, Confidence: 0.9}, 0.9},
		"on no page":          {domain.Field{Name: "date", Confidence: 0.9}, 0.99},
		"from an e-invoice":   {domain.Field{Name: "date", Confidence: 1, Source: domain.SourceXML}, 1},
		"chosen by memory":    {domain.Field{Name: "date", Page: 1, Confidence: 0.9, LearnedFrom: domain.ID{1}}, 0.9},
		"a part of the total": {domain.Field{Name: "net", Page: 1, Confidence: 0.9}, 0.9},
	} {
		row.field.Source = max(row.field.Source, domain.SourceOCR)
		given := []domain.Field{row.field}
		got := testCurves.Apply(pages, given)
		if got[0].Confidence != row.want || given[0].Confidence != row.field.Confidence {
			t.Errorf("%s: %v, want %v", name, got[0].Confidence, row.want)
		}
	}
}

// The curves of the program can be read, and each engine has a curve for any field. A value that the
// extractor doubts is never sure.
func TestBuiltInCalibration(t *testing.T) {
	t.Parallel()
	curves, err := ParseCalibration(calibrationText)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []string{"tesseract", "ppocr", "both", TextLayer} {
		if len(curves[engine][AnyField]) == 0 {
			t.Errorf("%s has no curve", engine)
		}
		for field, curve := range curves[engine] {
			if curve.calibrated(0.59) > uncertainMost {
				t.Errorf("%s of %s: a doubtful value is sure", field, engine)
			}
		}
	}
}

// Calibration changes no order of values of one engine and field.
func TestCalibrationKeepsOrder(t *testing.T) {
	t.Parallel()
	for engine, curves := range embedded() {
		for field, curve := range curves {
			var shares []float64
			for raw := 0.0; raw <= 1; raw += 0.001 {
				shares = append(shares, curve.calibrated(raw))
			}
			if !slices.IsSorted(shares) {
				t.Errorf("%s of %s", field, engine)
			}
		}
	}
}

// The program calls exactly those values sure whose share of right values is SureShare or more, and the
// order of values stays.
func TestCertainty(t *testing.T) {
	t.Parallel()
	last := -1.0
	for share := 0.0; share <= 1; share += 0.0005 {
		certainty := Certainty(share)
		if certainty <= last || certainty > 1 ||
			certainty >= domain.LowConfidence != (share >= SureShare) ||
			math.Abs(ShareOf(certainty)-share) > 1e-9 {
			t.Errorf("%v is %v", share, certainty)
		}
		last = certainty
	}
	pages := []domain.Page{{Number: 1, Source: domain.SourceOCR, Engine: "one"}}
	field := domain.Field{Name: "date", Page: 1, Confidence: 0.7, Source: domain.SourceOCR}
	got := testCurves.apply(pages, []domain.Field{field}, Certainty)[0].Confidence
	if got != Certainty(0.99) {
		t.Errorf("a share of 0.99 is %v", got)
	}
}

func TestParseCalibrationRefuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no JSON":           `{`,
		"no steps":          `{"one": {"*": []}}`,
		"a certainty":       `{"one": {"*": [{"from": 0, "right": 1}]}}`,
		"a falling share":   `{"one": {"*": [{"from": 0, "right": 0.9}, {"from": 0.5, "right": 0.8}]}}`,
		"steps out of turn": `{"one": {"*": [{"from": 0.5, "right": 0.7}, {"from": 0.5, "right": 0.8}]}}`,
	} {
		if _, err := ParseCalibration([]byte(text)); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
