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
	Access *store.Access
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
	see, err := v.look(ctx, actor)
	if err != nil {
		return TrailPage{}, err
	}
	c, err := v.reader.Case(ctx, caseID)
	if err != nil {
		return TrailPage{}, err
	}
	if err := v.mayRead(ctx, see, c); err != nil {
		return TrailPage{}, err
	}
	if _, err := see.judge.AuthorizePlain(see.user, domain.ActReadAudit); err != nil {
		return TrailPage{}, err
	}
	size := min(max(first, 1), MaxTrail)
	reading, err := v.reader.EventsAfter(ctx, caseID, after.Seq, size+1)
	if err != nil {
		return TrailPage{}, err
	}
	accesses, err := v.reader.AccessAfter(ctx, caseID, after.At, after.Number, size+1)
	if err != nil {
		return TrailPage{}, err
	}
	trail := merged(reading.Events, accesses, after)
	return TrailPage{Entries: trail[:min(len(trail), size)], HasMore: len(trail) > size}, nil
}

// MaxTrail bounds one page of an audit trail.
const MaxTrail = 1000

// merged puts events and accesses in the order of time; each keeps the order of its own log.
func merged(facts []domain.Event, accesses []store.NumberedAccess, after TrailCursor) []TrailEntry {
	trail := make([]TrailEntry, 0, len(facts)+len(accesses))
	for len(facts)+len(accesses) > 0 {
		if len(accesses) == 0 || len(facts) > 0 && !facts[0].At.After(accesses[0].At) {
			after.Seq = facts[0].Seq
			trail = append(trail, TrailEntry{At: facts[0].At, Event: &facts[0], After: after})
			facts = facts[1:]
			continue
		}
		after.At, after.Number = accesses[0].At, accesses[0].Number
		trail = append(trail, TrailEntry{At: accesses[0].At, Access: &accesses[0].Access, After: after})
		accesses = accesses[1:]
	}
	return trail
}

// Problem is the first bad event of a stream.
type Problem struct {
	Reference string // of the case, or the stream's name; its id where no record gives it a name
	Seq       int64
	Message   string
}

// Verdict is what walking the chains has found: what is whole, and of every broken stream the first bad event.
type Verdict struct {
	Streams, Cases int64 // that are whole; the cases are among the streams
	Events         int64 // that verified, those of broken streams before their break included
	Problems       []Problem
}

// verifyBatch is how many heads or events are read at once.
const verifyBatch = 500

// VerifyAudit walks the chain of one case, or of every stream, for those who may verify.
func (v *Views) VerifyAudit(ctx context.Context, actor domain.Actor, caseID domain.ID) (Verdict, error) {
	see, err := v.look(ctx, actor)
	if err != nil {
		return Verdict{}, err
	}
	if _, err := see.judge.AuthorizePlain(see.user, domain.ActVerify); err != nil {
		return Verdict{}, err
	}
	return v.Verify(ctx, caseID)
}

// Verify walks the chains without asking who wants to know: for operators at the machine. NoID walks every stream, and
// names events that belong to none.
func (v *Views) Verify(ctx context.Context, caseID domain.ID) (Verdict, error) {
	var verdict Verdict
	if caseID != domain.NoID {
		c, err := v.reader.Case(ctx, caseID)
		if err != nil {
			return verdict, err
		}
		head := store.Head{Stream: c.ID, Name: c.Reference, Seq: c.LastSeq, Hash: c.HeadHash, Case: true}
		err = v.walk(ctx, &verdict, head)
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
			if err := v.walk(ctx, &verdict, head); err != nil {
				return verdict, err
			}
		}
		after = heads[len(heads)-1].Stream
	}
	err := v.headless(ctx, &verdict)
	return verdict, err
}

// headless names the streams whose record is gone: no walk from a head comes by them.
func (v *Views) headless(ctx context.Context, verdict *Verdict) error {
	for after := domain.NoID; ; {
		streams, err := v.reader.HeadlessStreams(ctx, after, verifyBatch)
		if err != nil {
			return err
		}
		for _, stream := range streams {
			verdict.Problems = append(verdict.Problems, Problem{Reference: stream.Stream.String(), Seq: stream.First,
				Message: fmt.Sprintf("the record of the stream is gone, and %s of it left, from event %d on", left(stream.Events), stream.First)})
		}
		if len(streams) < verifyBatch {
			return nil
		}
		after = streams[len(streams)-1].Stream
	}
}

// left counts the events that no record is left for.
func left(events int64) string {
	if events == 1 {
		return "1 event is"
	}
	return fmt.Sprintf("%d events are", events)
}

// walk verifies one stream up to the head that was read before its events.
func (v *Views) walk(ctx context.Context, verdict *Verdict, head store.Head) error {
	chain := chainReading{reader: v.reader, head: head}
	report, err := audit.Verify(head.Stream, audit.Head{Seq: head.Seq, Hash: head.Hash}, chain.events(ctx))
	if err != nil {
		return err
	}
	verdict.Events += report.Events
	switch {
	case report.Break != nil:
		verdict.Problems = append(verdict.Problems, Problem{Reference: head.Name, Seq: report.Break.Seq, Message: report.Break.Message})
		return nil
	case chain.past != nil:
		verdict.Problems = append(verdict.Problems, Problem{Reference: head.Name, Seq: chain.past.Seq,
			Message: fmt.Sprintf("event %d (%s) stands past the end: the record says the stream ends at event %d", chain.past.Seq, chain.past.Type, chain.end)})
		return nil
	}
	verdict.Streams++
	if head.Case {
		verdict.Cases++
	}
	return nil
}

// chainReading reads the events of one stream for one walk.
type chainReading struct {
	reader store.Reader
	head   store.Head // up to which is walked
	// past is the first event past the end that the stream's record gave at the very moment the event was read; what a
	// writer committed since the head was read is therefore none.
	past *domain.Event
	end  int64
}

// events yields those up to the head; those after it are only compared with the end on record.
func (c *chainReading) events(ctx context.Context) iter.Seq2[*domain.Event, error] {
	return func(yield func(*domain.Event, error) bool) {
		for after := int64(0); ; {
			reading, err := c.reader.EventsAfter(ctx, c.head.Stream, after, verifyBatch)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range reading.Events {
				event := &reading.Events[i]
				if after = event.Seq; after > reading.Head {
					c.past, c.end = event, reading.Head
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

// Reader gives the loaders of a door their batch reads: what belongs to cases whose reading was allowed before.
func (v *Views) Reader() store.Reader { return v.reader }
