// Package sampledocs draws business documents for the demo, for tests and for measurements: an
// invoice as a PDF with a text layer, and the same page as an image that has to be read.
//
// What may enter: made-up documents as values, the drawing of a page, rasterising one by the
// program pdftoppm. What never happens here: reading documents, real data, anything a production
// program needs.
package sampledocs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"countersign/domain"
)

// Invoice is a made-up invoice.
type Invoice struct {
	Vendor, Street, City string
	VATID, IBAN          string
	Customer             string
	Number               string
	Date                 time.Time
	DueDays              int
	Currency             string
	Lines                []Line
	// TaxPercent is taken of the sum of the lines.
	TaxPercent int64
	// Misprint is added to the printed total, in minor units: an invoice whose sums do not agree.
	Misprint int64
	// Notes are printed below the sums.
	Notes []string
}

// Line is one thing sold.
type Line struct {
	Text     string
	Quantity int64
	Unit     int64 // price of one in minor units
}

// Net is the sum of the lines.
func (i Invoice) Net() domain.Money {
	net := domain.Money{Currency: i.Currency}
	for _, line := range i.Lines {
		net.Minor += line.Quantity * line.Unit
	}
	return net
}

// Tax is rounded half up.
func (i Invoice) Tax() domain.Money {
	return domain.Money{Minor: (i.Net().Minor*i.TaxPercent + 50) / 100, Currency: i.Currency}
}

// Total is what is printed as the amount to pay.
func (i Invoice) Total() domain.Money {
	return domain.Money{Minor: i.Net().Minor + i.Tax().Minor + i.Misprint, Currency: i.Currency}
}

// text is one piece of text on an A4 page; positions are in points from the top left corner.
type text struct {
	x, y, size float64
	bold       bool
	words      string
}

func (i Invoice) layout() []text {
	day := func(at time.Time) string { return at.Format("2006-01-02") }
	page := []text{
		{50, 70, 20, true, i.Vendor}, {50, 90, 10, false, i.Street}, {50, 104, 10, false, i.City},
		{50, 118, 10, false, "VAT ID: " + i.VATID},
		{400, 70, 20, true, "INVOICE"},
		{50, 170, 10, false, "Bill to:"}, {50, 184, 10, false, i.Customer},
		{340, 170, 10, false, "Invoice number: " + i.Number},
		{340, 186, 10, false, "Invoice date: " + day(i.Date)},
		{340, 202, 10, false, "Due date: " + day(i.Date.AddDate(0, 0, i.DueDays))},
		{340, 218, 10, false, "Currency: " + i.Currency},
		{50, 260, 10, true, "Description"}, {330, 260, 10, true, "Quantity"},
		{400, 260, 10, true, "Unit price"}, {490, 260, 10, true, "Amount"},
	}
	y := 282.0
	for _, line := range i.Lines {
		amount := domain.Money{Minor: line.Unit, Currency: i.Currency}
		page = append(page, text{50, y, 10, false, line.Text},
			text{340, y, 10, false, fmt.Sprint(line.Quantity)},
			text{400, y, 10, false, amount.Decimal()})
		amount.Minor *= line.Quantity
		page = append(page, text{490, y, 10, false, amount.Decimal()})
		y += 18
	}
	y += 20
	for _, sum := range []struct {
		label  string
		amount domain.Money
		bold   bool
	}{{"Subtotal", i.Net(), false}, {fmt.Sprintf("VAT %d%%", i.TaxPercent), i.Tax(), false},
		{"Total", i.Total(), true}} {
		page = append(page, text{400, y, 11, sum.bold, sum.label},
			text{490, y, 11, sum.bold, sum.amount.Decimal()})
		y += 20
	}
	for _, note := range i.Notes {
		page = append(page, text{50, y, 10, false, note})
		y += 16
	}
	return append(page, text{50, y + 40, 10, false, "Please pay to IBAN: " + i.IBAN},
		text{50, y + 56, 10, false, "Thank you for your business."})
}

// Addition is what a PDF has besides the invoice, for tests of hostile documents.
type Addition struct {
	Content string   // operators after those of the invoice
	Page    string   // entries of the page
	Fonts   string   // entries of the fonts
	Objects []string // the first one has the number FirstAdded
	Trailer string   // entries of the trailer
	Catalog string   // entries of the catalog
}

// FirstAdded is the number of the first object of an addition.
const FirstAdded = 7

// PDF draws the invoice as one A4 page with a text layer.
func (i Invoice) PDF() []byte { return i.PDFWith(Addition{}) }

// PDFWith is PDF with an addition.
func (i Invoice) PDFWith(addition Addition) []byte {
	var page bytes.Buffer
	for _, t := range i.layout() {
		font := "F1"
		if t.bold {
			font = "F2"
		}
		fmt.Fprintf(&page, "BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, t.size, t.x, 842-t.y,
			escape(t.words))
	}
	page.WriteString(addition.Content)
	return assemble(page.Bytes(), addition)
}

// escape writes text in the font's one-byte encoding; what it lacks becomes a question mark.
func escape(words string) string {
	var out strings.Builder
	for _, r := range words {
		switch {
		case r == '(' || r == ')' || r == '\\':
			out.WriteByte('\\')
			out.WriteByte(byte(r))
		case r >= ' ' && r < 0x7f || r >= 0xa0 && r <= 0xff:
			out.WriteByte(byte(r))
		default:
			out.WriteByte('?')
		}
	}
	return out.String()
}

// assemble puts the objects of a one-page PDF together.
func assemble(content []byte, addition Addition) []byte {
	objects := [][]byte{
		fmt.Appendf(nil, "<< /Type /Catalog /Pages 2 0 R %s>>", addition.Catalog),
		[]byte("<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
		fmt.Appendf(nil, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R %s>> >> %s>>",
			addition.Fonts, addition.Page),
		fmt.Appendf(nil, "<< /Length %d >>\nstream\n%sendstream", len(content), content),
		[]byte("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"),
		[]byte("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>"),
	}
	for _, object := range addition.Objects {
		objects = append(objects, []byte(object))
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for n, object := range objects {
		offsets[n] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R %s>>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, addition.Trailer, start)
	return out.Bytes()
}

// PNG draws the same page as an image of the given dots per inch, as a scanner would deliver it.
func (i Invoice) PNG(ctx context.Context, dpi int) ([]byte, error) {
	folder, err := os.MkdirTemp("", "countersign-paper-")
	if err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	from, to := filepath.Join(folder, "page.pdf"), filepath.Join(folder, "page")
	if err := os.WriteFile(from, i.PDF(), 0o600); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	said, err := exec.CommandContext(ctx, "pdftoppm", "-r", fmt.Sprint(dpi), "-gray", "-png",
		"-singlefile", from, to).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, domain.Errorf(domain.Unavailable,
			"The program pdftoppm was not found.").WithRemedy(
			"Run scripts/install.sh, or install poppler-utils.")
	}
	if err != nil {
		return nil, fmt.Errorf("draw: pdftoppm: %w: %s", err, said)
	}
	return os.ReadFile(to + ".png")
}
