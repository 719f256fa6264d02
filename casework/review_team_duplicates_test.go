package casework_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/internal/riskmodel"
)

// clearance is what two cases stated when a reviewer cleared the pair, and who did.
type clearance struct {
	stated  string
	persons []domain.ID
}

// Whatever people do with two documents of one party that have one number, or one total and date, in whatever
// order, the second one is not archived unless a person approved it with a reason, or cleared the pair.
func TestRandomHistoriesOfDuplicates(t *testing.T) {
	t.Parallel()
	runTeamHistories(t, 4, []int{4, 6}, (*teamHistory).submitTwins)
}

// submitTwins submits two documents of one vendor, with the same number or nearly so, or one file twice.
func (h *teamHistory) submitTwins() {
	h.t.Helper()
	kind := h.random.IntN(2)
	_, number, _ := h.writeDocument()
	vendor := pick(h.liveCase, "Hafen Logistik GmbH", "Muster Werke GmbH")
	h.paired, h.linesDiffer = true, false
	total := pick(h.liveCase, "900.00", "700.00", "20000.00", "1200000.00")
	if h.random.IntN(3) == 0 {
		h.content = domain.NewID().String()
	}
	var first followedCase
	for n := range 2 {
		h.reader.mu.Lock()
		h.reader.xml, h.reader.others = nil, nil
		h.reader.lines = append(invoiceLines(vendor, number, total), "or 500.00 USD 700.00",
			"Alster Werke GmbH", "order L-9")
		h.reader.mu.Unlock()
		h.caseRecord = caseRecord{conflictRevision: -1}
		h.paper = paper{lines: h.reader.lines}
		h.file = h.reader.lines
		h.pages = h.file
		h.submitWithout(kind, total)
		h.before = h.caseByID(h.id)
		h.check()
		if n == 0 {
			first = h.followed()
			if h.content != "" {
				continue
			}
			number = pick(h.liveCase, number, number, number[:len(number)-1]+"x", "L-"+letters(h.random, 9))
			total = pick(h.liveCase, total, total, "900.00")
			if kind == 0 {
				total = pick(h.liveCase, total, "900.00")
			}
		}
	}
	h.others, h.content = append(h.others, first), ""
	h.check()
}

// newContent returns the content of the next file.
func (h *teamHistory) newContent() string { return cmp.Or(h.content, domain.NewID().String()) }

// clearAny states that the document is no duplicate of another case of the history or the database.
func (h *teamHistory) clearAny(by domain.Actor, on casework.ReviewTarget) {
	h.t.Helper()
	references := h.queryTexts(`SELECT reference FROM cases WHERE id <> $1 ORDER BY id DESC LIMIT 3`,
		h.id)
	for _, other := range h.others {
		references = append(references, h.caseByID(other.id).Reference)
	}
	if len(references) == 0 {
		return
	}
	reference := pick(h.liveCase, references...)
	err := errOf(h.svc.ClearDuplicate(h.ctx, by, casework.ClearDuplicate{
		ReviewTarget: on, Reference: reference, Reason: "other goods"}))
	h.try(by.Name+" clears", err)
	for _, other := range h.others {
		record := h.caseByID(other.id)
		if err != nil || record.Reference != reference {
			continue
		}
		persons := []domain.ID{h.head(by.UserID)}
		if by.OnBehalfOf != domain.NoID {
			persons = append(persons, h.head(by.OnBehalfOf))
		}
		if slices.Contains(persons, h.head(record.Submitter)) ||
			slices.Contains(persons, h.head(h.before.Submitter)) {
			h.t.Fatalf("the submitter of one of the documents cleared the pair after %v", h.commands)
		}
		present := h.caseByID(h.id)
		h.cleared[pairOf(present, record)] = clearance{h.statedBy(present, record), persons}
	}
}

func pairOf(a, b domain.Case) [2]string {
	return [2]string{min(a.Reference, b.Reference), max(a.Reference, b.Reference)}
}

// statedBy returns what two cases state of what is compared.
func (h *teamHistory) statedBy(a, b domain.Case) string {
	h.t.Helper()
	texts := []string{}
	for _, c := range []domain.Case{a, b} {
		texts = append(texts, fmt.Sprint(c.Reference, slices.Sorted(slices.Values(c.Numbers())), c.Amount,
			c.AtRisk, h.field(c.ID, domain.FieldDate).Normalised))
	}
	slices.Sort(texts)
	return fmt.Sprint(texts)
}

// requireDistinct checks a case that was just archived against those that were archived before: if it has the
// vendor and the number of one of them, a person approved it with a reason; with its total and date, a person
// approved it. A pair that was cleared is none while both state the same.
func (h *teamHistory) requireDistinct(record domain.Case, risk riskmodel.Risk, approvals []approval) {
	h.t.Helper()
	if h.archivedBefore {
		return
	}
	h.archivedBefore = true
	for _, other := range h.others {
		earlier := h.caseByID(other.id)
		if earlier.Status != domain.Archived || earlier.Part.IsPart() || !h.isOfVendor(earlier, risk) {
			continue
		}
		if cleared, is := h.cleared[pairOf(record, earlier)]; is && cleared.stated == h.statedBy(record, earlier) {
			continue
		}
		sameNumber := slices.ContainsFunc(record.Numbers(), func(number string) bool {
			return number != "" && slices.Contains(earlier.Numbers(), number)
		})
		sameContent := record.AmountKnown && record.Amount == earlier.Amount &&
			h.field(h.id, domain.FieldDate).Normalised == h.field(earlier.ID, domain.FieldDate).Normalised
		if sameNumber && !slices.ContainsFunc(approvals, func(a approval) bool { return a.reason != "" }) ||
			sameContent && len(approvals) == 0 {
			h.t.Fatalf("%s was archived with %+v although %s has the numbers %v (%v) and the amount %s (%s), after %v",
				record.Reference, approvals, earlier.Reference, earlier.Numbers(), record.Numbers(),
				earlier.Amount, record.Amount, h.commands)
		}
	}
}

// requireFound checks that both of two undecided cases say that they have one file, or one number of one vendor: one
// of them has the finding about duplicates, the other one that or the one about copies. Only a person who clears the
// pair ends this, and only while both documents state what they stated then. A requested evaluation comes first.
func (h *teamHistory) requireFound(record domain.Case, risk riskmodel.Risk) {
	h.t.Helper()
	for _, followed := range h.others {
		other := h.caseByID(followed.id)
		if !h.paired || !h.isJudged(record) || !h.isJudged(other) || !h.isSameDocument(record, other, risk) {
			continue
		}
		cleared, is := h.cleared[pairOf(record, other)]
		if is && cleared.stated == h.statedBy(record, other) {
			continue
		}
		here, there := h.findingsAbout(record, other), h.findingsAbout(other, record)
		duplicate := func(rule string) bool { return rule != "submitted_again" }
		if len(here) == 0 || len(there) == 0 || !slices.ContainsFunc(slices.Concat(here, there), duplicate) {
			h.t.Fatalf("%s says %v of %s, which says %v, after %v", record.Reference, here, other.Reference, there,
				h.commands)
		}
	}
}

// isJudged reports whether the risk of an undecided case was assessed with every pair of others.
func (h *teamHistory) isJudged(c domain.Case) bool {
	h.t.Helper()
	return c.Status == domain.InReview && c.Outcome == "" && !c.Part.IsPart() && len(h.queryTexts(
		`SELECT 'requested' FROM pair_evaluations WHERE case_id = $1`, c.ID)) == 0
}

// isSameDocument reports whether two cases have one file, or one number of one vendor.
func (h *teamHistory) isSameDocument(record, other domain.Case, risk riskmodel.Risk) bool {
	h.t.Helper()
	files := `SELECT encode(sha256, 'hex') FROM documents WHERE case_id = $1 ORDER BY revision DESC LIMIT 1`
	if slices.Equal(h.queryTexts(files, record.ID), h.queryTexts(files, other.ID)) {
		return true
	}
	return h.isOfVendor(other, risk) && slices.ContainsFunc(record.Numbers(), func(number string) bool {
		return number != "" && slices.Contains(other.Numbers(), number)
	})
}

// findingsAbout returns the rules about equal documents whose findings of a case name the other one.
func (h *teamHistory) findingsAbout(c, other domain.Case) []string {
	h.t.Helper()
	return h.queryTexts(`SELECT rule FROM findings WHERE case_id = $1
		AND (rule LIKE 'duplicate%' OR rule = 'submitted_again')
		AND evidence->>'cases' LIKE '%' || $2 || '%'`, c.ID, other.Reference)
}

// isOfVendor reports whether the vendor of a case is one of those of a risk.
func (h *teamHistory) isOfVendor(c domain.Case, risk riskmodel.Risk) bool {
	key := domain.PartyKey(h.field(c.ID, domain.FieldVendor).Normalised)
	return slices.ContainsFunc(risk.Values[domain.FieldVendor], func(name string) bool {
		return !slices.Contains(risk.Replaced, name) && domain.PartyKey(name) == key
	})
}

// requireComparisons checks who may compare the case with the other one: only the person who has claimed one of
// its reviews and may decide it, who submitted neither document, if a finding names the other case. Everyone who
// may decide and has no part in either case is allowed. The amount at risk is that of the case, which is at least
// that of the model.
func (h *teamHistory) requireComparisons(record domain.Case) {
	h.t.Helper()
	if !h.paired || len(h.others) == 0 {
		return
	}
	other := h.caseByID(h.others[0].id)
	named := len(h.queryTexts(`SELECT rule FROM findings WHERE case_id = $1 AND evidence->>'cases' LIKE '%' || $2 || '%'`,
		h.id, other.Reference)) > 0
	for _, review := range h.undecidedReviews(h.id) {
		for _, by := range append(h.team.accounts(), h.team.outsider) {
			compared, err := h.svc.CompareCases(h.ctx, by,
				casework.CompareCases{ReviewID: review.ID, Reference: other.Reference})
			allowed := err == nil && compared.Refusal == "" && compared.Other.ID != domain.NoID
			decides := review.Status == domain.ReviewClaimed && review.Assignee == by.UserID &&
				!review.Repairs() && h.head(by.UserID) != h.head(record.Submitter) &&
				h.head(by.UserID) != h.head(other.Submitter) && !slices.Contains(h.submitters, h.head(by.UserID)) &&
				h.team.limitOf(by.UserID) >= record.BaseMinor && worksIn(h.team.rolesOf(by.UserID), review.Queue)
			if allowed && !(decides && named) {
				h.t.Fatalf("%s compares %s with %s (%v) after %v", by.Name, record.Reference, other.Reference,
					review, h.commands)
			}
			if decides && named && !allowed && by.UserID != h.conflicted && !h.hasActed(h.id, by.UserID) &&
				review.ClaimUntil.After(h.now()) {
				h.t.Fatalf("%s may not compare %s with %s: %v, %v after %v", by.Name, record.Reference,
					other.Reference, compared.Refusal, err, h.commands)
			}
		}
	}
}
