package audit

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"countersign/domain"
)

// maxLine bounds one line of an export.
const maxLine = 16 << 20

// ExportReport is the result of verifying an export.
type ExportReport struct {
	Origin   string
	Complete bool
	Signed   bool  // the checkpoints' signatures were verified
	Streams  int64 // number of verified streams
	Cases    int64 // of these, streams that begin with a submission
	// number of verified events, including those before the break of a broken stream
	Events      int64
	Erased      int64
	Checkpoints int64
	Break       *Break // the first one found
	// the first one of every broken stream, in the order of the file; a Break without a stream
	// concerns the log
	Breaks []Break
}

// VerifyExport verifies an export using only the file and, if given, the log's public key. Without
// a key it skips the checkpoints' signatures, and the report says so. It reports tampering as the
// report's Breaks and continues with the other streams. It returns ValidationFailed with the line
// number for a file that cannot be read to its end.
func VerifyExport(in io.Reader, key ed25519.PublicKey) (ExportReport, error) {
	v := exportVerifier{key: key, log: NewMerkleLog(), expected: map[domain.ID][]Leaf{},
		done: map[domain.ID]bool{}, broken: map[domain.ID]bool{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var line exportLine
		err := json.Unmarshal(lines.Bytes(), &line)
		if err == nil {
			err = v.verifyLine(number, line)
		}
		var found *Break
		switch {
		case errors.As(err, &found):
			v.addBreak(*found)
		case err != nil:
			return v.report, domain.Errorf(domain.ValidationFailed,
				"Line %d of the export cannot be read.", number).WithCause(err)
		}
	}
	if err := lines.Err(); err != nil {
		return v.report, domain.Errorf(domain.ValidationFailed, "The export cannot be read.").
			WithCause(err)
	}
	if !v.ended {
		return v.report, domain.Errorf(domain.ValidationFailed,
			"The export is incomplete: its last line is missing.")
	}
	return v.report, nil
}

type exportVerifier struct {
	key      ed25519.PublicKey
	report   ExportReport
	log      *MerkleLog
	newest   Checkpoint
	expected map[domain.ID][]Leaf // per stream by ascending seq, as the checkpoints recorded it
	stream   *StreamVerifier
	isCase   bool // of the stream being verified
	done     map[domain.ID]bool
	broken   map[domain.ID]bool
	heads    int64 // number of head lines, including those of broken streams
	events   int64
	ended    bool
}

// addBreak records the first Break of a stream and stops verifying that stream.
func (v *exportVerifier) addBreak(found Break) {
	if v.broken[found.Stream] {
		return
	}
	v.broken[found.Stream] = true
	v.report.Breaks = append(v.report.Breaks, found)
	v.report.Break = &v.report.Breaks[0]
	if v.stream != nil && v.stream.Stream == found.Stream {
		v.stream = nil
	}
}

func (v *exportVerifier) verifyLine(number int, line exportLine) error {
	switch {
	case number == 1 && (line.Kind != kindHeader || line.Format != ExportFormat):
		return fmt.Errorf("the file is not an export of %s", ExportFormat)
	case v.ended:
		return errors.New("the file has lines after the end")
	}
	switch line.Kind {
	case kindHeader:
		v.report.Origin, v.report.Complete, v.report.Signed = line.Origin, line.Whole, v.key != nil
	case kindCheckpoint:
		return v.checkpoint(line)
	case kindEvent:
		v.events++
		if !v.broken[line.Stream] {
			return v.event(line)
		}
	case kindHead:
		v.heads++
		if !v.broken[line.Stream] {
			return v.head(line)
		}
	case kindEnd:
		return v.end(line)
	}
	return nil
}

func (v *exportVerifier) checkpoint(line exportLine) error {
	number := v.report.Checkpoints + 1
	if v.events > 0 || v.heads > 0 {
		return errors.New("a checkpoint follows an event")
	}
	var leaves []Leaf
	for _, leaf := range line.Leaves {
		hash, err := hex.DecodeString(leaf.Hash)
		if err != nil {
			return fmt.Errorf("a leaf's hash is not in hex: %w", err)
		}
		leaves = append(leaves, Leaf{leaf.Stream, leaf.Seq, hash})
	}
	if v.key != nil {
		// EventHash returns the leaf itself here: the events follow later in the file and are
		// compared then.
		hashes := map[domain.ID][]byte{}
		for _, leaf := range leaves {
			hashes[leaf.Stream] = leaf.Hash
		}
		check := LogVerification{Origin: v.report.Origin, Key: v.key,
			EventHash: func(stream domain.ID, _ int64) ([]byte, error) {
				return hashes[stream], nil
			}}
		report := LogReport{Checkpoints: v.report.Checkpoints, Newest: v.newest}
		if err := check.verifyNext(&report, v.log,
			SealedCheckpoint{Note: []byte(line.Note), Leaves: leaves}); err != nil {
			return err
		}
		v.newest = report.Newest
	}
	for _, leaf := range leaves {
		known := v.expected[leaf.Stream]
		if len(known) > 0 && known[len(known)-1].Seq >= leaf.Seq {
			return &Break{Stream: leaf.Stream, Seq: leaf.Seq, Kind: BreakAlteredLog,
				Message: fmt.Sprintf(
					"checkpoint %d records stream %s at an earlier event than the one before",
					number, leaf.Stream)}
		}
		v.expected[leaf.Stream] = append(known, leaf)
	}
	v.report.Checkpoints = number
	return nil
}

func (v *exportVerifier) event(line exportLine) error {
	if v.stream != nil && v.stream.Stream != line.Stream {
		v.addBreak(Break{Stream: v.stream.Stream, Seq: v.stream.Report().Head.Seq + 1,
			Kind: BreakForeignEvent,
			Message: fmt.Sprintf("event %d is followed by event %d of stream %s",
				v.stream.Report().Head.Seq, line.Seq, line.Stream)})
	}
	if v.stream == nil {
		if v.done[line.Stream] {
			return &Break{Stream: line.Stream, Seq: line.Seq, Kind: BreakForeignEvent,
				Message: fmt.Sprintf("stream %s appears twice in the export", line.Stream)}
		}
		v.stream = &StreamVerifier{Stream: line.Stream}
		v.isCase = line.Event != nil && line.Event.Type == domain.CaseSubmitted
	}
	event, err := line.toEvent()
	if err != nil {
		return &Break{Stream: line.Stream, Seq: line.Seq, Kind: BreakAlteredHeader,
			Message: fmt.Sprintf("event %d cannot be read: %v", line.Seq, err)}
	}
	if !v.stream.Next(event) {
		return v.stream.Report().Break
	}
	v.report.Events++
	if expected := v.expected[line.Stream]; len(expected) > 0 && expected[0].Seq == event.Seq {
		if !bytes.Equal(expected[0].Hash, event.Hash) {
			return missingEvent(expected[0])
		}
		v.expected[line.Stream] = expected[1:]
	}
	return nil
}

func missingEvent(leaf Leaf) *Break {
	return &Break{Stream: leaf.Stream, Seq: leaf.Seq, Kind: BreakMissingEvent,
		Message: fmt.Sprintf(
			"a checkpoint recorded event %d of stream %s, which is missing or has another hash",
			leaf.Seq, leaf.Stream)}
}

func (v *exportVerifier) head(line exportLine) error {
	hash, err := hex.DecodeString(line.Hash)
	if err != nil {
		return fmt.Errorf("a head's hash is not in hex: %w", err)
	}
	verifier := v.stream
	if verifier == nil {
		verifier = &StreamVerifier{Stream: line.Stream}
	}
	if verifier.Stream != line.Stream {
		v.addBreak(Break{Stream: verifier.Stream, Seq: verifier.Report().Head.Seq + 1,
			Kind: BreakForeignEvent,
			Message: fmt.Sprintf("event %d is followed by the head of stream %s",
				verifier.Report().Head.Seq, line.Stream)})
	}
	if v.done[line.Stream] || verifier.Stream != line.Stream {
		return &Break{Stream: line.Stream, Seq: line.Seq, Kind: BreakForeignEvent,
			Message: fmt.Sprintf("the head of stream %s is in the wrong place", line.Stream)}
	}
	if !verifier.End(ChainHead{Seq: line.Seq, Hash: hash}) {
		return verifier.Report().Break
	}
	if missing := v.expected[line.Stream]; len(missing) > 0 {
		return missingEvent(missing[0])
	}
	v.report.Streams++
	if v.stream != nil && v.isCase {
		v.report.Cases++
	}
	v.report.Erased += verifier.Report().Erased
	v.done[line.Stream], v.stream = true, nil
	return nil
}

func (v *exportVerifier) end(line exportLine) error {
	v.ended = true
	if v.stream != nil {
		v.addBreak(Break{Stream: v.stream.Stream, Seq: v.stream.Report().Head.Seq + 1,
			Kind: BreakWrongEnd, Message: fmt.Sprintf("stream %s has no head", v.stream.Stream)})
	}
	if v.report.Complete {
		for _, stream := range slices.SortedFunc(maps.Keys(v.expected),
			func(a, b domain.ID) int { return bytes.Compare(a[:], b[:]) }) {
			if !v.done[stream] && len(v.expected[stream]) > 0 {
				v.addBreak(*missingEvent(v.expected[stream][0]))
			}
		}
	}
	if len(v.broken) == 0 && (line.Streams != v.heads || line.Events != v.events) {
		return &Break{Kind: BreakWrongEnd,
			Message: fmt.Sprintf(
				"the export declares %d streams and %d events, but contains %d and %d",
				line.Streams, line.Events, v.heads, v.events)}
	}
	return nil
}
