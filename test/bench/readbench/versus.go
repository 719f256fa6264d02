package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
)

// versusBare times pages read by us and by the bare engine on the same raster, taking turns so that a busy machine
// hurts both alike. Ours decodes, draws, encodes and recognises; the bare engine only recognises.
func versusBare(ctx context.Context, reader *ocr.Reader, sets []set, count int) error {
	folder, err := os.MkdirTemp("", "readbench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	var ours, bare, ratios []float64
	fmt.Printf("\nours against bare tesseract (OMP_THREAD_LIMIT=1, same page, same segmentation), seconds\n")
	for _, path := range someFiles(sets, count) {
		mine, theirs, err := race(ctx, reader, path, folder)
		if err != nil {
			return err
		}
		if theirs == 0 {
			continue // has a text layer, or cannot be read
		}
		ours, bare, ratios = append(ours, mine), append(bare, theirs), append(ratios, mine/theirs)
		fmt.Printf("  %-28s ours %6.2f  bare %6.2f  %.2fx\n", filepath.Base(path), mine, theirs, mine/theirs)
	}
	if len(ratios) == 0 {
		return nil
	}
	slices.Sort(ratios)
	fmt.Printf("  median %.2fx, sum %.2fx (%.1f s / %.1f s)\n", ratios[len(ratios)/2], sum(ours)/sum(bare), sum(ours), sum(bare))
	return nil
}

func sum(values []float64) float64 {
	total := 0.0
	for _, v := range values {
		total += v
	}
	return total
}

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

// race reads one-page documents three times each way, in turns, and returns the medians.
func race(ctx context.Context, reader *ocr.Reader, path, folder string) (ours, bare float64, err error) {
	var mine, theirs []float64
	for range 3 {
		begin := time.Now()
		reading, err := reader.ReadFile(ctx, path, ocr.Request{})
		spent := time.Since(begin).Seconds()
		if err != nil {
			return 0, 0, nil //nolint:nilerr // a file that cannot be read is no page to time
		}
		if len(reading.Pages) != 1 || reading.Pages[0].Source != domain.SourceOCR {
			reading.Close()
			return 0, 0, nil
		}
		png, err := reading.Pages[0].Raster()
		reading.Close()
		if err != nil {
			return 0, 0, err
		}
		raster := filepath.Join(folder, "page.png")
		if err := os.WriteFile(raster, png, 0o600); err != nil {
			return 0, 0, err
		}
		command := exec.CommandContext(ctx, "tesseract", raster, "stdout", "--psm", "6", "-l", "eng", "tsv")
		command.Env = append(os.Environ(), "OMP_THREAD_LIMIT=1")
		begin = time.Now()
		if err := command.Run(); err != nil {
			return 0, 0, fmt.Errorf("tesseract: %w", err)
		}
		mine, theirs = append(mine, spent), append(theirs, time.Since(begin).Seconds())
	}
	slices.Sort(mine)
	slices.Sort(theirs)
	return mine[1], theirs[1], nil
}
