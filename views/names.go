package views

import "countersign/store"

// Names of what doors ask with; a door does not know the store.
type (
	CaseQuery   = store.CaseQuery
	QueueCursor = store.QueueCursor
)
