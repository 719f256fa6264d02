package sampling

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"countersign/domain"
)

// riskFactor is by how much each reason multiplies the share of a case.
const riskFactor = 4

// Reason is why a case is drawn with a higher probability than others.
type Reason string

// The reasons.
const (
	NewPayee   Reason = "new_payee"   // first archived document of the counterparty
	NewAccount Reason = "new_account" // first archived use of the account
	NearMark   Reason = "near_mark"   // amount just below a mark
)

// Weight returns by how much the reasons multiply the share of a case.
func Weight(reasons []Reason) float64 { return math.Pow(riskFactor, float64(len(reasons))) }

// fixedMarks are the amounts in minor units of the base currency from which a document takes another
// route in the built-in processes.
var fixedMarks = []int64{1_000_00, 100_000_00}

// Marks returns all marks: the fixed ones and the limits.
func Marks(limits []int64) []int64 { return append(slices.Clone(fixedMarks), limits...) }

// IsNearMark reports whether the amount is at most 10 % below a fixed mark or one of the limits, all
// in minor units of the base currency. A credit counts by its absolute value.
func IsNearMark(baseMinor int64, limits []int64) bool {
	if baseMinor < 0 {
		baseMinor = -max(baseMinor, -math.MaxInt64)
	}
	return slices.ContainsFunc(Marks(limits), func(mark int64) bool {
		return mark > 0 && baseMinor < mark && baseMinor >= mark-mark/10
	})
}

// FullShare is the share of all cases; shares are counted in millionths.
const FullShare = 1_000_000

// DefaultShare returns the share of a stratum until one is set.
func DefaultShare(stratum domain.Stratum) int {
	if stratum == domain.StratumStraight {
		return FullShare / 50
	}
	return FullShare / 100
}

// Probability returns the probability with which a case is drawn: its share times its weight, at
// most 1.
func Probability(share int, weight float64) float64 {
	return min(1, max(0, float64(share)/FullShare*weight))
}

// Drawn reports whether a case is drawn. Without the key the result cannot be foreseen; with it, it is
// always the same, and a case drawn at one probability is drawn at every higher one.
func Drawn(key []byte, caseID domain.ID, probability float64) bool {
	return uniform(key, "draw", caseID) < probability
}

// Rank orders samples for a checker, so that neither the checker nor the submitter can foresee who
// gets which.
func Rank(key []byte, sample, person domain.ID) float64 {
	return uniform(key, "rank", sample, person)
}

// uniform returns a number from 0 up to, but not including, 1.
func uniform(key []byte, purpose string, ids ...domain.ID) float64 {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(purpose))
	for _, id := range ids {
		mac.Write(id[:])
	}
	return float64(binary.BigEndian.Uint64(mac.Sum(nil))>>11) / (1 << 53)
}
