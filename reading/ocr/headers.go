package ocr

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"countersign/domain"
)

// pngFrame reads the chunk IHDR, and pHYs if it precedes the pixels.
func pngFrame(file io.ReaderAt) ([]imageFrame, error) {
	head := make([]byte, 33)
	if _, err := file.ReadAt(head, 0); err != nil || string(head[12:16]) != "IHDR" {
		return nil, brokenError("PNG", 0, errors.New("png: no header"))
	}
	found := imageFrame{
		width:  int(binary.BigEndian.Uint32(head[16:])),
		height: int(binary.BigEndian.Uint32(head[20:])), orientation: 1,
	}
	at := int64(33)
	for range 20 {
		chunk := make([]byte, 17)
		n, _ := file.ReadAt(chunk, at)
		if n < 17 || string(chunk[4:8]) == "IDAT" {
			break
		}
		if string(chunk[4:8]) == "pHYs" && chunk[16]&1 == 1 {
			found.dpi = saneDPI(float64(binary.BigEndian.Uint32(chunk[8:])) * 0.0254)
		}
		at += 12 + int64(binary.BigEndian.Uint32(chunk))
	}
	return []imageFrame{found}, nil
}

// saneDPI returns a plausible scan resolution, otherwise 0, because cameras and programs often
// write meaningless values such as 0, 1 or 72.
func saneDPI(value float64) int {
	if dpi := int(math.Round(value)); dpi >= 100 && dpi <= 1200 {
		return dpi
	}
	return 0
}

// jpegMetadata reads orientation (EXIF) and resolution (JFIF) from the header. It ignores invalid
// metadata.
func jpegMetadata(from io.Reader) (orientation, dpi int) {
	orientation = 1
	reader := bufio.NewReader(from)
	if _, err := reader.Discard(2); err != nil {
		return orientation, dpi
	}
	for {
		head := make([]byte, 4)
		if _, err := io.ReadFull(reader, head); err != nil || head[0] != 0xff || head[1] == 0xda {
			return orientation, dpi
		}
		length := int(binary.BigEndian.Uint16(head[2:])) - 2
		if length < 0 {
			return orientation, dpi
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(reader, body); err != nil {
			return orientation, dpi
		}
		switch {
		case head[1] == 0xe0 && length >= 12 && string(body[:5]) == "JFIF\x00":
			perUnit := float64(binary.BigEndian.Uint16(body[8:]))
			if body[7] == 2 {
				perUnit *= 2.54
			}
			if body[7] != 0 {
				dpi = saneDPI(perUnit)
			}
		case head[1] == 0xe1 && length > 14 && string(body[:6]) == "Exif\x00\x00":
			if found, err := exifOrientation(body[6:]); err == nil {
				orientation = found
			}
		}
	}
}

// exifOrientation reads tag 274 of the first directory of a TIFF block.
func exifOrientation(block []byte) (int, error) {
	reader := byteReader(block)
	order, first, err := tiffHead(reader)
	if err != nil {
		return 0, err
	}
	directory, err := readDirectory(reader, order, first)
	if err != nil {
		return 0, err
	}
	return directory.orientation, nil
}

type byteReader []byte

// ReadAt reads from the block.
func (b byteReader) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 || at >= int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func tiffHead(file io.ReaderAt) (binary.ByteOrder, int64, error) {
	head := make([]byte, 8)
	if _, err := file.ReadAt(head, 0); err != nil {
		return nil, 0, err
	}
	switch string(head[:4]) {
	case "II*\x00":
		return binary.LittleEndian, int64(binary.LittleEndian.Uint32(head[4:])), nil
	case "MM\x00*":
		return binary.BigEndian, int64(binary.BigEndian.Uint32(head[4:])), nil
	}
	return nil, 0, errors.New("tiff: no header")
}

// tiffFrames reads the directories of a TIFF, one per page. It skips reduced copies and rejects
// loops.
func tiffFrames(file io.ReaderAt, size int64, limit int) ([]imageFrame, error) {
	order, at, err := tiffHead(file)
	if err != nil {
		return nil, brokenError("TIFF", 0, err)
	}
	visited := map[int64]bool{}
	var found []imageFrame
	for at != 0 {
		if visited[at] || at >= size {
			return nil, brokenError("TIFF", 0, fmt.Errorf("tiff: directory at %d", at))
		}
		visited[at] = true
		directory, err := readDirectory(file, order, at)
		if err != nil {
			return nil, brokenError("TIFF", 0, err)
		}
		if !directory.reduced {
			directory.imageFrame.at = at
			found = append(found, directory.imageFrame)
		}
		if len(visited) > 2*limit || len(found) > limit {
			return nil, domain.Errorf(domain.FileTooComplex, "The document has more than %d pages.",
				limit).
				WithRemedy("Submit only the relevant pages.")
		}
		at = directory.next
	}
	if len(found) == 0 {
		return nil, brokenError("TIFF", 0, errors.New("tiff: no image"))
	}
	return found, nil
}

type directory struct {
	imageFrame
	reduced bool
	next    int64
}

// readDirectory reads the tags that are needed before decoding.
func readDirectory(file io.ReaderAt, order binary.ByteOrder, at int64) (directory, error) {
	short := make([]byte, 2)
	if _, err := file.ReadAt(short, at); err != nil {
		return directory{}, fmt.Errorf("tiff: directory: %w", err)
	}
	count := int(order.Uint16(short))
	body := make([]byte, count*12+4)
	n, err := file.ReadAt(body, at+2)
	if err != nil && !errors.Is(err, io.EOF) || n < count*12 {
		return directory{}, errors.New("tiff: directory cut off")
	}
	found := directory{imageFrame: imageFrame{orientation: 1}}
	if n == len(body) {
		found.next = int64(order.Uint32(body[count*12:]))
	}
	unit, resolution := 2, 0.0
	for i := range count {
		entry := body[i*12 : i*12+12]
		value := int(order.Uint32(entry[8:]))
		if order.Uint16(entry[2:]) == 3 { // SHORT
			value = int(order.Uint16(entry[8:]))
		}
		switch order.Uint16(entry) {
		case 254:
			found.reduced = value&1 == 1
		case 256:
			found.width = value
		case 257:
			found.height = value
		case 274:
			if value >= 1 && value <= 8 {
				found.orientation = value
			}
		case 282:
			resolution = rational(file, order, int64(order.Uint32(entry[8:])))
		case 296:
			unit = value
		}
	}
	if unit == 3 {
		resolution *= 2.54
	}
	found.dpi = saneDPI(resolution)
	return found, nil
}

func rational(file io.ReaderAt, order binary.ByteOrder, at int64) float64 {
	body := make([]byte, 8)
	if _, err := file.ReadAt(body, at); err != nil || order.Uint32(body[4:]) == 0 {
		return 0
	}
	return float64(order.Uint32(body)) / float64(order.Uint32(body[4:]))
}
