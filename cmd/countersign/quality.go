package main

import (
	"context"
	"strings"
)

// qualityCommands manage the quality sample of archived cases.
type qualityCommands struct {
	Share   qualityShare   `cmd:"" help:"Propose the share of archived cases that is drawn. Another administrator confirms it."`
	Figures qualityFigures `cmd:"" default:"1" help:"Show the measured errors of the last 90 days."`
}

// qualityShare proposes a share.
type qualityShare struct {
	Process string `arg:"" help:"Process, such as document_approval."`
	Stratum string `arg:"" enum:"straight,approved" help:"straight: cases without an approval; approved: cases with one."`
	Percent string `arg:"" help:"Share in percent, such as 2 or 0.5."`
	Reason  string `required:"" help:"Reason."`
}

// Run proposes it.
func (s *qualityShare) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := proposeShare(ctx, client, s.Process, strings.ToUpper(s.Stratum), s.Percent,
		s.Reason)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "")
}

// qualityFigures shows the errors.
type qualityFigures struct{}

// Run prints them.
func (qualityFigures) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := qualityErrors(ctx, client)
	if err != nil {
		return err
	}
	if c.json {
		return c.printJSON(answer.QualityFigures.Strata)
	}
	for _, row := range answer.QualityFigures.Strata {
		c.printLine("%s  archived %d, drawn %d, open %d, checked %d, wrong %d, error %.2f %%, "+
			"95 %% bound %.2f %%, if open ones were wrong %.2f %%", strings.ToLower(row.Stratum),
			row.Archived, row.Drawn, row.Open, row.Samples, row.Wrong, 100*row.Rate,
			100*row.Bound, 100*row.WorstRate)
	}
	return nil
}
