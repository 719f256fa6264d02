package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"countersign/domain"
)

// processCommands manage process definitions: one administrator proposes, another publishes.
type processCommands struct {
	List      processList      `cmd:"" default:"1" help:"List the published processes and the open proposals."`
	Check     processCheck     `cmd:"" help:"Parse and verify a definition without saving it."`
	Propose   processPropose   `cmd:"" help:"Propose a definition as the next version of its process."`
	Publish   processPublish   `cmd:"" help:"Publish a proposal of another administrator."`
	Restore   processRestore   `cmd:"" help:"Propose an earlier version as the next one."`
	Export    processExport    `cmd:"" name:"export-bpmn" help:"Write a version as BPMN 2.0 XML with a diagram."`
	Import    processImport    `cmd:"" name:"import-bpmn" help:"Write a BPMN 2.0 file as the text of a definition."`
	Comments  processComments  `cmd:"" help:"List the comments on the open proposal of a process."`
	Comment   processComment   `cmd:"" help:"Comment on the open proposal of a process."`
	Resolve   processResolve   `cmd:"" help:"Resolve a comment on a proposal."`
	Owners    processOwners    `cmd:"" help:"List the owners of a process, and the proposals that wait for them."`
	Approve   processApprove   `cmd:"" help:"Approve or reject a proposal as an owner of the process."`
	SetOwners processSetOwners `cmd:"" name:"set-owners" help:"Propose other owners of a process. Its present owners and another administrator confirm them."`
	Migrate   migrateCommands  `cmd:"" help:"Move the running cases of a process to a newer version."`
}

// problemLine describes a problem of a definition in one line.
func problemLine(kind string, p definitionProblem) string {
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

// processList lists processes and proposals.
type processList struct{}

// Run prints the published versions, then the open proposals.
func (processList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listProcesses(ctx, client)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, p := range answer.ProcessDefinitions.Nodes {
		state, by := "earlier", "-"
		if p.Newest {
			state = "current"
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
	File string `arg:"" help:"YAML file of the definition." type:"existingfile"`
}

// Run prints the problems; a definition with problems is a failure.
func (p *processCheck) Run(ctx context.Context, c *console) error {
	client, document, err := c.apiAndText(p.File)
	if err != nil {
		return err
	}
	answer, err := checkProcess(ctx, client, document)
	if err != nil {
		return err
	}
	checked := answer.CheckProcessDefinition
	if c.json {
		if err := c.printJSON(checked); err != nil {
			return err
		}
	} else {
		for _, list := range []struct {
			kind     string
			problems []definitionProblem
		}{{"problem", checked.Report.Problems}, {"warning", checked.Report.Warnings},
			{"too few people", checked.Report.Understaffed}} {
			for _, problem := range list.problems {
				c.printLine("%s", problemLine(list.kind, problem))
			}
		}
	}
	if !checked.Report.Sound {
		return domain.Errorf(domain.UnsoundDefinition, "%s is not sound.",
			filepath.Base(p.File)).WithRemedy("Correct the problems and check it again.")
	}
	if !c.json {
		c.printLine("%s  sound: %d states verified in %.0f ms", checked.Key,
			checked.Report.Markings,
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
		return nil, "", domain.Errorf(domain.InvalidInput, "The file %s cannot be read.",
			file).WithCause(err)
	}
	return client, string(text), nil
}

// printProposal prints the outcome of a mutation about a proposal.
func (c *console) printProposal(done string, result proposalResult, err error) error {
	if err != nil {
		return err
	}
	if err := refused(result.UserErrors); err != nil {
		for _, problem := range result.Problems {
			_, _ = fmt.Fprintln(c.errs, problemLine("problem", problem))
		}
		return err
	}
	if c.json {
		return c.printJSON(result.Proposal)
	}
	c.printLine("%s version %d  %s", result.Proposal.Key, result.Proposal.NextVersion, done)
	return nil
}

// processPropose proposes a file.
type processPropose struct {
	File string `arg:"" help:"YAML file of the definition." type:"existingfile"`
	Note string `help:"Note for the administrator who publishes it."`
	From string `help:"Version that it is based on. Refused if another one is current."`
}

// Run proposes it.
func (p *processPropose) Run(ctx context.Context, c *console) error {
	client, document, err := c.apiAndText(p.File)
	if err != nil {
		return err
	}
	answer, err := proposeProcess(ctx, client, document, p.Note, p.From)
	return c.printProposal("proposed; another administrator must publish it", answer.Done, err)
}

// processPublish publishes the newest open proposal of a process.
type processPublish struct {
	Key     string `arg:"" help:"Key of the process."`
	Confirm bool   `help:"Publish even if some routes do not have enough people."`

	WithoutOwners string `help:"Publish without the owners of the process, who did not decide in time, for this reason."`

	Unresolved int `help:"Publish although this many comments are unresolved, as listed by process comments."`
}

// Run publishes it.
func (p *processPublish) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	open, err := discussed(ctx, client, p.Key)
	if err != nil {
		return err
	}
	unresolved := []string{}
	for _, comment := range open.Discussion.Nodes {
		if comment.ResolvedAt == nil {
			unresolved = append(unresolved, comment.Id)
		}
	}
	if len(unresolved) != p.Unresolved {
		unresolved = []string{} // the refusal names the comments
	}
	answer, err := publishProcess(ctx, client, open.Id, p.Confirm, unresolved, p.WithoutOwners)
	return c.printProposal("published for new cases", answer.Done, err)
}

// processRestore proposes an earlier version.
type processRestore struct {
	Key     string `arg:"" help:"Key of the process."`
	Version int    `arg:"" help:"The earlier version."`
	Note    string `help:"Note for the administrator who publishes it."`
}

// Run proposes it.
func (r *processRestore) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := restoreProcess(ctx, client, r.Key, r.Version, r.Note)
	done := fmt.Sprintf("proposed with the content of version %d; "+
		"another administrator must publish it", r.Version)
	return c.printProposal(done, answer.Done, err)
}
