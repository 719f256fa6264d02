package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

const (
	inputPath  = "../in/" + inputName
	textDPI    = 150 // of the raster people see, where the words come from the text layer
	ocrDPI     = 300
	leastDPI   = 40 // a page so large that it fits the pixel limit only below this is no document
	maxDrawn   = 25_000_000
	pointsInch = 72.0
)

// sheet is one page of a PDF as pdfinfo tells it, before rotation, in points.
type sheet struct {
	width, height float64
}

// dpi returns the resolution wanted, or the one that fits the pixel limit; 0 if none is sane.
func (s sheet) dpi(wanted int) int {
	area := s.width / pointsInch * s.height / pointsInch
	if area*float64(wanted)*float64(wanted) <= maxDrawn {
		return wanted
	}
	dpi := int(math.Sqrt(maxDrawn / area))
	if dpi < leastDPI {
		return 0
	}
	return dpi
}

// openPDF finds the pages and the e-invoice of a PDF.
func (t *task) openPDF(ctx context.Context) (err error) {
	if t.sheets, err = t.inspect(ctx); err != nil {
		return err
	}
	t.reading.XML, err = t.attachedInvoice(ctx)
	return err
}

// readSheets reads the pages of a PDF.
func (t *task) readSheets(ctx context.Context) error {
	pages := make([]PageImage, len(t.sheets))
	err := t.eachPage(ctx, len(t.sheets), func(ctx context.Context, i int) error {
		page, pic, err := t.readSheet(ctx, i+1, t.sheets[i])
		if err != nil {
			return fmt.Errorf("page %d: %w", i+1, err)
		}
		pages[i] = PageImage{Page: page, raster: pic.png}
		return nil
	})
	if err != nil {
		return err
	}
	for _, page := range pages {
		t.reading.HasTextLayer = t.reading.HasTextLayer || page.Source == domain.SourceText
		t.add(page.Page, page.raster)
	}
	return nil
}

// pdf runs one poppler program on the document.
func (t *task) pdf(ctx context.Context, program string, limits sandbox.Limits, args ...string) (sandbox.Result, error) {
	limits.Memory = t.limits.Memory
	result, err := t.job.Run(ctx, sandbox.Spec{Program: program, Args: args, Limits: limits,
		CorrelationID: t.req.CorrelationID})
	if err != nil {
		return result, engineFailed(err)
	}
	return result, nil
}

func (t *task) inspect(ctx context.Context) ([]sheet, error) {
	result, err := t.pdf(ctx, t.programs.PDFInfo, sandbox.Limits{CPU: t.limits.PageCPU},
		"-f", "1", "-l", strconv.Itoa(t.limits.Pages), inputPath)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(result.Stderr, []byte("Incorrect password")) {
		return nil, domain.Fail(domain.EncryptedFile, "The PDF is protected by a password.").
			WithWayOut("Remove the password and send it again.")
	}
	if err := decoderFailed(ctx, "pdfinfo", result); err != nil {
		return nil, err
	}
	return parseInfo(result.Stdout, t.limits.Pages)
}

var (
	pageCount = regexp.MustCompile(`(?m)^Pages:\s+(\d+)$`)
	pageSize  = regexp.MustCompile(`(?m)^Page\s+\d+ size:\s+([\d.]+) x ([\d.]+) pts`)
)

// parseInfo reads pdfinfo's answer and refuses what is no document: no pages, too many, without or of absurd size.
func parseInfo(text []byte, limit int) ([]sheet, error) {
	match := pageCount.FindSubmatch(text)
	if match == nil {
		return nil, damaged(errors.New("pdfinfo tells no page count"))
	}
	count, err := strconv.Atoi(string(match[1]))
	if err != nil || count < 1 {
		return nil, damaged(fmt.Errorf("pdfinfo tells %s pages", match[1]))
	}
	if count > limit {
		return nil, domain.Fail(domain.FileTooComplex, "The document has %d pages; at most %d are read.", count, limit).
			WithWayOut("Send the pages that matter.").WithDetail("pages", strconv.Itoa(count))
	}
	var sheets []sheet
	for _, match := range pageSize.FindAllSubmatch(text, -1) {
		width, _ := strconv.ParseFloat(string(match[1]), 64)
		height, _ := strconv.ParseFloat(string(match[2]), 64)
		if width < 1 || height < 1 {
			return nil, damaged(fmt.Errorf("page %d has no size", len(sheets)+1))
		}
		page := sheet{width, height}
		if page.dpi(ocrDPI) == 0 {
			return nil, domain.Fail(domain.FileTooComplex, "Page %d is %.1f by %.1f metres large.", len(sheets)+1,
				width/pointsInch*0.0254, height/pointsInch*0.0254).WithWayOut("Print it to an ordinary paper size and send that.")
		}
		sheets = append(sheets, page)
	}
	if len(sheets) != count {
		return nil, damaged(fmt.Errorf("pdfinfo tells %d pages and the size of %d", count, len(sheets)))
	}
	return sheets, nil
}

// readSheet takes the page's text layer if it is sane, else reads it with the engine. Either way the page is drawn.
func (t *task) readSheet(ctx context.Context, number int, s sheet) (domain.Page, picture, error) {
	layer, err := t.textLayer(ctx, number)
	if err != nil {
		return domain.Page{}, picture{}, err
	}
	engine := t.recognises && (!layer.sane() || layer.sparse())
	if !layer.sane() && !engine {
		layer.words = nil // nonsense is no text
	}
	dpi := s.dpi(textDPI)
	if engine {
		dpi = s.dpi(ocrDPI)
	}
	pic, err := t.draw(ctx, number, s, dpi)
	if err == nil && dpi != s.dpi(textDPI) {
		pic, err = t.withoutColour(ctx, pic)
	}
	if err != nil {
		return domain.Page{}, pic, err
	}
	pic.png = pngName(pic)
	encoded := make(chan error, 1)
	go func() { encoded <- t.encode(ctx, pic) }()
	page := layer.page(pic)
	read := pic
	if engine {
		var seen domain.Page
		seen, read, err = t.recognise(ctx, pic, pic.pixels, nil)
		if !layer.sane() || len(seen.Words) >= 2*len(page.Words) {
			page = seen
		} else {
			read = pic
		}
	}
	if failed := <-encoded; err == nil {
		err = failed
	}
	t.drop(pic, read)
	return page, read, err
}

// draw rasterises one page; its success is the file itself, of the size that was to be expected.
func (t *task) draw(ctx context.Context, number int, s sheet, dpi int) (picture, error) {
	base := "page-" + strconv.Itoa(number)
	result, err := t.pdf(ctx, t.programs.PDFToPPM, sandbox.Limits{CPU: t.limits.PageCPU, Wall: t.limits.DrawWall},
		"-r", strconv.Itoa(dpi), "-f", strconv.Itoa(number), "-l", strconv.Itoa(number), "-singlefile", inputPath, base)
	if err != nil {
		return picture{}, err
	}
	if err := decoderFailed(ctx, "pdftoppm", result); err != nil {
		return picture{}, err
	}
	patience := 2*t.limits.PageCPU + time.Duration(number)*time.Second/2
	if spent := time.Duration(t.spent.Add(int64(result.CPU))); spent > patience {
		return picture{}, tooComplex().Because(fmt.Errorf("drawing used %s up to page %d", spent, number))
	}
	pic := picture{pixels: base + ".ppm", dpi: dpi}
	if pic.width, pic.height, err = t.pixelSize(pic.pixels); err != nil {
		return picture{}, damaged(fmt.Errorf("pdftoppm drew no page: %w: %s", err, tail(result.Stderr)))
	}
	wide, high := s.width/pointsInch*float64(dpi), s.height/pointsInch*float64(dpi)
	near := func(a int, b float64) bool { return math.Abs(float64(a)-b) <= 2+b/100 }
	if !(near(pic.width, wide) && near(pic.height, high)) && !(near(pic.width, high) && near(pic.height, wide)) {
		return picture{}, damaged(fmt.Errorf("pdftoppm drew %dx%d instead of %.0fx%.0f", pic.width, pic.height, wide, high))
	}
	return pic, nil
}

// withoutColour turns a drawn page that has no colour into grey pixels: the engine reads three equal channels at twice
// the cost of one.
func (t *task) withoutColour(ctx context.Context, pic picture) (picture, error) {
	plain := pic
	plain.pixels = pic.base() + ".pnm"
	_, err := t.image(ctx, imagePlan{In: pic.pixels, MediaType: mediaPNM, PNM: plain.pixels})
	t.drop(pic, pic)
	return plain, err
}

var attachment = regexp.MustCompile(`(?m)^(\d+): (.+)$`)

// The names that the standards give the invoice; any other XML comes after them.
var invoiceNames = []string{"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml"}

// attachedInvoice detaches the e-invoice if the PDF carries one: the first attachment that has a standard name, else
// the first XML, whose root is an e-invoice's. A PDF whose attachments cannot be listed has none.
func (t *task) attachedInvoice(ctx context.Context) ([]byte, error) {
	limits := sandbox.Limits{CPU: t.limits.PageCPU, File: MaxXMLBytes, Output: 1 << 20}
	result, err := t.pdf(ctx, t.programs.PDFDetach, limits, "-list", inputPath)
	if err != nil {
		return nil, err
	}
	if err := overLimit(ctx, "pdfdetach", result); err != nil {
		return nil, err
	}
	if !result.OK() {
		return nil, nil
	}
	for _, number := range invoiceOrder(result.Stdout) {
		result, err := t.pdf(ctx, t.programs.PDFDetach, limits, "-save", number, "-o", "invoice.xml", inputPath)
		if err != nil {
			return nil, err
		}
		if err := overLimit(ctx, "pdfdetach", result); err != nil {
			return nil, err
		}
		if !result.OK() {
			continue
		}
		text, err := t.job.ReadFile("invoice.xml", MaxXMLBytes)
		if err == nil && invoiceRoot(text) != "" && wellFormed(text) == nil {
			return text, nil
		}
	}
	return nil, nil
}

// invoiceOrder returns the numbers of XML attachments, those with a standard name first, at most ten.
func invoiceOrder(list []byte) []string {
	var standard, others []string
	for _, match := range attachment.FindAllSubmatch(list, 100) {
		number, name := string(match[1]), strings.ToLower(strings.TrimSpace(string(match[2])))
		switch {
		case isInvoiceName(name):
			standard = append(standard, number)
		case strings.HasSuffix(name, ".xml"):
			others = append(others, number)
		}
	}
	numbers := append(standard, others...)
	return numbers[:min(10, len(numbers))]
}

func isInvoiceName(name string) bool {
	for _, known := range invoiceNames {
		if name == known {
			return true
		}
	}
	return false
}

// pixelSize reads the head of a PNM and checks that the pixels are all there.
func (t *task) pixelSize(name string) (width, height int, err error) {
	file, err := t.job.Open(name, 4*maxDrawn)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, 64)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, 0, err
	}
	shape, err := parsePNMHead(head[:n])
	if err != nil {
		return 0, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, 0, err
	}
	if info.Size() < int64(shape.offset)+int64(shape.width)*int64(shape.height)*int64(shape.channels) {
		return 0, 0, io.ErrUnexpectedEOF
	}
	return shape.width, shape.height, nil
}
