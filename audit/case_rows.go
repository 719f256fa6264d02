package audit

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"countersign/domain"
)

// CaseRows are the rows of a case that are derived from its events.
type CaseRows struct {
	Status    domain.Status
	Marking   string // canonical JSON
	Decisions []domain.Decision
	Votes     []domain.Vote
	// Attributes are what the submitter stated; an erasure removes them.
	Attributes []domain.Attribute
	Supporting []domain.SupportingDocument
	Readings   []domain.SupportingReading
}

// CaseCheck computes from the events of a case which decisions, votes and status it must have. The
// events are added in order, to the newest. The rows must have been read after the head and before
// the events; what is later than the head may be among them.
type CaseCheck struct {
	head    int64
	erased  bool // some body is erased, so that its decisions and votes are unknown
	erasure *recordedErasure
	duties  map[domain.ID]string
	decided map[domain.ID]decidedEvent // by review
	votes   map[voteKey]domain.ID      // review by vote, at present
	present map[voteKey]domain.ID      // the same at the head
	allowed map[voteKey][]domain.ID    // reviews of votes at the head or later
	status  domain.Status              // after the event of the head
	marking string
	// attributes are those of the submission, if its body is not erased.
	submitted  bool
	attributes []domain.Attribute
	supporting supportingCheck
}

type voteKey struct {
	duty   string
	person domain.ID
}

type decidedEvent struct {
	seq               int64
	actor, onBehalfOf domain.ID
	verdict, reason   string
	signature         string // its hash; "" without one
	vote              string // the hash of a hidden vote in the event that it was cast; "" of others
	disclosed         bool
}

// NewCaseCheck returns a check of the rows of a case whose head is at the given event.
func NewCaseCheck(head int64) *CaseCheck {
	return &CaseCheck{head: head, duties: map[domain.ID]string{},
		decided: map[domain.ID]decidedEvent{}, votes: map[voteKey]domain.ID{},
		allowed: map[voteKey][]domain.ID{}}
}

// reviewBody are the properties of the events about reviews and votes.
type reviewBody struct {
	ReviewID domain.ID `json:"reviewId"`
	Duty     string    `json:"duty"`
	Person   domain.ID `json:"person"`
	Verdict  string    `json:"verdict"`
	Reason   string    `json:"reason"`

	Signature struct {
		SHA256 string `json:"signatureSha256"`
	} `json:"signature"`
	DecisionSHA256 string `json:"decisionSha256"`
}

// recordedErasure is what the event of an erasure says about the rows.
type recordedErasure struct {
	seq       int64
	decisions map[domain.ID]erasedDecision // by review
	votes     map[voteKey]erasedVote
}

func (a *CaseCheck) addErasure(event *domain.Event) {
	var body erasedBody
	if json.Unmarshal(event.Body, &body) != nil {
		return
	}
	a.erasure = &recordedErasure{event.Seq, map[domain.ID]erasedDecision{},
		map[voteKey]erasedVote{}}
	for _, decision := range body.Decisions {
		a.erasure.decisions[decision.ReviewID] = decision
	}
	for _, vote := range body.Votes {
		a.erasure.votes[voteKey{vote.Duty, vote.Person}] = vote
	}
}

// Add adds the next event of the case, whose chain is verified separately.
func (a *CaseCheck) Add(event *domain.Event) {
	switch event.Type {
	case domain.CaseSubmitted:
		var body struct {
			Attributes []domain.Attribute `json:"attributes"`
		}
		a.submitted = json.Unmarshal(event.Body, &body) == nil
		a.attributes = body.Attributes
	case domain.DocumentAdded:
		a.supporting.add(event)
	case domain.DocumentRead:
		a.supporting.addReading(event)
	case domain.CaseErased:
		a.addErasure(event)
		a.supporting.addErasure(event)
	case domain.ReviewOpened, domain.ReviewDecidedEvent, domain.ReviewRepairedEvent,
		domain.VoteRevoked, domain.VoteCast, domain.VoteDisclosed:
		var body reviewBody
		if json.Unmarshal(event.Body, &body) != nil {
			a.erased = true
			break
		}
		a.addReview(event, body)
	}
	if event.Seq == a.head {
		a.status, a.marking, a.present = event.StatusAfter, event.MarkingAfter, maps.Clone(a.votes)
		for key, review := range a.votes {
			a.allowed[key] = append(a.allowed[key], review)
		}
	}
}

func (a *CaseCheck) addReview(event *domain.Event, body reviewBody) {
	switch event.Type {
	case domain.ReviewOpened:
		a.duties[body.ReviewID] = body.Duty
	case domain.VoteRevoked:
		delete(a.votes, voteKey{body.Duty, body.Person})
	case domain.VoteDisclosed:
		decided := a.decided[body.ReviewID]
		decided.verdict, decided.reason, decided.signature = body.Verdict, body.Reason,
			body.Signature.SHA256
		decided.disclosed = true
		a.decided[body.ReviewID] = decided
	case domain.ReviewRepairedEvent:
		a.decided[body.ReviewID] = decidedEvent{seq: event.Seq, actor: event.Actor,
			onBehalfOf: event.OnBehalfOf, verdict: string(domain.Repaired)}
	case domain.ReviewDecidedEvent, domain.VoteCast:
		a.decided[body.ReviewID] = decidedEvent{seq: event.Seq, actor: event.Actor,
			onBehalfOf: event.OnBehalfOf, verdict: body.Verdict, reason: body.Reason,
			signature: body.Signature.SHA256, vote: body.DecisionSHA256}
		duty := a.duties[body.ReviewID]
		if domain.Verdict(body.Verdict) == domain.Return || duty == domain.DutyRepair {
			return
		}
		for _, person := range []domain.ID{event.Actor, event.OnBehalfOf} {
			if person == domain.NoID {
				continue
			}
			key := voteKey{duty, person}
			a.votes[key] = body.ReviewID
			if event.Seq > a.head {
				a.allowed[key] = append(a.allowed[key], body.ReviewID)
			}
		}
	}
}

// Problems returns the rows that were changed, deleted or added.
func (a *CaseCheck) Problems(rows CaseRows) []RowProblem {
	var problems []RowProblem
	if a.status != rows.Status {
		problems = append(problems, RowProblem{a.head, fmt.Sprintf(
			"the status of the case is %s, but by event %d it is %s", rows.Status, a.head, a.status)})
	}
	if a.marking != rows.Marking {
		problems = append(problems, RowProblem{a.head, fmt.Sprintf(
			"the marking of the case is not the one after event %d", a.head)})
	}
	if !a.hasAttributes(rows.Attributes) {
		problems = append(problems, RowProblem{1,
			"the attributes of the case are not those that were stated at its submission"})
	}
	problems = append(problems, a.supporting.problems(rows.Supporting, a.head)...)
	problems = append(problems, a.supporting.readingProblems(rows.Readings, a.head)...)
	if a.erasure != nil {
		return append(problems, a.erasureProblems(rows)...)
	}
	for i := range rows.Decisions {
		if rows.Decisions[i].Erased != nil {
			problems = append(problems, RowProblem{0, fmt.Sprintf(
				"the decision on review %s was erased, but no event records an erasure",
				rows.Decisions[i].ReviewID)})
		}
	}
	for _, vote := range rows.Votes {
		if erasedVoteHash(vote) != "" {
			problems = append(problems, RowProblem{0, fmt.Sprintf(
				"the vote of %s for %s was erased, but no event records an erasure", vote.Person,
				vote.Duty)})
		}
	}
	if a.erased {
		return problems
	}
	return append(append(problems, a.decisionProblems(rows.Decisions)...),
		a.voteProblems(rows.Votes)...)
}

// hasAttributes reports whether the attributes of the row are those of the submission. An erasure removes
// them from both.
func (a *CaseCheck) hasAttributes(row []domain.Attribute) bool {
	switch {
	case a.erasure != nil:
		return len(row) == 0 || a.erasure.seq > a.head
	case a.submitted:
		return slices.Equal(row, a.attributes)
	}
	return true
}

// erasureProblems compares the rows of an erased case with the event of the erasure.
func (a *CaseCheck) erasureProblems(rows CaseRows) []RowProblem {
	var problems []RowProblem
	add := func(format string, args ...any) {
		problems = append(problems, RowProblem{a.erasure.seq, fmt.Sprintf(format, args...)})
	}
	found := map[domain.ID]bool{}
	for i := range rows.Decisions {
		d := &rows.Decisions[i]
		found[d.ReviewID] = true
		recorded, known := a.erasure.decisions[d.ReviewID]
		hash, err := DecisionHash(d)
		switch {
		case !known:
			add("the decision on review %s was added: the erasure does not mention it", d.ReviewID)
		case err != nil || recorded != (erasedDecision{d.ReviewID, d.Actor, d.OnBehalfOf, d.Verdict,
			hex.EncodeToString(hash)}):
			add("the decision on review %s was changed: it is not the one that was erased", d.ReviewID)
		}
	}
	for review := range a.erasure.decisions {
		if !found[review] {
			add("the decision on review %s is missing", review)
		}
	}
	present := map[voteKey]bool{}
	for _, vote := range rows.Votes {
		key := voteKey{vote.Duty, vote.Person}
		present[key] = true
		if a.erasure.votes[key] != (erasedVote{vote.ReviewID, vote.Duty, vote.Person,
			hex.EncodeToString(VoteHash(vote))}) {
			add("the vote of %s for %s was added or changed: the erasure does not mention it", vote.Person,
				vote.Duty)
		}
	}
	for key := range a.erasure.votes {
		if !present[key] {
			add("the vote of %s for %s is missing", key.person, key.duty)
		}
	}
	slices.SortFunc(problems, func(x, y RowProblem) int { return cmp.Compare(x.Message, y.Message) })
	return problems
}

func (a *CaseCheck) decisionProblems(decisions []domain.Decision) []RowProblem {
	var problems []RowProblem
	found := map[domain.ID]bool{}
	for i := range decisions {
		d := &decisions[i]
		event, known := a.decided[d.ReviewID]
		switch {
		case !known:
			problems = append(problems, RowProblem{0, fmt.Sprintf(
				"the decision on review %s was added: no event mentions it", d.ReviewID)})
		case event.vote != "" && event.vote != decisionHash(d):
			problems = append(problems, RowProblem{event.seq, fmt.Sprintf(
				"the vote in review %s was changed: it is not the one that was cast in event %d",
				d.ReviewID, event.seq)})
		case d.HiddenHash != nil && event.vote != "" && event.disclosed:
			problems = append(problems, RowProblem{event.seq, fmt.Sprintf(
				"the vote in review %s is hidden, but an event discloses it", d.ReviewID)})
		case d.HiddenHash != nil && event.vote != "" && event.actor == d.Actor &&
			event.onBehalfOf == d.OnBehalfOf:
		case event.vote != "" && !event.disclosed:
			problems = append(problems, RowProblem{event.seq, fmt.Sprintf(
				"the hidden vote in review %s is shown, but no event discloses it", d.ReviewID)})
		case event.actor != d.Actor || event.onBehalfOf != d.OnBehalfOf ||
			event.verdict != string(d.Verdict) ||
			event.reason != d.Reason && d.Verdict != domain.Repaired: // whose event has no reason
			problems = append(problems, RowProblem{event.seq, fmt.Sprintf(
				"the decision on review %s was changed: person, verdict or reason differs from event %d",
				d.ReviewID, event.seq)})
		case event.signature != signatureOf(d):
			problems = append(problems, RowProblem{event.seq, fmt.Sprintf(
				"the signature of the decision on review %s was changed: it is not the one of event %d",
				d.ReviewID, event.seq)})
		}
		found[d.ReviewID] = true
	}
	for review, event := range a.decided {
		if !found[review] && event.seq <= a.head {
			problems = append(problems, RowProblem{event.seq, fmt.Sprintf(
				"the decision on review %s is missing", review)})
		}
	}
	slices.SortFunc(problems, func(x, y RowProblem) int { return cmp.Compare(x.Seq, y.Seq) })
	return problems
}

// decisionHash returns the hash of a decision in hex.
func decisionHash(d *domain.Decision) string {
	hash, err := DecisionHash(d)
	if err != nil {
		return err.Error() // which no event has
	}
	return hex.EncodeToString(hash)
}

// signatureOf returns the hash of the signature of a decision, "" without one.
func signatureOf(d *domain.Decision) string {
	if d.Signature == nil {
		return ""
	}
	hash, err := SignatureHash(d.Signature)
	if err != nil {
		return err.Error() // which no event has
	}
	return hash
}

func (a *CaseCheck) voteProblems(votes []domain.Vote) []RowProblem {
	var problems []RowProblem
	found := map[voteKey]bool{}
	for _, vote := range votes {
		key := voteKey{vote.Duty, vote.Person}
		found[key] = true
		if !slices.Contains(a.allowed[key], vote.ReviewID) {
			problems = append(problems, RowProblem{a.decided[vote.ReviewID].seq, fmt.Sprintf(
				"the vote of %s for %s was added or changed: no event gives it", vote.Person, vote.Duty)})
		}
	}
	for key, review := range a.present {
		if a.votes[key] == review && !found[key] {
			problems = append(problems, RowProblem{a.decided[review].seq, fmt.Sprintf(
				"the vote of %s for %s is missing", key.person, key.duty)})
		}
	}
	slices.SortFunc(problems, func(x, y RowProblem) int { return cmp.Compare(x.Seq, y.Seq) })
	return problems
}
