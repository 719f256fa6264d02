package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"countersign/reading/extraction"
)

// TestFitRefusesNothing: curves of nothing would be a success that means nothing.
func TestFitRefusesNothing(t *testing.T) {
	t.Parallel()
	if _, err := fit(nil); err == nil {
		t.Error("no values lead to curves")
	}
}

// Any curve is non-decreasing, stays between 0 and 1, counts all values, and survives JSON with the
// checks of the program.
func TestFittedCurves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var samples []sample
		for i := range rapid.IntRange(1, 200).Draw(t, "values") {
			samples = append(samples, sample{engine: rapid.SampledFrom([]string{"one", "two"}).Draw(t, "engine"),
				field:  rapid.SampledFrom([]string{"date", "total"}).Draw(t, "field"),
				vendor: fmt.Sprint(i), raw: rapid.Float64Range(0, 1).Draw(t, "raw"),
				isRight: rapid.Bool().Draw(t, "right")})
		}
		fitted, err := fit(samples)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(fitted)
		if err == nil {
			_, err = extraction.ParseCalibration(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		counted := 0
		for _, fields := range fitted {
			for _, step := range fields[extraction.AnyField] {
				counted += step.Values
			}
		}
		if counted != len(samples) {
			t.Errorf("the curves of all fields count %d of %d values", counted, len(samples))
		}
	})
}

func TestFitCurve(t *testing.T) {
	t.Parallel()
	var samples []sample
	add := func(count int, raw float64, isRight bool) {
		for range count {
			samples = append(samples, sample{raw: raw, isRight: isRight})
		}
	}
	add(4, 0.3, true)
	add(4, 0.2, false)
	add(1, 0.5, false)
	add(97, 0.8, true)
	add(1, 0.99, false) // a single wrong value with a high confidence lowers those below it
	add(1, 0.1, true)
	curve := fitCurve(samples)
	for raw, want := range map[float64]float64{0: 0.2857, 0.2: 0.2857, 0.299: 0.2857, 0.3: 0.7142,
		0.79: 0.7142, 0.8: 0.98, 1: 0.98} {
		if got := curve.At(raw); got != want {
			t.Errorf("%v: %v, want %v; %v", raw, got, want, curve)
		}
	}
}

// A field with few values has the curve of all fields of its engine.
func TestFitFieldsWithFewValues(t *testing.T) {
	t.Parallel()
	var samples []sample
	for range minValues {
		samples = append(samples, sample{engine: "one", field: "total", raw: 0.9, isRight: true})
	}
	samples = append(samples, sample{engine: "one", field: "iban", raw: 0.9})
	fitted, err := fit(samples)
	if err != nil || len(fitted["one"]["total"]) == 0 || len(fitted["one"][extraction.AnyField]) == 0 {
		t.Fatal(fitted, err)
	}
	if _, ok := fitted["one"]["iban"]; ok {
		t.Error("one value has a curve of its own")
	}
}

// No vendor is in the fold that its curves were fitted to, and the folds are of similar size.
func TestFolds(t *testing.T) {
	t.Parallel()
	var samples []sample
	for i := range 300 {
		samples = append(samples, sample{engine: "one", field: "total", vendor: fmt.Sprint(i % 23),
			raw: 0.5, isRight: true})
	}
	sizes := make([]int, foldCount)
	fold := folds(samples, foldCount)
	for _, s := range samples {
		sizes[fold[s.vendor]]++
	}
	byVendor, err := crossFit(samples, foldCount)
	if err != nil {
		t.Fatal(err)
	}
	for vendor, at := range fold {
		if got := byVendor[vendor]["one"][extraction.AnyField][0].Values; got != len(samples)-sizes[at] {
			t.Errorf("vendor %s: fitted to %d values, want %d", vendor, got, len(samples)-sizes[at])
		}
	}
	for _, size := range sizes {
		if size < 40 || size > 80 {
			t.Errorf("sizes %v", sizes)
		}
	}
}
