package ocr

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// Options of New. The zero value reads with tesseract and poppler from PATH.
type Options struct {
	// Sandbox says how children are enclosed.
	Sandbox sandbox.Options
	// Programs names the programs by path or by name in PATH; empty names take the usual ones.
	Programs Programs
	// Engine replaces tesseract; nil means tesseract.
	Engine Engine
	Limits Limits
	// Parallel bounds the pages that are worked on concurrently, over all documents; 0 means one a processor.
	Parallel int
	Logger   *slog.Logger
}

// Programs are the foreign programs that read documents.
type Programs struct {
	PDFInfo, PDFToText, PDFToPPM, PDFDetach, Tesseract string
}

// Limits bound what one document may cost; zeros take the defaults.
type Limits struct {
	Bytes    int64         // of the file; 50 MB
	Pages    int           // 200
	Pixels   int64         // of one image in the file; 64 million
	PageCPU  time.Duration // processor time to draw one page, and half of what all may take beyond their shares; 6 s
	DrawWall time.Duration // wall clock to draw one page; 40 s
	OCRCPU   time.Duration // processor time of the engine for one page; 40 s
	OCRWall  time.Duration // wall clock of the engine for one page; 90 s
	Memory   int64         // of one child; 1 GB
}

func (l Limits) withDefaults() Limits {
	set := func(value *int64, fallback int64) {
		if *value <= 0 {
			*value = fallback
		}
	}
	set(&l.Bytes, 50<<20)
	set(&l.Pixels, 64_000_000)
	set(&l.Memory, 1<<30)
	set((*int64)(&l.PageCPU), int64(6*time.Second))
	set((*int64)(&l.DrawWall), int64(40*time.Second))
	set((*int64)(&l.OCRCPU), int64(40*time.Second))
	set((*int64)(&l.OCRWall), int64(90*time.Second))
	if l.Pages <= 0 {
		l.Pages = 200
	}
	return l
}

// Request is what the caller knows of one document.
type Request struct {
	// Languages that the OCR engine may use, in tesseract's names, the likeliest first: eng, deu, chi_sim. A page is read
	// in the first, since each further one costs as much again; when it reads badly and turns out to be in another's
	// script, in that one. Empty means eng first and any other after it.
	Languages []string
	// CorrelationID goes into every child's environment and log line.
	CorrelationID string
}

// Reading is what a document's file holds. Close it when the rasters are stored.
type Reading struct {
	MediaType string // application/pdf, image/png, image/jpeg, image/tiff or application/xml
	Pages     []PageImage
	// XML is the e-invoice inside the PDF, or the file itself if it is one; nil if there is none.
	XML []byte
	// HasTextLayer reports that at least one page's words came from the PDF's own text.
	HasTextLayer bool
	job          *sandbox.Folder
	task         *task
}

// PageImage is one page as read, and its raster. Page.RasterKey is left empty for the caller.
type PageImage struct {
	domain.Page
	raster string // name of the PNG in the job's folder
	job    *sandbox.Folder
}

// MaxRasterBytes bounds the PNG of one page.
const MaxRasterBytes = 256 << 20

// OpenRaster opens the page's PNG. It must be closed before the Reading is.
func (p PageImage) OpenRaster() (io.ReadCloser, error) {
	file, err := p.job.Open(p.raster, MaxRasterBytes)
	if err != nil {
		return nil, fmt.Errorf("ocr: raster of page %d: %w", p.Number, err)
	}
	return file, nil
}

// Raster returns the page's PNG.
func (p PageImage) Raster() ([]byte, error) {
	file, err := p.OpenRaster()
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(file)
}

// DomainPages returns the pages without their rasters, as the extractor wants them.
func (r *Reading) DomainPages() []domain.Page {
	pages := make([]domain.Page, 0, len(r.Pages))
	for _, page := range r.Pages {
		pages = append(pages, page.Page)
	}
	return pages
}

// Close removes the document's temporary files. It may be called twice.
func (r *Reading) Close() { r.job.Close() }

// Reader reads documents; it may be used by many at once.
type Reader struct {
	runner    *sandbox.Runner
	programs  Programs
	engine    Engine
	limits    Limits
	pageSlots chan struct{} // one for each page being worked on
}

// New proves the sandbox and returns a Reader. A machine where no sandbox holds is SandboxUnavailable.
func New(ctx context.Context, o Options) (*Reader, error) {
	logger := o.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	o.Sandbox.Logger = logger
	box, err := sandbox.Open(ctx, o.Sandbox)
	if err != nil {
		return nil, err
	}
	parallel := o.Parallel
	if parallel <= 0 {
		parallel = runtime.NumCPU()
	}
	reader := &Reader{runner: box, programs: o.Programs, engine: o.Engine, limits: o.Limits.withDefaults(),
		pageSlots: make(chan struct{}, parallel)}
	for _, program := range []struct {
		name  *string
		usual string
	}{
		{&reader.programs.PDFInfo, "pdfinfo"}, {&reader.programs.PDFToText, "pdftotext"},
		{&reader.programs.PDFToPPM, "pdftoppm"}, {&reader.programs.PDFDetach, "pdfdetach"},
		{&reader.programs.Tesseract, "tesseract"},
	} {
		if *program.name == "" {
			*program.name = program.usual
		}
	}
	if reader.engine == nil {
		reader.engine = &Tesseract{Program: reader.programs.Tesseract, CPU: reader.limits.OCRCPU,
			Wall: reader.limits.OCRWall, Memory: reader.limits.Memory}
	}
	return reader, nil
}

// Sandbox returns the box the children run in: its mode, and why stronger ones do not hold.
func (r *Reader) Sandbox() *sandbox.Runner { return r.runner }

// Close ends the Reader and removes what it keeps on disk.
func (r *Reader) Close() error { return r.runner.Close() }

// Child must be the first call of main and of TestMain in every program that makes a Reader: it serves the children
// that are our own binary, and returns immediately in an ordinary process.
func Child() { sandbox.Main(map[string]func([]string) int{callImage: imageMain}) }

// Transient reports whether reading again may help: an engine that failed, a time-out. A damaged, encrypted,
// unsupported or too costly file stays so.
func Transient(err error) bool { return err != nil && domain.CodeOf(err).Kind() != domain.KindInvalid }

// Read reads one document: Open, then ReadPages with the engine. The caller closes the Reading.
func (r *Reader) Read(ctx context.Context, from io.Reader, req Request) (*Reading, error) {
	reading, err := r.Open(ctx, from, req)
	if err != nil {
		return nil, err
	}
	if err := reading.ReadPages(ctx, true); err != nil {
		reading.Close()
		return nil, err
	}
	return reading, nil
}

// Open takes a document in and finds what it is and the e-invoice in it; its pages are not read yet. Every error carries a
// code: EmptyFile, UnsupportedFile, DamagedFile, EncryptedFile, FileTooLarge and FileTooComplex are the file's and
// permanent; EngineFailed, TimedOut are ours and transient. The caller closes the Reading.
func (r *Reader) Open(ctx context.Context, from io.Reader, req Request) (*Reading, error) {
	job, err := r.runner.NewFolder(ctx)
	if err != nil {
		return nil, callerError(ctx, err)
	}
	reading, err := r.open(ctx, job, from, req)
	if err != nil {
		job.Close()
		return nil, fmt.Errorf("ocr: open: %w", err)
	}
	return reading, nil
}

// ReadPages draws the pages and finds their words, once for a Reading. recognise says whether a page without text of its
// own is given to the engine; without, it is drawn and has no words. Errors are as those of Open.
func (r *Reading) ReadPages(ctx context.Context, recognise bool) error {
	r.task.recognises = recognise
	if err := r.task.readPages(ctx); err != nil {
		return fmt.Errorf("ocr: read: %w", err)
	}
	return nil
}

// ReadFile reads the document at the path.
func (r *Reader) ReadFile(ctx context.Context, path string, req Request) (*Reading, error) {
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return nil, fmt.Errorf("ocr: %w", err)
	}
	defer func() { _ = file.Close() }()
	return r.Read(ctx, file, req)
}

const inputName = "document"

func (r *Reader) open(ctx context.Context, job *sandbox.Folder, from io.Reader, req Request) (*Reading, error) {
	size, err := job.Put(inputName, from, r.limits.Bytes)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, domain.Errorf(domain.EmptyFile, "The file is empty.").WithRemedy("Send the document again.")
	}
	file, err := os.Open(filepath.Join(job.In(), inputName))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	mediaType, err := mediaTypeOf(file)
	if err != nil {
		return nil, err
	}
	task := &task{Reader: r, job: job, req: req, size: size, reading: &Reading{MediaType: mediaType, job: job}}
	task.reading.task = task
	switch mediaType {
	case mediaPDF:
		err = task.openPDF(ctx)
	case mediaXML:
		task.reading.XML, err = readInvoiceXML(file, size)
	}
	return task.reading, err
}

// readPages reads the pages of a file that was opened.
func (t *task) readPages(ctx context.Context) error {
	switch t.reading.MediaType {
	case mediaPDF:
		return t.readPDFPages(ctx)
	case mediaXML:
		return nil
	}
	file, err := os.Open(filepath.Join(t.job.In(), inputName))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return t.readImage(ctx, file, t.size)
}

// task is one document being read.
type task struct {
	*Reader
	job      *sandbox.Folder
	req      Request
	size     int64 // of the file, in bytes
	reading  *Reading
	pdfPages []pdfPage // of a PDF
	// recognises says that pages without text of their own are given to the engine.
	recognises bool
	excessCPU  atomic.Int64 // nanoseconds of processor time that drawing took beyond each page's share
}

// add appends a page that was drawn and read.
func (t *task) add(page domain.Page, raster string) {
	page.Number = len(t.reading.Pages) + 1
	t.reading.Pages = append(t.reading.Pages, PageImage{Page: page, raster: raster, job: t.job})
}
