// Command readbench measures reading and extraction on a folder of documents with known truth:
// which share of each field comes out right, what a page costs, and how that compares with the bare
// engine. It fails where a known set falls below its floors. It also throws hostile files at the
// reader.
//
// What may enter: sets of documents, comparisons with truth, tables.
// What never happens here: deciding how a field is found, changes to what is measured.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"

	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

type settings struct {
	data        string
	sets        string
	hostile     string
	save        string
	from        string
	printMisses bool
	worst       int
	versus      int
	peers       int
	parallel    int
	limits      bool
	mode        string
	engine      string
	ppocr       ocr.PPOCRFiles
	rasterise   int
	asIs        bool
	photo       string
	every       int
	verbose     bool
	replay      bool
	ablate      bool
	calibration string
	fit         string
	bound       float64
	calibrate   calibrator
	model       *languageModel // nil if none is configured
}

func main() {
	ocr.Child()
	var s settings
	flag.StringVar(&s.data, "data", "",
		"folder with one sub-folder a set: files beside NAME.gt.json")
	flag.StringVar(&s.sets, "sets", "", "only these sets, by comma")
	flag.StringVar(&s.hostile, "hostile", "",
		"instead: read every file below this folder and demand a typed end within 60 s")
	flag.StringVar(&s.save, "save", "", "keep what was read in this folder")
	flag.StringVar(&s.from, "from", "", "score what -save kept instead of reading")
	flag.BoolVar(&s.printMisses, "misses", false, "print each field that came out wrong")
	flag.IntVar(&s.worst, "worst", 0,
		"print so many documents with the most wrong fields, what was expected and read, and why")
	flag.IntVar(&s.versus, "versus", 10, "pages to time against the bare engine, 0 = none")
	flag.IntVar(&s.peers, "peers", 0,
		"instead: read made files by turns with ocrmypdf, in so many rounds")
	flag.IntVar(&s.parallel, "parallel", runtime.NumCPU(), "documents read concurrently")
	flag.BoolVar(&s.limits, "accept-limits-only", false,
		"read even where only resource limits hold")
	flag.StringVar(&s.mode, "mode", "", "sandbox mode to insist on: bubblewrap, landlock, limits")
	flag.StringVar(&s.engine, "engine", "tesseract",
		"engines that read, by comma, compared in one table: tesseract, ppocr, both")
	flag.IntVar(&s.rasterise, "rasterise", 0,
		"read PDF files as scans of this resolution, without text layer and XML")
	flag.StringVar(&s.photo, "photo", "",
		"read pictures as photos of them with this slant in percent; with ,cropped the corners are corrected")
	flag.BoolVar(&s.asIs, "as-is", false, "read pages without straightening or turning them")
	flag.IntVar(&s.every, "every", 1, "with -photo, read only each so many-th picture")
	flag.StringVar(&s.ppocr.Program, "ocr-engine-program", "bin/ocrengine", "program of ppocr")
	flag.StringVar(&s.ppocr.Library, "ocr-library", ".data/ocrengine/libonnxruntime.so.1",
		"ONNX Runtime of ppocr")
	flag.StringVar(&s.ppocr.Models, "ocr-models", ".data/ocrengine", "networks of ppocr")
	flag.BoolVar(&s.replay, "replay", false,
		"instead: read what -save kept in order, with the memory of the documents before")
	flag.BoolVar(&s.ablate, "ablate", false,
		"instead: extract from what -save kept of every engine with one part left out at a time")
	flag.StringVar(&s.calibration, "calibration", calibrationNone,
		"confidences: none (raw, as the program states them), built-in (fitted curves), folds (curves fitted to the vendors of other folds, with -from)")
	flag.Float64Var(&s.bound, "bound", 0,
		"confidence from which values count as certain; 0: that of the program, of calibrated ones 0.925")
	flag.StringVar(&s.fit, "fit", "",
		"instead: fit curves of confidence to what -save kept of all engines, and write this file")
	flag.BoolVar(&s.verbose, "v", false, "log every child")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "readbench:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

func run(ctx context.Context, s settings) error {
	if s.peers > 0 {
		return versusPeers(ctx, s, s.peers)
	}
	if s.hostile == "" && s.data == "" {
		return fmt.Errorf("-data FOLDER is missing")
	}
	if s.replay && s.from == "" {
		return fmt.Errorf("-replay needs -from FOLDER")
	}
	var sets []set
	var err error
	if s.hostile == "" {
		if sets, err = findSets(s.data, s.sets); err != nil {
			return err
		}
	}
	switch {
	case s.replay:
		return runReplays(ctx, os.Stdout, sets, s)
	case s.ablate:
		return runAblations(ctx, os.Stdout, sets, s)
	case s.fit != "":
		return runFit(ctx, os.Stdout, sets, s)
	case s.hostile == "":
		if err := s.prepare(ctx, sets); err != nil {
			return err
		}
	}
	if s.isChanged() {
		folder, err := os.MkdirTemp("", "readbench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		if err := s.changeFiles(ctx, sets, folder); err != nil {
			return err
		}
	}
	var runs []measured
	missed := 0
	for _, engine := range strings.Split(s.engine, ",") {
		outcomes, failed, err := runEngine(ctx, engine, sets, s)
		if err != nil {
			return err
		}
		runs = append(runs, measured{engine, outcomes})
		missed += failed
	}
	if len(runs) > 1 && s.hostile == "" {
		printComparison(os.Stdout, runs)
	}
	if missed > 0 {
		return fmt.Errorf("%d floors of accuracy are missed", missed)
	}
	return nil
}

// prepare sets the calibration and the language model of a measurement.
func (s *settings) prepare(ctx context.Context, sets []set) (err error) {
	if s.calibrate, err = newCalibrator(ctx, sets, *s); err != nil {
		return err
	}
	sureBound = s.chosenBound()
	if s.model, err = newLanguageModel(); err != nil {
		return err
	}
	if s.model.sendsImages() && s.from != "" {
		return fmt.Errorf("COUNTERSIGN_MODEL_INPUT=images needs documents that are read, without -from: -save keeps no images")
	}
	return nil
}

// isChanged reports whether files are read in another form than they have.
func (s settings) isChanged() bool { return s.rasterise > 0 || s.photo != "" || s.asIs }

// changeFiles replaces files of the sets by scans or photos of them in the folder.
func (s settings) changeFiles(ctx context.Context, sets []set, folder string) error {
	if s.rasterise > 0 {
		if err := rasterise(ctx, sets, folder, s.rasterise); err != nil {
			return err
		}
	}
	if s.photo == "" {
		return nil
	}
	p, err := parsePhoto(s.photo, s.every)
	if err != nil {
		return err
	}
	return photograph(sets, folder, p)
}

// options are those of a reader with the engine.
func (s settings) options(engine string) (ocr.Options, error) {
	options := ocr.Options{Sandbox: sandbox.Options{AcceptLimitsOnly: s.limits}, AsIs: s.asIs}
	if s.mode != "" {
		options.Sandbox.Modes = []sandbox.Mode{sandbox.Mode(s.mode)}
	}
	if s.verbose {
		options.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	switch engine {
	case "tesseract":
	case "ppocr", ocr.Both:
		files, err := s.ppocr.Find()
		if err != nil {
			return options, err
		}
		options.PPOCR, options.Compare = &files, engine == ocr.Both
	default:
		return options, fmt.Errorf("no engine is called %q", engine)
	}
	return options, nil
}

// runEngine measures the sets with one engine. It returns how many floors are missed, which hold for
// files as they are.
func runEngine(ctx context.Context, engine string, sets []set, s settings) ([]*outcome, int, error) {
	var options ocr.Options
	var reader *ocr.Reader
	if s.from == "" {
		var err error
		if options, err = s.options(engine); err != nil {
			return nil, 0, err
		}
		if reader, err = ocr.New(ctx, options); err != nil {
			return nil, 0, err
		}
		defer func() { _ = reader.Close() }()
		fmt.Printf("engine: %s, sandbox: %s\n", engine, reader.Sandbox().Mode())
	}
	if s.hostile != "" {
		return nil, 0, runHostile(ctx, reader, s.hostile)
	}
	if s.save != "" {
		s.save = filepath.Join(s.save, engine)
	}
	if s.from != "" {
		s.from = filepath.Join(s.from, engine)
	}
	var outcomes []*outcome
	missed := 0
	for _, set := range sets {
		outcome, err := measure(ctx, reader, set, s)
		if err != nil {
			return nil, 0, err
		}
		outcome.print(os.Stdout)
		outcome.printModel(os.Stdout, s.model)
		if !s.isChanged() {
			missed += checkFloors(os.Stdout, outcome)
		}
		outcomes = append(outcomes, outcome)
	}
	if s.worst > 0 {
		printWorst(os.Stdout, outcomes, s.worst)
	}
	if reader != nil && s.versus > 0 && engine == "tesseract" {
		if err := versusBare(ctx, options, sets, s.versus); err != nil {
			return nil, 0, err
		}
	}
	return outcomes, missed, nil
}
