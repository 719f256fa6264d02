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

// seen is what the rules are shown of a case, and the set that judges it.
type seen struct {
	laid rules.Laid
	set  *rules.Set
}

// gather reads what the rules need beside the fields: duplicates, the vendor's history, and which set judges now.
func (h *Hall) gather(ctx context.Context, r store.Reader, c domain.Case, fields []domain.Field, document domain.Document, now time.Time) (seen, error) {
	input := rules.Input{DocumentType: c.DocumentType, Fields: fields, Amount: c.Amount, AmountKnown: c.AmountKnown, BaseMinor: c.BaseMinor,
		Declared: c.DeclaredAmount, Country: c.Country, Today: now}
	kin, err := r.KinOf(ctx, c.ID, c.PartyID, c.DocumentNumber, c.Country, document.SHA256)
	if err != nil {
		return seen{}, err
	}
	for _, twin := range kin.SameBytes {
		input.Duplicates = append(input.Duplicates, rules.DuplicateHit{Kind: rules.SameBytes, CaseID: twin.ID, Reference: twin.Reference})
	}
	for _, twin := range kin.SameNumber {
		input.Duplicates = append(input.Duplicates, rules.DuplicateHit{Kind: rules.SameNumber, CaseID: twin.ID, Reference: twin.Reference})
	}
	input.CountryRisk = kin.CountryRisk
	if c.PartyID != domain.NoID {
		input.Vendor = rules.VendorHistory{Looked: true, Cases: kin.Approved, Account: kin.Account, Recent: kin.Recent, RecentSum: kin.RecentSum}
	}
	sets, err := h.ruleSets.at(ctx, r, kin.RuleSets)
	if err != nil {
		return seen{}, err
	}
	set, err := setFor(sets, c.DocumentType)
	return seen{rules.Lay(input), set}, err
}

// judgement is the work of the processors that ask the rules. Its checks only read what is shown.
type judgement struct {
	pass    *pass
	stage   string
	phase   rules.Phase
	shown   seen
	earlier []domain.Finding // of the stages before, whose points count too
	found   []domain.Finding
	score   int
}

// weigh counts what was found up to now.
func (j *judgement) weigh() { j.score = rules.Score(j.earlier, j.found) }

// judgeSteps asks the rules of a phase, topic by topic.
func judgeSteps(h *Hall, phase rules.Phase) steps[*judgement] {
	return steps[*judgement]{limit: judgeLimit, onFacts: true,
		begin: func(p *pass, node *workflow.Node) *judgement {
			return &judgement{pass: p, stage: node.ID, phase: phase}
		},
		prepare: func(ctx context.Context, work *judgement) (err error) {
			work.shown, err = h.show(ctx, work.pass)
			return err
		},
		atOnce: []check[*judgement]{asked(rules.General), asked(rules.Account)},
		act: func(_ context.Context, work *judgement) error {
			work.weigh()
			return nil
		},
		plugins: []plugin[*judgement]{duplicates()},
		save: func(work *judgement, t *transition) {
			for i := range work.found {
				work.found[i].Revision = t.change.Case.FactsRevision
			}
			t.change.Case.Risk = work.score
			t.change.StageFindings = append(t.change.StageFindings, store.StageFindings{Stage: work.stage, Findings: work.found})
		},
		summary: (*judgement).summary,
	}
}

// judgeLimit is far beyond what rules take; what reads the database for longer is tried again.
const judgeLimit = 30 * time.Second

// asked is the check that asks the rules about a topic.
func asked(topic rules.Topic) check[*judgement] {
	return check[*judgement]{name: string(topic), run: func(_ context.Context, work *judgement) (report[*judgement], error) {
		found, err := work.shown.set.Ask(work.shown.laid, work.phase, topic)
		return func(work *judgement) { work.found = append(work.found, found...) }, err
	}}
}

// validateSteps checks the fields: is the document complete and consistent?
func validateSteps(h *Hall) steps[*judgement] { return judgeSteps(h, rules.Validation) }

// assessSteps scores the risk of the case, of what the stages before have found too.
func assessSteps(h *Hall) steps[*judgement] {
	assess := judgeSteps(h, rules.Risk)
	read := assess.prepare
	assess.prepare = func(ctx context.Context, work *judgement) error {
		err := read(ctx, work)
		for stage, findings := range work.pass.findings {
			if stage != work.stage {
				work.earlier = append(work.earlier, findings...)
			}
		}
		return err
	}
	return assess
}

// receiptType is the document type of receipts.
const receiptType = "receipt"

// withoutAccount is a processor that asks nothing about the account to pay into: a receipt is paid already.
func withoutAccount(s steps[*judgement]) steps[*judgement] {
	s.atOnce = slices.DeleteFunc(slices.Clone(s.atOnce), func(c check[*judgement]) bool { return c.name == string(rules.Account) })
	return s
}

// duplicates tells, whatever stage it serves, of other cases that carry the same document.
func duplicates() plugin[*judgement] {
	return plugin[*judgement]{name: string(rules.Duplicates), run: func(_ context.Context, work *judgement) error {
		found, err := work.shown.set.Ask(work.shown.laid, work.phase, rules.Duplicates)
		work.found = append(work.found, found...)
		work.shown.set.Sort(work.found)
		work.weigh()
		return err
	}}
}

// judgeBoth asks the rules of validation and risk anew, by the processors that are for the case, and returns the findings
// of each and the score of both. It may run inside a transaction: what is shown was read before.
func (h *Hall) judgeBoth(ctx context.Context, c domain.Case, shown seen) (validation, risk []domain.Finding, score int, err error) {
	first, err := h.judgeAnew(ctx, c, shown, "validate", nil)
	if err != nil {
		return nil, nil, 0, err
	}
	second, err := h.judgeAnew(ctx, c, shown, "assess", first.found)
	if err != nil {
		return nil, nil, 0, err
	}
	return first.found, second.found, second.score, nil
}

func (h *Hall) judgeAnew(ctx context.Context, c domain.Case, shown seen, behaviour string, earlier []domain.Finding) (*judgement, error) {
	p := &pass{hall: h, kase: c}
	is, err := h.processors.find(ctx, behaviour, eventJudge, p)
	if err != nil {
		return nil, err
	}
	rules, ok := is.(steps[*judgement])
	if !ok {
		return nil, domain.Fail(domain.ProcessorNotFound, "Nothing judges values anew by the behaviour %q.", behaviour)
	}
	work := rules.begin(p, &workflow.Node{ID: behaviour})
	work.shown, work.earlier = shown, earlier
	_, err = rules.judge(ctx, work)
	return work, err
}

// show gathers, once a pass, what the rules see.
func (h *Hall) show(ctx context.Context, p *pass) (seen, error) {
	if p.shown != nil {
		return *p.shown, nil
	}
	if err := h.loadJudgement(ctx, p); err != nil {
		return seen{}, err
	}
	if err := h.loadDocument(ctx, p); err != nil {
		return seen{}, err
	}
	shown, err := h.gather(ctx, h.db.Reader(), p.kase, p.fields, *p.document, p.now)
	if err != nil {
		return seen{}, err
	}
	p.shown = &shown
	return shown, nil
}

// summary tells of a stage's findings, the score so far and the set that judged.
func (j *judgement) summary() *generated.StageCompletedV1Summary {
	count, blocking, points := int64(len(j.found)), int64(0), int64(j.score)
	for _, finding := range j.found {
		if finding.Severity == domain.SeverityBlocking {
			blocking++
		}
	}
	set := j.shown.set
	return &generated.StageCompletedV1Summary{Findings: &count, Blocking: &blocking, Risk: &points, RuleSet: fmt.Sprintf("%s %d", set.Key, set.Version), Rules: ruleNames(j.found)}
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
