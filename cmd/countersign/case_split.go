package main

import (
	"context"
	"strconv"
	"strings"

	"countersign/domain"
)

// caseSplit splits the file of a case by its pages.
type caseSplit struct {
	reviewNamed
	Pages []string `required:"" placeholder:"PAGES" help:"Pages of each part in order, such as 1-2,3,4-6. Every page belongs to one part."`
}

// Run splits.
func (s *caseSplit) Run(ctx context.Context, c *console) error {
	parts, err := pageRanges(s.Pages)
	if err != nil {
		return err
	}
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.reviewOf(ctx, s.Review)
	if err != nil {
		return err
	}
	answer, err := splitCase(ctx, client, found.Id, s.Expected, parts, newKey())
	if err != nil {
		return err
	}
	if err := refused(answer.Done.UserErrors); err != nil {
		return err
	}
	rows := [][]string{}
	for _, part := range answer.Done.Parts {
		rows = append(rows, []string{part.Reference, pagesText(part.Pages)})
	}
	return c.printTable(answer.Done.Parts, []string{"REFERENCE", "PAGES"}, rows)
}

// caseMerge undoes a split.
type caseMerge struct {
	reviewNamed
	Reason string `required:"" help:"Why the parts are one document."`
}

// Run merges.
func (m *caseMerge) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.reviewOf(ctx, m.Review)
	if err != nil {
		return err
	}
	answer, err := mergeParts(ctx, client, found.Id, m.Expected, m.Reason, newKey())
	if err != nil {
		return err
	}
	if err := refused(answer.Done.UserErrors); err != nil {
		return err
	}
	return c.printDone(answer.Done, "merged into %s", answer.Done.Reference)
}

// pageRanges parses ranges such as 1-2 or 3.
func pageRanges(texts []string) ([]PageRangeInput, error) {
	ranges := make([]PageRangeInput, 0, len(texts))
	for _, text := range texts {
		first, last, several := strings.Cut(strings.TrimSpace(text), "-")
		if !several {
			last = first
		}
		from, err := strconv.Atoi(strings.TrimSpace(first))
		to, lastErr := strconv.Atoi(strings.TrimSpace(last))
		if err != nil || lastErr != nil {
			return nil, domain.Invalid("pages", "%q is not a range of pages.", printable(text)).
				WithRemedy("Write the pages of each part in order, such as 1-2,3,4-6.")
		}
		ranges = append(ranges, PageRangeInput{First: from, Last: to})
	}
	return ranges, nil
}

// pagesText writes pages as pageRanges reads them.
func pagesText(pages pageRange) string {
	if pages.First == pages.Last {
		return strconv.Itoa(pages.First)
	}
	return strconv.Itoa(pages.First) + "-" + strconv.Itoa(pages.Last)
}
