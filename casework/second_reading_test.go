package casework_test

import (
	"slices"
	"testing"

	"countersign/domain"
)

// readBySecond lets a second engine have read other words in place of those given, in pairs.
func (env *testEnv) readBySecond(confidence float64, pairs ...string) {
	env.reader.change = func(page *domain.Page) {
		for i := range page.Words {
			for at := 0; at < len(pairs); at += 2 {
				if word := &page.Words[i]; word.Text == pairs[at] {
					word.Alternative, word.AlternativeConfidence = pairs[at+1], confidence
					word.Engine = "tesseract"
				}
			}
		}
	}
}

// Attack: a total that the engines read differently needs a person, and the larger one decides who
// may approve, however sure the engine of the smaller one is.
func TestTheRiskierReadingCounts(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.readBySecond(0.1, "15000.00", "950000.00")
	id := env.submitRead(sam, invoiceLines("Hafen Logistik GmbH", "N-1", "15000.00")...)
	c := env.caseByID(id)
	if c.Amount.String() != "15000.00 EUR" || c.AtRisk.String() != "950000.00 EUR" ||
		!slices.Contains(c.DifferingFields, domain.FieldTotal) {
		t.Errorf("%s in force, %s at risk, differing %v", c.Amount, c.AtRisk, c.DifferingFields)
	}
	if review := env.openReview(id); review.ID == domain.NoID {
		t.Error("it passed without a person")
	}
	if env.finding(id, "low_confidence") == nil {
		t.Errorf("no finding asks for the total: %v", env.findingRules(id))
	}
	env.verifyCaseLog(id)
}

// Attack: what the second engine read of a value from the e-invoice is no statement about it, and
// what it read of labels and prose is none either.
func TestTheSecondReadingStatesOnlyWhatWasRead(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	sam := env.person("sam", domain.RoleSubmitter)
	env.readBySecond(0.9, "120.00", "999.00", "Service", "Servlce")
	id := env.submit(sam, "printed")
	env.drainQueue()
	if c := env.caseByID(id); c.AtRisk.String() == "999.00 EUR" || len(c.DifferingFields) > 0 {
		t.Errorf("%s at risk, differing %v", c.AtRisk, c.DifferingFields)
	}
}

// A value that the second engine read is one that the page shows; one that it hardly read is not.
func TestAnAlternativeShowsAValue(t *testing.T) {
	t.Parallel()
	for confidence, want := range map[float64]string{0.9: "", 0.2: "not_on_page"} {
		env := newTestEnv(t)
		sam, jan := env.person("sam", domain.RoleSubmitter), env.person("jan", domain.RoleL1)
		env.readBySecond(confidence, "N-1", "R-7788")
		id := env.submitRead(sam, invoiceLines("Hafen Logistik GmbH", "N-1", "15000.00")...)
		env.claim(jan, id)
		must(t, env.correct(jan, id, domain.FieldNumber, "R-7788"))
		if why := env.pending(id, domain.FieldNumber); string(why) != want {
			t.Errorf("at %.1f it waits because of %q, want %q", confidence, why, want)
		}
	}
}
