package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"countersign/domain"
)

// processCommands keep process definitions: one administrator proposes, another publishes.
type processCommands struct {
	List    processList    `cmd:"" default:"1" help:"The published processes and what is proposed."`
	Check   processCheck   `cmd:"" help:"Parse and prove a definition, keeping nothing."`
	Propose processPropose `cmd:"" help:"Propose a definition as the next version of its process."`
	Publish processPublish `cmd:"" help:"Publish what another administrator proposed."`
	Restore processRestore `cmd:"" help:"Propose an earlier version as the newest."`
}

// definitionProblem is what is wrong with a text.
type definitionProblem struct {
	Rule, Message, Node string
	Line                int
	Path                []struct{ Event string }
}

func (p definitionProblem) line(kind string) string {
	text := kind + ": "
	if p.Line > 0 {
		text += fmt.Sprintf("line %d: ", p.Line)
	}
	if p.Node != "" {
		text += p.Node + ": "
	}
	text += p.Message
	if len(p.Path) > 0 {
		events := make([]string, 0, len(p.Path))
		for _, step := range p.Path {
			events = append(events, step.Event)
		}
		text += " (after: " + strings.Join(events, ", ") + ")"
	}
	return printable(text)
}

const problemFields = `rule message node line path { event }`

// processRow is one line of the list.
type processRow struct {
	Key         string
	Version     int
	Newest      bool
	Title       string
	PublishedAt string
	PublishedBy *struct{ Name string }
}

// proposalRow is what was proposed.
type proposalRow struct {
	ID, Key, Status, Note string
	NextVersion           int
	ProposedBy            *struct{ Name string }
}

// processList lists them.
type processList struct{}

// Run prints the published versions, then the open proposals.
func (processList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	var answer struct {
		ProcessDefinitions struct{ Nodes []processRow }
		Proposals          struct{ Nodes []proposalRow }
	}
	err = client.query(ctx, `{ processDefinitions(first: 100) { nodes { key version newest title publishedAt publishedBy { name } } }
		proposals(first: 100, filter: {kind: PROCESS, status: PROPOSED}) { nodes { id key status note nextVersion proposedBy { name } } } }`, nil, &answer)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, p := range answer.ProcessDefinitions.Nodes {
		state, by := "earlier", "-"
		if p.Newest {
			state = "in force"
		}
		if p.PublishedBy != nil {
			by = p.PublishedBy.Name
		}
		rows = append(rows, []string{p.Key, fmt.Sprint(p.Version), state, by,
			localTime(p.PublishedAt), p.Title})
	}
	for _, p := range answer.Proposals.Nodes {
		by := "-"
		if p.ProposedBy != nil {
			by = p.ProposedBy.Name
		}
		rows = append(rows, []string{p.Key, fmt.Sprint(p.NextVersion), "proposed", by, "-",
			orDash(p.Note)})
	}
	return c.printTable(answer, []string{"PROCESS", "VERSION", "STATE", "BY", "PUBLISHED",
		"TITLE OR NOTE"}, rows)
}

// processCheck checks a file.
type processCheck struct {
	File string `arg:"" help:"YAML of the definition." type:"existingfile"`
}

// Run prints what was found; a text with problems is a failure.
func (p *processCheck) Run(ctx context.Context, c *console) error {
	client, document, err := c.apiAndText(p.File)
	if err != nil {
		return err
	}
	var answer struct {
		CheckProcessDefinition struct {
			Key          string
			Milliseconds float64
			Report       struct {
				Sound                            bool
				Markings                         int
				Problems, Warnings, Understaffed []definitionProblem
			}
		}
	}
	err = client.query(ctx, `query($d: String!) { checkProcessDefinition(document: $d) { key milliseconds report { sound markings problems { `+problemFields+` }
		warnings { `+problemFields+` } understaffed { `+problemFields+` } } } }`, map[string]any{"d": document}, &answer)
	if err != nil {
		return err
	}
	checked := answer.CheckProcessDefinition
	if c.json {
		if err := c.printJSON(checked); err != nil {
			return err
		}
	} else {
		for kind, problems := range map[string][]definitionProblem{"problem": checked.Report.Problems, "warning": checked.Report.Warnings, "too few people": checked.Report.Understaffed} {
			for _, problem := range problems {
				c.printLine("%s", problem.line(kind))
			}
		}
	}
	if !checked.Report.Sound {
		return domain.Errorf(domain.UnsoundDefinition, "%s is not sound.",
			filepath.Base(p.File)).WithRemedy("Correct it and check it again.")
	}
	if !c.json {
		c.printLine("%s  sound: %d states proved in %.0f ms", checked.Key, checked.Report.Markings,
			checked.Milliseconds)
	}
	return nil
}

func (c *console) apiAndText(file string) (*api, string, error) {
	client, err := c.api()
	if err != nil {
		return nil, "", err
	}
	text, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, "", domain.Errorf(domain.InvalidInput, "%s cannot be read", file).WithCause(err)
	}
	return client, string(text), nil
}

// proposalResult is the payload of every command on a proposal.
type proposalResult struct {
	Done struct {
		Proposal   *proposalRow
		Problems   []definitionProblem
		UserErrors refusals
	}
}

const proposedFields = `{ proposal { id key status note nextVersion } problems { ` + problemFields +
	` } ` + refusalFields + ` }`

// printResult prints what became of the proposal.
func (p *proposalResult) printResult(c *console, what string) error {
	if err := p.Done.UserErrors.err(); err != nil {
		for _, problem := range p.Done.Problems {
			_, _ = fmt.Fprintln(c.errs, problem.line("problem"))
		}
		return err
	}
	if c.json {
		return c.printJSON(p.Done.Proposal)
	}
	c.printLine("%s version %d  %s", p.Done.Proposal.Key, p.Done.Proposal.NextVersion, what)
	return nil
}

// processPropose proposes a file.
type processPropose struct {
	File string `arg:"" help:"YAML of the definition." type:"existingfile"`
	Note string `help:"Why, for whoever publishes it."`
	From string `help:"Number of the version it was made from; refused if another is in force by now."`
}

// Run proposes it.
func (p *processPropose) Run(ctx context.Context, c *console) error {
	client, document, err := c.apiAndText(p.File)
	if err != nil {
		return err
	}
	var answer proposalResult
	err = client.query(ctx,
		`mutation($input: ProposeDefinitionInput!) { done: proposeProcessDefinition(input: $input) `+proposedFields+` }`,
		input(map[string]any{"document": document, "note": p.Note, "expectedVersion": p.From}),
		&answer)
	if err != nil {
		return err
	}
	return answer.printResult(c, "proposed; another administrator publishes it")
}

// processPublish publishes the newest open proposal of a process.
type processPublish struct {
	Key     string `arg:"" help:"Key of the process."`
	Confirm bool   `help:"Publish although there are not enough people for every way."`
}

// Run publishes it.
func (p *processPublish) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	var open struct{ Proposals struct{ Nodes []proposalRow } }
	err = client.query(ctx,
		`query($key: String!) { proposals(first: 1, filter: {kind: PROCESS, key: $key, status: PROPOSED}) { nodes { id } } }`,
		map[string]any{"key": p.Key}, &open)
	if err != nil {
		return err
	}
	if len(open.Proposals.Nodes) == 0 {
		return domain.Errorf(domain.NotFound, "Nothing is proposed for the process %s.",
			p.Key).WithRemedy("countersign process list shows what is.")
	}
	var answer proposalResult
	err = client.query(ctx,
		`mutation($input: PublishProposalInput!) { done: publishProcessDefinition(input: $input) `+
			proposedFields+` }`,
		input(map[string]any{"proposalId": open.Proposals.Nodes[0].ID, "confirm": p.Confirm}),
		&answer)
	if err != nil {
		return err
	}
	return answer.printResult(c, "in force for new cases")
}

// processRestore proposes an earlier version.
type processRestore struct {
	Key     string `arg:"" help:"Key of the process."`
	Version int    `arg:"" help:"The earlier version."`
	Note    string `help:"Why, for whoever publishes it."`
}

// Run proposes it.
func (r *processRestore) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	var answer proposalResult
	err = client.query(ctx,
		`mutation($input: RestoreDefinitionInput!) { done: restoreProcessDefinition(input: $input) `+proposedFields+` }`,
		input(map[string]any{"key": r.Key, "definitionVersion": r.Version, "note": r.Note}),
		&answer)
	if err != nil {
		return err
	}
	return answer.printResult(c,
		fmt.Sprintf("proposed as version %d was; another administrator publishes it", r.Version))
}
