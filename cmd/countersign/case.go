package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"countersign/domain"
)

// caseCommands look at cases.
type caseCommands struct {
	List caseList `cmd:"" default:"withargs" help:"The cases you may read, newest first."`
	Show caseShow `cmd:"" help:"One case: its fields, findings, decisions and last events."`
}

// caseList lists cases.
type caseList struct {
	Status []string `help:"Only cases of these statuses."`
	Text   string   `help:"Part of the reference, the counterparty or the document's number."`
	First  int      `default:"20" help:"How many."`
}

type caseRow struct {
	caseHead
	DocumentType string
	Counterparty string
	Amount       *money
	CreatedAt    string
	Submitter    *person
}

type money struct{ Amount, Currency string }

func (m *money) String() string {
	if m == nil {
		return "-"
	}
	return m.Amount + " " + m.Currency
}

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
	filter := map[string]any{}
	if l.Text != "" {
		filter["text"] = l.Text
	}
	if len(l.Status) > 0 {
		var statuses []string
		for _, name := range l.Status {
			statuses = append(statuses, strings.ToUpper(name))
		}
		filter["statuses"] = statuses
	}
	var answer struct{ Cases struct{ Nodes []caseRow } }
	err = client.query(ctx,
		`query($first: Int!, $filter: CaseFilter) { cases(first: $first, filter: $filter) { nodes { `+headFields+
			` documentType counterparty amount { amount currency } createdAt submitter { name } } } }`,
		map[string]any{"first": l.First, "filter": filter}, &answer)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, n := range answer.Cases.Nodes {
		rows = append(rows, []string{n.Reference, string(status(n.Status)), n.DocumentType,
			orDash(n.Counterparty), n.Amount.String(),
			n.Submitter.String(), localTime(n.CreatedAt)})
	}
	return c.printTable(answer.Cases.Nodes, []string{"REFERENCE", "STATUS", "TYPE", "COUNTERPARTY",
		"AMOUNT", "SUBMITTER", "SINCE"}, rows)
}

var referencePattern = regexp.MustCompile(`(?i)^CS-\d{4}-\d+$`)

// caseOf finds a case by its reference or id.
func (a *api) caseOf(ctx context.Context, name string) (caseHead, error) {
	if !referencePattern.MatchString(name) {
		var answer struct{ Case *caseHead }
		if err := a.query(ctx, `query($id: ID!) { case(id: $id) { `+headFields+` } }`,
			map[string]any{"id": name}, &answer); err != nil {
			return caseHead{}, err
		}
		if answer.Case == nil {
			return caseHead{}, caseNotFound(name)
		}
		return *answer.Case, nil
	}
	var answer struct{ Cases struct{ Nodes []caseHead } }
	err := a.query(ctx, `query($text: String!) { cases(first: 50, filter: {text: $text}) { nodes { `+headFields+` } } }`,
		map[string]any{"text": name}, &answer)
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
	return domain.Errorf(domain.NotFound, "There is no case %s, or you may not see it.",
		printable(name))
}

// recentEvents is how many events are asked for to find the newest that the person may see.
const recentEvents = 20

// newestEvent is the last event of the case that the person may see; the zero value when none of
// the last ones is.
func (a *api) newestEvent(ctx context.Context, id string) (caseEvent, error) {
	var answer struct {
		Case *struct{ LastEvents []caseEvent }
	}
	err := a.query(ctx, `query($id: ID!, $last: Int!) { case(id: $id) { lastEvents(last: $last) { `+
		eventFields+` } } }`,
		map[string]any{"id": id, "last": recentEvents}, &answer)
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

type caseDetail struct {
	caseRow
	Risk     *int
	Channel  string
	Document *struct {
		FileName, MediaType, Size, Path string
		Revision                        int
	}
	Fields []struct {
		Name, Raw, Normalised, Source string
		Page                          int
		Confidence                    float64
	}
	Findings []struct {
		Rule, Severity, Message string
		Score                   int
	}
	Decisions []struct {
		Verdict, Reason, At string
		Actor               *person
	}
	OpenReview *reviewRow
	Incident   *incident
	LastEvents []caseEvent
}

const detailFields = headFields + ` documentType channel counterparty risk amount { amount currency } createdAt submitter { name }
	document { fileName mediaType size path revision } fields { name raw normalised source page confidence }
	findings { rule severity message score } decisions { verdict reason at actor { name } }
	openReview { ` + reviewFields + ` } incident { ` + incidentFields + ` } lastEvents(last: 20) { ` + eventFields + ` }`

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
	return c.showCase(ctx, client, found.ID)
}

func (c *console) showCase(ctx context.Context, client *api, id string) error {
	var answer struct{ Case *caseDetail }
	if err := client.query(ctx, `query($id: ID!) { case(id: $id) { `+detailFields+` } }`,
		map[string]any{"id": id}, &answer); err != nil {
		return err
	}
	if answer.Case == nil {
		return caseNotFound(id)
	}
	if c.json {
		return c.printJSON(answer.Case)
	}
	d := answer.Case
	c.printLine("%s  %s  %s  %s  %s", d.Reference, status(d.Status), d.DocumentType, d.Amount,
		printable(orDash(d.Counterparty)))
	if d.Document != nil {
		c.printLine("  document: %s (%s, %s bytes, revision %d)  %s",
			printable(d.Document.FileName), d.Document.MediaType, d.Document.Size,
			d.Document.Revision, d.Document.Path)
	}
	if d.Risk != nil {
		c.printLine("  risk: %d", *d.Risk)
	}
	if d.OpenReview != nil {
		c.printLine("  review: %s", d.OpenReview.line())
	}
	if d.Incident != nil {
		c.printLine("  incident: %s", d.Incident.line())
	}
	return c.showTables(d)
}

func (c *console) showTables(d *caseDetail) error {
	var fields, findings, decisions, events [][]string
	for _, f := range d.Fields {
		fields = append(fields, []string{f.Name, orDash(f.Normalised), f.Raw,
			strings.ToLower(f.Source), fmt.Sprintf("%.2f", f.Confidence), fmt.Sprint(f.Page)})
	}
	for _, f := range d.Findings {
		findings = append(findings, []string{f.Rule, strings.ToLower(f.Severity),
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
		{[]string{"FIELD", "VALUE", "AS WRITTEN", "SOURCE", "CONFIDENCE", "PAGE"}, fields},
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
