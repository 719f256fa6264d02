package casework

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// acceptsType reports whether cases of the type can be submitted to the process.
func acceptsType(def *workflow.Definition, documentType string) bool {
	return len(def.DocumentTypes) == 0 || slices.Contains(def.DocumentTypes, documentType)
}

// checkTypeAccepted refuses a document type that the process does not accept. Otherwise a submitter could
// choose the reviews of a document by its process, or one without amounts, to which no limit applies. A part of
// a file and a correction have the type of an earlier case, whose version accepted it.
func checkTypeAccepted(def *workflow.Definition, s submission) error {
	if s.inherits() || acceptsType(def, s.record.DocumentType) {
		return nil
	}
	return domain.Invalid("documentType", "The process %s does not accept documents of the type %.40s.",
		def.Key, s.record.DocumentType).
		WithRemedy("Choose another process, or one of its document types: %s.",
			strings.Join(def.DocumentTypes, ", ")).
		WithDetail("reason", "type_not_accepted").WithDetail("process", def.Key).
		WithDetail("type", s.record.DocumentType)
}

// withType returns the submission with a document type: the usual one, or the first of a process that does
// not accept that. A version that the process gets meanwhile is compared when the case is created.
func (svc *Service) withType(ctx context.Context, in SubmitDocument) (SubmitDocument, error) {
	if in.DocumentType != "" {
		return in, nil
	}
	in.DocumentType = DefaultDocumentType
	r := svc.db.Reader()
	version, seen := svc.definitions.seen(in.Process)
	if seen {
		def, err := svc.definitions.get(ctx, r, in.Process, version)
		if err != nil || acceptsType(def, in.DocumentType) {
			return in, err
		}
	}
	return svc.withTypeOf(ctx, r, in)
}

// withTypeOf returns the submission with the first document type of the newest version of its process, if
// that does not accept the usual one.
func (svc *Service) withTypeOf(
	ctx context.Context, r store.Reader, in SubmitDocument,
) (SubmitDocument, error) {
	if domain.CheckText("process", in.Process) != nil {
		return in, nil // refused later
	}
	version, err := r.NewestDefinition(ctx, in.Process)
	if err != nil || version == 0 {
		return in, err
	}
	def, err := svc.definitions.get(ctx, r, in.Process, version)
	if err == nil && !acceptsType(def, in.DocumentType) {
		in.DocumentType = def.DocumentTypes[0]
	}
	return in, err
}

// unpublishedTypes returns a warning for each document type of the process that is not published: until then
// no document of it can be submitted.
func unpublishedTypes(
	ctx context.Context, r store.Reader, def *workflow.Definition,
) ([]workflow.Problem, error) {
	var warnings []workflow.Problem
	for _, key := range def.DocumentTypes {
		version, err := r.NewestDocumentType(ctx, key)
		if err != nil {
			return nil, err
		}
		if version == 0 {
			warnings = append(warnings, workflow.Problem{Rule: "type_unpublished", Message: fmt.Sprintf(
				"The document type %s is not published, so no document of it can be submitted yet.", key),
				Values: map[string]string{"type": key}})
		}
	}
	return warnings, nil
}
