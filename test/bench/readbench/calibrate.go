package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"countersign/domain"
	"countersign/reading/extraction"
	"countersign/rules"
)

// foldCount is the number of folds in which figures of fitted curves are measured.
const foldCount = 5

// The values of -calibration.
const (
	calibrationBuiltIn = "built-in" // the curves of the program
	calibrationFolds   = "folds"    // for each vendor the curves fitted to the vendors of other folds
	calibrationNone    = "none"     // raw confidences
)

// calibratedBound is the bound of shares of right values.
const calibratedBound = extraction.SureShare

// chosenBound returns the confidence from which values count as certain.
func (s settings) chosenBound() float64 {
	switch {
	case s.bound > 0:
		return s.bound
	case s.calibration == calibrationNone:
		return rules.LowConfidence
	}
	return calibratedBound
}

// calibrator calibrates the values of a document of a vendor.
type calibrator func(vendor string, pages []domain.Page, fields []domain.Field) []domain.Field

// newCalibrator returns the calibrator that the settings ask for. Fitted curves need kept readings.
func newCalibrator(ctx context.Context, sets []set, s settings) (calibrator, error) {
	switch s.calibration {
	case calibrationBuiltIn:
		return func(_ string, pages []domain.Page, fields []domain.Field) []domain.Field {
			return extraction.BuiltIn().Apply(pages, fields)
		}, nil
	case calibrationNone:
		return func(_ string, _ []domain.Page, fields []domain.Field) []domain.Field { return fields }, nil
	case calibrationFolds:
		samples, err := collect(ctx, sets, s)
		if err != nil {
			return nil, err
		}
		byVendor, err := crossFit(samples, foldCount)
		return func(vendor string, pages []domain.Page, fields []domain.Field) []domain.Field {
			return byVendor[vendor].Apply(pages, fields)
		}, err
	}
	return nil, fmt.Errorf("no calibration is called %q", s.calibration)
}

// withBound returns the fields as the rules judge them if another bound is the one of certain values.
func withBound(fields []domain.Field) []domain.Field {
	if sureBound == rules.LowConfidence {
		return fields
	}
	bounded := slices.Clone(fields)
	for i := range bounded {
		switch field := &bounded[i]; {
		case !extraction.IsCalibrated(*field):
		case field.Confidence >= sureBound:
			field.Confidence = max(field.Confidence, rules.LowConfidence)
		default:
			field.Confidence = min(field.Confidence, rules.LowConfidence-0.001)
		}
	}
	return bounded
}

// runFit fits curves to the kept readings of all engines and writes them to a file.
func runFit(ctx context.Context, to io.Writer, sets []set, s settings) error {
	samples, err := collect(ctx, sets, s)
	if err != nil {
		return err
	}
	calibration, err := fit(samples)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(calibration, "", "\t")
	if err != nil {
		return err
	}
	printCurves(to, calibration)
	return os.WriteFile(s.fit, append(text, '\n'), 0o644)
}

// collect returns the values of all kept documents whose truth is known. A text layer is the same for
// all engines, so that its values are collected once.
func collect(ctx context.Context, sets []set, s settings) ([]sample, error) {
	if s.from == "" {
		return nil, errors.New("curves are fitted to kept readings: -from FOLDER is missing")
	}
	var samples []sample
	seen := map[sample]bool{}
	for engine := range strings.SplitSeq(s.engine, ",") {
		of := s
		of.from = filepath.Join(s.from, engine)
		for _, set := range sets {
			for _, path := range set.files {
				found, err := samplesOf(ctx, set.name, path, of)
				if err != nil {
					return nil, err
				}
				for _, one := range found {
					key := sample{engine: one.engine, document: one.document, field: one.field}
					if !seen[key] {
						samples = append(samples, one)
					}
					seen[key] = true
				}
			}
		}
	}
	return samples, nil
}

// samplesOf returns the values of a document that curves are fitted to.
func samplesOf(ctx context.Context, setName, path string, s settings) ([]sample, error) {
	known, err := readTruth(path)
	if err != nil || known == nil {
		return nil, err
	}
	doc, _, err := obtain(ctx, nil, setName, path, s)
	if err != nil {
		return nil, err
	}
	var samples []sample
	for _, field := range extraction.Extract(doc.Pages, extraction.Hints{}) {
		engine := extraction.EngineOf(doc.Pages, field)
		if len(known[field.Name]) == 0 || field.Normalised == "" || engine == "" ||
			!extraction.IsCalibrated(field) {
			continue
		}
		samples = append(samples, sample{engine: engine, document: setName + "/" + filepath.Base(path),
			field: field.Name, vendor: vendorOf(known), raw: field.Confidence,
			isRight: right(field.Name, field, known[field.Name])})
	}
	return samples, nil
}

// vendorOf returns what documents of one vendor have in common: its letters and digits.
func vendorOf(known truth) string {
	if len(known[domain.FieldVendor]) == 0 {
		return ""
	}
	return letters(known[domain.FieldVendor][0])
}

// printCurves prints the steps of all curves.
func printCurves(to io.Writer, calibration extraction.Calibration) {
	table := tabwriter.NewWriter(to, 2, 0, 2, ' ', 0)
	fmt.Fprintln(table, "engine\tfield\tvalues\tcurve: raw confidence from, share right")
	for _, engine := range slices.Sorted(maps.Keys(calibration)) {
		for _, field := range slices.Sorted(maps.Keys(calibration[engine])) {
			values, steps := 0, []string{}
			for _, step := range calibration[engine][field] {
				values += step.Values
				steps = append(steps, fmt.Sprintf("%.3f %.4f (%d of %d)", step.From, step.Right,
					step.Values-step.Wrong, step.Values))
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", engine, field, values, strings.Join(steps, "; "))
		}
	}
	_ = table.Flush()
}
