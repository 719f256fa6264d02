package workflow

import (
	"fmt"
	"strings"
	"testing"

	"countersign/domain"
)

// eurRate is the base rate the table uses for EUR, in millionths: 1 EUR = 1.0837 USD.
const eurRate = 1_083_700

// remittance returns the facts of a payment order without findings, except that of a high-risk
// country.
func remittance(t *testing.T, amount, currency, country string) domain.ProcessFacts {
	t.Helper()
	money, err := domain.ParseMoney(amount, currency)
	if err != nil {
		t.Fatal(err)
	}
	facts := domain.ProcessFacts{AmountKnown: true, Amount: money, BaseMinor: money.Minor,
		Currency: currency, Country: country, DocumentType: "remittance",
		Channel: domain.ChannelWeb}
	if currency == "EUR" {
		facts.BaseMinor = money.ToBase(eurRate)
	}
	if country == "IR" || country == "KP" || country == "MM" { // the list as it is delivered
		facts.Findings = []domain.Finding{highRiskCountry}
	}
	return facts
}

// runApprovingAll advances a case with every stage ending and every review approved. It returns the
// reviews as "queue/level/duty" and the final status.
func runApprovingAll(
	t *testing.T, def *Definition, facts domain.ProcessFacts,
) (reviews []string, status domain.Status) {
	t.Helper()
	events := []Event{{Kind: Started}}
	step := Step{}
	for len(events) > 0 {
		next, err := Advance(def, step.Marking, events[0], facts)
		if err != nil {
			t.Fatalf("%+v: %v", events[0], err)
		}
		step, events = next, events[1:]
		for _, effect := range step.Effects {
			switch e := effect.(type) {
			case StartStage:
				events = append(events, ended(e.Node, e.Visit))
			case OpenReview:
				reviews = append(reviews, fmt.Sprintf("%s/%d/%s", e.Queue, e.Level, e.Duty))
				events = append(events, decided(e.Node, e.Visit, e.Seat, domain.Approve))
			}
		}
	}
	return reviews, step.Status
}

// TestGoldenTableOfRemittances checks the thresholds of cross_border_remittance to the cent. The
// reviewers' limits are not part of the process and not tested here.
func TestGoldenTableOfRemittances(t *testing.T) {
	t.Parallel()
	def := builtin(t, "cross_border_remittance")
	const l1, l2, aml = "L1/1/approval", "L2/2/approval", "AML/1/approval"
	blocking := domain.Finding{Rule: "iban_check", Severity: domain.SeverityBlocking}
	warning := domain.Finding{Rule: "declared_differs", Severity: domain.SeverityWarning}
	known := []domain.Finding{{Rule: "high_amount", Severity: domain.SeverityWarning},
		{Rule: "new_vendor", Severity: domain.SeverityInfo}}
	for _, row := range []struct {
		amount, currency, country string
		findings                  []domain.Finding
		want                      []string
	}{
		{"100000.00", "USD", "DE", nil, nil},
		{"100000.01", "USD", "DE", nil, []string{l1}},
		{"500000.00", "USD", "DE", nil, []string{l1}},
		{"500000.01", "USD", "DE", nil, []string{l1}},
		{"1000000.00", "USD", "DE", nil, []string{l1}},
		{"1000000.01", "USD", "DE", nil, []string{l1, l2}},
		// 92,276.46 EUR is 99,999.9997 USD, rounded up to 100,000.00; a cent more is 100,000.01.
		{"92276.46", "EUR", "DE", nil, nil},
		{"92276.47", "EUR", "DE", nil, []string{l1}},
		{"922764.60", "EUR", "DE", nil, []string{l1}},
		{"922764.61", "EUR", "DE", nil, []string{l1, l2}},
		{"50000.00", "USD", "IR", nil, []string{aml}},
		{"50000.00", "USD", "IR", []domain.Finding{blocking}, []string{aml, l1}},
		{"1200000.00", "USD", "KP", nil, []string{aml, l1, l2}},
		{"50000.00", "USD", "DE", []domain.Finding{blocking}, []string{l1}},
		{"50000.00", "USD", "DE", []domain.Finding{warning}, []string{l1}},
		{"100000.00", "USD", "DE", known, nil},
		{"50000.00", "USD", "", nil, []string{aml, l1}}, // the country could not be determined
	} {
		facts := remittance(t, row.amount, row.currency, row.country)
		facts.Findings = append(facts.Findings, row.findings...)
		reviews, status := runApprovingAll(t, def, facts)
		if strings.Join(reviews, " ") != strings.Join(row.want, " ") || status != domain.Archived {
			t.Errorf("%s %s to %q with %d findings: %v, %s; want %v", row.amount, row.currency,
				row.country, len(row.findings), reviews, status, row.want)
		}
	}
	unknown := remittance(t, "1.00", "USD", "DE")
	unknown.AmountKnown, unknown.Amount, unknown.BaseMinor = false, domain.Money{}, 0
	if reviews, _ := runApprovingAll(t, def, unknown); strings.Join(reviews, " ") != l1+" "+l2 {
		t.Errorf("an unknown amount must be reviewed twice: %v", reviews)
	}
}

// TestRemittanceReturnedByTheManager checks that a return by the last reviewer repeats the whole
// process with new visits.
func TestRemittanceReturnedByTheManager(t *testing.T) {
	t.Parallel()
	def := builtin(t, "cross_border_remittance")
	facts := remittance(t, "1200000.00", "USD", "MM")
	step := walk(t, def, facts, append(intake(1), decided("review_aml", 1, 1, domain.Approve),
		decided("review_l1", 1, 1, domain.Approve), decided("review_l2", 1, 1, domain.Return))...)
	expectTokens(t, step, domain.Returned, domain.Token{Node: Returned, Visit: 1})
	step, err := Advance(def, step.Marking, Event{Kind: Resubmitted}, facts)
	if err != nil {
		t.Fatal(err)
	}
	expectTokens(t, step, domain.Processing, domain.Token{Node: "validate", Visit: 2})
	for _, event := range []Event{ended("validate", 2), ended("assess", 2)} {
		if step, err = Advance(def, step.Marking, event, facts); err != nil {
			t.Fatal(err)
		}
	}
	expectTokens(t, step, domain.InReview, domain.Token{Node: "review_aml", Visit: 2})
}

func TestMerchantOnboarding(t *testing.T) {
	t.Parallel()
	def := builtin(t, "merchant_onboarding")
	if def.HasAmount || def.DutyOf("kyc") == def.DutyOf("credit") {
		t.Fatalf("has an amount %v, duties %s and %s", def.HasAmount, def.DutyOf("kyc"),
			def.DutyOf("credit"))
	}
	begin := []Event{{Kind: Started}, ended("read", 1), ended("extract", 1)}
	step := walk(t, def, clean(), begin...)
	expectTokens(t, step, domain.InReview, domain.Token{Node: "kyc", Visit: 1},
		domain.Token{Node: "credit", Visit: 1})

	joined := advanceAll(t, def, step, decided("credit", 1, 1, domain.Approve))
	expectTokens(t, joined, domain.InReview, domain.Token{Node: "kyc", Visit: 1},
		domain.Token{Node: "both", Visit: 1})
	joined = advanceAll(t, def, joined, decided("kyc", 1, 1, domain.Approve))
	expectTokens(t, joined, domain.Approved, domain.Token{Node: "archive", Visit: 1})

	rejected := advanceAll(t, def, step, decided("credit", 1, 1, domain.Reject))
	expectTokens(t, rejected, domain.Settling, domain.Token{Node: "seal_rejected", Visit: 1})
	if fmt.Sprint(rejected.Effects[0]) != fmt.Sprint(
		CancelReview{Node: "kyc", Visit: 1, Seats: []int{1}}) {
		t.Fatalf("the sibling is not withdrawn first: %+v", rejected.Effects)
	}

	returned := advanceAll(t, def, step, decided("credit", 1, 1, domain.Approve),
		decided("kyc", 1, 1, domain.Return))
	expectTokens(t, returned, domain.Returned, domain.Token{Node: Returned, Visit: 1})
	// The return revokes the approval given by credit, so that its reviewer can decide again.
	expectEffects(t, returned, VotesRevoked{[]string{"kyc", "credit"}}, SetStatus{domain.Returned})
	again := advanceAll(t, def, returned, Event{Kind: Resubmitted})
	expectTokens(t, again, domain.InReview, domain.Token{Node: "kyc", Visit: 2},
		domain.Token{Node: "credit", Visit: 2})
	replaced := advanceAll(t, def, returned, Event{Kind: Resubmitted, ReplacedDocument: true})
	expectTokens(t, replaced, domain.Processing, domain.Token{Node: "read", Visit: 2})
}

func TestContentReviewHasNoAmount(t *testing.T) {
	t.Parallel()
	def := builtin(t, "content_review")
	if def.HasAmount {
		t.Fatal("the definition has an amount")
	}
	reviews, status := runApprovingAll(t, def, domain.ProcessFacts{DocumentType: "content"})
	if len(reviews) != 1 || reviews[0] != "L1/1/approval" || status != domain.Archived {
		t.Fatalf("%v, %s", reviews, status)
	}
}
