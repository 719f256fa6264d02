package main

import "math"

// oneSided is the probability with which the true share lies below upperBound.
const oneSided = 0.95

// upperBound returns the one-sided Clopper-Pearson bound of the share of wrong values, of which so
// many were found among count: the share with which as few would be found in one of twenty samples.
func upperBound(wrong, count int) float64 {
	if count == 0 || wrong >= count {
		return 1
	}
	low, high := 0.0, 1.0
	for range 60 {
		middle := (low + high) / 2
		if atMost(wrong, count, middle) > 1-oneSided {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// atMost returns the probability of at most so many of count if each has the given share.
func atMost(wrong, count int, share float64) float64 {
	if share <= 0 {
		return 1
	}
	if share >= 1 {
		return 0
	}
	sum := 0.0
	all, _ := math.Lgamma(float64(count + 1))
	for k := range wrong + 1 {
		some, _ := math.Lgamma(float64(k + 1))
		rest, _ := math.Lgamma(float64(count - k + 1))
		sum += math.Exp(all - some - rest + float64(k)*math.Log(share) +
			float64(count-k)*math.Log1p(-share))
	}
	return sum
}
