package ocr_test

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/reading/ocr/sandbox"
)

// installedPPOCR builds the program and installs its files as scripts/install.sh does, once.
var installedPPOCR = sync.OnceValues(func() (ocr.PPOCRFiles, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return ocr.PPOCRFiles{}, err
	}
	folder := filepath.Join(root, ".data", "ocrengine")
	install := exec.Command(filepath.Join(root, "scripts", "ocrengine", "install.sh"), folder)
	if out, err := install.CombinedOutput(); err != nil {
		return ocr.PPOCRFiles{}, fmt.Errorf("install: %w: %s", err, out)
	}
	built, err := os.MkdirTemp("", "ocrengine-")
	if err != nil {
		return ocr.PPOCRFiles{}, err
	}
	program := filepath.Join(built, "ocrengine")
	build := exec.Command("go", "build", "-o", program, "countersign/cmd/ocrengine")
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return ocr.PPOCRFiles{}, fmt.Errorf("build: %w: %s", err, out)
	}
	removeAtEnd = append(removeAtEnd, built)
	return ocr.PPOCRFiles{Program: program, Library: filepath.Join(folder, "libonnxruntime.so.1"),
		Models: folder}.Find()
})

func ppocrFiles(t *testing.T) *ocr.PPOCRFiles {
	t.Helper()
	files, err := installedPPOCR()
	if err != nil {
		t.Fatal(err)
	}
	return &files
}

// requireReceipt checks that the important lines of the drawn receipt were read without an error.
func requireReceipt(t *testing.T, reading *ocr.Reading) {
	t.Helper()
	checkReading(t, reading)
	text := reading.Pages[0].Text
	for _, line := range []string{"Invoice No: INV-20417", "Date: 14/03/2025 10:22", "TOTAL 123.45",
		"CHANGE 26.55"} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%q is missing in:\n%s", line, text)
		}
	}
}

func TestPPOCRReadsInEveryMode(t *testing.T) {
	t.Parallel()
	files := ppocrFiles(t)
	for _, mode := range []sandbox.Mode{sandbox.Bubblewrap, sandbox.Landlock, sandbox.LimitsOnly} {
		options := ocr.Options{PPOCR: files}
		options.Sandbox.Modes = []sandbox.Mode{mode}
		reader := newReader(t, options)
		if reader.Sandbox().Mode() != mode {
			t.Logf("%s does not hold here: %v", mode, reader.Sandbox().Unavailable()[mode])
			continue
		}
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			if name := reader.Engine().Name(); name != "ppocr" {
				t.Errorf("the engine is %s", name)
			}
			reading := read(t, reader, asPNG(t, drawText(t, receipt)))
			requireReceipt(t, reading)
			// Words have boxes of their own, in the order of the line.
			words := reading.Pages[0].Words
			for i := 1; i < len(words); i++ {
				before, after := words[i-1], words[i]
				if after.Line < before.Line || after.Line == before.Line &&
					after.Box.X < before.Box.X+before.Box.W/2 {
					t.Errorf("%+v comes after %+v", after, before)
				}
			}
		})
	}
}

// A page on its side or upside down is turned before its words are used, as with tesseract.
func TestPPOCRReadsTurnedPages(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{PPOCR: ppocrFiles(t)})
	for times := 1; times <= 3; times++ {
		t.Run(fmt.Sprint(90*times), func(t *testing.T) {
			t.Parallel()
			reading := read(t, reader, asPNG(t, turned(drawText(t, receipt), times)))
			requireReceipt(t, reading)
			if want := 360 - 90*times; reading.Pages[0].Rotation != want {
				t.Errorf("turned by %d, want %d", reading.Pages[0].Rotation, want)
			}
		})
	}
}

// The memory of the engine does not grow with the page: the same network takes gigabytes for all
// pixels of such a page.
func TestPPOCRReadsLargePages(t *testing.T) {
	t.Parallel()
	const factor = 5
	small := drawText(t, append(receipt, make([]string, 9)...))
	large := image.NewGray(image.Rect(0, 0, factor*small.Rect.Dx(), factor*small.Rect.Dy()))
	for y := range large.Rect.Dy() {
		for x := range large.Rect.Dx() {
			large.Pix[y*large.Stride+x] = small.Pix[y/factor*small.Stride+x/factor]
		}
	}
	if pixels := large.Rect.Dx() * large.Rect.Dy(); pixels < 34_000_000 {
		t.Fatalf("%d pixels are no large page", pixels)
	}
	reader := newReader(t, ocr.Options{PPOCR: ppocrFiles(t),
		// the test is about memory; the race detector multiplies the processor time
		Limits: ocr.Limits{Memory: 640 << 20, PageCPU: time.Minute}})
	requireReceipt(t, read(t, reader, asPNG(t, large)))
}

// An engine that starts but has too little memory for the page ends with the limits of a document, and
// an action to take. With less than 100 MB it cannot start its threads, which is no fault of the page.
func TestPPOCRWithoutMemory(t *testing.T) {
	t.Parallel()
	for _, megabytes := range []int64{120, 160, 200} {
		reader := newReader(t, ocr.Options{PPOCR: ppocrFiles(t), Limits: ocr.Limits{Memory: megabytes << 20}})
		_, err := reader.Read(t.Context(), bytes.NewReader(asPNG(t, drawText(t, receipt))), ocr.Request{})
		if !domain.HasCode(err, domain.FileTooComplex) || ocr.Transient(err) {
			t.Errorf("%d MB: %+v", megabytes, err)
		}
	}
}

// A page without text has no words, and no error.
func TestPPOCRReadsABlankPage(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{PPOCR: ppocrFiles(t)})
	reading := read(t, reader, asPNG(t, drawText(t, []string{"", ""})))
	if words := reading.Pages[0].Words; len(words) != 0 {
		t.Errorf("read %+v", words)
	}
}

// A file of the engine that is damaged is the fault of the machine, so the document is read again
// later, and the words name no cause in the document.
func TestPPOCRWithDamagedFiles(t *testing.T) {
	t.Parallel()
	files := *ppocrFiles(t)
	files.Library = filepath.Join(t.TempDir(), "libonnxruntime.so.1")
	if err := os.WriteFile(files.Library, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	reader := newReader(t, ocr.Options{PPOCR: &files})
	_, err := reader.Read(t.Context(), bytes.NewReader(asPNG(t, drawText(t, receipt))), ocr.Request{})
	if !domain.HasCode(err, domain.EngineFailed) || !ocr.Transient(err) ||
		!strings.Contains(fmt.Sprintf("%+v", err), "onnx") {
		t.Errorf("got %+v", err)
	}
}

// A network or a library that was changed on the way from npm is not installed.
func TestInstallationIsChecked(t *testing.T) {
	t.Parallel()
	files := ppocrFiles(t)
	folder := t.TempDir()
	for _, name := range []string{"SHA256SUMS", "SHA256SUMS.x64", "SHA256SUMS.arm64"} {
		text, err := os.ReadFile(filepath.Join("../../scripts/ocrengine", name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "SHA256SUMS" { // what is pinned is what is used
			check := exec.Command("sha256sum", "--check", "--strict")
			check.Dir, check.Stdin = files.Models, bytes.NewReader(text)
			if out, err := check.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
			text = bytes.Replace(text, []byte("30a8"), []byte("30a9"), 1)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"install.sh", "package.json", "package-lock.json", "LICENCES.txt"} {
		text, err := os.ReadFile(filepath.Join("../../scripts/ocrengine", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	into := filepath.Join(folder, "into")
	out, err := exec.Command(filepath.Join(folder, "install.sh"), into).CombinedOutput()
	if _, statErr := os.Stat(into); err == nil || statErr == nil ||
		!strings.Contains(string(out), "does not have the SHA-256") {
		t.Errorf("%v: %s", err, out)
	}
}
