package casework_test

import (
	"slices"

	"countersign/domain"
	"countersign/internal/riskmodel"
)

// approval is an approval whose votes count.
type approval struct {
	node, queue string
	level       int
	reason      string
	supporting  []string    // that the evidence of the decision has
	persons     []domain.ID // who decided, and on whose behalf
}

// effective returns the person whose duties apply.
func (a approval) effective() domain.ID { return a.persons[len(a.persons)-1] }

// givenVote is the case on which a vote was given, and the rate at that time.
type givenVote struct {
	seenCase
	rate int64
}

// rememberVotes remembers on what each vote was given, and checks that the votes of an archived case
// were given on everything that is at risk.
func (h *teamHistory) rememberVotes(record domain.Case) {
	h.t.Helper()
	exclusions, err := h.db.Reader().Exclusions(h.ctx, h.id, record.Parties())
	must(h.t, err)
	account := h.field(h.id, domain.FieldIBAN).Normalised
	counting := map[voteKey]givenVote{}
	for _, vote := range exclusions.Votes {
		key := voteKey{vote.ReviewID, vote.Person}
		seen, known := h.given[key]
		if !known { // votes change no facts
			seen = givenVote{seenCase{h.before, account}, h.team.rate}
		}
		counting[key] = seen
		if present := record; record.Status == domain.Archived {
			if seen.rate != h.team.rate { // the limits of the voters are checked
				present.BaseMinor = seen.record.BaseMinor
			}
			if lacks := seen.lacks(present, account); lacks != "" {
				h.t.Fatalf("a vote was given on another %s: %+v, archived %+v, after %v", lacks,
					seen, record, h.commands)
			}
		}
	}
	h.given = counting
}

// approvalsThatCount returns the approvals of the case whose votes were not revoked.
func (h *teamHistory) approvalsThatCount(record domain.Case) (found []approval) {
	h.t.Helper()
	decisions, err := h.db.Reader().Decisions(h.ctx, h.id)
	must(h.t, err)
	reviews, err := h.db.Reader().ReviewsOf(h.ctx, h.id)
	must(h.t, err)
	exclusions, err := h.db.Reader().Exclusions(h.ctx, h.id, record.Parties())
	must(h.t, err)
	for _, decision := range decisions {
		if decision.Verdict != domain.Approve || len(exclusions.VotesIn(decision.ReviewID)) == 0 {
			continue
		}
		at := slices.IndexFunc(reviews,
			func(r domain.Review) bool { return r.ID == decision.ReviewID })
		one := approval{reviews[at].Node, reviews[at].Queue, reviews[at].Level,
			decision.Reason, decision.Evidence.Supporting, []domain.ID{h.head(decision.Actor)}}
		if decision.OnBehalfOf != domain.NoID {
			one.persons = append(one.persons, h.head(decision.OnBehalfOf))
		}
		found = append(found, one)
	}
	return found
}

// reviewsNeeded returns the reviews, with their queues, that a risk demands of an archived case.
func (h *teamHistory) reviewsNeeded(record domain.Case, risk riskmodel.Risk) map[string]string {
	h.t.Helper()
	needed := map[string]string{}
	if record.ProcessKey != remittance {
		if risk.Largest >= straightInvoice {
			needed["review_l1"] = domain.QueueL1
		}
		return needed
	}
	if risk.Largest > straightRemittance {
		needed["review_l1"] = domain.QueueL1
	}
	if risk.Largest > secondReview {
		needed["review_l2"] = domain.QueueL2
	}
	risky := slices.ContainsFunc(countriesOf(risk), func(country string) bool {
		found, err := h.db.Reader().CountryRisk(h.ctx, country)
		must(h.t, err)
		return found.Level == "high"
	})
	if risky || len(risk.Values[domain.FieldCountry]) != 1 {
		needed["review_aml"] = domain.QueueAML
	}
	return needed
}

// requireRoute checks an archived case against the people that its riskiest values demand: one in
// each review, different ones, none of them the submitter, with a conflict, or without the limit.
func (h *teamHistory) requireRoute(
	record domain.Case, risk riskmodel.Risk, sets []domain.AssertionSet,
) {
	h.t.Helper()
	sets = slices.Clone(sets)
	for i := range sets {
		sets[i] = h.asHeads(sets[i])
	}
	approvals := h.approvalsThatCount(record)
	for node, queue := range h.reviewsNeeded(record, risk) {
		if !slices.ContainsFunc(approvals, func(a approval) bool {
			return a.node == node && worksIn(h.team.rolesOf(a.effective()), queue)
		}) {
			h.t.Fatalf("no one of %s has approved %d in %v, but %+v, after %v\n%s", queue,
				risk.Largest, countriesOf(risk), approvals, h.commands, textOf(sets))
		}
	}
	for i, one := range approvals {
		for _, other := range approvals[:i] {
			if slices.ContainsFunc(one.persons,
				func(id domain.ID) bool { return slices.Contains(other.persons, id) }) {
				h.t.Fatalf("one person counts twice in %+v after %v", approvals, h.commands)
			}
		}
		for _, person := range one.persons {
			h.requireApprover(record, person, risk, sets)
		}
	}
	h.requireKept(approvals)
	h.requireItemsSeen(approvals, sets)
	h.requireSupportingSeen(record, risk, approvals)
	h.requireDistinct(record, risk, approvals)
	h.requireSupportedOrder(record, sets)
	h.requireConfirmed(approvals, sets)
}

// requireConfirmed checks that another person than the one who entered a value that waits for a second
// person has approved the archived case. A delegate and the delegator are one person for it.
func (h *teamHistory) requireConfirmed(approvals []approval, sets []domain.AssertionSet) {
	h.t.Helper()
	newest := map[string]archivedSet{}
	for _, set := range sets {
		for _, a := range set.Assertions {
			if set.Source == domain.SourceHuman && !a.Order {
				own := set
				own.Assertions = []domain.Assertion{a}
				newest[a.Field] = archivedSet{set: own}
			}
		}
	}
	for field, entered := range newest {
		if entered.set.Assertions[0].Pending == "" {
			continue
		}
		authors := personsOf(h.asHeads(entered.set))
		if !slices.ContainsFunc(approvals, func(a approval) bool {
			return !slices.ContainsFunc(a.persons,
				func(id domain.ID) bool { return slices.Contains(authors, id) })
		}) {
			h.t.Fatalf("the %s of %v was archived with %+v after %v\n%s", field, authors, approvals,
				h.commands, textOf(sets))
		}
	}
}

// requireApprover checks that a person may have approved: see requireVoter, and conflicts.
func (h *teamHistory) requireApprover(
	record domain.Case, person domain.ID, risk riskmodel.Risk, sets []domain.AssertionSet,
) {
	h.t.Helper()
	if person == h.head(record.Submitter) || slices.Contains(h.submitters, person) ||
		h.isExcluded(person) || h.team.limitOf(person) < risk.Largest ||
		person == h.conflicted && h.isOfConflict(risk) {
		h.t.Fatalf("%s has approved %d of %v after %v", person, risk.Largest, namesOf(risk),
			h.commands)
	}
	h.requireVoter(record, person, risk, sets)
}

// requireSupportedOrder checks that the order that was archived equals its document, or that two
// people have explained why not.
func (h *teamHistory) requireSupportedOrder(record domain.Case, sets []domain.AssertionSet) {
	h.t.Helper()
	if record.OrderRevision == 0 {
		return
	}
	ordered, document := map[string]string{}, map[string]string{}
	for _, set := range sets {
		for _, a := range set.Assertions {
			switch {
			case a.Order:
				ordered[a.Field] = a.Value
			case a.Value != "" && a.Pending == "":
				document[a.Field] = a.Value
			}
		}
	}
	differs := func(field string) bool {
		return document[field] != "" && document[field] != ordered[field]
	}
	explained := map[bool]bool{}
	grounds, err := h.db.Reader().OrderGrounds(h.ctx, h.id)
	must(h.t, err)
	for _, ground := range grounds {
		if ground.Confirmed() && ground.ConfirmedBy != ground.StatedBy {
			explained[ground.Kind.AboutPayee()] = true
		}
	}
	if (differs(domain.FieldTotal) || differs(domain.FieldCurrency) ||
		document[domain.FieldTotal] == "") && !explained[false] ||
		differs(domain.FieldIBAN) && !explained[true] {
		h.t.Fatalf("the order %v was archived with the document %v after %v", ordered, document,
			h.commands)
	}
}

// onlyDoubtful reports whether others than the person have only doubtful readings of the counterparty.
// One reviewer may name it then; the readings keep counting beside the name.
func onlyDoubtful(sets []domain.AssertionSet, person domain.ID) bool {
	return !slices.ContainsFunc(sets, func(set domain.AssertionSet) bool {
		return set.By != person && slices.ContainsFunc(set.Assertions, func(a domain.Assertion) bool {
			return a.Field == domain.FieldVendor && a.Value != "" &&
				!(set.Source.IsMachine() && a.Confidence < domain.Doubtful)
		})
	})
}

// lacks names what of the present case a person did not see who voted on the earlier one, "" if
// nothing.
func (s seenCase) lacks(present domain.Case, account string) string {
	lacks := func(have, want []string) bool {
		return slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(have, w) })
	}
	switch {
	case present.BaseMinor > s.record.BaseMinor:
		return "amount at risk"
	case lacks(s.record.Countries(), present.Countries()):
		return "country"
	case lacks(s.record.Numbers(), present.Numbers()):
		return "number"
	case slices.ContainsFunc(present.Parties(),
		func(party domain.ID) bool { return !slices.Contains(s.record.Parties(), party) }),
		present.PartyID != s.record.PartyID:
		return "counterparty"
	case account != s.account:
		return "account"
	}
	return ""
}
