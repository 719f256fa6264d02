package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"countersign/domain"
)

// nextReceipts is the number of receipts that each receipt is joined with.
const nextReceipts = 6

// single is what was read of a single document.
type single struct {
	name string
	read reading
}

// countPairs joins the pages of the kept single documents two by two and prints in how many of
// the pairs two documents are found, in how many the second one begins at its first page, and in how many
// others a field is doubted. Invoices are joined with all others of their set, so in both orders.
func countPairs(s settings) error {
	for _, set := range strings.Split(s.sets, ",") {
		singles, err := readSingles(s, set)
		if err != nil {
			return err
		}
		count := pairCount{verbose: s.verbose}
		for i, first := range singles {
			for next := 1; next < len(singles); next++ {
				if strings.HasPrefix(set, "sroie") && next > nextReceipts {
					break
				}
				count.add(first, singles[(i+next)%len(singles)])
			}
		}
		if count.all > 0 {
			fmt.Printf("%s: %d of %d pairs found, %d of them at the page of the second document, %d others doubted\n",
				set, count.found, count.all, count.exact, count.doubted)
		}
	}
	return nil
}

// readSingles returns the kept single documents of a set that have words.
func readSingles(s settings, set string) ([]single, error) {
	paths, err := filepath.Glob(filepath.Join(s.singles, s.engine, set, "*.json"))
	if err != nil {
		return nil, err
	}
	var singles []single
	for _, path := range paths {
		found, err := parseReading(path)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(found.Pages, func(p domain.Page) bool { return len(p.Words) > 0 }) {
			singles = append(singles, single{strings.TrimSuffix(filepath.Base(path), ".json"), found})
		}
	}
	return singles, nil
}

// pairCount counts pairs of joined documents.
type pairCount struct {
	all, found, exact int
	doubted           int // not found, but a field has another value
	verbose           bool
}

// add joins the pages of two documents, without e-invoices, as they are printed or scanned.
func (c *pairCount) add(first, second single) {
	pages := slices.Concat(first.read.Pages, second.read.Pages)
	for i := range pages {
		pages[i].Number = i + 1
	}
	examined := examine(reading{Pages: pages})
	parts, begin := examined.Parts, len(first.read.Pages)+1
	c.all++
	if len(parts) > 1 {
		c.found++
	} else if len(examined.Elsewhere) > 0 {
		c.doubted++
	}
	switch {
	case len(parts) == 2 && parts[1].First == begin:
		c.exact++
	case len(parts) < 2 || c.verbose:
		fmt.Printf("  %s + %s: found %s, want page %d; %s\n", first.name, second.name, describe(parts),
			begin, elsewhere(examined.Elsewhere))
	}
}
