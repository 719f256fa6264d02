package domain

// The work queues of stage runs. A worker serves the queues that its settings name.
const (
	QueueLight   = "light"   // stages that only compute; the default queue of a stage
	QueueOCR     = "ocr"     // stages that read documents
	QueueModel   = "model"   // stages that call language models
	QueueTimers  = "timers"  // deadlines and waits
	QueueConnect = "connect" // calls to other systems
)

// WorkQueues returns the work queues that a worker can serve.
func WorkQueues() []string {
	return []string{QueueLight, QueueOCR, QueueModel, QueueTimers, QueueConnect}
}

// QueueExternal is the queue of the runs of external stages. External programs lease them; no
// worker serves it.
const QueueExternal = "external"

// The behaviours of the built-in stages. A node's behaviour selects the processor that executes it;
// a process definition may name others, for which a processor has to be registered.
const (
	BehaviourRead     = "read"     // reads the pages of the document
	BehaviourExtract  = "extract"  // extracts the fields from the text
	BehaviourParse    = "parse"    // asks a language model for the fields
	BehaviourValidate = "validate" // checks the fields
	BehaviourAssess   = "assess"   // computes the risk
	BehaviourArchive  = "archive"  // writes the archive manifest and seals the case
)
