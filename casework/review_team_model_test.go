package casework_test

import (
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/facts"
	"countersign/internal/riskmodel"
)

// check compares the case with the model of everything asserted about it.
func (h *teamHistory) check() {
	h.t.Helper()
	record := h.caseByID(h.id)
	if h.rate == 0 || !record.Status.Final() && record.Status != domain.Returned {
		h.rate = h.team.rate // a case without open work is evaluated again when it continues
	}
	model, sets := h.model(record)
	risk := model.Risk()
	if record.BaseMinor < risk.Largest {
		h.t.Fatalf("%s, %d is at risk, at least %d must be, after %v\n%s", record.Status, record.BaseMinor,
			risk.Largest, h.commands, textOf(sets))
	}
	h.requirePrinted(record, sets)
	h.requireCounted(domain.FieldCountry, countriesOf(risk), record.Countries(), sets)
	h.requireCounted(domain.FieldNumber, risk.Values[domain.FieldNumber], record.Numbers(), sets)
	h.requireCounted(domain.FieldVendor, namesOf(risk), h.partyKeys(record), sets)
	if !h.mayFall && h.before.ID == record.ID {
		h.requireNoFall(record)
	}
	h.rememberVotes(record)
	if record.Status == domain.Archived {
		h.requireRoute(record, risk, sets)
	}
	h.requireComparisons(record)
	h.requireFound(record, risk)
	h.requireOffered(record)
}

// requireCounted checks that every value of the model counts.
func (h *teamHistory) requireCounted(
	field string, values, counted []string, sets []domain.AssertionSet,
) {
	h.t.Helper()
	for _, value := range values {
		if !slices.Contains(counted, value) {
			h.t.Fatalf("the %s %q does not count beside %v after %v\n%s", field, value, counted,
				h.commands, textOf(sets))
		}
	}
}

// textOf returns the assertions of sets, one set a line.
func textOf(sets []domain.AssertionSet) string {
	var text strings.Builder
	for _, set := range sets {
		fmt.Fprintf(&text, "%s by %s:", set.Source, set.By)
		for _, a := range set.Assertions {
			fmt.Fprintf(&text, " %s=%q", a.Field, a.Value)
			if a.Order {
				text.WriteString(" of the order")
			}
			if set.Source == domain.SourceHuman {
				fmt.Fprintf(&text, " (%v, %q)", a.Resolves, a.Pending)
			}
		}
		text.WriteString("\n")
	}
	return text.String()
}

// requireNoFall checks that a command that resolves nothing removes nothing from the risk basis.
func (h *teamHistory) requireNoFall(present domain.Case) {
	h.t.Helper()
	fell := func(before, after []string) bool {
		return slices.ContainsFunc(before, func(v string) bool { return !slices.Contains(after, v) })
	}
	if present.BaseMinor < h.before.BaseMinor || fell(h.before.Countries(), present.Countries()) ||
		fell(h.before.Numbers(), present.Numbers()) ||
		fell(h.namedParties(h.before), h.partyKeys(present)) {
		h.t.Fatalf("the risk basis fell from %+v to %+v after %v", h.before, present, h.commands)
	}
}

// namedParties returns the keys of the parties that have a name. A tax id alone becomes that of a named party
// when one source states both.
func (h *teamHistory) namedParties(record domain.Case) []string {
	return slices.DeleteFunc(h.partyKeys(record), func(key string) bool {
		return strings.Trim(key[2:], "0123456789") == ""
	})
}

// countriesOf returns the countries of a risk: those stated in any role, and those of accounts and banks.
func countriesOf(risk riskmodel.Risk) []string {
	countries := slices.Concat(risk.Values[domain.FieldCountry], risk.Values[domain.FieldPayerCountry],
		risk.Values[domain.FieldDeliveryCountry], risk.Values[domain.FieldBIC],
		risk.Values[domain.FieldPayerAccount])
	for _, account := range risk.Values[domain.FieldIBAN] {
		countries = append(countries, account[:2])
	}
	slices.Sort(countries)
	return slices.Compact(countries)
}

// namesOf returns the keys of the names of a risk: in lower case, without the legal form.
func namesOf(risk riskmodel.Risk) []string {
	var keys []string
	for _, field := range []string{domain.FieldVendor, domain.FieldPayer} {
		for _, name := range risk.Values[field] {
			keys = append(keys, domain.PartyKey(name))
		}
	}
	return keys
}

// base converts an amount by the rates of the case, which only rise during the test.
func (h *teamHistory) base(m domain.Money) int64 {
	if m.Currency == "EUR" {
		return m.ToBase(h.rate)
	}
	return m.ToBase(1_000_000)
}

// model returns the model of everything asserted about the case.
func (h *teamHistory) model(record domain.Case) (*riskmodel.Model, []domain.AssertionSet) {
	h.t.Helper()
	sets, err := h.db.Reader().Assertions(h.ctx, h.id)
	must(h.t, err)
	if len(sets) == 0 {
		sets = facts.HistoryOf(record, nil, nil)
	}
	model := riskmodel.New(h.base)
	for _, earlier := range h.archived {
		h.play(model, record, earlier)
	}
	for _, set := range sets {
		if !slices.ContainsFunc(set.Assertions,
			func(a domain.Assertion) bool { return a.InheritedFrom != domain.NoID }) {
			h.play(model, record, h.asArchived(record, set))
		}
	}
	return model, sets
}

// archivedSet is a set of assertions about a case, with its submitter, those of the archived cases that it
// corrects, and whether a conflict of interest counted when it was made. passed says that the case was
// archived then and is being corrected.
type archivedSet struct {
	about      domain.ID // the case about which it was stated
	set        domain.AssertionSet
	submitter  domain.ID
	earlier    []domain.ID
	conflicted bool
	passed     bool
	// pages are the words of the pages on which its values can be.
	pages []string
	// ofPart says that it was stated about a part of the file, before the parts were merged.
	ofPart bool
}

// asArchived returns a set of the present case, with what has to be known to play it later.
func (h *teamHistory) asArchived(record domain.Case, set domain.AssertionSet) archivedSet {
	return archivedSet{about: h.id, set: set, submitter: record.Submitter, earlier: h.submitters, pages: h.pages,
		conflicted: h.conflicted != domain.NoID && set.Revision > h.conflictRevision}
}

// play adds a set of assertions to the model, as its author may assert it.
func (h *teamHistory) play(model *riskmodel.Model, record domain.Case, one archivedSet) {
	if one.passed {
		model.Pass()
		return
	}
	set := h.asHeads(one.set)
	if one.ofPart {
		model.AddOfPart(set)
		return
	}
	persons := personsOf(set)
	if set.Source != domain.SourceHuman || slices.Contains(persons, h.head(one.submitter)) {
		model.Add(set)
		return
	}
	by := riskmodel.Reviewer{Persons: persons, Submitter: h.head(one.submitter),
		Earlier:               one.earlier,
		MayResolve:            func(largest int64) bool { return h.covers(persons, largest) },
		MayResolveWithAnother: func(largest int64) bool { return h.isAboveLimits(one.about, largest) },
		SameRoute: func(before, after riskmodel.Risk) bool {
			return h.sameRoute(record, one.conflicted, before, after)
		}}
	if slices.ContainsFunc(set.Assertions, func(a domain.Assertion) bool { return a.Order }) {
		model.Accept(set, by)
		return
	}
	model.Correct(asPrinted(set, one.pages), by)
}

// asHeads returns a set in which each person has one account.
func (h *teamHistory) asHeads(set domain.AssertionSet) domain.AssertionSet {
	set.By, set.Assertions = h.head(set.By), slices.Clone(set.Assertions)
	for i := range set.Assertions {
		set.Assertions[i].OnBehalfOf = h.head(set.Assertions[i].OnBehalfOf)
	}
	return set
}

// personsOf returns who made the assertions of a set, and on whose behalf.
func personsOf(set domain.AssertionSet) []domain.ID {
	persons := []domain.ID{set.By}
	for _, a := range set.Assertions {
		if a.OnBehalfOf != domain.NoID && !slices.Contains(persons, a.OnBehalfOf) {
			persons = append(persons, a.OnBehalfOf)
		}
	}
	return persons
}

// asPrinted returns a set in which values that the pages do not contain are not grounded, whatever the
// program recorded.
func asPrinted(set domain.AssertionSet, pages []string) domain.AssertionSet {
	page := strings.Join(pages, "\n")
	set.Assertions = slices.Clone(set.Assertions)
	for i := range set.Assertions {
		a := &set.Assertions[i]
		switch a.Field {
		case domain.FieldTotal, domain.FieldVendor, domain.FieldNumber, domain.FieldBIC:
			a.Grounded = a.Grounded && strings.Contains(page, a.Value)
		}
	}
	return set
}

// covers reports whether the limits of all persons cover the amount.
func (h *teamHistory) covers(persons []domain.ID, largest int64) bool {
	return !slices.ContainsFunc(persons,
		func(id domain.ID) bool { return h.team.limitOf(id) < largest })
}

// isAboveLimits reports whether the amount may be above the limits of everyone who could decide in one
// of the queues.
func (h *teamHistory) isAboveLimits(about domain.ID, largest int64) bool {
	queues := []string{domain.QueueL1, domain.QueueL2, domain.QueueAML}
	return slices.ContainsFunc(queues, func(queue string) bool {
		return !slices.ContainsFunc(h.people, func(other domain.Actor) bool {
			return h.team.limitOf(other.UserID) >= largest && other.UserID != h.sam.UserID &&
				other.UserID != h.conflicted && !h.hasActed(about, other.UserID) &&
				worksIn(h.team.rolesOf(other.UserID), queue)
		})
	})
}

// isInterested reports whether a person is excluded from the case by a value that they set.
func (h *teamHistory) isInterested(id domain.ID) bool {
	h.t.Helper()
	return len(h.queryTexts(`SELECT reason FROM case_interests WHERE case_id = $1 AND person = ANY($2)`,
		h.id, h.accountsOf(id))) > 0
}

// hasActed reports whether a person may be excluded from a case by something that they did.
func (h *teamHistory) hasActed(about, id domain.ID) bool {
	h.t.Helper()
	return len(h.queryTexts(`SELECT 'decided' FROM decisions WHERE case_id = $1
			AND ARRAY[actor, on_behalf_of] && $2
		UNION ALL SELECT 'interested' FROM case_interests WHERE case_id = $1 AND person = ANY($2)`,
		about, h.accountsOf(id))) > 0
}

// accountsOf returns all accounts of a person.
func (h *teamHistory) accountsOf(id domain.ID) (accounts []domain.ID) {
	for _, account := range append(h.team.accounts(), h.team.outsider) {
		if h.head(account.UserID) == h.head(id) {
			accounts = append(accounts, account.UserID)
		}
	}
	return accounts
}

// sameRoute reports whether the same reviews take place with both risks, as far as one person may
// judge it: the same countries, the same marks, and no conflict that disappears.
func (h *teamHistory) sameRoute(
	record domain.Case, conflicted bool, before, after riskmodel.Risk,
) bool {
	conflict := func(risk riskmodel.Risk) bool {
		return conflicted &&
			slices.Contains(namesOf(risk), domain.PartyKey(h.agency))
	}
	return !slices.ContainsFunc(countriesOf(before),
		func(country string) bool { return !slices.Contains(countriesOf(after), country) }) &&
		(record.ProcessKey != remittance ||
			(before.Largest > secondReview) == (after.Largest > secondReview) || h.keeps("review_l2")) &&
		(!conflict(before) || conflict(after))
}

// isOfConflict reports whether a risk includes a party of the conflict of this history.
func (h *teamHistory) isOfConflict(risk riskmodel.Risk) bool {
	names := namesOf(risk)
	return slices.Contains(names, domain.PartyKey(h.agency)) ||
		h.merged && slices.Contains(names, domain.PartyKey(h.sister))
}
