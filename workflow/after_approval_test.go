package workflow

import (
	"slices"
	"testing"

	"countersign/domain"
)

// What follows an approval is what the engine does with it: the next review, the archive, or a wait for
// the other reviews.
func TestNextAfterApproval(t *testing.T) {
	t.Parallel()
	remittance, merchant := builtin(t, "cross_border_remittance"), builtin(t, "merchant_onboarding")
	at := func(nodes ...string) domain.Marking {
		marking := domain.Marking{Visits: map[string]int{}}
		for _, node := range nodes {
			marking.Tokens = append(marking.Tokens, domain.Token{Node: node, Visit: 1})
			marking.Visits[node] = 1
		}
		return marking
	}
	for name, row := range map[string]struct {
		def     *Definition
		marking domain.Marking
		minor   int64
		node    string
		want    AfterApproval
	}{
		"a large order goes to the second level": {remittance, at("review_l1"), 120000000, "review_l1",
			AfterApproval{NextReview, "L2", 2}},
		"a smaller one is archived": {remittance, at("review_l1"), 100, "review_l1",
			AfterApproval{Step: NextArchive}},
		"after the anti-money-laundering review comes the first level": {remittance, at("review_aml"),
			120000000, "review_aml", AfterApproval{NextReview, "L1", 1}},
		"the second level ends it": {remittance, at("review_l2"), 120000000, "review_l2",
			AfterApproval{Step: NextArchive}},
		"no such review": {remittance, at("archive"), 100, "review_l1", AfterApproval{Step: NextUnknown}},
		"not merchants":  {merchant, at("archive"), 100, "credit", AfterApproval{Step: NextUnknown}},
	} {
		review := domain.Review{Node: row.node, Visit: 1, Seat: 1}
		facts := domain.ProcessFacts{AmountKnown: true, BaseMinor: row.minor, Country: "DE"}
		if got := NextAfterApproval(row.def, row.marking, review, facts); got != row.want {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
	}
}

// Only a process with a stage that computes the risk assesses its cases.
func TestProcessesThatAssess(t *testing.T) {
	t.Parallel()
	for process, want := range map[string]bool{"cross_border_remittance": true, "document_approval": true,
		"merchant_onboarding": false, "content_review": false} {
		if got := builtin(t, process).Assesses(); got != want {
			t.Errorf("%s: %v", process, got)
		}
	}
}

// A case whose file cannot be read never reaches the stage that judges it, and so has no risk of 0; one that
// is judged again keeps what was found.
func TestAssessedIsWhatLeftTheAssessment(t *testing.T) {
	t.Parallel()
	def := builtin(t, "document_approval")
	at := slices.IndexFunc(def.Nodes, func(n *Node) bool { return n.Behaviour == domain.BehaviourAssess })
	node := def.Nodes[at].ID
	inside := []domain.Token{{Node: node, Visit: 1}}
	for name, row := range map[string]struct {
		marking domain.Marking
		want    bool
	}{
		"not reached":  {domain.Marking{Visits: map[string]int{"read": 1}}, false},
		"in the stage": {domain.Marking{Visits: map[string]int{node: 1}, Tokens: inside}, false},
		"judged":       {domain.Marking{Visits: map[string]int{node: 1}}, true},
		"judged again": {domain.Marking{Visits: map[string]int{node: 2}, Tokens: inside}, true},
	} {
		if got := def.Assessed(row.marking); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The step after an approval discloses a confidential review that runs beside it or comes after it, and not
// of one before it.
func TestConfidentialReviewsNearAnApproval(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		process, node string
		near          bool
	}{
		{"merchant_onboarding", "credit", true}, {"cross_border_remittance", "review_l1", false},
		{"cross_border_remittance", "review_l2", false}, {"cross_border_remittance", "repair", true},
		{"cross_border_remittance", "none", false},
	} {
		if got := builtin(t, row.process).ConfidentialNear(row.node); got != row.near {
			t.Errorf("%s of %s: %v", row.node, row.process, got)
		}
	}
}
