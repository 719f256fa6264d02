package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"

	"countersign/domain"
)

// copyCommand writes the archive copy of a document.
type copyCommand struct {
	Case     string `arg:"" help:"Reference or id of the case."`
	Revision int    `help:"Revision of the document. Default: the newest."`
	Output   string `short:"o" type:"path" help:"File to write. It must not exist yet. Default: standard output."`
}

// Validate refuses a revision that cannot exist. Kong calls it.
func (a *copyCommand) Validate() error {
	if a.Revision < 0 {
		return domain.Invalid("revision", "%d is not a valid revision number.", a.Revision)
	}
	return nil
}

// Run writes the copy.
func (a *copyCommand) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	id, err := client.plainCaseID(ctx, a.Case)
	if err != nil {
		return err
	}
	path := fmt.Sprintf("/cases/%s/archive-copy", url.PathEscape(id))
	if a.Revision > 0 {
		path += fmt.Sprintf("?revision=%d", a.Revision)
	}
	return c.download(ctx, client, path, a.Output, func(last []byte) error {
		if !bytes.HasSuffix(last, []byte("%%EOF")) {
			return domain.Errorf(domain.Unavailable, "The archive copy was cut off.").
				WithRemedy("Try again. If it happens again, an image was changed while it was sent.")
		}
		return nil
	})
}
