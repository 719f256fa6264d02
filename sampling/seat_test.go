package sampling

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"countersign/domain"
)

func someIDs(n int) []domain.ID {
	ids := make([]domain.ID, n)
	for i := range ids {
		ids[i] = domain.NewID()
	}
	return ids
}

// Over 2,000 seats every candidate is drawn about equally often: each of 4 about 500 times, with a
// standard deviation of 19.4.
func TestEverybodyIsDrawnAboutEqually(t *testing.T) {
	t.Parallel()
	key := sha256.Sum256([]byte("fixed key"))
	people, counts := make([]domain.ID, 4), map[domain.ID]int{}
	for i := range people {
		people[i] = domain.ID{0: 1, 15: byte(i + 1)}
	}
	for n := range 2000 {
		seat := Seat{CaseID: domain.ID{14: byte(n >> 8), 15: byte(n)}, Node: "review_l1",
			Number: n % 2, Attempt: 1 + n%3}
		counts[DrawPerson(key[:], seat, people)]++
	}
	for _, person := range people {
		if counts[person] < 500-78 || counts[person] > 500+78 {
			t.Errorf("%s was drawn %d times of 2000", person, counts[person])
		}
	}
	t.Log(counts)
}

// The result does not depend on the order of the candidates, nor on candidates who join or leave,
// unless they are drawn themselves.
func TestOthersDoNotSteerADraw(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	key := sha256.Sum256([]byte("fixed key"))
	for range 500 {
		people := someIDs(2 + random.IntN(6))
		seat := Seat{CaseID: domain.NewID(), Node: "review_l2", Number: 1, Attempt: 2}
		drawn := DrawPerson(key[:], seat, people)
		random.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
		if got := DrawPerson(key[:], seat, people); got != drawn {
			t.Fatalf("another order draws %s instead of %s", got, drawn)
		}
		for i, left := range people {
			rest := append(append([]domain.ID{}, people[:i]...), people[i+1:]...)
			if got := DrawPerson(key[:], seat, rest); left != drawn && got != drawn {
				t.Fatalf("without %s, %s is drawn instead of %s", left, got, drawn)
			}
		}
		joined := domain.NewID()
		if got := DrawPerson(key[:], seat, append(people, joined)); got != drawn && got != joined {
			t.Fatalf("with one more candidate, %s is drawn instead of %s", got, drawn)
		}
	}
}

// Another key, seat or attempt draws again, so that no one can foresee a draw from others.
func TestDrawsAreIndependent(t *testing.T) {
	t.Parallel()
	key, other := sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b"))
	people, same := someIDs(4), map[string]int{}
	for range 2000 {
		seat := Seat{CaseID: domain.NewID(), Node: "review_l1", Number: 0, Attempt: 1}
		drawn := DrawPerson(key[:], seat, people)
		changed := map[string]Seat{"attempt": seat, "number": seat, "node": seat, "case": seat}
		for name, one := range changed {
			switch name {
			case "attempt":
				one.Attempt++
			case "number":
				one.Number++
			case "node":
				one.Node = "review_l2"
			case "case":
				one.CaseID = domain.NewID()
			}
			if DrawPerson(key[:], one, people) == drawn {
				same[name]++
			}
		}
		if DrawPerson(other[:], seat, people) == drawn {
			same["key"]++
		}
	}
	for name, n := range same {
		if n < 400 || n > 600 {
			t.Errorf("with another %s the same person is drawn %d times of 2000", name, n)
		}
	}
	if DrawPerson(key[:], Seat{}, nil) != domain.NoID {
		t.Error("a draw without candidates has a result")
	}
}
