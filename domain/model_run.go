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
	// Input is what was sent beside the names of the fields.
	Input ModelInput
	// Images are the images of pages that were sent, and those that were not; empty after the erasure.
	Images ModelImages
}

// ModelInput is what a language model gets of a document.
type ModelInput string

// The inputs.
const (
	ModelText          ModelInput = "text"   // of the pages
	ModelTextAndImages ModelInput = "images" // the text and images of the pages
)

// ModelImages are the images of the pages of a document, as far as they were sent. The bytes are not
// kept, because the same image of the page and the same bounds make them again.
type ModelImages struct {
	Sent    []ModelImage    `json:"sent,omitempty"`
	Omitted []ModelOmission `json:"omitted,omitempty"`
}

// ModelImage is the image of a page that was sent.
type ModelImage struct {
	Page      int    `json:"page"`
	SHA256    string `json:"sha256"` // of the bytes that were sent, hexadecimal
	Source    string `json:"source"` // SHA-256 of the stored image of the page
	MediaType string `json:"type"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Bytes     int    `json:"bytes"`
}

// ModelOmission names pages whose images were not sent, and why.
type ModelOmission struct {
	Reason ModelOmissionReason `json:"reason"`
	Pages  []int               `json:"pages"`
}

// ModelOmissionReason is why the image of a page was not sent.
type ModelOmissionReason string

// The reasons.
const (
	// OmittedNeverSent: the document type has fields that must not leave, and an image may show them.
	OmittedNeverSent  ModelOmissionReason = "never_sent"
	OmittedPageLimit  ModelOmissionReason = "page_limit" // more pages than may be sent
	OmittedTooLarge   ModelOmissionReason = "too_large"  // more bytes than an image may have
	OmittedRequest    ModelOmissionReason = "request"    // more bytes than a request may have
	OmittedMissing    ModelOmissionReason = "missing"    // the stored image is gone
	OmittedUnreadable ModelOmissionReason = "unreadable" // altered, or no image
)

// Omit adds a page whose image was not sent.
func (m *ModelImages) Omit(reason ModelOmissionReason, page int) {
	for i := range m.Omitted {
		if m.Omitted[i].Reason == reason {
			m.Omitted[i].Pages = append(m.Omitted[i].Pages, page)
			return
		}
	}
	m.Omitted = append(m.Omitted, ModelOmission{Reason: reason, Pages: []int{page}})
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
