package main

import (
	"context"
	"fmt"
	"strings"

	"countersign/domain"
)

// incidentCommand lists and repairs incidents.
type incidentCommand struct {
	List    incidentList    `cmd:"" default:"withargs" help:"List the incidents: steps that failed permanently."`
	Retry   incidentRetry   `cmd:"" help:"Run the failed step again."`
	Replace incidentReplace `cmd:"" help:"Replace the document with another file."`
	Enter   incidentEnter   `cmd:"" help:"Enter the fields by hand."`
	Abandon incidentAbandon `cmd:"" help:"Abandon the case."`
}

// incidentLine describes an incident in one line.
func incidentLine(i *incident) string {
	return printable(fmt.Sprintf("%s failed at attempt %d: %s (%s)", i.Node, i.Attempt, i.Message,
		i.Code))
}

// recoveryCommands are the recovery actions of an incident as subcommands of this tool.
func recoveryCommands(actions []string) []string {
	words := map[string]string{"RETRY": "retry", "REPLACE_DOCUMENT": "replace",
		"ENTER_FIELDS": "enter", "ABANDON": "abandon"}
	var list []string
	for _, action := range actions {
		if word, ok := words[action]; ok {
			list = append(list, word)
		}
	}
	return list
}

// incidentList lists incidents.
type incidentList struct {
	First int `default:"20" help:"Maximum number of incidents."`
}

// Run prints the list.
func (l *incidentList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listIncidents(ctx, client, l.First)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, i := range answer.Incidents.Nodes {
		reference := "-"
		if i.Case != nil {
			reference = i.Case.Reference
		}
		rows = append(rows, []string{reference, i.Node, fmt.Sprint(i.Attempt), i.Code, i.Message,
			strings.Join(recoveryCommands(i.Actions), ", "), localTime(i.OpenedAt)})
	}
	return c.printTable(answer.Incidents.Nodes, []string{"REFERENCE", "STEP", "ATTEMPT", "CODE",
		"CAUSE", "ACTIONS", "SINCE"}, rows)
}

// onIncident is the part that all commands about the incident of one case share.
type onIncident struct {
	Case string `arg:"" help:"Reference or id of the case."`
	following
}

func (o onIncident) act(ctx context.Context, c *console, done string, send caseMutation) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.caseOf(ctx, o.Case)
	if err != nil {
		return err
	}
	return c.actOnCase(ctx, client, found, o.following, done, send)
}

// incidentRetry retries.
type incidentRetry struct{ onIncident }

// Run queues the failed step again.
func (r *incidentRetry) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "queued again", func(client *api, id, key string) (caseResult, error) {
		answer, err := retryIncident(ctx, client, id, key)
		return answer.Done, err
	})
}

// incidentReplace replaces the file.
type incidentReplace struct {
	onIncident
	File string `arg:"" type:"existingfile" help:"The new file."`
}

// Run uploads the new file.
func (r *incidentReplace) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "replaced", replacement(ctx, r.File))
}

// replacement sends another file for the document of a case.
func replacement(ctx context.Context, file string) caseMutation {
	return func(client *api, id, key string) (caseResult, error) {
		answer, err := replaceDocument(ctx, client, id, upload(file), key)
		return answer.Done, err
	}
}

// incidentEnter enters fields by hand.
type incidentEnter struct {
	onIncident
	Fields []string `arg:"" name:"field=value" help:"Fields, such as vendor=Kiefer number=7 date=2026-01-31 currency=EUR total=119.00."`
}

// Run enters them.
func (r *incidentEnter) Run(ctx context.Context, c *console) error {
	fields, err := fieldInputs(r.Fields)
	if err != nil {
		return err
	}
	return r.act(ctx, c, "entered", func(client *api, id, key string) (caseResult, error) {
		answer, err := enterFields(ctx, client, id, fields, key)
		return answer.Done, err
	})
}

// incidentAbandon abandons the case.
type incidentAbandon struct {
	onIncident
	Reason string `required:"" help:"Reason for abandoning the case."`
}

// Validate refuses an empty reason; kong calls it.
func (r *incidentAbandon) Validate() error {
	if strings.TrimSpace(r.Reason) == "" {
		return domain.Invalid("reason", "Enter a reason.")
	}
	return r.following.Validate()
}

// Run abandons.
func (r *incidentAbandon) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "abandoned", func(client *api, id, key string) (caseResult, error) {
		answer, err := abandonCase(ctx, client, id, r.Reason, key)
		return answer.Done, err
	})
}
