package casework

import (
	"slices"
	"time"

	"countersign/authz"
	"countersign/domain"
	"countersign/domain/country"
	"countersign/events/generated"
	"countersign/facts"
	"countersign/workflow"
)

// resolveCorrections returns the set of assertions that a person's corrections make. Each
// correction that one person may make alone resolves the earlier assertions of its field; the
// others stay unresolved, so that the riskier value counts until a second person has confirmed. A value
// that replaces a misreading needs no second person and resolves nothing: both count, so that the
// misread one still finds a duplicate or a conflict. The reasons are written into the corrections.
// Their order in the request does not matter.
func (c *command) resolveCorrections(
	history facts.History, before, after []domain.Field,
	corrections []generated.FieldsCorrectedV1Field,
) (domain.AssertionSet, error) {
	document, err := c.newestDocument()
	if err != nil {
		return domain.AssertionSet{}, err
	}
	set := domain.AssertionSet{CaseID: c.before.ID, Revision: c.change.Case.FactsRevision,
		Source: domain.SourceHuman, By: c.actor.UserID, DocumentRevision: document.Revision,
		At: c.now}
	page, err := c.printedPage(document)
	if err != nil {
		return set, err
	}
	inForce := slices.Clone(before)
	for _, group := range c.assertGroups(correctionGroups(corrections), page, after) {
		if group.undetermined() {
			// A value that counts without being in force, such as one about a whole file, keeps counting.
			group.asserted[0].Resolves = len(history.Values(group.corrections[0].Name)) == 0
			set.Assertions = append(set.Assertions, group.asserted...)
			continue
		}
		earlier, later := before, after
		if group.besideRisk() {
			earlier, later = inForce, group.applyTo(inForce)
		}
		needs, resolves, err := c.judgeGroup(history, set, group, page, earlier, later)
		if err != nil {
			return set, err
		}
		for i, correction := range group.corrections {
			group.asserted[i].Resolves = resolves
			group.asserted[i].Pending, correction.Pending = string(needs), string(needs)
		}
		if needs == facts.NoSecondPerson || !group.besideRisk() {
			inForce = group.applyTo(inForce)
		}
		set.Assertions = append(set.Assertions, group.asserted...)
	}
	return set, nil
}

// judgeGroup returns why corrections need a second person, and whether they resolve. Some need none and
// resolve nothing.
func (c *command) judgeGroup(
	history facts.History, set domain.AssertionSet, group correctionGroup, page printedPage,
	before, after []domain.Field,
) (needs facts.NeedsSecondPerson, resolves bool, err error) {
	needs, err = c.judgeCorrections(history, set, group.asserted, before, after)
	if err != nil {
		return "", false, err
	}
	resolves = needs == facts.NoSecondPerson
	first := group.corrections[0]
	if needs == facts.NotOnPage && (facts.ReplacesDoubtful(history, group.asserted[0]) ||
		c.countsBeside(first.Name) && page.showsMisread(first.Name, first.After)) {
		needs, err = c.outcomeBeside(history, set, group.asserted, before, after)
		if err != nil {
			return "", false, err
		}
	}
	if !c.actsForSubmitter() {
		return needs, resolves, nil
	}
	if needs == facts.NoSecondPerson && contradicts(withSets(history, set), group.asserted) {
		needs = facts.SubmitterStated
	}
	return needs, false, nil
}

// actsForSubmitter reports whether the submitter of the case acts, or a delegate on their behalf. What they
// enter resolves no difference, whatever roles they have: a reviewer accepts it.
func (c *command) actsForSubmitter() bool {
	return slices.Contains(c.accountIDs(), c.before.Submitter)
}

// proposers returns the people whose earlier values do not confirm a correction of the command.
func (c *command) proposers(history facts.History) (facts.Proposers, error) {
	by := facts.Proposers{Acting: c.accountIDs(), Submitter: c.before.Submitter}
	submitters := []domain.ID{c.before.Submitter}
	var err error
	if history.Inherits() { // about an archived case, whose submitter is another person, or about a file
		if submitters, err = submittersOf(c.ctx, c.tx.Reader, c.before); err != nil {
			return by, err
		}
	}
	accounts, err := c.tx.Users(c.ctx, submitters)
	if err != nil {
		return by, err
	}
	for i := range accounts {
		by.SubmitterAccounts = append(by.SubmitterAccounts, accounts[i].Accounts()...)
	}
	if by.Parts, err = c.mergedParts(); err != nil {
		return by, err
	}
	people, err := c.tx.Users(c.ctx, history.People())
	by.Persons = facts.PersonsOf(people)
	return by, err
}

func contradicts(history facts.History, asserted []domain.Assertion) bool {
	return slices.ContainsFunc(asserted,
		func(a domain.Assertion) bool { return facts.Contradicts(history, a) })
}

// outcomeBeside judges corrections that resolve nothing, so that they count beside the earlier values:
// they still need a second person if fewer or other people would then decide.
func (c *command) outcomeBeside(
	history facts.History, set domain.AssertionSet, asserted []domain.Assertion,
	before, after []domain.Field,
) (facts.NeedsSecondPerson, error) {
	beside := set
	beside.Assertions = slices.Concat(set.Assertions, asserted)
	return c.outcomeStays(withSets(history, set), withSets(history, beside), before, after, false)
}

// countsBeside reports whether an earlier value of the field, of which the engine was sure, may count
// beside the corrected one. The vendor of a document that is the evidence of an order may not: the
// earlier name would keep stopping the order until a second person confirms.
func (c *command) countsBeside(field string) bool {
	return field != domain.FieldVendor || c.before.OrderRevision == 0
}

// judgeCorrections decides whether a person may make corrections alone, after those already in the
// set.
func (c *command) judgeCorrections(
	history facts.History, set domain.AssertionSet, asserted []domain.Assertion,
	before, after []domain.Field,
) (facts.NeedsSecondPerson, error) {
	kind, err := c.documentType()
	if err != nil {
		return "", err
	}
	by, err := c.proposers(history)
	if err != nil {
		return "", err
	}
	proposal := facts.Propose(history, set, asserted, by, kind, country.OfField)
	var failure error
	needs := proposal.Judge(c.toBase(&failure),
		func(largest int64, confirmed []domain.ID) bool {
			if c.mayDecide(largest) {
				return true
			}
			highest, err := c.resolvesAboveLimits(largest, confirmed)
			failure = firstError(failure, err)
			return highest
		},
		func(sameFindings bool) facts.NeedsSecondPerson {
			needs, err := c.outcomeStays(proposal.Earlier, proposal.Resolved, before, after,
				sameFindings)
			failure = firstError(failure, err)
			return needs
		})
	return needs, failure
}

// mayDecide reports whether the limits of everybody who acts cover the amount.
func (c *command) mayDecide(baseMinor int64) bool {
	return !c.def.HasAmount || !slices.ContainsFunc(c.persons, func(person domain.User) bool {
		return !authz.CoversAmount(person, c.before.DocumentType, baseMinor)
	})
}

// toBase returns the conversion of amounts to the base currency. It stores its first error, after which
// a result that depends on it must not be used.
func (c *command) toBase(failure *error) func(domain.Money) int64 {
	converted := map[domain.Money]int64{}
	return func(amount domain.Money) int64 {
		if base, done := converted[amount]; done {
			return base
		}
		base, _, err := baseAmount(c.ctx, c.tx, c.before, amount, c.now)
		*failure = firstError(*failure, err)
		converted[amount] = base
		return base
	}
}

// requireConfirmedChanges refuses an approval by a person who entered a value that still waits for a
// second person, if the approval lets the case pass and no other person has approved the document: one
// person alone would have changed what is archived.
func (c *command) requireConfirmedChanges(
	review domain.Review, window time.Duration, processFacts domain.ProcessFacts,
) error {
	_, committee := c.committeeOf(review.Node)
	if window == 0 && !committee && !c.passes() || (window > 0 || committee) &&
		!workflow.ApprovalPasses(c.def, c.before.Marking, review, processFacts) {
		return nil
	}
	history, err := c.assertedBefore()
	if err != nil {
		return err
	}
	accounts := c.accountIDs()
	if len(history.AwaitingOther(accounts)) == 0 {
		return nil // most approvals: the votes and the people need not be read
	}
	approvals, err := c.approvals()
	if err != nil {
		return err
	}
	people, err := c.tx.Users(c.ctx, history.People())
	if err != nil {
		return err
	}
	return history.ConfirmFirst(accounts, approvals, facts.PersonsOf(people))
}
