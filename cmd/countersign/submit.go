package main

import (
	"context"
	"errors"
	"strings"
	"sync"

	"countersign/domain"
)

// maxFollowed bounds the cases that are followed concurrently; further files wait their turn.
const maxFollowed = 16

// submitCommand uploads documents.
type submitCommand struct {
	Files    []string `arg:"" name:"file" type:"existingfile" help:"Documents: PDF, PNG, JPEG, TIFF or e-invoice XML."`
	Process  string   `help:"Key of the process; default: document_approval."`
	Type     string   `help:"Document type, such as invoice or receipt; default: invoice."`
	Country  string   `help:"Country of the counterparty, two letters."`
	Amount   string   `help:"The amount as you know it."`
	Currency string   `help:"Its currency, three letters."`
	Key      string   `placeholder:"KEY" help:"Idempotency key: the same key again leads to the same case. Only with one file."`
	following
}

// Validate refuses an amount without a currency and the other way round; kong calls it.
func (s *submitCommand) Validate() error {
	if (s.Amount == "") != (s.Currency == "") {
		return domain.Invalid("amount", "--amount and --currency belong together")
	}
	if s.Key != "" && len(s.Files) > 1 {
		return domain.Invalid("key", "--key serves one file")
	}
	return s.following.Validate()
}

// Run uploads each file and, if wanted, follows them all.
func (s *submitCommand) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	follower := follower{console: c, client: client, following: s.following,
		prefix: len(s.Files) > 1}
	var outcome error
	var guard sync.Mutex
	note := func(err error) {
		guard.Lock()
		defer guard.Unlock()
		outcome = worseOutcome(outcome, err)
	}
	var running sync.WaitGroup
	turns := make(chan struct{}, maxFollowed)
	for _, path := range s.Files {
		submitted, err := s.send(ctx, c, client, path)
		if err != nil {
			if ctx.Err() != nil || len(s.Files) == 1 {
				return err
			}
			c.printNote("%s:", path)
			c.printError(err)
			note(exitStatus(exitFailed))
			note(errors.New("not every file was taken"))
			continue
		}
		if !s.enabled() {
			continue
		}
		turns <- struct{}{}
		running.Go(func() {
			defer func() { <-turns }()
			status, err := follower.follow(ctx, submitted, "")
			if err == nil {
				err = exitStatusOf(status)
			}
			note(err)
		})
	}
	running.Wait()
	return outcome
}

func (s *submitCommand) send(ctx context.Context, c *console, client *api,
	path string) (caseHead, error) {
	values := map[string]any{"process": s.Process, "documentType": s.Type,
		"country": strings.ToUpper(s.Country), "idempotencyKey": s.Key}
	if s.Key == "" {
		values["idempotencyKey"] = domain.NewID().String()
	}
	if s.Amount != "" {
		values["amount"] = map[string]string{"amount": s.Amount,
			"currency": strings.ToUpper(s.Currency)}
	}
	var answer struct {
		SubmitDocument struct {
			Case       *caseHead
			Duplicates []caseHead
			UserErrors refusals
		}
	}
	err := client.upload(ctx,
		`mutation($input: SubmitDocumentInput!) { submitDocument(input: $input) { case { `+
			headFields+
			` } duplicates { `+headFields+` } `+refusalFields+` } }`, input(values), path, &answer)
	if err != nil {
		return caseHead{}, err
	}
	payload := answer.SubmitDocument
	if err := payload.UserErrors.err(); err != nil {
		return caseHead{}, err
	}
	if payload.Case == nil {
		return caseHead{}, domain.Errorf(domain.Internal, "The server took %s and named no case.",
			path)
	}
	return *payload.Case, s.printResult(c, path, *payload.Case, payload.Duplicates)
}

func (s *submitCommand) printResult(c *console, path string, opened caseHead,
	twins []caseHead) error {
	var same []string
	for _, twin := range twins {
		same = append(same, twin.Reference)
	}
	if c.json {
		return c.printJSON(map[string]any{"file": path, "case": opened.ID,
			"reference": opened.Reference, "sameBytes": same})
	}
	c.printLine("%s  %s", opened.Reference, path)
	if len(same) > 0 {
		c.printLine("  the same bytes were submitted before: %s", strings.Join(same, ", "))
	}
	return nil
}

// resubmitCommand answers a return.
type resubmitCommand struct {
	Case    string `arg:"" help:"Reference or id of the returned case."`
	Comment string `help:"What you say to the reviewer."`
	Replace string `type:"existingfile" placeholder:"FILE" help:"Put this file in the place of the document first."`
	following
}

// Run replaces the file if one is given, then resubmits.
func (r *resubmitCommand) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.caseOf(ctx, r.Case)
	if err != nil {
		return err
	}
	if r.Replace != "" {
		if _, err := client.onCase(ctx, "replaceDocument", "ReplaceDocumentInput",
			map[string]any{"caseId": found.ID}, r.Replace); err != nil {
			return err
		}
	}
	return c.actOnCase(ctx, client, found, r.following, "resubmitted", "resubmitCase",
		"ResubmitCaseInput",
		map[string]any{"comment": r.Comment}, "")
}

// onCase sends a mutation about one case; file "" sends none.
func (a *api) onCase(ctx context.Context, mutation, inputType string, values map[string]any,
	file string) (caseHead, error) {
	values["idempotencyKey"] = domain.NewID().String()
	query := `mutation($input: ` + inputType + `!) { done: ` + mutation +
		`(input: $input) { case { ` + headFields + ` } ` + refusalFields + ` } }`
	var answer struct {
		Done struct {
			Case       *caseHead
			UserErrors refusals
		}
	}
	var err error
	if file == "" {
		err = a.query(ctx, query, input(values), &answer)
	} else {
		err = a.upload(ctx, query, input(values), file, &answer)
	}
	if err != nil {
		return caseHead{}, err
	}
	if err := answer.Done.UserErrors.err(); err != nil || answer.Done.Case == nil {
		return caseHead{}, err
	}
	return *answer.Done.Case, nil
}

// actOnCase sends a mutation about the case and follows it from before the act, if wanted.
func (c *console) actOnCase(ctx context.Context, client *api, found caseHead, how following, done,
	mutation, inputType string,
	values map[string]any, file string,
) error {
	values["caseId"] = found.ID
	after, err := client.onCase(ctx, mutation, inputType, values, file)
	if err != nil {
		return err
	}
	if !how.enabled() {
		if c.json {
			return c.printJSON(map[string]any{"case": found.ID, "reference": found.Reference,
				"status": status(after.Status)})
		}
		c.printLine("%s  %s", found.Reference, done)
		return nil
	}
	status, err := follower{console: c, client: client,
		following: how}.follow(ctx, found, found.Cursor)
	if err != nil {
		return err
	}
	return exitStatusOf(status)
}
