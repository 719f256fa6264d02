package main

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"countersign/domain"
)

// changeCommands manage the proposed changes of control data: country risks, exchange rates, ended
// conflicts of interest and left groups.
type changeCommands struct {
	List     changeList     `cmd:"" default:"1" help:"List the changes that wait for a second person."`
	Confirm  changeConfirm  `cmd:"" help:"Confirm a change that another person proposed."`
	Withdraw changeWithdraw `cmd:"" help:"Withdraw a proposed change."`
}

// changeList lists the proposed changes.
type changeList struct{}

// Run prints the list.
func (changeList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := openChanges(ctx, client)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, change := range answer.ControlChanges.Nodes {
		by := "-"
		if change.ProposedBy != nil {
			by = change.ProposedBy.Name
		}
		rows = append(rows, []string{change.Id, strings.ToLower(change.Kind), change.Subject,
			orDash(change.Before), orDash(change.After), by, orDash(change.Reason)})
	}
	return c.printTable(answer.ControlChanges.Nodes,
		[]string{"ID", "KIND", "OF", "FROM", "TO", "PROPOSED BY", "REASON"}, rows)
}

// changeConfirm confirms one.
type changeConfirm struct {
	ID string `arg:"" help:"ID of the change, from change list."`

	WithoutOwners string `help:"Confirm it without the owners of the process, who did not decide in time, for this reason."`
}

// Run confirms it.
func (f *changeConfirm) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := confirmChange(ctx, client, f.ID, f.WithoutOwners)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "confirmed")
}

// changeWithdraw withdraws one.
type changeWithdraw struct {
	ID     string `arg:"" help:"ID of the change, from change list."`
	Reason string `help:"Reason."`
}

// Run withdraws it.
func (w *changeWithdraw) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := withdrawChange(ctx, client, w.ID, w.Reason)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "withdrawn")
}

// printControl prints the outcome for each value; ended replaces the outcome of a proposal that the
// command ended.
func (c *console) printControl(done controlOutcome, ended string) error {
	if err := refused(done.UserErrors); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(done.Results)
	}
	for _, result := range done.Results {
		outcome := ended
		switch {
		case ended != "":
		case result.Applied:
			outcome = "in force now"
		case result.Proposal != nil:
			outcome = "proposed; another administrator must confirm it"
		default:
			outcome = "unchanged"
		}
		c.printLine("%s  %s", result.Key, outcome)
	}
	return nil
}

// readPairs reads a CSV with a header line and two columns. It refuses the whole file if a line is
// not complete.
func readPairs(file, first, second string) ([][2]string, error) {
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, domain.Errorf(domain.InvalidInput, "The file %s cannot be read.",
			file).WithCause(err)
	}
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff")))
	reader.TrimLeadingSpace = true
	records, err := reader.ReadAll()
	if err != nil {
		return nil, domain.Invalid("file", "The file is not a valid CSV: %s.", err)
	}
	if len(records) < 2 {
		return nil, domain.Invalid("file", "The file has no lines below its header.")
	}
	at, other := slices.Index(records[0], first), slices.Index(records[0], second)
	if at < 0 || other < 0 {
		return nil, domain.Invalid("file", "The first line must name the columns %s and %s.",
			first, second)
	}
	pairs := make([][2]string, 0, len(records)-1)
	for n, record := range records[1:] {
		pair := [2]string{strings.ToUpper(strings.TrimSpace(record[at])),
			strings.TrimSpace(record[other])}
		if pair[0] == "" || pair[1] == "" {
			return nil, domain.Invalid("file", "Line %d has an empty value.", n+2)
		}
		pairs = append(pairs, pair)
	}
	return pairs, nil
}
