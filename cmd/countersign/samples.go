package main

import (
	"context"

	"countersign/cmd/countersign/sampledocs"
)

// samplesCommand generates sample documents.
type samplesCommand struct {
	Folder  string `arg:"" type:"path" help:"Folder to write to. Created if missing."`
	Edition int    `name:"edition" help:"Number that changes the invoice numbers, so that the documents are not duplicates of earlier ones."`
}

// Run writes the samples.
func (s *samplesCommand) Run(ctx context.Context, c *console) error {
	samples := sampledocs.Samples(c.clock.Now(), s.Edition)
	names, err := sampledocs.Write(ctx, s.Folder, samples)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for i, name := range names {
		rows = append(rows, []string{name, samples[i].Invoice.Total().String(),
			samples[i].Expectation})
	}
	return c.printTable(names, []string{"FILE", "TOTAL", "DEMONSTRATES"}, rows)
}
