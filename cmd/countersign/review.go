package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"countersign/domain"
)

// reviewCommands are the commands of reviewers.
type reviewCommands struct {
	List     reviewList     `cmd:"" default:"withargs" help:"List the reviews you may work on, most urgent first."`
	Show     reviewShow     `cmd:"" help:"Show the case of a review: fields, findings, decisions and recent events."`
	Claim    reviewClaim    `cmd:"" help:"Claim a review."`
	Next     reviewNext     `cmd:"" help:"Claim the most urgent available review."`
	Release  reviewRelease  `cmd:"" help:"Release a review to its queue."`
	Correct  reviewCorrect  `cmd:"" help:"Correct fields of a claimed review."`
	Confirm  reviewConfirm  `cmd:"" help:"Confirm current values of a claimed review as they are."`
	Override reviewOverride `cmd:"" help:"State why findings do not stop an approval, without deciding."`
	Distinct reviewDistinct `cmd:"" help:"State that the document is no duplicate of that of another case."`
	Decide   reviewDecide   `cmd:"" help:"Approve, reject, return or escalate a review."`
}

// reviewLine describes a review in one line.
func reviewLine(r *reviewRow, now time.Time) string {
	text := fmt.Sprintf("%s, %s", r.Queue, strings.ToLower(r.Status))
	if r.Assignee != nil {
		text += " by " + r.Assignee.Name
	}
	if r.Drawn {
		text += ", assigned by draw"
	}
	return printable(text + ", " + dueText(r, now))
}

// dueText says by when the review must be claimed or decided, whichever comes first.
func dueText(r *reviewRow, now time.Time) string {
	review := domain.Review{Status: domain.ReviewStatus(strings.ToLower(r.Status))}
	for text, into := range map[string]*time.Time{r.ClaimBy: &review.ClaimBy, r.DecideBy: &review.DecideBy} {
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
			*into = at
		}
	}
	if review.DecideBy.IsZero() && !review.ClaimBy.IsZero() {
		return "claim by " + localTime(r.ClaimBy)
	}
	if _, claim := review.NextDeadline(now); claim {
		return "claim by " + localTime(r.ClaimBy)
	}
	return "decide by " + localTime(r.DecideBy)
}

// localTime formats a time of the API in the local time zone.
func localTime(text string) string {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return orDash(text)
	}
	return at.Local().Format("2006-01-02 15:04")
}

// reviewList lists reviews.
type reviewList struct {
	Mine      bool   `help:"Only reviews claimed by or assigned to you."`
	Available bool   `help:"Only available reviews."`
	Queue     string `help:"Only reviews of this queue."`
	First     int    `default:"20" help:"Maximum number of reviews."`
}

// Run prints the list.
func (l *reviewList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listReviews(ctx, client, l.First, l.Mine, l.Available, l.Queue)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for i := range answer.Reviews.Nodes {
		rows = append(rows, reviewCells(&answer.Reviews.Nodes[i], c.clock.Now()))
	}
	if err := c.printTable(answer.Reviews.Nodes, []string{"REFERENCE", "QUEUE", "COUNTERPARTY",
		"AMOUNT", "RISK", "STATUS", "ASSIGNEE", "DUE"}, rows); err != nil {
		return err
	}
	if more := answer.Reviews.TotalCount - len(rows); more > 0 && !c.json {
		c.printNote("%s", moreNote(more, len(rows)))
	}
	return nil
}

// maxFirst is the greatest --first that the server accepts.
const maxFirst = 100

// moreNote says how to see the reviews that a list left out.
func moreNote(more, shown int) string {
	if more+shown <= maxFirst {
		return fmt.Sprintf("%d more; use --first %d to see them", more, more+shown)
	}
	if shown < maxFirst {
		return fmt.Sprintf("%d more; use --first %d to see more of them", more, maxFirst)
	}
	return fmt.Sprintf("%d more; use --queue to narrow the list", more)
}

// reviewCells are the cells of a review in the table of reviews.
func reviewCells(r *reviewRow, now time.Time) []string {
	reference, counterparty, amount, risk := "-", "-", "-", "-"
	if r.Case != nil {
		reference, counterparty, amount = r.Case.Reference, orDash(r.Case.Counterparty),
			amounts(r.Case.Amount, r.Case.AmountAtRisk)
		if r.Case.Risk != nil {
			risk = fmt.Sprint(*r.Case.Risk)
		}
	}
	return []string{reference, r.Queue, counterparty, amount, risk, strings.ToLower(r.Status),
		r.Assignee.String(), dueText(r, now)}
}

// reviewNamed names a review by the reference of its case or by its ID.
type reviewNamed struct {
	Review   string `arg:"" help:"Reference of the case, or ID of the review."`
	Expected string `placeholder:"VERSION" help:"Refuse if the review has another version."`
}

// reviewOf finds the open review.
func (a *api) reviewOf(ctx context.Context, name string) (reviewRow, error) {
	missing := domain.Errorf(domain.NotFound,
		"The review %s was not found, or you do not have access.",
		printable(name))
	if !referencePattern.MatchString(name) {
		answer, err := reviewByID(ctx, a, name)
		if err != nil {
			return reviewRow{}, err
		}
		if answer.Review == nil {
			return reviewRow{}, missing
		}
		return *answer.Review, nil
	}
	answer, err := reviewsByReference(ctx, a, name)
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

// act sends a mutation about the review of the id.
func (n reviewNamed) act(ctx context.Context, c *console, done string,
	send func(client *api, id string) (reviewResult, error)) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	found, err := client.reviewOf(ctx, n.Review)
	if err != nil {
		return err
	}
	result, err := send(client, found.Id)
	return c.printReview(done, result, err)
}

// newKey is an idempotency key for one mutation.
func newKey() string { return domain.NewID().String() }

// printReview prints the outcome of a mutation about a review.
func (c *console) printReview(done string, result reviewResult, err error) error {
	if err != nil {
		return err
	}
	if err := refused(result.UserErrors); err != nil {
		return err
	}
	if c.json {
		return c.printJSON(result.Review)
	}
	if r := result.Review; r != nil && r.Case != nil {
		done = r.Case.Reference + "  " + done
		if strings.EqualFold(r.Status, string(domain.ReviewClaimed)) {
			done += " until " + localTime(r.ClaimUntil)
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
	return c.showCase(ctx, client, found.Case.Id)
}

// reviewClaim claims a review.
type reviewClaim struct{ reviewNamed }

// Run claims.
func (r *reviewClaim) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "claimed", func(client *api, id string) (reviewResult, error) {
		answer, err := claimReview(ctx, client, id, r.Expected, newKey())
		return answer.Done, err
	})
}

// reviewNext claims the most urgent review.
type reviewNext struct{}

// Run claims it.
func (reviewNext) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := claimNextReview(ctx, client, newKey())
	return c.printReview("claimed", answer.Done, err)
}

// reviewRelease releases a review.
type reviewRelease struct{ reviewNamed }

// Run releases.
func (r *reviewRelease) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "released", func(client *api, id string) (reviewResult, error) {
		answer, err := releaseReview(ctx, client, id, r.Expected, newKey())
		return answer.Done, err
	})
}

// reviewCorrect corrects fields.
type reviewCorrect struct {
	reviewNamed
	Fields       []string `arg:"" optional:"" name:"field=value" help:"Fields, such as total=1234.50 or vendor='Kiefer & Sohn'."`
	Undetermined []string `name:"undetermined" placeholder:"FIELD=REASON" sep:"none" help:"Missing field that cannot be determined, in the repair queue, such as country='no address given'."`
	Confirm      bool     `help:"Correct the fields despite a warning."`
}

// Run corrects.
func (r *reviewCorrect) Run(ctx context.Context, c *console) error {
	fields, err := fieldInputs(r.Fields)
	if err != nil {
		return err
	}
	undetermined, err := fieldInputs(r.Undetermined)
	if err != nil {
		return err
	}
	for _, field := range undetermined {
		fields = append(fields, FieldInput{Name: field.Name, Undetermined: field.Value})
	}
	return r.act(ctx, c, "corrected", func(client *api, id string) (reviewResult, error) {
		answer, err := correctFields(ctx, client, id, r.Expected, fields, r.Confirm, newKey())
		return answer.Done, err
	})
}

// reviewConfirm confirms current values.
type reviewConfirm struct {
	reviewNamed
	Names   []string `arg:"" name:"field" help:"Fields, such as total and currency."`
	Confirm bool     `help:"Confirm the values despite a warning."`
}

// Run confirms.
func (r *reviewConfirm) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "confirmed", func(client *api, id string) (reviewResult, error) {
		answer, err := confirmFields(ctx, client, id, r.Expected, r.Names, r.Confirm, newKey())
		return answer.Done, err
	})
}

// reviewOverride states why findings do not stop an approval.
type reviewOverride struct {
	reviewNamed
	Findings []string `arg:"" name:"finding=reason" help:"Findings by their rule, such as iban_check='The bank confirmed it.'"`
}

// Run states the reasons.
func (r *reviewOverride) Run(ctx context.Context, c *console) error {
	overrides, err := overrideInputs(r.Findings)
	if err != nil {
		return err
	}
	return r.act(ctx, c, "overridden", func(client *api, id string) (reviewResult, error) {
		answer, err := overrideFindings(ctx, client, id, r.Expected, overrides, newKey())
		return answer.Done, err
	})
}

// reviewDistinct states that two documents are no duplicates.
type reviewDistinct struct {
	reviewNamed
	Other  string `arg:"" help:"Reference of the other case, as the finding lists it."`
	Reason string `required:"" help:"Why the documents are no duplicates."`
}

// Run states it.
func (r *reviewDistinct) Run(ctx context.Context, c *console) error {
	return r.act(ctx, c, "not a duplicate of "+printable(r.Other),
		func(client *api, id string) (reviewResult, error) {
			answer, err := clearDuplicate(ctx, client, id, r.Expected, r.Other, r.Reason, newKey())
			return answer.Done, err
		})
}

// overrideInputs splits rule=reason pairs.
func overrideInputs(pairs []string) ([]FindingOverrideInput, error) {
	var overrides []FindingOverrideInput
	for _, pair := range pairs {
		rule, reason, ok := strings.Cut(pair, "=")
		if !ok || rule == "" || reason == "" {
			return nil, domain.Invalid("overrides", "%q does not have the form finding=reason.", pair)
		}
		overrides = append(overrides, FindingOverrideInput{Rule: strings.TrimSpace(rule),
			Reason: reason})
	}
	return overrides, nil
}

// fieldInputs splits name=value pairs.
func fieldInputs(pairs []string) ([]FieldInput, error) {
	var fields []FieldInput
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, domain.Invalid("fields", "%q does not have the form field=value.", pair)
		}
		fields = append(fields, FieldInput{Name: strings.TrimSpace(name), Value: value})
	}
	return fields, nil
}

// reviewDecide decides.
type reviewDecide struct {
	reviewNamed
	Verdict   string   `arg:"" enum:"approve,reject,return,escalate,repaired,abstain" help:"approve, reject, return or escalate; repaired in the repair queue; abstain in a committee that allows it."`
	Reason    string   `help:"Reason. Required unless you approve."`
	Override  []string `placeholder:"FINDING=REASON" sep:"none" help:"Why a finding does not stop the approval. Repeatable."`
	Unchecked []string `placeholder:"FIELD" help:"Fields that you approve without having checked them, such as vendor,number. Exactly those that the refusal lists."`
}

// Run decides.
func (r *reviewDecide) Run(ctx context.Context, c *console) error {
	overrides, err := overrideInputs(r.Override)
	if err != nil {
		return err
	}
	done := map[string]string{"approve": "approved", "reject": "rejected", "return": "returned",
		"escalate": "escalated", "repaired": "repaired", "abstain": "abstained"}[r.Verdict]
	err = r.act(ctx, c, done, func(client *api, id string) (reviewResult, error) {
		answer, err := decideReview(ctx, client, id, r.Expected, strings.ToUpper(r.Verdict),
			r.Reason, overrides, r.Unchecked, newKey())
		return answer.Done, err
	})
	return withUncheckedFlag(err)
}

// withUncheckedFlag names the flag in the refusal of an approval while fields are unchecked.
func withUncheckedFlag(err error) error {
	var refusal *domain.Error
	if !errors.As(err, &refusal) || refusal.Field != "unchecked" || refusal.Code != domain.ValidationFailed {
		return err
	}
	return refusal.WithRemedy("Confirm or correct these values with review confirm or review correct. To approve " +
		"without a check, name exactly these fields, as in --unchecked=vendor,number.")
}
