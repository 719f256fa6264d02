package casework

import (
	"context"

	"countersign/domain"
	"countersign/events/generated"
)

// RevokeLesson stops the use of what was learned from one archived document.
type RevokeLesson struct {
	Once   Once
	Lesson domain.ID
	Reason string
}

// RevokeLesson revokes an entry of the vendor memory permanently. It requires the right to publish.
// One person is enough, because without the entry documents are read less well, and never more
// easily approved. Revoking it again changes nothing.
func (svc *Service) RevokeLesson(
	ctx context.Context, actor domain.Actor, in RevokeLesson,
) (domain.ID, error) {
	const operation = "revokeLesson"
	if err := svc.inScope(ctx, actor, operation, domain.ActPublish); err != nil {
		return domain.NoID, err
	}
	reason, err := checkReason(in.Reason)
	if err != nil {
		return domain.NoID, err
	}
	if reason == "" {
		return domain.NoID, domain.Invalid("reason", "Enter a reason.")
	}
	result := in.Lesson
	spec := workSpec{operation: operation, once: in.Once, request: in, result: &result,
		stream: domain.ControlStream, authorize: func(w *unitOfWork) error {
			return svc.authorizeAction(w.ctx, w.tx.Reader, actor, domain.ActPublish)
		}}
	return result, svc.runUnitOfWork(ctx, actor, spec, func(w *unitOfWork) error {
		lesson, err := w.tx.LockLesson(w.ctx, in.Lesson)
		if err != nil || !lesson.RevokedAt.IsZero() {
			return err
		}
		w.emit(generated.LessonRevokedV1{LessonID: in.Lesson, Reason: reason})
		return w.tx.RevokeLesson(w.ctx, in.Lesson, actor.UserID, reason)
	})
}

// RebuildLessons computes all lessons again from the archived cases, and returns how many cases it
// judged. Revoked entries stay revoked. The operator runs it.
func (svc *Service) RebuildLessons(ctx context.Context) (int, error) {
	err := svc.runUnitOfWork(ctx, domain.SystemActor(), workSpec{operation: "rebuildLessons"},
		func(w *unitOfWork) error {
			_, err := w.tx.MarkLessons(w.ctx)
			return err
		})
	total := 0
	for err == nil {
		var done int
		done, err = svc.LearnVendors(ctx)
		total += done
		if done == 0 {
			break
		}
	}
	return total, err
}
