package search

import (
	"hash/maphash"
	"sync"
)

// maxKnown bounds how many words each of the two halves of KnownWords remembers.
const maxKnown = 100_000

// KnownWords remembers which words the table of words for typos has, so that they are not looked up for
// every case. What it remembers holds for one epoch: the table has another one after a word was removed.
// It is safe for concurrent use. It keeps a hash of each word: if two are equal, which one in 10^14 words
// is, the second one is not corrected.
type KnownWords struct {
	mu         sync.Mutex
	seed       maphash.Seed
	epoch      [16]byte
	young, old map[uint64]struct{} // old is forgotten when young is full
}

// NewKnownWords remembers no words.
func NewKnownWords() *KnownWords {
	return &KnownWords{seed: maphash.MakeSeed(), young: map[uint64]struct{}{}}
}

// Missing returns those words of the index that words does not have and that are not remembered for the
// epoch, added to words with whether they are words for typos.
func (k *KnownWords) Missing(x *Index, epoch [16]byte, words map[string]bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.enter(epoch)
	for i := range x.sorted {
		token := x.sorted[i].token
		if k.knows(token) {
			continue
		}
		if _, known := words[token]; !known {
			words[token] = IsWord(token)
		}
	}
}

// Add remembers words that the table has. It ignores those of an earlier epoch.
func (k *KnownWords) Add(epoch [16]byte, words []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.epoch != epoch {
		return
	}
	for _, word := range words {
		k.remember(maphash.String(k.seed, word))
	}
}

func (k *KnownWords) enter(epoch [16]byte) {
	if k.epoch != epoch {
		k.epoch, k.young, k.old = epoch, map[uint64]struct{}{}, nil
	}
}

func (k *KnownWords) knows(word string) bool {
	hash := maphash.String(k.seed, word)
	if _, known := k.young[hash]; known {
		return true
	}
	_, known := k.old[hash]
	if known {
		k.remember(hash) // a word in use stays
	}
	return known
}

func (k *KnownWords) remember(hash uint64) {
	if len(k.young) >= maxKnown {
		k.young, k.old = map[uint64]struct{}{}, k.young
	}
	k.young[hash] = struct{}{}
}
