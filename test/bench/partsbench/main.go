// Command partsbench measures how many files with several documents are found: composed files of the
// receipts and invoices of a data folder, and single documents, none of which may be divided.
//
// What may enter: ways to compose files, counts of what was found.
// What never happens here: deciding what a part is, changes to what is measured.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"countersign/domain"
	"countersign/reading/extraction"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

type settings struct {
	data, singles, kept, engine string
	sets                        string
	offset                      int
	limits, verbose, pairs      bool
	ppocr                       ocr.PPOCRFiles
}

func main() {
	ocr.Child()
	var s settings
	flag.StringVar(&s.data, "data", "", "folder of the documents from which files are composed")
	flag.StringVar(&s.singles, "singles", "",
		"folder in which readbench -save kept what was read of single documents")
	flag.StringVar(&s.kept, "kept", "", "folder that keeps the composed files and what was read of them")
	flag.StringVar(&s.sets, "sets", "sroie,sroie_more,zugferd,invoice2data,cn_vat,ocrmypdf_scans",
		"sets of single documents, by comma")
	flag.IntVar(&s.offset, "offset", 0, "compose other documents: begin with this one")
	flag.StringVar(&s.engine, "engine", "tesseract", "engine: tesseract or ppocr")
	flag.BoolVar(&s.limits, "accept-limits-only", false,
		"read even where only resource limits hold")
	flag.StringVar(&s.ppocr.Program, "ocr-engine-program", "bin/ocrengine", "program of ppocr")
	flag.StringVar(&s.ppocr.Library, "ocr-library", ".data/ocrengine/libonnxruntime.so.1",
		"ONNX Runtime of ppocr")
	flag.StringVar(&s.ppocr.Models, "ocr-models", ".data/ocrengine", "networks of ppocr")
	flag.BoolVar(&s.pairs, "pairs", false, "with -singles: join the single documents two by two too")
	flag.BoolVar(&s.verbose, "v", false, "print every file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "partsbench:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

func bench(ctx context.Context, s settings) error {
	divided := 0
	if s.singles != "" {
		var err error
		if divided, err = countSingles(s); err != nil {
			return err
		}
		if s.pairs {
			if err := countPairs(s); err != nil {
				return err
			}
		}
	}
	if s.data != "" {
		if err := countComposites(ctx, s); err != nil {
			return err
		}
	}
	if divided > 0 {
		return fmt.Errorf("%d single documents were divided", divided)
	}
	return nil
}

// reading is what was read of a file, as readbench keeps it.
type reading struct {
	Pages []domain.Page
	XML   []byte
	Err   string
}

// examine returns what the pages show, beside the e-invoice if the file has one.
func examine(found reading) extraction.Examination {
	structured, _, err := extraction.InvoiceFromXML(found.XML)
	if err != nil {
		structured = nil
	}
	return extraction.Examine(found.Pages, extraction.Hints{}, structured)
}

func partsOf(found reading) []domain.DocumentPart { return examine(found).Parts }

// elsewhere lists the other values that the file states, as text.
func elsewhere(fields []domain.Field) string {
	texts := make([]string, len(fields))
	for i, field := range fields {
		texts[i] = fmt.Sprintf("%s %s (page %d)", field.Name, field.Normalised, field.Page)
	}
	return strings.Join(texts, ", ")
}

func parseReading(path string) (reading, error) {
	var found reading
	text, err := os.ReadFile(path)
	if err != nil {
		return found, err
	}
	return found, json.Unmarshal(text, &found)
}

// countSingles prints how many of the single documents seem to contain several.
func countSingles(s settings) (divided int, err error) {
	for _, set := range strings.Split(s.sets, ",") {
		paths, err := filepath.Glob(filepath.Join(s.singles, s.engine, set, "*.json"))
		if err != nil {
			return 0, err
		}
		if len(paths) == 0 {
			continue
		}
		wrong, doubted := 0, 0
		for _, path := range paths {
			found, err := parseReading(path)
			if err != nil {
				return 0, err
			}
			examined := examine(found)
			switch parts := examined.Parts; {
			case len(parts) > 1:
				wrong++
				fmt.Printf("  divided: %s/%s %s\n", set, filepath.Base(path), describe(parts))
			case len(examined.Elsewhere) > 0:
				doubted++
				fmt.Printf("  doubted: %s/%s %s\n", set, filepath.Base(path), elsewhere(examined.Elsewhere))
			}
		}
		fmt.Printf("%s: %d of %d single documents divided, in %d others fields doubted\n", set, wrong,
			len(paths), doubted)
		divided += wrong
	}
	return divided, nil
}

// countComposites composes the files that are not kept yet, reads them, and prints how many are
// found to contain several documents, and how many exactly the right number.
func countComposites(ctx context.Context, s settings) error {
	all, err := composites(s.data, s.offset)
	if err != nil {
		return err
	}
	if s.kept == "" {
		if s.kept, err = os.MkdirTemp("", "partsbench-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(s.kept) }()
	}
	if err := os.MkdirAll(filepath.Join(s.kept, s.engine), 0o755); err != nil {
		return err
	}
	reader := sync.OnceValues(func() (*ocr.Reader, error) { return s.reader(ctx) })
	detected, exact, kinds := 0, 0, map[string][2]int{}
	for _, c := range all {
		found, err := s.read(ctx, c, reader)
		if err != nil {
			return err
		}
		parts := partsOf(found)
		kind := strings.TrimRight(strings.TrimSuffix(c.name, filepath.Ext(c.name)), "-0123456789")
		count := kinds[kind]
		count[1]++
		if len(parts) > 1 {
			detected++
			count[0]++
		}
		if len(parts) == c.parts {
			exact++
		}
		kinds[kind] = count
		if s.verbose || len(parts) != c.parts {
			fmt.Printf("  %s: %d documents, found %s %s\n", c.name, c.parts, describe(parts), found.Err)
		}
	}
	names := make([]string, 0, len(kinds))
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Printf("%s: %d of %d\n", name, kinds[name][0], kinds[name][1])
	}
	fmt.Printf("composites detected: %d of %d, with the right number of documents %d\n", detected,
		len(all), exact)
	return nil
}

// read composes the file, unless it is kept, and reads it.
func (s settings) read(ctx context.Context, c composite,
	reader func() (*ocr.Reader, error)) (reading, error) {
	kept := filepath.Join(s.kept, s.engine, c.name+".json")
	if found, err := parseReading(kept); err == nil {
		return found, nil
	}
	path := filepath.Join(s.kept, c.name)
	if _, err := os.Stat(path); err != nil {
		if err := c.write(ctx, path); err != nil {
			return reading{}, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	engine, err := reader()
	if err != nil {
		return reading{}, err
	}
	var found reading
	read, err := engine.ReadFile(ctx, path, ocr.Request{CorrelationID: c.name})
	if err != nil {
		found.Err = err.Error()
	} else {
		found.Pages, found.XML = read.DomainPages(), read.XML
		read.Close()
	}
	text, err := json.Marshal(found)
	if err != nil {
		return found, err
	}
	return found, os.WriteFile(kept, text, 0o600)
}

func (s settings) reader(ctx context.Context) (*ocr.Reader, error) {
	options := ocr.Options{Sandbox: sandbox.Options{AcceptLimitsOnly: s.limits}}
	if s.engine == "ppocr" {
		files, err := s.ppocr.Find()
		if err != nil {
			return nil, err
		}
		options.PPOCR = &files
	}
	return ocr.New(ctx, options)
}

func describe(parts []domain.DocumentPart) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = fmt.Sprintf("%d-%d", part.First, part.Last)
		if part.Box != nil {
			texts[i] += fmt.Sprintf("%v", *part.Box)
		}
		texts[i] += fmt.Sprintf(" (%s %.2f)", part.Reason, part.Confidence)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
