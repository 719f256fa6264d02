package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/events"
	"countersign/events/generated"
	"countersign/rules"
	"countersign/store"
	"countersign/workflow"
)

// reevaluationBatch is the maximum number of cases that one sweep evaluates again.
const reevaluationBatch = 200

// severalCauses is the cause of an evaluation that is not for one change of control data: before a decision, before
// work that carries it out, or because of another case.
const severalCauses store.ControlChangeKind = ""

// controlChangeOf returns the change that a body of control data makes to the evaluation of cases,
// false if it makes none: an ended conflict and a left group only ease, and are read when a case is
// next changed.
func controlChangeOf(body events.Body) (store.ControlChange, bool) {
	switch changed := body.(type) {
	case generated.CountryRiskChangedV1:
		return store.ControlChange{Kind: store.CountryChanged, Key: changed.Country}, true
	case generated.RateChangedV1:
		// no case was converted before the first rate
		return store.ControlChange{Kind: store.CurrencyChanged, Key: changed.Currency},
			changed.Before > 0
	case generated.DrawMarkChangedV1:
		return store.ControlChange{Kind: store.DrawMarkChanged, Key: changed.Process}, true
	case generated.ConflictDeclaredV1:
		return store.ControlChange{Kind: store.PartyChanged, Key: changed.PartyID.String()}, true
	case generated.PartyGroupedV1:
		return store.ControlChange{Kind: store.PartyChanged, Key: changed.PartyID.String()},
			!changed.Left
	}
	return store.ControlChange{}, false
}

// putControlChanges records the changes that cases must be evaluated again for, with the change of
// the control data.
func (p *permissionChange) putControlChanges() error {
	for _, body := range p.bodies {
		change, ok := controlChangeOf(body)
		if !ok {
			continue
		}
		change.ID = domain.NewID()
		if err := p.tx.PutControlChange(p.ctx, change); err != nil {
			return err
		}
	}
	return nil
}

// ReevaluateCases evaluates a batch of cases again that changes of control data affect, and returns
// how many.
func (svc *Service) ReevaluateCases(ctx context.Context) (int, error) {
	done := 0
	for done < reevaluationBatch {
		change, err := svc.db.Reader().DueControlChange(ctx)
		if domain.HasCode(err, domain.NotFound) {
			return done, nil
		}
		if err != nil {
			return done, err
		}
		limit := reevaluationBatch - done
		cases, err := svc.db.Reader().AffectedCases(ctx, change, limit)
		if err != nil {
			return done, err
		}
		for _, id := range cases {
			if err := svc.reevaluateCase(ctx, id, change.Kind); err != nil {
				if domain.HasCode(err, domain.Busy) || domain.CodeOf(err) == domain.Unavailable ||
					ctx.Err() != nil {
					return done, err
				}
				svc.log.ErrorContext(ctx, "case not evaluated again", "case", id, "error", err)
			}
			done++
			if err := svc.db.Autocommit().AdvanceControlChange(ctx, change.ID, id); err != nil {
				return done, err
			}
		}
		if len(cases) < limit {
			if err := svc.db.Autocommit().EndControlPass(ctx, change.ID); err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

// reevaluateCase evaluates rules, votes and route of a case with the present control data and the pairs that
// other cases have claimed. It writes only what differs, so that it can be repeated.
// held are leased runs of the caller, which has not begun their work.
func (svc *Service) reevaluateCase(
	ctx context.Context, id domain.ID, cause store.ControlChangeKind, held ...domain.StageRun,
) error {
	_, err := svc.evaluateAgain(ctx, id, cause, held...)
	return err
}

// evaluateAgain is reevaluateCase. It reports whether anything has changed.
func (svc *Service) evaluateAgain(
	ctx context.Context, id domain.ID, cause store.ControlChangeKind, held ...domain.StageRun,
) (changed bool, err error) {
	_, err = runCaseCommand(ctx, svc, domain.SystemActor(), "reevaluate", id, Once{}, nil,
		func(c *command) (CaseResult, error) {
			if err := c.endPairEvaluations(); err != nil {
				return CaseResult{}, err
			}
			if c.before.Status.Final() || len(c.before.Marking.Tokens) == 0 {
				return c.caseResult(), nil
			}
			err := c.reevaluate(cause, held)
			changed = c.hasChanges()
			return c.caseResult(), err
		})
	return changed, err
}

func (c *command) reevaluate(cause store.ControlChangeKind, held []domain.StageRun) error {
	fields, err := c.storedFields()
	if err != nil {
		return err
	}
	raised, err := c.raiseAmountAtRisk(fields)
	if err != nil {
		return err
	}
	added, err := c.addFindings(fields)
	if err != nil {
		return err
	}
	revoked, why, err := c.reviewsToRepeat(fields)
	if err != nil {
		return err
	}
	if !raised && !added && len(revoked) == 0 {
		if toDraw, err := c.anyReachesMark(); err != nil || !toDraw {
			return err
		}
		c.refreshOpenReviews(domain.Review{})
		return nil
	}
	c.change.Case.FactsRevision++
	c.automatic = true
	if err := c.emitReevaluated(cause, raised, revoked); err != nil {
		return err
	}
	for _, review := range revoked {
		c.revokeVotesOf(review, why)
	}
	if err := c.lockReviews(); err != nil {
		return err
	}
	c.refreshOpenReviews(domain.Review{})
	if err := c.reopenRevokedSeats(revoked); err != nil {
		return err
	}
	return c.stopUnreleased(fields, held)
}

// reviewsToRepeat returns the reviews whose votes no longer count, and why: those that do not cover
// the facts, or all if the voters did not know of a duplicate.
func (c *command) reviewsToRepeat(fields []domain.Field) ([]domain.Review, string, error) {
	if len(c.change.Claims) == 0 {
		revoked, err := c.uncoveredReviews(fields, false)
		return revoked, "control data changed", err
	}
	voted, err := c.votedReviews()
	return voted, "duplicate found", err
}

// raiseAmountAtRisk converts the amounts with the present rates. A lower result changes nothing,
// because the amount at risk falls only by a decision.
func (c *command) raiseAmountAtRisk(fields []domain.Field) (bool, error) {
	history, err := c.assertedBefore()
	if err != nil {
		return false, err
	}
	fresh := c.before
	fresh.RateID = domain.NoID
	found, err := c.keyFacts(fresh, fields, history)
	if err != nil || found.baseMinor <= c.before.BaseMinor {
		return false, err
	}
	record := &c.change.Case
	record.BaseMinor, record.RateID, record.AtRisk = found.baseMinor, found.rateID, found.atRisk
	return true, nil
}

// applyPresentRates raises the amount at risk of a case that continues after it had no open work. A change
// of a rate did not evaluate it in that time, and the stages that follow evaluate everything else.
func (c *command) applyPresentRates() error {
	fields, err := c.storedFields()
	if err != nil {
		return err
	}
	raised, err := c.raiseAmountAtRisk(fields)
	if err != nil || !raised {
		return err
	}
	c.change.Case.FactsRevision++
	return c.emitReevaluated(store.CurrencyChanged, raised, nil)
}

// addFindings evaluates the rules of the stages that the case has passed and adds the findings that
// are new. A finding about duplicates is new if no finding lists the other case, and neither case of
// the pair has one: the case then claims the pair. The finding about copies changes as namedCopies says.
func (c *command) addFindings(fields []domain.Field) (bool, error) {
	stored, err := c.storedFindings()
	if err != nil {
		return false, err
	}
	inputs, err := c.ruleInputs(c.change.Case, fields)
	if err != nil {
		return false, err
	}
	judged, err := c.svc.findingsOfTopic(c.ctx, c.tx.Reader, findingsOf(stored), rules.Duplicates)
	if err != nil {
		return false, err
	}
	if err := c.nameCopies(&inputs, findingsOf(stored)); err != nil {
		return false, err
	}
	evaluated, _, err := c.evaluateStages(c.change.Case, inputs)
	if err != nil {
		return false, err
	}
	all, added, removed := findingsByStage(stored), false, false
	for _, stage := range evaluated {
		if !c.passedStage(stage.Stage) {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(all[stage.Stage]), inputs.endedCopies(stage.Findings))
		ended := len(kept) < len(all[stage.Stage])
		merged, changed := c.mergeFindings(kept, stage.Findings, inputs, judged)
		if !changed && !ended {
			continue
		}
		inputs.set.Sort(merged)
		all[stage.Stage], added, removed = merged, true, removed || ended
		c.change.StageFindings = append(c.change.StageFindings,
			store.StageFindings{Stage: stage.Stage, Findings: merged})
	}
	if added {
		total := make([][]domain.Finding, 0, len(all))
		for _, findings := range all {
			total = append(total, findings)
		}
		score := rules.Score(total...)
		if !removed {
			score = max(c.before.Risk, score)
		}
		c.change.Case.Risk = score
	}
	return added, nil
}

// mergeFindings adds the evaluated findings of a stage that are new to the stored ones, and reports whether there
// are any.
func (c *command) mergeFindings(
	stored, evaluated []domain.Finding, inputs ruleInputs, judged []domain.Finding,
) (merged []domain.Finding, changed bool) {
	for _, finding := range evaluated {
		switch inputs.topicOf(finding) {
		case rules.Duplicates:
			claims := inputs.unjudgedPairs(finding, judged)
			if len(claims) == 0 {
				continue
			}
			c.claim(claims)
			stored = slices.DeleteFunc(stored, sameRule(finding))
		case rules.Copies:
			if slices.ContainsFunc(stored, saysSame(finding)) {
				continue
			}
			stored = slices.DeleteFunc(stored, sameRule(finding))
		default:
			if slices.ContainsFunc(stored, sameRule(finding)) {
				continue
			}
		}
		finding.Revision = c.before.FactsRevision + 1
		stored, changed = append(stored, finding), true
	}
	return stored, changed
}

func sameRule(finding domain.Finding) func(domain.Finding) bool {
	return func(other domain.Finding) bool { return other.Rule == finding.Rule }
}

// passedStage reports whether the work of a stage has ended: its rules were evaluated.
func (c *command) passedStage(node string) bool {
	return c.before.Marking.Visits[node] > 0 && !c.waitsAt(node)
}

// stopUnreleased evaluates the route before work that would carry out a decision and has not begun:
// that of runs that no worker has leased, and of held ones. The other tokens follow the route when
// their work ends.
func (c *command) stopUnreleased(fields []domain.Field, held []domain.StageRun) error {
	unstarted, err := c.tx.LockUnstartedRuns(c.ctx, c.before.ID)
	if err != nil {
		return err
	}
	unstarted = append(unstarted, held...)
	found, err := c.findingsAfter()
	if err != nil {
		return err
	}
	for _, token := range c.before.Marking.Tokens {
		node, ok := c.def.Node(token.Node)
		if !ok || !slices.Contains(c.change.Case.Marking.Tokens, token) {
			continue
		}
		pending := slices.ContainsFunc(unstarted, func(run domain.StageRun) bool {
			return run.Node == token.Node && run.Visit == token.Visit
		})
		switch {
		case node.Kind == workflow.KindStage && node.Outcome == domain.Archived:
		case pending && (node.Kind == workflow.KindSaga || node.Kind == workflow.KindExternal):
		default:
			continue
		}
		facts, err := c.processFacts(c.change.Case, fields, found)
		if err != nil {
			return err
		}
		err = c.advanceWithFacts(workflow.Event{Kind: workflow.Reevaluated, Node: token.Node,
			Visit: token.Visit}, facts)
		if err != nil && !domain.HasCode(err, domain.StateMismatch) {
			return err
		}
		if !c.isSealing() {
			c.change.Case.Outcome = ""
		}
	}
	return nil
}

// isSealing reports whether the case is at a stage that closes it.
func (c *command) isSealing() bool {
	return slices.ContainsFunc(c.change.Case.Marking.Tokens, func(token domain.Token) bool {
		node, ok := c.def.Node(token.Node)
		return ok && node.Outcome != ""
	})
}

// findingsAfter returns the findings of the case by stage, with those that the command changes.
func (c *command) findingsAfter() (map[string][]domain.Finding, error) {
	stored, err := c.storedFindings()
	if err != nil {
		return nil, err
	}
	return putFindings(findingsByStage(stored), c.change.StageFindings), nil
}
