package search_test

import (
	"fmt"
	"slices"
	"testing"

	"countersign/search"
)

// missing returns the words for typos that are not remembered.
func missing(k *search.KnownWords, epoch byte, text string) []string {
	found := map[string]bool{}
	k.Missing(search.NewIndex([]search.Text{{Kind: search.KindPage, Text: text}}), [16]byte{epoch}, found)
	words := []string{}
	for token, word := range found {
		if word {
			words = append(words, token)
		}
	}
	slices.Sort(words)
	return words
}

// Words are remembered after they were added for the same epoch, and only then: not because they were
// looked up, because the transaction may fail, and not from an earlier epoch.
func TestKnownWords(t *testing.T) {
	t.Parallel()
	k := search.NewKnownWords()
	for _, step := range []struct {
		epoch byte
		text  string
		want  []string
		add   byte // epoch; 0 adds nothing
	}{
		{1, "Zeppelin Hangar 1234", []string{"hangar", "zeppelin"}, 0},
		{1, "zeppelin", []string{"zeppelin"}, 1},
		{1, "zeppelin hangar", []string{"hangar"}, 1},
		{1, "zeppelin hangar", []string{}, 0},
		{2, "zeppelin", []string{"zeppelin"}, 1}, // of a transaction that began before words were removed
		{2, "zeppelin", []string{"zeppelin"}, 2},
		{2, "zeppelin", []string{}, 0},
		{1, "zeppelin", []string{"zeppelin"}, 0}, // a database that was restored
	} {
		got := missing(k, step.epoch, step.text)
		if !slices.Equal(got, step.want) {
			t.Errorf("epoch %d, %q: missing %q, want %q", step.epoch, step.text, got, step.want)
		}
		if step.add != 0 {
			k.Add([16]byte{step.add}, got)
		}
	}
}

// What is remembered is bounded, and words that occur again stay.
func TestKnownWordsAreBounded(t *testing.T) {
	t.Parallel()
	k := search.NewKnownWords()
	missing(k, 1, "")
	k.Add([16]byte{1}, []string{"zeppelin", "dampfschiff"})
	for i := range 3 {
		words := make([]string, 80_000)
		for j := range words {
			words[j] = fmt.Sprintf("word%dx%d", i, j)
		}
		k.Add([16]byte{1}, words)
		if got := missing(k, 1, "zeppelin"); len(got) > 0 {
			t.Fatalf("forgot %q, which occurs in every round", got)
		}
	}
	if got := missing(k, 1, "zeppelin dampfschiff"); !slices.Equal(got, []string{"dampfschiff"}) {
		t.Errorf("missing %q after 240,000 other words", got)
	}
}
