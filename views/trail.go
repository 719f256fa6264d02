package views

import (
	"context"
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
	Reference string
	Seq       int64
	Message   string
}

// Verdict is what walking the chains has found.
type Verdict struct {
	Streams, Events int64
	Problems        []Problem
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

// Verify walks the chains without asking who wants to know: for operators at the machine. NoID walks every stream.
func (v *Views) Verify(ctx context.Context, caseID domain.ID) (Verdict, error) {
	var verdict Verdict
	if caseID != domain.NoID {
		c, err := v.reader.Case(ctx, caseID)
		if err != nil {
			return verdict, err
		}
		return verdict, v.walk(ctx, &verdict, store.Head{Stream: c.ID, Name: c.Reference, Seq: c.LastSeq, Hash: c.HeadHash})
	}
	after := domain.NoID
	for {
		heads, err := v.reader.Heads(ctx, after, verifyBatch)
		if err != nil || len(heads) == 0 {
			return verdict, err
		}
		for _, head := range heads {
			if err := v.walk(ctx, &verdict, head); err != nil {
				return verdict, err
			}
		}
		after = heads[len(heads)-1].Stream
	}
}

// walk verifies one stream up to the head that was read before its events.
func (v *Views) walk(ctx context.Context, verdict *Verdict, head store.Head) error {
	var failed error
	report, err := audit.Verify(head.Stream, audit.Head{Seq: head.Seq, Hash: head.Hash}, func(yield func(*domain.Event, error) bool) {
		for after := int64(0); after < head.Seq; {
			reading, err := v.reader.EventsAfter(ctx, head.Stream, after, verifyBatch)
			if err != nil {
				failed = err
				yield(nil, err)
				return
			}
			if len(reading.Events) == 0 {
				return
			}
			for i := range reading.Events {
				event := &reading.Events[i]
				if event.Seq > head.Seq {
					return
				}
				if !yield(event, nil) {
					return
				}
				after = event.Seq
			}
		}
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	verdict.Streams++
	verdict.Events += report.Events
	if report.Break != nil {
		verdict.Problems = append(verdict.Problems, Problem{Reference: head.Name, Seq: report.Break.Seq, Message: report.Break.Message})
	}
	return nil
}

// Reader gives the loaders of a door their batch reads: what belongs to cases whose reading was allowed before.
func (v *Views) Reader() store.Reader { return v.reader }
