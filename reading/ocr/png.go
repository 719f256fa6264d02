package ocr

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
)

// Filters of the rows of a PNG.
const (
	filterNone = 0
	filterUp   = 2
)

const pngSignature = "\x89PNG\r\n\x1a\n"

// writePNG encodes the raster with one filter for all rows. The encoder of the library tries five for
// each row, which takes two to four times as long (docs/figures.md).
func (r raster) writePNG(to io.Writer) error {
	head := make([]byte, 13)
	binary.BigEndian.PutUint32(head, uint32(r.width))
	binary.BigEndian.PutUint32(head[4:], uint32(r.height))
	const bits, grey, colour = 8, 0, 2
	head[8], head[9] = bits, grey
	if r.channels == 3 {
		head[9] = colour
	}
	if _, err := io.WriteString(to, pngSignature); err != nil {
		return err
	}
	chunks := &pngChunks{to: to, kind: "IDAT"}
	if err := chunks.write("IHDR", head); err != nil {
		return err
	}
	compressor, err := zlib.NewWriterLevel(chunks, zlib.BestSpeed)
	if err != nil {
		return err
	}
	if err := r.writeRows(compressor); err != nil {
		return err
	}
	if err := compressor.Close(); err != nil {
		return err
	}
	if err := chunks.flush(); err != nil {
		return err
	}
	return chunks.write("IEND", nil)
}

// writeRows writes the filtered rows. Drawn pages, whose neighbouring pixels are mostly equal, are
// smallest without a filter.
func (r raster) writeRows(to io.Writer) error {
	filter := byte(filterUp)
	if r.isFlat() {
		filter = filterNone
	}
	size := r.width * r.channels
	row, above := make([]byte, 1+size), make([]byte, size)
	row[0] = filter
	for at := 0; at+size <= len(r.data); at += size {
		pixels := r.data[at : at+size]
		if filter == filterNone {
			copy(row[1:], pixels)
		} else {
			subtract(row[1:], pixels, above)
			above = pixels
		}
		if _, err := to.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// subtract sets to = from - other, byte by byte. All have the same length.
func subtract(to, from, other []byte) {
	to, other = to[:len(from)], other[:len(from)]
	for i, value := range from {
		to[i] = value - other[i]
	}
}

// isFlat reports whether three quarters of the bytes of some rows equal the one before.
func (r raster) isFlat() bool {
	const every = 16
	size, equal, all := r.width*r.channels, 0, 0
	for at := 0; at+size <= len(r.data); at += every * size {
		row := r.data[at : at+size]
		for i := r.channels; i < len(row); i++ {
			if row[i] == row[i-r.channels] {
				equal++
			}
		}
		all += size
	}
	return 4*equal >= 3*all
}

// pngChunks writes the chunks of a PNG, and as a writer chunks of its kind.
type pngChunks struct {
	to   io.Writer
	kind string
	data bytes.Buffer
}

const pngChunkBytes = 64 << 10

// Write collects data, and writes a chunk when there is enough.
func (c *pngChunks) Write(p []byte) (int, error) {
	n, _ := c.data.Write(p)
	if c.data.Len() < pngChunkBytes {
		return n, nil
	}
	return n, c.flush()
}

func (c *pngChunks) flush() error {
	if c.data.Len() == 0 {
		return nil
	}
	err := c.write(c.kind, c.data.Bytes())
	c.data.Reset()
	return err
}

func (c *pngChunks) write(kind string, data []byte) error {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	chunk = append(append(chunk, kind...), data...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	_, err := c.to.Write(chunk)
	return err
}
