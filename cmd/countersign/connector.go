package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/Khan/genqlient/graphql"

	"countersign/domain"
)

// connectorCommands manage the receivers of events.
type connectorCommands struct {
	List       connectorList       `cmd:"" default:"1" help:"List the connectors with their lag and last error."`
	Put        connectorPut        `cmd:"" help:"Propose a connector, or another definition of one. Another administrator confirms it."`
	Pause      connectorPause      `cmd:"" help:"Stop deliveries."`
	Resume     connectorResume     `cmd:"" help:"Continue deliveries where they stopped."`
	Test       connectorTest       `cmd:"" help:"Send a test event now."`
	Replay     connectorReplay     `cmd:"" help:"Deliver earlier events again."`
	Reconcile  connectorReconcile  `cmd:"" help:"Compare what was delivered with what the receiver has."`
	Deliveries connectorDeliveries `cmd:"" help:"List the deliveries that did not succeed at the first attempt."`
	Retry      connectorRetry      `cmd:"" help:"Retry a delivery now."`
	Skip       connectorSkip       `cmd:"" help:"End a delivery without delivering the event."`
}

type connectorList struct{}

// Run prints the list.
func (connectorList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listConnectors(ctx, client)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, one := range answer.Connectors {
		lag := time.Duration(one.LagSeconds * float64(time.Second)).Round(time.Second)
		trouble := one.LastError
		if one.StatusReason != "" {
			trouble = one.StatusReason
		}
		compared := "-"
		if one.Nightly != nil {
			compared = strings.ToLower(string(one.Nightly.Outcome))
			if found := one.Nightly.Result; found != nil && found.MissingCount+found.UnknownCount > 0 {
				compared += fmt.Sprintf(" (%d missing, %d unknown)", found.MissingCount, found.UnknownCount)
			}
		}
		rows = append(rows, []string{one.Name, one.Status, one.Audience, lag.String(),
			one.Delivered, strconv.Itoa(one.Waiting), strconv.Itoa(one.Dead), compared,
			one.Url, orDash(trouble)})
	}
	return c.printTable(answer.Connectors, []string{"NAME", "STATUS", "AUDIENCE", "LAG",
		"DELIVERED", "WAITING", "DEAD", "COMPARED", "URL", "LAST ERROR"}, rows)
}

type connectorPut struct {
	Name     string   `arg:"" help:"Name of the connector."`
	URL      string   `arg:"" name:"url" help:"Address that receives the events: https://…, kafkas://broker:9093,broker:9093/topic or smtps://server:465."`
	Secret   []string `help:"Name of a secret from COUNTERSIGN_CONNECTOR_SECRETS: one that signs webhooks, two during a rotation, or the login at brokers or the mail server."`
	From     string   `help:"Sender of e-mails."`
	To       []string `help:"Recipient of e-mails."`
	Language string   `enum:"en,zh" default:"en" help:"Language of e-mails: en or zh."`
	Audience string   `required:"" enum:"submitter,staff,auditor" help:"Whose view of the events is sent: submitter, staff or auditor."`
	Snapshot bool     `help:"Send the bodies of the events, not only ids."`
	Type     []string `help:"Type of event to send; all if none is given."`
	Process  string   `help:"Process whose cases are sent; all if none is given."`
	Reason   string   `required:"" help:"Reason."`
}

// Run proposes it.
func (p *connectorPut) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	input := PutConnectorInput{Name: p.Name, Kind: kindOfAddress(p.URL),
		Url: p.URL, Secrets: append([]string{}, p.Secret...), Types: p.Type, Process: p.Process,
		Snapshot: p.Snapshot, Audience: strings.ToUpper(p.Audience), Reason: p.Reason}
	if p.From != "" || len(p.To) > 0 {
		input.Mail = &ConnectorMailInput{From: p.From, To: append([]string{}, p.To...),
			Language: p.Language}
	}
	answer, err := putConnector(ctx, client, input)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "")
}

// kindOfAddress returns the kind of a connector by the scheme of its address.
func kindOfAddress(address string) string {
	switch scheme, _, _ := strings.Cut(address, ":"); scheme {
	case "kafka", "kafkas":
		return "KAFKA"
	case "smtp", "smtps", "smtp-plain":
		return "SMTP"
	}
	return "WEBHOOK"
}

// connectorID finds a connector by its name.
func connectorID(ctx context.Context, client graphql.Client, name string) (string, error) {
	answer, err := listConnectors(ctx, client)
	if err != nil {
		return "", err
	}
	for _, one := range answer.Connectors {
		if one.Name == name {
			return one.Id, nil
		}
	}
	return "", domain.Errorf(domain.NotFound, "There is no connector %q.", name)
}

// onConnector runs a command on the connector of the name.
func (c *console) onConnector(ctx context.Context, name string,
	run func(client graphql.Client, id string) (connectorOutcome, error)) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	id, err := connectorID(ctx, client, name)
	if err != nil {
		return err
	}
	done, err := run(client, id)
	return c.printConnector(done, err)
}

// printConnector prints the state of a connector after a command.
func (c *console) printConnector(done connectorOutcome, err error) error {
	if err != nil {
		return err
	}
	if err := refused(done.UserErrors); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(done.Connector)
	}
	c.printLine("%s  %s, %d waiting, %d dead", done.Connector.Name, done.Connector.Status,
		done.Connector.Waiting, done.Connector.Dead)
	return nil
}

type connectorPause struct {
	Name   string `arg:"" help:"Name of the connector."`
	Reason string `help:"Reason."`
}

// Run pauses it.
func (p *connectorPause) Run(ctx context.Context, c *console) error {
	return c.onConnector(ctx, p.Name,
		func(client graphql.Client, id string) (connectorOutcome, error) {
			answer, err := pauseConnector(ctx, client, id, p.Reason)
			if err != nil {
				return connectorOutcome{}, err
			}
			return answer.Done, nil
		})
}

type connectorResume struct {
	Name   string `arg:"" help:"Name of the connector."`
	Reason string `help:"Reason."`
}

// Run resumes it.
func (r *connectorResume) Run(ctx context.Context, c *console) error {
	return c.onConnector(ctx, r.Name,
		func(client graphql.Client, id string) (connectorOutcome, error) {
			answer, err := resumeConnector(ctx, client, id, r.Reason)
			if err != nil {
				return connectorOutcome{}, err
			}
			return answer.Done, nil
		})
}

type connectorReplay struct {
	Name   string `arg:"" help:"Name of the connector."`
	From   string `required:"" help:"Time of the first event, such as 2026-11-26T08:00:00Z, or all."`
	Reason string `help:"Reason."`
}

// Run moves the connector back.
func (r *connectorReplay) Run(ctx context.Context, c *console) error {
	from := &r.From
	if r.From == "all" {
		from = nil
	} else if err := checkTime("from", r.From); err != nil {
		return err
	}
	return c.onConnector(ctx, r.Name,
		func(client graphql.Client, id string) (connectorOutcome, error) {
			answer, err := replayConnector(ctx, client, id, from, r.Reason)
			if err != nil {
				return connectorOutcome{}, err
			}
			return answer.Done, nil
		})
}

type connectorTest struct {
	Name string `arg:"" help:"Name of the connector."`
}

// Run sends a test event and prints the response.
func (t *connectorTest) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	id, err := connectorID(ctx, client, t.Name)
	if err != nil {
		return err
	}
	answer, err := testConnector(ctx, client, id)
	if err == nil {
		err = refused(answer.Done.UserErrors)
	}
	if err != nil {
		return err
	}
	test := answer.Done.Test
	if c.json {
		return c.printJSON(test)
	}
	status := "no response"
	if test.HttpStatus != nil {
		status = strconv.Itoa(*test.HttpStatus)
	}
	c.printLine("%s  %.0f ms  %s", status, test.Milliseconds, test.Answer)
	if !test.Delivered {
		return domain.Errorf(domain.Unavailable, "The test event was not delivered. %s", test.Error)
	}
	return nil
}

type connectorDeliveries struct {
	Name string `arg:"" help:"Name of the connector."`
}

// Run prints the deliveries in the order of the feed.
func (d *connectorDeliveries) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	id, err := connectorID(ctx, client, d.Name)
	if err != nil {
		return err
	}
	all := []deliveryRow{}
	var after *string
	for more := true; more; {
		answer, err := listDeliveries(ctx, client, id, after)
		if err != nil {
			return err
		}
		all = append(all, answer.Deliveries.Nodes...)
		after, more = answer.Deliveries.PageInfo.EndCursor, answer.Deliveries.PageInfo.HasNextPage
	}
	rows := [][]string{}
	for _, one := range all {
		rows = append(rows, []string{one.Id, one.Status, one.Type, one.EventId,
			fmt.Sprint(one.Attempts), orDash(one.Error + one.Reason), orDash(one.Answer)})
	}
	return c.printTable(all, []string{"ID", "STATUS", "TYPE", "EVENT", "ATTEMPTS", "ERROR",
		"ANSWER"}, rows)
}

type connectorRetry struct {
	ID string `arg:"" help:"Id of the delivery."`
}

// Run makes it due.
func (r *connectorRetry) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := retryDelivery(ctx, client, r.ID)
	if err != nil {
		return err
	}
	return c.printConnector(answer.Done, nil)
}

type connectorSkip struct {
	ID     string `arg:"" help:"Id of the delivery."`
	Reason string `required:"" help:"Reason."`
}

// Run ends it.
func (s *connectorSkip) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := skipDelivery(ctx, client, s.ID, s.Reason)
	if err != nil {
		return err
	}
	return c.printConnector(answer.Done, nil)
}
