package main

import "context"

// vendorCommands manage the memory of confirmed vendors.
type vendorCommands struct {
	Rebuild vendorRebuild `cmd:"" help:"Compute the vendor memory again from all archived cases. Revoked entries stay revoked."`
}

// vendorRebuild computes the memory again.
type vendorRebuild struct{}

// Run computes it, on the database.
func (vendorRebuild) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	done, err := o.service.RebuildLessons(ctx)
	if err != nil {
		return err
	}
	c.printNote("judged %s", countText(int64(done), "case"))
	return nil
}
