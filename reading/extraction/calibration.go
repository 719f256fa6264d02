package extraction

import (
	_ "embed" // the fitted curves
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"countersign/domain"
)

// Calibration holds the curves of each engine, by field: what share of the values with a confidence
// of the extractor is right. AnyField is the curve of fields that have too few values for their own.
type Calibration map[string]map[string]Curve

// AnyField is the name under which a calibration has the curve of all fields of an engine.
const AnyField = "*"

// TextLayer is the engine of values from the text layer of a file.
const TextLayer = "text"

// Curve is a non-decreasing step function from raw confidence to the share of right values.
type Curve []Step

// Step is one step of a curve: values with a raw confidence of at least From, and less than that of
// the next step, are right with probability Right. Values and Wrong say what it was fitted to.
type Step struct {
	From   float64 `json:"from"`
	Right  float64 `json:"right"`
	Values int     `json:"values"`
	Wrong  int     `json:"wrong"`
}

//go:embed calibration.json
var calibrationText []byte

var embedded = sync.OnceValue(func() Calibration {
	calibration, err := ParseCalibration(calibrationText)
	if err != nil {
		panic("extraction: calibration.json: " + err.Error())
	}
	return calibration
})

// BuiltIn returns the curves of the program.
func BuiltIn() Calibration { return embedded() }

// Calibrate returns the fields with the confidences that rules judge: the share of right values by the
// curves of the program, on the scale of Certainty. It is applied once, to the result of an extraction,
// so that no choice between values depends on it.
func Calibrate(pages []domain.Page, fields []domain.Field) []domain.Field {
	return embedded().apply(pages, fields, Certainty)
}

// SureShare is the share of right values from which values are sure: with it at most 1 % of the sure
// values are wrong, because most of them have a far larger share.
const SureShare = 0.925

// Certainty puts a share of right values on the scale of confidences, on which domain.LowConfidence is the
// bound of sure values for every engine: it is that of SureShare, 0 that of 0 and 1 that of 1.
func Certainty(share float64) float64 {
	if share < SureShare {
		return domain.LowConfidence * share / SureShare
	}
	return domain.LowConfidence + (1-domain.LowConfidence)*(share-SureShare)/(1-SureShare)
}

// ShareOf is the inverse of Certainty: the share of right values among those with the confidence.
func ShareOf(certainty float64) float64 {
	if certainty < domain.LowConfidence {
		return certainty / domain.LowConfidence * SureShare
	}
	return SureShare + (certainty-domain.LowConfidence)/(1-domain.LowConfidence)*(1-SureShare)
}

// Apply returns the fields with the share of right values by the curves as their confidences: of the
// values with 0.93, 93 of 100 are right in documents like those that the curves were fitted to.
func (c Calibration) Apply(pages []domain.Page, fields []domain.Field) []domain.Field {
	return c.apply(pages, fields, func(share float64) float64 { return share })
}

// apply sets confidences by the curves. The given fields do not change. A value keeps its confidence
// if it was not recognised, if its engine has no curves, if memory chose it, or if its confidence
// says whether amounts add up.
func (c Calibration) apply(
	pages []domain.Page, fields []domain.Field, scale func(share float64) float64,
) []domain.Field {
	calibrated := slices.Clone(fields)
	for i := range calibrated {
		field := &calibrated[i]
		if !IsCalibrated(*field) {
			continue
		}
		curves := c[EngineOf(pages, *field)]
		curve, ok := curves[field.Name]
		if !ok {
			curve, ok = curves[AnyField]
		}
		if ok {
			field.Confidence = scale(curve.calibrated(field.Confidence))
		}
	}
	return calibrated
}

// IsCalibrated reports whether curves apply to the confidence of the field.
func IsCalibrated(field domain.Field) bool {
	return (field.Source == domain.SourceOCR || field.Source == domain.SourceText) &&
		field.LearnedFrom == domain.NoID && !slices.Contains(domain.PartAmounts, field.Name)
}

// EngineOf returns the engine that read the field: that of its page, or of the first page if the field
// is on none. It is "" for pages that do not say their engine.
func EngineOf(pages []domain.Page, field domain.Field) string {
	at := slices.IndexFunc(pages, func(p domain.Page) bool { return p.Number == field.Page })
	switch {
	case field.Source == domain.SourceText:
		return TextLayer
	case len(pages) == 0:
		return ""
	}
	page := pages[max(at, 0)]
	if page.Source == domain.SourceText {
		return TextLayer
	}
	return page.Engine
}

// rawCertain is the raw confidence below which the extractor itself has a doubt, for example because two
// engines read different values. However often such values are right, a person looks at them, so they
// have at most uncertainMost, which is below SureShare.
const (
	rawCertain    = 0.6
	uncertainMost = 0.92
)

func (c Curve) calibrated(raw float64) float64 {
	if raw < rawCertain {
		return min(c.At(raw), uncertainMost)
	}
	return c.At(raw)
}

// At returns the share of right values at a raw confidence.
func (c Curve) At(raw float64) float64 {
	right := 0.0
	for i, step := range c {
		if i > 0 && raw < step.From {
			break
		}
		right = step.Right
	}
	return right
}

// ParseCalibration parses curves from JSON, and checks that each of them is a non-decreasing function
// to values between 0 and 1.
func ParseCalibration(text []byte) (Calibration, error) {
	var calibration Calibration
	if err := json.Unmarshal(text, &calibration); err != nil {
		return nil, err
	}
	for engine, curves := range calibration {
		for field, curve := range curves {
			if err := curve.check(); err != nil {
				return nil, fmt.Errorf("%s of %s: %w", field, engine, err)
			}
		}
	}
	return calibration, nil
}

func (c Curve) check() error {
	if len(c) == 0 {
		return fmt.Errorf("the curve has no steps")
	}
	for i, step := range c {
		if step.From < 0 || step.From > 1 || step.Right <= 0 || step.Right >= 1 {
			return fmt.Errorf("step %d is not between 0 and 1", i+1)
		}
		if i > 0 && (step.From <= c[i-1].From || step.Right < c[i-1].Right) {
			return fmt.Errorf("step %d decreases", i+1)
		}
	}
	return nil
}
