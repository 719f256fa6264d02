package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"countersign/domain"
	"countersign/graph/scalar"
)

// exportCommands export lists.
type exportCommands struct {
	Cases   exportCases   `cmd:"" help:"Export the cases you may read, newest first."`
	Reviews exportReviews `cmd:"" help:"Export your queue, or all reviews that you may reassign."`
	Audit   exportAudit   `cmd:"" help:"Export the audit trail of a case, or of all cases you may read."`

	Deliveries exportDeliveries `cmd:"" help:"Export the deliveries of a connector that did not succeed at the first attempt."`
}

// exportOutput is where and how an export is written.
type exportOutput struct {
	Format string `enum:"csv,jsonl" default:"csv" help:"csv or jsonl."`
	Output string `short:"o" type:"path" help:"File to write. It must not exist yet. Default: standard output."`
	BOM    bool   `name:"bom" help:"Begin CSV with a byte order mark, by which spreadsheets recognise UTF-8."`
}

func setText(query url.Values, name, value string) {
	if value != "" {
		query.Set(name, value)
	}
}

// exportCases exports cases.
type exportCases struct {
	caseFilters
	exportOutput
}

// Run writes the export.
func (e *exportCases) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	address, err := e.address(ctx, client)
	if err != nil {
		return err
	}
	query, err := exportQuery(address)
	if err != nil {
		return err
	}
	return e.write(ctx, c, client, "cases", query)
}

// exportReviews exports reviews.
type exportReviews struct {
	Mine          bool   `help:"Only reviews assigned to or claimed by you."`
	Available     bool   `help:"Only unassigned reviews."`
	All           bool   `help:"All undecided reviews that you may reassign, for managers."`
	Queue         string `help:"Only this queue."`
	Due           string `enum:",overdue,at_risk" default:"" help:"overdue or at_risk."`
	Assignee      string `help:"Only reviews of the person with this id."`
	ExpiredClaims bool   `help:"Only open reviews whose last claim was yours and expired."`
	View          string `help:"Name of a saved view of the queue. Other options change its filters."`
	exportOutput
}

// Run writes the export.
func (e *exportReviews) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	query := url.Values{}
	if e.View != "" {
		view, err := client.viewByName(ctx, "QUEUE", e.View)
		if err != nil {
			return err
		}
		setText(query, "queue", view["queue"])
		setText(query, "text", view["text"])
		if whose := view["whose"]; (whose == "mine" || whose == "available") && !e.Mine && !e.Available && !e.All {
			query.Set(whose, "true")
		}
	}
	for name, set := range map[string]bool{"mine": e.Mine, "available": e.Available, "all": e.All,
		"expiredClaims": e.ExpiredClaims} {
		if set {
			query.Set(name, "true")
		}
	}
	setText(query, "queue", e.Queue)
	setText(query, "due", e.Due)
	if e.Assignee != "" {
		query.Set("assignee", plainID(e.Assignee))
	}
	return e.write(ctx, c, client, "reviews", query)
}

// plainID returns the id within an id of the GraphQL API, and other text unchanged.
func plainID(text string) string {
	if _, id, err := scalar.ParseID(text); err == nil {
		return id.String()
	}
	return text
}

// exportAudit exports audit trails.
type exportAudit struct {
	Case string `help:"Reference or id of the case. Default: all cases."`
	caseFilters
	exportOutput
}

// Validate refuses a case together with a selection of cases. Kong calls it.
func (e *exportAudit) Validate() error {
	if e.Case != "" && (len(e.given()) > 0 || e.View != "") {
		return domain.Invalid("case", "The option --case cannot be used together with filters.")
	}
	return nil
}

// Run writes the export.
func (e *exportAudit) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	address, err := e.address(ctx, client)
	if err != nil {
		return err
	}
	query, err := exportQuery(address)
	if err != nil {
		return err
	}
	if e.Case != "" {
		id, err := client.plainCaseID(ctx, e.Case)
		if err != nil {
			return err
		}
		query.Set("case", id)
	}
	return e.write(ctx, c, client, "audit", query)
}

// exportDeliveries exports deliveries of a connector.
type exportDeliveries struct {
	Connector string `arg:"" help:"Name of the connector."`
	Status    string `enum:",waiting,dead,skipped" default:"" help:"waiting, dead or skipped."`
	exportOutput
}

// Run writes the export.
func (e *exportDeliveries) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	query := url.Values{"connector": {e.Connector}}
	setText(query, "status", e.Status)
	return e.write(ctx, c, client, "deliveries", query)
}

// plainCaseID returns the id of a case by its reference, or by an id. Only a reference is looked up,
// because a token for audit trails may not be one for cases.
func (a *api) plainCaseID(ctx context.Context, name string) (string, error) {
	if !referencePattern.MatchString(name) {
		return plainID(name), nil
	}
	found, err := a.caseOf(ctx, name)
	return plainID(found.Id), err
}

// write requests the export and writes it. An incomplete one is an error, and leaves no file.
func (o *exportOutput) write(ctx context.Context, c *console, client *api, kind string,
	query url.Values) error {
	if o.BOM {
		query.Set("bom", "true")
	}
	path := "/export/" + kind + "." + o.Format
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return c.download(ctx, client, path, o.Output, func(last []byte) error {
		return checkEnd(last, o.Format)
	})
}

// download writes a response to a new file, or to the standard output; check gets its last line.
func (c *console) download(ctx context.Context, client *api, path, to string,
	check func(last []byte) error) (err error) {
	body, err := client.get(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	out := c.out
	if to != "" {
		file, err := os.OpenFile(filepath.Clean(to), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return domain.Invalid("output", "The file %s already exists.", to).
				WithRemedy("Choose another name, or remove the file.")
		}
		if err != nil {
			return domain.Invalid("output", "The file %s cannot be created: %v.", to,
				cmp.Or(errors.Unwrap(err), err))
		}
		defer func() {
			if closeErr := file.Close(); err == nil {
				err = closeErr
			}
		}()
		out = file
	}
	last := &lastLine{}
	_, err = io.Copy(io.MultiWriter(out, last), body)
	if checkErr := check(bytes.TrimSpace(last.text)); checkErr != nil {
		err = checkErr
		if to != "" {
			_ = os.Remove(to) // an incomplete file would look like a complete one
		}
	}
	return err
}

// lastLine keeps the last line that was written to it.
type lastLine struct{ text []byte }

// Write keeps what follows the last complete line, and that line while nothing follows it.
func (l *lastLine) Write(text []byte) (int, error) {
	l.text = append(l.text, text...)
	if at := bytes.LastIndexByte(l.text[:max(len(l.text)-1, 0)], '\n'); at >= 0 {
		l.text = append(l.text[:0], l.text[at+1:]...)
	}
	return len(text), nil
}

// checkEnd returns an error unless the last line is that of a complete export.
func checkEnd(last []byte, format string) error {
	var end struct {
		Kind, Message string
		Code          domain.Code
		Number        int64
	}
	if format == "csv" {
		cells := strings.SplitN(string(last), ",", 4)
		if len(cells) == 4 {
			end.Kind, end.Code = cells[0], domain.Code(cells[2])
			end.Number, _ = strconv.ParseInt(cells[1], 10, 64) // only for the sentence
		}
	} else if json.Unmarshal(last, &end) != nil {
		end.Kind = ""
	}
	switch end.Kind {
	case "end":
		return nil
	case "error":
		if end.Message == "" {
			end.Message = "The export ended early: " + string(end.Code) + "."
		}
		err := domain.Errorf(end.Code, "%s", end.Message).
			WithRemedy("The export ended after %d records. Start it again.", end.Number)
		err.Op = serverErrorOp
		return err
	}
	return domain.Errorf(domain.Unavailable, "The export was cut off: its last record is missing.").
		WithRemedy("Start it again.")
}

// get requests a path of the server, and returns the body of a successful response.
func (a *api) get(ctx context.Context, path string) (io.ReadCloser, error) {
	address := strings.TrimSuffix(a.address, "/graphql") + path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, domain.Invalid("COUNTERSIGN_URL", "%s is not a valid address.", address)
	}
	request.Header = a.header("")
	response, err := a.client.Do(request)
	if err != nil {
		return nil, a.unreachable(ctx, err)
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer func() { _ = response.Body.Close() }()
	var reply struct {
		Error struct {
			Code            domain.Code
			Message, Remedy string
		}
	}
	if json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&reply) != nil ||
		reply.Error.Code == "" {
		return nil, domain.Errorf(domain.Unavailable,
			"The server at %s sent an unexpected response (%s).", address, response.Status).
			WithRemedy("Check that COUNTERSIGN_URL is the address of a Countersign server.")
	}
	failure := domain.Errorf(reply.Error.Code, "%s", reply.Error.Message).WithRemedy("%s",
		reply.Error.Remedy)
	failure.Op = serverErrorOp
	return nil, failure
}

// resultCommand writes the result of a case.
type resultCommand struct {
	Case   string `arg:"" help:"Reference or id of the case."`
	Output string `short:"o" type:"path" help:"File to write. It must not exist yet. Default: standard output."`
}

// Run writes the result.
func (r *resultCommand) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	id, err := client.plainCaseID(ctx, r.Case)
	if err != nil {
		return err
	}
	return c.download(ctx, client, fmt.Sprintf("/cases/%s/result.json", url.PathEscape(id)),
		r.Output, func(last []byte) error {
			if !json.Valid(last) {
				return domain.Errorf(domain.Unavailable, "The result was cut off.").
					WithRemedy("Try again.")
			}
			return nil
		})
}
