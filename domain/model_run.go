package domain

import "time"

// The outcomes of a ModelRun.
const (
	ModelAnswered = "answered"
	ModelFailed   = "failed"
)

// ModelRun is what a language model was asked about a case in one run of a stage, and what came of it.
type ModelRun struct {
	ID               ID
	CaseID           ID
	RunID            ID // stage run
	Node             string
	DocumentRevision int
	At               time.Time
	Model            string
	PromptVersion    int
	PromptHash       []byte // SHA-256; empty after the erasure of the case
	Parameters       ModelParameters
	Outcome          string
	ErrorCode        Code
	ErrorText        string
	Calls            []ModelCall
	InputTokens      int64
	OutputTokens     int64
	CostMicros       int64 // millionths of Currency
	Currency         string
	Took             time.Duration
	// Prompt and Answer are the texts that left and came back; empty after the erasure of the case.
	Prompt, Answer string
}

// ModelParameters are the parameters of a request that its prompt does not have.
type ModelParameters struct {
	MaxTokens int `json:"maxTokens"`
	Pages     int `json:"pages"`   // whose text or images were sent
	Images    int `json:"images"`  // that were sent
	Removed   int `json:"removed"` // places from which a value was removed
}

// ModelCall is one HTTP request to the endpoint.
type ModelCall struct {
	Status       int    `json:"status"`
	Outcome      string `json:"outcome"`
	Milliseconds int64  `json:"ms"`
	InputTokens  int64  `json:"in"`
	OutputTokens int64  `json:"out"`
}
