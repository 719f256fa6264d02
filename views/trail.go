package views

import (
	"context"
	"fmt"
	"iter"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/store"
)

// TrailEntry is one line of a case's audit trail: a fact of its log, or an access that changed nothing. After is the
// place behind it.
type TrailEntry struct {
	At     time.Time
	Event  *domain.Event
	Access *store.AccessEntry
	After  TrailCursor
}

// TrailCursor is a place in a case's audit trail: how far its log and its accesses were shown.
type TrailCursor struct {
	Seq    int64
	At     time.Time
	Number int64
}

// TrailPage is one page of an audit trail.
type TrailPage struct {
	Entries []TrailEntry
	HasMore bool
}

// AuditTrail merges what happened to a case with who looked at it or was refused, oldest first, after the cursor.
func (v *Views) AuditTrail(ctx context.Context, actor domain.Actor, caseID domain.ID, after TrailCursor, first int) (TrailPage, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActReadAudit)
	if err != nil {
		return TrailPage{}, err
	}
	if _, _, err := v.readable(ctx, viewer, caseID); err != nil {
		return TrailPage{}, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActReadAudit); err != nil {
		return TrailPage{}, err
	}
	size := min(max(first, 1), MaxTrail)
	reading, err := v.reader.EventsAfter(ctx, caseID, after.Seq, size+1)
	if err != nil {
		return TrailPage{}, err
	}
	accesses, err := v.reader.AccessLogAfter(ctx, caseID, after.At, after.Number, size+1)
	if err != nil {
		return TrailPage{}, err
	}
	trail := mergeTrail(reading.Events, accesses, after)
	return TrailPage{Entries: trail[:min(len(trail), size)], HasMore: len(trail) > size}, nil
}

// MaxTrail bounds one page of an audit trail.
const MaxTrail = 1000

// mergeTrail puts events and accesses in the order of time; each keeps the order of its own log.
func mergeTrail(facts []domain.Event, accesses []store.NumberedAccessEntry, after TrailCursor) []TrailEntry {
	trail := make([]TrailEntry, 0, len(facts)+len(accesses))
	for len(facts)+len(accesses) > 0 {
		if len(accesses) == 0 || len(facts) > 0 && !facts[0].At.After(accesses[0].At) {
			after.Seq = facts[0].Seq
			trail = append(trail, TrailEntry{At: facts[0].At, Event: &facts[0], After: after})
			facts = facts[1:]
			continue
		}
		after.At, after.Number = accesses[0].At, accesses[0].Number
		trail = append(trail, TrailEntry{At: accesses[0].At, Access: &accesses[0].AccessEntry, After: after})
		accesses = accesses[1:]
	}
	return trail
}

// AuditProblem is the first bad event of a stream.
type AuditProblem struct {
	Reference string // of the case, or the stream's name; its id where no record gives it a name
	Seq       int64
	Message   string
}

// AuditResult is what walking the chains has found: what is whole, and of every broken stream the first bad event.
type AuditResult struct {
	Streams, Cases int64 // that are whole; the cases are among the streams
	Events         int64 // that verified, those of broken streams before their break included
	Problems       []AuditProblem
}

// verifyBatch is how many heads or events are read at once.
const verifyBatch = 500

// VerifyAudit walks the chain of one case, or of every stream, for those who may verify.
func (v *Views) VerifyAudit(ctx context.Context, actor domain.Actor, caseID domain.ID) (AuditResult, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActVerify)
	if err != nil {
		return AuditResult{}, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActVerify); err != nil {
		return AuditResult{}, err
	}
	return v.Verify(ctx, caseID)
}

// Verify walks the chains without asking who wants to know: for operators at the machine. NoID walks every stream, and
// names events that belong to none.
func (v *Views) Verify(ctx context.Context, caseID domain.ID) (AuditResult, error) {
	var verdict AuditResult
	if caseID != domain.NoID {
		c, err := v.reader.Case(ctx, caseID)
		if err != nil {
			return verdict, err
		}
		head := store.StreamHead{Stream: c.ID, Name: c.Reference, Seq: c.LastSeq, Hash: c.HeadHash, Case: true}
		err = v.verifyStream(ctx, &verdict, head)
		return verdict, err
	}
	for after := domain.NoID; ; {
		heads, err := v.reader.Heads(ctx, after, verifyBatch)
		if err != nil {
			return verdict, err
		}
		if len(heads) == 0 {
			break
		}
		for _, head := range heads {
			if err := v.verifyStream(ctx, &verdict, head); err != nil {
				return verdict, err
			}
		}
		after = heads[len(heads)-1].Stream
	}
	err := v.reportOrphanStreams(ctx, &verdict)
	return verdict, err
}

// reportOrphanStreams names the streams whose record is gone: no walk from a head comes by them.
func (v *Views) reportOrphanStreams(ctx context.Context, verdict *AuditResult) error {
	for after := domain.NoID; ; {
		streams, err := v.reader.OrphanStreams(ctx, after, verifyBatch)
		if err != nil {
			return err
		}
		for _, stream := range streams {
			verdict.Problems = append(verdict.Problems, AuditProblem{Reference: stream.Stream.String(), Seq: stream.FirstSeq,
				Message: fmt.Sprintf("the record of the stream is gone, and %s of it left, from event %d on", remainingEvents(stream.EventCount), stream.FirstSeq)})
		}
		if len(streams) < verifyBatch {
			return nil
		}
		after = streams[len(streams)-1].Stream
	}
}

// remainingEvents counts the events that no record is left for.
func remainingEvents(events int64) string {
	if events == 1 {
		return "1 event is"
	}
	return fmt.Sprintf("%d events are", events)
}

// verifyStream verifies one stream up to the head that was read before its events.
func (v *Views) verifyStream(ctx context.Context, verdict *AuditResult, head store.StreamHead) error {
	chain := chainReader{reader: v.reader, head: head}
	report, err := audit.Verify(head.Stream, audit.ChainHead{Seq: head.Seq, Hash: head.Hash}, chain.events(ctx))
	if err != nil {
		return err
	}
	verdict.Events += report.Events
	switch {
	case report.Break != nil:
		verdict.Problems = append(verdict.Problems, AuditProblem{Reference: head.Name, Seq: report.Break.Seq, Message: report.Break.Message})
		return nil
	case chain.eventPastEnd != nil:
		verdict.Problems = append(verdict.Problems, AuditProblem{Reference: head.Name, Seq: chain.eventPastEnd.Seq,
			Message: fmt.Sprintf("event %d (%s) stands past the end: the record says the stream ends at event %d", chain.eventPastEnd.Seq, chain.eventPastEnd.Type, chain.recordedEnd)})
		return nil
	}
	verdict.Streams++
	if head.Case {
		verdict.Cases++
	}
	return nil
}

// chainReader reads the events of one stream for one walk.
type chainReader struct {
	reader store.Reader
	head   store.StreamHead // up to which is walked
	// eventPastEnd is the first event past the end that the stream's record gave at the very moment the event was read; what a
	// writer committed since the head was read is therefore none.
	eventPastEnd *domain.Event
	recordedEnd  int64
}

// events yields those up to the head; those after it are only compared with the end on record.
func (c *chainReader) events(ctx context.Context) iter.Seq2[*domain.Event, error] {
	return func(yield func(*domain.Event, error) bool) {
		for after := int64(0); ; {
			reading, err := c.reader.EventsAfter(ctx, c.head.Stream, after, verifyBatch)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range reading.Events {
				event := &reading.Events[i]
				if after = event.Seq; after > reading.LastSeq {
					c.eventPastEnd, c.recordedEnd = event, reading.LastSeq
					return
				}
				if after <= c.head.Seq && !yield(event, nil) {
					return
				}
			}
			if len(reading.Events) < verifyBatch {
				return
			}
		}
	}
}

// Reader gives the loaders of an adapter their batch reads: what belongs to cases whose reading was allowed before.
func (v *Views) Reader() store.Reader { return v.reader }
