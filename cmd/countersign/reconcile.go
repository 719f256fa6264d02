package main

import (
	"context"
	"time"

	"countersign/domain"
)

type connectorReconcile struct {
	Name string `arg:"" help:"Name of the connector."`
	From string `help:"Time of the first event, such as 2026-11-26T08:00:00Z; a day ago if not given."`
	To   string `help:"Time after the last event; now if not given."`
}

// Run asks the receiver and prints what differs.
func (r *connectorReconcile) Run(ctx context.Context, c *console) error {
	from, to, err := r.period(time.Now()) //nolint:forbidigo // the time of the person at the console
	if err != nil {
		return err
	}
	client, err := c.api()
	if err != nil {
		return err
	}
	id, err := connectorID(ctx, client, r.Name)
	if err != nil {
		return err
	}
	answer, err := reconcileConnector(ctx, client, id, from, to)
	if err == nil {
		err = refused(answer.Done.UserErrors)
	}
	if err != nil {
		return err
	}
	found := answer.Done.Reconciliation
	if c.json {
		if err := c.printJSON(found); err != nil {
			return err
		}
	} else {
		c.printLine("%s to %s: %d events compared, %d missing at the receiver, %d unknown to us",
			found.From, found.To, found.Compared, found.MissingCount, found.UnknownCount)
		for _, event := range found.Missing {
			c.printLine("missing  %s", event)
		}
		for _, event := range found.Unknown {
			c.printLine("unknown  %s", event)
		}
	}
	if found.MissingCount+found.UnknownCount > 0 {
		return domain.Errorf(domain.StateMismatch, "The receiver and Countersign have different events.").
			WithRemedy("Deliver missing events again with countersign connector replay.")
	}
	return nil
}

// period returns the times as the API takes them.
func (r *connectorReconcile) period(now time.Time) (from, to string, err error) {
	from, to = r.From, r.To
	if from == "" {
		from = now.AddDate(0, 0, -1).UTC().Format(time.RFC3339)
	}
	if to == "" {
		to = now.UTC().Format(time.RFC3339)
	}
	for name, text := range map[string]string{"from": from, "to": to} {
		if err := checkTime(name, text); err != nil {
			return "", "", err
		}
	}
	return from, to, nil
}

// checkTime returns InvalidInput unless the option is a time as the API takes it.
func checkTime(option, text string) error {
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		return domain.Invalid(option, "%q is not a time, such as 2026-11-26T08:00:00Z.", text)
	}
	return nil
}
