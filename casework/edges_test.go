package casework_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/workflow"
)

// walker counts the ways of one process that its cases take.
type walker struct {
	*world
	key   string
	mu    sync.Mutex
	taken map[string]int
	n     int
}

// ways are all ways of a definition: its edges, and what is asked of it beside them.
func ways(def *workflow.Definition) []string {
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
	return append(all, "replace to "+def.OnReplace, "enter to "+def.OnEnter, "abandon to "+def.OnAbandon)
}

func edgeName(def *workflow.Definition, edge *workflow.Edge) string {
	for _, node := range def.Nodes {
		for i := range node.Edges {
			if &node.Edges[i] == edge {
				return fmt.Sprintf("%s to %s (%d: %s%s%s)", node.ID, edge.To, i, edge.On, edge.When, edge.Trigger)
			}
		}
	}
	return "an edge of another definition"
}

func (w *walker) seen(def *workflow.Definition, event workflow.Event, edge *workflow.Edge) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if def.Key != w.key {
		w.t.Errorf("a step of %s", def.Key)
	}
	if edge != nil {
		w.taken[edgeName(def, edge)]++
		return
	}
	switch event.Kind {
	case workflow.Resubmitted:
		w.taken["resubmit"]++
	case workflow.Replaced:
		w.taken["replace to "+def.OnReplace]++
	case workflow.Entered:
		w.taken["enter to "+def.OnEnter]++
	case workflow.Abandoned:
		w.taken["abandon to "+def.OnAbandon]++
	case workflow.ReviewDecided:
		if event.Verdict == domain.Escalate {
			w.taken["escalate at "+event.Node]++
		}
	}
}

// walk is one case: what is sent, what people do, how it ends.
type walk struct {
	amount, country string
	damaged         bool
	do              []func(id domain.ID)
	end             domain.Status
}

func (w *walker) walk(by domain.Actor, kind string, one walk) {
	w.t.Helper()
	w.n++
	if one.amount == "" {
		one.amount = "120.00"
	}
	xml := bytes.ReplaceAll(invoiceXML(one.amount, fmt.Sprintf("E-%d", w.n)), []byte("Muster Werke"), fmt.Appendf(nil, "Werk %d", w.n))
	if one.country != "" { // one without IBANs, so that nothing is missing
		xml = bytes.ReplaceAll(xml, []byte("<ram:CountryID>DE"), []byte("<ram:CountryID>"+one.country))
		xml = bytes.Replace(xml, []byte("<ram:IBANID>DE89370400440532013000</ram:IBANID>"), nil, 1)
	}
	w.desk.xml, w.desk.err = xml, nil
	if one.damaged {
		w.desk.err = domain.Fail(domain.DamagedFile, "The file is damaged.")
	}
	id := w.submitTo(by, w.key, kind, fmt.Sprint(w.key, w.n))
	w.desk.err = nil
	for _, do := range one.do {
		do(id)
		w.work()
	}
	if c := w.kase(id); c.Status != one.end {
		w.t.Errorf("case %d is %s at %+v, want %s", w.n, c.Status, c.Marking.Tokens, one.end)
	}
	w.verify(id)
}

// Every edge of every built-in definition is walked in the hall, on rows, by cases and people; and so is every other way that
// the definition names. A way that is new, and that no case here takes, fails.
func TestEveryEdgeOfTheBuiltinDefinitionsIsWalked(t *testing.T) {
	t.Parallel()
	sources, err := workflow.Builtin()
	must(t, err)
	walks := map[string]func(*walker){"document_approval": walkApproval, "cross_border_remittance": walkRemittance,
		"merchant_onboarding": walkMerchant, "content_review": walkContent}
	for _, source := range sources {
		t.Run(source.Key, func(t *testing.T) {
			t.Parallel()
			def, err := workflow.Parse(source.YAML)
			must(t, err)
			w := &walker{world: newWorld(t), key: source.Key, taken: map[string]int{}}
			w.hall.WatchEdges(w.seen)
			if walks[source.Key] == nil {
				t.Fatal("no case of this definition is walked")
			}
			walks[source.Key](w)
			all := ways(def)
			for _, way := range all {
				if w.taken[way] == 0 {
					t.Errorf("never taken: %s", way)
				}
				delete(w.taken, way)
			}
			for way := range w.taken {
				t.Errorf("taken, and in no definition: %s", way)
			}
			t.Logf("%s: %d ways by %d cases", source.Key, len(all), w.n)
		})
	}
}

// decides lets a person decide at a node.
func (w *walker) decides(by domain.Actor, node string, verdict domain.Verdict) func(domain.ID) {
	return func(id domain.ID) {
		w.t.Helper()
		must(w.t, w.settle(by, id, node, verdict))
	}
}

// answers lets the submitter answer a returned case.
func (w *walker) answers(by domain.Actor) func(domain.ID) {
	return func(id domain.ID) {
		must(w.t, first(w.hall.ResubmitCase(w.ctx, by, casework.ResubmitCase{OnCase: casework.OnCase{CaseID: id}, Comment: "here"})))
	}
}

func (w *walker) abandons(by domain.Actor) func(domain.ID) {
	return func(id domain.ID) {
		must(w.t, first(w.hall.AbandonCase(w.ctx, by, casework.AbandonCase{OnCase: casework.OnCase{CaseID: id}, Reason: "no longer needed"})))
	}
}

func (w *walker) replaces(by domain.Actor) func(domain.ID) {
	return func(id domain.ID) {
		must(w.t, first(w.hall.ReplaceDocument(w.ctx, by, casework.ReplaceDocument{OnCase: casework.OnCase{CaseID: id}, File: upload("better " + id.String())})))
	}
}

func (w *walker) enters(by domain.Actor) func(domain.ID) {
	return func(id domain.ID) {
		must(w.t, first(w.hall.EnterFields(w.ctx, by, casework.EnterFields{OnCase: casework.OnCase{CaseID: id}, Fields: []casework.FieldInput{
			{Name: domain.FieldVendor, Value: "By Hand Ltd"}, {Name: domain.FieldCurrency, Value: "EUR"}, {Name: domain.FieldTotal, Value: "2500.00"}}})))
	}
}

func (w *walker) reopens(by domain.Actor) func(domain.ID) {
	return func(id domain.ID) {
		w.mu.Lock()
		w.taken["reopen from "+string(w.kase(id).Status)]++
		w.mu.Unlock()
		must(w.t, first(w.hall.ReopenCase(w.ctx, by, casework.ReopenCase{OnCase: casework.OnCase{CaseID: id}, Reason: "a mistake"})))
	}
}

type acts = []func(domain.ID)

// elsewhere are the ways that every definition names beside its edges.
func (w *walker) elsewhere(sam domain.Actor, kind string, then ...func(domain.ID)) {
	w.t.Helper()
	w.walk(sam, kind, walk{damaged: true, do: acts{w.abandons(sam)}, end: domain.Abandoned})
	w.walk(sam, kind, walk{damaged: true, do: append(acts{w.enters(sam)}, then...), end: domain.Archived})
}

func walkApproval(w *walker) {
	sam, rita, mia := w.person("sam", domain.RoleSubmitter), w.person("rita", domain.RoleL1), w.person("mia", domain.RoleManager)
	const kind, node = "invoice", "review_l1"
	approve := w.decides(rita, node, domain.Approve)
	w.walk(sam, kind, walk{end: domain.Archived})
	w.walk(sam, kind, walk{amount: "9120.00", do: acts{w.decides(rita, node, domain.Return), w.answers(sam), approve}, end: domain.Archived})
	w.walk(sam, kind, walk{amount: "9120.00", do: acts{w.decides(rita, node, domain.Escalate), w.decides(mia, node, domain.Approve)}, end: domain.Archived})
	w.walk(sam, kind, walk{amount: "9120.00", do: acts{w.decides(rita, node, domain.Reject), w.reopens(mia), approve}, end: domain.Archived})
	w.walk(sam, kind, walk{damaged: true, do: acts{w.abandons(sam), w.reopens(mia)}, end: domain.Archived})
	w.walk(sam, kind, walk{damaged: true, do: acts{w.replaces(sam)}, end: domain.Archived})
	w.elsewhere(sam, kind, approve)
}

func walkRemittance(w *walker) {
	must(w.t, w.hall.PutRate(w.ctx, domain.SystemActor(), "EUR", 1_000_000))
	sam, sid, mia, al := w.person("sam", domain.RoleSubmitter), w.person("sid", domain.RoleSenior), w.person("mia", domain.RoleManager), w.aml("al")
	mo := w.person("mo", domain.RoleManager)
	const kind, risky, large = "remittance", "IR", "1200000.00"
	l1, l2 := w.decides(sid, "review_l1", domain.Approve), w.decides(mia, "review_l2", domain.Approve)
	w.walk(sam, kind, walk{end: domain.Archived})
	w.walk(sam, kind, walk{country: risky, do: acts{w.decides(al, "review_aml", domain.Return), w.answers(sam), w.decides(al, "review_aml", domain.Approve)}, end: domain.Archived})
	w.walk(sam, kind, walk{country: risky, do: acts{w.decides(al, "review_aml", domain.Reject)}, end: domain.Rejected})
	w.walk(sam, kind, walk{amount: "150000.00", do: acts{w.decides(sid, "review_l1", domain.Return), w.answers(sam), l1}, end: domain.Archived})
	w.walk(sam, kind, walk{amount: "150000.00", do: acts{w.decides(sid, "review_l1", domain.Reject)}, end: domain.Rejected})
	w.walk(sam, kind, walk{amount: "150000.00", do: acts{w.decides(sid, "review_l1", domain.Escalate), w.decides(mo, "review_l1", domain.Approve)}, end: domain.Archived})
	w.walk(sam, kind, walk{amount: large, do: acts{l1, l2}, end: domain.Archived})
	w.walk(sam, kind, walk{amount: large, do: acts{l1, w.decides(mia, "review_l2", domain.Reject)}, end: domain.Rejected})
	w.walk(sam, kind, walk{amount: large, do: acts{l1, w.decides(mia, "review_l2", domain.Return), w.answers(sam), l1, l2}, end: domain.Archived})
	w.walk(sam, kind, walk{damaged: true, do: acts{w.replaces(sam)}, end: domain.Archived})
	w.elsewhere(sam, kind, l1)
}

func walkMerchant(w *walker) {
	sam, mia, mo, al := w.person("sam", domain.RoleSubmitter), w.person("mia", domain.RoleManager), w.person("mo", domain.RoleManager), w.aml("al")
	const kind = "merchant_application"
	kyc, credit := w.decides(al, "kyc", domain.Approve), w.decides(mia, "credit", domain.Approve)
	w.walk(sam, kind, walk{do: acts{kyc, credit}, end: domain.Archived})
	w.walk(sam, kind, walk{do: acts{w.decides(mia, "credit", domain.Escalate), w.decides(mo, "credit", domain.Approve), kyc}, end: domain.Archived})
	w.walk(sam, kind, walk{do: acts{w.decides(al, "kyc", domain.Reject)}, end: domain.Rejected})
	w.walk(sam, kind, walk{do: acts{w.decides(mia, "credit", domain.Reject)}, end: domain.Rejected})
	w.walk(sam, kind, walk{do: acts{w.decides(al, "kyc", domain.Return), w.answers(sam), kyc, credit}, end: domain.Archived})
	w.walk(sam, kind, walk{do: acts{kyc, w.decides(mia, "credit", domain.Return), w.answers(sam), credit, kyc}, end: domain.Archived})
	w.walk(sam, kind, walk{damaged: true, do: acts{w.replaces(sam), kyc, credit}, end: domain.Archived})
	w.elsewhere(sam, kind, kyc, credit)
}

func walkContent(w *walker) {
	sam, rita, mia := w.person("sam", domain.RoleSubmitter), w.person("rita", domain.RoleL1), w.person("mia", domain.RoleManager)
	const kind, node = "content", "review"
	approve := w.decides(rita, node, domain.Approve)
	w.walk(sam, kind, walk{do: acts{approve}, end: domain.Archived})
	w.walk(sam, kind, walk{do: acts{w.decides(rita, node, domain.Reject)}, end: domain.Rejected})
	w.walk(sam, kind, walk{do: acts{w.decides(rita, node, domain.Return), w.answers(sam), approve}, end: domain.Archived})
	w.walk(sam, kind, walk{do: acts{w.decides(rita, node, domain.Escalate), w.decides(mia, node, domain.Approve)}, end: domain.Archived})
	w.walk(sam, kind, walk{damaged: true, do: acts{w.replaces(sam), approve}, end: domain.Archived})
	w.elsewhere(sam, kind, approve)
}
