package sampling

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"countersign/domain"
)

// Seat is the seat of a review in a case, and the number of the draw for it. It has no id of a
// review, so that the same seat opened again in a case draws the same person.
type Seat struct {
	CaseID  domain.ID
	Node    string
	Number  int
	Attempt int
}

// DrawPerson returns the candidate whose keyed hash with the seat is the smallest, NoID without
// candidates. No one can foresee it without the key. Every candidate is drawn with the same
// probability, and another candidate more or less changes the result only if that one is drawn.
func DrawPerson(key []byte, seat Seat, candidates []domain.ID) domain.ID {
	var drawn domain.ID
	var smallest []byte
	for _, person := range candidates {
		if hash := seat.hash(key, person); smallest == nil || slices.Compare(hash, smallest) < 0 {
			drawn, smallest = person, hash
		}
	}
	return drawn
}

// hash returns HMAC-SHA-256 of the seat and the person. Only the name of the node has a variable
// length, so it comes last.
func (s Seat) hash(key []byte, person domain.ID) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("seat"))
	mac.Write(s.CaseID[:])
	mac.Write(person[:])
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(s.Number)))
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(s.Attempt)))
	mac.Write([]byte(s.Node))
	return mac.Sum(nil)
}

// SortedCandidates returns the candidates in the order in which they are stored and hashed.
func SortedCandidates(candidates []domain.ID) []domain.ID {
	return slices.SortedFunc(slices.Values(candidates),
		func(a, b domain.ID) int { return slices.Compare(a[:], b[:]) })
}

// HashOfCandidates returns the SHA-256 of the sorted candidates, each with its 16 bytes, in
// hexadecimal.
func HashOfCandidates(candidates []domain.ID) string {
	hash := sha256.New()
	for _, person := range SortedCandidates(candidates) {
		hash.Write(person[:])
	}
	return hex.EncodeToString(hash.Sum(nil))
}
