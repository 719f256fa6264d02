package archivecopy_test

import (
	"bytes"
	"testing"

	"countersign/archivecopy"
	"countersign/domain"
	"countersign/internal/pdfacheck"
)

// FuzzWords writes words with any text at any place: the copy follows the clauses.
func FuzzWords(f *testing.F) {
	f.Add("Rechnung", "总计", 10, 10, 50, 20)
	f.Add("endstream\nendobj", ") Tj", -5, -5, 0, 0)
	f.Add("فاتورة", "\xed\xa0\x80\ufeff", 1<<62, -1<<63, 1<<62, 1<<62)
	raster := greyPNG(f, 60, 80)
	f.Fuzz(func(t *testing.T, first, second string, x, y, width, height int) {
		copied := copyOf(t, archivecopy.Page{Image: bytes.NewReader(raster), Width: 60, Height: 80, DPI: x,
			Words: []domain.Word{word(first, x, y, width, height, 0), word(second, y, x, height, width, x%2)}})
		for _, violation := range pdfacheck.Check(copied) {
			t.Errorf("%q %q %d %d %d %d: %s", first, second, x, y, width, height, violation)
		}
	})
}
