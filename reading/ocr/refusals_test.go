package ocr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
)

// decompressionBomb returns a PNG whose header states an excessive number of pixels.
func decompressionBomb(t *testing.T) []byte {
	t.Helper()
	file := asPNG(t, drawText(t, receipt))
	binary.BigEndian.PutUint32(file[16:], 30_000)
	binary.BigEndian.PutUint32(file[20:], 30_000)
	return file
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{Limits: ocr.Limits{Bytes: 4 << 20, Pages: 3}})
	ordinary := asPDF(t, []testPage{{width: 595, height: 842, lines: long}}, nil)
	picture := asPNG(t, drawText(t, receipt))
	one := drawText(t, []string{"one"})
	loop := asTIFF([]*image.Gray{one}, nil)
	binary.LittleEndian.PutUint32(loop[len(loop)-4:], binary.LittleEndian.Uint32(loop[4:]))
	for name, c := range map[string]struct {
		file []byte
		code domain.Code
	}{
		"empty": {nil, domain.EmptyFile},
		"text":  {[]byte("hello, this is a letter\n"), domain.UnsupportedFile},
		"svg": {[]byte(
			`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`),
			domain.UnsupportedFile},
		"html": {[]byte("<!DOCTYPE html><html><body>invoice</body></html>"),
			domain.UnsupportedFile},
		"other XML": {[]byte("<Invoice><Total>1</Total></Invoice>"),
			domain.UnsupportedFile},
		"executable": {[]byte("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 60)),
			domain.UnsupportedFile},
		"zip": {[]byte("PK\x03\x04" + strings.Repeat("\x00", 60)),
			domain.UnsupportedFile},
		"gif": {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"),
			domain.UnsupportedFile},
		"broken e-invoice": {[]byte(strings.TrimSuffix(ciiInvoice,
			"</rsm:CrossIndustryInvoice>")), domain.DamagedFile},
		"nothing but a name": {[]byte("%PDF-1.4\n"), domain.DamagedFile},
		"truncated PDF":      {ordinary[:len(ordinary)/3], domain.DamagedFile},
		"truncated PNG":      {picture[:len(picture)/2], domain.DamagedFile},
		"truncated JPEG":     {asJPEG(t, one)[:200], domain.DamagedFile},
		"encrypted PDF":      {encrypted(), domain.EncryptedFile},
		"PDF for others":     {encryptedForOthers(), domain.EncryptedFile},
		"too many bytes": {append([]byte("%PDF-"), make([]byte, 5<<20)...),
			domain.FileTooLarge},
		"too many pixels": {decompressionBomb(t), domain.FileTooComplex},
		"too many pages": {asPDF(t, fourPages(testPage{width: 100, height: 100}), nil),
			domain.FileTooComplex},
		"too large a page": {asPDF(t, []testPage{{width: 200_000, height: 200_000}}, nil),
			domain.FileTooComplex},
		"too many images": {asTIFF([]*image.Gray{one, one, one, one}, nil),
			domain.FileTooComplex},
		"looping TIFF": {loop, domain.DamagedFile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reading, err := reader.Read(t.Context(), bytes.NewReader(c.file), ocr.Request{})
			if err == nil {
				reading.Close()
			}
			var typed *domain.Error
			if !errors.As(err, &typed) || typed.Code != c.code {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			if ocr.Transient(err) {
				t.Error("a refusal of the file must not be tried again")
			}
			if typed.Message == "" ||
				strings.Contains(typed.Message, "/") && c.code != domain.UnsupportedFile {
				t.Errorf("not for a person: %q", typed.Message)
			}
		})
	}
}

func fourPages(p testPage) []testPage { return []testPage{p, p, p, p} }

// script writes a shell script that replaces an installed program.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEngineFailures(t *testing.T) {
	t.Parallel()
	scan := asPNG(t, drawText(t, receipt))
	for name, c := range map[string]struct {
		program string
		limits  ocr.Limits
		code    domain.Code
	}{
		"exits with an error": {script(t, "echo broken >&2; exit 1"), ocr.Limits{},
			domain.EngineFailed},
		"says nothing": {script(t, "exit 0"), ocr.Limits{}, domain.EngineFailed},
		"talks nonsense": {script(t, "echo hello; exit 0"), ocr.Limits{},
			domain.EngineFailed},
		"dies": {script(t, "kill -SEGV $$"), ocr.Limits{}, domain.EngineFailed},
		"has no memory, in C++": {script(t,
			"echo \"terminate called after throwing an instance of 'std::bad_alloc'\" >&2; exit 134"),
			ocr.Limits{}, domain.FileTooComplex},
		"has no memory, in Go": {script(t,
			"echo 'fatal error: runtime: cannot allocate memory' >&2; exit 2"), ocr.Limits{},
			domain.FileTooComplex},
		"is killed":  {script(t, "kill -KILL $$"), ocr.Limits{}, domain.EngineFailed},
		"is missing": {"/nonexistent/tesseract", ocr.Limits{}, domain.EngineFailed},
		"hangs": {script(t, "exec sleep 3600"),
			ocr.Limits{OCRWall: 500 * time.Millisecond}, domain.TimedOut},
		"computes without end": {script(t, "while :; do :; done"),
			ocr.Limits{OCRCPU: time.Second, OCRWall: 10 * time.Minute}, domain.FileTooComplex},
		"talks without end": {script(t,
			"while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done"),
			ocr.Limits{}, domain.FileTooComplex},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader := newReader(
				t, ocr.Options{Programs: ocr.Programs{Tesseract: c.program}, Limits: c.limits},
			)
			reading, err := reader.Read(t.Context(), bytes.NewReader(scan), ocr.Request{})
			if err == nil {
				reading.Close()
			}
			if !domain.HasCode(err, c.code) {
				t.Fatalf("got %v, want %s", err, c.code)
			}
			if ocr.Transient(err) != (c.code != domain.FileTooComplex) {
				t.Errorf("transient: %v", ocr.Transient(err))
			}
		})
	}
}

func TestPopplerThatDrawsNothingIsNoSuccess(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{Programs: ocr.Programs{PDFToPPM: script(t, "exit 0")}})
	reading, err := reader.Read(
		t.Context(),
		bytes.NewReader(asPDF(t, []testPage{{width: 595, height: 842, lines: long}}, nil)),
		ocr.Request{},
	)
	if err == nil {
		reading.Close()
	}
	if !domain.HasCode(err, domain.DamagedFile) {
		t.Errorf("got %v", err)
	}
}

// TestRenderedPageMustBeCompleteAndOfItsSize checks the output of pdftoppm regardless of its exit
// code: a page of 576 by 816 points has 1200x1700 pixels at 150 dpi.
func TestRenderedPageMustBeCompleteAndOfItsSize(t *testing.T) {
	t.Parallel()
	file := asPDF(t, []testPage{{width: 576, height: 816, lines: long}}, nil)
	for name, c := range map[string]struct {
		head   string
		pixels int
		says   string
	}{
		"whole":  {`P6\n1200 1700\n255\n`, 3 * 1200 * 1700, ""},
		"turned": {`P6\n1700 1200\n255\n`, 3 * 1200 * 1700, ""},
		"tiny":   {`P6\n10 20\n255\n`, 3 * 10 * 20, "drew 10x20 instead of 1200x1700"},
		"half as high": {`P6\n1200 850\n255\n`, 3 * 1200 * 850,
			"drew 1200x850 instead of 1200x1700"},
		"larger": {`P6\n2400 3400\n255\n`, 3 * 2400 * 3400,
			"drew 2400x3400 instead of 1200x1700"},
		"one byte is short": {`P6\n1200 1700\n255\n`, 3*1200*1700 - 1,
			"pdftoppm drew no page: unexpected EOF"},
		"no pixels":         {`P6\n1200 1700\n255\n`, 0, "pdftoppm drew no page: unexpected EOF"},
		"half a head":       {`P6\n1200`, 0, "pdftoppm drew no page"},
		"a picture for all": {`P6\n999999999 999999999\n255\n`, 10, "pdftoppm drew no page"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drawn := script(
				t,
				fmt.Sprintf(
					// stripes, so that the page shows something where its words are
					`for base; do :; done; s=' ~'; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do s=$s$s; done
					s=$s$s$s$s$s$s$s$s; s=$s$s$s$s$s$s$s$s; s=$s$s$s$s$s$s$s$s; s=$s$s
					printf '%s%%-%d.%ds' "$s" > "$base.ppm"`, c.head, c.pixels, min(c.pixels, 8<<20),
				),
			)
			reader := newReader(t, ocr.Options{Programs: ocr.Programs{PDFToPPM: drawn}})
			reading, err := reader.Read(t.Context(), bytes.NewReader(file), ocr.Request{})
			if err == nil {
				reading.Close()
			}
			if c.says == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if c.says != "" &&
				(!domain.HasCode(err, domain.DamagedFile) || ocr.Transient(err) ||
					!strings.Contains(err.Error(), c.says)) {
				t.Errorf("got %v, want it damaged: %s", err, c.says)
			}
		})
	}
}

func TestGivingUpLeavesNothing(t *testing.T) {
	t.Parallel()
	reader := newReader(
		t, ocr.Options{Programs: ocr.Programs{Tesseract: script(t, "exec sleep 3600")}},
	)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	begin := time.Now()
	reading, err := reader.Read(ctx, bytes.NewReader(asPNG(t, drawText(t, receipt))), ocr.Request{})
	if err == nil {
		reading.Close()
	}
	if !domain.HasCode(err, domain.TimedOut) || !errors.Is(err, context.DeadlineExceeded) ||
		!ocr.Transient(err) {
		t.Errorf("got %v", err)
	}
	if spent := time.Since(begin); spent > 5*time.Minute {
		t.Errorf("took %s", spent)
	}
}
