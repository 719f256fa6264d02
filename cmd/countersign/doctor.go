package main

import (
	"context"
	"fmt"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/reading/ocr"
	"countersign/tasks"
	"countersign/views"
)

// doctorCommand compares database, queue and files.
type doctorCommand struct {
	Repair bool          `help:"Repair what can be repaired: enqueue forgotten steps, remove unreferenced files, delete archived tasks of the queue."`
	Grace  time.Duration `default:"2m" help:"How long something may be in progress before it is reported."`
	Redis  bool          `default:"true" negatable:"" help:"Also inspect the queue."`
}

// Run prints the differences, and repairs them with --repair.
func (d *doctorCommand) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	reading := c.settings.Reading
	if _, missing := ocr.ChoosePPOCR(reading.Engine, ocr.PPOCRFiles{Program: reading.EngineProgram,
		Library: reading.EngineLibrary, Models: reading.EngineModels}); missing != nil {
		c.printNote("a worker with these settings reads documents by tesseract, because %s is "+
			"not installed: %v", reading.Engine, missing)
	}
	found, err := o.service.CheckConsistency(ctx, casework.ConsistencyCheck{Files: o.files,
		Grace: d.Grace})
	if err != nil {
		return err
	}
	altered, err := views.New(o.db.Reader(), o.service.Authorizer).VerifyRows(ctx)
	if err != nil {
		return err
	}
	for _, problem := range altered {
		found = append(found, casework.Inconsistency{Kind: casework.AlteredRow,
			Reference: problem.Reference, Message: problem.Reference + ": " + problem.Message + ".",
			Remedy: "Compare the case with a backup and with its archived manifest."})
	}
	queued, dead, err := d.checkQueue(ctx, c, o)
	if err != nil {
		return err
	}
	// not nil, because the JSON of nil is no list
	found = append(append([]casework.Inconsistency{}, found...), queued...)
	if err := d.printDifferences(c, found); err != nil {
		return err
	}
	if d.Repair && len(found) > 0 {
		return d.repairDifferences(ctx, c, o, found, dead)
	}
	if len(found) > 0 {
		return exitStatus(exitFailed)
	}
	return nil
}

func (d *doctorCommand) printDifferences(c *console, found []casework.Inconsistency) error {
	if c.json {
		return c.printJSON(found)
	}
	for _, difference := range found {
		c.printLine("%s: %s", difference.Kind, difference.Message)
		c.printLine("    %s", difference.Remedy)
	}
	switch {
	case len(found) > 0:
		c.printLine("%s", countText(int64(len(found)), "difference"))
	case d.inspectsQueue(c):
		c.printLine("database, queue and files agree")
	default:
		c.printLine("database and files agree")
	}
	return nil
}

func (d *doctorCommand) repairDifferences(ctx context.Context, c *console,
	o *operator, found []casework.Inconsistency, dead []tasks.ArchivedTask) error {
	repaired, err := o.service.Repair(ctx, o.files, found)
	if err != nil {
		return err
	}
	if len(dead) > 0 {
		redis, err := tasks.Redis(c.settings.Redis.URL)
		if err != nil {
			return err
		}
		if err := tasks.DeleteArchived(redis, dead); err != nil {
			return err
		}
		repaired += len(dead)
	}
	c.printNote("%d repaired. Run countersign doctor again to see what remains.", repaired)
	for _, difference := range found {
		if !difference.Repairable {
			return exitStatus(exitFailed)
		}
	}
	return nil
}

// inspectsQueue reports whether the queue is inspected too.
func (d *doctorCommand) inspectsQueue(c *console) bool {
	return d.Redis && c.settings.Redis.URL != ""
}

// checkQueue compares pending runs with the live workers, and the queue's archive with the
// database.
func (d *doctorCommand) checkQueue(ctx context.Context, c *console,
	o *operator) ([]casework.Inconsistency, []tasks.ArchivedTask, error) {
	if !d.inspectsQueue(c) {
		if d.Redis {
			c.printNote("the queue is not inspected because REDIS_URL is not set")
		}
		return nil, nil, nil
	}
	redis, err := tasks.Redis(c.settings.Redis.URL)
	if err != nil {
		return nil, nil, err
	}
	state, err := tasks.Inspect(redis)
	if domain.HasCode(err, domain.Unavailable) {
		return []casework.Inconsistency{{Kind: casework.UnreachableQueue,
			Message: "the queue cannot be reached, so no run is enqueued",
			Remedy:  "Start Redis. Pending runs are enqueued when it is back."}}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	found, err := o.service.UnservedQueues(ctx, state.Serves)
	if err != nil {
		return nil, nil, err
	}
	lost, err := lostRuns(ctx, o, state.Archived)
	return append(found, lost...), state.Archived, err
}

// lostRuns are tasks that the queue archived although their run is still pending.
func lostRuns(ctx context.Context, o *operator,
	dead []tasks.ArchivedTask) ([]casework.Inconsistency, error) {
	var cases, runs []domain.ID
	for _, task := range dead {
		cases, runs = append(cases, task.CaseID), append(runs, task.RunID)
	}
	states, err := o.service.RunStates(ctx, cases, runs)
	if err != nil {
		return nil, err
	}
	var found []casework.Inconsistency
	for _, task := range dead {
		if status, known := states[task.RunID]; known && status != domain.RunPending &&
			status != domain.RunLeased {
			continue // the run has ended
		}
		found = append(found, casework.Inconsistency{Kind: casework.DeadTask, CaseID: task.CaseID,
			Object: task.TaskID, Repairable: true,
			Message: fmt.Sprintf("the queue archived task %s (%s)", task.TaskID, task.LastError),
			Remedy:  "The sweeper enqueues its run again. Run countersign doctor --repair to delete the task."})
	}
	return found, nil
}
