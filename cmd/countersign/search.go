package main

import (
	"context"
	"fmt"
	"strings"
)

// searchCommands search cases, and fill the search index.
type searchCommands struct {
	Find    searchFind    `cmd:"" default:"withargs" help:"Search the cases you may read: words of pages and fields, file names, amounts, IBANs, people, references."`
	Rebuild searchRebuild `cmd:"" help:"Index every case again. The search works meanwhile."`
}

// searchFind searches cases.
type searchFind struct {
	Words []string `arg:"" help:"Up to 8 words, all of which must occur."`
	First int      `default:"20" help:"Maximum number of cases."`
}

// Run prints the found cases, each with the first text in which the words are.
func (f *searchFind) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := searchCases(ctx, client, strings.Join(f.Words, " "), f.First)
	if err != nil {
		return err
	}
	for _, correction := range answer.Search.Corrections {
		c.printNote("no case has %q; searched for %s", correction.Word,
			strings.Join(correction.Replacements, ", "))
	}
	rows := [][]string{}
	for _, hit := range answer.Search.Nodes {
		where, text := "-", "-"
		if len(hit.Snippets) > 0 {
			snippet := hit.Snippets[0]
			where, text = placeOf(snippet), snippet.Text
		}
		rows = append(rows, []string{hit.Case.Reference, string(status(hit.Case.Status)), hit.Case.DocumentType,
			orDash(hit.Case.Counterparty), where, text})
	}
	return c.printTable(answer.Search.Nodes, []string{"REFERENCE", "STATUS", "TYPE", "COUNTERPARTY", "FOUND IN",
		"TEXT"}, rows)
}

// placeOf names where the text of a hit is.
func placeOf(snippet searchSnippet) string {
	switch {
	case snippet.Page != nil:
		return fmt.Sprintf("page %d", snippet.Page.Number)
	case snippet.Field != "":
		return snippet.Field
	}
	return strings.ToLower(strings.ReplaceAll(snippet.Kind, "_", " "))
}

// searchRebuild fills the index.
type searchRebuild struct{}

// Run indexes every case, on the database.
func (searchRebuild) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	done, err := o.service.RebuildSearch(ctx)
	if err != nil {
		return err
	}
	c.printNote("indexed %s", countText(int64(done), "case"))
	return nil
}
