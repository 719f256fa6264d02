package archivecopy

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// pngHeader is what the file says about its pixels.
type pngHeader struct{ width, height, bits, channels int }

// ImageError is the error of an image that cannot be copied.
type ImageError struct{ reason string }

// Error returns the reason.
func (e *ImageError) Error() string { return "archive copy: image: " + e.reason }

func imageError(format string, values ...any) error {
	return &ImageError{fmt.Sprintf(format, values...)}
}

// copyPNG writes the compressed pixels of an image, after it has reported its header. Chunks that
// would change what the pixels mean, such as a palette or a colour profile, are errors: the reader
// writes none.
func copyPNG(to io.Writer, from io.Reader, begin func(pngHeader) error) error {
	var signature [len(pngSignature)]byte
	if _, err := io.ReadFull(from, signature[:]); err != nil {
		return readError("its signature", err)
	}
	if string(signature[:]) != pngSignature {
		return imageError("it is no PNG")
	}
	var head [13]byte
	header := &chunkTarget{kind: "IHDR", data: head[:0]}
	if kind, err := copyChunk(header, from); err != nil || kind != "IHDR" || len(header.data) != len(head) {
		return orImageError(err, "it does not begin with a header")
	}
	h, err := parsePNGHeader(header.data)
	if err != nil {
		return err
	}
	if err := begin(h); err != nil {
		return err
	}
	for pixels := false; ; pixels = true {
		kind, err := copyChunk(&chunkTarget{kind: "IDAT", to: to}, from)
		switch {
		case err != nil:
			return err
		case kind == "IEND" && !pixels:
			return imageError("it has no pixels")
		case kind == "IEND":
			return expectEnd(from)
		}
	}
}

func parsePNGHeader(data []byte) (pngHeader, error) {
	const maxPixels = 1 << 16 // in one direction
	wide, high := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
	bits, colour := int(data[8]), data[9]
	h := pngHeader{width: int(wide), height: int(high), bits: bits, channels: 1}
	supported := colour == 0 && (bits == 1 || bits == 2 || bits == 4 || bits == 8)
	if colour == 2 {
		h.channels, supported = 3, bits == 8
	}
	switch {
	case wide == 0 || high == 0 || wide > maxPixels || high > maxPixels:
		return h, imageError("its size is %dx%d pixels", wide, high)
	case !supported || data[10] != 0 || data[11] != 0 || data[12] != 0:
		return h, imageError("its form is colour type %d with %d bits, methods %d", colour, bits, data[10:])
	}
	return h, nil
}

// chunkTarget receives the data of a chunk of its kind: in memory, or a writer.
type chunkTarget struct {
	kind string
	data []byte // has the capacity that is allowed
	to   io.Writer
}

// Write adds data.
func (c *chunkTarget) Write(p []byte) (int, error) {
	if c.to != nil {
		return c.to.Write(p)
	}
	if len(c.data)+len(p) > cap(c.data) {
		return 0, imageError("a chunk is too long")
	}
	c.data = append(c.data, p...)
	return len(p), nil
}

// copyChunk reads a chunk of the kind of the target, or the end of the file, and compares its
// checksum.
func copyChunk(to *chunkTarget, from io.Reader) (kind string, err error) {
	var head [8]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return "", readError("a chunk", err)
	}
	size := int64(binary.BigEndian.Uint32(head[:4]))
	kind = string(head[4:])
	if kind != to.kind && (kind != "IEND" || size != 0) {
		return kind, imageError("it has a chunk %q of %d bytes", kind, size)
	}
	sum := crc32.NewIEEE()
	_, _ = sum.Write(head[4:])
	if _, err := io.CopyN(io.MultiWriter(to, sum), from, size); err != nil {
		return kind, readError("a chunk", err)
	}
	var stated [4]byte
	if _, err := io.ReadFull(from, stated[:]); err != nil {
		return kind, readError("a checksum", err)
	}
	if binary.BigEndian.Uint32(stated[:]) != sum.Sum32() {
		return kind, imageError("a checksum is wrong")
	}
	return kind, nil
}

// expectEnd requires that nothing follows, and so that the reader reports the end of the file.
func expectEnd(from io.Reader) error {
	var more [1]byte
	switch _, err := io.ReadFull(from, more[:]); err {
	case io.EOF:
		return nil
	case nil:
		return imageError("bytes follow its end")
	default:
		return err
	}
}

// readError is the error of a file that ends within something; other errors are returned unchanged.
func readError(what string, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return imageError("it ends within %s", what)
	}
	return err
}

func orImageError(err error, reason string) error {
	if err != nil {
		return err
	}
	return imageError("%s", reason)
}
