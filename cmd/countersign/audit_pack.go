package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"countersign/audit"
	"countersign/checkpoint/places"
	"countersign/domain"
)

// auditPack writes the evidence pack of one case.
type auditPack struct {
	Reference string `arg:"" help:"Reference of the case."`
	To        string `arg:"" type:"path" help:"File to write. It must not exist yet."`
}

// Run writes the pack.
func (p *auditPack) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	found, err := o.db.Reader().CaseByReference(ctx, strings.ToUpper(p.Reference))
	if domain.HasCode(err, domain.NotFound) {
		return caseNotFound(p.Reference)
	}
	if err != nil {
		return err
	}
	keys, err := places.Keys(c.settings.Audit)
	if err != nil {
		return err
	}
	pack, err := o.service.CasePack(ctx, found.ID, keys)
	if err != nil {
		return err
	}
	file, err := createNew(p.To)
	if err != nil {
		return err
	}
	err = errors.Join(audit.WritePack(file, pack), file.Close())
	if err != nil {
		_ = os.Remove(p.To) // an incomplete pack would only keep the next one from its name
		return err
	}
	return c.printDone(map[string]any{"reference": found.Reference, "file": p.To},
		"The evidence pack of %s was written to %s", found.Reference, p.To)
}

// verifyPack verifies a pack without the database.
func (v *auditVerify) verifyPack(ctx context.Context, c *console) error {
	check, err := v.exportCheck(ctx, c)
	if err != nil {
		return err
	}
	file, err := os.Open(filepath.Clean(v.Pack))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	report, err := audit.VerifyPack(file, info.Size(), check)
	if err != nil {
		return err
	}
	if c.json {
		if err := c.printJSON(report); err != nil {
			return err
		}
	} else {
		printPack(c, report)
	}
	if report.Break != nil {
		return exitStatus(exitFailed)
	}
	return nil
}

func printPack(c *console, report audit.PackReport) {
	if report.Break != nil {
		c.printLine("BROKEN  %s: %s", report.Reference, report.Break.Message)
		return
	}
	c.printLine("%s: %s verified", report.Reference, countText(report.Events, "event"))
	if len(report.Proved) > 0 {
		c.printLine("Proved by the record: %s", strings.Join(report.Proved, ", "))
	}
	if len(report.Unproved) > 0 {
		c.printLine("Listed by the pack only: %s, and the names of people", strings.Join(report.Unproved, ", "))
	}
	if report.Signatures > 0 {
		c.printLine("%s signed by passkey: the signatures are valid", countText(report.Signatures, "approval"))
	}
	switch {
	case report.Checkpoint.Size == 0:
		c.printLine("NOTE: the pack has no checkpoint, so it proves only that its parts fit together.")
	default:
		c.printLine("The events up to %d are in the checkpoint of %s of log %s", report.Covered,
			report.Checkpoint.At.Format(time.RFC3339), report.Checkpoint.Origin)
	}
	if report.OwnKeys {
		c.printLine("NOTE: the key is that of the pack itself. Compare it with the one that you know (--trust).")
	}
}
