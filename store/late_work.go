package store

import "context"

// LateWork counts what needs a person now, over all cases, for metrics.
type LateWork struct {
	Incidents int64 // unresolved
	Overdue   int64 // undecided reviews past their deadline
}

// LateWork reads the counts.
func (r Reader) LateWork(ctx context.Context) (LateWork, error) {
	var late LateWork
	err := r.q.QueryRow(ctx, `SELECT (SELECT count(*) FROM stage_runs r
			JOIN cases c ON c.id = r.case_id WHERE `+activeIncident+`),
		(SELECT count(*) FROM reviews r WHERE `+overdueReview+`)`).Scan(&late.Incidents, &late.Overdue)
	return late, translate(err, "late work")
}
