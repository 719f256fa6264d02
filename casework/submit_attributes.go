package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/events/generated"
	"countersign/workflow"
)

// maxStatedAttributes limits the attributes of one submission before they are compared with the process.
const maxStatedAttributes = 2 * domain.MaxAttributes

// checkDeclarations refuses a submission that does not state what its process requires, or states what the
// process does not accept.
func checkDeclarations(def *workflow.Definition, s submission) error {
	if err := checkOrderRule(def, s.order); err != nil {
		return err
	}
	if err := checkTypeAccepted(def, s); err != nil {
		return err
	}
	if _, err := s.attributesFor(def); err != nil {
		return err
	}
	_, err := s.supportingFor(def, s.document.SHA256)
	return err
}

// checkDeclarationsBefore is checkDeclarations before the file is stored. It reads the newest version only
// if the newest one that this program has seen refuses the submission: the transaction decides.
func (svc *Service) checkDeclarationsBefore(ctx context.Context, process string, s submission) error {
	r := svc.db.Reader()
	version, seen := svc.definitions.seen(process)
	if seen {
		def, err := svc.definitions.get(ctx, r, process, version)
		if err != nil || checkDeclarations(def, s) == nil {
			return err
		}
	}
	version, err := r.NewestDefinition(ctx, process)
	if err != nil || version == 0 {
		return err
	}
	def, err := svc.definitions.get(ctx, r, process, version)
	if err != nil {
		return err
	}
	return checkDeclarations(def, s)
}

// attributesFor returns the attributes of the case: those that the submitter states, or those that it
// inherits from another case.
func (s submission) attributesFor(def *workflow.Definition) ([]domain.Attribute, error) {
	if len(s.stated) > maxStatedAttributes {
		return nil, domain.Invalid("attributes", "A submission can state at most %d attributes.",
			domain.MaxAttributes)
	}
	return domain.ParseAttributes(def.Attributes, s.stated)
}

// sameAttributes refuses to repeat a submission of an upload with other attributes than those of its case.
func sameAttributes(def *workflow.Definition, c domain.Case, stated []domain.StatedAttribute) error {
	attributes, err := domain.ParseAttributes(def.Attributes, stated)
	if err == nil && slices.Equal(attributes, c.Attributes) {
		return nil
	}
	return domain.Errorf(domain.IdempotencyMismatch,
		"This file was submitted with other attributes, as %s.", c.Reference).
		WithRemedy("Upload the file again to submit it with these attributes.")
}

// attributesBody returns the attributes as the event of the submission has them.
func attributesBody(attributes []domain.Attribute) []generated.CaseSubmittedV1Attribute {
	var body []generated.CaseSubmittedV1Attribute
	for _, one := range attributes {
		body = append(body, generated.CaseSubmittedV1Attribute{Name: one.Name, Type: string(one.Type),
			Value: one.Value, Currency: one.Currency})
	}
	return body
}
