package casework

import (
	"context"
	"fmt"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// ruleInputs is what the rules are shown of a case, and the set that judges it.
type ruleInputs struct {
	prepared rules.PreparedFacts
	set      *rules.Set
}

// loadRuleInputs reads what the rules need beside the fields: duplicates, the vendor's history, and which set judges now.
func (svc *Service) loadRuleInputs(ctx context.Context, r store.Reader, c domain.Case, fields []domain.Field, document domain.Document, now time.Time) (ruleInputs, error) {
	input := rules.Input{DocumentType: c.DocumentType, Fields: fields, Amount: c.Amount, AmountKnown: c.AmountKnown, BaseMinor: c.BaseMinor,
		Declared: c.DeclaredAmount, Country: c.Country, Today: now}
	related, err := r.RelatedCases(ctx, c.ID, c.PartyID, c.DocumentNumber, c.Country, document.SHA256)
	if err != nil {
		return ruleInputs{}, err
	}
	for _, duplicate := range related.SameBytes {
		input.Duplicates = append(input.Duplicates, rules.DuplicateHit{Kind: rules.SameBytes, CaseID: duplicate.ID, Reference: duplicate.Reference})
	}
	for _, duplicate := range related.SameNumber {
		input.Duplicates = append(input.Duplicates, rules.DuplicateHit{Kind: rules.SameNumber, CaseID: duplicate.ID, Reference: duplicate.Reference})
	}
	input.CountryRisk = related.CountryRisk
	if c.PartyID != domain.NoID {
		input.Vendor = rules.VendorHistory{Known: true, Cases: related.ArchivedCount, Account: related.LastAccount, Recent: related.RecentReferences, RecentSum: related.RecentSum}
	}
	sets, err := svc.ruleSets.newestSets(ctx, r, related.RuleSetVersions)
	if err != nil {
		return ruleInputs{}, err
	}
	set, err := ruleSetFor(sets, c.DocumentType)
	return ruleInputs{rules.PrepareFacts(input), set}, err
}

// ruleEvaluation is the work of the processors that ask the rules. Its checks only read what is shown.
type ruleEvaluation struct {
	session         *stageSession
	stage           string
	phase           rules.Phase
	inputs          ruleInputs
	earlierFindings []domain.Finding // of the stages before, whose points count too
	findings        []domain.Finding
	score           int
}

// updateScore counts what was found up to now.
func (j *ruleEvaluation) updateScore() { j.score = rules.Score(j.earlierFindings, j.findings) }

// newRuleProcessor asks the rules of a phase, topic by topic.
func newRuleProcessor(svc *Service, phase rules.Phase) stageProcessor[*ruleEvaluation] {
	return stageProcessor[*ruleEvaluation]{timeout: ruleTimeout, dependsOnFacts: true,
		newWork: func(p *stageSession, node *workflow.Node) *ruleEvaluation {
			return &ruleEvaluation{session: p, stage: node.ID, phase: phase}
		},
		prepare: func(ctx context.Context, work *ruleEvaluation) (err error) {
			work.inputs, err = svc.sessionRuleInputs(ctx, work.session)
			return err
		},
		parallelChecks: []check[*ruleEvaluation]{topicCheck(rules.General), topicCheck(rules.Account)},
		execute: func(_ context.Context, work *ruleEvaluation) error {
			work.updateScore()
			return nil
		},
		plugins: []plugin[*ruleEvaluation]{duplicatePlugin()},
		save: func(work *ruleEvaluation, t *transition) {
			for i := range work.findings {
				work.findings[i].Revision = t.change.Case.FactsRevision
			}
			t.change.Case.Risk = work.score
			t.change.StageFindings = append(t.change.StageFindings, store.StageFindings{Stage: work.stage, Findings: work.findings})
		},
		summary: (*ruleEvaluation).summary,
	}
}

// ruleTimeout is far beyond what rules take; what reads the database for longer is tried again.
const ruleTimeout = 30 * time.Second

// topicCheck is the check that asks the rules about a topic.
func topicCheck(topic rules.Topic) check[*ruleEvaluation] {
	return check[*ruleEvaluation]{name: string(topic), run: func(_ context.Context, work *ruleEvaluation) (workUpdate[*ruleEvaluation], error) {
		found, err := work.inputs.set.Evaluate(work.inputs.prepared, work.phase, topic)
		return func(work *ruleEvaluation) { work.findings = append(work.findings, found...) }, err
	}}
}

// newValidateProcessor checks the fields: is the document complete and consistent?
func newValidateProcessor(svc *Service) stageProcessor[*ruleEvaluation] {
	return newRuleProcessor(svc, rules.Validation)
}

// newAssessProcessor scores the risk of the case, of what the stages before have found too.
func newAssessProcessor(svc *Service) stageProcessor[*ruleEvaluation] {
	assess := newRuleProcessor(svc, rules.Risk)
	read := assess.prepare
	assess.prepare = func(ctx context.Context, work *ruleEvaluation) error {
		err := read(ctx, work)
		for stage, findings := range work.session.findings {
			if stage != work.stage {
				work.earlierFindings = append(work.earlierFindings, findings...)
			}
		}
		return err
	}
	return assess
}

// receiptType is the document type of receipts.
const receiptType = "receipt"

// withoutAccountCheck is a processor that asks nothing about the account to pay into: a receipt is paid already.
func withoutAccountCheck(s stageProcessor[*ruleEvaluation]) stageProcessor[*ruleEvaluation] {
	s.parallelChecks = slices.DeleteFunc(slices.Clone(s.parallelChecks), func(c check[*ruleEvaluation]) bool { return c.name == string(rules.Account) })
	return s
}

// duplicatePlugin tells, whatever stage it serves, of other cases that carry the same document.
func duplicatePlugin() plugin[*ruleEvaluation] {
	return plugin[*ruleEvaluation]{name: string(rules.Duplicates), run: func(_ context.Context, work *ruleEvaluation) error {
		found, err := work.inputs.set.Evaluate(work.inputs.prepared, work.phase, rules.Duplicates)
		work.findings = append(work.findings, found...)
		work.inputs.set.Sort(work.findings)
		work.updateScore()
		return err
	}}
}

// evaluateRules asks the rules of validation and risk anew, by the processors that are for the case, and returns the findings
// of each and the score of both. It may run inside a transaction: what is shown was read before.
func (svc *Service) evaluateRules(ctx context.Context, c domain.Case, inputs ruleInputs) (validation, risk []domain.Finding, score int, err error) {
	first, err := svc.evaluatePhase(ctx, c, inputs, "validate", nil)
	if err != nil {
		return nil, nil, 0, err
	}
	second, err := svc.evaluatePhase(ctx, c, inputs, "assess", first.findings)
	if err != nil {
		return nil, nil, 0, err
	}
	return first.findings, second.findings, second.score, nil
}

func (svc *Service) evaluatePhase(ctx context.Context, c domain.Case, inputs ruleInputs, behaviour string, earlier []domain.Finding) (*ruleEvaluation, error) {
	p := &stageSession{svc: svc, record: c}
	is, err := svc.processors.find(ctx, behaviour, eventReevaluate, p)
	if err != nil {
		return nil, err
	}
	rules, ok := is.(stageProcessor[*ruleEvaluation])
	if !ok {
		return nil, domain.Errorf(domain.ProcessorNotFound, "Nothing judges values anew by the behaviour %q.", behaviour)
	}
	work := rules.newWork(p, &workflow.Node{ID: behaviour})
	work.inputs, work.earlierFindings = inputs, earlier
	_, err = rules.runPreparedSteps(ctx, work)
	return work, err
}

// sessionRuleInputs gathers, once per session, what the rules see.
func (svc *Service) sessionRuleInputs(ctx context.Context, p *stageSession) (ruleInputs, error) {
	if p.inputs != nil {
		return *p.inputs, nil
	}
	if err := svc.loadFieldsAndFindings(ctx, p); err != nil {
		return ruleInputs{}, err
	}
	if err := svc.loadDocument(ctx, p); err != nil {
		return ruleInputs{}, err
	}
	inputs, err := svc.loadRuleInputs(ctx, svc.db.Reader(), p.record, p.fields, *p.document, p.now)
	if err != nil {
		return ruleInputs{}, err
	}
	p.inputs = &inputs
	return inputs, nil
}

// summary tells of a stage's findings, the score so far and the set that judged.
func (j *ruleEvaluation) summary() *generated.StageCompletedV1Summary {
	count, blocking, points := int64(len(j.findings)), int64(0), int64(j.score)
	for _, finding := range j.findings {
		if finding.Severity == domain.SeverityBlocking {
			blocking++
		}
	}
	set := j.inputs.set
	return &generated.StageCompletedV1Summary{Findings: &count, Blocking: &blocking, Risk: &points, RuleSet: fmt.Sprintf("%s %d", set.Key, set.Version), Rules: ruleNames(j.findings)}
}

// ruleNames are the rules that found something: the way after a gateway is explained by them, their values stand with
// the findings.
func ruleNames(findings []domain.Finding) []string {
	names := make([]string, 0, len(findings))
	for _, finding := range findings {
		names = append(names, finding.Rule)
	}
	return names
}
