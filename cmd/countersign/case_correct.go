package main

import (
	"context"
)

// caseCorrect submits the correction of an archived case.
type caseCorrect struct {
	Case   string `arg:"" help:"Reference or ID of the archived case."`
	Reason string `required:"" help:"What is wrong. Reviewers of the correction case read it."`
}

// Run submits it.
func (r *caseCorrect) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.caseOf(ctx, r.Case)
	if err != nil {
		return err
	}
	correction, err := client.onCase(found, func(client *api, id, key string) (caseResult, error) {
		answer, err := correctArchivedCase(ctx, client, id, r.Reason, key)
		return answer.Done, err
	})
	if err != nil {
		return err
	}
	return c.printDone(correction, "%s corrects %s", correction.Reference, found.Reference)
}
