package graph

import (
	"strings"
	"testing"

	"countersign/casework"
	"countersign/domain"
	"countersign/views"
)

// drawEverything makes every archived remittance be drawn from now on, by two administrators.
func (w *amlWorld) drawEverything() {
	w.t.Helper()
	ctx, ada, adam := w.t.Context(), w.actor("ada"), w.person("adam", domain.RoleAdmin)
	for _, stratum := range []domain.Stratum{domain.StratumStraight, domain.StratumApproved} {
		proposed, err := w.service.ProposeSampleShare(ctx, ada, casework.ProposeSampleShare{
			Process: "cross_border_remittance", Stratum: stratum, Millionths: 1_000_000,
			Reason: "audit"})
		must(w.t, err)
		_, err = w.service.ConfirmControlChange(ctx, adam,
			casework.EndProposal{ProposalID: proposed.ProposalID})
		must(w.t, err)
	}
}

// officer creates an anti-money-laundering officer.
func (w *amlWorld) officer(name string) {
	w.t.Helper()
	id, err := w.service.PutUser(w.t.Context(), domain.SystemActor(), casework.PutUser{
		User: domain.User{Name: name, Email: name + "@example.com",
			Roles: []domain.Role{domain.RoleAML}, Queues: []string{domain.QueueAML}}})
	must(w.t, err)
	w.people.Store(name, domain.Actor{UserID: id, Name: name, Channel: domain.ChannelAPI})
}

const takeSample = `mutation { takeQualitySample(input: {}) { status
	userErrors { ... on Refusal { code } } } }`

const everythingOfSamples = `{ qualityWork { waiting task { id } }
	qualitySamples(first: 20) { nodes { id reference } }
	qualityFigures(days: 30) { straightThrough strata { stratum archived drawn open samples wrong
		notBlind overruled worstRate } groups { kind key checked } pairs { documents }
		checkers { checked } } }`

// A remittance that was with AML and one that was not are archived, drawn, checked and settled: only
// people of the AML duty get the sample, and to all others both worlds answer the same. No person
// without the duty sees a sample of such a process at all.
func TestSampleDoesNotTellThatItWasWithAML(t *testing.T) {
	t.Parallel()
	with, without := newAMLWorld(t, true), newAMLWorld(t, false)
	both := []*amlWorld{with, without}
	before := map[*amlWorld]string{}
	for _, w := range both {
		w.officer("amon")
		w.officer("ana")
		w.person("rob", domain.RoleL1)
		w.person("sid", domain.RoleSenior)
		w.person("mel", domain.RoleManager)
		w.drawEverything()
	}
	with.decide("amy", domain.QueueAML, "APPROVE")
	for _, w := range both {
		w.decide("rita", domain.QueueL1, "APPROVE")
		before[w] = w.executeNormalized("max", everythingOfSamples, nil)
		if drawn, err := w.service.DrawSamples(t.Context()); err != nil || drawn != 1 {
			t.Fatalf("drawn from %d cases: %v", drawn, err)
		}
	}
	compare := func(stage string) {
		t.Helper()
		compareWorlds(t, stage, with, without, []string{"sam", "rita", "max"})
		for _, w := range both {
			for _, by := range []string{"sam", "rita", "rob", "sid", "mel", "max", "ada", "meg"} {
				answer := w.mustExecute(by, takeSample)
				if code := answer.text("takeQualitySample", "userErrors", 0,
					"code"); code != string(domain.NothingToClaim) {
					t.Errorf("%s: %s gets %s", stage, by, code)
				}
			}
			for _, by := range []string{"max", "mel"} {
				if after := w.executeNormalized(by, everythingOfSamples, nil); after != before[w] {
					t.Errorf("%s: %s sees\n%s\nbefore the draw\n%s", stage, by, after, before[w])
				}
			}
			for _, by := range []string{"sam", "rita", "rob", "sid", "mel", "max", "ada", "meg"} {
				reading := views.New(w.db.Reader(), w.service.Authorizer)
				if _, err := reading.MayWatch(t.Context(), w.actor(by),
					domain.QualityStream.ID); !domain.HasCode(err, domain.NotFound) {
					t.Errorf("%s: %s watches the events: %v", stage, by, err)
				}
			}
		}
	}
	compare("drawn")
	for _, w := range both {
		w.checkSample("amon")
	}
	compare("disputed")
	for _, w := range both {
		if got := w.mustExecute("aud", everythingOfSamples); !strings.Contains(
			got.text("qualitySamples", "nodes", 0, "reference"), "CS-") {
			t.Errorf("the auditor sees %+v", got)
		}
		answer := w.mustExecute("ana", takeSample)
		if answer.text("takeQualitySample", "status") != "DISPUTED" {
			t.Errorf("the third person gets %+v", answer)
		}
	}
	compare("assigned to a third person")
}

// checkSample takes the sample and disagrees with the total.
func (w *amlWorld) checkSample(by string) {
	w.t.Helper()
	if answer := w.mustExecute(by, takeSample); answer.text("takeQualitySample",
		"status") != "OPEN" {
		w.t.Fatalf("%s gets %+v", by, answer)
	}
	task := w.mustExecute(by, `{ qualityWork { task { id fields check { reason } } } }`)
	if task.at("qualityWork", "task", "check") != nil {
		w.t.Errorf("a check shows %+v", task)
	}
	done := w.mustExecute(by, `mutation($id: ID!) { checkQualitySample(input: {sampleId: $id,
		approves: false, values: [{field: "total", value: "1.00"}]}) { status
		userErrors { ... on Refusal { code message } } } }`, "id",
		task.text("qualityWork", "task", "id"))
	if done.text("checkQualitySample", "status") != "DISPUTED" {
		w.t.Fatalf("checked %+v", done)
	}
}
