package expr

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// valuesAround returns the amounts at which a mistake would show: the extremes, and each threshold
// with its neighbours.
func valuesAround(thresholds []int64) []int64 {
	amounts := []int64{math.MinInt64, math.MaxInt64, 0}
	for _, at := range thresholds {
		amounts = append(amounts, at)
		if at > math.MinInt64 {
			amounts = append(amounts, at-1)
		}
		if at < math.MaxInt64 {
			amounts = append(amounts, at+1)
		}
	}
	return amounts
}

// TestSameResultBetweenThresholds checks that amounts between the same thresholds have the same
// result for any user.
func TestSameResultBetweenThresholds(t *testing.T) {
	t.Parallel()
	distinguishing := 0
	number := rapid.SampledFrom([]string{"-9223372036854775808", "9223372036854775807",
		"9223372036854775806", "-1", "0", "1", "500000"})
	rapid.Check(t, func(t *rapid.T) {
		source := conditions().Draw(t, "condition")
		for range rapid.IntRange(0, 3).Draw(t, "amounts") {
			op := rapid.SampledFrom([]string{"==", "!=", "<", "<=", ">", ">="}).Draw(t, "op")
			comparison := "review.base_minor " + op + " " + number.Draw(t, "number")
			switch rapid.IntRange(0, 3).Draw(t, "form") {
			case 0:
				comparison = number.Draw(t, "left") + " " + op + " review.base_minor"
			case 1:
				comparison = fmt.Sprintf("review.base_minor in [%s, %s]", number.Draw(t, "first"),
					number.Draw(t, "second"))
			}
			source = fmt.Sprintf(
				rapid.SampledFrom([]string{"(%s) && %s", "(%s) || %s", "!(%s) && !(%s)"}).Draw(t,
					"joined"), source, comparison)
		}
		condition, err := CompilePolicy(source)
		if err != nil {
			t.Fatal(err)
		}
		thresholds, constant := condition.Thresholds()
		if !constant {
			return
		}
		user, review := persons().Draw(t, "user"), reviews().Draw(t, "review")
		answers := map[int]bool{}
		for _, amount := range valuesAround(thresholds) {
			band, reached := slices.BinarySearch(thresholds, amount)
			if reached {
				band++
			}
			review.BaseMinor = amount
			answer, err := condition.Eval(user, review)
			if err != nil {
				t.Fatal(err)
			}
			if before, known := answers[band]; known && before != answer {
				t.Fatalf("%s: the result for %d is %t, but differs within band %d between %v",
					source, amount, answer, band, thresholds)
			}
			answers[band] = answer
		}
		if len(answers) > 1 {
			distinguishing++
		}
	})
	if distinguishing < 3 {
		t.Errorf("only %d conditions distinguish amounts", distinguishing)
	}
}

func TestThresholds(t *testing.T) {
	t.Parallel()
	for source, want := range map[string][]int64{
		`review.queue == "L1"`:                               {},
		`review.base_minor < 5`:                              {5},
		`review.base_minor >= 5`:                             {5},
		`review.base_minor <= 5`:                             {6},
		`5 < review.base_minor`:                              {6},
		`!(review.base_minor > 5)`:                           {6},
		`review.base_minor == 5`:                             {5, 6},
		`review.base_minor != 5 && review.base_minor < 6`:    {5, 6},
		`review.base_minor in [9, 1] || review.level in [3]`: {1, 2, 9, 10},
		`review.base_minor <= 9223372036854775807`:           {},
		`review.base_minor >= -9223372036854775808 && review.base_minor == 0`: {
			math.MinInt64, 0, 1},
	} {
		condition, err := CompilePolicy(source)
		if err != nil {
			t.Fatal(err)
		}
		if got, constant := condition.Thresholds(); !constant || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %t; want %v", source, got, constant, want)
		}
	}
	for _, source := range []string{`review.base_minor <= user.limit_minor`,
		`review.base_minor < 5 || user.limit_minor == review.base_minor`} {
		condition, err := CompilePolicy(source)
		if err != nil {
			t.Fatal(err)
		}
		if got, constant := condition.Thresholds(); constant || got != nil {
			t.Errorf("%s has the thresholds %v", source, got)
		}
	}
}
