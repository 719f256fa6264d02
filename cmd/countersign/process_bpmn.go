package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"countersign/bpmn"
	"countersign/domain"
	"countersign/workflow"
)

// processExport writes a version as BPMN.
type processExport struct {
	Key     string `arg:"" help:"Key of the process."`
	Version int    `help:"Version. Default: the newest."`
	Output  string `short:"o" type:"path" help:"File to write. It must not exist yet. Default: standard output."`
}

// Run writes the file.
func (p *processExport) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := exportProcess(ctx, client, p.Key, p.Version == 0)
	if err != nil {
		return err
	}
	for _, version := range answer.ProcessDefinitions.Nodes {
		if p.Version != 0 && version.Version != p.Version {
			continue
		}
		if version.Bpmn == "" {
			return domain.Errorf(domain.NotPermitted, "You may not see the text of processes.").
				WithRemedy("Use the account of an administrator or an auditor.")
		}
		return c.writeText(p.Output, []byte(version.Bpmn))
	}
	return domain.Errorf(domain.NotFound, "The process %s has no such version.", p.Key).
		WithRemedy("Run countersign process list to see the versions.")
}

// writeText writes to a new file, or to standard output if there is no name.
func (c *console) writeText(to string, text []byte) error {
	if to == "" {
		_, err := c.out.Write(text)
		return err
	}
	file, err := os.OpenFile(filepath.Clean(to), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return domain.Errorf(domain.InvalidInput, "The file %s already exists.", to)
	}
	if err == nil {
		_, err = file.Write(text)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return domain.Errorf(domain.InvalidInput, "The file %s cannot be written.", to).WithCause(err)
	}
	return nil
}

// processImport writes a BPMN file as the text of a definition. It needs no server.
type processImport struct {
	File   string `arg:"" help:"BPMN 2.0 file." type:"existingfile"`
	Output string `short:"o" type:"path" help:"File to write. It must not exist yet. Default: standard output."`
}

// Run writes the text, and what it does not keep or the file does not say as notes.
func (p *processImport) Run(c *console) error {
	source, err := os.ReadFile(filepath.Clean(p.File))
	if err != nil {
		return domain.Errorf(domain.InvalidInput, "The file %s cannot be read.", p.File).
			WithCause(err)
	}
	read := bpmn.Import(source)
	for _, list := range []struct {
		kind     string
		problems []workflow.Problem
	}{{"refused", read.Refused}, {"note", read.Notes}} {
		for _, problem := range list.problems {
			c.printNote("%s", printable(list.kind+": "+problem.String()))
		}
	}
	if len(read.Refused) > 0 {
		return domain.Errorf(domain.UnsoundDefinition, "The engine cannot run %s.",
			filepath.Base(p.File)).WithRemedy("Change the listed elements and import it again.")
	}
	return c.writeText(p.Output, read.Text)
}
