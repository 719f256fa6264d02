package ocr

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// Tesseract is the default engine. It runs the command-line program with one thread per page.
type Tesseract struct {
	Program   string
	CPU, Wall time.Duration
	Memory    int64
}

// Name returns "tesseract".
func (t *Tesseract) Name() string { return "tesseract" }

// pageSegmentation 6 treats the page as one block of text. On receipts it finds more totals and
// dates than the automatic layout analysis, and it does not reorder columns, which extraction
// handles by geometry.
const pageSegmentation = "6"

// minScanDPI is the lowest resolution passed to the program. Below it the program's estimate is
// better.
const minScanDPI = 100

// Recognise reads one image.
func (t *Tesseract) Recognise(
	ctx context.Context, job *sandbox.Folder, image Image,
) ([]domain.Word, error) {
	args := []string{
		image.File, "stdout", "--psm", pageSegmentation, "-l", strings.Join(image.Languages, "+"),
	}
	if image.DPI >= minScanDPI {
		args = append(args, "--dpi", strconv.Itoa(image.DPI))
	}
	result, err := t.run(ctx, job, image, append(args, "tsv"))
	if err != nil {
		return nil, err
	}
	words, err := parseTSV(result.Stdout, image.Width, image.Height)
	if err != nil {
		return nil, engineError(fmt.Errorf("tesseract: %w: %s", err, shortenOutput(result.Stderr)))
	}
	return words, nil
}

// scripts maps a detected script to an installed language.
var scripts = map[string]string{
	"Han": "chi_sim", "HanS": "chi_sim", "HanT": "chi_sim", "Japanese": "chi_sim",
}

// Orient runs tesseract's detection of orientation and script. It returns zero values for a page
// with too few letters.
func (t *Tesseract) Orient(
	ctx context.Context, job *sandbox.Folder, image Image,
) (Orientation, error) {
	result, err := t.run(ctx, job, image, []string{image.File, "stdout", "--psm", "0", "-l", "osd"})
	if domain.HasCode(err, domain.EngineFailed) {
		return Orientation{}, nil // detection fails on pages with few letters, which is not an error
	}
	if err != nil {
		return Orientation{}, err
	}
	return parseOSD(result.Stdout), nil
}

func parseOSD(text []byte) Orientation {
	var found Orientation
	var sure, surely float64
	rotate, script := 0, ""
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "Rotate":
			rotate, _ = strconv.Atoi(value)
		case "Orientation confidence":
			sure, _ = strconv.ParseFloat(value, 64)
		case "Script":
			script = value
		case "Script confidence":
			surely, _ = strconv.ParseFloat(value, 64)
		}
	}
	if sure >= 1 && (rotate == 90 || rotate == 180 || rotate == 270) {
		found.Rotate = rotate
	}
	const certain = 3 // below this, Chinese pages are also reported as Latin, so Chinese is tried
	if found.Language = scripts[script]; found.Language == "" && surely < certain &&
		found.Rotate == 0 {
		found.Language = "chi_sim"
	}
	return found
}

func (t *Tesseract) run(
	ctx context.Context, job *sandbox.Folder, image Image, args []string,
) (sandbox.Result, error) {
	result, err := job.Run(ctx, sandbox.Spec{
		Program: t.Program, Args: args, CorrelationID: image.CorrelationID,
		// One thread, because two threads take 2.75 times as long per page, and pages run
		// concurrently.
		Env:    []string{"OMP_THREAD_LIMIT=1"},
		Limits: sandbox.Limits{CPU: t.CPU, Wall: t.Wall, Memory: t.Memory},
	})
	if err != nil {
		return result, engineError(err)
	}
	if err := engineLimitError(ctx, "tesseract", result, t.CPU); err != nil {
		return result, err
	}
	if !result.OK() {
		return result, engineError(
			fmt.Errorf("tesseract: %s: %s", result, shortenOutput(result.Stderr)),
		)
	}
	return result, nil
}

// maxWords limits the words of a page, for pages full of specks.
const maxWords = 20_000

// parseTSV parses tesseract's table. It clips boxes to the page and skips empty words. It returns
// an error if the header is missing, because then the program failed even if its exit code is 0.
func parseTSV(table []byte, width, height int) ([]domain.Word, error) {
	scanner := bufio.NewScanner(bytes.NewReader(table))
	scanner.Buffer(make([]byte, 64<<10), 1<<20)
	if !scanner.Scan() || !strings.HasPrefix(scanner.Text(), "level\tpage_num\t") {
		return nil, fmt.Errorf("no table in its output")
	}
	var words []domain.Word
	line, key := 0, ""
	for scanner.Scan() && len(words) < maxWords {
		columns := strings.SplitN(scanner.Text(), "\t", 12)
		if len(columns) != 12 || columns[0] != "5" {
			continue
		}
		text := strings.TrimSpace(columns[11])
		if text == "" {
			continue
		}
		var numbers [4]int
		for i := range numbers {
			value, err := strconv.Atoi(columns[6+i])
			if err != nil {
				return nil, fmt.Errorf("box %q: %w", columns[6+i], err)
			}
			numbers[i] = value
		}
		confidence, err := strconv.ParseFloat(columns[10], 64)
		if err != nil {
			return nil, fmt.Errorf("confidence %q: %w", columns[10], err)
		}
		if at := strings.Join(columns[1:5], "/"); at != key {
			key = at
			line++
		}
		box, ok := clip(
			domain.Box{X: numbers[0], Y: numbers[1], W: numbers[2], H: numbers[3]}, width, height,
		)
		if !ok {
			continue
		}
		words = append(words, domain.Word{Text: strings.ToValidUTF8(text, "?"), Box: box,
			Confidence: min(1, max(0, confidence/100)), Line: line})
	}
	return words, scanner.Err()
}

// clip clips a box to the page; false if it is outside.
func clip(box domain.Box, width, height int) (domain.Box, bool) {
	left, top := max(0, box.X), max(0, box.Y)
	right, bottom := min(width, box.X+box.W), min(height, box.Y+box.H)
	if right <= left || bottom <= top {
		return domain.Box{}, false
	}
	return domain.Box{X: left, Y: top, W: right - left, H: bottom - top}, true
}
