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

// Tesseract is the engine that every machine has: the command line program, one thread a page.
type Tesseract struct {
	Program   string
	CPU, Wall time.Duration
	Memory    int64
}

// Name returns "tesseract".
func (t *Tesseract) Name() string { return "tesseract" }

// pageSegmentation 6 takes the page as one block of text: on receipts it finds more of the totals and dates than the
// automatic layout analysis, and it does not reorder columns, which the extractor does by geometry.
const pageSegmentation = "6"

// minScanDPI is the coarsest resolution worth telling: below it the program does better to guess from the type.
const minScanDPI = 100

// Recognise reads one image.
func (t *Tesseract) Recognise(ctx context.Context, job *sandbox.Folder, image Image) ([]domain.Word, error) {
	args := []string{image.File, "stdout", "--psm", pageSegmentation, "-l", strings.Join(image.Languages, "+")}
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

// scripts maps what the orientation pass finds to a language we install.
var scripts = map[string]string{"Han": "chi_sim", "HanS": "chi_sim", "HanT": "chi_sim", "Japanese": "chi_sim"}

// Orient runs tesseract's orientation and script detection. A page with too few letters has no orientation.
func (t *Tesseract) Orient(ctx context.Context, job *sandbox.Folder, image Image) (Orientation, error) {
	result, err := t.run(ctx, job, image, []string{image.File, "stdout", "--psm", "0", "-l", "osd"})
	if domain.HasCode(err, domain.EngineFailed) {
		return Orientation{}, nil // it fails on pages with few letters, which is no failure of ours
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
	const certain = 3 // below this the pass also calls Chinese pages Latin, so that reading them as Chinese is worth a try
	if found.Language = scripts[script]; found.Language == "" && surely < certain && found.Rotate == 0 {
		found.Language = "chi_sim"
	}
	return found
}

func (t *Tesseract) run(ctx context.Context, job *sandbox.Folder, image Image, args []string) (sandbox.Result, error) {
	result, err := job.Run(ctx, sandbox.Spec{
		Program: t.Program, Args: args, CorrelationID: image.CorrelationID,
		// One thread: on one page two threads take 2.75 times as long, and pages are the better thing to run at once.
		Env:    []string{"OMP_THREAD_LIMIT=1"},
		Limits: sandbox.Limits{CPU: t.CPU, Wall: t.Wall, Memory: t.Memory},
	})
	if err != nil {
		return result, engineError(err)
	}
	if err := limitError(ctx, "tesseract", result); err != nil {
		return result, err
	}
	if !result.OK() {
		return result, engineError(fmt.Errorf("tesseract: %s: %s", result, shortenOutput(result.Stderr)))
	}
	return result, nil
}

// maxWords bounds the words of one page; a page full of specks yields no more.
const maxWords = 20_000

// parseTSV reads tesseract's table. Boxes outside the page are cut to it; empty words are dropped. The header must be
// there: its absence means that the program did not do its work, whatever its exit code says.
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
		box, ok := clip(domain.Box{X: numbers[0], Y: numbers[1], W: numbers[2], H: numbers[3]}, width, height)
		if !ok {
			continue
		}
		words = append(words, domain.Word{Text: strings.ToValidUTF8(text, "?"), Box: box,
			Confidence: min(1, max(0, confidence/100)), Line: line})
	}
	return words, scanner.Err()
}

// clip cuts a box to the page; false if nothing is left.
func clip(box domain.Box, width, height int) (domain.Box, bool) {
	left, top := max(0, box.X), max(0, box.Y)
	right, bottom := min(width, box.X+box.W), min(height, box.Y+box.H)
	if right <= left || bottom <= top {
		return domain.Box{}, false
	}
	return domain.Box{X: left, Y: top, W: right - left, H: bottom - top}, true
}
