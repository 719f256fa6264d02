package casework

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/facts"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// ruleInputs are the facts that the rules evaluate, and the rule set.
type ruleInputs struct {
	prepared   rules.PreparedFacts
	set        *rules.Set
	duplicates []rules.DuplicateHit
	candidates []store.DuplicateCandidate
	claimed    []domain.ID // the other cases of pairs for which the case has a finding
}

// loadRuleInputs loads the facts that the rules need besides the fields: duplicates, the history of
// the vendor, the payment order and the current rule set. present is the command that evaluates the
// rules, nil for a worker and for a trial. asserted is the history of the case that is judged; nil is that
// of the database with what the command asserts.
func (svc *Service) loadRuleInputs(
	ctx context.Context, r store.Reader, c domain.Case, fields []domain.Field,
	document domain.Document, now time.Time, present *command, asserted facts.History,
) (ruleInputs, error) {
	kind, err := svc.documentType(ctx, r, c)
	if err != nil {
		return ruleInputs{}, err
	}
	input := rules.CaseInput(c, kind, fields, document, now)
	input.CorrectedLines, err = svc.correctedLineItems(ctx, r, document, present)
	if err != nil {
		return ruleInputs{}, err
	}
	history, parties, err := loadComparedParties(ctx, r, c, present)
	if err != nil {
		return ruleInputs{}, err
	}
	key, err := comparedKey(ctx, r, c, fields, present, asserted)
	if err != nil {
		return ruleInputs{}, err
	}
	related, sets, err := svc.relatedCases(ctx, r, relatedQuery(c, parties, key, document))
	if err != nil {
		return ruleInputs{}, err
	}
	if input.Duplicates, err = duplicateHits(c, fields, key, related.Candidates); err != nil {
		return ruleInputs{}, err
	}
	input.Sums, input.Shared = documentSums(related.Sums), sharedAccounts(related.Shared)
	input.SumSubjects, input.SumsAt = sumSubjects(c, related), related.SumsAt.UTC()
	input.CountryRisk = related.CountryRisk
	input.RiskCountry = cmp.Or(related.RiskCountry, c.Country)
	if c.PartyID != domain.NoID {
		input.Vendor = rules.VendorHistory{Known: true, Cases: related.ArchivedCount,
			Account: related.LastAccount, Recent: related.RecentReferences}
		for _, sum := range related.Sums {
			if sum.Kind == store.SumCounterparty && sum.Hours == vendorHours {
				input.Vendor.RecentCount += sum.Documents
				input.Vendor.RecentSum += min(sum.BaseMinor, math.MaxInt64-input.Vendor.RecentSum)
			}
		}
	}
	if c.OrderRevision > 0 {
		if input.Order, err = svc.orderRuleInput(ctx, r, c, history, document, now,
			present); err != nil {
			return ruleInputs{}, err
		}
	}
	set, err := rules.SetFor(sets, c.DocumentType)
	return ruleInputs{rules.PrepareFacts(input), set, input.Duplicates, related.Candidates,
		related.Claimed}, err
}

func documentSums(found []store.DocumentSum) []rules.DocumentSum {
	sums := make([]rules.DocumentSum, 0, len(found))
	for _, sum := range found {
		sums = append(sums, rules.DocumentSum{By: rules.SumSubject(sum.Kind),
			Hours: sum.Hours, Since: sum.Since, Band: sum.Band, BaseMinor: sum.BaseMinor,
			Documents: sum.Documents})
	}
	return sums
}

// sumSubjects returns what the documents of the sums share with the case.
func sumSubjects(c domain.Case, related store.RelatedCases) map[rules.SumSubject][]string {
	parties := []string{}
	for _, id := range related.GroupIDs {
		parties = append(parties, id.String())
	}
	return map[rules.SumSubject][]string{rules.BySubmitter: {c.Submitter.String()}, rules.ByAccount: c.Accounts,
		rules.ByCounterparty: parties}
}

// relatedQuery returns the query for the cases related to one by the given parties, without windows of
// sums.
func relatedQuery(
	c domain.Case, parties []domain.ID, key rules.DocumentKey, document domain.Document,
) store.RelatedQuery {
	query := store.RelatedQuery{CaseID: c.ID, PartyID: c.PartyID, DocumentType: c.DocumentType,
		Parties: parties, Submitter: c.Submitter, Numbers: c.Numbers(), Accounts: c.Accounts,
		Countries: c.Countries(), Totals: key.Totals, Dates: key.Dates, Image: c.ImageHash,
		SHA256: document.SHA256}
	if c.Part.PagesOf(document) {
		query.Parent, query.Origin = c.Part.Parent, c.Part.Origin
	}
	return query
}

// vendorHours is the window of the facts about the vendor's recent documents.
const vendorHours = 24

// relatedCases reads the cases related to one, with sums over the windows of the newest rule sets,
// and these sets. It reads twice only after a set with another window was published.
func (svc *Service) relatedCases(
	ctx context.Context, r store.Reader, query store.RelatedQuery,
) (store.RelatedCases, []*rules.Set, error) {
	query.Windows = svc.ruleSets.windows()
	for {
		related, err := r.RelatedCases(ctx, query)
		if err != nil {
			return related, nil, err
		}
		sets, err := svc.ruleSets.newestSets(ctx, r, related.RuleSetVersions)
		if err != nil {
			return related, nil, err
		}
		needed := svc.ruleSets.windows()
		if slices.Equal(needed, query.Windows) {
			return related, sets, nil
		}
		query.Windows = needed
	}
}

// windowsOf returns the hours over which any of the sets sums amounts.
func windowsOf(sets []*rules.Set) []int {
	windows := []int{vendorHours}
	for _, set := range sets {
		windows = append(windows, set.Windows()...)
	}
	slices.Sort(windows)
	return slices.Compact(windows)
}

// ruleEvaluation is the state of processors that evaluate rules. Its checks only read the inputs.
type ruleEvaluation struct {
	session         *stageSession
	stage           string
	phase           rules.Phase
	inputs          ruleInputs
	earlierFindings []domain.Finding // from earlier stages; they count towards the score
	findings        []domain.Finding
	score           int
}

// updateScore computes the score of the findings so far.
func (e *ruleEvaluation) updateScore() { e.score = rules.Score(e.earlierFindings, e.findings) }

// newRuleProcessor returns a processor that evaluates the rules of a phase, one check per topic.
func newRuleProcessor(svc *Service, phase rules.Phase) stageProcessor[*ruleEvaluation] {
	return stageProcessor[*ruleEvaluation]{timeout: ruleTimeout, dependsOnFacts: true,
		newWork: func(p *stageSession, node *workflow.Node) *ruleEvaluation {
			return &ruleEvaluation{session: p, stage: node.ID, phase: phase}
		},
		prepare: func(ctx context.Context, work *ruleEvaluation) (err error) {
			work.inputs, err = svc.sessionRuleInputs(ctx, work.session)
			return err
		},
		parallelChecks: []check[*ruleEvaluation]{topicCheck(rules.General),
			topicCheck(rules.Account)},
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
			present := work.session.findings // nil after the case was reloaded
			t.change.StageFindings = append(t.change.StageFindings,
				store.StageFindings{Stage: work.stage, Findings: work.findings,
					First: present != nil && len(present[work.stage]) == 0})
			if work.phase == rules.Risk {
				t.applyClaims(work.inputs.claimsOf(append(slices.Clone(work.earlierFindings),
					work.findings...)))
			}
		},
		summary: (*ruleEvaluation).summary,
	}
}

// ruleTimeout is far above the duration of an evaluation; a slower database query is retried.
const ruleTimeout = 30 * time.Second

// topicCheck returns the check that evaluates the rules of a topic.
func topicCheck(topic rules.Topic) check[*ruleEvaluation] {
	return check[*ruleEvaluation]{name: string(topic),
		run: func(_ context.Context, work *ruleEvaluation) (workUpdate[*ruleEvaluation], error) {
			found, err := work.inputs.set.Evaluate(work.inputs.prepared, work.phase, topic)
			return func(work *ruleEvaluation) {
				work.findings = append(
					work.findings, found...)
			}, err
		}}
}

// newValidateProcessor returns the processor that checks whether the document is complete and
// consistent.
func newValidateProcessor(svc *Service) stageProcessor[*ruleEvaluation] {
	return newRuleProcessor(svc, rules.Validation)
}

// newAssessProcessor returns the processor that scores the risk of the case, including the findings
// of earlier stages.
func newAssessProcessor(svc *Service) stageProcessor[*ruleEvaluation] {
	assess := newRuleProcessor(svc, rules.Risk)
	loadInputs := assess.prepare
	assess.prepare = func(ctx context.Context, work *ruleEvaluation) error {
		err := loadInputs(ctx, work)
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

// withoutAccountCheck returns a copy of the processor without the checks of the payee account,
// because a receipt is already paid.
func withoutAccountCheck(s stageProcessor[*ruleEvaluation]) stageProcessor[*ruleEvaluation] {
	isAccountCheck := func(c check[*ruleEvaluation]) bool { return c.name == string(rules.Account) }
	s.parallelChecks = slices.DeleteFunc(slices.Clone(s.parallelChecks), isAccountCheck)
	return s
}

// duplicatePlugin returns the plugin that reports other cases with the same document.
func duplicatePlugin() plugin[*ruleEvaluation] {
	return plugin[*ruleEvaluation]{name: string(rules.Duplicates),
		run: func(_ context.Context, work *ruleEvaluation) error {
			for _, topic := range []rules.Topic{rules.Duplicates, rules.Copies} {
				found, err := work.inputs.set.Evaluate(work.inputs.prepared, work.phase, topic)
				if err != nil {
					return err
				}
				work.findings = append(work.findings, found...)
			}
			work.inputs.set.Sort(work.findings)
			work.updateScore()
			return nil
		}}
}

// evaluateRules evaluates the validation and risk rules again, with the processors that apply to
// the case, and returns the findings of each and the total score. It can run inside a transaction,
// because the inputs are already loaded.
func (svc *Service) evaluateRules(
	ctx context.Context, c domain.Case, inputs ruleInputs,
) (validation, risk []domain.Finding, score int, err error) {
	first, err := svc.evaluatePhase(ctx, c, inputs, domain.BehaviourValidate, nil)
	if err != nil {
		return nil, nil, 0, err
	}
	second, err := svc.evaluatePhase(ctx, c, inputs, domain.BehaviourAssess, first.findings)
	if err != nil {
		return nil, nil, 0, err
	}
	return first.findings, second.findings, second.score, nil
}

func (svc *Service) evaluatePhase(
	ctx context.Context, c domain.Case, inputs ruleInputs, behaviour string,
	earlier []domain.Finding,
) (*ruleEvaluation, error) {
	p := &stageSession{svc: svc, record: c}
	proc, err := svc.processors.find(ctx, behaviour, eventReevaluate, p)
	if err != nil {
		return nil, err
	}
	evaluation, ok := proc.(stageProcessor[*ruleEvaluation])
	if !ok {
		return nil, domain.Errorf(domain.ProcessorNotFound,
			"No processor re-evaluates rules for the behaviour %q.", behaviour)
	}
	work := evaluation.newWork(p, &workflow.Node{ID: behaviour})
	work.inputs, work.earlierFindings = inputs, earlier
	_, err = evaluation.runPreparedSteps(ctx, work)
	return work, err
}

// sessionRuleInputs loads the rule inputs once per session.
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
	inputs, err := svc.loadRuleInputs(ctx, svc.db.Reader(), p.record, p.fields, *p.document, p.now,
		nil, nil)
	if err != nil {
		return ruleInputs{}, err
	}
	p.inputs = &inputs
	return inputs, nil
}

// summary returns the number of findings, the score so far and the rule set.
func (e *ruleEvaluation) summary() *generated.StageCompletedV1Summary {
	count, blocking, points := int64(len(e.findings)), int64(0), int64(e.score)
	for _, finding := range e.findings {
		if finding.Severity == domain.SeverityBlocking {
			blocking++
		}
	}
	set := e.inputs.set
	return &generated.StageCompletedV1Summary{Findings: &count, Blocking: &blocking, Risk: &points,
		RuleSet: fmt.Sprintf("%s %d", set.Key, set.Version), Rules: ruleNames(e.findings)}
}

// ruleNames returns the rules that produced the findings. They explain which edge a gateway takes.
func ruleNames(findings []domain.Finding) []string {
	names := make([]string, 0, len(findings))
	for _, finding := range findings {
		names = append(names, finding.Rule)
	}
	return names
}
