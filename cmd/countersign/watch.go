package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"countersign/domain"
)

// following is how a case is followed after a command.
type following struct {
	Watch bool   `short:"w" help:"Print each event as it comes and end with the outcome."`
	Until string `placeholder:"STATUS" help:"Follow, and end at this status; default: where a person is needed, or an end."`
}

// enabled reports whether the case is to be followed.
func (f following) enabled() bool { return f.Watch || f.Until != "" }

// statusNames are what --until takes.
func statusNames() []string {
	var names []string
	for _, status := range domain.Statuses() {
		names = append(names, string(status))
	}
	return names
}

// Validate refuses a status that does not exist; kong calls it.
func (f following) Validate() error {
	if f.Until != "" && !slices.Contains(statusNames(), strings.ToLower(f.Until)) {
		return domain.Invalid("until", "there is no status %q; there are %s", f.Until,
			strings.Join(statusNames(), ", "))
	}
	return nil
}

// ends reports whether a case of the status is no longer waited for.
func (f following) ends(status domain.Status) bool {
	if status.Final() {
		return true
	}
	if f.Until != "" {
		return f.isRequested(status)
	}
	return status == domain.InReview || status == domain.Returned || status == domain.Incident
}

// isRequested reports whether the status is the one that was asked for.
func (f following) isRequested(status domain.Status) bool {
	return f.Until != "" && status == domain.Status(strings.ToLower(f.Until))
}

// watchCommand follows a case.
type watchCommand struct {
	Case  string `arg:"" help:"Reference (CS-2026-000001) or id of the case."`
	After string `placeholder:"CURSOR" help:"Only events after this cursor; default: all."`
	Until string `placeholder:"STATUS" help:"End at this status; default: where a person is needed, or an end."`
}

// Validate refuses a status that does not exist; kong calls it.
func (w *watchCommand) Validate() error { return following{Until: w.Until}.Validate() }

// Run prints the case's events until it waits for a person or has ended.
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

// caseHead is what following a case needs of it.
type caseHead struct {
	ID        string
	Reference string
	Status    string
	Cursor    string
	Version   string
}

const headFields = `id reference status cursor version`

// status in our own words: the API's enums are in capitals.
func status(name string) domain.Status { return domain.Status(strings.ToLower(name)) }

// follower prints the events of cases.
type follower struct {
	*console
	client *api
	following
	prefix bool // several cases share the terminal
}

// follow prints each event after the cursor and returns the status at which it ended. A status that
// was wanted ends it even if the case has passed it since.
func (f follower) follow(ctx context.Context, of caseHead, after string) (domain.Status, error) {
	last := status(of.Status)
	final := ""
	passed := f.isRequested(domain.Received) // every case was, and no event says so: the first event already follows it
	err := f.client.caseEvents(ctx, of.ID, after, f.onConnectionLost(of),
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
				// Several facts of one command share the status after it; the newest the person may
				// see is awaited.
				newest, err := f.client.newestEvent(ctx, of.ID)
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
		if of, err = f.client.caseOf(ctx, of.ID); err != nil {
			return last, err
		}
		last = status(of.Status)
	}
	return last, f.printOutcome(ctx, of, last)
}

func (f follower) onConnectionLost(of caseHead) func(error) {
	return func(error) {
		f.printNote("%s: connection lost; going on after the last event when it is back",
			of.Reference)
	}
}

func (f follower) printEvent(of caseHead, event caseEvent) error {
	if f.json {
		return f.printJSON(map[string]any{"case": of.ID, "reference": of.Reference,
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
		return f.printJSON(map[string]any{"case": of.ID, "reference": of.Reference,
			"outcome": last})
	}
	f.printLine("%s  %s", of.Reference, outcomeSentence(last))
	if last != domain.Incident {
		return nil
	}
	incident, err := f.client.incidentOf(ctx, of.ID)
	if err != nil || incident == nil {
		return err
	}
	f.printLine("  cause: %s", printable(incident.Message))
	f.printLine("  ways out: countersign incident %s %s", strings.Join(incident.commands(), "|"),
		of.Reference)
	return nil
}

func outcomeSentence(status domain.Status) string {
	sentences := map[domain.Status]string{
		domain.Archived: "archived", domain.Rejected: "rejected", domain.Abandoned: "abandoned",
		domain.Incident: "stopped: a step failed and waits for a person",
		domain.InReview: "in review: waits for a reviewer",
		domain.Returned: "returned: waits for the submitter (countersign resubmit)",
	}
	if sentence, ok := sentences[status]; ok {
		return sentence
	}
	return string(status)
}

// exitStatusOf turns a status into the exit code that scripts rely on.
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

// worseOutcome keeps the outcome that needs attention first: failure, incident, waiting, rejected,
// abandoned, done.
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
