package modelvendor

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"regexp"
	"strings"
)

// Bounds of an image, as providers have them.
const (
	maxImageBytes = 20 << 20
	maxImageSide  = 8000
	// patch is the side of the square of pixels that one token covers.
	patch = 28
)

// SeenImage is an image that the vendor received and decoded.
type SeenImage struct {
	Label         string // text before the image
	MediaType     string
	SHA256        string // of the bytes, hexadecimal
	Bytes         int
	Width, Height int
	Text          string // that Picture drew; "" for another image
}

// contentPart is a part of a message.
type contentPart struct {
	Type, Text string
	ImageURL   struct{ URL string } `json:"image_url"`
}

// parts returns the parts of a message; one of text for a text.
func parts(content json.RawMessage) []contentPart {
	var text string
	if json.Unmarshal(content, &text) == nil {
		return []contentPart{{Type: "text", Text: text}}
	}
	var found []contentPart
	_ = json.Unmarshal(content, &found) // none
	return found
}

// decodeImages decodes every image of the request. It fails for one that a provider refuses.
func (r *request) decodeImages() error {
	for _, message := range r.Messages {
		label := ""
		for _, one := range parts(message.Content) {
			if one.Type == "text" {
				label = one.Text
				continue
			}
			seen, err := decodeImage(one)
			if err != nil {
				return err
			}
			seen.Label, label = label, ""
			r.images = append(r.images, seen)
		}
	}
	return nil
}

func decodeImage(one contentPart) (SeenImage, error) {
	kind, encoded, isData := strings.Cut(one.ImageURL.URL, ";base64,")
	kind, named := strings.CutPrefix(kind, "data:")
	decode := map[string]func(io.Reader) (image.Image, error){"image/png": png.Decode, "image/jpeg": jpeg.Decode}[kind]
	if one.Type != "image_url" || !isData || !named || decode == nil {
		return SeenImage{}, fmt.Errorf("a part of type %q is no PNG or JPEG in a data URL", one.Type)
	}
	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(content) > maxImageBytes {
		return SeenImage{}, fmt.Errorf("an image of %d bytes cannot be read", len(content))
	}
	picture, err := decode(bytes.NewReader(content))
	if err != nil {
		return SeenImage{}, fmt.Errorf("an image of type %s cannot be decoded", kind)
	}
	size := picture.Bounds().Size()
	if max(size.X, size.Y) > maxImageSide {
		return SeenImage{}, fmt.Errorf("an image has %dx%d pixels", size.X, size.Y)
	}
	sum := sha256.Sum256(content)
	return SeenImage{MediaType: kind, SHA256: hex.EncodeToString(sum[:]), Bytes: len(content), Width: size.X,
		Height: size.Y, Text: readPicture(picture)}, nil
}

// tokens returns the tokens of the image: one per square of pixels.
func (s SeenImage) tokens() int {
	return ((s.Width + patch - 1) / patch) * ((s.Height + patch - 1) / patch)
}

var pageOfLabel = regexp.MustCompile(`page (\d{1,4})`)

// text returns what the model sees: the text of the user, and within the document what images show.
func (r *request) text() string {
	text := r.userText()
	var shown strings.Builder
	for _, one := range r.images {
		if one.Text == "" {
			continue
		}
		page := "1"
		if named := pageOfLabel.FindStringSubmatch(one.Label); named != nil {
			page = named[1]
		}
		fmt.Fprintf(&shown, "--- page %s ---\n%s\n", page, one.Text)
	}
	if shown.Len() == 0 {
		return text
	}
	return "<document>\n" + documentOf(text) + "\n" + shown.String() + "</document>"
}

// A picture has rows of black and white squares over its whole width: a mark, the number of bytes of
// the text, and the text. It can be read in any size.
const (
	columns   = 64 // bits of a row
	firstMark = 0xA5C3F00F3C5AE817
	rowBytes  = columns / 8
)

// Picture returns a page of so many pixels with the text as black and white pixels, which the vendor decodes
// and no OCR engine reads. It takes the place of text that only a model of images can read.
func Picture(width, height int, text string) image.Image {
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = 255
	}
	rows := []uint64{firstMark, uint64(len(text))}
	for rest := []byte(text); len(rest) > 0; rest = rest[min(len(rest), rowBytes):] {
		var row uint64
		for i := range rowBytes {
			row <<= 8
			if i < len(rest) {
				row |= uint64(rest[i])
			}
		}
		rows = append(rows, row)
	}
	for y := range height {
		at := y * columns / width
		if at >= len(rows) {
			break
		}
		for x := range width {
			if rows[at]>>(columns-1-x*columns/width)&1 == 1 {
				picture.Pix[y*picture.Stride+x] = 0
			}
		}
	}
	return picture
}

// readPicture returns the text of a picture, "" for another image.
func readPicture(picture image.Image) string {
	bounds := picture.Bounds()
	row := func(at int) (value uint64) {
		y := bounds.Min.Y + (2*at+1)*bounds.Dx()/(2*columns)
		for x := range columns {
			value <<= 1
			grey, _, _, _ := picture.At(bounds.Min.X+(2*x+1)*bounds.Dx()/(2*columns), y).RGBA()
			if y < bounds.Max.Y && grey < 0x8000 {
				value |= 1
			}
		}
		return value
	}
	if bounds.Dx() < columns || row(0) != firstMark || row(1) > maxImageSide {
		return ""
	}
	var text []byte
	for at := 2; len(text) < int(row(1)); at++ {
		value := row(at)
		for i := range rowBytes {
			text = append(text, byte(value>>(columns-8-8*i)))
		}
	}
	return string(text[:row(1)])
}
