package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf16"

	"countersign/test/testcluster"
)

// expireClaims lets the claims of a case's reviews have run out a second ago: {"reference":"CS-…"}.
// What follows is the product's own: the sweeper finds them.
func (e *testEnv) expireClaims(rw http.ResponseWriter, r *http.Request) {
	var input struct{ Reference string }
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	owner := e.cluster.Database.Owner(e.t)
	tag, err := owner.Exec(r.Context(), `UPDATE reviews SET claim_until = now() - interval '1 second'
		WHERE status = 'claimed' AND case_id IN (SELECT id FROM cases WHERE reference = $1)`, input.Reference)
	e.must(err)
	answer(rw, map[string]bool{"done": err == nil && tag.RowsAffected() > 0})
}

// drawInvoiceWithCover draws a cover letter with an invoice behind it, and answers with the path of
// its file: {"number":1,"euros":100,"padding":9000000}; padding makes the file that many bytes longer.
func (e *testEnv) drawInvoiceWithCover(rw http.ResponseWriter, r *http.Request) {
	var input struct {
		Number, Padding int
		Euros           int64
	}
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	invoice := testcluster.Invoice(input.Number, input.Euros)
	cover := e.cluster.File(invoice.Number+"-cover.pdf",
		letter("Dear colleagues,", "please find our bill on the next page.", "Kind regards"))
	path := filepath.Join(filepath.Dir(cover), invoice.Number+"-bundle.pdf")
	said, err := exec.CommandContext(r.Context(), "pdfunite", cover, e.cluster.PDF(invoice),
		path).CombinedOutput()
	if err != nil {
		http.Error(rw, fmt.Sprintf("pdfunite: %v: %s", err, said), http.StatusInternalServerError)
		return
	}
	e.must(pad(path, input.Padding))
	answer(rw, map[string]string{"path": path, "invoice": invoice.Number})
}

// drawUnitedInvoices draws invoices of different vendors into one PDF, one page each, and answers with the
// path of its file and their numbers: {"number":1,"euros":[2000,3000]}.
func (e *testEnv) drawUnitedInvoices(rw http.ResponseWriter, r *http.Request) {
	var input struct {
		Number int
		Euros  []int64
	}
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	var files, numbers []string
	for i, euros := range input.Euros {
		invoice := testcluster.Invoice(input.Number+i, euros)
		files, numbers = append(files, e.cluster.PDF(invoice)), append(numbers, invoice.Number)
	}
	path := filepath.Join(filepath.Dir(files[0]), numbers[0]+"-united.pdf")
	said, err := exec.CommandContext(r.Context(), "pdfunite", append(files, path)...).CombinedOutput()
	if err != nil {
		http.Error(rw, fmt.Sprintf("pdfunite: %v: %s", err, said), http.StatusInternalServerError)
		return
	}
	answer(rw, map[string]any{"path": path, "invoices": numbers})
}

// drawLetter draws a page with the lines, and answers with the path of its file:
// {"name":"order-1","lines":["Payment order"]}.
func (e *testEnv) drawLetter(rw http.ResponseWriter, r *http.Request) {
	var input struct {
		Name  string
		Lines []string
	}
	if err := json.NewDecoder(r.Body).Decode(&input); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	answer(rw, map[string]string{"path": e.cluster.File(input.Name+".pdf", letter(input.Lines...))})
}

// pad writes so many bytes of comments behind the end of a PDF, where readers look past them.
func pad(path string, size int) error {
	if size == 0 {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	tail := bytes.LastIndex(content, []byte("startxref"))
	line := []byte("%" + string(bytes.Repeat([]byte("x"), 98)) + "\n")
	padded := bytes.Join([][]byte{content[:tail], bytes.Repeat(line, size/len(line)),
		content[tail:]}, nil)
	return os.WriteFile(path, padded, 0o644) //nolint:gosec // read by sandboxed children
}

// identityCMap says that the codes of a font are UTF-16.
const identityCMap = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CMapName /Identity-UTF16 def /CMapType 2 def
1 begincodespacerange <0000> <FFFF> endcodespacerange
1 beginbfrange <0000> <FFFF> <0000> endbfrange
endcmap CMapName currentdict /CMap defineresource pop end end
`

// letter is a page of plain lines as a PDF. Lines of other than ASCII characters are in a font that is not
// embedded, because no font of those has to be installed: readers find their text, not their shapes.
func letter(lines ...string) []byte {
	var page bytes.Buffer
	for n, line := range lines {
		font, text := "F1", "("+line+")"
		if strings.ContainsFunc(line, func(r rune) bool { return r > unicode.MaxASCII }) {
			font, text = "F2", "<"
			for _, unit := range utf16.Encode([]rune(line)) {
				text += fmt.Sprintf("%04x", unit)
			}
			text += ">"
		}
		fmt.Fprintf(&page, "BT /%s 12 Tf 60 %d Td %s Tj ET\n", font, 740-30*n, text)
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", page.Len(), page.String()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 8 0 R >>",
		`<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Song /DW 1000 /FontDescriptor 9 0 R
  /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>`,
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", len(identityCMap), identityCMap),
		`<< /Type /FontDescriptor /FontName /Song /Flags 4 /FontBBox [0 -200 1000 900] /ItalicAngle 0
  /Ascent 900 /Descent -200 /CapHeight 700 /StemV 80 >>`,
	}
	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for n, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", n+1, object)
	}
	fmt.Fprintf(&out, "%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", table,
		len(objects)+1, out.Len())
	return out.Bytes()
}
