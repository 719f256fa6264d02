package audit

import (
	"bytes"
	"fmt"
	"iter"

	"countersign/domain"
)

// BreakKind says in which way a stream was tampered with.
type BreakKind string

// The faults, in the order in which they are looked for at one event.
const (
	BreakForeignEvent  BreakKind = "foreign_event"  // an event of another stream
	BreakGap           BreakKind = "gap"            // its number does not follow: removed, inserted or reordered
	BreakWrongPrevious BreakKind = "wrong_previous" // it does not follow from the event before
	BreakAlteredHeader BreakKind = "altered_header"
	BreakAlteredBody   BreakKind = "altered_body"
	BreakWrongEnd      BreakKind = "wrong_end"    // the stream does not end at the head that is on record
	BreakAlteredLog    BreakKind = "altered_log"  // a checkpoint's root, order or signature is wrong
	BreakMissingEvent  BreakKind = "missing_head" // a stream no longer has an event that a checkpoint saw
)

// Break is the first thing found wrong: at which event, and how.
type Break struct {
	Stream  domain.ID
	Seq     int64
	Kind    BreakKind
	Message string // a sentence
}

// Error makes a Break usable as an error.
func (b *Break) Error() string { return b.Message }

// StreamReport is what verifying one stream found.
type StreamReport struct {
	Stream domain.ID
	Events int64     // that verified
	Erased int64     // of these, with an erased body
	Head   ChainHead // after the last event that verified
	Break  *Break
}

// Verify walks one stream from its first event and compares its end with the head on record (a zero head: the stream
// must be empty). The error is the iterator's; tampering is the report's Break. A body that was erased together with
// its salt is in order.
func Verify(stream domain.ID, onRecord ChainHead, events iter.Seq2[*domain.Event, error]) (StreamReport, error) {
	walk := StreamVerifier{Stream: stream}
	for event, err := range events {
		if err != nil {
			return walk.Report(), fmt.Errorf("verify stream %s: %w", stream, err)
		}
		if !walk.Next(event) {
			return walk.Report(), nil
		}
	}
	walk.End(onRecord)
	return walk.Report(), nil
}

// StreamVerifier verifies a stream event by event, for callers that read many streams in one pass.
type StreamVerifier struct {
	Stream domain.ID
	report StreamReport
}

// Report returns what was found so far.
func (w *StreamVerifier) Report() StreamReport {
	w.report.Stream = w.Stream
	return w.report
}

// Next judges the next event; false when it, or one before it, is wrong.
func (w *StreamVerifier) Next(event *domain.Event) bool {
	if w.report.Break != nil {
		return false
	}
	if fault, message := w.check(event); fault != "" {
		return w.fail(event.Seq, fault, message)
	}
	if len(event.Body) == 0 {
		w.report.Erased++
	}
	w.report.Events++
	w.report.Head = ChainHead{Seq: event.Seq, Hash: event.Hash}
	return true
}

// End compares where the stream ended with the head on record; false when they differ or something was wrong before.
func (w *StreamVerifier) End(onRecord ChainHead) bool {
	if w.report.Break != nil {
		return false
	}
	if w.report.Head.Equal(onRecord) {
		return true
	}
	return w.fail(w.report.Head.Seq+1, BreakWrongEnd, fmt.Sprintf("the stream ends at event %d (%.4x), but its record says %d (%.4x)",
		w.report.Head.Seq, w.report.Head.Hash, onRecord.Seq, onRecord.Hash))
}

func (w *StreamVerifier) check(event *domain.Event) (BreakKind, string) {
	switch {
	case event.Stream != w.Stream:
		return BreakForeignEvent, fmt.Sprintf("event %d belongs to stream %s", event.Seq, event.Stream)
	case event.Seq != w.report.Head.Seq+1:
		return BreakGap, fmt.Sprintf("after event %d comes event %d", w.report.Head.Seq, event.Seq)
	case !bytes.Equal(event.PrevHash, w.report.Head.nextPrevHash()):
		return BreakWrongPrevious, fmt.Sprintf("event %d does not follow from the event before it", event.Seq)
	}
	if hash := HeaderHash(event); !bytes.Equal(hash[:], event.Hash) {
		return BreakAlteredHeader, fmt.Sprintf("the header of event %d (%s) was altered", event.Seq, event.Type)
	}
	if len(event.Body) == 0 && len(event.Salt) == 0 {
		return "", "" // erased
	}
	body := BodyHash(event.Salt, event.Body)
	if len(event.Salt) != SaltSize || len(event.Body) == 0 || !bytes.Equal(body[:], event.BodyHash) {
		return BreakAlteredBody, fmt.Sprintf("the body of event %d (%s) was altered", event.Seq, event.Type)
	}
	return "", ""
}

func (w *StreamVerifier) fail(seq int64, fault BreakKind, message string) bool {
	w.report.Break = &Break{Stream: w.Stream, Seq: seq, Kind: fault, Message: message}
	return false
}
