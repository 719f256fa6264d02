package main

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"

	"countersign/domain"
)

// maxFollowed limits the cases that are followed concurrently.
const maxFollowed = 16

// submitCommand uploads documents.
type submitCommand struct {
	Files    []string   `arg:"" name:"file" type:"existingfile" help:"Documents: PDF, PNG, JPEG, TIFF or e-invoice XML."`
	Process  string     `help:"Key of the process. Default: document_approval."`
	Type     string     `help:"Document type, such as invoice or receipt. Default: invoice, or the first type of the process if it does not accept invoices."`
	Country  string     `help:"Country of the counterparty, as a code or name."`
	Amount   string     `help:"Amount of the document, if you know it."`
	Currency string     `help:"Currency of the amount, three letters."`
	Order    orderFlags `embed:"" prefix:"order-"`
	// Attribute is not a map, because a value can contain the separator of maps.
	Attribute []string `sep:"none" placeholder:"NAME=VALUE" help:"What you state about an attribute of the process, such as department=sales. Repeat it for several."`
	Document  []string `sep:"none" placeholder:"KIND=FILE" help:"A supporting document of a kind that the process declares, such as payslip=may.pdf. Repeat it for several. Only with one file."`
	Key       string   `placeholder:"KEY" help:"Idempotency key: a repeated submit with the same key returns the same case. Only with one file."`
	following
}

// Validate refuses an amount without a currency and vice versa. Kong calls it.
func (s *submitCommand) Validate() error {
	if (s.Amount == "") != (s.Currency == "") {
		return domain.Invalid("amount", "The options --amount and --currency must be used together.")
	}
	if s.Order.given() && len(s.Files) > 1 {
		return domain.Invalid("order-reference", "A payment order can be submitted with one file only.")
	}
	if s.Order.given() && s.Amount == "" {
		return domain.Invalid("amount", "A payment order needs --amount and --currency.")
	}
	if s.Key != "" && len(s.Files) > 1 {
		return domain.Invalid("key", "The option --key can be used with one file only.")
	}
	if len(s.Document) > 0 && len(s.Files) > 1 {
		return domain.Invalid("document", "Supporting documents can be submitted with one file only.")
	}
	if _, err := documentInputs(s.Document); err != nil {
		return err
	}
	if _, err := s.attributes(); err != nil {
		return err
	}
	return s.following.Validate()
}

// attributes returns the stated attributes.
func (s *submitCommand) attributes() ([]StatedAttributeInput, error) {
	var stated []StatedAttributeInput
	for _, one := range s.Attribute {
		name, value, found := strings.Cut(one, "=")
		if !found || name == "" {
			return nil, domain.Invalid("attribute", "An attribute is given as NAME=VALUE, not %q.", one)
		}
		stated = append(stated, StatedAttributeInput{Name: name, Value: value})
	}
	return stated, nil
}

// documentInputs returns the supporting documents of the options KIND=FILE.
func documentInputs(options []string) ([]SupportingDocumentInput, error) {
	var documents []SupportingDocumentInput
	for _, one := range options {
		kind, path, found := strings.Cut(one, "=")
		if !found || kind == "" || path == "" {
			return nil, domain.Invalid("document", "A document is given as KIND=FILE, not %q.", one)
		}
		documents = append(documents, SupportingDocumentInput{Kind: kind, File: upload(path)})
	}
	return documents, nil
}

// Run uploads each file and, if requested, follows the cases.
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
			note(errors.New("not every file was submitted"))
			continue
		}
		if !s.enabled() {
			continue
		}
		// The turn is taken in the goroutine, so that no file waits for the cases before it.
		running.Go(func() {
			turns <- struct{}{}
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
	if err := client.checkType(ctx, s.Type); err != nil {
		return caseHead{}, err
	}
	key := s.Key
	if key == "" {
		key = newKey()
	}
	var amount *MoneyInput
	if s.Amount != "" {
		amount = &MoneyInput{Amount: s.Amount, Currency: strings.ToUpper(s.Currency)}
	}
	country, order := strings.ToUpper(s.Country), s.Order.input(s.Country, amount)
	if order != nil {
		country, amount = "", nil
	}
	attributes, err := s.attributes()
	if err != nil {
		return caseHead{}, err
	}
	documents, err := documentInputs(s.Document)
	if err != nil {
		return caseHead{}, err
	}
	answer, err := submitDocument(ctx, client, upload(path), s.Process, s.Type, country, amount,
		order, attributes, documents, key)
	if err != nil {
		return caseHead{}, err
	}
	payload := answer.Done
	if err := refused(payload.UserErrors); err != nil {
		return caseHead{}, err
	}
	if payload.Case == nil {
		return caseHead{}, domain.Errorf(domain.Internal,
			"The server accepted %s but returned no case.",
			path)
	}
	return *payload.Case, s.printResult(c, path, *payload.Case, payload.Duplicates)
}

func (s *submitCommand) printResult(c *console, path string, created caseHead,
	duplicates []caseHead) error {
	var same []string
	for _, duplicate := range duplicates {
		same = append(same, duplicate.Reference)
	}
	if c.json {
		return c.printJSON(map[string]any{"file": path, "case": created.Id,
			"reference": created.Reference, "sameBytes": same})
	}
	c.printLine("%s  %s", created.Reference, path)
	if len(same) > 0 {
		c.printLine("  identical files were submitted before: %s", strings.Join(same, ", "))
	}
	return nil
}

// resubmitCommand resubmits a returned case.
type resubmitCommand struct {
	Case    string `arg:"" help:"Reference or ID of the returned case."`
	Comment string `help:"Comment for the reviewer."`
	Replace string `type:"existingfile" placeholder:"FILE" help:"Replace the document with this file first."`

	Document []string `sep:"none" placeholder:"KIND=FILE" help:"Add this supporting document first, such as payslip=may.pdf. payslip:2=may.pdf puts it in the place of document 2."`
	following
}

// Validate refuses documents that are not KIND=FILE. Kong calls it.
func (r *resubmitCommand) Validate() error {
	if _, err := documentInputs(r.Document); err != nil {
		return err
	}
	return r.following.Validate()
}

// Run replaces the file and adds documents if they are given, then resubmits.
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
		if _, err := client.onCase(found, replacement(ctx, r.Replace)); err != nil {
			return err
		}
	}
	documents, err := documentInputs(r.Document)
	if err != nil {
		return err
	}
	for _, document := range documents {
		if _, err := client.onCase(found, addition(ctx, document)); err != nil {
			return err
		}
	}
	return c.actOnCase(ctx, client, found, r.following, "resubmitted",
		func(client *api, id, key string) (caseResult, error) {
			answer, err := resubmitCase(ctx, client, id, r.Comment, key)
			return answer.Done, err
		})
}

// addition adds a supporting document to a case. A number after the kind is the one that it replaces.
func addition(ctx context.Context, document SupportingDocumentInput) caseMutation {
	kind, number, _ := strings.Cut(document.Kind, ":")
	replaces, _ := strconv.Atoi(number) // none is 0
	document.Kind = kind
	return func(client *api, id, key string) (caseResult, error) {
		answer, err := addDocument(ctx, client, id, document, replaces, key)
		return answer.Done, err
	}
}

// caseMutation sends a mutation about the case of the id, with an idempotency key.
type caseMutation func(client *api, id, key string) (caseResult, error)

// onCase sends the mutation and returns the case after it.
func (a *api) onCase(found caseHead, send caseMutation) (caseHead, error) {
	result, err := send(a, found.Id, newKey())
	if err != nil {
		return caseHead{}, err
	}
	if err := refused(result.UserErrors); err != nil || result.Case == nil {
		return caseHead{}, err
	}
	return *result.Case, nil
}

// actOnCase sends a mutation about the case. If requested, it then follows the case, starting with
// the events of the mutation.
func (c *console) actOnCase(ctx context.Context, client *api, found caseHead, how following,
	done string, send caseMutation) error {
	after, err := client.onCase(found, send)
	if err != nil {
		return err
	}
	if !how.enabled() {
		if c.json {
			return c.printJSON(map[string]any{"case": found.Id, "reference": found.Reference,
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
