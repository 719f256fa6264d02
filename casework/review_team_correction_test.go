package casework_test

import (
	"slices"

	"countersign/casework"
)

// correctArchivedCase corrects the archived case as one of the people, if enough others remain, and
// continues the history with the correction. It reports whether it did.
func (h *teamHistory) correctArchivedCase() bool {
	h.t.Helper()
	at := h.random.IntN(len(h.people))
	by := h.people[at]
	if h.head(by.UserID) == h.head(h.before.Submitter) || !h.stillStaffed(at) {
		return false
	}
	sets, err := h.db.Reader().Assertions(h.ctx, h.id)
	must(h.t, err)
	corrected, err := h.svc.CorrectArchived(h.ctx, by,
		casework.CorrectArchived{CaseID: h.id, Reason: "the total is another one"})
	h.try(by.Name+" corrects the archived case", err)
	if err != nil {
		return false
	}
	h.archived = append(h.archived, h.statedAbout(h.before, sets)...)
	h.archived = append(h.archived, archivedSet{passed: true})
	h.submitters = append(slices.Clone(h.submitters), h.head(h.before.Submitter))
	h.id, h.sam, h.order, h.conflictRevision = corrected.CorrectionID, by, casework.OrderInput{}, -1
	h.pages, h.kept, h.excluded, h.split = h.file, nil, nil, nil // it reads the whole file
	h.archivedBefore = false
	h.drainQueue()
	h.before = h.caseByID(h.id)
	h.check()
	return !h.before.Status.Final()
}
