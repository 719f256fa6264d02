package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

// versusBare times pages read by us and by the bare engine, taking turns so that a busy machine
// slows both. The engine gets the picture itself, or the raster of a PDF's or TIFF's page. Ours
// decodes, draws, encodes and recognises; the bare engine only recognises, once. Pages that we read
// twice, because they read badly, are reported separately.
func versusBare(ctx context.Context, options ocr.Options, sets []set, count int) error {
	folder, err := os.MkdirTemp("", "readbench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	engine := &countingEngine{Engine: &ocr.Tesseract{Program: "tesseract", CPU: 40 * time.Second,
		Wall: 90 * time.Second, Memory: 1 << 30}}
	options.Engine = engine
	reader, err := ocr.New(ctx, options)
	if err != nil {
		return err
	}
	defer func() { _ = reader.Close() }()
	byKind := map[string][]result{}
	fmt.Printf("\nours against bare tesseract (OMP_THREAD_LIMIT=1, same page, same segmentation), seconds by the clock (and of processor)\n")
	for _, path := range someFiles(sets, count) {
		engine.calls.Store(0)
		engine.spent.Store(0)
		ours, bare, err := timePage(ctx, reader, path, folder)
		if err != nil {
			return err
		}
		if bare.wall == 0 {
			continue // has a text layer, several pages, or cannot be read
		}
		kind := "pictures"
		if strings.EqualFold(filepath.Ext(path), ".pdf") {
			kind = "PDF pages, which we draw first"
		}
		if engine.calls.Load() > runsPerPage {
			kind += ", read twice"
		}
		engineAlone := time.Duration(engine.spent.Load()).Seconds() / runsPerPage
		byKind[kind] = append(byKind[kind], result{ours, bare, engineAlone})
		fmt.Printf("  %-28s ours %6.2f  bare %6.2f  %.2fx   (%.2f, %.2f, %.2fx)  %s\n",
			filepath.Base(path), ours.wall, bare.wall,
			ours.wall/bare.wall, ours.cpu, bare.cpu, ours.cpu/bare.cpu, kind)
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		sum(kind, byKind[kind])
	}
	return nil
}

// sum prints what all pages of a kind took.
func sum(kind string, results []result) {
	slices.SortFunc(results, func(a, b result) int {
		return cmp.Compare(a.ours.wall/a.bare.wall,
			b.ours.wall/b.bare.wall)
	})
	middle := results[len(results)/2]
	var ours, bare cost
	engine := 0.0
	for _, r := range results {
		ours, bare, engine = ours.plus(r.ours), bare.plus(r.bare), engine+r.engine
	}
	fmt.Printf("  %d %s: median %.2fx, sum %.2fx by the clock (%.1f s / %.1f s), %.2fx of processor; the engine alone, in the sandbox, %.2fx\n",
		len(results), kind, middle.ours.wall/middle.bare.wall, ours.wall/bare.wall, ours.wall,
		bare.wall, ours.cpu/bare.cpu, engine/bare.wall)
}

// countingEngine is an engine that counts the pages it is given to read, and the nanoseconds it
// takes for them.
type countingEngine struct {
	ocr.Engine
	calls, spent atomic.Int64
}

// Recognise counts and times, and reads.
func (c *countingEngine) Recognise(ctx context.Context, job *sandbox.Folder,
	image ocr.Image) ([]domain.Word, error) {
	c.calls.Add(1)
	begun := time.Now()
	defer func() { c.spent.Add(int64(time.Since(begun))) }()
	return c.Engine.Recognise(ctx, job, image)
}

// result is one page read both ways; engine is what recognising took of ours, in seconds by the
// clock.
type result struct {
	ours, bare cost
	engine     float64
}

func (c cost) plus(other cost) cost { return cost{c.wall + other.wall, c.cpu + other.cpu} }

// someFiles takes files evenly from all sets.
func someFiles(sets []set, count int) []string {
	var chosen []string
	for i := 0; len(chosen) < count; i++ {
		any := false
		for _, s := range sets {
			if i < len(s.files) && len(chosen) < count {
				chosen, any = append(chosen, s.files[i]), true
			}
		}
		if !any {
			break
		}
	}
	return chosen
}

// cost is what one page took.
type cost struct{ wall, cpu float64 }

func measureCost(work func() error) (cost, error) {
	cpu, begin := childCPU(), time.Now()
	err := work()
	return cost{time.Since(begin).Seconds(), (childCPU() - cpu).Seconds()}, err
}

// runsPerPage is how often a page is read each way.
const runsPerPage = 3

// timePage reads one-page documents so often each way, in turns, and returns the medians.
func timePage(ctx context.Context, reader *ocr.Reader, path, folder string) (ours,
	bare cost, err error) {
	var mine, theirs []cost
	for range runsPerPage {
		var reading *ocr.Reading
		spent, err := measureCost(func() (err error) {
			reading, err = reader.ReadFile(ctx, path, ocr.Request{})
			return err
		})
		if err != nil {
			return cost{}, cost{}, nil //nolint:nilerr // a file that cannot be read is no page to time
		}
		raster := filepath.Join(folder, "page.png")
		timed, err := keepRaster(reading, raster)
		if err != nil || !timed {
			return cost{}, cost{}, err
		}
		if reading.MediaType == "image/jpeg" || reading.MediaType == "image/png" {
			raster = path
		}
		command := exec.CommandContext(ctx, "tesseract", raster, "stdout", "--psm", "6", "-l",
			"eng", "tsv")
		command.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
		alone, err := measureCost(command.Run)
		if err != nil {
			return cost{}, cost{}, fmt.Errorf("tesseract: %w", err)
		}
		mine, theirs = append(mine, spent), append(theirs, alone)
	}
	byWall := func(a, b cost) int { return cmp.Compare(a.wall, b.wall) }
	slices.SortFunc(mine, byWall)
	slices.SortFunc(theirs, byWall)
	return mine[runsPerPage/2], theirs[runsPerPage/2], nil
}

// keepRaster writes the page for the bare engine; false if the document is not one page read by
// OCR.
func keepRaster(reading *ocr.Reading, path string) (bool, error) {
	defer reading.Close()
	if len(reading.Pages) != 1 || reading.Pages[0].Source != domain.SourceOCR {
		return false, nil
	}
	png, err := reading.Pages[0].Raster()
	if err != nil {
		return false, err
	}
	return true, os.WriteFile(path, png, 0o600)
}
