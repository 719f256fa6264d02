package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"countersign/domain"
)

// following are the flags to follow a case after a command.
type following struct {
	Watch bool   `short:"w" help:"Print each event as it arrives, then the outcome."`
	Until string `placeholder:"STATUS" help:"Follow until this status. Default: until the case waits for a person or is closed."`
}

// enabled reports whether the case is followed.
func (f following) enabled() bool { return f.Watch || f.Until != "" }

// statusNames are the valid values of --until.
func statusNames() []string {
	var names []string
	for _, status := range domain.Statuses() {
		names = append(names, string(status))
	}
	return names
}

// Validate refuses an unknown status. Kong calls it.
func (f following) Validate() error {
	if f.Until != "" && !slices.Contains(statusNames(), strings.ToLower(f.Until)) {
		return domain.Invalid("until", "The status %q does not exist. Use one of: %s.", f.Until,
			strings.Join(statusNames(), ", "))
	}
	return nil
}

// ends reports whether following ends at the status.
func (f following) ends(status domain.Status) bool {
	if status.Final() {
		return true
	}
	if f.Until != "" {
		return f.isRequested(status)
	}
	return status == domain.InReview || status == domain.Returned || status == domain.Incident
}

// isRequested reports whether the status is the one of --until.
func (f following) isRequested(status domain.Status) bool {
	return f.Until != "" && status == domain.Status(strings.ToLower(f.Until))
}

// watchCommand follows a case.
type watchCommand struct {
	Case  string `arg:"" help:"Reference (CS-2026-000001) or ID of the case."`
	After string `placeholder:"CURSOR" help:"Only events after this cursor. Default: all events."`
	Until string `placeholder:"STATUS" help:"Follow until this status. Default: until the case waits for a person or is closed."`
}

// Validate refuses an unknown status. Kong calls it.
func (w *watchCommand) Validate() error { return following{Until: w.Until}.Validate() }

// Run prints the events of the case until it waits for a person or is closed.
func (w *watchCommand) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.caseOf(ctx, w.Case)
	if err != nil {
		return err
	}
	follower := follower{console: c, client: client, following: following{Watch: true,
		Until: w.Until}}
	status, err := follower.follow(ctx, found, w.After)
	if err != nil {
		return err
	}
	return exitStatusOf(status)
}

// status converts a status of the API, which is in capitals.
func status(name string) domain.Status { return domain.Status(strings.ToLower(name)) }

// follower prints the events of cases.
type follower struct {
	*console
	client *api
	following
	prefix bool // several cases print to one terminal
}

// follow prints each event after the cursor and returns the last status. The status of --until ends
// it even if the case has already passed that status.
func (f follower) follow(ctx context.Context, of caseHead, after string) (domain.Status, error) {
	last := status(of.Status)
	final := ""
	// Every case was received before its first event, so no event reports this status.
	passed := f.isRequested(domain.Received)
	err := f.client.caseEvents(ctx, of.Id, after, f.onConnectionLost(of),
		func(event caseEvent) error {
			if err := f.printEvent(of, event); err != nil {
				return err
			}
			if event.Status != "" {
				last = status(event.Status)
			}
			passed = passed || f.isRequested(last)
			if last.Final() || !f.ends(last) && !passed && final == "" {
				return nil // the server completes the subscription of a final case
			}
			if final == "" {
				// All events of one command carry the status after it. Following ends at the newest
				// event that the caller may see.
				newest, err := f.client.newestEvent(ctx, of.Id)
				if err != nil {
					return err
				}
				if final = newest.Seq; final == "" {
					final = event.Seq
				}
			}
			if event.Seq != final {
				return nil
			}
			final = ""
			if f.ends(last) || passed {
				return errStopReceiving
			}
			return nil
		})
	if err != nil {
		return last, err
	}
	if !f.ends(last) {
		if of, err = f.client.caseOf(ctx, of.Id); err != nil {
			return last, err
		}
		last = status(of.Status)
	}
	return last, f.printOutcome(ctx, of, last)
}

func (f follower) onConnectionLost(of caseHead) func(error) {
	return func(error) {
		f.printNote("%s: connection lost; reconnecting",
			of.Reference)
	}
}

func (f follower) printEvent(of caseHead, event caseEvent) error {
	if f.json {
		return f.printJSON(map[string]any{"case": of.Id, "reference": of.Reference,
			"seq": event.Seq, "type": event.Type,
			"at": event.At, "status": status(event.Status), "sentence": event.Sentence,
			"cursor": event.Cursor})
	}
	prefix := ""
	if f.prefix {
		prefix = of.Reference + "  "
	}
	f.printLine("%s  %s%s", event.At.Local().Format("15:04:05.000"), prefix,
		printable(event.Sentence))
	return nil
}

// printOutcome prints the outcome, and for an incident its cause and recovery actions.
func (f follower) printOutcome(ctx context.Context, of caseHead, last domain.Status) error {
	if f.json {
		return f.printJSON(map[string]any{"case": of.Id, "reference": of.Reference,
			"outcome": last})
	}
	f.printLine("%s  %s", of.Reference, outcomeSentence(last))
	if last != domain.Incident {
		return nil
	}
	answer, err := incidentOfCase(ctx, f.client, of.Id)
	if err != nil || answer.Case == nil || answer.Case.Incident == nil {
		return err
	}
	incident := answer.Case.Incident
	f.printLine("  cause: %s", printable(incident.Message))
	f.printLine("  actions: countersign incident %s %s",
		strings.Join(recoveryCommands(incident.Actions), "|"),
		of.Reference)
	return nil
}

func outcomeSentence(status domain.Status) string {
	sentences := map[domain.Status]string{
		domain.Archived: "archived", domain.Rejected: "rejected", domain.Abandoned: "abandoned",
		domain.Incident: "incident: a step failed permanently",
		domain.InReview: "in review: waiting for a reviewer",
		domain.Returned: "returned: waiting for the submitter (countersign resubmit)",
	}
	if sentence, ok := sentences[status]; ok {
		return sentence
	}
	return string(status)
}

// exitStatusOf returns the exit code for a status, which scripts rely on.
func exitStatusOf(status domain.Status) error {
	switch status {
	case domain.Rejected:
		return exitStatus(exitRejected)
	case domain.Incident:
		return exitStatus(exitIncident)
	case domain.InReview, domain.Returned:
		return exitStatus(exitWaiting)
	case domain.Abandoned:
		return exitStatus(exitAbandoned)
	}
	return nil
}

// worseOutcome returns the outcome that needs attention first, in this order: failure, incident,
// waiting, rejected, abandoned, done.
func worseOutcome(one, other error) error {
	rank := func(err error) int {
		var outcome exitStatus
		switch {
		case err == nil:
			return 0
		case !errors.As(err, &outcome):
			return 9
		}
		return map[int]int{exitAbandoned: 1, exitRejected: 2, exitWaiting: 3,
			exitIncident: 4}[int(outcome)]
	}
	if rank(other) > rank(one) {
		return other
	}
	return one
}
