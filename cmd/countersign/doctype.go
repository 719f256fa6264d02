package main

import (
	"context"
	"fmt"
	"path/filepath"

	"countersign/domain"
)

// doctypeCommands manage document types: one administrator proposes, another publishes.
type doctypeCommands struct {
	List    doctypeList    `cmd:"" default:"1" help:"List the published document types and the open proposals."`
	Check   doctypeCheck   `cmd:"" help:"Check a document type without saving it."`
	Propose doctypePropose `cmd:"" help:"Propose a text as the next version of its document type."`
	Publish doctypePublish `cmd:"" help:"Publish a proposal of another administrator."`
	Restore doctypeRestore `cmd:"" help:"Propose an earlier version as the next one."`
}

// doctypeList lists document types and proposals.
type doctypeList struct{}

// Run prints the published versions, then the open proposals.
func (doctypeList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listDocumentTypes(ctx, client)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, t := range answer.DocumentTypes.Nodes {
		state, by := "earlier", "-"
		if t.Newest {
			state = "current"
		}
		if t.PublishedBy != nil {
			by = t.PublishedBy.Name
		}
		rows = append(rows, []string{t.Key, fmt.Sprint(t.Version), state,
			fmt.Sprint(len(t.Fields)), by, localTime(t.PublishedAt), t.Title})
	}
	for _, p := range answer.Proposals.Nodes {
		by := "-"
		if p.ProposedBy != nil {
			by = p.ProposedBy.Name
		}
		rows = append(rows, []string{p.Key, fmt.Sprint(p.NextVersion), "proposed", "-", by, "-",
			orDash(p.Note)})
	}
	return c.printTable(answer, []string{"TYPE", "VERSION", "STATE", "FIELDS", "BY", "PUBLISHED",
		"TITLE OR NOTE"}, rows)
}

// doctypeCheck checks a file.
type doctypeCheck struct {
	File string `arg:"" help:"YAML file of the document type." type:"existingfile"`
}

// Run prints the problems; a document type with problems is a failure.
func (d *doctypeCheck) Run(ctx context.Context, c *console) error {
	client, document, err := c.apiAndText(d.File)
	if err != nil {
		return err
	}
	answer, err := checkDocumentTypeText(ctx, client, document)
	if err != nil {
		return err
	}
	checked := answer.CheckDocumentType
	if c.json {
		if err := c.printJSON(checked); err != nil {
			return err
		}
	} else {
		for _, problem := range checked.Report.Problems {
			c.printLine("%s", problemLine("problem", problem))
		}
	}
	if !checked.Report.Sound {
		return domain.Errorf(domain.UnsoundDefinition, "%s cannot be published.",
			filepath.Base(d.File)).WithRemedy("Correct the problems and check it again.")
	}
	if !c.json {
		c.printLine("%s  can be published: %d fields", checked.Key, len(checked.Fields))
	}
	return nil
}

// doctypePropose proposes a file.
type doctypePropose struct {
	File string `arg:"" help:"YAML file of the document type." type:"existingfile"`
	Note string `help:"Note for the administrator who publishes it."`
	From string `help:"Version that it is based on. Refused if another one is current."`
}

// Run proposes it.
func (d *doctypePropose) Run(ctx context.Context, c *console) error {
	client, document, err := c.apiAndText(d.File)
	if err != nil {
		return err
	}
	answer, err := proposeDocumentTypeText(ctx, client, document, d.Note, d.From)
	return c.printProposal("proposed; another administrator must publish it", answer.Done, err)
}

// doctypePublish publishes the newest open proposal of a document type.
type doctypePublish struct {
	Key string `arg:"" help:"Key of the document type."`
}

// Run publishes it.
func (d *doctypePublish) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	open, err := openTypeProposal(ctx, client, d.Key)
	if err != nil {
		return err
	}
	if len(open.Proposals.Nodes) == 0 {
		return domain.Errorf(domain.NotFound, "The document type %s has no open proposal.",
			d.Key).WithRemedy("Run countersign doctype list to see the proposals.")
	}
	answer, err := publishDocumentTypeProposal(ctx, client, open.Proposals.Nodes[0].Id)
	return c.printProposal("published for new cases", answer.Done, err)
}

// doctypeRestore proposes an earlier version.
type doctypeRestore struct {
	Key     string `arg:"" help:"Key of the document type."`
	Version int    `arg:"" help:"The earlier version."`
	Note    string `help:"Note for the administrator who publishes it."`
}

// Run proposes it.
func (d *doctypeRestore) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := restoreDocumentTypeVersion(ctx, client, d.Key, d.Version, d.Note)
	done := fmt.Sprintf("proposed with the content of version %d; "+
		"another administrator must publish it", d.Version)
	return c.printProposal(done, answer.Done, err)
}
