package blob

import (
	"bytes"
	"crypto/sha256"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

func recordOf(id domain.ID, content []byte) record {
	return record{caseID: id, sum: sha256.Sum256(content), content: content}
}

func drawRecords(t *rapid.T) []record {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) record {
		var id domain.ID
		copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
		return recordOf(id, rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "content"))
	}), 0, 8).Draw(t, "records")
}

// Reading returns the records written before the first damaged byte, in order, and no others.
func TestRecordsBeforeADefectAreRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		records := drawRecords(t)
		segment, ends := []byte(segmentMagic), []int(nil)
		for _, r := range records {
			segment = appendRecord(segment, r)
			ends = append(ends, len(segment))
		}
		defect := len(segment)
		switch rapid.SampledFrom([]string{"none", "cut", "zeros", "flipped"}).Draw(t, "defect") {
		case "cut":
			defect = rapid.IntRange(len(segmentMagic), len(segment)).Draw(t, "at")
			segment = segment[:defect]
		case "zeros":
			segment = append(segment, make([]byte, rapid.IntRange(1, 500).Draw(t, "zeros"))...)
		case "flipped":
			if len(segment) > len(segmentMagic) {
				defect = rapid.IntRange(len(segmentMagic), len(segment)-1).Draw(t, "at")
				segment[defect] ^= rapid.ByteRange(1, 255).Draw(t, "bits")
			}
		}
		want := 0
		for _, end := range ends {
			if end <= defect {
				want++
			}
		}
		got := 0
		err := readRecords(bytes.NewReader(segment), func(r record) error {
			if got >= want || r.caseID != records[got].caseID ||
				!bytes.Equal(r.content, records[got].content) {
				t.Fatalf("record %d of %d: %v", got, want, r.caseID)
			}
			got++
			return nil
		})
		if err != nil || got != want {
			t.Fatalf("%d of %d records, %v", got, want, err)
		}
	})
}

// Whatever a segment contains, the records read are a prefix of it.
func FuzzReadRecords(f *testing.F) {
	one := appendRecord([]byte(segmentMagic), recordOf(domain.ID{1}, []byte("content")))
	f.Add([]byte{})
	f.Add(make([]byte, 100))
	f.Add(one)
	f.Add(appendRecord(one[:len(one):len(one)], recordOf(domain.ID{2}, nil)))
	f.Add(append(one[:len(one)-1:len(one)-1], make([]byte, 100)...))
	f.Fuzz(func(t *testing.T, segment []byte) {
		again := []byte(segmentMagic)
		err := readRecords(bytes.NewReader(segment), func(r record) error {
			if len(r.content) >= largeFile {
				t.Fatalf("%d bytes", len(r.content))
			}
			again = appendRecord(again, r)
			return nil
		})
		if len(again) > len(segmentMagic) && !bytes.HasPrefix(segment, again) {
			t.Fatalf("%x was read from %x, %v", again, segment, err)
		}
	})
}
