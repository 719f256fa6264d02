package casework

import (
	"context"
	"fmt"
	"math"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// processPublishable are the process definitions as a publishable.
type processPublishable struct{ svc *Service }

func (processPublishable) kind() domain.ProposalKind { return domain.ProposeProcess }

func (processPublishable) stream(key string) domain.SystemStream { return domain.DefinitionStream(key) }

func (processPublishable) parseKey(document string) (string, validationResult) {
	def, problems := workflow.Check([]byte(document))
	if len(problems) > 0 {
		return "", refusedDefinition(problems)
	}
	return def.Key, validationResult{}
}

// refusedDefinition is a text with problems.
func refusedDefinition(problems []workflow.Problem) validationResult {
	err := domain.Errorf(domain.UnsoundDefinition, "The definition is refused: %s", problems[0])
	if more := len(problems) - 1; more > 0 {
		err.Message += fmt.Sprintf(" (and %d more)", more)
	}
	err.Field = "document"
	return validationResult{Report: ValidationReport{Problems: problems}, Refusal: err.WithRemedy("Correct the definition and check it again.")}
}

func (processPublishable) withVersion(document string, version int) string {
	return string(workflow.WithVersion([]byte(document), version))
}

func (p processPublishable) validate(ctx context.Context, r store.Reader, document string) (validationResult, error) {
	checked, err := p.svc.checkProcess(ctx, r, document)
	if err != nil {
		return validationResult{}, err
	}
	if len(checked.Report.Problems) > 0 {
		refused := refusedDefinition(checked.Report.Problems)
		refused.Report = checked.Report
		return refused, nil
	}
	judged := validationResult{Report: checked.Report, key: checked.Definition.Key, version: checked.Definition.Version}
	if short := checked.Report.Understaffed; len(short) > 0 {
		judged.Caution = "There are not enough people for every way: " + short[0].String() + "."
	}
	return judged, nil
}

func (processPublishable) newestVersion(ctx context.Context, r store.Reader, key string) (int, error) {
	return r.NewestDefinition(ctx, key)
}

func (processPublishable) document(ctx context.Context, r store.Reader, key string, version int) (string, error) {
	row, err := r.Definition(ctx, key, version)
	return row.Document, err
}

func (processPublishable) publish(ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID) (bool, error) {
	def, err := workflow.Parse([]byte(p.Document))
	if err != nil {
		return false, err
	}
	return tx.PublishDefinition(ctx, store.NewDefinition{Key: p.Key, Version: p.Base + 1, Document: p.Document,
		HasAmount: def.HasAmount, By: by, Proposal: p.ID})
}

// ProposeProcess asks that a process definition become the next version of its key.
func (svc *Service) ProposeProcess(ctx context.Context, actor domain.Actor, in Propose) (ProposalResult, error) {
	return svc.propose(ctx, actor, processPublishable{svc}, in, 0)
}

// RestoreProcess proposes an earlier version of a process as its newest.
func (svc *Service) RestoreProcess(ctx context.Context, actor domain.Actor, in Restore) (ProposalResult, error) {
	return svc.restore(ctx, actor, processPublishable{svc}, in)
}

// PublishProcess publishes another administrator's proposal: new cases take it, running ones keep theirs.
func (svc *Service) PublishProcess(ctx context.Context, actor domain.Actor, in EndProposal) (ProposalResult, error) {
	return svc.publish(ctx, actor, processPublishable{svc}, in)
}

// WithdrawProcess ends a proposal without publishing it.
func (svc *Service) WithdrawProcess(ctx context.Context, actor domain.Actor, in EndProposal) (ProposalResult, error) {
	return svc.withdraw(ctx, actor, processPublishable{svc}, in)
}

// CheckedProcess is a process definition as an editor is told of it. Definition is nil while it does not parse.
type CheckedProcess struct {
	Definition *workflow.Definition
	Report     ValidationReport
}

// CheckProcess parses and proves a text and asks whether there are enough people, without keeping anything.
func (svc *Service) CheckProcess(ctx context.Context, actor domain.Actor, document string) (CheckedProcess, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return CheckedProcess{}, err
	}
	return svc.checkProcess(ctx, svc.db.Reader(), document)
}

func (svc *Service) checkProcess(ctx context.Context, r store.Reader, document string) (CheckedProcess, error) {
	def, problems := workflow.Check([]byte(document))
	if len(problems) > 0 {
		return CheckedProcess{Report: ValidationReport{Problems: problems}}, nil
	}
	checked := CheckedProcess{Definition: def}
	proof := workflow.Verify(def)
	checked.Report = ValidationReport{Markings: proof.Markings, Problems: proof.Problems, Warnings: proof.Warnings}
	checked.Report.Problems = append(checked.Report.Problems, def.UncoveredOutcomes(svc.processors.outcomes)...)
	if len(checked.Report.Problems) > 0 {
		return checked, nil
	}
	authorizer, err := svc.Authorizer(ctx)
	if err != nil {
		return checked, err
	}
	people, err := r.Users(ctx, nil)
	if err != nil {
		return checked, err
	}
	short, large := findUnderstaffed(def, authorizer, people)
	checked.Report.Understaffed = short
	checked.Report.Warnings = append(checked.Report.Warnings, large...)
	unknownFindings, err := svc.unknownFindingsOfProcess(ctx, r, def)
	if err != nil {
		return checked, err
	}
	checked.Report.Warnings = append(checked.Report.Warnings, unknownFindings...)
	return checked, nil
}

// maxCheckedSubmitters bounds for how many people it is asked what would be missing if the document were theirs.
const maxCheckedSubmitters = 100

// findUnderstaffed asks whether there are enough distinct people for every way, whatever the document type: short for small
// amounts already, large only where limits matter.
func findUnderstaffed(def *workflow.Definition, authorizer *authz.Authority, people []domain.User) (short, large []workflow.Problem) {
	if len(def.Reviews()) == 0 {
		return nil, nil
	}
	seating := workflow.AnalyzeStaffing(def)
	for _, documentType := range def.Types() {
		able := eligibleDeciders(def, authorizer, people, documentType, 0)
		if short = seating.Understaffed(able(domain.NoID)); len(short) > 0 {
			return short, nil
		}
		for _, submitter := range decidingSubmitters(def, authorizer, people, able) {
			if short = seating.Understaffed(able(submitter.ID)); len(short) > 0 {
				for i := range short {
					short[i].Message += fmt.Sprintf(" when the document is %s's own", submitter.Name)
				}
				return short, nil
			}
		}
		if def.HasAmount && len(large) == 0 {
			large = seating.Understaffed(eligibleDeciders(def, authorizer, people, documentType, math.MaxInt64)(domain.NoID))
			for i := range large {
				large[i].Rule = "understaffed_large"
				large[i].Message += "; this holds for amounts above the limits of the others"
			}
		}
	}
	return nil, large
}

// eligibleDeciders lists, per review node, who may decide there on an amount, leaving one person out.
func eligibleDeciders(def *workflow.Definition, authorizer *authz.Authority, people []domain.User, documentType string, base int64) func(domain.ID) func(*workflow.Node) []domain.ID {
	known := map[string][]domain.ID{}
	for _, node := range def.Reviews() {
		for _, person := range people {
			facts := domain.ReviewFacts{Queue: node.Queue, Level: node.Level, Duty: node.Duty, Status: domain.ReviewClaimed, Assignee: person.ID,
				ClaimActive: true, DocumentType: documentType, CaseStatus: domain.InReview, AmountKnown: true, HasAmount: def.HasAmount}
			if def.HasAmount {
				facts.BaseMinor = base
			}
			if _, err := authorizer.Authorize(person, domain.ActDecide, facts); err == nil {
				known[node.ID] = append(known[node.ID], person.ID)
			}
		}
	}
	return func(without domain.ID) func(*workflow.Node) []domain.ID {
		return func(node *workflow.Node) []domain.ID {
			kept := make([]domain.ID, 0, len(known[node.ID]))
			for _, id := range known[node.ID] {
				if id != without {
					kept = append(kept, id)
				}
			}
			return kept
		}
	}
}

// decidingSubmitters are the people who may both submit and decide: a document of theirs has one decider less.
func decidingSubmitters(def *workflow.Definition, authorizer *authz.Authority, people []domain.User, able func(domain.ID) func(*workflow.Node) []domain.ID) []domain.User {
	deciders := map[domain.ID]bool{}
	for _, node := range def.Reviews() {
		for _, id := range able(domain.NoID)(node) {
			deciders[id] = true
		}
	}
	var both []domain.User
	for _, person := range people {
		if _, err := authorizer.AuthorizeGlobal(person, domain.ActSubmit); err == nil && deciders[person.ID] && len(both) < maxCheckedSubmitters {
			both = append(both, person)
		}
	}
	return both
}
