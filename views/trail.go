package views

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"countersign/audit"
	"countersign/domain"
	"countersign/events"
	"countersign/store"
)

// TrailEntry is one entry of a case's audit trail: an event or an access. After is the cursor
// behind it.
type TrailEntry struct {
	At    time.Time
	Event *domain.Event
	// Visible is the event as the viewer may see it, if they may not see the whole event.
	Visible *events.VisibleEvent
	Access  *store.AccessEntry
	After   TrailCursor
}

// TrailCursor is a position in a case's audit trail: one position in the event log and one in the
// access log.
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

// AuditTrail reads a page of the events and accesses of a case after the cursor, oldest first.
func (v *Views) AuditTrail(ctx context.Context, actor domain.Actor, caseID domain.ID,
	after TrailCursor, first int) (TrailPage, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActReadAudit)
	if err != nil {
		return TrailPage{}, err
	}
	c, _, err := v.readable(ctx, viewer, caseID)
	if err != nil {
		return TrailPage{}, err
	}
	seen, err := v.caseViewer(viewer).Case(ctx, c)
	if err != nil {
		return TrailPage{}, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActReadAudit); err != nil {
		return TrailPage{}, err
	}
	size := min(max(first, 1), MaxTrail)
	if seen.Redacted {
		return v.redactedTrail(ctx, viewer.user.ID, caseID, after, size)
	}
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

// MaxTrail limits one page of an audit trail.
const MaxTrail = 1000

// mergeTrail merges events and accesses by time. Each keeps the order of its own log.
func mergeTrail(events []domain.Event, accesses []store.NumberedAccessEntry,
	after TrailCursor) []TrailEntry {
	trail := make([]TrailEntry, 0, len(events)+len(accesses))
	for len(events)+len(accesses) > 0 {
		if len(accesses) == 0 || len(events) > 0 && !events[0].At.After(accesses[0].At) {
			after.Seq = events[0].Seq
			trail = append(trail, TrailEntry{At: events[0].At, Event: &events[0], After: after})
			events = events[1:]
			continue
		}
		after.At, after.Number = accesses[0].At, accesses[0].Number
		trail = append(trail, TrailEntry{At: accesses[0].At, Access: &accesses[0].AccessEntry,
			After: after})
		accesses = accesses[1:]
	}
	return trail
}

// AuditProblem is the first invalid event of a stream.
type AuditProblem struct {
	// reference of the case or name of the stream; the stream's id if neither exists
	Reference string
	Seq       int64
	Message   string
}

// AuditResult is the result of verifying event chains: counts of valid streams and events, and the
// first invalid event of each broken stream.
type AuditResult struct {
	Streams, Cases int64 // valid ones; Streams includes the cases
	Events         int64 // valid ones, including those before the break of a broken stream
	Erased         int64 // number of valid events whose body was erased
	// Unrecorded is the number of supporting documents that an earlier program read without an event that
	// records the images of their pages, so that these are not proved.
	Unrecorded int64
	Problems   []AuditProblem
	Log        *LogResult // nil for one case
}

// verifyBatch is the number of heads or events read per statement.
const verifyBatch = 500

// VerifyAudit verifies the chain of one case or, with NoID, of every stream, for actors who may
// verify.
func (v *Views) VerifyAudit(ctx context.Context, actor domain.Actor, caseID domain.ID) (
	AuditResult, error) {
	viewer, err := v.loadViewer(ctx, actor, domain.ActVerify)
	if err != nil {
		return AuditResult{}, err
	}
	if _, err := viewer.policy.AuthorizeGlobal(viewer.user, domain.ActVerify); err != nil {
		return AuditResult{}, err
	}
	result, err := v.Verify(ctx, caseID)
	if err != nil || caseID == domain.NoID {
		return result, err
	}
	c, err := v.reader.Case(ctx, caseID)
	if err != nil {
		return result, err
	}
	if seen, err := v.caseViewer(viewer).Case(ctx, c); err != nil || seen.Redacted {
		result.Events = 0 // the number would tell how many events are hidden
	}
	return result, err
}

// Verify verifies event chains without an access check, for the operator's CLI. NoID verifies every
// stream and reports events without a stream.
func (v *Views) Verify(ctx context.Context, caseID domain.ID) (AuditResult, error) {
	var result AuditResult
	if caseID != domain.NoID {
		c, err := v.reader.Case(ctx, caseID)
		if err != nil {
			return result, err
		}
		marking, err := c.Marking.Canonical()
		if err != nil {
			return result, err
		}
		head := store.StreamHead{Stream: c.ID, Name: c.Reference, Seq: c.LastSeq, Hash: c.HeadHash,
			Case: true, Status: c.Status, Marking: string(marking),
			Attributes: c.Attributes}
		rows, err := v.readRows(ctx, []store.StreamHead{head})
		if err == nil {
			err = v.verifyStream(ctx, &result, head, rows)
		}
		return result, err
	}
	for after := domain.NoID; ; {
		heads, err := v.reader.Heads(ctx, after, verifyBatch)
		if err != nil {
			return result, err
		}
		if len(heads) == 0 {
			break
		}
		rows, err := v.readRows(ctx, heads)
		if err != nil {
			return result, err
		}
		for _, head := range heads {
			if err := v.verifyStream(ctx, &result, head, rows); err != nil {
				return result, err
			}
		}
		after = heads[len(heads)-1].Stream
	}
	if err := v.reportOrphanStreams(ctx, &result); err != nil {
		return result, err
	}
	if err := v.verifyAuthority(ctx, &result); err != nil {
		return result, err
	}
	log, problems, err := v.verifyLog(ctx)
	result.Log, result.Problems = log, append(result.Problems, problems...)
	return result, err
}

// reportOrphanStreams reports events whose stream record is missing, because verifying from the
// heads does not reach them.
func (v *Views) reportOrphanStreams(ctx context.Context, result *AuditResult) error {
	for after := domain.NoID; ; {
		streams, err := v.reader.OrphanStreams(ctx, after, verifyBatch)
		if err != nil {
			return err
		}
		for _, stream := range streams {
			result.Problems = append(result.Problems,
				AuditProblem{Reference: stream.Stream.String(), Seq: stream.FirstSeq,
					Message: fmt.Sprintf("the stream's record is missing; %s from event %d on",
						remainingEvents(stream.EventCount), stream.FirstSeq)})
		}
		if len(streams) < verifyBatch {
			return nil
		}
		after = streams[len(streams)-1].Stream
	}
}

// remainingEvents describes the number of events of a stream without a record.
func remainingEvents(events int64) string {
	if events == 1 {
		return "1 event remains"
	}
	return fmt.Sprintf("%d events remain", events)
}

// verifyStream verifies one stream up to its head, which was read before the events.
func (v *Views) verifyStream(ctx context.Context, result *AuditResult,
	head store.StreamHead, rows caseRows) error {
	chain := chainReader{reader: v.reader, head: head, rows: audit.NewAssertionCheck(head.Seq),
		derived: audit.NewCaseCheck(head.Seq), notes: audit.NewNoteCheck(head.Seq)}
	passkeys, err := v.passkeysOf(ctx, head.Stream) // before the events, so that each has its event
	if err != nil {
		return err
	}
	report, err := audit.Verify(head.Stream, audit.ChainHead{Seq: head.Seq, Hash: head.Hash},
		chain.events(ctx))
	if err != nil {
		return err
	}
	result.Events += report.Events
	result.Erased += report.Erased
	switch {
	case report.Break != nil:
		result.Problems = append(result.Problems,
			AuditProblem{Reference: head.Name, Seq: report.Break.Seq,
				Message: report.Break.Message})
		return nil
	case chain.eventPastEnd != nil:
		result.Problems = append(result.Problems,
			AuditProblem{Reference: head.Name, Seq: chain.eventPastEnd.Seq,
				Message: fmt.Sprintf(
					"event %d (%s) is past the end: the stream's record ends at event %d",
					chain.eventPastEnd.Seq, chain.eventPastEnd.Type, chain.recordedEnd)})
		return nil
	}
	result.Streams++
	result.add(head, chain.erasures.Problems())
	if head.Case {
		result.Cases++
	}
	if head.Stream == domain.PeopleStream.ID {
		result.add(head, passkeyProblems(passkeys, chain.passkeys, head.Seq))
	}
	if head.Case && head.Seq == 0 {
		result.add(head, []audit.RowProblem{{Message: "the case has no events: its rows were added or its " +
			"events were deleted"}})
	} else if head.Case {
		derived, err := rows.derived(head)
		if err != nil {
			return err
		}
		signatures, err := v.signatureProblems(ctx, derived.Decisions)
		if err != nil {
			return err
		}
		result.Unrecorded += chain.derived.Unrecorded(derived)
		result.add(head, slices.Concat(chain.rows.Problems(rows.sets[head.Stream],
			derived.Decisions), chain.derived.Problems(derived), signatures,
			chain.notes.Problems(rows.notes[head.Stream]),
			audit.LineItemProblems(rows.sets[head.Stream], rows.lines[head.Stream])))
	}
	return nil
}

// add reports problems of the rows of a stream.
func (r *AuditResult) add(head store.StreamHead, problems []audit.RowProblem) {
	for _, problem := range problems {
		r.Problems = append(r.Problems, AuditProblem{Reference: head.Name, Seq: problem.Seq,
			Message: problem.Message})
	}
}

// chainReader reads the events of one stream for one verification.
type chainReader struct {
	reader store.Reader
	head   store.StreamHead // last position to verify
	// eventPastEnd is the first event past the end of the stream, by the stream's record at the
	// time of reading the event. Events committed after the head was read are therefore not
	// reported.
	eventPastEnd *domain.Event
	recordedEnd  int64
	rows         *audit.AssertionCheck // of the rows that the events mention
	derived      *audit.CaseCheck      // of the rows that follow from the events
	notes        *audit.NoteCheck
	erasures     audit.ErasureCheck
	passkeys     map[domain.ID]*domain.Event // registrations by passkey
}

func (c *chainReader) addPasskey(event *domain.Event) {
	if event.Type != domain.PasskeyRegistered {
		return
	}
	if key, err := audit.ParseRegistration(event); err == nil {
		if c.passkeys == nil {
			c.passkeys = map[domain.ID]*domain.Event{}
		}
		c.passkeys[key.ID] = event
	}
}

// events yields the events up to the head. It compares later events only with the recorded end of
// the stream.
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
				c.rows.Add(event)
				c.notes.Add(event)
				c.derived.Add(event)
				c.erasures.Add(event)
				c.addPasskey(event)
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

// Reader returns the store's reader, so that an adapter's loaders can read in batches. They must
// read only rows of cases that the actor may read.
func (v *Views) Reader() store.Reader { return v.reader }
