package main

import "context"

// markCommands manage the marks from which the reviewers of a process are drawn.
type markCommands struct {
	List    markList    `cmd:"" default:"1" help:"List the marks."`
	Propose markPropose `cmd:"" help:"Propose the mark of a process. Another administrator confirms it."`
}

// markList lists the marks.
type markList struct{}

// Run prints the list.
func (markList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listMarks(ctx, client)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, mark := range answer.DrawMarks {
		amount := "none"
		if mark.Amount != nil {
			amount = mark.Amount.String()
		}
		rows = append(rows, []string{mark.Process, amount, localTime(mark.Since),
			orDash(mark.Reason)})
	}
	return c.printTable(answer.DrawMarks, []string{"PROCESS", "MARK", "SINCE", "REASON"}, rows)
}

// markPropose proposes a mark.
type markPropose struct {
	Process string `arg:"" help:"Process, such as document_approval."`
	Amount  string `arg:"" help:"Amount at risk in the base currency (USD) from which reviewers are drawn, or none."`
	Reason  string `required:"" help:"Reason."`
}

// Run proposes it.
func (p *markPropose) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	amount := p.Amount
	if amount == "none" {
		amount = ""
	}
	answer, err := proposeMark(ctx, client, p.Process, amount, p.Reason)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "")
}
