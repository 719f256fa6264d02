package main

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"countersign/reading/extraction"
)

// sample is one value of a document whose truth is known, with the raw confidence of the extractor.
type sample struct {
	engine, document, field, vendor string
	raw                             float64
	isRight                         bool
}

// minValues is the number of values from which a field has a curve of its own.
const minValues = 40

// fit returns the curves of all engines and fields of the samples.
func fit(samples []sample) (extraction.Calibration, error) {
	if len(samples) == 0 {
		return nil, errors.New("there are no values with known truth to fit curves to")
	}
	groups := map[string]map[string][]sample{}
	for _, s := range samples {
		if groups[s.engine] == nil {
			groups[s.engine] = map[string][]sample{}
		}
		for _, field := range []string{s.field, extraction.AnyField} {
			groups[s.engine][field] = append(groups[s.engine][field], s)
		}
	}
	calibration := extraction.Calibration{}
	for engine, fields := range groups {
		calibration[engine] = map[string]extraction.Curve{}
		for field, group := range fields {
			if field == extraction.AnyField || len(group) >= minValues {
				calibration[engine][field] = fitCurve(group)
			}
		}
	}
	return calibration, nil
}

// fitCurve fits a curve by isotonic regression: neighbours whose shares decrease are pooled. Each
// block then has the share expected of its next value, (right+1)/(values+2), so that few values are
// never a certainty; blocks in which this share would decrease are pooled again.
func fitCurve(samples []sample) extraction.Curve {
	sorted := slices.SortedFunc(slices.Values(samples),
		func(a, b sample) int { return cmp.Compare(a.raw, b.raw) })
	var steps extraction.Curve
	for _, s := range sorted {
		from, wrong := floorOf(s.raw), 1
		if s.isRight {
			wrong = 0
		}
		if last := len(steps) - 1; last >= 0 && steps[last].From == from {
			steps[last].Values++
			steps[last].Wrong += wrong
			continue
		}
		steps = append(steps, extraction.Step{From: from, Values: 1, Wrong: wrong})
	}
	steps = pool(steps, func(s extraction.Step) float64 { return 1 - float64(s.Wrong)/float64(s.Values) })
	steps = pool(steps, expectedShare)
	for i := range steps {
		steps[i].Right = math.Floor(expectedShare(steps[i])*1e4) / 1e4
	}
	steps[0].From = 0
	return steps
}

// floorOf is a raw confidence with three digits, so that a curve does not end between equal values.
func floorOf(raw float64) float64 { return math.Floor(raw*1e3) / 1e3 }

func expectedShare(s extraction.Step) float64 {
	return float64(s.Values-s.Wrong+1) / float64(s.Values+2)
}

// pool joins neighbouring steps until the share increases from each to the next.
func pool(steps extraction.Curve, share func(extraction.Step) float64) extraction.Curve {
	var pooled extraction.Curve
	for _, step := range steps {
		for last := len(pooled) - 1; last >= 0 && share(pooled[last]) >= share(step); last-- {
			step = extraction.Step{From: pooled[last].From,
				Values: pooled[last].Values + step.Values, Wrong: pooled[last].Wrong + step.Wrong}
			pooled = pooled[:last]
		}
		pooled = append(pooled, step)
	}
	return pooled
}

// folds divides the vendors into so many folds of nearly the same number of values: the vendor with
// most values first, into the fold that has fewest. All documents of a vendor are in one fold.
func folds(samples []sample, count int) map[string]int {
	values := map[string]int{}
	for _, s := range samples {
		values[s.vendor]++
	}
	vendors := make([]string, 0, len(values))
	for vendor := range values {
		vendors = append(vendors, vendor)
	}
	slices.SortFunc(vendors, func(a, b string) int {
		return cmp.Or(cmp.Compare(values[b], values[a]), cmp.Compare(a, b))
	})
	fold, sizes := map[string]int{}, make([]int, count)
	for _, vendor := range vendors {
		at := slices.Index(sizes, slices.Min(sizes))
		fold[vendor] = at
		sizes[at] += values[vendor]
	}
	return fold
}

// crossFit returns for each vendor the curves fitted to the vendors of the other folds.
func crossFit(samples []sample, count int) (map[string]extraction.Calibration, error) {
	fold := folds(samples, count)
	fitted := make([]extraction.Calibration, count)
	for i := range fitted {
		others := slices.DeleteFunc(slices.Clone(samples),
			func(s sample) bool { return fold[s.vendor] == i })
		var err error
		if fitted[i], err = fit(others); err != nil {
			return nil, err
		}
	}
	byVendor := map[string]extraction.Calibration{}
	for vendor, i := range fold {
		byVendor[vendor] = fitted[i]
	}
	return byVendor, nil
}
