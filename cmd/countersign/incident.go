package main

import (
	"context"
	"fmt"
	"strings"

	"countersign/domain"
)

// incidentCommand repairs what failed.
type incidentCommand struct {
	List    incidentList    `cmd:"" default:"withargs" help:"What failed for good and waits for a person."`
	Retry   incidentRetry   `cmd:"" help:"Run the failed step again."`
	Replace incidentReplace `cmd:"" help:"Put another file in the place of the document."`
	Enter   incidentEnter   `cmd:"" help:"Enter the fields by hand."`
	Abandon incidentAbandon `cmd:"" help:"Give the case up."`
}

// incident is a step that failed permanently.
type incident struct {
	ID, Version, Node, Code, Message, OpenedAt string
	Attempt                                    int
	Actions                                    []string
	Case                                       *caseHead
}

const incidentFields = `id version node attempt code message openedAt actions case { ` +
	headFields + ` }`

func (i *incident) line() string {
	return printable(fmt.Sprintf("%s failed at attempt %d: %s (%s)", i.Node, i.Attempt, i.Message,
		i.Code))
}

// commands are the recovery actions as subcommands of this tool.
func (i *incident) commands() []string {
	words := map[string]string{"RETRY": "retry", "REPLACE_DOCUMENT": "replace",
		"ENTER_FIELDS": "enter", "ABANDON": "abandon"}
	var list []string
	for _, action := range i.Actions {
		if word, ok := words[action]; ok {
			list = append(list, word)
		}
	}
	return list
}

// incidentOf is the case's incident, nil if it has none.
func (a *api) incidentOf(ctx context.Context, caseID string) (*incident, error) {
	var answer struct{ Case *struct{ Incident *incident } }
	err := a.query(ctx, `query($id: ID!) { case(id: $id) { incident { `+incidentFields+` } } }`,
		map[string]any{"id": caseID}, &answer)
	if err != nil || answer.Case == nil {
		return nil, err
	}
	return answer.Case.Incident, nil
}

// incidentList lists incidents.
type incidentList struct {
	First int `default:"20" help:"How many."`
}

// Run prints the list.
func (l *incidentList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	var answer struct{ Incidents struct{ Nodes []incident } }
	err = client.query(ctx, `query($first: Int!) { incidents(first: $first) { nodes { `+
		incidentFields+` } } }`, map[string]any{"first": l.First}, &answer)
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
			strings.Join(i.commands(), ", "), localTime(i.OpenedAt)})
	}
	return c.printTable(answer.Incidents.Nodes, []string{"REFERENCE", "STEP", "ATTEMPT", "CODE",
		"CAUSE", "WAYS OUT", "SINCE"}, rows)
}

// onIncident is a command about the incident of one case.
type onIncident struct {
	Case string `arg:"" help:"Reference or id of the case."`
	following
}

func (o onIncident) act(ctx context.Context, c *console, done, mutation, inputType string,
	values map[string]any, file string) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.caseOf(ctx, o.Case)
	if err != nil {
		return err
	}
	return c.actOnCase(ctx, client, found, o.following, done, mutation, inputType, values, file)
}

// incidentRetry retries.
type incidentRetry struct{ onIncident }

// Run queues the failed step again.
func (r *incidentRetry) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "queued again", "retryIncident", "RetryIncidentInput", map[string]any{},
		"")
}

// incidentReplace replaces the file.
type incidentReplace struct {
	onIncident
	File string `arg:"" type:"existingfile" help:"The new file."`
}

// Run uploads the new file.
func (r *incidentReplace) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "replaced", "replaceDocument", "ReplaceDocumentInput", map[string]any{},
		r.File)
}

// incidentEnter enters fields by hand.
type incidentEnter struct {
	onIncident
	Fields []string `arg:"" name:"field=value" help:"Such as vendor=Kiefer number=7 date=2026-01-31 currency=EUR total=119.00."`
}

// Run enters them.
func (r *incidentEnter) Run(ctx context.Context, c *console) error {
	fields, err := fieldInputs(r.Fields)
	if err != nil {
		return err
	}
	return r.act(ctx, c, "entered", "enterFields", "EnterFieldsInput",
		map[string]any{"fields": fields}, "")
}

// incidentAbandon gives the case up.
type incidentAbandon struct {
	onIncident
	Reason string `required:"" help:"Why."`
}

// Validate refuses an empty reason; kong calls it.
func (r *incidentAbandon) Validate() error {
	if strings.TrimSpace(r.Reason) == "" {
		return domain.Invalid("reason", "say why the case is given up")
	}
	return r.following.Validate()
}

// Run abandons.
func (r *incidentAbandon) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "abandoned", "abandonCase", "AbandonCaseInput",
		map[string]any{"reason": r.Reason}, "")
}
