package domain

import "time"

// Bounds of a reconciliation.
const (
	MaxReconciled  = 200_000 // events on each side
	MaxDifferences = 100     // ids that are named of each kind of difference
)

// ReconcileOutcome is how a nightly reconciliation ended.
type ReconcileOutcome string

// The outcomes.
const (
	ReconcileEqual   ReconcileOutcome = "equal"
	ReconcileDiffers ReconcileOutcome = "differs"
	// ReconcileFailed means that the receiver did not answer, or not as it should.
	ReconcileFailed ReconcileOutcome = "failed"
	// ReconcileNotOffered means that the receiver cannot be asked which events it has.
	ReconcileNotOffered ReconcileOutcome = "not_offered"
)

// ReconcileDays is how many days before it a nightly reconciliation compares. A receiver that was
// restored from a backup lacks what happened after the backup.
const ReconcileDays = 7

// NightlyReconciliation is the last one of a connector.
type NightlyReconciliation struct {
	Outcome ReconcileOutcome // "" = it was not run yet
	EndedAt time.Time
	Error   string // why it failed
	// Reconciliation is of the last one that was not hindered, so it may be older.
	Reconciliation
}

// Hindered reports whether nothing could be compared.
func (n *NightlyReconciliation) Hindered() bool {
	return n.Outcome == ReconcileFailed || n.Outcome == ReconcileNotOffered
}

// Different reports whether a reconciliation found a difference.
func (r *Reconciliation) Different() bool { return r.MissingCount+r.UnknownCount > 0 }

// Add adds the result of the period that follows.
func (r *Reconciliation) Add(next Reconciliation) {
	r.To = next.To
	r.Compared += next.Compared
	r.MissingCount += next.MissingCount
	r.UnknownCount += next.UnknownCount
	r.Missing = firstIDs(append(r.Missing, next.Missing...))
	r.Unknown = firstIDs(append(r.Unknown, next.Unknown...))
}

func firstIDs(ids []string) []string { return ids[:min(len(ids), MaxDifferences)] }

// ReconcileQuery selects what a reconciliation compares.
type ReconcileQuery struct {
	Connector Connector // read before Undelivered, and both before the receiver is asked
	// Undelivered are the ids of events that the connector has passed without a confirmed delivery.
	Undelivered []string
	Start       FeedPosition // before the first event of the period
	From, To    time.Time    // times of events; To is excluded
}

// Reconciliation is how what a connector delivered and what its receiver has differ.
type Reconciliation struct {
	From, To time.Time // of the events that were compared
	Compared int       // events that were delivered in the period
	// Missing were delivered, and the receiver does not have them. Unknown are ids that the receiver has,
	// and this connector would not send. At most MaxDifferences are named.
	Missing, Unknown           []string
	MissingCount, UnknownCount int
}
