package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/reading/ocr/sandbox"
)

const (
	inputPath  = "../in/" + inputName
	pointsInch = 72.0
)

// openPDF reads the page list and the e-invoice of a PDF concurrently.
func (t *task) openPDF(ctx context.Context) (err error) {
	aside, cancel := context.WithCancel(ctx)
	defer cancel()
	detached := make(chan error, 1)
	go func() {
		var err error
		t.reading.XML, err = t.attachedInvoice(aside)
		detached <- err
	}()
	if t.pdfPages, err = t.inspect(ctx); err != nil {
		cancel()
	}
	if failed := <-detached; err == nil {
		err = failed
	}
	return err
}

// pdf runs a poppler program on the document.
func (t *task) pdf(
	ctx context.Context, program string, limits sandbox.Limits, args ...string,
) (sandbox.Result, error) {
	limits.Memory = t.limits.Memory
	result, err := t.job.Run(ctx, sandbox.Spec{Program: program, Args: args, Limits: limits,
		CorrelationID: t.req.CorrelationID})
	if err != nil {
		return result, engineError(err)
	}
	return result, nil
}

func (t *task) inspect(ctx context.Context) ([]pdfPage, error) {
	result, err := t.pdf(ctx, t.programs.PDFInfo, sandbox.Limits{CPU: t.limits.PageCPU},
		"-f", "1", "-l", strconv.Itoa(t.limits.Pages), inputPath)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(result.Stderr, []byte("Incorrect password")) {
		return nil, domain.Errorf(domain.EncryptedFile, "The PDF is password-protected.").
			WithRemedy("Remove the password and submit it again.")
	}
	if bytes.Contains(
		result.Stderr, []byte("security handler"),
	) { // encrypted with certificates or an unsupported scheme
		return nil, domain.Errorf(domain.EncryptedFile, "The PDF is encrypted.").
			WithRemedy("Save it without encryption and submit it again.")
	}
	if err := decoderError(ctx, "pdfinfo", result); err != nil {
		return nil, err
	}
	return parseInfo(result.Stdout, t.limits.Pages)
}

var (
	pageCount = regexp.MustCompile(`(?m)^Pages:\s+(\d+)$`)
	pageSize  = regexp.MustCompile(`(?m)^Page\s+\d+ size:\s+([\d.]+) x ([\d.]+) pts`)
)

// parseInfo parses the output of pdfinfo. It rejects PDFs without pages, with too many pages, or
// with pages of missing or implausible size.
func parseInfo(text []byte, limit int) ([]pdfPage, error) {
	match := pageCount.FindSubmatch(text)
	if match == nil {
		return nil, brokenError("PDF", 0, errors.New("pdfinfo reports no page count"))
	}
	count, err := strconv.Atoi(string(match[1]))
	if err != nil || count < 1 {
		return nil, brokenError("PDF", 0, fmt.Errorf("pdfinfo reports %s pages", match[1]))
	}
	if count > limit {
		return nil, domain.Errorf(domain.FileTooComplex,
			"The document has %d pages; at most %d are allowed.", count, limit).
			WithRemedy("Submit only the relevant pages.").
			WithDetail("pages", strconv.Itoa(count))
	}
	var sheets []pdfPage
	for _, match := range pageSize.FindAllSubmatch(text, -1) {
		width, _ := strconv.ParseFloat(string(match[1]), 64)
		height, _ := strconv.ParseFloat(string(match[2]), 64)
		if width < 1 || height < 1 {
			return nil, brokenError("PDF", 0, fmt.Errorf("page %d has no size", len(sheets)+1))
		}
		page := pdfPage{width, height}
		if page.dpi(ocrDPI) == 0 {
			return nil, domain.Errorf(domain.FileTooComplex,
				"Page %d is too large: %.1f by %.1f metres.", len(sheets)+1,
				width/pointsInch*0.0254, height/pointsInch*0.0254).
				WithRemedy("Print it to a standard paper size and submit that.")
		}
		sheets = append(sheets, page)
	}
	if len(sheets) != count {
		return nil, brokenError("PDF", 0,
			fmt.Errorf("pdfinfo reports %d pages and the size of %d", count, len(sheets)),
		)
	}
	return sheets, nil
}

var attachment = regexp.MustCompile(`(?m)^(\d+): (.+)$`)

// invoiceNames are the standard file names of the invoice. They take precedence over other XML
// attachments.
var invoiceNames = []string{"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml"}

// attachedInvoice extracts the e-invoice from the PDF: the first attachment with a standard name,
// otherwise the first XML attachment, whose root is that of an e-invoice. It returns nil if
// attachments cannot be listed.
func (t *task) attachedInvoice(ctx context.Context) ([]byte, error) {
	limits := sandbox.Limits{CPU: t.limits.PageCPU, File: MaxXMLBytes, Output: 1 << 20}
	result, err := t.pdf(ctx, t.programs.PDFDetach, limits, "-list", inputPath)
	if err != nil {
		return nil, err
	}
	if err := limitError(ctx, "pdfdetach", result); err != nil {
		return nil, err
	}
	if !result.OK() {
		return nil, nil
	}
	for _, number := range invoiceOrder(result.Stdout) {
		result, err := t.pdf(
			ctx, t.programs.PDFDetach, limits, "-save", number, "-o", "invoice.xml", inputPath,
		)
		if err != nil {
			return nil, err
		}
		if err := limitError(ctx, "pdfdetach", result); err != nil {
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

// invoiceOrder returns the numbers of at most ten XML attachments, those with a standard name
// first.
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
