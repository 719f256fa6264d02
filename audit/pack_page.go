package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"time"

	"countersign/domain"
)

// packPageOf renders the record for people. It is a function of the record and of the names, so that a
// verifier can make it again.
func packPageOf(document *packDocument, events []*domain.Event, rows *StreamRows) ([]byte, error) {
	page := pageData{Reference: document.Reference, MadeAt: timeOf(document.MadeAt).Format(time.RFC3339),
		Origin: document.Origin}
	name := func(id domain.ID) string {
		// The id is that of the record; the name is only that of the pack.
		known := document.People[id.String()]
		switch {
		case id == domain.NoID:
			return ""
		case known == "":
			return id.String()
		}
		return known + " (" + id.String() + ")"
	}
	if rows != nil {
		page.Status = string(rows.Status)
		for i := range rows.Decisions {
			d := &rows.Decisions[i]
			shown := pageDecision{Person: name(d.Actor), OnBehalfOf: name(d.OnBehalfOf),
				Verdict: shownVerdict(d), Reason: d.Reason, At: d.At.Format(time.RFC3339),
				Document: d.Evidence.DocumentSHA256, Revision: d.Evidence.DocumentRevision,
				Amount: d.Evidence.Amount, Risk: d.Evidence.Risk, Findings: d.Evidence.Findings,
				Process: fmt.Sprintf("%s %d", d.Evidence.DefinitionKey, d.Evidence.DefinitionVersion),
				Policy:  d.Evidence.PolicyVersion}
			if d.Signature != nil {
				shown.Signature, shown.Statement = d.Signature.PasskeyID.String(), d.Signature.Statement
			}
			if basis := d.Evidence.RiskBasis; basis != nil {
				shown.AtRisk, shown.Countries = basis.Amount, basis.Countries
			}
			for _, field := range sortedNames(d.Evidence.Fields) {
				shown.Fields = append(shown.Fields, pageField{field, d.Evidence.Fields[field]})
			}
			for _, field := range sortedNames(d.Evidence.Differences) {
				shown.Differences = append(shown.Differences,
					pageField{field, fmt.Sprint(d.Evidence.Differences[field])})
			}
			page.Decisions = append(page.Decisions, shown)
		}
	}
	for _, event := range events {
		var body bytes.Buffer
		if len(event.Body) == 0 || json.Indent(&body, event.Body, "", " ") != nil {
			body.Reset()
			body.WriteString("erased")
		}
		page.Events = append(page.Events, pageEvent{Seq: event.Seq, At: event.At.Format(time.RFC3339),
			Type: string(event.Type), Person: name(event.Actor), OnBehalfOf: name(event.OnBehalfOf),
			Status: string(event.StatusAfter), Body: body.String(),
			Hash: fmt.Sprintf("%x", event.Hash)})
	}
	var out bytes.Buffer
	if err := packTemplate.Execute(&out, page); err != nil {
		return nil, fmt.Errorf("write the page of the pack: %w", err)
	}
	return out.Bytes(), nil
}

// shownVerdict returns the verdict of a decision, of which the record has nothing more if it is hidden.
func shownVerdict(d *domain.Decision) string {
	if d.Hidden {
		return "hidden vote"
	}
	return string(d.Verdict)
}

type pageData struct {
	Reference, MadeAt, Origin, Status string
	Decisions                         []pageDecision
	Events                            []pageEvent
}

type pageDecision struct {
	Person, OnBehalfOf, Verdict, Reason, At string
	Document                                string
	Revision, Risk                          int
	Amount, AtRisk, Process                 string
	Signature, Statement                    string
	Countries, Findings                     []string
	Policy                                  int64
	Fields, Differences                     []pageField
}

type pageField struct{ Name, Value string }

type pageEvent struct {
	Seq                                              int64
	At, Type, Person, OnBehalfOf, Status, Body, Hash string
}

var packTemplate = template.Must(template.New("pack").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{{.Reference}}</title>
<style>body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:4px 8px;text-align:left;vertical-align:top}
pre{white-space:pre-wrap;margin:0;font-size:12px}code{font-size:12px;word-break:break-all}
section{margin-top:2rem}</style>
<h1>{{.Reference}}</h1>
<p>Status: {{.Status}}. Made at {{.MadeAt}}{{if .Origin}} from log {{.Origin}}{{end}}.
Verify this pack with <code>countersign audit verify --pack FILE --trust KEYS</code>.</p>
<section><h2>Decisions, and what each reviewer saw</h2>
{{range .Decisions}}<h3>{{.Verdict}} by {{.Person}}{{if .OnBehalfOf}} on behalf of {{.OnBehalfOf}}{{end}}, {{.At}}</h3>
{{if .Reason}}<p>Reason: {{.Reason}}</p>{{end}}
{{if .Signature}}<p>Signed by passkey {{.Signature}}. Signed statement: <code>{{.Statement}}</code></p>{{end}}
<table><tr><th>Amount</th><td>{{.Amount}}</td></tr><tr><th>Amount at risk</th><td>{{.AtRisk}}</td></tr>
<tr><th>Countries</th><td>{{range .Countries}}{{.}} {{end}}</td></tr><tr><th>Risk</th><td>{{.Risk}}</td></tr>
<tr><th>Findings</th><td>{{range .Findings}}{{.}} {{end}}</td></tr>
<tr><th>Document</th><td>revision {{.Revision}}, SHA-256 <code>{{.Document}}</code></td></tr>
<tr><th>Process, policy</th><td>{{.Process}}, {{.Policy}}</td></tr>
{{range .Fields}}<tr><th>{{.Name}}</th><td>{{.Value}}</td></tr>{{end}}
{{range .Differences}}<tr><th>{{.Name}}, unresolved values</th><td>{{.Value}}</td></tr>{{end}}</table>
{{else}}<p>No person has decided.</p>{{end}}</section>
<section><h2>Events</h2><table><tr><th>No.</th><th>Time</th><th>Event</th><th>Person</th><th>Status</th><th>Data</th></tr>
{{range .Events}}<tr><td>{{.Seq}}</td><td>{{.At}}</td><td>{{.Type}}<br><code>{{.Hash}}</code></td>
<td>{{.Person}}{{if .OnBehalfOf}}<br>on behalf of {{.OnBehalfOf}}{{end}}</td><td>{{.Status}}</td><td><pre>{{.Body}}</pre></td></tr>
{{end}}</table></section>
</html>
`))
