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
	versus      int
	parallel    int
	limits      bool
	mode        string
	verbose     bool
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
	flag.IntVar(&s.versus, "versus", 10, "pages to time against the bare engine, 0 = none")
	flag.IntVar(&s.parallel, "parallel", runtime.NumCPU(), "documents read concurrently")
	flag.BoolVar(&s.limits, "accept-limits-only", false,
		"read even where only resource limits hold")
	flag.StringVar(&s.mode, "mode", "", "sandbox mode to insist on: bubblewrap, landlock, limits")
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
	options := ocr.Options{Sandbox: sandbox.Options{AcceptLimitsOnly: s.limits}}
	if s.mode != "" {
		options.Sandbox.Modes = []sandbox.Mode{sandbox.Mode(s.mode)}
	}
	if s.verbose {
		options.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	var reader *ocr.Reader
	if s.from == "" {
		var err error
		if reader, err = ocr.New(ctx, options); err != nil {
			return err
		}
		defer func() { _ = reader.Close() }()
		fmt.Printf("sandbox: %s\n", reader.Sandbox().Mode())
	}
	if s.hostile != "" {
		return runHostile(ctx, reader, s.hostile)
	}
	if s.data == "" {
		return fmt.Errorf("-data FOLDER is missing")
	}
	sets, err := findSets(s.data, s.sets)
	if err != nil {
		return err
	}
	missed := 0
	for _, set := range sets {
		outcome, err := measure(ctx, reader, set, s)
		if err != nil {
			return err
		}
		outcome.print(os.Stdout)
		missed += checkFloors(os.Stdout, outcome)
	}
	if reader != nil && s.versus > 0 {
		if err := versusBare(ctx, options, sets, s.versus); err != nil {
			return err
		}
	}
	if missed > 0 {
		return fmt.Errorf("%d floors of accuracy are missed", missed)
	}
	return nil
}

// set is one folder of documents.
type set struct {
	name  string
	files []string
}

var readable = map[string]bool{".pdf": true, ".png": true, ".jpg": true, ".jpeg": true,
	".tif": true, ".tiff": true}

func findSets(data, only string) ([]set, error) {
	folders, err := os.ReadDir(data)
	if err != nil {
		return nil, err
	}
	var sets []set
	for _, folder := range folders {
		if !folder.IsDir() || folder.Name() == "hostile" || only != "" &&
			!strings.Contains(","+only+",", ","+folder.Name()+",") {
			continue
		}
		found := set{name: folder.Name()}
		files, err := os.ReadDir(filepath.Join(data, folder.Name()))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			path := filepath.Join(data, folder.Name(), file.Name())
			if readable[strings.ToLower(filepath.Ext(path))] && !twinOfPDF(path) {
				found.files = append(found.files, path)
			}
		}
		if len(found.files) > 0 {
			sets = append(sets, found)
		}
	}
	return sets, nil
}

// twinOfPDF: a picture beside a PDF of the same name is the same document.
func twinOfPDF(path string) bool {
	base := strings.TrimSuffix(path, filepath.Ext(path))
	_, err := os.Stat(base + ".pdf")
	return err == nil && !strings.EqualFold(filepath.Ext(path), ".pdf")
}

func truthPath(path string) string {
	return strings.TrimSuffix(path,
		filepath.Ext(path)) + ".gt.json"
}
