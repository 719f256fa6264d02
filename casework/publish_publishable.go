package casework

import (
	"context"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// publishable abstracts over versioned texts: process definitions, rule sets and the policy. All
// follow the same lifecycle: one administrator proposes a text, it is validated, and another
// administrator publishes it, or it is withdrawn. An earlier version can be proposed again.
type publishable interface {
	kind() domain.ProposalKind
	stream(key string) domain.SystemStream
	// complete returns the text with the published texts that it uses, as it is stored and hashed.
	complete(ctx context.Context, r store.Reader, document string) (string, validationResult, error)
	// parseKey returns the key of a text. It refuses a text that does not parse.
	parseKey(document string) (string, validationResult)
	// withVersion returns the text with its version set.
	withVersion(document string, version int) string
	// validate verifies the text completely. It is slow and reads outside of any transaction.
	validate(ctx context.Context, r store.Reader, document string) (validationResult, error)
	// newestVersion returns the newest published version, 0 for none; document returns the text of
	// a version.
	newestVersion(ctx context.Context, r store.Reader, key string) (int, error)
	document(ctx context.Context, r store.Reader, key string, version int) (string, error)
	// publish inserts the version. It returns false if the version already exists.
	publish(ctx context.Context, tx *store.Tx, p domain.Proposal, by domain.ID) (bool, error)
}

// selfContained is a publishable whose texts use no other published text.
type selfContained struct{}

func (selfContained) complete(
	_ context.Context, _ store.Reader, document string,
) (string, validationResult, error) {
	return document, validationResult{}, nil
}

// consequential is a publishable whose texts change more than the next version.
type consequential interface {
	// authorizeText checks, in the transaction, what a text needs beside the right to publish. It runs
	// when the text is proposed and when it is published.
	authorizeText(w *unitOfWork, document string) error
	// applyText writes what a published text changes beside its version.
	applyText(w *unitOfWork, document string) error
	// expecting checks that the text still changes what the actor read, and returns the publishable that
	// checks in the transaction that nothing changed since.
	expecting(ctx context.Context, document, effect string) (publishable, error)
}

// mayPublishText returns a check that the actor may propose or publish the text.
func mayPublishText(s publishable, document string) func(*unitOfWork) error {
	return func(w *unitOfWork) error {
		err := mayPublish(w)
		if more, ok := s.(consequential); ok && err == nil {
			err = more.authorizeText(w, document)
		}
		return err
	}
}

// afterPublishing returns what follows from the published text, nil for nothing.
func afterPublishing(s publishable, document string) func(*unitOfWork) error {
	more, ok := s.(consequential)
	if !ok {
		return nil
	}
	return func(w *unitOfWork) error { return more.applyText(w, document) }
}

// validationResult is the result of validating a text.
type validationResult struct {
	Report  ValidationReport
	Refusal error  // set if the text cannot be published
	Caution string // set if publishing it requires a confirmation
	key     string // the text's key
	version int    // the version named in the text
}

// ValidationReport contains the findings of a validation; it is stored with the proposal.
type ValidationReport struct {
	// distinct markings reached by the verification
	Markings int                `json:"markings,omitempty"`
	Problems []workflow.Problem `json:"problems,omitempty"`
	Warnings []workflow.Problem `json:"warnings,omitempty"`
	// Understaffed lists the paths that do not have enough distinct reviewers.
	Understaffed []workflow.Problem `json:"understaffed,omitempty"`
}

// Propose asks to propose a text as the next version.
type Propose struct {
	Once
	Document string
	Note     string
	// ExpectedVersion is the version that the text is based on, "0" for none; "" skips the check.
	ExpectedVersion string
	// Replaces is the open proposal that the text changes; NoID for none. It is withdrawn, and refused
	// if it has ended meanwhile, so no one overwrites a text that they have not read.
	Replaces domain.ID
}

// Restore asks to propose an earlier version as the next one.
type Restore struct {
	Once
	Key             string
	Version         int
	Note            string
	ExpectedVersion string
}

// EndProposal asks to publish or to withdraw a proposal.
type EndProposal struct {
	Once
	ProposalID domain.ID
	Reason     string // of a withdrawal
	// Confirm publishes in spite of a caution.
	Confirm bool
	// Unresolved are the unresolved comments in spite of which it is published.
	Unresolved []domain.ID
	// WithoutOwners is why it is published without the owners of a process, who did not decide within
	// Settings.OwnersWait; "" requires their approval.
	WithoutOwners string
	// ExpectedEffect is PolicyPreview.Digest of the effect that was read; "" skips the check.
	ExpectedEffect  string
	ExpectedVersion string // as returned by ProposalVersion; "" skips the check
}

// ProposalResult is the result of a command on a proposal. Report gives the problems of a refused
// text.
type ProposalResult struct {
	ProposalID domain.ID
	Kind       domain.ProposalKind
	Key        string
	Version    int // the version that it would become, or became
	Report     ValidationReport
	CommentID  domain.ID // of a command on a comment
	ReportHash string    // of a recorded rehearsal, in hexadecimal
}

// ProposalVersion returns the opaque version of a proposal.
func ProposalVersion(p domain.Proposal) string { return string(p.Status) }
