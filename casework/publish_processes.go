package casework

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"countersign/authz"
	"countersign/bpmn"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// processPublishable implements publishable for process definitions.
type processPublishable struct{ svc *Service }

func (processPublishable) kind() domain.ProposalKind { return domain.ProposeProcess }

func (processPublishable) stream(key string) domain.SystemStream {
	return domain.DefinitionStream(key)
}

func (p processPublishable) complete(
	ctx context.Context, r store.Reader, document string,
) (string, validationResult, error) {
	recorded, problems, err := recordCalls(ctx, r, document)
	if err != nil || len(problems) == 0 {
		return recorded, validationResult{}, err
	}
	return document, refusedDefinition(problems), nil
}

// recordCalls returns the text of a process with the newest published versions of those that it calls.
func recordCalls(
	ctx context.Context, r store.Reader, document string,
) (string, []workflow.Problem, error) {
	recorded, problems, err := workflow.Record([]byte(document),
		func(process string) (int, string, error) { return r.NewestDefinitionText(ctx, process) })
	return string(recorded), problems, err
}

func (processPublishable) parseKey(document string) (string, validationResult) {
	def, problems := workflow.Check([]byte(document))
	if len(problems) > 0 {
		return "", refusedDefinition(problems)
	}
	return def.Key, validationResult{}
}

// refusedDefinition returns the refusal of a text with problems.
func refusedDefinition(problems []workflow.Problem) validationResult {
	err := domain.Errorf(domain.UnsoundDefinition, "The definition was refused: %s", problems[0])
	if more := len(problems) - 1; more > 0 {
		err.Message += fmt.Sprintf(" (and %d more)", more)
	}
	err.Field = "document"
	return validationResult{Report: ValidationReport{Problems: problems}, Refusal: err.
		WithRemedy("Correct the definition and check it again.")}
}

func (processPublishable) withVersion(document string, version int) string {
	return string(workflow.WithVersion([]byte(document), version))
}

func (p processPublishable) validate(
	ctx context.Context, r store.Reader, document string,
) (validationResult, error) {
	checked, err := p.svc.checkProcess(ctx, r, document)
	if err != nil {
		return validationResult{}, err
	}
	if len(checked.Report.Problems) > 0 {
		refused := refusedDefinition(checked.Report.Problems)
		refused.Report = checked.Report
		return refused, nil
	}
	result := validationResult{Report: checked.Report, key: checked.Definition.Key,
		version: checked.Definition.Version}
	var cautions []string // each, because one confirmation is of all
	if short := checked.Report.Understaffed; len(short) > 0 {
		cautions = append(cautions, "There are not enough reviewers for every path: "+short[0].String()+".")
	}
	for _, one := range workflow.Cautions(checked.Definition) {
		sentence := one.Message
		if len(one.Path) > 0 {
			sentence += " Route: " + strings.Join(one.Path, ", ") + "."
		}
		cautions = append(cautions, sentence)
	}
	result.Caution = strings.Join(cautions, " ")
	return result, nil
}

func (processPublishable) newestVersion(
	ctx context.Context, r store.Reader, key string,
) (int, error) {
	return r.NewestDefinition(ctx, key)
}

func (processPublishable) document(
	ctx context.Context, r store.Reader, key string, version int,
) (string, error) {
	row, err := r.Definition(ctx, key, version)
	return row.Document, err
}

func (processPublishable) publish(
	ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID,
) (bool, error) {
	def, err := workflow.Parse([]byte(p.Document))
	if err != nil {
		return false, err
	}
	return tx.PublishDefinition(ctx,
		store.NewDefinition{Key: p.Key, Version: p.Base + 1, Document: p.Document,
			HasAmount:     def.HasAmount,
			RequiresOrder: def.RequiresOrder(), By: by, Proposal: p.ID})
}

// ProposeProcess proposes a process definition as the next version of its key.
func (svc *Service) ProposeProcess(
	ctx context.Context, actor domain.Actor, in Propose,
) (ProposalResult, error) {
	return svc.propose(ctx, actor, processPublishable{svc}, in, 0)
}

// RestoreProcess proposes an earlier version of a process as the next one.
func (svc *Service) RestoreProcess(
	ctx context.Context, actor domain.Actor, in Restore,
) (ProposalResult, error) {
	return svc.restore(ctx, actor, processPublishable{svc}, in)
}

// PublishProcess publishes another administrator's proposal. New cases use it; running cases keep
// their version.
func (svc *Service) PublishProcess(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ProposalResult, error) {
	return svc.publish(ctx, actor, processPublishable{svc}, in)
}

// WithdrawProcess ends a proposal without publishing it.
func (svc *Service) WithdrawProcess(
	ctx context.Context, actor domain.Actor, in EndProposal,
) (ProposalResult, error) {
	return svc.withdraw(ctx, actor, processPublishable{svc}, in)
}

// CheckedProcess is the result of checking a process definition. Definition is nil if the text does
// not parse.
type CheckedProcess struct {
	Definition *workflow.Definition
	Report     ValidationReport
}

// CheckProcess parses and verifies a definition and checks its staffing, without storing it.
func (svc *Service) CheckProcess(
	ctx context.Context, actor domain.Actor, document string,
) (CheckedProcess, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return CheckedProcess{}, err
	}
	recorded, problems, err := recordCalls(ctx, svc.db.Reader(), document)
	if err != nil || len(problems) > 0 {
		return CheckedProcess{Report: ValidationReport{Problems: problems}}, err
	}
	return svc.checkProcess(ctx, svc.db.Reader(), recorded)
}

// ImportBPMN reads a BPMN file as the text of a definition, without storing it.
func (svc *Service) ImportBPMN(
	ctx context.Context, actor domain.Actor, file string,
) (bpmn.Imported, error) {
	if err := svc.authorizePublishing(ctx, actor); err != nil {
		return bpmn.Imported{}, err
	}
	return bpmn.Import([]byte(file)), nil
}

func (svc *Service) checkProcess(
	ctx context.Context, r store.Reader, document string,
) (CheckedProcess, error) {
	def, problems := workflow.Check([]byte(document))
	if len(problems) > 0 {
		return CheckedProcess{Report: ValidationReport{Problems: problems}}, nil
	}
	checked := CheckedProcess{Definition: def}
	proof := workflow.Verify(def)
	checked.Report = ValidationReport{Markings: proof.Markings, Problems: proof.Problems,
		Warnings: proof.Warnings}
	checked.Report.Problems = append(checked.Report.Problems,
		def.UncoveredOutcomes(svc.processors.outcomes)...)
	checked.Report.Problems = append(checked.Report.Problems,
		def.UnknownQueues(domain.WorkQueues())...)
	if def.RequiresOrder() && len(def.DocumentTypes) > 0 &&
		!slices.Contains(def.DocumentTypes, OrderDocumentType) {
		checked.Report.Problems = append(checked.Report.Problems, workflow.Problem{Rule: "order",
			Message: fmt.Sprintf("A process that requires a payment order must accept the "+
				"document type %s, which orders have.", OrderDocumentType)})
	}
	ofCalls, err := callableProblem(ctx, r, def)
	if err != nil {
		return checked, err
	}
	checked.Report.Problems = append(checked.Report.Problems, ofCalls...)
	ofTypes, err := svc.typeProblemsOfProcess(ctx, r, def)
	if err != nil {
		return checked, err
	}
	checked.Report.Problems = append(checked.Report.Problems, ofTypes...)
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
	found := findUnderstaffed(def, authorizer, people)
	checked.Report.Understaffed = found.short
	checked.Report.Warnings = append(checked.Report.Warnings,
		slices.Concat(found.large, found.second)...)
	unknownFindings, err := svc.unknownFindingsOfProcess(ctx, r, def)
	if err != nil {
		return checked, err
	}
	unpublished, err := unpublishedTypes(ctx, r, def)
	if err != nil {
		return checked, err
	}
	checked.Report.Warnings = append(checked.Report.Warnings, slices.Concat(unknownFindings, unpublished)...)
	return checked, nil
}

// callableProblem refuses to make a process callable that has cases of its own, and the reverse.
func callableProblem(
	ctx context.Context, r store.Reader, def *workflow.Definition,
) ([]workflow.Problem, error) {
	version, document, err := r.NewestDefinitionText(ctx, def.Key)
	if err != nil || version == 0 {
		return nil, err
	}
	before, unreadable := workflow.Parse([]byte(document))
	if unreadable != nil || before.Callable == def.Callable {
		return nil, nil
	}
	return []workflow.Problem{{Rule: "callable", Message: "The versions of a process are all callable, " +
		"or none is. Give the process another key."}}, nil
}

// maxCheckedSubmitters bounds the number of people for whom staffing is checked without them, as
// the document's submitters.
const maxCheckedSubmitters = 100

// understaffed are the paths through a process that lack reviewers.
type understaffed struct {
	short  []workflow.Problem // even for small amounts
	large  []workflow.Problem // only above the limits
	second []workflow.Problem // only if something needs a second person
}

// findUnderstaffed checks for every document type whether each path has enough distinct reviewers.
func findUnderstaffed(
	def *workflow.Definition, authorizer *authz.Authority, people []domain.User,
) (found understaffed) {
	if len(def.Reviews()) == 0 {
		return found
	}
	staffing := workflow.AnalyzeStaffing(def)
	for _, documentType := range def.Types() {
		deciders := eligibleDeciders(def, authorizer, people, documentType, 0)
		submitters := decidingSubmitters(def, authorizer, people, deciders)
		check := func(
			lacking func(func(*workflow.Node) []domain.ID) []workflow.Problem,
		) []workflow.Problem {
			return lackingWithout(lacking, deciders, submitters)
		}
		if short := check(staffing.Understaffed); len(short) > 0 {
			return understaffed{short: short}
		}
		if len(found.second) == 0 {
			found.second = check(staffing.WithoutSecondPerson)
		}
		if def.HasAmount && len(found.large) == 0 {
			found.large = staffing.Understaffed(eligibleDeciders(def, authorizer, people,
				documentType, math.MaxInt64)(domain.NoID))
			for i := range found.large {
				found.large[i].Rule = "understaffed_large"
				found.large[i].Message += " This applies to amounts above the limits of the others."
			}
		}
	}
	return found
}

// lackingWithout checks the deciders, and those without each of the submitters.
func lackingWithout(
	lacking func(func(*workflow.Node) []domain.ID) []workflow.Problem,
	deciders func(domain.ID) func(*workflow.Node) []domain.ID, submitters []domain.User,
) []workflow.Problem {
	if found := lacking(deciders(domain.NoID)); len(found) > 0 {
		return found
	}
	for _, submitter := range submitters {
		found := lacking(deciders(submitter.ID))
		for i := range found {
			found[i].Message += fmt.Sprintf(" when %s submits the document", submitter.Name)
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// eligibleDeciders returns, per review node, the people who may decide on an amount there,
// excluding one person.
func eligibleDeciders(
	def *workflow.Definition, authorizer *authz.Authority, people []domain.User,
	documentType string, base int64,
) func(domain.ID) func(*workflow.Node) []domain.ID {
	eligible := map[string][]domain.ID{}
	for _, node := range def.Reviews() {
		for _, person := range people {
			facts := domain.ReviewFacts{Queue: node.Queue, Level: node.Level, Duty: node.Duty,
				Status: domain.ReviewClaimed, Assignee: person.ID, ClaimActive: true,
				DocumentType: documentType, CaseStatus: domain.InReview, AmountKnown: true,
				HasAmount: def.LimitsApply(node.Duty)}
			if facts.HasAmount {
				facts.BaseMinor = base
			}
			if _, err := authorizer.Authorize(person, domain.ActDecide, facts); err == nil {
				eligible[node.ID] = append(eligible[node.ID], person.ID)
			}
		}
	}
	return func(without domain.ID) func(*workflow.Node) []domain.ID {
		return func(node *workflow.Node) []domain.ID {
			remaining := make([]domain.ID, 0, len(eligible[node.ID]))
			for _, id := range eligible[node.ID] {
				if id != without {
					remaining = append(remaining, id)
				}
			}
			return remaining
		}
	}
}

// decidingSubmitters returns the people who may both submit and decide, because a document of
// theirs has one decider fewer.
func decidingSubmitters(
	def *workflow.Definition, authorizer *authz.Authority, people []domain.User,
	eligible func(domain.ID) func(*workflow.Node) []domain.ID,
) []domain.User {
	deciders := map[domain.ID]bool{}
	for _, node := range def.Reviews() {
		for _, id := range eligible(domain.NoID)(node) {
			deciders[id] = true
		}
	}
	var both []domain.User
	for _, person := range people {
		if _, err := authorizer.AuthorizeGlobal(person, domain.ActSubmit); err == nil &&
			deciders[person.ID] && len(both) < maxCheckedSubmitters {
			both = append(both, person)
		}
	}
	return both
}
