package ocr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"
	"time"

	"countersign/domain"
	"countersign/reading/ocr"
)

func encodedPNG(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&out, picture); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// noisyPage returns a picture that no encoder makes small.
func noisyPage(width, height int) *image.Gray {
	picture := image.NewGray(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.Uint32())
	}
	return picture
}

func reduce(t *testing.T, reader *ocr.Reader, file []byte, bounds ocr.ImageBounds) ocr.ReducedImage {
	t.Helper()
	reduced, err := reader.Reduce(t.Context(), bytes.NewReader(file), bounds, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(reduced.Bytes)) > bounds.Bytes || max(reduced.Width, reduced.Height) > bounds.Side {
		t.Errorf("%dx%d pixels in %d bytes exceed %+v", reduced.Width, reduced.Height, len(reduced.Bytes), bounds)
	}
	return reduced
}

// decoded returns the picture, and checks that it is what the result says.
func decoded(t *testing.T, reduced ocr.ReducedImage) image.Image {
	t.Helper()
	decode := png.Decode
	if reduced.MediaType == "image/jpeg" {
		decode = jpeg.Decode
	}
	picture, err := decode(bytes.NewReader(reduced.Bytes))
	if err != nil || picture.Bounds().Dx() != reduced.Width || picture.Bounds().Dy() != reduced.Height {
		t.Fatalf("%s of %dx%d: %v", reduced.MediaType, reduced.Width, reduced.Height, err)
	}
	return picture
}

// A page is averaged, so that a stroke of one pixel stays visible, and keeps its colours and form.
func TestReduceAveragesThePage(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	page := image.NewRGBA(image.Rect(0, 0, 1000, 1500))
	for i := range page.Pix {
		page.Pix[i] = 255
	}
	for y := range 1500 {
		page.Set(500, y, color.Black)
	}
	for y := 600; y < 900; y++ {
		for x := range 300 {
			page.Set(x, y, color.RGBA{200, 0, 0, 255})
		}
	}
	bounds := ocr.ImageBounds{Side: 400, Bytes: 1 << 20}
	reduced := reduce(t, reader, encodedPNG(t, page), bounds)
	picture := decoded(t, reduced)
	if reduced.Width != 266 || reduced.Height != 400 || reduced.MediaType != "image/png" {
		t.Errorf("%s of %dx%d", reduced.MediaType, reduced.Width, reduced.Height)
	}
	if red, green, _, _ := picture.At(40, 200).RGBA(); red>>8 != 200 || green != 0 {
		t.Errorf("the red area is %d, %d", red>>8, green>>8)
	}
	if grey, _, _, _ := picture.At(133, 50).RGBA(); grey>>8 < 150 || grey>>8 > 200 {
		t.Errorf("the stroke is %d of 255", grey>>8)
	}
	if white, _, _, _ := picture.At(10, 10).RGBA(); white>>8 != 255 {
		t.Errorf("the paper is %d of 255", white>>8)
	}
	again := reduce(t, reader, encodedPNG(t, page), bounds)
	if !bytes.Equal(again.Bytes, reduced.Bytes) {
		t.Error("the same page has two images")
	}
	small := reduce(t, reader, encodedPNG(t, page), ocr.ImageBounds{Side: 5000, Bytes: 1 << 20})
	if small.Width != 1000 || small.Height != 1500 {
		t.Errorf("a page within the bounds has %dx%d", small.Width, small.Height)
	}
}

// A PNG that is too large becomes a JPEG, whose quality falls until it fits; otherwise there is none.
func TestReduceFitsTheBytes(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	file := encodedPNG(t, noisyPage(600, 800))
	sizes := map[int64]string{1 << 20: "image/png", 400_000: "image/jpeg", 250_000: "image/jpeg"}
	for most, want := range sizes {
		reduced := reduce(t, reader, file, ocr.ImageBounds{Side: 800, Bytes: most})
		if reduced.MediaType != want {
			t.Errorf("within %d bytes: %s of %d", most, reduced.MediaType, len(reduced.Bytes))
		}
		decoded(t, reduced)
	}
	_, err := reader.Reduce(t.Context(), bytes.NewReader(file), ocr.ImageBounds{Side: 800, Bytes: 20_000}, "")
	if !domain.HasCode(err, domain.FileTooLarge) {
		t.Errorf("within 20,000 bytes: %v", err)
	}
}

// A page of 35 megapixels is made smaller within the memory of a child. With the race detector the child
// needs more processor time than the program has.
func TestReduceLargePage(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{Limits: ocr.Limits{PageCPU: time.Minute, DrawWall: 5 * time.Minute}})
	page := image.NewRGBA(image.Rect(0, 0, 5000, 7000))
	for i := range page.Pix {
		page.Pix[i] = byte(i / 4000 % 256)
		if i%4 == 3 {
			page.Pix[i] = 255
		}
	}
	file := encodedPNG(t, page)
	began := time.Now()
	reduced := reduce(t, reader, file, ocr.ImageBounds{Side: 1568, Bytes: 1 << 20})
	t.Logf("35 megapixels in %d bytes became %s of %d bytes in %s", len(file), reduced.MediaType,
		len(reduced.Bytes), time.Since(began))
	if reduced.Width != 1120 || reduced.Height != 1568 {
		t.Errorf("%dx%d", reduced.Width, reduced.Height)
	}
	decoded(t, reduced)
}

// Bytes that are no PNG of a page are refused, whatever their header says.
func TestReduceRefusesOtherBytes(t *testing.T) {
	t.Parallel()
	reader := newReader(t, ocr.Options{})
	whole := encodedPNG(t, noisyPage(300, 300))
	huge := bytes.Clone(whole)
	binary.BigEndian.PutUint32(huge[16:], 30_000)
	binary.BigEndian.PutUint32(huge[20:], 30_000)
	for name, file := range map[string][]byte{"nothing": nil, "a signature": whole[:8], "half": whole[:len(whole)/2],
		"text": bytes.Repeat([]byte("page "), 1000), "900 megapixels": huge} {
		_, err := reader.Reduce(t.Context(), bytes.NewReader(file), ocr.ImageBounds{Side: 200, Bytes: 1 << 20}, "")
		if err == nil || ocr.Transient(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reader.Reduce(ended, bytes.NewReader(whole), ocr.ImageBounds{Side: 200, Bytes: 1 << 20},
		""); !domain.HasCode(err, domain.TimedOut) {
		t.Errorf("after the end of the caller: %v", err)
	}
}
