package audit

import (
	"bytes"
	"fmt"
	"iter"

	"countersign/domain"
)

// BreakKind classifies tampering with a stream.
type BreakKind string

// The kinds, in the order in which an event is checked for them.
const (
	BreakForeignEvent BreakKind = "foreign_event" // an event of another stream
	// its number is not the next one: removed, inserted or reordered
	BreakGap BreakKind = "gap"
	// its previous hash is not that of the event before
	BreakWrongPrevious BreakKind = "wrong_previous"
	BreakAlteredHeader BreakKind = "altered_header"
	BreakAlteredBody   BreakKind = "altered_body"
	BreakWrongEnd      BreakKind = "wrong_end" // the stream does not end at the head on record
	// a checkpoint's root, order or signature is wrong
	BreakAlteredLog BreakKind = "altered_log"
	// a stream no longer has an event that a checkpoint recorded
	BreakMissingEvent BreakKind = "missing_head"
	// a row of a decision, a vote, the access log or the case does not match the log
	BreakAlteredRow BreakKind = "altered_row"
	// a pack was altered
	BreakAlteredPack BreakKind = "altered_pack"
)

// Break is the first fault found: at which event, and of which kind.
type Break struct {
	Stream  domain.ID
	Seq     int64
	Kind    BreakKind
	Message string // a clause, shown after the event's position
}

// Error makes a Break usable as an error.
func (b *Break) Error() string { return b.Message }

// StreamReport is the result of verifying one stream.
type StreamReport struct {
	Stream domain.ID
	Events int64     // number of verified events
	Erased int64     // of these, number with an erased body
	Head   ChainHead // after the last verified event
	Break  *Break
}

// Verify verifies one stream from its first event and compares its end with the head on record; a
// zero head requires an empty stream. It returns errors of the iterator and reports tampering as
// the report's Break. A body that was erased together with its salt is valid.
func Verify(
	stream domain.ID, onRecord ChainHead, events iter.Seq2[*domain.Event, error],
) (StreamReport, error) {
	verifier := StreamVerifier{Stream: stream}
	for event, err := range events {
		if err != nil {
			return verifier.Report(), fmt.Errorf("verify stream %s: %w", stream, err)
		}
		if !verifier.Next(event) {
			return verifier.Report(), nil
		}
	}
	verifier.End(onRecord)
	return verifier.Report(), nil
}

// StreamVerifier verifies a stream event by event, for callers that read many streams in one pass.
type StreamVerifier struct {
	Stream domain.ID
	report StreamReport
}

// Report returns the result so far.
func (w *StreamVerifier) Report() StreamReport {
	w.report.Stream = w.Stream
	return w.report
}

// Next verifies the next event. It returns false when this event or one before it is wrong.
func (w *StreamVerifier) Next(event *domain.Event) bool {
	if w.report.Break != nil {
		return false
	}
	if kind, message := w.check(event); kind != "" {
		return w.fail(event.Seq, kind, message)
	}
	if len(event.Body) == 0 {
		w.report.Erased++
	}
	w.report.Events++
	w.report.Head = ChainHead{Seq: event.Seq, Hash: event.Hash}
	return true
}

// End compares the end of the stream with the head on record. It returns false when they differ or
// when an event was wrong.
func (w *StreamVerifier) End(onRecord ChainHead) bool {
	if w.report.Break != nil {
		return false
	}
	if w.report.Head.Equal(onRecord) {
		return true
	}
	return w.fail(w.report.Head.Seq+1, BreakWrongEnd,
		fmt.Sprintf("the stream ends at event %d (%.4x), but its head on record is %d (%.4x)",
			w.report.Head.Seq, w.report.Head.Hash, onRecord.Seq, onRecord.Hash))
}

func (w *StreamVerifier) check(event *domain.Event) (BreakKind, string) {
	switch {
	case event.Stream != w.Stream:
		return BreakForeignEvent, fmt.Sprintf("event %d belongs to stream %s", event.Seq,
			event.Stream)
	case event.Seq != w.report.Head.Seq+1:
		return BreakGap, fmt.Sprintf("event %d is followed by event %d", w.report.Head.Seq,
			event.Seq)
	case !bytes.Equal(event.PrevHash, w.report.Head.nextPrevHash()):
		return BreakWrongPrevious, fmt.Sprintf("event %d does not follow from the event before it",
			event.Seq)
	}
	if hash := HeaderHash(event); !bytes.Equal(hash[:], event.Hash) {
		return BreakAlteredHeader, fmt.Sprintf("the header of event %d (%s) was altered", event.Seq,
			event.Type)
	}
	if len(event.Body) == 0 && len(event.Salt) == 0 {
		return "", "" // erased
	}
	body := BodyHash(event.Salt, event.Body)
	if len(event.Salt) != SaltSize || len(event.Body) == 0 ||
		!bytes.Equal(body[:], event.BodyHash) {
		return BreakAlteredBody, fmt.Sprintf("the body of event %d (%s) was altered", event.Seq,
			event.Type)
	}
	return "", ""
}

func (w *StreamVerifier) fail(seq int64, kind BreakKind, message string) bool {
	w.report.Break = &Break{Stream: w.Stream, Seq: seq, Kind: kind, Message: message}
	return false
}
