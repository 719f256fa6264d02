package casework_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
)

// followedCase is another case of a file than the one that a history follows.
type followedCase struct {
	id    domain.ID
	sam   domain.Actor
	order casework.OrderInput
	caseRecord
}

// splitFile is a file that was split: what was known of its case, and its parts.
type splitFile struct {
	whole followedCase
	parts []domain.ID
}

// Whatever people do with a file of several documents and its parts, in whatever order, no part is archived
// without the people that the file and its riskiest values demand, and every part ends.
func TestRandomHistoriesOfFiles(t *testing.T) {
	t.Parallel()
	runTeamHistories(t, 4, []int{5, 7}, func(h *teamHistory) {
		_, _, _ = h.writeDocument()
		h.addPages(1)
		h.submitWithout(h.random.IntN(2), "450000.00")
		h.check()
		for range 12 {
			h.before = h.caseByID(h.id)
			if h.before.Status != domain.InReview || len(h.others) > 0 {
				break
			}
			review := h.undecidedReviews(h.id)[0]
			by, on := h.actor(review), casework.ReviewTarget{ReviewID: review.ID}
			switch h.random.IntN(6) {
			case 0:
				h.command()
			case 1:
				h.mayFall = true
				h.correctAny(review, by, on)
			case 2, 3:
				h.claimAny(by, on)
			default:
				h.splitOrMerge(by, on)
			}
			h.drainQueue()
			h.check()
		}
	})
}

// addPages gives the document further pages, at times if one in several shall: other documents, or the same
// one again.
func (h *teamHistory) addPages(oneIn int) {
	h.t.Helper()
	first := h.reader.lines
	if first == nil {
		first = printedInvoice(h.reader.xml)
	}
	h.file = slices.Clone(first)
	h.reader.others = nil
	for len(h.reader.others) < 3 && h.random.IntN(oneIn+len(h.reader.others)) == 0 {
		lines := pick(h.liveCase, first, invoiceLines(h.agency, "L-"+letters(h.random, 10),
			pick(h.liveCase, "900.00", "33.00", "700.00", "20000.00", "450000.00", "1200000.00")),
			[]string{"Terms and conditions", "1. Scope"})
		lines = h.withBank(lines)
		h.reader.others = append(h.reader.others, lines)
		h.file = append(h.file, lines...)
	}
	h.pages, h.paper = h.file, paper{h.reader.xml, h.reader.lines, h.reader.others}
}

// followed returns the case that the history follows.
func (h *teamHistory) followed() followedCase {
	return followedCase{h.id, h.sam, h.order, h.caseRecord}
}

// follow follows another case.
func (h *teamHistory) follow(other followedCase) {
	h.id, h.sam, h.order, h.caseRecord = other.id, other.sam, other.order, other.caseRecord
	h.before = h.caseByID(h.id)
	h.reader.mu.Lock()
	h.reader.xml, h.reader.lines, h.reader.others = h.paper.xml, h.paper.lines, h.paper.others
	h.reader.mu.Unlock()
}

// paper is what the reader returns for a document.
type paper struct {
	xml    []byte
	lines  []string
	others [][]string
}

// followAnother follows another case of the file at times, and always after the present one has ended.
func (h *teamHistory) followAnother() {
	h.t.Helper()
	if len(h.others) == 0 || !h.caseByID(h.id).Status.Final() && h.random.IntN(4) > 0 {
		return
	}
	at := h.random.IntN(len(h.others))
	other := h.others[at]
	h.others[at] = h.followed()
	h.follow(other)
	h.check()
}

// finishAll ends every case of the file.
func (h *teamHistory) finishAll() {
	h.t.Helper()
	for {
		h.finish()
		h.verifyCaseLog(h.id)
		if len(h.others) == 0 {
			return
		}
		h.follow(h.others[0])
		h.others = h.others[1:]
	}
}

// conflictOthers notes that a conflict of interest counts from now on for the other cases of the file.
func (h *teamHistory) conflictOthers() {
	h.t.Helper()
	for i := range h.others {
		h.others[i].conflictRevision = h.caseByID(h.others[i].id).FactsRevision
	}
}

// isExcluded reports whether a person split the file of the case, or could not decide about it.
func (h *teamHistory) isExcluded(id domain.ID) bool {
	return slices.Contains(h.excluded, h.head(id))
}

// keeps reports whether the case is a part of a file that had the review.
func (h *teamHistory) keeps(node string) bool {
	_, kept := h.kept[node]
	return kept
}

// splitOrMerge splits the file of the case, or merges it again with the other parts.
func (h *teamHistory) splitOrMerge(by domain.Actor, on casework.ReviewTarget) {
	h.t.Helper()
	if h.split != nil && h.random.IntN(3) > 0 {
		h.mergeParts(by, on)
		return
	}
	pages, err := h.db.Reader().NewestPages(h.ctx, h.id)
	must(h.t, err)
	whole := h.followed()
	whole.excluded = slices.Concat(h.excludedPeople(), []domain.ID{h.head(by.UserID)})
	if by.OnBehalfOf != domain.NoID {
		whole.excluded = append(whole.excluded, h.head(by.OnBehalfOf))
	}
	if len(pages) < 2 || !h.stillStaffed(-1, whole.excluded...) {
		return
	}
	model, sets := h.model(h.before)
	whole.kept = h.keptReviews()
	for node := range h.reviewsNeeded(h.before, model.Risk()) {
		whole.kept[node] = max(whole.kept[node], 1)
	}
	at := 1 + h.random.IntN(len(pages)-1)
	result, err := h.svc.SplitCase(h.ctx, by, casework.SplitCase{ReviewTarget: on,
		Parts: []casework.PageRange{{First: 1, Last: at}, {First: at + 1, Last: len(pages)}}})
	h.try(by.Name+" splits", err)
	if err != nil {
		return
	}
	if files, err := h.db.Reader().Supporting(h.ctx, h.id); err != nil || len(files) > 0 {
		h.t.Fatalf("a case with the supporting documents %+v was split (%v) after %v", files, err, h.commands)
	}
	whole.archived = append(slices.Clone(h.archived), h.statedAbout(h.before, sets)...)
	whole.archived = append(whole.archived, archivedSet{passed: true})
	whole.given, whole.conflictRevision = nil, -1
	h.drainQueue()
	h.afterSplit(whole, result.Parts)
}

// afterSplit follows one of the new parts.
func (h *teamHistory) afterSplit(whole followedCase, parts []domain.ID) {
	h.t.Helper()
	file := &splitFile{whole, parts}
	for _, id := range parts {
		part := whole
		part.id, part.split, part.pages = id, file, h.wordsOf(id)
		h.others = append(h.others, part)
	}
	last := len(h.others) - 1
	h.follow(h.others[last])
	h.others = h.others[:last]
}

// mergeParts undoes the split of which the case is a part, and follows the merged case.
func (h *teamHistory) mergeParts(by domain.Actor, on casework.ReviewTarget) {
	h.t.Helper()
	result, err := h.svc.MergeParts(h.ctx, by,
		casework.MergeParts{ReviewTarget: on, Reason: "one invoice"})
	h.try(by.Name+" merges", err)
	if err != nil {
		return
	}
	merged, parts := h.split.whole, h.split.parts
	merged.archived, merged.kept, merged.excluded = slices.Clone(merged.archived), map[string]int{}, nil
	var remaining []followedCase
	for _, part := range append(h.others, h.followed()) {
		if !slices.Contains(parts, part.id) {
			remaining = append(remaining, part)
			continue
		}
		h.follow(part)
		_, sets := h.model(h.before)
		for _, set := range h.statedAbout(h.before, sets) {
			if !set.set.Source.IsMachine() {
				set.ofPart = true
				merged.archived = append(merged.archived, set)
			}
		}
		for node, level := range h.keptReviews() {
			merged.kept[node] = max(merged.kept[node], level)
		}
		merged.excluded = append(merged.excluded, h.excludedPeople()...)
	}
	h.drainQueue()
	merged.id, merged.split, merged.pages = result.CaseID, nil, h.wordsOf(result.CaseID)
	h.others = remaining
	h.follow(merged)
}

// statedAbout returns what was asserted about the case itself.
func (h *teamHistory) statedAbout(record domain.Case, sets []domain.AssertionSet) (stated []archivedSet) {
	for _, set := range sets {
		if !slices.ContainsFunc(set.Assertions,
			func(a domain.Assertion) bool { return a.InheritedFrom != domain.NoID }) {
			stated = append(stated, h.asArchived(record, set))
		}
	}
	return stated
}

// excludedPeople returns who may not decide about the case, without its submitter: those who are excluded
// from the file, those who entered a value of it, and those with a conflict of interest.
func (h *teamHistory) excludedPeople() []domain.ID {
	h.t.Helper()
	excluded := slices.Clone(h.excluded)
	for _, person := range h.team.accounts() {
		if h.isInterested(person.UserID) {
			excluded = append(excluded, h.head(person.UserID))
		}
	}
	model, _ := h.model(h.before)
	if h.conflicted != domain.NoID && h.isOfConflict(model.Risk()) {
		excluded = append(excluded, h.conflicted)
	}
	return excluded
}

// keptReviews returns the reviews that the case has had, and those that it keeps of its file, each with its
// highest level. A repair is none.
func (h *teamHistory) keptReviews() map[string]int {
	h.t.Helper()
	kept := map[string]int{}
	for node, level := range h.kept {
		kept[node] = level
	}
	reviews, err := h.db.Reader().ReviewsOf(h.ctx, h.id)
	must(h.t, err)
	for _, review := range reviews {
		if !review.Repairs() {
			kept[review.Node] = max(kept[review.Node], review.Level)
		}
	}
	return kept
}

// requireKept checks that a part of a file was approved in every review that the file had, at its level at
// least, and by a person in any case.
func (h *teamHistory) requireKept(approvals []approval) {
	h.t.Helper()
	if h.kept == nil {
		return
	}
	if len(approvals) == 0 {
		h.t.Fatalf("a part was archived without a person after %v", h.commands)
	}
	for node, level := range h.kept {
		if !slices.ContainsFunc(approvals,
			func(a approval) bool { return a.node == node && a.level >= level }) {
			h.t.Fatalf("a part was archived with %+v, its file had %v, after %v", approvals, h.kept,
				h.commands)
		}
	}
}

// wordsOf returns the lines of the newest pages of a case.
func (h *teamHistory) wordsOf(id domain.ID) (lines []string) {
	h.t.Helper()
	document, err := h.db.Reader().Document(h.ctx, id)
	must(h.t, err)
	pages, err := h.db.Reader().Pages(h.ctx, id, document.Revision)
	must(h.t, err)
	for _, page := range pages {
		lines = append(lines, strings.Split(page.Text, "\n")...)
	}
	return lines
}
