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

// processes are the process definitions as a subject.
type processes struct{ hall *Hall }

func (processes) kind() domain.ProposalKind { return domain.ProposeProcess }

func (processes) stream(key string) domain.SystemStream { return domain.DefinitionStream(key) }

func (processes) keyOf(document string) (string, judgedText) {
	def, problems := workflow.Check([]byte(document))
	if len(problems) > 0 {
		return "", refusedText(problems)
	}
	return def.Key, judgedText{}
}

// refusedText is a text with problems.
func refusedText(problems []workflow.Problem) judgedText {
	err := domain.Fail(domain.UnsoundDefinition, "The definition is refused: %s", problems[0])
	if more := len(problems) - 1; more > 0 {
		err.Message += fmt.Sprintf(" (and %d more)", more)
	}
	err.Field = "document"
	return judgedText{Report: Report{Problems: problems}, Refusal: err.WithWayOut("Correct the definition and check it again.")}
}

func (processes) withVersion(document string, version int) string {
	return string(workflow.WithVersion([]byte(document), version))
}

func (p processes) judge(ctx context.Context, r store.Reader, document string) (judgedText, error) {
	checked, err := p.hall.checkProcess(ctx, r, document)
	if err != nil {
		return judgedText{}, err
	}
	if len(checked.Report.Problems) > 0 {
		refused := refusedText(checked.Report.Problems)
		refused.Report = checked.Report
		return refused, nil
	}
	judged := judgedText{Report: checked.Report, of: checked.Definition.Key, authored: checked.Definition.Version}
	if short := checked.Report.Understaffed; len(short) > 0 {
		judged.Caution = "There are not enough people for every way: " + short[0].String() + "."
	}
	return judged, nil
}

func (processes) newest(ctx context.Context, r store.Reader, key string) (int, error) {
	return r.NewestDefinition(ctx, key)
}

func (processes) text(ctx context.Context, r store.Reader, key string, version int) (string, error) {
	row, err := r.Definition(ctx, key, version)
	return row.Document, err
}

func (processes) put(ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID) (bool, error) {
	def, err := workflow.Parse([]byte(p.Document))
	if err != nil {
		return false, err
	}
	return tx.PublishDefinition(ctx, store.PublishedDefinition{Key: p.Key, Version: p.Base + 1, Document: p.Document,
		HasAmount: def.HasAmount, By: by, Proposal: p.ID})
}

// ProposeProcess asks that a process definition become the next version of its key.
func (h *Hall) ProposeProcess(ctx context.Context, actor domain.Actor, in Propose) (Proposed, error) {
	return h.propose(ctx, actor, processes{h}, in, 0)
}

// RestoreProcess proposes an earlier version of a process as its newest.
func (h *Hall) RestoreProcess(ctx context.Context, actor domain.Actor, in Restore) (Proposed, error) {
	return h.restore(ctx, actor, processes{h}, in)
}

// PublishProcess publishes another administrator's proposal: new cases take it, running ones keep theirs.
func (h *Hall) PublishProcess(ctx context.Context, actor domain.Actor, in EndProposal) (Proposed, error) {
	return h.publish(ctx, actor, processes{h}, in)
}

// WithdrawProcess ends a proposal without publishing it.
func (h *Hall) WithdrawProcess(ctx context.Context, actor domain.Actor, in EndProposal) (Proposed, error) {
	return h.withdraw(ctx, actor, processes{h}, in)
}

// CheckedProcess is a process definition as an editor is told of it. Definition is nil while it does not parse.
type CheckedProcess struct {
	Definition *workflow.Definition
	Report     Report
}

// CheckProcess parses and proves a text and asks whether there are enough people, without keeping anything.
func (h *Hall) CheckProcess(ctx context.Context, actor domain.Actor, document string) (CheckedProcess, error) {
	if err := h.mayAuthor(ctx, actor); err != nil {
		return CheckedProcess{}, err
	}
	return h.checkProcess(ctx, h.db.Reader(), document)
}

func (h *Hall) checkProcess(ctx context.Context, r store.Reader, document string) (CheckedProcess, error) {
	def, problems := workflow.Check([]byte(document))
	if len(problems) > 0 {
		return CheckedProcess{Report: Report{Problems: problems}}, nil
	}
	checked := CheckedProcess{Definition: def}
	proof := workflow.Prove(def)
	checked.Report = Report{Markings: proof.Markings, Problems: proof.Problems, Warnings: proof.Warnings}
	checked.Report.Problems = append(checked.Report.Problems, def.Uncovered(h.processors.outcomes)...)
	if len(checked.Report.Problems) > 0 {
		return checked, nil
	}
	judge, err := h.Judge(ctx)
	if err != nil {
		return checked, err
	}
	people, err := r.Users(ctx, nil)
	if err != nil {
		return checked, err
	}
	short, large := staffing(def, judge, people)
	checked.Report.Understaffed = short
	checked.Report.Warnings = append(checked.Report.Warnings, large...)
	inVain, err := h.warnProcess(ctx, r, def)
	if err != nil {
		return checked, err
	}
	checked.Report.Warnings = append(checked.Report.Warnings, inVain...)
	return checked, nil
}

// mostSubmitters bounds for how many people it is asked what would be missing if the document were theirs.
const mostSubmitters = 100

// staffing asks whether there are enough distinct people for every way, whatever the document type: short for small
// amounts already, large only where limits matter.
func staffing(def *workflow.Definition, judge *authz.Authority, people []domain.User) (short, large []workflow.Problem) {
	if len(def.Reviews()) == 0 {
		return nil, nil
	}
	seating := workflow.Seat(def)
	for _, documentType := range def.Types() {
		able := ableTo(def, judge, people, documentType, 0)
		if short = seating.Understaffed(able(domain.NoID)); len(short) > 0 {
			return short, nil
		}
		for _, submitter := range decidingSubmitters(def, judge, people, able) {
			if short = seating.Understaffed(able(submitter.ID)); len(short) > 0 {
				for i := range short {
					short[i].Message += fmt.Sprintf(" when the document is %s's own", submitter.Name)
				}
				return short, nil
			}
		}
		if def.HasAmount && len(large) == 0 {
			large = seating.Understaffed(ableTo(def, judge, people, documentType, math.MaxInt64)(domain.NoID))
			for i := range large {
				large[i].Rule = "understaffed_large"
				large[i].Message += "; this holds for amounts above the limits of the others"
			}
		}
	}
	return nil, large
}

// ableTo lists, per review node, who may decide there on an amount, leaving one person out.
func ableTo(def *workflow.Definition, judge *authz.Authority, people []domain.User, documentType string, base int64) func(domain.ID) func(*workflow.Node) []domain.ID {
	known := map[string][]domain.ID{}
	for _, node := range def.Reviews() {
		for _, person := range people {
			facts := domain.ReviewFacts{Queue: node.Queue, Level: node.Level, Duty: node.Duty, Status: domain.ReviewClaimed, Assignee: person.ID,
				ClaimLive: true, DocumentType: documentType, CaseStatus: domain.InReview, AmountKnown: true, HasAmount: def.HasAmount}
			if def.HasAmount {
				facts.BaseMinor = base
			}
			if _, err := judge.Authorize(person, domain.ActDecide, facts); err == nil {
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
func decidingSubmitters(def *workflow.Definition, judge *authz.Authority, people []domain.User, able func(domain.ID) func(*workflow.Node) []domain.ID) []domain.User {
	deciders := map[domain.ID]bool{}
	for _, node := range def.Reviews() {
		for _, id := range able(domain.NoID)(node) {
			deciders[id] = true
		}
	}
	var both []domain.User
	for _, person := range people {
		if _, err := judge.AuthorizePlain(person, domain.ActSubmit); err == nil && deciders[person.ID] && len(both) < mostSubmitters {
			both = append(both, person)
		}
	}
	return both
}
