package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"countersign/domain"
	"countersign/reading/extraction"
)

// caseCommands read cases, split and merge their files, and correct archived ones.
type caseCommands struct {
	List    caseList      `cmd:"" default:"withargs" help:"List the cases you may read, newest first."`
	Show    caseShow      `cmd:"" help:"Show a case: fields, findings, decisions and recent events."`
	Result  resultCommand `cmd:"" help:"Write the result of a case as JSON: values in force, findings, decisions and hashes of the evidence."`
	Split   caseSplit     `cmd:"" help:"Split the file of a case in your claimed review into cases, by its pages."`
	Merge   caseMerge     `cmd:"" help:"Undo a split, in your claimed review of one of the parts."`
	Correct caseCorrect   `cmd:"" help:"Submit the correction of an archived case: a new case with the same document, which other people decide and which pays nothing."`
}

// caseList lists cases.
type caseList struct {
	caseFilters
	Sort  string `enum:",newest,oldest,amount_highest,amount_lowest,risk_highest,risk_lowest,deadline" default:"" help:"newest, oldest, amount_highest, amount_lowest, risk_highest, risk_lowest or deadline. Default: newest."`
	First int    `default:"20" help:"Maximum number of cases."`
}

// money is an amount; a nil pointer is an unknown one.
type money struct{ Amount, Currency string }

func (m *money) String() string {
	if m == nil {
		return "-"
	}
	return m.Amount + " " + m.Currency
}

// person is a user; a nil pointer is one that the caller may not see.
type person struct{ Name string }

func (p *person) String() string {
	if p == nil {
		return "-"
	}
	return p.Name
}

// Run prints the list.
func (l *caseList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	address, err := l.address(ctx, client)
	if err != nil {
		return err
	}
	setParameter(address, "sort", l.Sort)
	answer, err := listCasesOf(ctx, client, l.First, address)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, n := range answer.Cases.Nodes {
		rows = append(rows, []string{n.Reference, string(status(n.Status)), n.DocumentType,
			orDash(n.Counterparty), amounts(n.Amount, n.AmountAtRisk),
			n.Submitter.String(), localTime(n.CreatedAt)})
	}
	return c.printTable(answer.Cases.Nodes, []string{"REFERENCE", "STATUS", "TYPE", "COUNTERPARTY",
		"AMOUNT", "SUBMITTER", "SUBMITTED"}, rows)
}

var referencePattern = regexp.MustCompile(`(?i)^CS-\d{4}-\d+$`)

// caseOf finds a case by its reference or id.
func (a *api) caseOf(ctx context.Context, name string) (caseHead, error) {
	if !referencePattern.MatchString(name) {
		answer, err := caseByID(ctx, a, name)
		if err != nil {
			return caseHead{}, err
		}
		if answer.Case == nil {
			return caseHead{}, caseNotFound(name)
		}
		return *answer.Case, nil
	}
	answer, err := casesByReference(ctx, a, name)
	if err != nil {
		return caseHead{}, err
	}
	for _, found := range answer.Cases.Nodes {
		if strings.EqualFold(found.Reference, name) {
			return found, nil
		}
	}
	return caseHead{}, caseNotFound(name)
}

func caseNotFound(name string) error {
	return domain.Errorf(domain.NotFound, "The case %s was not found, or you do not have access.",
		printable(name))
}

// recentEvents is how many events are requested to find the newest one that the caller may see.
const recentEvents = 20

// newestEvent is the newest event of the case that the caller may see. It is the zero value if the
// caller may see none of the recent ones.
func (a *api) newestEvent(ctx context.Context, id string) (caseEvent, error) {
	answer, err := newestEvents(ctx, a, id, recentEvents)
	if err != nil {
		return caseEvent{}, err
	}
	if answer.Case == nil {
		return caseEvent{}, caseNotFound(id)
	}
	if n := len(answer.Case.LastEvents); n > 0 {
		return answer.Case.LastEvents[n-1], nil
	}
	return caseEvent{}, nil
}

// caseShow shows one case.
type caseShow struct {
	Case string `arg:"" help:"Reference or id of the case."`
}

// Run prints the case.
func (s *caseShow) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.caseOf(ctx, s.Case)
	if err != nil {
		return err
	}
	return c.showCase(ctx, client, found.Id)
}

// printSupporting prints the supporting documents of a case.
func (c *console) printSupporting(documents []supportingFile) {
	for _, s := range documents {
		replaced := ""
		if !s.Current {
			replaced = ", replaced"
		}
		c.printLine("  document %d, %s: %s (%s, %s bytes%s)  %s", s.Number, s.Kind, printable(s.FileName),
			s.MediaType, s.Size, replaced, s.Path)
	}
}

func (c *console) showCase(ctx context.Context, client *api, id string) error {
	answer, err := showCase(ctx, client, id)
	if err != nil {
		return err
	}
	if answer.Case == nil {
		return caseNotFound(id)
	}
	if c.json {
		return c.printJSON(answer.Case)
	}
	d := answer.Case
	c.printLine("%s  %s  %s  %s  %s", d.Reference, status(d.Status), d.DocumentType,
		amounts(d.Amount, d.AmountAtRisk),
		printable(orDash(d.Counterparty)))
	if d.Document != nil {
		c.printLine("  document: %s (%s, %s bytes, revision %d)  %s",
			printable(d.Document.FileName), d.Document.MediaType, d.Document.Size,
			d.Document.Revision, d.Document.Path)
	}
	c.printSupporting(d.SupportingDocuments)
	if d.Parent != nil && d.Pages != nil {
		c.printLine("  part of %s, pages %s", d.Parent.Reference, pagesText(*d.Pages))
	}
	for _, part := range d.Parts {
		if part.Merged {
			c.printLine("  merged again: %s, pages %s", part.Reference, pagesText(part.Pages))
			continue
		}
		c.printLine("  part: %s, pages %s", part.Reference, pagesText(part.Pages))
	}
	switch {
	case d.Risk != nil && d.Assessed:
		c.printLine("  risk: %d", *d.Risk)
	case d.Risk != nil:
		c.printLine("  risk: not assessed")
	}
	for _, stated := range d.Attributes {
		value := printable(stated.Value)
		if stated.Currency != nil {
			value += " " + *stated.Currency
		}
		c.printLine("  declared by the submitter: %s = %s", stated.Name, value)
	}
	if len(d.Missing) > 0 {
		c.printLine("  missing: %s", strings.Join(d.Missing, ", "))
	}
	if d.OpenReview != nil {
		c.printLine("  review: %s", reviewLine(d.OpenReview, c.clock.Now()))
	}
	if d.Incident != nil {
		c.printLine("  incident: %s", incidentLine(d.Incident))
	}
	if err := c.showDifferences(d.Differences); err != nil {
		return err
	}
	return c.showTables(d)
}

func (c *console) showTables(d *caseDetail) error {
	var fields, findings, decisions, events [][]string
	for _, f := range d.Fields {
		fields = append(fields, []string{f.Name, orDash(f.Normalised), f.Raw,
			strings.ToLower(f.Source), fmt.Sprintf("%.0f%%", 100*extraction.ShareOf(f.Confidence)),
			fmt.Sprint(f.Page)})
	}
	for _, f := range d.Findings {
		findings = append(findings, []string{f.Title, strings.ToLower(f.Severity),
			fmt.Sprint(f.Score), f.Message})
	}
	for _, f := range d.Decisions {
		decisions = append(decisions, []string{localTime(f.At), f.Actor.String(),
			strings.ToLower(f.Verdict), orDash(f.Reason)})
	}
	for _, e := range d.LastEvents {
		events = append(events, []string{e.At.Local().Format("2006-01-02 15:04:05"), e.Seq,
			e.Sentence})
	}
	for _, part := range []struct {
		headings []string
		rows     [][]string
	}{
		{[]string{"FIELD", "VALUE", "AS WRITTEN", "SOURCE", "RIGHT", "PAGE"}, fields},
		{[]string{"FINDING", "SEVERITY", "SCORE", "MESSAGE"}, findings},
		{[]string{"DECIDED", "BY", "VERDICT", "REASON"}, decisions},
		{[]string{"AT", "EVENT", "WHAT HAPPENED"}, events},
	} {
		if len(part.rows) == 0 {
			continue
		}
		c.printLine("")
		if err := c.printTable(nil, part.headings, part.rows); err != nil {
			return err
		}
	}
	return nil
}
