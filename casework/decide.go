package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"countersign/domain"
	"countersign/events/generated"
)

// DecideReview asks for a verdict on a claimed review. Reason is owed for everything but an approval.
type DecideReview struct {
	OnReview
	Verdict domain.Verdict
	Reason  string
}

// DecideReview decides: the right is asked again on the locked rows, the evidence is frozen, the vote is written, and
// the process goes on, all in one transaction.
func (h *Hall) DecideReview(ctx context.Context, actor domain.Actor, in DecideReview) (Reviewed, error) {
	return onReview(ctx, h, actor, "decide", in.OnReview, in, func(c *command, review domain.Review) (Reviewed, error) {
		action := domain.ActDecide
		if in.Verdict == domain.Escalate {
			action = domain.ActEscalate
		}
		if review.Status == domain.ReviewDecided {
			if err := c.mayReview(domain.ActRead, review); err != nil {
				return Reviewed{}, err
			}
			return Reviewed{}, c.nameHolder(review, domain.Fail(domain.AlreadyDecided, "This review is already decided."))
		}
		if err := c.mayReview(action, review); err != nil {
			return Reviewed{}, c.nameHolder(review, err)
		}
		if err := expect(in.ExpectedVersion, ReviewVersion(review, c.before.FactsRevision)); err != nil {
			return Reviewed{}, err
		}
		reason, err := needReason(in.Reason, in.Verdict)
		if err != nil {
			return Reviewed{}, err
		}
		node, _ := c.def.Node(review.Node)
		return c.decide(review, in.Verdict, reason, node.Undo)
	})
}

// decide writes the verdict, which takes effect after the window in which it can be taken back.
func (c *command) decide(review domain.Review, verdict domain.Verdict, reason string, window time.Duration) (Reviewed, error) {
	evidence, fields, found, err := c.evidence()
	if err != nil {
		return Reviewed{}, err
	}
	decision := &domain.Decision{ID: domain.NewID(), CaseID: c.before.ID, ReviewID: review.ID, Actor: c.actor.UserID,
		OnBehalfOf: c.actor.OnBehalfOf, Verdict: verdict, Reason: reason, Evidence: evidence, At: c.now}
	c.change.Decision, c.why = decision, reason
	review.Status, review.DecidedAt = domain.ReviewDecided, c.now
	review = c.editReview(review)
	c.change.CancelSubjects = append(c.change.CancelSubjects, review.ID)
	encoded, err := domain.CanonicalJSON(evidence)
	if err != nil {
		return Reviewed{}, err
	}
	hash := sha256.Sum256(encoded)
	definition, revision := int64(evidence.DefinitionVersion), int64(evidence.DocumentRevision)
	c.tell(generated.ReviewDecidedV1{ReviewID: review.ID, Verdict: string(verdict), Reason: reason,
		Evidence: generated.ReviewDecidedV1Evidence{DefinitionVersion: &definition, DocumentRevision: &revision,
			DocumentSHA256: evidence.DocumentSHA256, EvidenceSHA256: hex.EncodeToString(hash[:]),
			FactsRevision: evidence.FactsRevision, PolicyVersion: evidence.PolicyVersion}})
	c.vote(review, verdict)
	return c.reviewed(review), c.takeEffect(review, verdict, window, processFacts(c.before, fields, found))
}

// vote writes one row for the actor and one for the person acted for; a return gives no vote, and which it makes fall the
// engine says.
func (c *command) vote(review domain.Review, verdict domain.Verdict) {
	if verdict == domain.Return {
		return
	}
	for _, person := range c.persons {
		c.change.Votes = append(c.change.Votes, domain.Vote{CaseID: c.before.ID, Duty: review.Duty, Person: person.ID, ReviewID: review.ID})
	}
}

// fell takes back the votes of every duty that has one that is meant.
func (c *command) fell(meant func(domain.Vote) bool, why string) error {
	bars, err := c.barsOf()
	if err != nil {
		return err
	}
	duties := map[string]bool{}
	for _, vote := range bars.Votes {
		if !meant(vote) {
			continue
		}
		if !duties[vote.Duty] {
			duties[vote.Duty] = true
			c.change.FallenDuties = append(c.change.FallenDuties, vote.Duty)
		}
		c.tell(generated.VoteFellV1{Duty: vote.Duty, Person: vote.Person, ReviewID: vote.ReviewID, Why: why})
	}
	return nil
}

// evidence freezes what the reviewer had before their eyes.
func (c *command) evidence() (domain.Evidence, []domain.Field, map[string][]domain.Finding, error) {
	document, err := c.tx.Document(c.ctx, c.before.ID)
	if err != nil {
		return domain.Evidence{}, nil, nil, err
	}
	fieldRows, err := c.tx.Fields(c.ctx, c.before.ID)
	if err != nil {
		return domain.Evidence{}, nil, nil, err
	}
	findingRows, err := c.tx.Findings(c.ctx, c.before.ID)
	if err != nil {
		return domain.Evidence{}, nil, nil, err
	}
	evidence := domain.Evidence{DocumentSHA256: hex.EncodeToString(document.SHA256), DocumentRevision: document.Revision,
		FactsRevision: c.before.FactsRevision, Fields: map[string]string{}, Findings: []string{}, BaseMinor: c.before.BaseMinor,
		Risk: c.before.Risk, PolicyVersion: c.held.policy, DefinitionKey: c.def.Key, DefinitionVersion: c.def.Version}
	if c.before.AmountKnown {
		evidence.Amount = c.before.Amount.String()
	}
	for _, row := range fieldRows {
		evidence.Fields[row.Name] = row.Normalised
	}
	for _, row := range findingRows {
		evidence.Findings = append(evidence.Findings, row.Rule)
	}
	return evidence, plainFields(fieldRows), byStage(findingRows), nil
}
