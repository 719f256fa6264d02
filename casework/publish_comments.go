package casework

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// AddComment asks to comment on a proposal.
type AddComment struct {
	Once
	ProposalID domain.ID
	Part       string // node of the process or rule of the rule set; "" = the whole text
	Text       string
}

// ResolveComment asks to resolve a comment.
type ResolveComment struct {
	Once
	CommentID domain.ID
}

// publishableOf returns the kind of versioned text that a proposal changes.
func (svc *Service) publishableOf(kind domain.ProposalKind) (publishable, error) {
	for _, s := range []publishable{processPublishable{svc}, ruleSetPublishable{svc: svc},
		policyPublishable{svc: svc}, documentTypePublishable{svc: svc}} {
		if s.kind() == kind {
			return s, nil
		}
	}
	return nil, domain.Errorf(domain.NotFound, "The proposal was not found.")
}

// ProposalStream returns the stream of the text that a proposal changes.
func ProposalStream(p domain.Proposal) (domain.SystemStream, error) {
	s, err := (&Service{}).publishableOf(p.Kind)
	if err != nil {
		return domain.SystemStream{}, err
	}
	return s.stream(p.Key), nil
}

// ProposalParts returns what a comment on a text can be about: nodes of a process, rules of a rule set.
func ProposalParts(kind domain.ProposalKind, document string) []string {
	var parts []string
	switch kind {
	case domain.ProposeProcess:
		if def, problems := workflow.Check([]byte(document)); len(problems) == 0 {
			for _, node := range def.Nodes {
				parts = append(parts, node.ID)
			}
		}
	case domain.ProposeRuleSet:
		if set, problems := rules.CheckPublished([]byte(document)); len(problems) == 0 {
			for _, rule := range set.Rules {
				parts = append(parts, rule.ID)
			}
		}
	}
	return parts
}

// AddComment adds a comment to an open proposal. It does not change the proposed text.
func (svc *Service) AddComment(ctx context.Context, actor domain.Actor, in AddComment) (
	ProposalResult, error) {
	const operation = "comment on a proposal"
	result, err := svc.tryComment(ctx, actor, operation, in)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

func (svc *Service) tryComment(ctx context.Context, actor domain.Actor, operation string, in AddComment,
) (ProposalResult, error) {
	proposal, s, err := svc.discussed(ctx, actor, in.ProposalID)
	if err != nil {
		return ProposalResult{}, err
	}
	comment, err := newComment(proposal, actor, in)
	if err != nil {
		return ProposalResult{}, err
	}
	result := resultOf(proposal)
	result.CommentID = comment.ID
	err = svc.runDiscussion(ctx, actor, s, proposal,
		workSpec{operation: operation, once: in.Once, request: in}, &result,
		func(tx *store.Tx) ([]events.Body, error) {
			if _, err := svc.lockOpenProposal(ctx, tx, EndProposal{ProposalID: proposal.ID}); err != nil {
				return nil, err
			}
			if err := checkCommentCounts(ctx, tx, comment); err != nil {
				return nil, err
			}
			return []events.Body{generated.ProposalCommentedV1{ProposalID: proposal.ID,
				CommentID: comment.ID, SHA256: sha256Hex(proposal.Document), Part: comment.Part,
				Text: comment.Text}}, tx.InsertComment(ctx, comment)
		})
	return result, err
}

// discussed reads a proposal that the actor may discuss: with the right to publish, or as an owner whose
// approval it needs. For others the refusal is the same whether it exists or not.
func (svc *Service) discussed(ctx context.Context, actor domain.Actor, id domain.ID) (
	proposal domain.Proposal, s publishable, err error) {
	refusal := svc.authorizePublishing(ctx, actor)
	if refusal != nil && (!domain.HasCode(refusal, domain.NotPermitted) || actor.System ||
		actor.OnBehalfOf != domain.NoID || !actor.InScope(domain.ActPublish, domain.ActDecide)) {
		return proposal, nil, refusal
	}
	if proposal, err = svc.db.Reader().Proposal(ctx, id); err == nil {
		s, err = svc.publishableOf(proposal.Kind)
	}
	if refusal != nil && err == nil {
		_, err = svc.ownedBy(ctx, svc.db.Reader(), proposal, actor)
	}
	if refusal != nil && domain.HasCode(err, domain.NotFound) {
		err = refusal
	}
	return proposal, s, err
}

// runDiscussion runs a command about a proposal that the actor may discuss.
func (svc *Service) runDiscussion(ctx context.Context, actor domain.Actor, s publishable,
	proposal domain.Proposal, spec workSpec, result *ProposalResult,
	fn func(*store.Tx) ([]events.Body, error)) error {
	spec.stream, spec.result = s.stream(proposal.Key), result
	spec.authorize = func(w *unitOfWork) error {
		if mayPublish(w) == nil {
			return nil
		}
		_, err := svc.ownedBy(ctx, w.tx.Reader, proposal, actor)
		return err
	}
	return svc.runOnKey(ctx, actor, s, spec, result, fn)
}

func resultOf(p domain.Proposal) ProposalResult {
	return ProposalResult{ProposalID: p.ID, Kind: p.Kind, Key: p.Key, Version: p.Base + 1}
}

func newComment(proposal domain.Proposal, actor domain.Actor, in AddComment) (
	domain.ProposalComment, error) {
	comment := domain.ProposalComment{ID: domain.NewID(), ProposalID: proposal.ID,
		Author: actor.UserID, Part: in.Part}
	if err := domain.CheckText("text", in.Text); err != nil {
		return comment, err
	}
	if comment.Text = domain.CleanNote(in.Text); comment.Text == "" {
		return comment, domain.Invalid("text", "Enter the text of the comment.")
	}
	if domain.Longer(comment.Text, domain.MaxNoteText) {
		return comment, tooLong("text", domain.MaxNoteText)
	}
	if in.Part != "" && !slices.Contains(ProposalParts(proposal.Kind, proposal.Document), in.Part) {
		return comment, domain.Invalid("part", "The proposed text has no %q.", in.Part)
	}
	return comment, nil
}

// checkCommentCounts bounds comments like notes, so that no one floods others with notices.
func checkCommentCounts(ctx context.Context, tx *store.Tx, comment domain.ProposalComment) error {
	onText, written, err := tx.CountComments(ctx, comment.ProposalID, comment.Author, notePeriod)
	switch {
	case err != nil:
		return err
	case onText >= domain.MaxProposalComments:
		return domain.Errorf(domain.StateMismatch, "A proposal has at most %d comments.",
			domain.MaxProposalComments)
	case written >= maxNotesWritten:
		return tooManyNotes("You can write at most %d comments in %d minutes.", maxNotesWritten)
	}
	return nil
}

// ResolveComment resolves a comment on a proposal. domain.ProposalComment.ResolvableBy says who may.
func (svc *Service) ResolveComment(ctx context.Context, actor domain.Actor, in ResolveComment) (
	ProposalResult, error) {
	const operation = "resolve a comment"
	result, err := svc.tryResolve(ctx, actor, operation, in)
	if err != nil {
		svc.logRefusal(ctx, actor, operation, domain.NoID, err)
	}
	return result, err
}

func (svc *Service) tryResolve(ctx context.Context, actor domain.Actor, operation string,
	in ResolveComment) (ProposalResult, error) {
	found, err := svc.db.Reader().ProposalComment(ctx, in.CommentID)
	if err != nil && !domain.HasCode(err, domain.NotFound) {
		return ProposalResult{}, err
	}
	proposal, s, err := svc.discussed(ctx, actor, found.ProposalID)
	if err != nil {
		return ProposalResult{}, err
	}
	result := resultOf(proposal)
	result.CommentID = found.ID
	err = svc.runDiscussion(ctx, actor, s, proposal,
		workSpec{operation: operation, once: in.Once, request: in}, &result,
		func(tx *store.Tx) ([]events.Body, error) {
			comment, err := tx.ProposalComment(ctx, found.ID) // again, under the lock of the key
			if err != nil {
				return nil, err
			}
			if err := checkResolvable(ctx, tx, comment, proposal, actor.UserID); err != nil {
				return nil, err
			}
			return []events.Body{generated.ProposalCommentResolvedV1{ProposalID: proposal.ID,
				CommentID: comment.ID}}, tx.ResolveComment(ctx, comment.ID, actor.UserID)
		})
	return result, err
}

func checkResolvable(ctx context.Context, tx *store.Tx, comment domain.ProposalComment,
	of domain.Proposal, person domain.ID) error {
	if comment.Resolved() || comment.Status == domain.ProposalPublished {
		return domain.Errorf(domain.StateMismatch, "The comment is already resolved, or its text published.")
	}
	if comment.ResolvableBy(person, of) {
		return nil
	}
	open, err := tx.Proposals(ctx, store.ProposalQuery{Kinds: []domain.ProposalKind{of.Kind},
		Key: of.Key, Status: domain.ProposalOpen, Limit: maxOpenTexts})
	if err != nil || slices.ContainsFunc(open, func(present domain.Proposal) bool {
		return comment.ResolvableBy(person, present)
	}) {
		return err
	}
	return domain.Errorf(domain.NotPermitted,
		"Only its author and the person who proposes the text can resolve a comment.")
}

// maxOpenTexts is how many open proposals of a key are examined.
const maxOpenTexts = 50

// confirmUnresolved refuses to publish a proposal with unresolved comments that the actor did not
// confirm. A general confirmation does not suffice, because it would cover comments that were written
// after the actor read the others.
func confirmUnresolved(ctx context.Context, tx *store.Tx, p domain.Proposal, in EndProposal) error {
	comments, err := tx.ProposalComments(ctx, p)
	if err != nil {
		return err
	}
	var ids, named []string
	for _, comment := range domain.UnresolvedComments(comments) {
		if slices.Contains(in.Unresolved, comment.ID) {
			continue
		}
		author, err := tx.User(ctx, comment.Author)
		if err != nil {
			return err
		}
		ids = append(ids, comment.ID.String())
		named = append(named, fmt.Sprintf("%s: “%s”", author.Name, firstLine(comment.Text)))
	}
	if len(named) == 0 {
		return nil
	}
	const shown = 3
	text := strings.Join(named[:min(len(named), shown)], "; ")
	if more := len(named) - shown; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return domain.Errorf(domain.ConfirmationNeeded, "There are unresolved comments. %s", text).
		WithRemedy("Resolve them, or confirm to publish anyway.").
		WithDetail("unresolved", strings.Join(ids, ","))
}

// firstLine returns the beginning of a text.
func firstLine(text string) string {
	const length = 120
	line, _, more := strings.Cut(text, "\n")
	if runes := []rune(line); len(runes) > length {
		return string(runes[:length]) + "…"
	}
	if more {
		line += "…"
	}
	return line
}
