package casework

import (
	"context"

	"countersign/authz"
	"countersign/domain"
	"countersign/store"
	"countersign/workflow"
)

// caseAccess decides which people may read a case, and which of its notes.
type caseAccess struct {
	ctx        context.Context
	reader     store.Reader
	authorizer *authz.Authority
	c          domain.Case
	def        *workflow.Definition
	reviews    []domain.Review
	exclusions store.Exclusions
}

// accessTo reads what decides about the present access to a case.
func (svc *Service) accessTo(ctx context.Context, r store.Reader, c domain.Case) (caseAccess, error) {
	access := caseAccess{ctx: ctx, reader: r, c: c}
	var err error
	if access.def, err = svc.definitions.get(ctx, r, c.ProcessKey, c.ProcessVersion); err != nil {
		return access, err
	}
	if access.reviews, err = r.ReviewsOf(ctx, c.ID); err != nil {
		return access, err
	}
	if access.exclusions, err = r.Exclusions(ctx, c.ID, c.Parties()); err != nil {
		return access, err
	}
	access.authorizer, err = svc.Authorizer(ctx)
	return access, err
}

// of returns which notes of the case a person may read; false if they may not read the case.
func (a caseAccess) of(person domain.User) (reader domain.NoteReader, reads bool, err error) {
	if person.Disabled {
		return reader, false, nil
	}
	delegators, err := a.reader.Delegators(a.ctx, person)
	if err != nil {
		return reader, false, err
	}
	facts := store.NewCaseFacts(a.c, a.reviews, a.exclusions)
	err = a.authorizer.AuthorizeCaseRead(person, delegators, facts)
	if kind := domain.CodeOf(err).Kind(); err != nil {
		if kind == domain.KindForbidden || kind == domain.KindNotFound {
			err = nil
		}
		return reader, false, err
	}
	own, err := a.reader.SamePerson(a.ctx, a.c.Submitter, person.ID)
	return domain.NewNoteReader(person, delegators, own, a.def.Confidential(), a.reviews), true, err
}
