package expr

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

var people = []domain.ID{domain.NewID(), domain.NewID(), domain.NewID()}

// matchesRow evaluates a filter for one review as store does in SQL.
func matchesRow(t *rapid.T, filter domain.Filter, review domain.ReviewFacts) bool {
	switch {
	case filter.Const != nil:
		return *filter.Const
	case filter.Not != nil:
		return !matchesRow(t, *filter.Not, review)
	case filter.Compare != nil:
		return matchesComparison(t, *filter.Compare, review)
	case len(filter.Or) > 0:
		return slices.ContainsFunc(filter.Or,
			func(f domain.Filter) bool { return matchesRow(t, f, review) })
	case len(filter.And) > 0:
		return !slices.ContainsFunc(filter.And,
			func(f domain.Filter) bool { return !matchesRow(t, f, review) })
	}
	t.Fatalf("an empty filter: %+v", filter)
	return false
}

func matchesComparison(t *rapid.T, c domain.Comparison, review domain.ReviewFacts) bool {
	cell := map[domain.Column]any{
		domain.ColQueue: review.Queue, domain.ColLevel: int64(review.Level),
		domain.ColDocumentType: review.DocumentType, domain.ColCountry: review.Country,
		domain.ColBaseMinor: review.BaseMinor, domain.ColAmountKnown: review.AmountKnown,
		domain.ColSubmitter: review.Submitter, domain.ColStatus: string(review.Status),
	}[c.Column]
	if c.Op == "in" {
		return slices.Contains(c.Values, cell.(string))
	}
	if number, ok := cell.(int64); ok {
		return compareInts(c.Op, number, c.Value.(int64))
	}
	if fmt.Sprintf("%T", cell) != fmt.Sprintf("%T", c.Value) {
		t.Fatalf("column %s of %T is compared with %T", c.Column, cell, c.Value)
	}
	return (cell == c.Value) == (c.Op == "==")
}

// conditions draws conditions of the restricted language.
func conditions() *rapid.Generator[string] {
	text := rapid.SampledFrom([]string{`"L1"`, `"L2"`, `"invoice"`, `"DE"`, `"open"`, `""`})
	number := rapid.SampledFrom([]string{"0", "1", "-5", "99999", "100000", "user.limit_minor"})
	texts := rapid.SampledFrom([]string{"review.queue", "review.document_type", "review.country",
		"review.status"})
	numbers := rapid.SampledFrom([]string{"review.level", "review.base_minor"})
	equal := rapid.SampledFrom([]string{"==", "!="})
	order := rapid.SampledFrom([]string{"==", "!=", "<", "<=", ">", ">="})
	person := rapid.SampledFrom([]string{"user.id", `"` + people[0].String() + `"`,
		`"` + people[1].String() + `"`})
	leaf := rapid.Custom(func(t *rapid.T) string {
		left, right, op := "", "", equal.Draw(t, "equal")
		switch rapid.IntRange(0, 9).Draw(t, "leaf") {
		case 0:
			return rapid.SampledFrom([]string{"review.amount_known", "user.unlimited", "true",
				"false"}).Draw(t, "truth")
		case 1, 2:
			left, op, right = numbers.Draw(t, "column"), order.Draw(t, "order"),
				number.Draw(t, "number")
		case 3:
			left, op, right = number.Draw(t, "left"), order.Draw(t, "order"),
				number.Draw(t, "right")
		case 4:
			left, right = "review.submitter", person.Draw(t, "person")
		case 5:
			return texts.Draw(t, "column") + rapid.SampledFrom(
				[]string{" in user.queues", " in user.roles", ` in ["L1", "invoice"]`}).Draw(
				t, "list")
		case 6:
			return "review.submitter in [" + `"` + people[1].String() + `", "` +
				people[2].String() + `"]`
		case 7:
			return rapid.SampledFrom([]string{"review.level in [1, 3]", `"L1" in user.queues`,
				`"reviewer_l1" in user.roles`, "user.limit_minor in [0, 100000]",
				"review.amount_known == user.unlimited"}).Draw(t, "other")
		default:
			left, right = texts.Draw(t, "column"), text.Draw(t, "text")
		}
		if rapid.Bool().Draw(t, "swap") && (op == "==" || op == "!=" || strings.Contains(op, "<")) {
			left, right = right, left
		}
		return left + " " + op + " " + right
	})
	var tree func(depth int) *rapid.Generator[string]
	tree = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return leaf
		}
		return rapid.Custom(func(t *rapid.T) string {
			part := tree(depth - 1)
			switch rapid.IntRange(0, 3).Draw(t, "connective") {
			case 0:
				return "(" + part.Draw(t, "a") + " && " + part.Draw(t, "b") + ")"
			case 1:
				return "(" + part.Draw(t, "a") + " || " + part.Draw(t, "b") + ")"
			case 2:
				return "!(" + part.Draw(t, "a") + ")"
			}
			return leaf.Draw(t, "leaf")
		})
	}
	return tree(4)
}

func reviews() *rapid.Generator[domain.ReviewFacts] {
	return rapid.Custom(func(t *rapid.T) domain.ReviewFacts {
		return domain.ReviewFacts{
			Queue:        rapid.SampledFrom([]string{"L1", "L2", "AML"}).Draw(t, "queue"),
			Level:        rapid.IntRange(0, 3).Draw(t, "level"),
			DocumentType: rapid.SampledFrom([]string{"invoice", "receipt", ""}).Draw(t, "type"),
			Country:      rapid.SampledFrom([]string{"DE", "US", ""}).Draw(t, "country"),
			BaseMinor: rapid.SampledFrom([]int64{-5, 0, 1, 99_999, 100_000, 100_001}).Draw(
				t, "base"),
			AmountKnown: rapid.Bool().Draw(t, "known"),
			Submitter:   rapid.SampledFrom(people).Draw(t, "submitter"),
			Status: rapid.SampledFrom([]domain.ReviewStatus{domain.ReviewOpen,
				domain.ReviewClaimed}).Draw(t, "status"),
		}
	})
}

func persons() *rapid.Generator[PolicyUser] {
	return rapid.Custom(func(t *rapid.T) PolicyUser {
		return PolicyUser{
			ID: rapid.SampledFrom(people).Draw(t, "id"),
			Queues: rapid.SliceOfN(rapid.SampledFrom([]string{"L1", "L2", "AML"}), 0, 3).Draw(t,
				"queues"),
			Roles:      rapid.SliceOfN(rapid.SampledFrom(domain.Roles()), 0, 2).Draw(t, "roles"),
			LimitMinor: rapid.SampledFrom([]int64{0, 100_000}).Draw(t, "limit"),
			Unlimited:  rapid.Bool().Draw(t, "unlimited"),
		}
	})
}

// TestResidualEqualsEval checks that the filter of a list and the evaluation for a row never
// disagree.
func TestResidualEqualsEval(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		source := conditions().Draw(t, "condition")
		condition, err := CompilePolicy(source)
		if err != nil {
			t.Fatal(err)
		}
		user := persons().Draw(t, "user")
		filter, err := condition.Residual(user)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			review := reviews().Draw(t, fmt.Sprint("review ", i))
			result, err := condition.Eval(user, review)
			if err != nil {
				t.Fatal(err)
			}
			if listed := matchesRow(t, filter, review); listed != result {
				t.Fatalf("%s: Eval returns %v, the filter %v: %+v", source, result, listed, filter)
			}
		}
	})
}

func TestPolicyRejectsWhatAFilterCannotExpress(t *testing.T) {
	t.Parallel()
	for source, reason := range map[string]string{
		"":                                       "empty",
		"1 +":                                    "at 1:",
		"review.level":                           "must be true or false",
		"review.nope == 1":                       "undeclared",
		"user.nope == 1":                         "undeclared",
		"review.level + 1 == 2":                  "not allowed inside a comparison",
		"review.base_minor <= review.level":      "only one review name",
		`review.queue < "L2"`:                    "numbers only",
		`review.queue.startsWith("L")`:           "startsWith is not allowed",
		`review.queue.matches("L.*")`:            "matches is not allowed",
		`user.queues.exists(q, q == "L1")`:       "only names, values and lists",
		"review.amount_known ? true : false":     "?_: is not allowed",
		`review.submitter == "unknown"`:          "not a valid user ID",
		`review.queue in []`:                     "empty",
		`review.queue in [user.id]`:              "only literals",
		`review.level in [1, 2] == true`:         "not allowed inside a comparison",
		`user.queues == ["L1"]`:                  "only after in",
		`review.base_minor < 1.5`:                "at 1:",
		`review.base_minor < 10u`:                "at 1:",
		`size(user.queues) > 0`:                  "not allowed inside a comparison",
		`user.queues[0] == "L1"`:                 "not allowed inside a comparison",
		`review.amount_known < true`:             "numbers only",
		`null == null`:                           "only integers",
		`review.queue == b"L1"`:                  "at 1:",
		strings.Repeat("(", 200) + "true":        "recursion limit",
		strings.Repeat("true || ", 600) + "true": "longer than",
	} {
		_, err := CompilePolicy(source)
		if !domain.HasCode(err, domain.InvalidExpression) {
			t.Errorf("%q: %v", source, err)
		} else if !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %q does not contain %q", source, err, reason)
		}
	}
}

func TestResidualFoldsTheUser(t *testing.T) {
	t.Parallel()
	condition, err := CompilePolicy(
		`user.unlimited || (review.amount_known && review.base_minor <= user.limit_minor && review.submitter != user.id)`)
	if err != nil {
		t.Fatal(err)
	}
	unlimited, _ := condition.Residual(PolicyUser{Unlimited: true})
	if unlimited.Const == nil || !*unlimited.Const {
		t.Errorf("the filter of an unlimited user must match every row, got %+v", unlimited)
	}
	limited, _ := condition.Residual(PolicyUser{ID: people[0], LimitMinor: 50_000_000})
	if len(limited.And) != 2 && len(limited.And) != 3 {
		t.Errorf("the filter of a limited user must be a conjunction, got %+v", limited)
	}
}

func FuzzCompilePolicy(f *testing.F) {
	for _, seed := range []string{`review.queue in user.queues`,
		`!(review.base_minor > -1) || true`, `review.level in [1, 2]`,
		`review.submitter != user.id && review.amount_known`, `"\u00e9" == user.id`,
		`.review.queue == "a"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		condition, err := CompilePolicy(source)
		if err != nil {
			if !domain.HasCode(err, domain.InvalidExpression) {
				t.Fatalf("%q: %v", source, err)
			}
			return
		}
		user := PolicyUser{ID: people[0], Queues: []string{"L1"}}
		if _, err := condition.Residual(user); err != nil {
			t.Fatalf("%q has no filter: %v", source, err)
		}
		if _, err := condition.Eval(user, domain.ReviewFacts{}); err != nil {
			t.Fatalf("%q cannot be evaluated: %v", source, err)
		}
	})
}
