package archivecopy

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"strings"
)

// Info describes the document of a copy.
type Info struct {
	Title  string
	Source string // SHA-256 of the original in hexadecimal
}

// Writer writes a copy page by page. It keeps the numbers of the objects and the characters that
// occurred, but no page.
type Writer struct {
	out     io.Writer
	sum     hash.Hash // of everything written
	offset  int64
	offsets []int64 // of the objects, by number - 1
	pages   []int   // objects of the pages
	fonts   fontSet
	// compressor is used for one stream after the other, because it is large.
	compressor *zlib.Writer
	err        error // the first one; after it nothing is written
}

// The objects with fixed numbers.
const (
	catalogObject = iota + 1
	pagesObject
	metadataObject
	profileObject
	fixedObjects = profileObject
)

// NewWriter begins a copy.
func NewWriter(out io.Writer, info Info) (*Writer, error) {
	w := &Writer{out: out, sum: sha256.New(), offsets: make([]int64, fixedObjects),
		compressor: zlib.NewWriter(io.Discard)}
	// The comment has bytes above 127, by which programs recognise a binary file.
	w.printf("%%PDF-1.7\n%%\xe2\xe3\xcf\xd3\n")
	w.object(catalogObject, fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R /Metadata %d 0 R /OutputIntents [ "+
		"<< /Type /OutputIntent /S /GTS_PDFA1 /OutputConditionIdentifier (sRGB) /Info (sRGB IEC61966-2.1) "+
		"/DestOutputProfile %d 0 R >> ] >>", pagesObject, metadataObject, profileObject))
	// The metadata are not compressed, so that programs that know no PDF find them.
	w.stream(metadataObject, "/Type /Metadata /Subtype /XML", []byte(metadata(info)))
	w.deflated(profileObject, "/N 3", sRGBProfile())
	return w, w.err
}

// Close writes the fonts, the list of pages and the table of the objects. It does not close the
// underlying writer.
func (w *Writer) Close() error {
	w.fonts.write(w)
	kids := make([]string, 0, len(w.pages))
	for _, page := range w.pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	w.object(pagesObject, fmt.Sprintf("<< /Type /Pages /Count %d /Kids [ %s ] >>", len(kids),
		strings.Join(kids, "\n")))
	id, start := fmt.Sprintf("%x", w.sum.Sum(nil)[:16]), w.offset
	w.printf("xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, offset := range w.offsets {
		w.printf("%010d 00000 n \n", offset)
	}
	w.printf("trailer\n<< /Size %d /Root %d 0 R /ID [ <%s> <%s> ] >>\nstartxref\n%d\n%%%%EOF\n",
		len(w.offsets)+1, catalogObject, id, id, start)
	return w.err
}

// Write writes bytes of the file and counts them. After an error it writes nothing.
func (w *Writer) Write(data []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.out.Write(data)
	w.offset += int64(n)
	_, _ = w.sum.Write(data[:n])
	w.err = err
	return n, err
}

func (w *Writer) printf(format string, values ...any) {
	_, _ = fmt.Fprintf(w, format, values...) // the error is kept
}

// newObject returns the number of an object that is written later.
func (w *Writer) newObject() int {
	w.offsets = append(w.offsets, 0)
	return len(w.offsets)
}

// begin records where an object begins.
func (w *Writer) begin(object int) {
	w.offsets[object-1] = w.offset
	w.printf("%d 0 obj\n", object)
}

// object writes an object that is no stream.
func (w *Writer) object(object int, value string) {
	w.begin(object)
	w.printf("%s\nendobj\n", value)
}

// stream writes a stream with the entries of its dictionary.
func (w *Writer) stream(object int, entries string, data []byte) {
	w.begin(object)
	w.printf("<< %s /Length %d >>\nstream\n", entries, len(data))
	_, _ = w.Write(data)
	w.printf("\nendstream\nendobj\n")
}

// deflated writes a compressed stream.
func (w *Writer) deflated(object int, entries string, data []byte) {
	var compressed bytes.Buffer
	w.compressor.Reset(&compressed)
	_, _ = w.compressor.Write(data) // writing to memory cannot fail
	_ = w.compressor.Close()
	w.stream(object, strings.TrimSpace(entries+" /Filter /FlateDecode"), compressed.Bytes())
}
