package sampling_test

import (
	"math"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"countersign/domain"
	"countersign/sampling"
)

// A draw is always the same, and a case that is drawn at one share is drawn at every larger share
// and weight. Another key is another draw.
func TestDrawsAreDeterministicAndMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "key")
		id, err := uuid.FromBytes(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "case"))
		if err != nil {
			t.Fatal(err)
		}
		share := rapid.IntRange(0, sampling.FullShare).Draw(t, "share")
		more := rapid.IntRange(share, sampling.FullShare).Draw(t, "more")
		weight := sampling.Weight(make([]sampling.Reason, rapid.IntRange(0, 3).Draw(t, "reasons")))
		p, q := sampling.Probability(share, 1), sampling.Probability(more, weight)
		if p > q || p < 0 || q > 1 {
			t.Fatalf("probabilities %v and %v", p, q)
		}
		if sampling.Drawn(key, id, p) && !sampling.Drawn(key, id, q) {
			t.Fatal("a larger probability drops a drawn case")
		}
		first, second := sampling.Drawn(key, id, p), sampling.Drawn(key, id, p)
		if first != second {
			t.Fatal("the same draw twice differs")
		}
		if sampling.Drawn(key, id, 0) || !sampling.Drawn(key, id, 1) {
			t.Fatal("none and all")
		}
	})
}

// The drawn share is near the probability: within five standard deviations of 20,000 draws.
func TestDrawnShareIsTheProbability(t *testing.T) {
	t.Parallel()
	for _, p := range []float64{0.01, 0.02, 0.32, 0.9} {
		drawn, n := 0, 20_000
		for range n {
			if sampling.Drawn([]byte("a key of this test"), domain.NewID(), p) {
				drawn++
			}
		}
		expected := float64(n) * p
		if math.Abs(float64(drawn)-expected) > 5*math.Sqrt(expected*(1-p)) {
			t.Errorf("%d of %d drawn at %v", drawn, n, p)
		}
	}
	id := domain.NewID()
	if a, b := sampling.Rank([]byte("a"), id, id), sampling.Rank([]byte("b"), id, id); a == b {
		t.Error("the key does not matter")
	}
}

func TestNearMarks(t *testing.T) {
	t.Parallel()
	limits := []int64{50000000}
	for amount, near := range map[int64]bool{100000: false, 99999: true, 90000: true, 89999: false,
		9999999: true, 10000000: false, 49999999: true, 45000000: true, 44999999: false,
		-99999: true, math.MinInt64: false, 0: false} {
		if sampling.IsNearMark(amount, limits) != near {
			t.Errorf("%d: near %v", amount, !near)
		}
	}
}

// Values from tables of the one-sided bound, and the rule of three.
func TestBoundsHaveKnownValues(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ x, n, want float64 }{{0, 10, 0.258866}, {1, 10, 0.394163},
		{2, 20, 0.282619}, {0, 100, 0.029513}, {5, 50, 0.199}, {0, 3000, 1 - math.Pow(0.05, 1.0/3000)},
		{10, 10, 1}, {0, 0, 1}} {
		if got := sampling.UpperBound(row.x, row.n); math.Abs(got-row.want) > 5e-4 {
			t.Errorf("%v of %v: %v, want %v", row.x, row.n, got, row.want)
		}
	}
}

// A draw that prefers risky cases does not bias the rate: of 1,000 cases, the 100 risky ones are
// drawn ten times as often and half of them are wrong, so 5 % are.
func TestEstimateIsWeighted(t *testing.T) {
	t.Parallel()
	var outcomes []sampling.Outcome
	for i := range 50 { // of 100, at 0.5
		outcomes = append(outcomes, sampling.Outcome{Probability: 0.5, Wrong: i%2 == 0})
	}
	for range 45 { // of 900, at 0.05
		outcomes = append(outcomes, sampling.Outcome{Probability: 0.05})
	}
	got := sampling.EstimateErrors(outcomes)
	if math.Abs(got.Rate-0.05) > 1e-9 || got.Wrong != 25 || got.Samples != 95 {
		t.Errorf("estimate %+v", got)
	}
	if got.Bound <= got.Rate || got.Bound > 0.15 || got.Effective >= 95 {
		t.Errorf("bound %+v", got)
	}
	if none := sampling.EstimateErrors(nil); none.Bound != 1 || none.Rate != 0 {
		t.Errorf("without samples: %+v", none)
	}
}

func TestComparison(t *testing.T) {
	t.Parallel()
	archived := []domain.Field{
		{Name: domain.FieldVendor, Raw: "Acme Ltd.", Normalised: "Acme Ltd.", Source: domain.SourceOCR},
		{Name: domain.FieldNumber, Normalised: "R-2026/17"},
		{Name: domain.FieldTotal, Normalised: "120.50", Source: domain.SourceXML},
		{Name: domain.FieldCurrency, Normalised: "EUR"}}
	same := map[string]string{domain.FieldVendor: "ACME LIMITED", domain.FieldNumber: "r 2026 17",
		domain.FieldTotal: "120.5", domain.FieldCurrency: "EUR"}
	if compared := sampling.Compare(domain.UndefinedDocumentType("invoice"), archived, same); sampling.Disagree(compared) {
		t.Errorf("the same values: %+v", compared)
	}
	for field, value := range map[string]string{domain.FieldVendor: "Other GmbH",
		domain.FieldNumber: "R-2026/71", domain.FieldTotal: "1205", domain.FieldCurrency: "",
		domain.FieldIBAN: "DE89370400440532013000"} {
		other := map[string]string{}
		for name, kept := range same {
			other[name] = kept
		}
		other[field] = value
		compared := sampling.Compare(domain.UndefinedDocumentType("invoice"), archived, other)
		if !sampling.Disagree(compared) {
			t.Errorf("%s %q agrees", field, value)
		}
		for _, c := range compared {
			if c.Agrees == (c.Field == field) {
				t.Errorf("%s changed: %+v", field, c)
			}
		}
	}
}
