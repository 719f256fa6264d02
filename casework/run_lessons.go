package casework

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/facts"
	"countersign/reading/extraction"
	"countersign/store"
)

const (
	// lessonBatch is the maximum number of cases that are learned from in one transaction, and
	// lessonRounds the number of transactions in one sweep.
	lessonBatch  = 20
	lessonRounds = 50
	// maxLessons is the number of lessons that one document is read with.
	maxLessons = 24
)

// taughtFields are the fields whose confirmed values a lesson uses. Accounts are not among them.
var taughtFields = []string{domain.FieldVendor, domain.FieldVATID, domain.FieldNumber,
	domain.FieldDate, domain.FieldTotal, domain.FieldCurrency, domain.FieldCountry}

// LearnVendors learns from the cases that were archived since the last call, and returns how many
// cases it judged. The lessons are a projection of the cases: learning again gives the same.
func (svc *Service) LearnVendors(ctx context.Context) (int, error) {
	total := 0
	for range lessonRounds {
		waiting, err := svc.db.Reader().HasPendingLessons(ctx)
		if err != nil || !waiting {
			return total, err
		}
		done := 0
		err = svc.runUnitOfWork(ctx, domain.SystemActor(), workSpec{operation: "learnVendors"},
			func(w *unitOfWork) (err error) {
				done, err = w.learnVendors()
				return err
			})
		total += done
		if err != nil || done < lessonBatch {
			return total, err
		}
	}
	return total, nil
}

func (w *unitOfWork) learnVendors() (int, error) {
	pending, err := w.tx.LockPendingLessons(w.ctx, lessonBatch)
	if err == nil {
		err = w.tx.EndPendingLessons(w.ctx, pending)
	}
	if err != nil {
		return 0, err
	}
	for _, one := range pending {
		if !one.MayTeach {
			continue
		}
		lesson, ok, err := lessonOf(w.ctx, w.tx.Reader, one.CaseID)
		if err != nil {
			return 0, err
		}
		if ok {
			if err := w.tx.AddLesson(w.ctx, lesson, extraction.LessonKeys(lesson)); err != nil {
				return 0, err
			}
		}
	}
	return len(pending), nil
}

// lessonOf computes what a case teaches. ok is false if the name of its vendor was not confirmed by
// another person than the one who entered it, or if it has no pages.
func lessonOf(
	ctx context.Context, r store.Reader, id domain.ID,
) (lesson domain.Lesson, ok bool, err error) {
	c, err := r.Case(ctx, id)
	if err != nil {
		return lesson, false, err
	}
	sets, err := r.Assertions(ctx, id)
	if err != nil {
		return lesson, false, err
	}
	rows, err := r.CountingApprovals(ctx, id)
	if err != nil {
		return lesson, false, err
	}
	approvals := make([]facts.Approval, len(rows))
	for i, row := range rows {
		approvals[i] = facts.Approval(row)
	}
	history := facts.HistoryOf(c, sets, nil)
	people := append(history.People(), c.Submitter)
	for _, approval := range approvals {
		people = append(people, approval.By, approval.OnBehalfOf)
	}
	users, err := r.Users(ctx, people)
	if err != nil {
		return lesson, false, err
	}
	persons := facts.PersonsOf(users)
	var confirmed []domain.Field
	for _, field := range taughtFields {
		if history.Teaches(field, c.Submitter, approvals, persons) {
			value, _ := history.InForce(field)
			confirmed = append(confirmed, domain.Field{Name: field, Normalised: value.Value})
		}
	}
	if !slices.ContainsFunc(confirmed,
		func(f domain.Field) bool { return f.Name == domain.FieldVendor }) {
		return lesson, false, nil
	}
	document, err := r.Document(ctx, id)
	if err != nil {
		return lesson, false, err
	}
	pages, err := r.Pages(ctx, id, document.Revision)
	if err != nil {
		return lesson, false, err
	}
	lesson, ok = extraction.Learn(pages, confirmed)
	lesson.Case = id
	return lesson, ok, nil
}

// lessonsFor returns what was learned about the vendors that the pages may be of.
func (svc *Service) lessonsFor(
	ctx context.Context, pages []domain.Page,
) ([]domain.Lesson, error) {
	keys := extraction.LookupKeys(pages)
	if len(keys) == 0 {
		return nil, nil
	}
	return svc.db.Reader().LessonsByKeys(ctx, keys, maxLessons)
}
