package audit

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"countersign/domain"
)

// AssertionCheck compares the rows of a case that its events refer to by hash with these events:
// the sets of assertions, and the evidence of decisions. The events of the case are added in order,
// to the newest; the rows must have been read before the events.
type AssertionCheck struct {
	sets      map[string]assertedBy // by the hash of the set
	order     []string              // hashes in the order of their events
	evidence  map[domain.ID]frozen  // by review
	unhashed  []time.Time           // times of external stages of earlier programs
	erased    bool                  // some body is erased, so that its hashes are unknown
	listed    bool                  // an erasure lists the hashes of what it erased
	emptied   map[string]bool       // the hashes that it lists
	committed int64                 // seq up to which rows must exist
}

// assertedBy is what an event says about a set of assertions that it added.
type assertedBy struct {
	seq      int64
	kind     domain.EventType
	actor    domain.ID
	revision int64 // 0 if the event does not say it
	// inherited is what the event of a submission says about the set; nil if it is none that the case inherits.
	inherited *inheritedSet
	// lists says that the event has such a list, which those of earlier programs have not.
	lists bool
}

// inheritedSet is who stated a set of assertions about another case, and when.
type inheritedSet struct {
	Assertions string             `json:"assertions"`
	Source     domain.FieldSource `json:"source"`
	By         domain.ID          `json:"by"`
	At         time.Time          `json:"at"`
	Revision   int64              `json:"revision"`
}

func (i *inheritedSet) fits(set *domain.AssertionSet) bool {
	return i.Source == set.Source && i.By == set.By && i.Revision == set.Revision &&
		set.DocumentRevision == 0 &&
		i.At.Truncate(time.Microsecond).Equal(set.At)
}

// frozen is what an event says about the evidence of a decision.
type frozen struct {
	seq  int64
	hash string
}

// NewAssertionCheck returns a check of the rows that events up to committed refer to.
func NewAssertionCheck(committed int64) *AssertionCheck {
	return &AssertionCheck{sets: map[string]assertedBy{}, evidence: map[domain.ID]frozen{},
		emptied: map[string]bool{}, committed: committed}
}

// eventHashes are the properties of event bodies that contain hashes.
type eventHashes struct {
	Assertions    []string       `json:"assertions"`
	FactsRevision int64          `json:"factsRevision"`
	Inherited     []inheritedSet `json:"inherited"`
	Behaviour     string         `json:"behaviour"`
	ReviewID      domain.ID      `json:"reviewId"`
	Summary       struct {
		Assertions []string `json:"assertions"`
	} `json:"summary"`
	Evidence struct {
		EvidenceSHA256 string `json:"evidenceSha256"`
	} `json:"evidence"`
}

// inheritedBy returns what the event says about the set with the hash, nil if it inherits none such.
func (e *eventHashes) inheritedBy(hash string) *inheritedSet {
	at := slices.IndexFunc(e.Inherited, func(i inheritedSet) bool { return i.Assertions == hash })
	if at < 0 {
		return nil
	}
	return &e.Inherited[at]
}

// Add adds the next event of the case, whose chain is verified separately.
func (a *AssertionCheck) Add(event *domain.Event) {
	switch event.Type {
	case domain.CaseSubmitted, domain.StageCompleted, domain.FieldsCorrected,
		domain.LineItemsCorrected, domain.ReviewDecidedEvent, domain.ReviewRepairedEvent,
		domain.VoteCast, domain.VoteDisclosed:
	case domain.CaseErased:
		a.addErasure(event)
		return
	default:
		return
	}
	var body eventHashes
	if json.Unmarshal(event.Body, &body) != nil {
		a.erased = true
		return
	}
	switch event.Type {
	case domain.ReviewDecidedEvent, domain.ReviewRepairedEvent, domain.VoteCast:
		a.evidence[body.ReviewID] = frozen{event.Seq, body.Evidence.EvidenceSHA256}
		return
	case domain.VoteDisclosed: // of the evidence at the time of the vote
		a.evidence[body.ReviewID] = frozen{a.evidence[body.ReviewID].seq, body.Evidence.EvidenceSHA256}
		return
	}
	hashes := append(body.Assertions, body.Summary.Assertions...)
	for _, hash := range hashes {
		a.sets[hash] = assertedBy{seq: event.Seq, kind: event.Type, actor: event.Actor,
			revision: body.FactsRevision, inherited: body.inheritedBy(hash), lists: len(body.Inherited) > 0}
		a.order = append(a.order, hash)
	}
	if event.Type == domain.StageCompleted && len(hashes) == 0 {
		a.unhashed = append(a.unhashed, event.At)
	}
}

// addErasure adds the hashes of the sets that were erased.
func (a *AssertionCheck) addErasure(event *domain.Event) {
	var body erasedBody
	if json.Unmarshal(event.Body, &body) != nil {
		return
	}
	a.erased, a.listed = true, true
	for _, hash := range body.Assertions {
		a.emptied[hash] = true
		if _, known := a.sets[hash]; !known {
			a.sets[hash] = assertedBy{seq: event.Seq, kind: event.Type}
			a.order = append(a.order, hash)
		}
	}
}

// RowProblem is a row that does not match the events; Seq is the event, 0 if there is none.
type RowProblem struct {
	Seq     int64
	Message string
}

// Problems returns the rows that were changed, deleted or added, and the decisions whose evidence
// does not match.
func (a *AssertionCheck) Problems(sets []domain.AssertionSet,
	decisions []domain.Decision) []RowProblem {
	var problems []RowProblem
	found := map[string]bool{}
	for i := range sets {
		hash := hex.EncodeToString(sets[i].Hash)
		if fault := a.faultOf(&sets[i], hash, found[hash]); fault != "" {
			problems = append(problems, RowProblem{a.sets[hash].seq, fmt.Sprintf(
				"the %s assertions of revision %d %s", sets[i].Source, sets[i].Revision, fault)})
		}
		found[hash] = true
	}
	for _, hash := range a.order {
		if by := a.sets[hash]; !found[hash] && by.seq <= a.committed {
			problems = append(problems, RowProblem{by.seq, fmt.Sprintf(
				"the assertions that event %d (%s) added are missing", by.seq, by.kind)})
		}
	}
	for i := range decisions {
		if fault, seq := a.evidenceFault(&decisions[i]); fault != "" {
			problems = append(problems, RowProblem{seq, fmt.Sprintf(
				"the evidence of the decision on review %s %s", decisions[i].ReviewID, fault)})
		}
	}
	return problems
}

// faultOf returns what is wrong with a set of assertions, "" if nothing is.
func (a *AssertionCheck) faultOf(set *domain.AssertionSet, hash string, again bool) string {
	by, known := a.sets[hash]
	computed := BodyHash(set.Salt, set.Body)
	switch {
	case len(set.Body) > 0 && !bytes.Equal(computed[:], set.Hash):
		return "were changed: their content does not match their hash"
	case len(set.Body) == 0 && !a.emptied[hash]:
		return "were erased, but no event records an erasure"
	case again:
		return "were added: no event mentions them a second time"
	case !known && a.unhashedExternal(set):
		return ""
	case !known && (a.listed || !a.erased):
		return "were added or changed: no event mentions their hash"
	case known && !by.fits(set):
		return fmt.Sprintf("were changed: their source, person or revision differs from event %d",
			by.seq)
	}
	return ""
}

// unhashedExternal reports whether the set is of an external stage whose event has no hashes,
// because an earlier program wrote it.
func (a *AssertionCheck) unhashedExternal(set *domain.AssertionSet) bool {
	return set.Source == domain.SourceExternal &&
		slices.ContainsFunc(a.unhashed, func(at time.Time) bool { return at.Equal(set.At) })
}

// fits reports whether the columns beside the assertions match the event.
func (by assertedBy) fits(set *domain.AssertionSet) bool {
	switch by.kind {
	case domain.CaseErased:
		return true
	case domain.CaseSubmitted:
		if by.inherited != nil {
			return by.inherited.fits(set)
		}
		return set.Source == domain.SourceDeclared || !by.lists && isInherited(set)
	case domain.FieldsCorrected, domain.LineItemsCorrected:
		return set.Source == domain.SourceHuman && set.By == by.actor &&
			set.Revision == by.revision
	}
	return set.Source != domain.SourceDeclared && set.Source != domain.SourceHuman
}

// isInherited reports whether the set repeats what was asserted about another case: the file of a part, or
// the archived case of a correction. It keeps the source and the person of that case.
func isInherited(set *domain.AssertionSet) bool {
	return len(set.Assertions) > 0 && !slices.ContainsFunc(set.Assertions,
		func(a domain.Assertion) bool { return a.InheritedFrom == domain.NoID })
}

// evidenceFault returns what is wrong with the frozen evidence of a decision, "" if nothing is: its
// hash must be that of the event, and its assertions must be exactly those made before the event.
func (a *AssertionCheck) evidenceFault(decision *domain.Decision) (fault string, seq int64) {
	if decision.Erased != nil || decision.HiddenHash != nil {
		return "", 0 // CaseCheck compares it with the event of the erasure or of the vote
	}
	event, known := a.evidence[decision.ReviewID]
	hash, err := EvidenceHash(decision.Evidence)
	switch {
	case !known && a.erased:
		return "", 0
	case !known:
		return "is not mentioned by any event", 0
	case err != nil || hash != event.hash:
		return "was changed: it does not match the hash in its event", event.seq
	case decision.Evidence.Assertions == nil || a.erased:
		return "", event.seq
	}
	var before []string
	for _, hash := range a.order {
		if a.sets[hash].seq < event.seq {
			before = append(before, hash)
		}
	}
	frozen := slices.Sorted(slices.Values(decision.Evidence.Assertions))
	slices.Sort(before)
	if !slices.Equal(frozen, before) {
		return "does not list the assertions that were made before it", event.seq
	}
	return "", event.seq
}
