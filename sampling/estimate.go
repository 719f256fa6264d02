package sampling

import "math"

// Outcome is one sample that ended.
type Outcome struct {
	Probability float64 // with which the case was drawn
	Wrong       bool
}

// Estimate is the measured share of wrong cases.
type Estimate struct {
	Samples int
	Wrong   int
	// Effective is the number of samples of equal weight that would be as precise.
	Effective float64
	Rate      float64
	// Bound is the one-sided 95 % bound: the true share is above it with a probability of at most
	// 5 %. It is 1 without samples.
	Bound float64
}

// EstimateErrors computes the share of wrong cases among all from which the samples were drawn. Each
// counts with the inverse of its probability, because cases with more risk are drawn more often.
func EstimateErrors(outcomes []Outcome) Estimate {
	estimate := Estimate{Samples: len(outcomes), Bound: 1}
	var sum, squares, wrong float64
	for _, outcome := range outcomes {
		weight := 1 / outcome.Probability
		sum, squares = sum+weight, squares+weight*weight
		if outcome.Wrong {
			wrong += weight
			estimate.Wrong++
		}
	}
	if sum == 0 {
		return estimate
	}
	estimate.Rate, estimate.Effective = wrong/sum, sum*sum/squares
	estimate.Bound = UpperBound(estimate.Rate*estimate.Effective, estimate.Effective)
	return estimate
}

// confidence is that of the bounds.
const confidence = 0.95

// UpperBound returns the one-sided Clopper–Pearson bound for x wrong of n. Both may be fractional.
func UpperBound(x, n float64) float64 {
	if n <= 0 || x >= n {
		return 1
	}
	low, high := x/n, 1.0
	for range 100 { // the probability of at most x wrong falls as the share rises
		middle := (low + high) / 2
		if regularizedBeta(middle, x+1, n-x) < confidence {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// regularizedBeta returns the distribution function of the beta distribution at x.
func regularizedBeta(x, a, b float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	case x > (a+1)/(a+b+2): // the continued fraction converges quickly below this
		return 1 - regularizedBeta(1-x, b, a)
	}
	logA, _ := math.Lgamma(a)
	logB, _ := math.Lgamma(b)
	logAB, _ := math.Lgamma(a + b)
	front := math.Exp(logAB - logA - logB + a*math.Log(x) + b*math.Log1p(-x))
	return front * betaFraction(x, a, b) / a
}

// betaFraction evaluates the continued fraction of the incomplete beta function by the method of
// Lentz.
func betaFraction(x, a, b float64) float64 {
	const tiny, precision = 1e-300, 1e-14
	avoidZero := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/avoidZero(1-(a+b)*x/(a+1))
	result := d
	for m := 1.0; m < 10_000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / avoidZero(1+even*d)
		c = avoidZero(1 + even/c)
		result *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / avoidZero(1+odd*d)
		c = avoidZero(1 + odd/c)
		result *= d * c
		if math.Abs(d*c-1) < precision {
			break
		}
	}
	return result
}
