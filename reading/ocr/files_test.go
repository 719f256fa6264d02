package ocr_test

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// The test documents are generated, so that the repository contains none from other sources.

var receipt = []string{
	"ACME STATIONERY LIMITED", "12 Harbour Road, Springfield", "TAX INVOICE",
	"Invoice No: INV-20417",
	"Date: 14/03/2025 10:22", "Paper A4 white five boxes 100.00", "Blue ink pens one dozen 23.45",
	"TOTAL 123.45",
	"CASH 150.00", "CHANGE 26.55", "Thank you for shopping with us",
	"Please keep this receipt for your records",
}

// drawText draws lines of text, black on white, like a scan at 200 dpi.
func drawText(t testing.TB, lines []string) *image.Gray {
	t.Helper()
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(
		parsed, &opentype.FaceOptions{Size: 13, DPI: 200, Hinting: font.HintingFull},
	)
	if err != nil {
		t.Fatal(err)
	}
	page := image.NewGray(image.Rect(0, 0, 1000, 120+60*len(lines)))
	draw.Draw(page, page.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	for i, line := range lines {
		drawer := font.Drawer{
			Dst: page, Src: image.NewUniform(color.Black), Face: face,
			Dot: fixed.P(80, 100+60*i),
		}
		drawer.DrawString(line)
	}
	return page
}

func asPNG(t testing.TB, page image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, page); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func asJPEG(t testing.TB, page image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, page, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// withOrientation inserts an EXIF block with the orientation after the first marker of a JPEG.
func withOrientation(photo []byte, orientation byte) []byte {
	exif := []byte(
		"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00" + string(
			rune(orientation),
		) + "\x00\x00\x00\x00\x00\x00",
	)
	block := append([]byte{0xff, 0xe1, 0, 0}, exif...)
	binary.BigEndian.PutUint16(block[2:], uint16(len(exif)+2))
	return append(append([]byte{0xff, 0xd8}, block...), photo[2:]...)
}

// turned rotates clockwise by 90 degrees the given number of times.
func turned(page *image.Gray, times int) *image.Gray {
	for range times {
		b := page.Bounds()
		next := image.NewGray(image.Rect(0, 0, b.Dy(), b.Dx()))
		for y := range b.Dy() {
			for x := range b.Dx() {
				next.SetGray(b.Dy()-1-y, x, page.GrayAt(x, y))
			}
		}
		page = next
	}
	return page
}

// asTIFF writes uncompressed grey pages, one directory each. Reduced ones are marked as thumbnails.
func asTIFF(pages []*image.Gray, reduced map[int]bool) []byte {
	out := []byte("II*\x00\x00\x00\x00\x00")
	link := 4
	for i, page := range pages {
		b := page.Bounds()
		at := len(out)
		for y := range b.Dy() {
			out = append(out, page.Pix[y*page.Stride:y*page.Stride+b.Dx()]...)
		}
		if len(out)%2 == 1 {
			out = append(out, 0)
		}
		binary.LittleEndian.PutUint32(out[link:], uint32(len(out)))
		subtype := uint32(0)
		if reduced[i] {
			subtype = 1
		}
		tags := [][2]uint32{
			{254, subtype}, {256, uint32(b.Dx())}, {257, uint32(b.Dy())}, {258, 8}, {259, 1},
			{262, 1}, {273, uint32(at)}, {277, 1}, {278, uint32(b.Dy())},
			{279, uint32(b.Dx() * b.Dy())},
		}
		out = binary.LittleEndian.AppendUint16(out, uint16(len(tags)))
		for _, tag := range tags {
			out = binary.LittleEndian.AppendUint16(out, uint16(tag[0]))
			out = binary.LittleEndian.AppendUint16(out, 4)
			out = binary.LittleEndian.AppendUint32(out, 1)
			out = binary.LittleEndian.AppendUint32(out, tag[1])
		}
		link = len(out)
		out = append(out, 0, 0, 0, 0)
	}
	return out
}

// pdf collects objects and writes them with a cross-reference table.
type pdf struct {
	objects []string
	trailer string
}

func (p *pdf) add(object string) int {
	p.objects = append(p.objects, object)
	return len(p.objects)
}

func (p *pdf) stream(dictionary string, data []byte) int {
	return p.add(
		fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dictionary, len(data), data),
	)
}

func (p *pdf) bytes(catalog int) []byte {
	var out bytes.Buffer
	out.WriteString("%PDF-1.6\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(p.objects))
	for i, object := range p.objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(p.objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(
		&out, "trailer\n<< /Size %d /Root %d 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(p.objects)+1,
		catalog, p.trailer, start,
	)
	return out.Bytes()
}

// testPage describes a page of a generated PDF.
type testPage struct {
	width, height float64
	rotate        int
	lines         []string    // a text layer, from the top, 50 points apart from 60 points on
	scan          image.Image // or an image that fills the page
	content       string      // further operators
}

func asPDF(t testing.TB, papers []testPage, extra func(p *pdf) string) []byte {
	t.Helper()
	p := &pdf{}
	font := p.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
	parent := len(p.objects) + 1 + 3*len(papers)
	var kids []string
	for _, paper := range papers {
		var content strings.Builder
		image := 0
		if paper.scan != nil {
			b := paper.scan.Bounds()
			image = p.stream(
				fmt.Sprintf(
					"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode",
					b.Dx(), b.Dy(),
				),
				asJPEG(t, coloured(paper.scan)),
			)
			fmt.Fprintf(&content, "q %f 0 0 %f 0 0 cm /Im Do Q", paper.width, paper.height)
		} else {
			image = p.add("null")
		}
		for i, line := range paper.lines {
			fmt.Fprintf(
				&content, "BT /F 12 Tf 60 %f Td (%s) Tj ET\n", paper.height-60-50*float64(i), line,
			)
		}
		contents := p.stream("", []byte(content.String()+paper.content))
		page := p.add(
			fmt.Sprintf(
				"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 %f %f] /Rotate %d /Contents %d 0 R /Resources << /Font << /F %d 0 R >> /XObject << /Im %d 0 R >> >> >>",
				parent, paper.width, paper.height, paper.rotate, contents, font, image,
			),
		)
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	if at := p.add(fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(kids),
		strings.Join(kids, " "))); at != parent {
		t.Fatalf("pages became object %d, not %d", at, parent)
	}
	more := ""
	if extra != nil {
		more = extra(p)
	}
	return p.bytes(p.add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R %s >>", parent, more)))
}

func coloured(page image.Image) image.Image {
	out := image.NewRGBA(page.Bounds())
	draw.Draw(out, out.Bounds(), page, page.Bounds().Min, draw.Src)
	return out
}

// attached adds files to a PDF, given as pairs of name and content.
func attached(pairs ...string) func(p *pdf) string {
	return func(p *pdf) string {
		var names []string
		for i := 0; i < len(pairs); i += 2 {
			file := p.stream("/Type /EmbeddedFile", []byte(pairs[i+1]))
			spec := p.add(
				fmt.Sprintf(
					"<< /Type /Filespec /F (%s) /UF (%s) /EF << /F %d 0 R >> >>", pairs[i],
					pairs[i], file,
				),
			)
			names = append(names, fmt.Sprintf("(%s) %d 0 R", pairs[i], spec))
		}
		return fmt.Sprintf(
			"/Names << /EmbeddedFiles << /Names [%s] >> >>", strings.Join(names, " "),
		)
	}
}

// encryptedForOthers returns a one-page PDF encrypted with certificates.
func encryptedForOthers() []byte {
	p := &pdf{}
	page := p.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>")
	pages := p.add(fmt.Sprintf("<< /Type /Pages /Count 1 /Kids [%d 0 R] >>", page))
	lock := p.add("<< /Filter /Adobe.PubSec /SubFilter /adbe.pkcs7.s4 /V 1 /Recipients [<00>] >>")
	p.trailer = fmt.Sprintf("/Encrypt %d 0 R", lock)
	return p.bytes(p.add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", pages)))
}

// encrypted returns a one-page PDF with a user password (standard security handler, 40 bits).
func encrypted() []byte {
	padding := []byte(
		"\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A",
	)
	pad := func(password string) []byte { return append([]byte(password), padding...)[:32] }
	crypt := func(key, data []byte) []byte {
		stream, err := rc4.NewCipher(key)
		if err != nil {
			panic(err)
		}
		out := make([]byte, len(data))
		stream.XORKeyStream(out, data)
		return out
	}
	owner := md5.Sum(pad("owner"))
	o := crypt(owner[:5], pad("user"))
	id := []byte("0123456789abcdef")
	sum := md5.Sum(bytes.Join([][]byte{pad("user"), o, {0xfc, 0xff, 0xff, 0xff}, id}, nil))
	u := crypt(sum[:5], padding)
	p := &pdf{}
	page := p.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>")
	pages := p.add(fmt.Sprintf("<< /Type /Pages /Count 1 /Kids [%d 0 R] >>", page))
	lock := p.add(fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /P -4 /O <%x> /U <%x> >>", o, u))
	p.trailer = fmt.Sprintf("/Encrypt %d 0 R /ID [<%x> <%x>]", lock, id, id)
	return p.bytes(p.add(fmt.Sprintf("<< /Type /Catalog /Pages %d 0 R >>", pages)))
}
