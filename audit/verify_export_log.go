package audit

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"countersign/domain"
)

// maxErased is how many erased bodies a report names.
const maxErased = 100

// exportVerifier verifies the lines of an export one after the other.
type exportVerifier struct {
	check  ExportCheck
	report ExportReport
	logs   *logVerifier
	leaves []Leaf // since the checkpoint before
	access []Leaf // ranges that the checkpoints recorded and that were not compared yet
	// expected are the heads per stream by ascending seq, and rows the leaves of its rows.
	expected  map[domain.ID][]expectedHead
	rows      map[domain.ID][]Leaf
	approvals approvalVerifier
	stream    *StreamVerifier
	facts     *streamFacts // of the stream being verified
	last      *streamFacts // of the stream before
	isCase    bool
	done      map[domain.ID]bool
	broken    map[domain.ID]bool
	accesses  *AccessRange // the range being read
	heads     int64        // number of head lines, including those of broken streams
	events    int64
	ended     bool
}

// expectedHead is a leaf of a head and the checkpoint before the one that recorded it.
type expectedHead struct {
	leaf   Leaf
	before Checkpoint
}

// streamFacts are the events of a stream and the rows that they are compared with.
type streamFacts struct {
	events  []*domain.Event
	present *StreamRows // nil until the line with the rows

	erasures ErasureCheck
}

func newExportVerifier(check ExportCheck) *exportVerifier {
	return &exportVerifier{check: check, logs: newLogVerifier(LogVerification{Keys: check.Keys}),
		expected: map[domain.ID][]expectedHead{}, rows: map[domain.ID][]Leaf{},
		approvals: newApprovalVerifier(), done: map[domain.ID]bool{}, broken: map[domain.ID]bool{}}
}

func (v *exportVerifier) header(line exportLine) error {
	v.report.Origin, v.report.Complete = line.Origin, line.Whole
	v.report.Signed = v.check.Keys.Origin() != ""
	if v.report.Signed && v.check.Keys.Origin() != line.Origin {
		return fmt.Errorf("the export is of log %q, the public key is of log %q", line.Origin,
			v.check.Keys.Origin())
	}
	return nil
}

func (v *exportVerifier) addLeaves(line exportLine) error {
	if v.events > 0 || v.heads > 0 {
		return errors.New("leaves follow an event")
	}
	for _, encoded := range line.Leaves {
		leaf, err := encoded.toLeaf()
		if err != nil {
			return err
		}
		v.leaves = append(v.leaves, leaf)
	}
	return nil
}

func (v *exportVerifier) checkpoint(line exportLine) error {
	if v.events > 0 || v.heads > 0 {
		return errors.New("a checkpoint follows an event")
	}
	before := v.logs.report.Newest
	if v.report.Signed {
		if err := v.logs.next(SealedCheckpoint{Note: []byte(line.Note), Leaves: v.leaves}); err != nil {
			return err
		}
	} else {
		v.logs.report.Checkpoints++
	}
	for _, leaf := range v.leaves {
		v.approvals.addLeaf(leaf, v.approvals.leaves)
		v.approvals.leaves++
		switch leaf.Kind {
		case LeafPasskey:
		case LeafAccess:
			v.access = append(v.access, leaf)
		case LeafHead:
			known := v.expected[leaf.Subject]
			if len(known) > 0 && known[len(known)-1].leaf.Seq >= leaf.Seq {
				return LeafBreak(leaf, fmt.Sprintf(
					"checkpoint %d records stream %s at an earlier event than the one before",
					v.logs.report.Checkpoints, leaf.Subject))
			}
			v.expected[leaf.Subject] = append(known, expectedHead{leaf, before})
		default:
			v.rows[leaf.Subject] = append(v.rows[leaf.Subject], leaf)
		}
	}
	v.leaves = nil
	return nil
}

// begin begins the verification of the stream of a line.
func (v *exportVerifier) begin(line exportLine) {
	v.stream, v.facts = &StreamVerifier{Stream: line.Stream}, &streamFacts{}
	v.isCase = line.Event != nil && line.Event.Type == domain.CaseSubmitted
}

// addEvent keeps what the rows of the stream are compared with.
func (v *exportVerifier) addEvent(event *domain.Event) {
	if len(event.Body) == 0 {
		v.report.Erased++
		if len(v.report.ErasedBodies) < maxErased {
			v.report.ErasedBodies = append(v.report.ErasedBodies,
				ErasedBody{event.Stream, event.Seq, event.Type})
		}
	}
	v.facts.erasures.Add(event)
	v.approvals.addEvent(event)
	v.facts.events = append(v.facts.events, event)
}

// compareEvent compares an event with the next head that a checkpoint recorded of its stream.
func (v *exportVerifier) compareEvent(event *domain.Event) error {
	expected := v.expected[event.Stream]
	before := v.logs.report.Newest
	if len(expected) > 0 {
		before = expected[0].before
	}
	if Backdated(before, event.At) {
		return BackdatedEvent(event.Stream, event.Seq, event.At, before)
	}
	if len(expected) == 0 || expected[0].leaf.Seq != event.Seq {
		return nil
	}
	if !bytes.Equal(expected[0].leaf.Hash, event.Hash) {
		return MissingLeaf(expected[0].leaf)
	}
	v.expected[event.Stream] = expected[1:]
	return nil
}

func (v *exportVerifier) addRows(line exportLine) error {
	if v.stream == nil && !v.done[line.Stream] {
		v.begin(line) // imported without events
	}
	if v.stream == nil || v.stream.Stream != line.Stream || line.Rows == nil {
		return &Break{Stream: line.Stream, Kind: BreakForeignEvent,
			Message: fmt.Sprintf("the rows of stream %s are in the wrong place", line.Stream)}
	}
	rows, err := line.Rows.toRows(line.Stream)
	if err != nil {
		return &Break{Stream: line.Stream, Kind: BreakAlteredRow, Message: err.Error()}
	}
	v.facts.present = rows
	return nil
}

// compareRows compares the rows of a stream with its events and with the checkpoints.
func (v *exportVerifier) compareRows(line exportLine) error {
	if v.facts != nil {
		if erased := v.facts.erasures.Problems(); len(erased) > 0 {
			return &Break{Stream: line.Stream, Seq: erased[0].Seq, Kind: BreakAlteredBody,
				Message: erased[0].Message}
		}
	}
	if v.facts == nil || v.facts.present == nil {
		if leaves := v.rows[line.Stream]; len(leaves) > 0 && v.report.Complete {
			return MissingLeaf(leaves[0])
		}
		return nil
	}
	if line.Seq == 0 {
		return nil // imported without events
	}
	v.report.Unrecorded += int64(len(v.facts.unrecordedReadings()))
	problems, err := CheckRows(line.Seq, v.facts.events, v.facts.present, v.rows[line.Stream])
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return &Break{Stream: line.Stream, Seq: problems[0].Seq, Kind: BreakAlteredRow,
			Message: problems[0].Message}
	}
	v.approvals.addDecisions(v.facts.present.Decisions)
	return nil
}

// CheckRows compares the rows of a case with its events up to the head and later, and with the
// leaves of the checkpoints.
func CheckRows(head int64, events []*domain.Event, rows *StreamRows, leaves []Leaf) ([]RowProblem,
	error) {
	assertions, derived := NewAssertionCheck(head), NewCaseCheck(head)
	for _, event := range events {
		assertions.Add(event)
		derived.Add(event)
	}
	problems := append(assertions.Problems(rows.Assertions, rows.Decisions),
		derived.Problems(rows.CaseRows)...)
	recorded, err := derived.LeafProblems(rows.CaseRows, leaves)
	return append(problems, recorded...), err
}

// addAccess compares lines of the access log with the ranges that the checkpoints recorded.
func (v *exportVerifier) addAccess(line exportLine) error {
	for _, encoded := range line.Access {
		access := encoded.toLine()
		v.report.Accesses++
		for len(v.access) > 0 && v.access[0].Until.Before(access.Position) {
			if err := v.closeAccess(); err != nil {
				return err
			}
		}
		if len(v.access) == 0 {
			continue // no checkpoint covers it yet
		}
		v.openAccess().Add(&access)
	}
	return nil
}

// openAccess returns the range being read.
func (v *exportVerifier) openAccess() *AccessRange {
	if v.accesses == nil {
		v.accesses = NewAccessRange(v.access[0].After)
	}
	return v.accesses
}

// closeAccess compares the range that was read with the recorded one. After a difference no range is
// compared any more.
func (v *exportVerifier) closeAccess() error {
	recorded := v.access[0]
	present := v.openAccess()
	present.Extend(recorded.Until)
	v.access, v.accesses = v.access[1:], nil
	leaf, _ := present.Leaf()
	if !bytes.Equal(leaf.Digest(), recorded.Digest()) {
		v.access = nil
		return MissingLeaf(recorded)
	}
	return nil
}

// endLog requires that nothing that the checkpoints recorded is missing from a complete export, and
// that every external checkpoint is in the log.
func (v *exportVerifier) endLog() error {
	if v.report.Complete {
		for _, stream := range slices.SortedFunc(maps.Keys(v.expected),
			domain.CompareIDs) {
			if !v.done[stream] && len(v.expected[stream]) > 0 {
				v.addBreak(*MissingLeaf(v.expected[stream][0].leaf))
			}
		}
		for len(v.access) > 0 {
			if err := v.closeAccess(); err != nil {
				return err
			}
		}
	}
	for _, found := range v.approvals.breaks(v.report.Complete) {
		v.addBreak(found)
	}
	v.report.Signatures = v.approvals.valid
	var err error
	if v.report.Signed {
		err = v.logs.compareExternal(v.check.External)
	}
	v.report.Log = v.logs.report
	return err
}

// LeafProblems compares rows with the leaves of their decisions and votes. A vote that an event
// revoked is not among the rows any more.
func (a *CaseCheck) LeafProblems(rows CaseRows, leaves []Leaf) ([]RowProblem, error) {
	var problems []RowProblem
	for _, leaf := range leaves {
		var hash []byte
		var err error
		switch leaf.Kind {
		case LeafDecision:
			at := slices.IndexFunc(rows.Decisions,
				func(d domain.Decision) bool { return d.ReviewID == leaf.Item })
			if at >= 0 {
				hash, err = DecisionHash(&rows.Decisions[at])
			}
		case LeafVote:
			at := slices.IndexFunc(rows.Votes, func(vote domain.Vote) bool {
				return vote.ReviewID == leaf.Item && vote.Person == leaf.Person && vote.Duty == leaf.Duty
			})
			if at < 0 && a.votes[voteKey{leaf.Duty, leaf.Person}] != leaf.Item {
				continue // revoked
			}
			if at >= 0 {
				hash = VoteHash(rows.Votes[at])
			}
		}
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(hash, leaf.Hash) {
			problems = append(problems, RowProblem{leaf.Seq, MissingLeaf(leaf).Message})
		}
	}
	return problems, nil
}
