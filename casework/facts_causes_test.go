package casework_test

import (
	"encoding/json"
	"slices"
	"testing"

	"countersign/domain"
	"countersign/events/generated"
)

// reevaluations returns the events by which a case was evaluated again.
func (env *testEnv) reevaluations(id domain.ID) []generated.RouteReevaluatedV2 {
	env.t.Helper()
	rows, err := env.owner.Query(env.ctx, `SELECT body FROM events
		WHERE case_id = $1 AND type = 'route.reevaluated' ORDER BY seq`, id)
	must(env.t, err)
	defer rows.Close()
	var found []generated.RouteReevaluatedV2
	for rows.Next() {
		var text []byte
		must(env.t, rows.Scan(&text))
		var body generated.RouteReevaluatedV2
		must(env.t, json.Unmarshal(text, &body))
		found = append(found, body)
	}
	return found
}

// requireCauses requires the causes and the other cases of the last evaluation, and how many there were.
func (env *testEnv) requireCauses(id domain.ID, count int, causes []string, others ...domain.ID) {
	env.t.Helper()
	all := env.reevaluations(id)
	if len(all) != count {
		env.t.Fatalf("evaluated again %d times, want %d: %+v", len(all), count, all)
	}
	var references []string
	for _, other := range others {
		references = append(references, env.caseByID(other).Reference)
	}
	if last := all[count-1]; !slices.Equal(last.Causes, causes) || !slices.Equal(last.Cases, references) {
		env.t.Errorf("causes %v, cases %v, want %v, %v", last.Causes, last.Cases, causes, references)
	}
}

// The event says that another document was the cause and which, when it is submitted and when it is rejected, and
// names no control data, also if that has changed without an effect on the case.
func TestAnotherDocumentIsTheCauseOfAnEvaluation(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter)
	kim, ada := env.person("kim", domain.RoleL1), env.person("ada", domain.RoleAdmin)
	one := env.submitLines(sam, "invoice", invoicePage("Hafen Logistik GmbH", "R18-31", "2026-11-02", "1200.00")...)
	must(t, errOf(env.setCountry(ada, "FR", "high")))
	two := env.submitLines(sue, "invoice", invoicePage("Hafen Logistik GmbH", "R18-88", "2026-11-02", "1200.00")...)
	env.requireCauses(one, 1, []string{"other cases"}, two)
	for range 2 { // delivered twice
		must(t, errOf(env.svc.EvaluatePairs(env.ctx)))
		env.requireCauses(one, 1, []string{"other cases"}, two)
	}
	env.claim(kim, two)
	must(t, env.decide(kim, env.openReview(two).ID, domain.Reject, "the same again"))
	env.drainQueue()
	env.requireCauses(one, 2, []string{"other cases"}, two)
	env.verifyCaseLog(one)
}

// Changes of control data and another document that fall together are both named, each once.
func TestSeveralCausesOfAnEvaluationAreListed(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, sue, ada := env.person("sam", domain.RoleSubmitter), env.person("sue", domain.RoleSubmitter),
		env.person("ada", domain.RoleAdmin)
	env.reader.xml = invoiceXML("1200.00", "R18-31")
	one := env.submitTo(sam, "document_approval", "invoice", "the file")
	two := env.submitTo(sue, "document_approval", "invoice", "another file")
	env.requireCauses(one, 1, []string{"other cases"}, two)
	must(t, errOf(env.setCountry(ada, "DE", "high")))
	three := env.submitTo(sue, "document_approval", "invoice", "a third file")
	env.requireCauses(one, 2, []string{"country risks", "other cases"}, three)
	for range 2 { // delivered twice
		env.sweepControls()
		env.requireCauses(one, 2, []string{"country risks", "other cases"}, three)
	}
}

// A change of control data alone is the cause by its own name.
func TestControlDataIsTheCauseOfAnEvaluation(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam, ada := env.person("sam", domain.RoleSubmitter), env.person("ada", domain.RoleAdmin)
	env.reader.xml = invoiceXML("1200.00", "R18-31")
	one := env.submitTo(sam, "document_approval", "invoice", "the file")
	must(t, errOf(env.setCountry(ada, "DE", "high")))
	for range 2 { // delivered twice
		env.sweepControls()
		env.requireCauses(one, 1, []string{"country risks"})
	}
}
