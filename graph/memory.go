package graph

import (
	"context"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/generated"
	"countersign/graph/scalar"
	"countersign/views"
)

type vendorLessonResolver struct{ *resolver }

func (r *resolver) VendorLesson() generated.VendorLessonResolver { return vendorLessonResolver{r} }

func (vendorLessonResolver) RevokedBy(ctx context.Context, lesson *donotuse.VendorLesson) (
	*domain.User, error) {
	return loadPerson(ctx, lesson.Revoker)
}

func (r queryResolver) VendorMemory(ctx context.Context, vendor string) (
	[]donotuse.VendorLesson, error) {
	lessons, err := r.views.VendorMemory(ctx, callerOf(ctx), vendor)
	shown := make([]donotuse.VendorLesson, 0, len(lessons))
	for _, lesson := range lessons {
		shown = append(shown, lessonShown(lesson))
	}
	return shown, err
}

func lessonShown(l views.VendorLesson) donotuse.VendorLesson {
	shown := donotuse.VendorLesson{ID: scalar.GlobalID(scalar.KindLesson, l.ID),
		Vendor: l.Lesson.Name, TaxID: optional(l.Lesson.TaxID), Header: l.Lesson.Header,
		Places: []donotuse.LessonPlace{}, LearnedFrom: *learnedFrom(l.Reference),
		LearnedAt: l.LearnedAt, RevokedAt: timeOrNil(l.RevokedAt), Revoker: l.RevokedBy,
		Reason: l.Reason}
	if shown.Header == nil {
		shown.Header = []string{}
	}
	for _, anchor := range l.Lesson.Anchors {
		shown.Places = append(shown.Places,
			donotuse.LessonPlace{Field: anchor.Field, Label: anchor.Label})
	}
	return shown
}

func learnedFrom(reference string) *donotuse.LearnedFrom {
	return &donotuse.LearnedFrom{Reference: optional(reference)}
}

// LearnedFrom names the case only to viewers who may read it.
func (r assertedValueResolver) LearnedFrom(ctx context.Context, v *views.AssertedValue) (
	*donotuse.LearnedFrom, error) {
	if v.Assertion.LearnedFrom == domain.NoID {
		return nil, nil
	}
	reference, err := r.views.ReferenceOf(ctx, callerOf(ctx), v.Assertion.LearnedFrom)
	return learnedFrom(reference), err
}

func (r mutationResolver) RevokeLesson(ctx context.Context, in donotuse.RevokeLessonInput) (
	*donotuse.RevokeLessonPayload, error) {
	id, err := scalar.IDOf(scalar.KindLesson, "lessonId", in.LessonID)
	if err == nil {
		_, err = r.service.RevokeLesson(ctx, callerOf(ctx), casework.RevokeLesson{
			Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, Lesson: id, Reason: in.Reason})
	}
	payload := &donotuse.RevokeLessonPayload{}
	if err == nil {
		payload.LessonID = &in.LessonID
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}
