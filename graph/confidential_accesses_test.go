package graph

import (
	"testing"

	"countersign/domain"
	"countersign/internal/pgtest"
	"countersign/store"
	"countersign/views"
)

// accessesOf reads how many lines of the access log about the case the person may see; refused if
// they may not read the log.
func (w *amlWorld) accessesOf(name string) (lines int, refused bool) {
	w.t.Helper()
	actor, _ := w.people.Load(name)
	reading := views.New(w.db.Reader(), w.service.Authorizer)
	page, err := reading.Accesses(w.t.Context(), actor.(domain.Actor), "", views.MaxFeed)
	if domain.HasCode(err, domain.NotPermitted) {
		return 0, true
	}
	must(w.t, err)
	for _, line := range page.Lines {
		if line.CaseID == caseIDOf(w.t, w.caseID).String() {
			lines++
		}
	}
	return lines, false
}

// Who opened a case of a process with an AML review shows who works on it, so only people with
// clearance get these lines, whether the case needs the review or not.
func TestAccessesOfConfidentialCases(t *testing.T) {
	t.Parallel()
	for _, aml := range []bool{true, false} {
		w := newAMLWorld(t, aml)
		amy, _ := w.people.Load("amy")
		must(t, w.db.InTx(t.Context(), func(tx *store.Tx) error {
			return tx.LogAccess(t.Context(), store.AccessEntry{Actor: amy.(domain.Actor).UserID,
				Action: store.AccessOpen, CaseID: caseIDOf(t, w.caseID)})
		}))
		pgtest.Settle(t, pgtest.Empty(t).Owner(t))
		if lines, _ := w.accessesOf("aud"); lines == 0 {
			t.Error("the auditor gets no line")
		}
		for _, name := range uncleared {
			if lines, refused := w.accessesOf(name); lines != 0 {
				t.Errorf("aml %t: %s gets %d lines (refused: %t)", aml, name, lines, refused)
			}
		}
		for _, name := range []string{"sam", "rita"} {
			if _, refused := w.accessesOf(name); !refused {
				t.Errorf("%s may read the access log", name)
			}
		}
	}
}
