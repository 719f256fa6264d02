package casework_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/doctype"
	"countersign/domain"
	"countersign/workflow"
)

// coverageEnv counts the transitions of one process that its cases take.
type coverageEnv struct {
	*testEnv
	key     string
	mu      sync.Mutex
	covered map[string]int
	cases   int
}

// transitionNames returns all transitions of a definition: its edges and the commands that it
// allows.
func transitionNames(def *workflow.Definition) []string {
	var all []string
	returns := false
	for _, node := range def.Nodes {
		for i := range node.Edges {
			all = append(all, edgeName(def, &node.Edges[i]))
			returns = returns || node.Edges[i].On == string(domain.Return)
		}
		if node.EscalateTo != "" {
			all = append(all, "escalate at "+node.ID)
		}
	}
	if returns {
		all = append(all, "resubmit")
	}
	for _, status := range def.Reopen {
		all = append(all, "reopen from "+string(status))
	}
	return append(all, "replace to "+def.OnReplace, "enter to "+def.OnEnter,
		"abandon to "+def.OnAbandon)
}

func edgeName(def *workflow.Definition, edge *workflow.Edge) string {
	for _, node := range def.Nodes {
		for i := range node.Edges {
			if &node.Edges[i] == edge {
				return fmt.Sprintf("%s to %s (%d: %s%s%s)", node.ID, edge.To, i, edge.On, edge.When,
					edge.Trigger)
			}
		}
	}
	return "an edge of another definition"
}

func (env *coverageEnv) recordTransition(
	def *workflow.Definition, event workflow.Event, edge *workflow.Edge,
) {
	env.mu.Lock()
	defer env.mu.Unlock()
	if def.Key != env.key {
		env.t.Errorf("a step of %s", def.Key)
	}
	if edge != nil {
		env.covered[edgeName(def, edge)]++
		return
	}
	switch event.Kind {
	case workflow.Resubmitted:
		env.covered["resubmit"]++
	case workflow.Replaced:
		env.covered["replace to "+def.OnReplace]++
	case workflow.Entered:
		env.covered["enter to "+def.OnEnter]++
	case workflow.Abandoned:
		env.covered["abandon to "+def.OnAbandon]++
	case workflow.ReviewDecided:
		if event.Verdict == domain.Escalate {
			env.covered["escalate at "+event.Node]++
		}
	}
}

// coverageCase is one case: the submitted document, the steps of users and the final status.
type coverageCase struct {
	amount, country string
	damaged         bool
	steps           []func(id domain.ID)
	want            domain.Status
}

func (env *coverageEnv) runCase(by domain.Actor, kind string, c coverageCase) {
	env.t.Helper()
	env.cases++
	if c.amount == "" {
		c.amount = "120.00"
	}
	account := "DE89370400440532013000"
	if c.country != "" {
		account = ""
	}
	env.approvedBefore(fmt.Sprintf("Werk %d GmbH", env.cases), kind, account)
	xml := bytes.ReplaceAll(invoiceXML(c.amount, fmt.Sprintf("E-%d", env.cases)),
		[]byte("Muster Werke"), fmt.Appendf(nil, "Werk %d", env.cases))
	if c.country != "" { // a country without IBANs, so that no field is missing
		xml = bytes.ReplaceAll(xml, []byte("<ram:CountryID>DE"),
			[]byte("<ram:CountryID>"+c.country))
		xml = bytes.Replace(xml, []byte("<ram:IBANID>DE89370400440532013000</ram:IBANID>"), nil, 1)
	}
	env.reader.xml, env.reader.err = xml, nil
	if c.damaged {
		env.reader.err = domain.Errorf(domain.DamagedFile, "The file is damaged.")
	}
	id := env.submitTo(by, env.key, kind, fmt.Sprint(env.key, env.cases))
	env.reader.err = nil
	for _, do := range c.steps {
		do(id)
		env.drainQueue()
	}
	if got := env.caseByID(id); got.Status != c.want {
		env.t.Errorf("case %d is %s at %+v, want %s", env.cases, got.Status, got.Marking.Tokens,
			c.want)
	}
	env.verifyCaseLog(id)
}

// TestEveryBuiltinTransitionIsCovered takes every edge and command of every built-in definition in
// the service layer, on rows. It fails for a new transition that no case here takes.
func TestEveryBuiltinTransitionIsCovered(t *testing.T) {
	t.Parallel()
	sources, err := workflow.Builtin()
	must(t, err)
	coverage := map[string]func(*coverageEnv){"document_approval": coverApproval,
		"document_approval_model": coverApproval,
		"cross_border_remittance": coverRemittance,
		"merchant_onboarding":     coverMerchant, "content_review": coverContent}
	for _, source := range sources {
		t.Run(source.Key, func(t *testing.T) {
			t.Parallel()
			def, err := workflow.Parse(source.YAML)
			must(t, err)
			env := &coverageEnv{testEnv: newTestEnv(t), key: source.Key, covered: map[string]int{}}
			env.svc.ObserveTransitions(env.recordTransition)
			if coverage[source.Key] == nil {
				t.Fatal("this definition has no test cases")
			}
			coverage[source.Key](env)
			all := transitionNames(def)
			for _, name := range all {
				if env.covered[name] == 0 {
					t.Errorf("never taken: %s", name)
				}
				delete(env.covered, name)
			}
			for name := range env.covered {
				t.Errorf("taken but not defined: %s", name)
			}
			t.Logf("%s: %d transitions in %d cases", source.Key, len(all), env.cases)
		})
	}
}

// decides returns the step in which a user decides at a node.
func (env *coverageEnv) decides(by domain.Actor, node string,
	verdict domain.Verdict) func(domain.ID) {
	return func(id domain.ID) {
		env.t.Helper()
		must(env.t, env.claimAndDecide(by, id, node, verdict))
	}
}

// answers returns the step in which the submitter resubmits a returned case.
func (env *coverageEnv) answers(by domain.Actor) func(domain.ID) {
	return func(id domain.ID) {
		must(env.t, errOf(env.svc.ResubmitCase(env.ctx, by,
			casework.ResubmitCase{CaseTarget: casework.CaseTarget{CaseID: id}, Comment: "here"})))
	}
}

func (env *coverageEnv) abandons(by domain.Actor) func(domain.ID) {
	return func(id domain.ID) {
		must(env.t, errOf(env.svc.AbandonCase(env.ctx, by,
			casework.AbandonCase{CaseTarget: casework.CaseTarget{CaseID: id},
				Reason: "no longer needed"})))
	}
}

func (env *coverageEnv) replaces(by domain.Actor) func(domain.ID) {
	return func(id domain.ID) {
		must(env.t, errOf(env.svc.ReplaceDocument(env.ctx, by,
			casework.ReplaceDocument{CaseTarget: casework.CaseTarget{CaseID: id},
				File: upload("better " + id.String())})))
	}
}

func (env *coverageEnv) enters(by domain.Actor) func(domain.ID) {
	return env.entersOf(by, casework.FieldInput{Name: domain.FieldVendor, Value: "By Hand Ltd"},
		casework.FieldInput{Name: domain.FieldCurrency, Value: "EUR"},
		casework.FieldInput{Name: domain.FieldCountry, Value: "US"},
		casework.FieldInput{Name: domain.FieldTotal, Value: "250000.00"})
}

// entersWithoutName returns the step in which the submitter enters values but no counterparty.
func (env *coverageEnv) entersWithoutName(by domain.Actor) func(domain.ID) {
	return env.entersOf(by, casework.FieldInput{Name: domain.FieldCurrency, Value: "EUR"},
		casework.FieldInput{Name: domain.FieldCountry, Value: "US"},
		casework.FieldInput{Name: domain.FieldTotal, Value: "250000.00"})
}

// entersOf returns the step that enters those of the values whose fields the document type has.
func (env *coverageEnv) entersOf(
	by domain.Actor, values ...casework.FieldInput,
) func(domain.ID) {
	return func(id domain.ID) {
		c := env.caseByID(id)
		row, err := env.db.Reader().DocumentType(env.ctx, c.DocumentType, c.DocumentTypeVersion)
		must(env.t, err)
		kind, err := doctype.ParsePublished([]byte(row.Document))
		must(env.t, err)
		fields := slices.DeleteFunc(slices.Clone(values),
			func(input casework.FieldInput) bool { return !kind.Has(input.Name) })
		must(env.t, errOf(env.svc.EnterFields(env.ctx, by, casework.EnterFields{
			CaseTarget: casework.CaseTarget{CaseID: id}, Fields: fields})))
	}
}

// runRepair covers the transitions of a repair: it is escalated, returned and resubmitted, one person
// names the counterparty, and another ends it.
func (env *coverageEnv) runRepair(sam, names, ends domain.Actor, kind string,
	then ...func(domain.ID)) {
	env.t.Helper()
	correct := func(id domain.ID) {
		env.corrects(names, id, "repair", domain.FieldVendor, "By Hand Ltd")
	}
	// the document can be read when it is resubmitted, and states the same country
	env.runCase(sam, kind, coverageCase{damaged: true, country: "US", steps: append(caseSteps{
		env.entersWithoutName(sam), env.decides(ends, "repair", domain.Escalate),
		env.decides(names, "repair", domain.Return), env.answers(sam)}, then...),
		want: domain.Archived})
	env.runCase(sam, kind, coverageCase{damaged: true, steps: append(caseSteps{
		env.entersWithoutName(sam), correct, env.decides(ends, "repair", domain.Repaired)},
		then...), want: domain.Archived})
}

func (env *coverageEnv) reopens(by domain.Actor) func(domain.ID) {
	return func(id domain.ID) {
		env.mu.Lock()
		env.covered["reopen from "+string(env.caseByID(id).Status)]++
		env.mu.Unlock()
		must(env.t, errOf(env.svc.ReopenCase(env.ctx, by,
			casework.ReopenCase{CaseTarget: casework.CaseTarget{CaseID: id}, Reason: "a mistake"})))
	}
}

type caseSteps = []func(domain.ID)

// runOtherTransitions covers the transitions that every definition has besides its edges.
func (env *coverageEnv) runOtherTransitions(sam domain.Actor, kind string,
	then ...func(domain.ID)) {
	env.t.Helper()
	env.runCase(sam, kind, coverageCase{damaged: true, steps: caseSteps{env.abandons(sam)},
		want: domain.Abandoned})
	env.runCase(sam, kind, coverageCase{damaged: true,
		steps: append(caseSteps{env.enters(sam)}, then...), want: domain.Archived})
}

func coverApproval(env *coverageEnv) {
	sam, rita, mia := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1),
		env.person("mia", domain.RoleManager)
	const kind, node = "invoice", "review_l1"
	approve := env.decides(rita, node, domain.Approve)
	env.runCase(sam, kind, coverageCase{want: domain.Archived})
	env.runCase(sam, kind, coverageCase{amount: "9120.00",
		steps: caseSteps{env.decides(rita, node, domain.Return), env.answers(sam), approve},
		want:  domain.Archived})
	env.runCase(sam, kind, coverageCase{amount: "9120.00",
		steps: caseSteps{env.decides(rita, node, domain.Escalate),
			env.decides(mia, node, domain.Approve)}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{amount: "9120.00",
		steps: caseSteps{env.decides(rita, node, domain.Reject), env.reopens(mia), approve},
		want:  domain.Archived})
	env.runCase(sam, kind, coverageCase{damaged: true,
		steps: caseSteps{env.abandons(sam), env.reopens(mia), approve}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{damaged: true, steps: caseSteps{env.replaces(sam)},
		want: domain.Archived})
	env.runOtherTransitions(sam, kind, approve)
	env.runRepair(sam, mia, rita, kind, approve)
}

func coverRemittance(env *coverageEnv) {
	env.replaceRate("EUR", 1_000_000)
	sam, sid, mia, al := env.person("sam", domain.RoleSubmitter),
		env.person("sid", domain.RoleSenior), env.person("mia", domain.RoleManager),
		env.amlOfficer("al")
	mo := env.person("mo", domain.RoleManager)
	const kind, risky, large = "remittance", "IR", "1200000.00"
	l1, l2 := env.decides(sid, "review_l1", domain.Approve),
		env.decides(mia, "review_l2", domain.Approve)
	env.runCase(sam, kind, coverageCase{want: domain.Archived})
	env.runCase(sam, kind, coverageCase{country: risky,
		steps: caseSteps{env.decides(al, "review_aml", domain.Return), env.answers(sam),
			env.decides(al, "review_aml", domain.Approve), l1}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{country: risky,
		steps: caseSteps{env.decides(al, "review_aml", domain.Reject)}, want: domain.Rejected})
	env.runCase(sam, kind, coverageCase{amount: "150000.00",
		steps: caseSteps{env.decides(sid, "review_l1", domain.Return), env.answers(sam), l1},
		want:  domain.Archived})
	env.runCase(sam, kind, coverageCase{amount: "150000.00",
		steps: caseSteps{env.decides(sid, "review_l1", domain.Reject)}, want: domain.Rejected})
	env.runCase(sam, kind, coverageCase{amount: "150000.00",
		steps: caseSteps{env.decides(sid, "review_l1", domain.Escalate),
			env.decides(mo, "review_l1", domain.Approve)}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{amount: large, steps: caseSteps{l1, l2},
		want: domain.Archived})
	env.runCase(sam, kind, coverageCase{amount: large,
		steps: caseSteps{l1, env.decides(mia, "review_l2", domain.Reject)}, want: domain.Rejected})
	env.runCase(sam, kind, coverageCase{amount: large,
		steps: caseSteps{l1, env.decides(mia, "review_l2", domain.Return), env.answers(sam), l1,
			l2}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{damaged: true, steps: caseSteps{env.replaces(sam)},
		want: domain.Archived})
	env.runOtherTransitions(sam, kind, l1)
	env.runRepair(sam, mo, sid, kind, l1)
}

func coverMerchant(env *coverageEnv) {
	sam, mia, mo, al := env.person("sam", domain.RoleSubmitter),
		env.person("mia", domain.RoleManager), env.person("mo", domain.RoleManager),
		env.amlOfficer("al")
	const kind = "merchant_application"
	kyc, credit := env.decides(al, "kyc", domain.Approve),
		env.decides(mia, "credit", domain.Approve)
	env.runCase(sam, kind, coverageCase{steps: caseSteps{kyc, credit}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{steps: caseSteps{env.decides(mia, "credit",
		domain.Escalate), env.decides(mo, "credit", domain.Approve), kyc}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{steps: caseSteps{env.decides(al, "kyc", domain.Reject)},
		want: domain.Rejected})
	env.runCase(sam, kind, coverageCase{steps: caseSteps{env.decides(mia, "credit", domain.Reject)},
		want: domain.Rejected})
	env.runCase(sam, kind, coverageCase{steps: caseSteps{env.decides(al, "kyc", domain.Return),
		env.answers(sam), kyc, credit}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{steps: caseSteps{kyc,
		env.decides(mia, "credit", domain.Return), env.answers(sam), credit, kyc},
		want: domain.Archived})
	env.runCase(sam, kind, coverageCase{damaged: true,
		steps: caseSteps{env.replaces(sam), kyc, credit}, want: domain.Archived})
	env.runOtherTransitions(sam, kind, kyc, credit)
	env.runRepair(sam, mo, mia, kind, kyc, credit)
}

func coverContent(env *coverageEnv) {
	sam, rita, mia := env.person("sam", domain.RoleSubmitter), env.person("rita", domain.RoleL1),
		env.person("mia", domain.RoleManager)
	const kind, node = "content", "review"
	approve := env.decides(rita, node, domain.Approve)
	env.runCase(sam, kind, coverageCase{steps: caseSteps{approve}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{steps: caseSteps{env.decides(rita, node, domain.Reject)},
		want: domain.Rejected})
	env.runCase(sam, kind, coverageCase{steps: caseSteps{env.decides(rita, node, domain.Return),
		env.answers(sam), approve}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{steps: caseSteps{env.decides(rita, node, domain.Escalate),
		env.decides(mia, node, domain.Approve)}, want: domain.Archived})
	env.runCase(sam, kind, coverageCase{damaged: true, steps: caseSteps{env.replaces(sam), approve},
		want: domain.Archived})
	env.runOtherTransitions(sam, kind, approve)
}
