package archivecopy

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"countersign/domain"
)

// Page is a page to be added.
type Page struct {
	Image         io.Reader // PNG, read to its end
	Width, Height int       // pixels of the image
	DPI           int       // 0 if unknown
	Words         []domain.Word
}

// The bounds of a page in units of 1/72 inch (ISO 19005-2, 6.1.13), the length of one whose resolution
// is unknown, which is that of A4, and a resolution that no image has.
const (
	minUnits     = 3
	maxUnits     = 14400
	defaultUnits = 842
	unitsPerInch = 72
	maxDPI       = 10_000
)

// AddPage writes a page. It fails if the image is no PNG of the form that the reader writes, or of
// another size than the page.
func (w *Writer) AddPage(p Page) error {
	image, err := w.image(&p)
	if err != nil {
		w.err = err // the file has a part of the image
		return err
	}
	dpi := p.resolution()
	layer := w.textLayer(&p)
	wide, high := units(p.Width, dpi), units(p.Height, dpi)
	// The pixel is the unit of the words, so that their places are whole numbers.
	scale := decimal(unitsPerInch*scaleFraction/int64(dpi), scaleFraction)
	content := fmt.Sprintf("q\n%s 0 0 %s 0 0 cm\n%sQ\nq\n%s 0 0 %s 0 0 cm\n/Im Do\nQ\n", scale, scale,
		layer.content.String(), wide, high)
	contents, page := w.newObject(), w.newObject()
	w.deflated(contents, "", []byte(content))
	var fonts strings.Builder
	for _, font := range layer.fonts {
		fmt.Fprintf(&fonts, " /%s %d 0 R", font.name, font.object)
	}
	w.object(page, fmt.Sprintf("<< /Type /Page /Parent %d 0 R /MediaBox [ 0 0 %s %s ] /Contents %d 0 R "+
		"/Resources << /XObject << /Im %d 0 R >> /Font <<%s >> >> >>", pagesObject,
		atLeast(p.Width, dpi, wide), atLeast(p.Height, dpi, high), contents, image, fonts.String()))
	w.pages = append(w.pages, page)
	return w.err
}

// image writes the image of a page and returns its object. Its length is an object of its own, because
// it is only known after the last byte.
func (w *Writer) image(p *Page) (int, error) {
	object, length := w.newObject(), w.newObject()
	var begin int64
	err := copyPNG(w, p.Image, func(h pngHeader) error {
		if h.width != p.Width || h.height != p.Height {
			return imageError("it has %dx%d pixels, the page %dx%d", h.width, h.height, p.Width, p.Height)
		}
		space := "DeviceGray"
		if h.channels == 3 {
			space = "DeviceRGB"
		}
		w.begin(object)
		w.printf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /%s /BitsPerComponent %d "+
			"/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors %d /BitsPerComponent %d /Columns %d >> "+
			"/Length %d 0 R >>\nstream\n", h.width, h.height, space, h.bits, h.channels, h.bits, h.width, length)
		begin = w.offset
		return w.err
	})
	if err != nil {
		return 0, err
	}
	size := w.offset - begin
	w.printf("\nendstream\nendobj\n")
	w.object(length, strconv.FormatInt(size, 10))
	return object, w.err
}

// resolution returns the pixels per inch by which the page is within the bounds.
func (p *Page) resolution() int {
	longest, dpi := max(p.Width, p.Height), p.DPI
	if dpi <= 0 {
		dpi = (longest*unitsPerInch + defaultUnits - 1) / defaultUnits
	}
	return max(min(dpi, maxDPI), (longest*unitsPerInch+maxUnits-1)/maxUnits, 1)
}

// The decimal places of sizes, and of the factor from pixels to units.
const (
	unitFraction  = 1000
	scaleFraction = 100_000_000
)

// units converts pixels to units. It computes with integers, so that every processor gets the same.
func units(pixels, dpi int) string {
	return decimal(int64(pixels)*unitsPerInch*unitFraction/int64(dpi), unitFraction)
}

// atLeast returns the size of a page, which is larger than a tiny image.
func atLeast(pixels, dpi int, size string) string {
	if pixels*unitsPerInch < minUnits*dpi {
		return strconv.Itoa(minUnits)
	}
	return size
}

// decimal formats a number of fractions, which are a power of ten, without trailing zeros.
func decimal(value, fraction int64) string {
	text := strconv.FormatInt(value/fraction, 10)
	if rest := value % fraction; rest != 0 {
		text += "." + strings.TrimRight(strconv.FormatInt(fraction+rest, 10)[1:], "0")
	}
	return text
}
