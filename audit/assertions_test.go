package audit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/domain"
)

var (
	submitter = domain.ID{21}
	corrector = domain.ID{22}
	decidedIn = domain.ID{23} // the review
)

// The sets of the history, in the order of their rows.
const (
	declaredSet = iota
	readSet
	correctedSet
	externalSet // its event is of an earlier program and has no hashes
	laterSet    // read after the decision
)

// assertionHistory is a case with every kind of event that adds assertions, and the rows.
type assertionHistory struct {
	events    []*domain.Event
	sets      []domain.AssertionSet
	decisions []domain.Decision
	committed int64
}

func newAssertionHistory(t *testing.T) *assertionHistory {
	t.Helper()
	h := &assertionHistory{committed: 6}
	for n, source := range []domain.FieldSource{domain.SourceDeclared, domain.SourceXML,
		domain.SourceHuman, domain.SourceExternal, domain.SourceExternal} {
		h.sets = append(h.sets, setOf(source, fmt.Sprintf(`[{"field":"total","value":"%d.00"}]`, n)))
	}
	h.sets[declaredSet].By, h.sets[correctedSet].By = submitter, corrector
	h.sets[correctedSet].Revision = 2
	h.sets[externalSet].At, h.sets[laterSet].At = timeOfEvent(5), timeOfEvent(6)
	h.decisions = []domain.Decision{{ReviewID: decidedIn, Actor: corrector, Evidence: domain.Evidence{
		Risk: 30, Assertions: h.hashes(declaredSet, readSet, correctedSet)}}}
	h.add(domain.CaseSubmitted, submitter, `{"assertions":%s}`, h.hashes(declaredSet))
	h.add(domain.StageCompleted, domain.SystemUserID, `{"summary":{"assertions":%s}}`, h.hashes(readSet))
	h.add(domain.FieldsCorrected, corrector, `{"factsRevision":2,"assertions":%s}`,
		h.hashes(correctedSet))
	h.add(domain.ReviewDecidedEvent, corrector, "")
	h.freeze(t)
	h.add(domain.StageCompleted, domain.SystemUserID, `{"summary":{}}`)
	h.add(domain.StageCompleted, domain.SystemUserID, `{"assertions":%s}`, h.hashes(laterSet))
	return h
}

func setOf(source domain.FieldSource, body string) domain.AssertionSet {
	set := domain.AssertionSet{Source: source, Revision: 1, At: timeOfEvent(2), Body: []byte(body),
		Salt: []byte("0123456789abcdef")}
	hash := BodyHash(set.Salt, set.Body)
	set.Hash = hash[:]
	return set
}

func timeOfEvent(seq int64) time.Time { return time.UnixMicro(1_700_000_000_000_000 + seq).UTC() }

func (h *assertionHistory) hashes(sets ...int) []string {
	var hashes []string
	for _, n := range sets {
		hashes = append(hashes, hex.EncodeToString(h.sets[n].Hash))
	}
	return hashes
}

func (h *assertionHistory) add(kind domain.EventType, actor domain.ID, format string, lists ...[]string) {
	var args []any
	for _, list := range lists {
		text, _ := json.Marshal(list)
		args = append(args, text)
	}
	seq := int64(len(h.events) + 1)
	h.events = append(h.events, &domain.Event{Seq: seq, Type: kind, Actor: actor, At: timeOfEvent(seq),
		Body: fmt.Appendf(nil, format, args...)})
}

// freeze writes the hash of the evidence into the event of the decision.
func (h *assertionHistory) freeze(t *testing.T) {
	t.Helper()
	hash, err := EvidenceHash(h.decisions[0].Evidence)
	if err != nil {
		t.Fatal(err)
	}
	h.events[3].Body = fmt.Appendf(nil, `{"reviewId":"%s","evidence":{"evidenceSha256":"%s"}}`, decidedIn,
		hash)
}

func (h *assertionHistory) problems() []string {
	check := NewAssertionCheck(h.committed)
	for _, event := range h.events {
		check.Add(event)
	}
	var found []string
	for _, problem := range check.Problems(h.sets, h.decisions) {
		found = append(found, fmt.Sprint(problem.Seq, ": ", problem.Message))
	}
	return found
}

// erase erases the bodies of the events, the sets and the decision, and adds the event that lists them.
func (h *assertionHistory) erase(t *testing.T) {
	t.Helper()
	for _, event := range h.events {
		event.Body = nil
	}
	h.add(domain.CaseErased, domain.ID{24}, `{"assertions":%s}`,
		h.hashes(declaredSet, readSet, correctedSet, externalSet, laterSet))
	for i := range h.sets {
		h.sets[i].Body, h.sets[i].Salt = nil, nil
	}
	h.committed = 7
	erased, err := EraseDecision(h.decisions[0])
	if err != nil {
		t.Fatal(err)
	}
	h.decisions[0] = erased
}

type assertionChange struct {
	change func(*testing.T, *assertionHistory)
	want   []string // the beginnings and ends of the problems, "…" between
}

// check compares the problems after each change.
func checkAssertions(t *testing.T, erased bool, changes map[string]assertionChange) {
	t.Helper()
	for what, tc := range changes {
		h := newAssertionHistory(t)
		if erased {
			h.erase(t)
		}
		if tc.change != nil {
			tc.change(t, h)
		}
		if found := h.problems(); !matchProblems(found, tc.want) {
			t.Errorf("%s: %q, want %q", what, found, tc.want)
		}
	}
}

func matchProblems(found, want []string) bool {
	return slices.EqualFunc(found, want, func(message, pattern string) bool {
		begin, end, _ := strings.Cut(pattern, "…")
		return strings.HasPrefix(message, begin) && strings.HasSuffix(message, end)
	})
}

func with(change func(h *assertionHistory)) func(*testing.T, *assertionHistory) {
	return func(_ *testing.T, h *assertionHistory) { change(h) }
}

// Every row that no event explains is found, and named with its event.
func TestAssertionRows(t *testing.T) {
	t.Parallel()
	differs := func(seq int) []string {
		return []string{fmt.Sprintf("%d: …source, person or revision differs from event %d", seq, seq)}
	}
	source := func(n int, source domain.FieldSource) func(*testing.T, *assertionHistory) {
		return with(func(h *assertionHistory) { h.sets[n].Source = source })
	}
	added := func(change func(*domain.AssertionSet)) func(*testing.T, *assertionHistory) {
		return with(func(h *assertionHistory) {
			set := setOf(domain.SourceExternal, `[{"field":"iban"}]`)
			set.At = timeOfEvent(5)
			change(&set)
			h.sets = append(h.sets, set)
		})
	}
	unmentioned := []string{"0: …were added or changed: no event mentions their hash"}
	checkAssertions(t, false, map[string]assertionChange{
		"nothing": {},
		"another content": {with(func(h *assertionHistory) { h.sets[readSet].Body = []byte("[]") }),
			[]string{"2: …their content does not match their hash"}},
		"no content": {with(func(h *assertionHistory) { h.sets[readSet].Body = nil }),
			[]string{"2: …were erased, but no event records an erasure"}},
		"a set twice": {with(func(h *assertionHistory) { h.sets = append(h.sets, h.sets[readSet]) }),
			[]string{"2: …no event mentions them a second time"}},
		"a set less": {with(func(h *assertionHistory) { h.sets = slices.Delete(h.sets, readSet, readSet+1) }),
			[]string{"2: the assertions that event 2 (stage.completed) added are missing"}},
		"later sets are not written yet": {with(func(h *assertionHistory) {
			h.sets, h.committed = h.sets[:readSet+1], 2
		}), nil},
		"a set of the committed event is missing": {with(func(h *assertionHistory) {
			h.sets, h.committed = h.sets[:readSet], 2
		}), []string{"2: …are missing"}},
		"one more set of the stage without hashes": {added(func(*domain.AssertionSet) {}), nil},
		"a reading at its time": {added(func(s *domain.AssertionSet) { s.Source = domain.SourceXML }),
			unmentioned},
		"a set at another time": {added(func(s *domain.AssertionSet) { s.At = timeOfEvent(4) }),
			unmentioned},
		"a set at the time of a stage with hashes": {added(func(s *domain.AssertionSet) {
			s.At = timeOfEvent(6)
		}), unmentioned},
		"a declaration that was read":        {source(declaredSet, domain.SourceXML), differs(1)},
		"a reading that was declared":        {source(readSet, domain.SourceDeclared), differs(2)},
		"a reading that a person made":       {source(readSet, domain.SourceHuman), differs(2)},
		"a correction that a program made":   {source(correctedSet, domain.SourceXML), differs(3)},
		"a correction by another person":     {with(func(h *assertionHistory) { h.sets[correctedSet].By = submitter }), differs(3)},
		"a correction with another revision": {with(func(h *assertionHistory) { h.sets[correctedSet].Revision = 3 }), differs(3)},
	})
}

// The evidence of a decision is that of its event, and lists all assertions made before.
func TestEvidenceRows(t *testing.T) {
	t.Parallel()
	frozen := func(change func(*domain.Evidence)) func(*testing.T, *assertionHistory) {
		return func(t *testing.T, h *assertionHistory) {
			t.Helper()
			change(&h.decisions[0].Evidence)
			h.freeze(t)
		}
	}
	of := fmt.Sprintf("the evidence of the decision on review %s ", decidedIn)
	checkAssertions(t, false, map[string]assertionChange{
		"another risk": {with(func(h *assertionHistory) { h.decisions[0].Evidence.Risk++ }),
			[]string{"4: " + of + "was changed: it does not match the hash in its event"}},
		"another review": {with(func(h *assertionHistory) { h.decisions[0].ReviewID = submitter }),
			[]string{"0: …is not mentioned by any event"}},
		"an event without the assertion before": {frozen(func(e *domain.Evidence) {
			e.Assertions = e.Assertions[1:]
		}), []string{"4: " + of + "does not list the assertions that were made before it"}},
		"an event with a later assertion": {func(t *testing.T, h *assertionHistory) {
			t.Helper()
			h.decisions[0].Evidence.Assertions = h.hashes(declaredSet, readSet, correctedSet, laterSet)
			h.freeze(t)
		}, []string{"4: …does not list the assertions that were made before it"}},
		"the assertions in another order": {frozen(func(e *domain.Evidence) {
			slices.Reverse(e.Assertions)
		}), nil},
		"evidence of an earlier program, which lists none": {frozen(func(e *domain.Evidence) {
			e.Assertions = nil
		}), nil},
		"a decision whose event is erased": {with(func(h *assertionHistory) { h.events[3].Body = nil }), nil},
		"an unknown decision while an event is erased": {with(func(h *assertionHistory) {
			h.events[1].Body, h.decisions[0].ReviewID = nil, submitter
		}), nil},
		"another risk while an event is erased": {with(func(h *assertionHistory) {
			h.events[1].Body = nil
			h.decisions[0].Evidence.Risk++
		}), []string{"4: " + of + "was changed: it does not match the hash in its event"}},
		"an erased event before it": {with(func(h *assertionHistory) { h.events[1].Body = nil }), nil},
	})
}

// The event of an erasure explains the sets that it lists, and no others.
func TestErasedAssertionRows(t *testing.T) {
	t.Parallel()
	checkAssertions(t, true, map[string]assertionChange{
		"nothing": {},
		"a set more": {with(func(h *assertionHistory) {
			h.sets = append(h.sets, setOf(domain.SourceXML, "[]"))
		}), []string{"0: …no event mentions their hash"}},
		"another hash": {with(func(h *assertionHistory) { h.sets[readSet].Hash = make([]byte, 32) }),
			[]string{"0: …were erased, but no event records an erasure",
				"7: the assertions that event 7 (case.erased) added are missing"}},
		"a set less": {with(func(h *assertionHistory) { h.sets = h.sets[1:] }),
			[]string{"7: the assertions that event 7 (case.erased) added are missing"}},
		"a content that came back changed": {with(func(h *assertionHistory) {
			h.sets[readSet].Body = []byte("[]")
		}), []string{"7: …their content does not match their hash"}},
		"an unreadable event of the erasure": {with(func(h *assertionHistory) {
			h.events[6].Body = []byte("[]")
		}), slices.Repeat([]string{"0: …were erased, but no event records an erasure"}, 5)},
		// The bodies of the events may hide the hash. Their erasure is reported itself.
		"no event of the erasure": {with(func(h *assertionHistory) {
			h.events, h.sets = h.events[:6], []domain.AssertionSet{setOf(domain.SourceXML, "[]")}
		}), nil},
		"an event that is not erased": {with(func(h *assertionHistory) {
			h.events[2].Body = fmt.Appendf(nil, `{"factsRevision":2,"assertions":[%q]}`,
				h.hashes(correctedSet)[0])
			h.sets[correctedSet].By = submitter
		}), []string{"3: …source, person or revision differs from event 3"}},
	})
}
