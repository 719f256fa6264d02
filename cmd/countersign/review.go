package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"countersign/domain"
)

// reviewCommands are a reviewer's work from a terminal.
type reviewCommands struct {
	List    reviewList    `cmd:"" default:"withargs" help:"The reviews you may work on, most urgent first."`
	Show    reviewShow    `cmd:"" help:"A review's case: fields, findings, decisions, last events."`
	Claim   reviewClaim   `cmd:"" help:"Take a review."`
	Next    reviewNext    `cmd:"" help:"Take the most urgent review that nobody holds."`
	Release reviewRelease `cmd:"" help:"Give a review back to its queue."`
	Correct reviewCorrect `cmd:"" help:"Correct fields of the case you review."`
	Decide  reviewDecide  `cmd:"" help:"Approve, reject, return or escalate."`
}

// reviewRow is a review as the tables show it.
type reviewRow struct {
	ID         string
	Version    string
	Queue      string
	Status     string
	Assignee   *person
	DecideBy   string
	ClaimUntil string
	Case       *struct {
		ID, Reference, Counterparty, DocumentType string
		Amount                                    *money
		Risk                                      *int
	}
}

const reviewFields = `id version queue status assignee { name } decideBy claimUntil
	case { id reference counterparty documentType amount { amount currency } risk }`

func (r reviewRow) line() string {
	text := fmt.Sprintf("%s, %s", r.Queue, strings.ToLower(r.Status))
	if r.Assignee != nil {
		text += " by " + r.Assignee.Name
	}
	return printable(text + ", to be decided by " + localTime(r.DecideBy))
}

// localTime shows an API time in the terminal's time zone.
func localTime(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return orDash(text)
	}
	return at.Local().Format("2006-01-02 15:04")
}

// reviewList lists reviews.
type reviewList struct {
	Mine      bool   `help:"Only those I hold or that are assigned to me."`
	Available bool   `help:"Only those nobody holds."`
	Queue     string `help:"Only this queue."`
	First     int    `default:"20" help:"How many."`
}

// Run prints the list.
func (l *reviewList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	filter := map[string]any{}
	if l.Mine {
		filter["mine"] = true
	}
	if l.Available {
		filter["available"] = true
	}
	if l.Queue != "" {
		filter["queue"] = l.Queue
	}
	var answer struct {
		Reviews struct {
			Nodes      []reviewRow
			TotalCount int
		}
	}
	err = client.query(ctx,
		`query($first: Int!, $filter: ReviewFilter) { reviews(first: $first, filter: $filter) { totalCount nodes { `+
			reviewFields+` } } }`, map[string]any{"first": l.First, "filter": filter}, &answer)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, r := range answer.Reviews.Nodes {
		rows = append(rows, r.cells())
	}
	if err := c.printTable(answer.Reviews.Nodes, []string{"REFERENCE", "QUEUE", "COUNTERPARTY",
		"AMOUNT", "RISK", "STATUS", "HELD BY", "DECIDE BY"}, rows); err != nil {
		return err
	}
	if more := answer.Reviews.TotalCount - len(rows); more > 0 && !c.json {
		c.printNote("%d more: --first %d", more, answer.Reviews.TotalCount)
	}
	return nil
}

func (r reviewRow) cells() []string {
	reference, counterparty, amount, risk := "-", "-", "-", "-"
	if r.Case != nil {
		reference, counterparty, amount = r.Case.Reference, orDash(r.Case.Counterparty),
			r.Case.Amount.String()
		if r.Case.Risk != nil {
			risk = fmt.Sprint(*r.Case.Risk)
		}
	}
	return []string{reference, r.Queue, counterparty, amount, risk, strings.ToLower(r.Status),
		r.Assignee.String(), localTime(r.DecideBy)}
}

// reviewNamed is a review named by its case's reference or its own id.
type reviewNamed struct {
	Review   string `arg:"" help:"Reference of the case, or id of the review."`
	Expected string `placeholder:"VERSION" help:"Refuse if the review is no longer at this version."`
}

// reviewOf finds the open review.
func (a *api) reviewOf(ctx context.Context, name string) (reviewRow, error) {
	missing := domain.Errorf(domain.NotFound, "There is no review of %s that you may see.",
		printable(name))
	if !referencePattern.MatchString(name) {
		var answer struct{ Review *reviewRow }
		err := a.query(ctx, `query($id: ID!) { review(id: $id) { `+reviewFields+` } }`,
			map[string]any{"id": name}, &answer)
		if err != nil {
			return reviewRow{}, err
		}
		if answer.Review == nil {
			return reviewRow{}, missing
		}
		return *answer.Review, nil
	}
	var answer struct {
		Cases struct {
			Nodes []struct {
				Reference  string
				OpenReview *reviewRow
			}
		}
	}
	err := a.query(ctx, `query($text: String!) { cases(first: 50, filter: {text: $text}) { nodes { reference openReview { `+reviewFields+` } } } }`,
		map[string]any{"text": name}, &answer)
	if err != nil {
		return reviewRow{}, err
	}
	for _, found := range answer.Cases.Nodes {
		if strings.EqualFold(found.Reference, name) && found.OpenReview != nil {
			return *found.OpenReview, nil
		}
	}
	return reviewRow{}, missing
}

// act sends a mutation about the review named.
func (n reviewNamed) act(ctx context.Context, c *console, mutation, inputType, done string,
	values map[string]any) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.reviewOf(ctx, n.Review)
	if err != nil {
		return err
	}
	values["reviewId"], values["expectedVersion"] = found.ID, n.Expected
	return c.actOnReview(ctx, client, mutation, inputType, done, values)
}

func (c *console) actOnReview(ctx context.Context, client *api, mutation, inputType, done string,
	values map[string]any) error {
	values["idempotencyKey"] = domain.NewID().String()
	var answer struct {
		Done struct {
			Review     *reviewRow
			UserErrors refusals
		}
	}
	err := client.query(ctx, `mutation($input: `+inputType+`!) { done: `+mutation+
		`(input: $input) { review { `+reviewFields+` } `+refusalFields+` } }`,
		input(values), &answer)
	if err != nil {
		return err
	}
	if err := answer.Done.UserErrors.err(); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(answer.Done.Review)
	}
	if r := answer.Done.Review; r != nil && r.Case != nil {
		done = r.Case.Reference + "  " + done
		if strings.EqualFold(r.Status, string(domain.ReviewClaimed)) {
			done += "; yours until " + localTime(r.ClaimUntil)
		}
	}
	c.printLine("%s", done)
	return nil
}

// reviewShow shows the review's case.
type reviewShow struct{ reviewNamed }

// Run prints it.
func (s *reviewShow) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.reviewOf(ctx, s.Review)
	if err != nil {
		return err
	}
	if found.Case == nil {
		return caseNotFound(s.Review)
	}
	return c.showCase(ctx, client, found.Case.ID)
}

// reviewClaim takes a review.
type reviewClaim struct{ reviewNamed }

// Run claims.
func (r *reviewClaim) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "claimReview", "ClaimReviewInput", "claimed", map[string]any{})
}

// reviewNext takes the most urgent review.
type reviewNext struct{}

// Run claims it.
func (reviewNext) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	return c.actOnReview(ctx, client, "claimNextReview", "ClaimNextReviewInput", "claimed",
		map[string]any{})
}

// reviewRelease gives a review back.
type reviewRelease struct{ reviewNamed }

// Run releases.
func (r *reviewRelease) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "releaseReview", "ReleaseReviewInput", "released", map[string]any{})
}

// reviewCorrect corrects fields.
type reviewCorrect struct {
	reviewNamed
	Fields  []string `arg:"" name:"field=value" help:"Such as total=1234.50 or vendor='Kiefer & Sohn'."`
	Confirm bool     `help:"Do it although a warning was given."`
}

// Run corrects.
func (r *reviewCorrect) Run(ctx context.Context, c *console) error {
	fields, err := fieldInputs(r.Fields)
	if err != nil {
		return err
	}
	return r.act(ctx, c, "correctFields", "CorrectFieldsInput", "corrected",
		map[string]any{"fields": fields, "confirm": r.Confirm})
}

// fieldInputs splits name=value pairs.
func fieldInputs(pairs []string) ([]map[string]string, error) {
	var fields []map[string]string
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, domain.Invalid("fields", "%q is not of the form field=value", pair)
		}
		fields = append(fields, map[string]string{"name": strings.TrimSpace(name), "value": value})
	}
	return fields, nil
}

// reviewDecide decides.
type reviewDecide struct {
	reviewNamed
	Verdict string `arg:"" enum:"approve,reject,return,escalate" help:"approve, reject, return or escalate."`
	Reason  string `help:"Why; owed for everything but an approval."`
}

// Run decides.
func (r *reviewDecide) Run(ctx context.Context, c *console) error {
	done := map[string]string{"approve": "approved", "reject": "rejected", "return": "returned",
		"escalate": "escalated"}[r.Verdict]
	return r.act(ctx, c, "decideReview", "DecideReviewInput", done,
		map[string]any{"decision": strings.ToUpper(r.Verdict), "reason": r.Reason})
}
