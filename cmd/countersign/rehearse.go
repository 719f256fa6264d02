package main

import (
	"context"
	"fmt"
)

// rehearse rehearses a text on past cases.
type rehearse struct {
	File    string `arg:"" help:"File with the text." type:"existingfile"`
	Kind    string `enum:"process,rules,policy" default:"process" help:"What the text is: process, rules or policy."`
	Closed  int    `default:"1000" help:"How many of the newest closed cases are rehearsed, up to 10,000."`
	Open    bool   `default:"true" negatable:"" help:"Rehearse all open cases too."`
	Process string `help:"Key of the process whose cases are rehearsed under rules or a policy; all without it."`
}

// Run prints the sums. Nothing is changed or recorded.
func (r *rehearse) Run(ctx context.Context, c *console) error {
	client, document, err := c.apiAndText(r.File)
	if err != nil {
		return err
	}
	var process, rules, policy string
	switch r.Kind {
	case "rules":
		rules = document
	case "policy":
		policy = document
	default:
		process = document
	}
	answer, err := rehearseText(ctx, client, process, rules, policy, r.Process, r.Closed, r.Open)
	if err != nil {
		return err
	}
	sums := answer.Rehearse
	rows := [][]string{}
	for _, row := range []struct {
		name  string
		cases int
	}{{"rehearsed", sums.Cases}, {"closed", sums.Closed}, {"open", sums.Open},
		{"left out: not readable", sums.Hidden}, {"left out: erased", sums.Erased},
		{"with the visible facts alone", sums.Simplified}, {"with hidden votes", sums.HiddenVotes},
		{"same", sums.Same}, {"more reviews", sums.MoreReviews}, {"fewer reviews", sums.FewerReviews},
		{"other reviews or reviewers", sums.OtherReviews},
		{"would meet a person", sums.StraightToPerson}, {"would no longer meet a person", sums.PersonToStraight},
		{"another final status", sums.OtherEnd}, {"too few people before", sums.TooFewBefore},
		{"too few people after", sums.TooFewAfter}, {"assigned to no one before", sums.UnassignedBefore},
		{"assigned to no one after", sums.UnassignedAfter}, {"no route", sums.Stopped},
		{"other findings or risk", sums.OtherFindings}, {"rule not determined", sums.Undetermined},
		{"approval stopped by findings", sums.Refused}, {"of these without override", sums.Impossible},
		{"compared with the record", sums.ComparedWithRecord}, {"unlike the record", sums.UnlikeRecord}} {
		rows = append(rows, []string{row.name, fmt.Sprint(row.cases)})
	}
	if err := c.printTable(sums, []string{"FIGURE", "CASES"}, rows); err != nil || c.json {
		return err
	}
	for _, fact := range sums.MissingFacts {
		c.printLine("%s", printable(fmt.Sprintf("%s: %s (%d cases)", fact.Node, fact.Message, fact.Cases)))
	}
	if !sums.Complete {
		c.printNote("The time was over before all cases were rehearsed. Choose fewer cases.")
	}
	return nil
}
