package domain

import "time"

// Bounds of a reconciliation.
const (
	MaxReconciled  = 200_000 // events on each side
	MaxDifferences = 100     // ids that are named of each kind of difference
)

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
