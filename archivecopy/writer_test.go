package archivecopy_test

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"countersign/archivecopy"
	"countersign/domain"
	"countersign/internal/pdfacheck"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// greyPNG is an image in which every pixel depends on its place.
func greyPNG(t testing.TB, width, height int) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i*7 + i/width*13)
	}
	return encoded(t, picture)
}

func colourPNG(t testing.TB, width, height int) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.SetRGBA(x, y, color.RGBA{byte(x), byte(y), byte(x * y), 255})
		}
	}
	return encoded(t, picture)
}

func encoded(t testing.TB, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var info = archivecopy.Info{Title: "CS-2026-000001", Source: strings.Repeat("ab", 32)}

// copyOf writes a copy.
func copyOf(t testing.TB, pages ...archivecopy.Page) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := archivecopy.NewWriter(&out, info)
	if err != nil {
		t.Fatal(err)
	}
	for i, page := range pages {
		if err := w.AddPage(page); err != nil {
			t.Fatalf("page %d: %v", i+1, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// word is a word at a place.
func word(text string, x, y, w, h, line int) domain.Word {
	return domain.Word{Text: text, Box: domain.Box{X: x, Y: y, W: w, H: h}, Line: line}
}

// pageOf is a grey page of 1240 x 1754 pixels at 150 dpi.
func pageOf(t testing.TB, words ...domain.Word) archivecopy.Page {
	t.Helper()
	return archivecopy.Page{Image: bytes.NewReader(greyPNG(t, 1240, 1754)), Width: 1240, Height: 1754, DPI: 150,
		Words: words}
}

// scripts are words in several scripts, as a reading has them.
func scripts() []domain.Word {
	return []domain.Word{
		word("Rechnung", 100, 100, 210, 40, 0), word("№", 330, 100, 40, 40, 0), word("2026-117", 390, 100, 200, 40, 0),
		word("发票号码", 100, 200, 160, 40, 1), word("北京", 264, 200, 80, 40, 1), word("总计", 420, 200, 80, 40, 1),
		word("فاتورة", 900, 300, 180, 40, 2), word("رقم", 780, 300, 90, 40, 2),
		word("paid", 100, 400, 90, 40, 3), word("😀👍🏽", 210, 400, 120, 40, 3),
		word("Betrag:", 100, 500, 150, 40, 4), word("1.234,56", 1000, 500, 180, 40, 4), word("€", 1190, 500, 30, 40, 4),
	}
}

// wantClean requires that a copy follows all checked clauses, and that qpdf finds nothing.
func wantClean(t *testing.T, what string, copied []byte) {
	t.Helper()
	for _, violation := range pdfacheck.Check(copied) {
		t.Errorf("%s: %s", what, violation)
	}
	out, err := exec.Command("qpdf", "--check", stored(t, copied)).CombinedOutput()
	if err != nil || bytes.Contains(bytes.ToLower(out), []byte("warning")) {
		t.Errorf("%s: qpdf: %v\n%s", what, err, out)
	}
}

func stored(t *testing.T, copied []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "copy.pdf")
	must(t, os.WriteFile(path, copied, 0o600))
	return path
}

// extracted returns the text that pdftotext finds.
func extracted(t *testing.T, copied []byte, options ...string) string {
	t.Helper()
	var errs bytes.Buffer
	command := exec.Command("pdftotext", append(options, stored(t, copied), "-")...)
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("pdftotext: %v %s", err, errs.String())
	}
	return string(out)
}

func TestACopyFollowsTheClauses(t *testing.T) {
	t.Parallel()
	colour := archivecopy.Page{Image: bytes.NewReader(colourPNG(t, 300, 200)), Width: 300, Height: 200, DPI: 72,
		Words: []domain.Word{word("photo", 10, 10, 100, 30, 0)}}
	for name, pages := range map[string][]archivecopy.Page{
		"scripts": {pageOf(t, scripts()...)}, "colour": {colour}, "no words": {pageOf(t)}, "no pages": nil,
		"two pages": {pageOf(t, scripts()...), pageOf(t, word("again", 5, 5, 50, 20, 0))},
	} {
		wantClean(t, name, copyOf(t, pages...))
	}
}

func TestACopyIsDeterministic(t *testing.T) {
	t.Parallel()
	first := copyOf(t, pageOf(t, scripts()...), pageOf(t))
	if again := copyOf(t, pageOf(t, scripts()...), pageOf(t)); !bytes.Equal(first, again) {
		t.Error("the same pages give other bytes")
	}
	if other := copyOf(t, pageOf(t, scripts()[1:]...), pageOf(t)); bytes.Equal(idOf(t, first), idOf(t, other)) {
		t.Error("other words give the same id")
	}
}

func idOf(t *testing.T, copied []byte) []byte {
	t.Helper()
	found := regexp.MustCompile(`/ID \[ <([0-9a-f]{32})> <([0-9a-f]{32})> \]`).FindSubmatch(copied)
	if found == nil || !bytes.Equal(found[1], found[2]) {
		t.Fatal("no id")
	}
	return found[1]
}

// withoutMarks removes the ends of pages and the marks of directions, which pdftotext adds.
func withoutMarks(text string) string {
	return strings.NewReplacer("\u202a", "", "\u202b", "", "\u202c", "", "\f", "").Replace(text)
}

// The words are found in reading order, in every script, as one text where the page has no space.
func TestTextIsExtractedInReadingOrder(t *testing.T) {
	t.Parallel()
	want := "Rechnung № 2026-117\n发票号码北京 总计\nفاتورة\nرقم\npaid 😀👍🏽\nBetrag: 1.234,56 €\n"
	got := withoutMarks(extracted(t, copyOf(t, pageOf(t, scripts()...)), "-raw"))
	if got != want {
		t.Errorf("extracted:\n%s\nwant:\n%s", got, want)
	}
}

// Words from right to left are found too, also beside numbers. (pdftotext -raw begins a line for each.)
func TestTextFromRightToLeft(t *testing.T) {
	t.Parallel()
	copied := copyOf(t, pageOf(t, word("فاتورة", 900, 300, 180, 40, 0), word("رقم", 780, 300, 90, 40, 0),
		word("1.234,56", 560, 300, 200, 40, 0), word("חשבונית", 900, 400, 180, 40, 1), word("מס'12/7א", 700, 400, 180, 40, 1)))
	wantClean(t, "right to left", copied)
	got := withoutMarks(extracted(t, copied))
	if want := "فاتورة رقم 1.234,56\nחשבונית מס'12/7א\n\n"; got != want {
		t.Errorf("extracted %q, want %q", got, want)
	}
}

// The boxes of the text are those of the words, within one point.
func TestTextIsAtTheBoxes(t *testing.T) {
	t.Parallel()
	html := extracted(t, copyOf(t, pageOf(t, scripts()...)), "-bbox")
	pattern := regexp.MustCompile(`<word xMin="([\d.]+)" yMin="([\d.]+)" xMax="([\d.]+)" yMax="([\d.]+)">(.*)</word>`)
	found := map[string][4]float64{}
	for _, match := range pattern.FindAllStringSubmatch(html, -1) {
		var box [4]float64
		for i := range box {
			box[i], _ = strconv.ParseFloat(match[i+1], 64)
		}
		found[match[5]] = box
		letters := []rune(match[5]) // -bbox does not restore the order of words from right to left
		slices.Reverse(letters)
		found[string(letters)] = box
	}
	for _, w := range scripts() {
		wantBox(t, found, w.Text, w.Box)
	}
}

func wantBox(t *testing.T, found map[string][4]float64, text string, box domain.Box) {
	t.Helper()
	got, ok := found[text]
	if !ok {
		t.Errorf("%q is not found in %v", text, found)
		return
	}
	const unit = 72. / 150
	for i, want := range []int{box.X, box.Y, box.X + box.W, box.Y + box.H} {
		if difference := got[i] - float64(want)*unit; difference > 1 || difference < -1 {
			t.Errorf("%q is at %v, want %+v pixels", text, got, box)
			return
		}
	}
}

// The pixels of the copy are those of the page, unchanged.
func TestTheImageIsTheRaster(t *testing.T) {
	t.Parallel()
	for name, raster := range map[string][]byte{"grey": greyPNG(t, 210, 297), "colour": colourPNG(t, 210, 297)} {
		copied := copyOf(t, archivecopy.Page{Image: bytes.NewReader(raster), Width: 210, Height: 297, DPI: 25})
		folder := t.TempDir()
		out, err := exec.Command("pdfimages", "-png", stored(t, copied), filepath.Join(folder, "image")).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Fatalf("%s: pdfimages: %v %s", name, err, out)
		}
		file, err := os.ReadFile(filepath.Join(folder, "image-000.png"))
		must(t, err)
		got, err := png.Decode(bytes.NewReader(file))
		must(t, err)
		want, err := png.Decode(bytes.NewReader(raster))
		must(t, err)
		if got.Bounds() != want.Bounds() {
			t.Fatalf("%s: %v", name, got.Bounds())
		}
		for y := range 297 {
			for x := range 210 {
				r, g, b, _ := got.At(x, y).RGBA()
				wr, wg, wb, _ := want.At(x, y).RGBA()
				if r != wr || g != wg || b != wb {
					t.Fatalf("%s: pixel %d,%d is %v instead of %v", name, x, y, got.At(x, y), want.At(x, y))
				}
			}
		}
	}
}

// A viewer shows the image upright over the whole page, and none of the text.
func TestThePageShowsTheImage(t *testing.T) {
	t.Parallel()
	want := image.NewGray(image.Rect(0, 0, 210, 297))
	for i := range want.Pix {
		want.Pix[i] = byte(i%210/2 + i/210/3) // smooth, and different in every corner
	}
	copied := copyOf(t, archivecopy.Page{Image: bytes.NewReader(encoded(t, want)), Width: 210, Height: 297, DPI: 100,
		Words: []domain.Word{word("INVISIBLE", 20, 20, 150, 200, 0)}})
	drawn, err := exec.Command("pdftoppm", "-gray", "-r", "100", "-png", stored(t, copied)).Output()
	must(t, err)
	got, err := png.Decode(bytes.NewReader(drawn))
	must(t, err)
	if got.Bounds() != want.Bounds() {
		t.Fatalf("the page has %v, the image %v", got.Bounds(), want.Bounds())
	}
	for y := range 297 {
		for x := range 210 {
			if d := grey(got.At(x, y)) - grey(want.At(x, y)); d < -3 || d > 3 { // the viewer smooths
				t.Fatalf("pixel %d,%d is %v instead of %v", x, y, got.At(x, y), want.At(x, y))
			}
		}
	}
}

func grey(c color.Color) int {
	r, _, _, _ := c.RGBA()
	return int(r >> 8)
}

// What a document says is text in the copy, whatever it says.
func TestHostileWords(t *testing.T) {
	t.Parallel()
	texts := []string{`) Tj ET Q endstream endobj`, `\) (nested (deep)`, "endstream\nendobj\nxref", "<FEFF> Tj",
		"%%EOF", "/JavaScript", "\xed\xa0\x80broken\xff", "a\x00b", "\ufeffmark", "last\ufffe\U0001ffff", "\u202eelbbaer",
		"]]>", "<script>", "&amp;", strings.Repeat("long", 10_000)}
	var words []domain.Word
	for i, text := range texts {
		words = append(words, word(text, 50, 50+40*i, 1000, 30, i))
	}
	copied := copyOf(t, pageOf(t, words...))
	wantClean(t, "hostile", copied)
	got := extracted(t, copied, "-raw")
	for _, text := range []string{`) Tj ET Q endstream endobj`, `\) (nested (deep)`, "endstreamendobjxref", "<FEFF> Tj",
		"%%EOF", "/JavaScript", "broken\ufffd", "ab", "mark", "last", "]]>", "<script>", "&amp;", strings.Repeat("long", 10_000)} {
		if !strings.Contains(got, text) {
			t.Errorf("%.40q is not found in %.300q", text, got)
		}
	}
}

func TestHostileTitle(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w, err := archivecopy.NewWriter(&out, archivecopy.Info{Title: "</rdf:RDF><?xpacket end=\"r\"?>\nendstream\x01\xff"})
	must(t, err)
	must(t, w.Close())
	wantClean(t, "title", out.Bytes())
}

// Only what is on the image is text of the copy, at its visible part.
func TestBoxesOutsideOfThePage(t *testing.T) {
	t.Parallel()
	const most = int(^uint(0) >> 1)
	copied := copyOf(t, pageOf(t,
		word("left", -300, 100, 200, 30, 0), word("right", 1240, 100, 50, 30, 1), word("above", 10, -40, 50, 40, 2),
		word("below", 10, 1754, 50, 30, 3), word("extreme", most, most, most, most, 4),
		word("negative", -most, -most, -most, -most, 5),
		word("partly", -50, 200, 150, 30, 6), word("corner", 1200, 1740, most, most, 7),
		word("nothing", 300, 300, 0, 0, 8), word("flat", 300, 400, 60, 0, 9), word("minus", 300, 500, -60, -5, 10)))
	wantClean(t, "outside", copied)
	got := strings.Fields(extracted(t, copied, "-raw"))
	if want := []string{"partly", "corner", "nothing", "flat", "minus"}; !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// Sizes and resolutions of every kind give pages within the limits.
func TestSizesOfPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ width, height, dpi int }{{1, 1, 300}, {1, 4000, 1}, {3000, 2, 0}, {600, 800, 0},
		{40, 50, -7}, {50, 40, 1 << 40}, {20000, 1, 72}} {
		page := archivecopy.Page{Image: bytes.NewReader(greyPNG(t, c.width, c.height)), Width: c.width, Height: c.height,
			DPI: c.dpi, Words: []domain.Word{word("w", 0, 0, c.width, c.height, 0)}}
		wantClean(t, fmt.Sprintf("%+v", c), copyOf(t, page))
	}
}

// More characters than one font can have are all found.
func TestEveryCharacter(t *testing.T) {
	t.Parallel()
	var words []domain.Word
	var want strings.Builder
	line := 0
	for r := rune(0x20000); r < 0x2a6d0; r += 50 { // one plane of Chinese
		var text strings.Builder
		for i := range rune(50) {
			text.WriteRune(r + i)
		}
		words = append(words, word(text.String(), 0, line%1700, 1200, 3, line))
		line++
	}
	for r := rune(0x3400); r < 0x9fff; r += 50 {
		var text strings.Builder
		for i := range rune(50) {
			text.WriteRune(r + i)
		}
		words = append(words, word(text.String(), 0, line%1700, 1200, 3, line))
		line++
	}
	for _, w := range words[len(words)-3:] {
		want.WriteString(w.Text)
	}
	copied := copyOf(t, pageOf(t, words...))
	wantClean(t, "characters", copied)
	if !bytes.Contains(copied, []byte("/F2 ")) {
		t.Error("one font has all characters")
	}
	got := extracted(t, copied, "-raw")
	for _, w := range words {
		if !strings.Contains(got, w.Text) {
			t.Fatalf("%q is not found", w.Text)
		}
	}
}

// An image of another form, size or content than a page's is refused.
func TestImagesThatAreRefused(t *testing.T) {
	t.Parallel()
	grey := greyPNG(t, 20, 30)
	changed := func(at int, value byte) []byte {
		other := bytes.Clone(grey)
		other[at] = value
		return other
	}
	palette := encoded(t, image.NewPaletted(image.Rect(0, 0, 20, 30), color.Palette{color.White, color.Black}))
	for name, file := range map[string][]byte{
		"empty": nil, "a JPEG": []byte("\xff\xd8\xff\xe0 JFIF"), "cut": grey[:len(grey)-1], "cut in the head": grey[:20],
		"longer": append(bytes.Clone(grey), 0), "a wrong checksum": changed(len(grey)-20, grey[len(grey)-20]^1),
		"another size": greyPNG(t, 21, 30), "a palette": palette,
		"16 bits": encoded(t, image.NewGray16(image.Rect(0, 0, 20, 30))), "alpha": encoded(t, image.NewNRGBA(image.Rect(0, 0, 20, 30))),
		"no pixels":    append(bytes.Clone(grey[:33]), "\x00\x00\x00\x00IEND\xaeB`\x82"...),
		"a huge chunk": append(bytes.Clone(grey[:33]), "\xff\xff\xff\xffIDAT"...), "two headers": append(bytes.Clone(grey[:33]), grey[8:]...),
	} {
		w, err := archivecopy.NewWriter(io.Discard, info)
		must(t, err)
		var refused *archivecopy.ImageError
		if err := w.AddPage(archivecopy.Page{Image: bytes.NewReader(file), Width: 20, Height: 30, DPI: 72}); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
		if err := w.Close(); err == nil {
			t.Errorf("%s: a copy without the page was completed", name)
		}
	}
}

// failingWriter fails after some bytes.
type failingWriter struct{ left int }

func (f *failingWriter) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func TestAWriterThatFails(t *testing.T) {
	t.Parallel()
	whole := len(copyOf(t, archivecopy.Page{Image: bytes.NewReader(greyPNG(t, 20, 30)), Width: 20, Height: 30, DPI: 72}))
	for size := 0; size < whole; size += 50 {
		w, err := archivecopy.NewWriter(&failingWriter{size}, info)
		if err == nil {
			err = w.AddPage(archivecopy.Page{Image: bytes.NewReader(greyPNG(t, 20, 30)), Width: 20, Height: 30, DPI: 72})
		}
		if err == nil {
			err = w.Close()
		}
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Fatalf("after %d bytes: %v", size, err)
		}
	}
}

// edited replaces a text in a copy and in its compressed streams of text, and corrects the table of
// objects.
func edited(t *testing.T, copied []byte, old, with string) []byte {
	t.Helper()
	count := bytes.Count(copied, []byte(old))
	if count == 0 {
		t.Fatalf("%q is not in the copy", old)
	}
	body, _, _ := bytes.Cut(bytes.ReplaceAll(copied, []byte(old), []byte(with)), []byte("\nxref\n"))
	body = append(body, '\n')
	var out bytes.Buffer
	out.Write(body)
	size := bytes.Count(copied, []byte(" 00000 n \n"))
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", size+1)
	for number := 1; number <= size; number++ {
		fmt.Fprintf(&out, "%010d 00000 n \n", bytes.Index(body, fmt.Appendf(nil, "\n%d 0 obj", number))+1)
	}
	_, trailer, _ := bytes.Cut(copied, []byte("\ntrailer\n"))
	trailer, _, _ = bytes.Cut(trailer, []byte("startxref"))
	trailer = bytes.ReplaceAll(trailer, []byte(old), []byte(with))
	fmt.Fprintf(&out, "trailer\n%sstartxref\n%d\n%%%%EOF\n", trailer, len(body))
	return out.Bytes()
}

// deflate returns data as a stream has it.
func deflate(data string) string {
	var out strings.Builder
	w := zlib.NewWriter(&out)
	_, _ = io.WriteString(w, data)
	_ = w.Close()
	return out.String()
}

// inflate is the opposite of deflate.
func inflate(t *testing.T, data []byte) string {
	t.Helper()
	in, err := zlib.NewReader(bytes.NewReader(data))
	must(t, err)
	out, err := io.ReadAll(in)
	must(t, err)
	return string(out)
}
