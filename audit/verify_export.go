package audit

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

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
	Events       int64
	Accesses     int64
	Signatures   int64        // number of approvals whose signature by a passkey was verified
	Erased       int64        // number of events whose body was erased
	ErasedBodies []ErasedBody // the first of them
	// Unrecorded is the number of supporting documents that an earlier program read without an event that
	// records the images of their pages.
	Unrecorded int64
	Log        LogReport
	Break      *Break // the first one found
	// the first one of every broken stream, in the order of the file; a Break without a stream
	// concerns the log
	Breaks []Break
}

// ErasedBody is an event whose body was erased.
type ErasedBody struct {
	Stream domain.ID
	Seq    int64
	Type   domain.EventType
}

// ExportCheck configures the verification of an export.
type ExportCheck struct {
	// Keys are the public keys of the log; without keys the checkpoints' signatures are not verified,
	// and the report says so.
	Keys     Keys
	External []ExternalNote
}

// VerifyExport verifies an export using only the file, the log's public keys and external
// checkpoints. It reports tampering as the report's Breaks and continues with the other streams. It
// returns ValidationFailed with the line number for a file that cannot be read to its end.
func VerifyExport(in io.Reader, check ExportCheck) (ExportReport, error) {
	return newExportVerifier(check).run(in)
}

// run verifies all lines.
func (v *exportVerifier) run(in io.Reader) (ExportReport, error) {
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
	case number == 1 && (line.Kind != kindHeader ||
		line.Format != ExportFormat && line.Format != formatWithoutRows):
		return fmt.Errorf("the file is not an export of %s", ExportFormat)
	case v.ended:
		return errors.New("the file has lines after the end")
	}
	switch line.Kind {
	case kindHeader:
		return v.header(line)
	case kindLeaves:
		return v.addLeaves(line)
	case kindCheckpoint:
		return v.checkpoint(line)
	case kindEvent:
		v.events++
		if !v.broken[line.Stream] {
			return v.event(line)
		}
	case kindRows:
		if !v.broken[line.Stream] {
			return v.addRows(line)
		}
	case kindHead:
		v.heads++
		if !v.broken[line.Stream] {
			return v.head(line)
		}
	case kindAccess:
		return v.addAccess(line)
	case kindEnd:
		return v.end(line)
	}
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
		v.begin(line)
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
	v.addEvent(event)
	return v.compareEvent(event)
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
		return MissingLeaf(missing[0].leaf)
	}
	if err := v.compareRows(line); err != nil {
		return err
	}
	v.report.Streams++
	if v.stream != nil && v.isCase {
		v.report.Cases++
	}
	v.done[line.Stream], v.stream, v.last = true, nil, v.facts
	return nil
}

func (v *exportVerifier) end(line exportLine) error {
	v.ended = true
	if v.stream != nil {
		v.addBreak(Break{Stream: v.stream.Stream, Seq: v.stream.Report().Head.Seq + 1,
			Kind: BreakWrongEnd, Message: fmt.Sprintf("stream %s has no head", v.stream.Stream)})
	}
	if err := v.endLog(); err != nil {
		return err
	}
	if len(v.broken) == 0 && (line.Streams != v.heads || line.Events != v.events) {
		return &Break{Kind: BreakWrongEnd,
			Message: fmt.Sprintf(
				"the export declares %d streams and %d events, but contains %d and %d",
				line.Streams, line.Events, v.heads, v.events)}
	}
	return nil
}
