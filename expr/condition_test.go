package expr

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"cel.dev/cel-go/cel"

	"countersign/domain"
)

func facts() domain.ProcessFacts {
	return domain.ProcessFacts{
		Amount: domain.Money{Minor: 12_345, Currency: "EUR"}, AmountKnown: true, BaseMinor: 13_000,
		Currency: "EUR", Country: "DE", DocumentType: "invoice", Channel: domain.ChannelWeb,
		HasStructuredData: true, Risk: 20, Fields: map[string]string{
			"iban": "DE89370400440532013000", "vendor": "Acme"},
		Findings: []domain.Finding{{Rule: "round_amount", Severity: domain.SeverityWarning,
			Score: 5}, {Rule: "iban_check", Severity: domain.SeverityBlocking}},
		Outcome: "done",
	}
}

func TestConditionsEvaluate(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		"amount_minor == 12345 && base_minor < 100000": true,
		"amount_known":                                                 true,
		`currency == "EUR" && country in ["DE"]`:                       true,
		`document_type == "receipt"`:                                   false,
		`channel == "web" && has_structured_data`:                      true,
		"risk >= 20":                                                   true,
		`fields["vendor"] == "Acme"`:                                   true,
		`fields.iban.startsWith("DE")`:                                 true,
		`"vat_id" in fields`:                                           false,
		"blocking == 1 && warnings == 1":                               true,
		`findings.exists(f, f.rule == "round_amount" && f.score == 5)`: true,
		`findings.all(f, f.severity == "info")`:                        false,
		`outcome == "done"`:                                            true,
		`fields.vendor.matches("^[A-Z]")`:                              true,
	} {
		condition, err := Compile(source, ProcessFacts())
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if got, err := condition.Eval(facts()); err != nil || got != want {
			t.Errorf("%s: got %v, %v", source, got, err)
		}
	}
}

func TestConditionsThatFailAreTyped(t *testing.T) {
	t.Parallel()
	loop := "fields.all(a, fields.all(b, fields.all(c, fields.all(d, true))))"
	many, long, chatty, unknown := facts(), facts(), facts(), facts()
	for i := range 40 {
		many.Fields[fmt.Sprint("f", i)] = "x"
	}
	long.Fields["page"] = strings.Repeat("a", 1<<20)
	many.Fields["page"] = strings.Repeat("a", 40_000)
	chatty.Findings[0].Message = strings.Repeat("a", 1<<20)
	unknown.AmountKnown = false
	for name, test := range map[string]struct {
		source string
		facts  domain.ProcessFacts
		reason string
	}{
		"division by zero":  {"100 / (risk - 20) > 1", facts(), ReasonDivisionByZero},
		"remainder by zero": {"100 % (risk - 20) == 1", facts(), ReasonDivisionByZero},
		"missing field":     {`fields["nope"] == "x"`, facts(), ReasonMissingFact},
		"missing finding":   {`findings[7].rule == "x"`, facts(), ReasonMissingFact},
		"amount not known":  {"base_minor < 100", unknown, ReasonMissingFact},
		"loops":             {loop, many, ReasonTooExpensive},
		"search": {`fields.all(a, !fields.page.matches("(a+)+b"))`, many,
			ReasonTooExpensive},
		"growth": {"fields.page + fields.page + fields.page == fields.page", many,
			ReasonTooExpensive},
		"pattern of the case": {"fields.page.matches(fields.page)", many, ReasonTooExpensive},
		"long text":           {`fields.page.contains("aab")`, long, ReasonTooExpensive},
		"long finding": {`findings.exists(f, f.message.contains("b"))`, chatty,
			ReasonTooExpensive},
		"overflow":           {"9223372036854775807 + risk > 0", facts(), ReasonUnfitValue},
		"findings of a kind": {`findings.exists(f, f.rule > 3)`, facts(), ReasonUnfitValue},
		"no number":          {"int(fields.vendor) > 3", facts(), ReasonUnfitValue},
		"no date": {`timestamp(fields.vendor) > timestamp("2020-01-01T00:00:00Z")`,
			facts(), ReasonUnfitValue},
	} {
		condition, err := Compile(test.source, ProcessFacts())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, err = condition.Eval(test.facts)
		var failure *domain.Error
		if !errors.As(err, &failure) || failure.Code != domain.ExpressionFailed ||
			failure.Detail["reason"] != test.reason || failure.Remedy == "" {
			t.Errorf("%s: %v, want %s", name, err, test.reason)
		}
	}
}

// TestUnknownAmountBehindItsGuard checks that an unknown amount guarded by amount_known is not a
// failure, because CEL's && is false if either side is false.
func TestUnknownAmountBehindItsGuard(t *testing.T) {
	t.Parallel()
	without := facts()
	without.AmountKnown = false
	for _, source := range []string{"amount_known && base_minor < 100000",
		"base_minor < 100000 && amount_known"} {
		condition, err := Compile(source, ProcessFacts())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := condition.Eval(without); err != nil || got {
			t.Errorf("%s: %v, %v", source, got, err)
		}
	}
}

func TestCompileRejects(t *testing.T) {
	t.Parallel()
	for source, reason := range map[string]string{
		"":                               "empty",
		"  ":                             "empty",
		"risk":                           "must be true or false",
		"risk < ":                        "at 1:",
		"risc < 3":                       "undeclared reference",
		`risk < "3"`:                     "no matching overload",
		`fields["a"] == 3`:               "no matching overload",
		strings.Repeat("!", 5000):        "longer than",
		strings.Repeat("(", 400):         "recursion",
		"\x00":                           "at 1:",
		`outcome.matches("a{1000}{99}")`: "",
	} {
		condition, err := Compile(source, ProcessFacts())
		if err == nil {
			// A pattern that only the regular expression engine rejects fails at evaluation.
			_, err = condition.Eval(facts())
			if !domain.HasCode(err, domain.ExpressionFailed) {
				t.Errorf("%q is accepted: %v", source, err)
			}
			continue
		}
		if !domain.HasCode(err, domain.InvalidExpression) ||
			!strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v", source, err)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{"risk < 30 && blocking == 0", `fields["x"].matches("(")`,
		"findings.map(f, f.score).size() > 1", "100 / risk > 1", "'\\x00' == currency",
		"[1, 2][risk] == 1", "{'a': 1}[currency] == 1",
		"timestamp('2020-01-01T00:00:00Z').getFullYear() > risk"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		condition, err := Compile(source, ProcessFacts())
		if err != nil {
			if !domain.HasCode(err, domain.InvalidExpression) {
				t.Fatalf("%q: %v", source, err)
			}
			return
		}
		if _, err := condition.Eval(facts()); err != nil &&
			!domain.HasCode(err, domain.ExpressionFailed) {
			t.Fatalf("%q: %v", source, err)
		}
	})
}

func BenchmarkCondition(b *testing.B) {
	for name, source := range map[string]string{
		"bare":    "risk < 30 && blocking == 0 && amount_known && base_minor < 100000",
		"counted": `findings.exists(f, f.rule == "round_amount")`,
	} {
		condition, err := Compile(source, ProcessFacts())
		if err != nil {
			b.Fatal(err)
		}
		sample := facts()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := condition.EvalRef(&sample); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestTextsAreCheckedConcurrently relies on the race detector: editors check texts concurrently
// while users type.
func TestTextsAreCheckedConcurrently(t *testing.T) {
	t.Parallel()
	for range 20 {
		// a new environment, because CEL writes into one only once
		declared := newEnvironment([]nameDeclaration{{"known", cel.ListType(cel.IntType)}})
		var all sync.WaitGroup
		for _, source := range []string{"known.exists(n, n > 0)", "undeclared",
			"known.all(n, n > 0)", "also_undeclared"} {
			all.Go(func() {
				wrong := !strings.HasPrefix(source, "known")
				if _, err := Compile(source, declared); wrong != (err != nil) {
					t.Errorf("%q: %v", source, err)
				}
			})
		}
		all.Wait()
	}
}
