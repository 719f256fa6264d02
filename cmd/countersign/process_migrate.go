package main

import (
	"context"
	"fmt"
	"strings"

	"countersign/domain"
)

// migrateCommands move the running cases of a process to a newer version.
type migrateCommands struct {
	Check   migrateCheck   `cmd:"" help:"Check a plan without saving it."`
	Preview migratePreview `cmd:"" help:"Show what a plan would do to each running case."`
	Propose migratePropose `cmd:"" help:"Propose a plan. Another administrator confirms it with countersign change confirm."`
	List    migrateList    `cmd:"" help:"List the migrations of a process."`
	Results migrateResults `cmd:"" help:"List the cases of a migration with their results."`
	Undo    migrateUndo    `cmd:"" help:"Propose to move cases back to which nothing has happened since."`
}

// migratePlan is a plan on the command line.
type migratePlan struct {
	Process string            `arg:"" help:"Process, such as document_approval."`
	From    int               `arg:"" help:"Version of the running cases."`
	To      int               `arg:"" help:"Version to which they move."`
	Map     map[string]string `help:"Node and its new name, such as review_l1=review. Other nodes keep their names."`
	Stay    []string          `help:"Node whose cases stay."`
	Restart bool              `name:"restart-deadlines" help:"Let the deadlines of open reviews and timers begin again."`
}

func (p *migratePlan) input() MigrationPlanInput {
	plan := MigrationPlanInput{Process: p.Process, FromVersion: p.From, ToVersion: p.To,
		RestartDeadlines: p.Restart, Nodes: []NodePairInput{}}
	for node, target := range p.Map {
		plan.Nodes = append(plan.Nodes, NodePairInput{From: node, To: target})
	}
	for _, node := range p.Stay {
		plan.Nodes = append(plan.Nodes, NodePairInput{From: node})
	}
	return plan
}

// migrateCheck checks a plan.
type migrateCheck struct{ migratePlan }

// Run prints the problems; a plan with problems is a failure.
func (m *migrateCheck) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := checkMigrationPlan(ctx, client, m.input())
	if err != nil {
		return err
	}
	checked := answer.CheckMigration
	if c.json {
		if err := c.printJSON(checked); err != nil {
			return err
		}
	}
	for _, problem := range checked.Problems {
		if !c.json {
			c.printLine("%s", problemLine("problem", problem))
		}
	}
	if len(checked.Problems) > 0 {
		return domain.Errorf(domain.ValidationFailed, "The plan cannot be used.").
			WithRemedy("Map these nodes with --map, or let their cases stay with --stay.")
	}
	if !c.json {
		c.printLine("The plan is sound. Version %d has %d running cases.", m.From, checked.Cases)
	}
	return nil
}

// migratePreview shows what a plan would do.
type migratePreview struct{ migratePlan }

// Run prints one line for each case.
func (m *migratePreview) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	var moves []caseMoveRow
	hidden := 0
	for after := (*string)(nil); ; {
		page, err := previewMigrationPlan(ctx, client, m.input(), after)
		if err != nil {
			return err
		}
		moves = append(moves, page.PreviewMigration.Moves...)
		hidden += page.PreviewMigration.Hidden
		if after = page.PreviewMigration.Next; after == nil {
			break
		}
	}
	rows := [][]string{}
	for _, move := range moves {
		changes := append([]string{}, move.Nodes...)
		for _, review := range move.Reviews {
			if review.Before != review.After {
				changes = append(changes, review.Node+": "+orDash(review.Before)+" → "+review.After)
			}
			if review.Released {
				changes = append(changes, review.Node+": released")
			}
		}
		for _, vote := range move.Revoked {
			changes = append(changes, vote.Node+": vote revoked")
		}
		rows = append(rows, []string{move.Reference, moveText(string(move.Status), move.Reason),
			orDash(strings.Join(changes, "; ")), orDash(move.Message)})
	}
	if hidden > 0 {
		c.printNote("%d cases are left out: you submitted them, or may not see the confidential reviews of the process.", hidden)
	}
	return c.printTable(moves, []string{"CASE", "RESULT", "CHANGES", "WHY NOT"}, rows)
}

func moveText(status, reason string) string {
	text := strings.ToLower(strings.ReplaceAll(status, "_", " "))
	if reason != "" {
		text += " (" + reason + ")"
	}
	return text
}

// migratePropose proposes a plan.
type migratePropose struct {
	migratePlan
	Reason string `required:"" help:"Reason."`
}

// Run proposes it.
func (m *migratePropose) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := proposeMigrationPlan(ctx, client, m.input(), m.Reason)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "")
}

// migrateList lists migrations.
type migrateList struct {
	Process string `arg:"" help:"Process, such as document_approval."`
}

// Run prints the migrations with their counts.
func (m *migrateList) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listMigrations(ctx, client, m.Process)
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, one := range answer.CaseMigrations {
		state := "running"
		if one.EndedAt != nil {
			state = "ended"
		}
		rows = append(rows, []string{one.Id, fmt.Sprintf("%d → %d", one.FromVersion, one.ToVersion), state,
			fmt.Sprint(one.Moved), fmt.Sprint(one.NotMoved), fmt.Sprint(one.Waiting),
			localTime(one.StartedAt), one.Reason})
	}
	return c.printTable(answer.CaseMigrations, []string{"MIGRATION", "VERSIONS", "STATE", "MOVED",
		"NOT MOVED", "WAITING", "STARTED", "REASON"}, rows)
}

// migrateResults lists the results of a migration.
type migrateResults struct {
	Migration string `arg:"" help:"Id of the migration, from countersign process migrate list."`
}

// Run prints one line for each case.
func (m *migrateResults) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	var cases []migratedCaseRow
	for after := (*string)(nil); ; {
		page, err := migrationResults(ctx, client, m.Migration, after)
		if err != nil {
			return err
		}
		cases = append(cases, page.MigratedCases.Nodes...)
		if after = page.MigratedCases.Next; after == nil {
			break
		}
	}
	rows := [][]string{}
	for _, one := range cases {
		rows = append(rows, []string{one.Reference, moveText(string(one.Status), one.Reason),
			orDash(one.Node), orDash(one.Message)})
	}
	return c.printTable(cases, []string{"CASE", "RESULT", "NODE", "WHY NOT"}, rows)
}

// migrateUndo proposes to undo a migration.
type migrateUndo struct {
	Migration string `arg:"" help:"Id of the migration, from countersign process migrate list."`
	Reason    string `required:"" help:"Reason."`
}

// Run proposes it.
func (m *migrateUndo) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := undoCaseMigration(ctx, client, m.Migration, m.Reason)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "")
}
