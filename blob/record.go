package blob

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"

	"countersign/domain"
)

const (
	// segmentMagic begins every segment and identifies the format of its records.
	segmentMagic = "csblobs1"
	// largeFile is the size in bytes from which a file is flushed by itself, because writing it
	// twice would cost more.
	largeFile = 256<<10 + 1
	// recordHeader is the size in bytes of the header before a record's content.
	recordHeader = 4 + 4 + 16 + sha256.Size
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// record is one small file in the journal: its case, the SHA-256 of its content, and the content,
// shorter than largeFile.
type record struct {
	caseID  domain.ID
	sum     [sha256.Size]byte
	content []byte
}

// shard and name are the path of the record's file in the folder.
func (r record) shard() string { return r.caseID.String()[:shardDigits] }

func (r record) name() string { return r.caseID.String() + "-" + hex.EncodeToString(r.sum[:]) }

// appendRecord appends a record: a checksum of the header, the length, the case, the sum, the
// content. The sum also serves as the checksum of the content.
func appendRecord(to []byte, r record) []byte {
	at := len(to)
	to = append(to, 0, 0, 0, 0)
	to = binary.LittleEndian.AppendUint32(to, uint32(len(r.content)))
	to = append(to, r.caseID[:]...)
	to = append(to, r.sum[:]...)
	binary.LittleEndian.PutUint32(to[at:], crc32.Checksum(to[at+4:], castagnoli))
	return append(to, r.content...)
}

var errForeignSegment = errors.New("blob: the journal has an unknown format")

// readRecords calls visit for each complete record of a segment, in the order of writing. It ends
// without an error at the first incomplete record, because Put has not returned for it. The content
// is valid until visit returns.
func readRecords(segment io.Reader, visit func(record) error) error {
	in := bufio.NewReaderSize(segment, 64<<10)
	magic := make([]byte, len(segmentMagic))
	if ok, err := readWhole(in, magic); !ok {
		return err
	}
	if string(magic) != segmentMagic {
		if bytes.Equal(magic, make([]byte, len(magic))) {
			return nil
		}
		return errForeignSegment
	}
	header, content := make([]byte, recordHeader), []byte(nil)
	for {
		if ok, err := readWhole(in, header); !ok {
			return err
		}
		length := int(binary.LittleEndian.Uint32(header[4:]))
		if crc32.Checksum(header[4:], castagnoli) != binary.LittleEndian.Uint32(header) ||
			length >= largeFile {
			return nil
		}
		if cap(content) < length {
			content = make([]byte, length, max(length, 16<<10))
		}
		content = content[:length]
		if ok, err := readWhole(in, content); !ok {
			return err
		}
		r := record{content: content}
		copy(r.caseID[:], header[8:])
		copy(r.sum[:], header[24:])
		if sha256.Sum256(content) != r.sum {
			return nil
		}
		if err := visit(r); err != nil {
			return err
		}
	}
}

// readWhole fills the buffer; it returns false without an error if the input ends before.
func readWhole(in io.Reader, buffer []byte) (bool, error) {
	_, err := io.ReadFull(in, buffer)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, nil
	}
	return err == nil, err
}
