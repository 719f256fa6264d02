package main

import (
	"context"

	"countersign/cmd/countersign/sampledocs"
)

// samplesCommand draws sample documents.
type samplesCommand struct {
	Folder  string `arg:"" type:"path" help:"Folder to draw into; made if missing."`
	Edition int    `name:"edition" help:"Another number draws other invoice numbers, so that none is taken for a duplicate."`
}

// Run draws them.
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
	return c.printTable(names, []string{"FILE", "TOTAL", "WHAT IT SHOWS"}, rows)
}
