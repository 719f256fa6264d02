package ocr

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

// Options are the options of New. The zero value uses tesseract and poppler from PATH.
type Options struct {
	// Sandbox configures the sandbox of child processes.
	Sandbox sandbox.Options
	// Programs are the programs by path or by name in PATH; empty names mean the defaults.
	Programs Programs
	// Engine is the OCR engine; nil means PPOCR if that is set, otherwise tesseract.
	Engine Engine
	// PPOCR are the files of that engine, found; nil means that it is not used.
	PPOCR *PPOCRFiles
	// Second is the engine that reads each page once more, after Engine, for comparison; nil means
	// tesseract if Compare is set, otherwise none.
	Second Engine
	// Compare asks tesseract for a second reading of what PPOCR reads. Without PPOCR it means
	// nothing.
	Compare bool
	// AsIs reads pages without straightening or turning them. It is for measuring what that contributes.
	AsIs bool
	// OnSecondReading is called after each second reading, with its error if it failed.
	OnSecondReading func(error)
	Limits          Limits
	// Parallel limits the pages that are processed concurrently in all documents; 0 means one per
	// processor.
	Parallel int
	Logger   *slog.Logger
}

// Programs are the external programs that read documents.
type Programs struct {
	PDFInfo, PDFToText, PDFToPPM, PDFToCairo, PDFDetach, PDFImages, Tesseract string
}

// Limits are the limits for one document; zero means the default.
type Limits struct {
	Bytes    int64         // of the file; 50 MB
	Pages    int           // 200
	Pixels   int64         // of one image in the file; 64 million
	PageCPU  time.Duration // processor time to render one page, and half of the document's budget beyond shares; 6 s
	DrawWall time.Duration // wall-clock time to render one page; 40 s
	OCRCPU   time.Duration // processor time of the engine for one page; 40 s
	OCRWall  time.Duration // wall-clock time of the engine for one page; 90 s
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

// Request describes one document.
type Request struct {
	// Languages are the languages for the OCR engine by tesseract's names, the most likely first:
	// eng, deu, chi_sim. A page is read in the first one, because each further language costs as
	// much again. If the confidence is low and the page is in the script of another one, it is read
	// again in that language. Empty means eng first, then any other.
	Languages []string
	// CorrelationID is passed to the environment and log lines of children.
	CorrelationID string
	// FileName is the name of the submitted file, only for the error of an unsupported one.
	FileName string
	// FirstPage and LastPage are the only pages to read, from 1; 0 for all. A page keeps its number in the
	// file.
	FirstPage, LastPage int
	// Known, if set, is called once with the number of pages that an engine may read, before the first one.
	// It returns the numbers of the pages that are not read again. The Reading does not have them.
	Known func(ctx context.Context, pages int) map[int]bool
	// OnPage, if set, is called after each page that was read alone, concurrently for several pages.
	OnPage func(ctx context.Context, page PageImage)
}

// count returns how many of the pages of a file are to be read.
func (r *Request) count(pages int) int {
	if r.FirstPage == 0 {
		return pages
	}
	return max(0, min(r.LastPage, pages)-r.FirstPage+1)
}

// Reading is the content of a document's file. Close it when the rasters are stored.
type Reading struct {
	MediaType string // application/pdf, image/png, image/jpeg, image/tiff or application/xml
	Pages     []PageImage
	// XML is the e-invoice in the PDF, or the file itself if it is one; nil if there is none.
	XML []byte
	// HasTextLayer reports whether the words of at least one page come from the text layer of the
	// PDF.
	HasTextLayer bool
	job          *sandbox.Folder
	task         *task
}

// PageImage is a page and its raster. The caller sets Page.RasterKey.
type PageImage struct {
	domain.Page
	// Hash is the perceptual hash of the first page, in which equal pages differ in few bits; 0 for
	// other pages and blank ones.
	Hash   uint64
	raster string // name of the PNG in the job's folder
	job    *sandbox.Folder
}

// MaxRasterBytes limits the size of the PNG of a page.
const MaxRasterBytes = 256 << 20

// OpenRaster opens the PNG of the page. Close it before the Reading.
func (p PageImage) OpenRaster() (io.ReadCloser, error) {
	file, err := p.job.Open(p.raster, MaxRasterBytes)
	if err != nil {
		return nil, fmt.Errorf("ocr: raster of page %d: %w", p.Number, err)
	}
	return file, nil
}

// Raster returns the PNG of the page.
func (p PageImage) Raster() ([]byte, error) {
	file, err := p.OpenRaster()
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return io.ReadAll(file)
}

// DomainPages returns the pages without rasters, for extraction.
func (r *Reading) DomainPages() []domain.Page {
	pages := make([]domain.Page, 0, len(r.Pages))
	for _, page := range r.Pages {
		pages = append(pages, page.Page)
	}
	return pages
}

// Close removes the document's temporary files. It may be called twice.
func (r *Reading) Close() { r.job.Close() }

// Reader reads documents. It is safe for concurrent use.
type Reader struct {
	runner    *sandbox.Runner
	programs  Programs
	engine    Engine
	second    secondReading
	limits    Limits
	asIs      bool
	pageSlots chan struct{} // one for each page being processed
	largeSlot chan struct{} // one for all large pages
	// reduceSlot is one for all images that are made smaller.
	reduceSlot chan struct{}
}

// New tests the sandbox and returns a Reader. It returns SandboxUnavailable if no sandbox works on
// this machine.
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
	reader := &Reader{
		runner: box, programs: o.Programs, engine: o.Engine,
		limits: o.Limits.withDefaults(), asIs: o.AsIs, pageSlots: make(chan struct{}, parallel),
		largeSlot: make(chan struct{}, 1), reduceSlot: make(chan struct{}, 1),
		second: secondReading{engine: o.Second, observe: o.OnSecondReading, logger: logger},
	}
	for _, program := range []struct {
		name  *string
		usual string
	}{
		{&reader.programs.PDFInfo, "pdfinfo"}, {&reader.programs.PDFToText, "pdftotext"},
		{&reader.programs.PDFToPPM, "pdftoppm"}, {&reader.programs.PDFToCairo, "pdftocairo"},
		{&reader.programs.PDFDetach, "pdfdetach"}, {&reader.programs.PDFImages, "pdfimages"},
		{&reader.programs.Tesseract, "tesseract"},
	} {
		if *program.name == "" {
			*program.name = program.usual
		}
	}
	if reader.engine == nil {
		reader.engine = reader.usualEngine(o.PPOCR)
	}
	if reader.second.engine == nil && o.Compare && o.PPOCR != nil {
		reader.second.engine = reader.tesseract(secondShare)
	}
	return reader, nil
}

// usualEngine returns PP-OCR if it has its files, otherwise tesseract.
func (r *Reader) usualEngine(files *PPOCRFiles) Engine {
	tesseract := r.tesseract(1)
	if files == nil {
		return tesseract
	}
	return &PPOCR{Files: *files, CPU: r.limits.OCRCPU, Wall: r.limits.OCRWall,
		Memory: r.limits.Memory, Orienter: tesseract}
}

// tesseract returns that engine with its time divided by the number.
func (r *Reader) tesseract(share time.Duration) *Tesseract {
	return &Tesseract{Program: r.programs.Tesseract, CPU: r.limits.OCRCPU / share,
		Wall: r.limits.OCRWall / share, Memory: r.limits.Memory}
}

// Engine returns the engine.
func (r *Reader) Engine() Engine { return r.engine }

// Sandbox returns the runner of children, which reports its mode and why stronger modes are
// unavailable.
func (r *Reader) Sandbox() *sandbox.Runner { return r.runner }

// Close removes the files of the Reader from disk.
func (r *Reader) Close() error { return r.runner.Close() }

// Child must be the first call of main and of TestMain in every program that uses a Reader. In a
// child process of the same binary it runs the child's function and does not return; in any other
// process it returns immediately.
func Child() { sandbox.Main(map[string]func([]string) int{callImage: imageMain}) }

// Transient reports whether a retry can succeed, as after a failure of the engine or a timeout.
// Errors about the file, such as damage or encryption, are permanent.
func Transient(
	err error,
) bool {
	return err != nil && domain.CodeOf(err).Kind() != domain.KindInvalid
}

// Read calls Open, then ReadPages with the engine. The caller must close the Reading.
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

// Open copies a document into a job folder and detects its type and e-invoice, without reading
// pages. EmptyFile, UnsupportedFile, DamagedFile, EncryptedFile, FileTooLarge and FileTooComplex
// are permanent errors of the file; EngineFailed and TimedOut are transient. The caller must close
// the Reading.
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

// ReadPages renders the pages and reads their words. Call it once. If recognise is false, pages
// without a text layer are rendered but have no words. It returns the errors of Open.
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

func (r *Reader) open(
	ctx context.Context, job *sandbox.Folder, from io.Reader, req Request,
) (*Reading, error) {
	size, err := job.Put(inputName, from, r.limits.Bytes)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, domain.Errorf(domain.EmptyFile, "The file is empty.").
			WithRemedy("Submit the document again.")
	}
	file, err := os.Open(filepath.Join(job.In(), inputName))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	mediaType, err := mediaTypeOf(file, req.FileName)
	if err != nil {
		return nil, err
	}
	task := &task{
		Reader: r, job: job, req: req, size: size,
		reading: &Reading{MediaType: mediaType, job: job},
	}
	task.reading.task = task
	switch mediaType {
	case mediaPDF:
		err = task.openPDF(ctx)
	case mediaXML:
		task.reading.XML, err = readInvoiceXML(file, size)
	}
	return task.reading, err
}

// readPages reads the pages of an opened file.
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
	// layers are the text layers of all pages; nil if they are extracted page by page.
	layers     []textWords
	layersOnce sync.Once
	// covered are the shares of the pages that images cover.
	covered    []float64
	imagesOnce sync.Once
	known      map[int]bool // numbers of pages that are not read again
	// recognises says whether the engine reads pages without a text layer.
	recognises bool
	hashes     sync.Map     // perceptual hashes (uint64) by the name of the raster's file
	excessCPU  atomic.Int64 // nanoseconds of processor time for rendering beyond each page's share
	// drawQuickly is set when a page was too complex for pdftoppm, so that the pages after it are not
	// tried twice.
	drawQuickly atomic.Bool
	// drawAlone is set when a batch of pages could not be rendered, so that the pages after it are
	// rendered alone.
	drawAlone atomic.Bool
}

// add appends the page with the index, which was rendered and read.
func (t *task) add(i int, page domain.Page, raster string) {
	page.Number = i + 1
	t.reading.Pages = append(t.reading.Pages, PageImage{Page: page, Hash: t.hashOf(raster), raster: raster,
		job: t.job})
}
