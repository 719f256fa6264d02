package ocr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// Files of PP-OCR in their folder.
const (
	ppocrDetection   = "ch_PP-OCRv4_det_infer.onnx"
	ppocrDirection   = "ch_ppocr_mobile_v2.0_cls_infer.onnx"
	ppocrRecognition = "ch_PP-OCRv4_rec_infer.onnx"
	ppocrCharacters  = "ppocr_keys_v1.txt"
)

// PPOCRFiles are what the engine PP-OCR needs.
type PPOCRFiles struct {
	Program string // cmd/ocrengine: a path, or a name in PATH or in the folder of this program
	Library string // file of ONNX Runtime
	Models  string // folder of the networks
}

// Find returns the files with the path of the program, or an error that names what is missing.
func (f PPOCRFiles) Find() (PPOCRFiles, error) {
	program, err := exec.LookPath(f.Program)
	if err != nil && !strings.ContainsRune(f.Program, filepath.Separator) {
		if self, selfErr := os.Executable(); selfErr == nil {
			program, err = exec.LookPath(filepath.Join(filepath.Dir(self), f.Program))
		}
	}
	var missing []string
	if err != nil {
		missing = append(missing, err.Error())
	}
	f.Program = program
	for _, path := range []string{f.Library, f.model(ppocrDetection), f.model(ppocrDirection),
		f.model(ppocrRecognition), f.model(ppocrCharacters)} {
		if info, err := os.Stat(path); err != nil {
			missing = append(missing, err.Error())
		} else if !info.Mode().IsRegular() {
			missing = append(missing, path+" is no file")
		}
	}
	if len(missing) > 0 {
		return f, fmt.Errorf("ocr: files of PP-OCR are missing: %s", strings.Join(missing, "; "))
	}
	return f, nil
}

// Both is the choice of PP-OCR for reading pages and of tesseract for a second reading.
const Both = "both"

// ChoosePPOCR returns the files, for Options, if the choice is PP-OCR or Both; nil for another
// engine. It returns an error if they are missing, in which case documents are read by tesseract.
func ChoosePPOCR(engine string, files PPOCRFiles) (*PPOCRFiles, error) {
	if engine != new(PPOCR).Name() && engine != Both {
		return nil, nil
	}
	found, err := files.Find()
	if err != nil {
		return nil, err
	}
	return &found, nil
}

func (f PPOCRFiles) model(name string) string { return filepath.Join(f.Models, name) }

// PPOCR is the engine of neural networks. It runs cmd/ocrengine with one thread per page. Its
// networks read English, other languages in Latin letters without accents, and Chinese at the same
// time, so that the languages of a request do not matter.
type PPOCR struct {
	Files     PPOCRFiles
	CPU, Wall time.Duration
	Memory    int64
	// Orienter detects the orientation of pages.
	Orienter Engine
}

// Name returns "ppocr".
func (p *PPOCR) Name() string { return "ppocr" }

// MaxSkew returns 30 degrees: the network of lines finds them at any angle, but with steeper ones the
// direction of characters is often misjudged (docs/figures.md).
func (p *PPOCR) MaxSkew() float64 { return 30 }

// Orient asks the other engine for the rotation. The script does not matter.
func (p *PPOCR) Orient(ctx context.Context, job *sandbox.Folder, image Image) (Orientation, error) {
	found, err := p.Orienter.Orient(ctx, job, image)
	return Orientation{Rotate: found.Rotate}, err
}

// Recognise reads one image.
func (p *PPOCR) Recognise(
	ctx context.Context, job *sandbox.Folder, image Image,
) ([]domain.Word, error) {
	spec := sandbox.Spec{
		Program: p.Files.Program, CorrelationID: image.CorrelationID,
		// The garbage collector needs no second thread for a process that reads one page.
		Env:            []string{"GOMAXPROCS=1"},
		Limits:         sandbox.Limits{CPU: p.CPU, Wall: p.Wall, Memory: p.Memory},
		WritableMemory: true,
	}
	for _, file := range []struct{ flag, path string }{
		{"-library", p.Files.Library}, {"-detection", p.Files.model(ppocrDetection)},
		{"-direction", p.Files.model(ppocrDirection)},
		{"-recognition", p.Files.model(ppocrRecognition)},
		{"-characters", p.Files.model(ppocrCharacters)},
	} {
		path, err := job.Readable(file.path)
		if err != nil {
			return nil, engineError(err)
		}
		spec.ReadOnly = append(spec.ReadOnly, path)
		spec.Args = append(spec.Args, file.flag, path)
	}
	spec.Args = append(spec.Args, image.File)
	result, err := job.Run(ctx, spec)
	if err != nil {
		return nil, engineError(err)
	}
	if err := engineLimitError(ctx, "ppocr", result, p.CPU); err != nil {
		return nil, err
	}
	if !result.OK() {
		return nil, engineError(
			fmt.Errorf("ppocr: %s: %s", result, shortenOutput(result.Stderr)),
		)
	}
	words, err := parseWordLines(result.Stdout, image.Width, image.Height)
	if err != nil {
		return nil, engineError(fmt.Errorf("ppocr: %w: %s", err, shortenOutput(result.Stderr)))
	}
	return words, nil
}

// wordLine is one line of the program's output: a word, or in the last line the number of words.
type wordLine struct {
	Text       string  `json:"text"`
	X          int     `json:"x"`
	Y          int     `json:"y"`
	W          int     `json:"w"`
	H          int     `json:"h"`
	Confidence float64 `json:"confidence"`
	Line       int     `json:"line"`
	Words      *int    `json:"words"`
}

// parseWordLines parses the output of cmd/ocrengine. It clips boxes to the page and skips empty
// words. It returns an error if the output is not complete.
func parseWordLines(output []byte, width, height int) ([]domain.Word, error) {
	decoder := json.NewDecoder(bytes.NewReader(output))
	var words []domain.Word
	for count := 0; ; count++ {
		var line wordLine
		if err := decoder.Decode(&line); err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		if line.Words != nil {
			if *line.Words != count {
				return nil, fmt.Errorf("output: %d words, not %d", count, *line.Words)
			}
			if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
				return nil, errors.New("output: more than the words")
			}
			return words, nil
		}
		text := strings.TrimSpace(strings.ToValidUTF8(line.Text, "?"))
		box, ok := clip(domain.Box{X: line.X, Y: line.Y, W: line.W, H: line.H}, width, height)
		if text == "" || !ok || len(words) == maxWords {
			continue
		}
		words = append(words, domain.Word{Text: text, Box: box,
			Confidence: min(1, max(0, line.Confidence)), Line: max(1, line.Line)})
	}
}
