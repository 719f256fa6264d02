package casework

import (
	"context"
	"slices"
	"strconv"

	"countersign/domain"
	"countersign/events/generated"
)

// SaveView asks to add a view of a list, or to change one.
type SaveView struct {
	Once            Once
	ID              domain.ID // NoID adds a view
	ExpectedVersion string    // of the changed view; "" skips the check
	List            domain.ViewList
	Name            string
	Parameters      map[string]string
	Audience        domain.ViewAudience
	AudienceKey     string
}

// ViewResult is a view that was saved.
type ViewResult struct{ ID domain.ID }

// SaveView saves a view. It changes no right: each reader sees what the list shows to them.
// Only a shared view is recorded in the audit log, without its name and filters, because the log has more
// readers than the view.
func (svc *Service) SaveView(ctx context.Context, actor domain.Actor, in SaveView) (ViewResult, error) {
	v := domain.SavedView{ID: in.ID, List: in.List, Owner: actor.UserID, Name: in.Name, Parameters: in.Parameters,
		Audience: in.Audience, AudienceKey: in.AudienceKey, UpdatedBy: actor.UserID}
	var result ViewResult
	err := svc.runViewCommand(ctx, actor, "saveView", in.Once, in, &result, func(w *unitOfWork) error {
		if err := domain.CheckView(&v); err != nil {
			return err
		}
		wasShared := false
		if v.ID == domain.NoID {
			v.ID = domain.NewID()
		} else {
			before, err := w.changeableView(in.ID)
			if err != nil {
				return err
			}
			if err := checkExpectedVersion(in.ExpectedVersion,
				strconv.FormatInt(before.Version, 10)); err != nil {
				return err
			}
			if before.List != v.List {
				return domain.Invalid("list", "A view cannot be moved to another list.")
			}
			v.Owner, wasShared = before.Owner, before.Shared()
		}
		if err := w.checkView(&v); err != nil {
			return err
		}
		result.ID = v.ID
		if err := w.tx.PutSavedView(w.ctx, &v); err != nil {
			return err
		}
		if v.Shared() || wasShared {
			w.emit(generated.ViewSharedV1{ViewID: v.ID, List: string(v.List), Audience: string(v.Audience),
				ViewVersion: v.Version})
		}
		return nil
	})
	return result, err
}

// DeleteView asks to delete a view.
type DeleteView struct {
	Once Once
	ID   domain.ID
}

// DeleteView deletes a view of the actor's, or, for managers and administrators, one that they see.
func (svc *Service) DeleteView(ctx context.Context, actor domain.Actor, in DeleteView) error {
	var done bool
	return svc.runViewCommand(ctx, actor, "deleteView", in.Once, in, &done, func(w *unitOfWork) error {
		v, err := w.changeableView(in.ID)
		if err != nil {
			return err
		}
		done = true
		if v.Shared() {
			w.emit(generated.ViewDeletedV1{ViewID: v.ID, List: string(v.List), Audience: string(v.Audience)})
		}
		return w.tx.DeleteSavedView(w.ctx, v.ID)
	})
}

// SetDefaultView asks to open a list with a view; NoID is the list without filters.
type SetDefaultView struct {
	Once Once
	List domain.ViewList
	ID   domain.ID
}

// SetDefaultView stores the actor's choice, which affects no one else.
func (svc *Service) SetDefaultView(ctx context.Context, actor domain.Actor, in SetDefaultView) error {
	var done bool
	return svc.runViewCommand(ctx, actor, "setDefaultView", in.Once, in, &done, func(w *unitOfWork) error {
		if !in.List.Valid() {
			return domain.Invalid("list", "There is no list %q.", string(in.List))
		}
		if in.ID != domain.NoID {
			v, err := w.visibleView(in.ID)
			if err != nil {
				return err
			}
			if v.List != in.List {
				return domain.Invalid("viewId", "This is a view of another list.")
			}
		}
		done = true
		return w.tx.SetDefaultView(w.ctx, actor.UserID, in.List, in.ID)
	})
}

// runViewCommand runs a command about views, with the rights of the actor locked. Views are one's own, so
// no one acts on behalf of another.
func (svc *Service) runViewCommand(ctx context.Context, actor domain.Actor, operation string, once Once,
	request, result any, do func(*unitOfWork) error,
) error {
	if err := svc.inScope(ctx, actor, operation, domain.ScopeAccount); err != nil {
		return err
	}
	actor.OnBehalfOf = domain.NoID
	return svc.runUnitOfWork(ctx, actor, workSpec{operation: operation, once: once, request: request,
		result: result, lock: lockShared, stream: domain.ViewsStream}, do)
}

// user returns the acting user, with their rights locked.
func (w *unitOfWork) user() *domain.User { return &w.command.persons[0] }

// visibleView locks a view that the actor may see. Another one is not found.
func (w *unitOfWork) visibleView(id domain.ID) (domain.SavedView, error) {
	v, err := w.tx.LockSavedView(w.ctx, w.actor.UserID, id)
	if err != nil || v.Owner == w.actor.UserID {
		return v, err
	}
	user := w.user()
	seen := v.OfferedTo(user)
	if seen {
		var conflicts []domain.Conflict
		if conflicts, err = w.tx.Conflicts(w.ctx, user.ID); err != nil {
			return v, err
		}
		seen = v.UsableBy(user, domain.PartiesOf(conflicts))
	}
	if seen {
		if seen, err = w.seesSubmitter(v.Parameters["submitter"]); err != nil {
			return v, err
		}
	}
	if !seen {
		return domain.SavedView{}, domain.NewNotFound()
	}
	return v, nil
}

// seesSubmitter reports whether the actor may filter by the submitter, whose public id it is, as the list
// of views decides it.
func (w *unitOfWork) seesSubmitter(id string) (bool, error) {
	user := w.user()
	kind, person, valid := domain.ParsePublicID(id)
	if !valid || kind != "Person" || person == user.ID { // the list does not filter by it, or it is the actor
		return true, nil
	}
	if w.command.snapshot.authorizer.MaySeePeople(*user) {
		return true, nil
	}
	users, err := w.tx.Users(w.ctx, []domain.ID{person})
	return len(users) == 1 && user.SeesColleague(&users[0]), err
}

// changeableView locks a view that the actor may change.
func (w *unitOfWork) changeableView(id domain.ID) (domain.SavedView, error) {
	v, err := w.visibleView(id)
	if err == nil && v.Owner != w.actor.UserID && !w.user().ManagesViews() {
		err = domain.Errorf(domain.NotPermitted, "Only its owner, managers and administrators change a shared view.").
			WithRemedy("Save it as a view of your own.")
	}
	return v, err
}

// checkView refuses views above the bounds, and audiences that the actor may not share with.
func (w *unitOfWork) checkView(v *domain.SavedView) error {
	if v.Shared() {
		if err := w.checkViewAudience(v); err != nil {
			return err
		}
	}
	counts, err := w.tx.CountSavedViews(w.ctx, v)
	switch {
	case err != nil:
		return err
	case counts.SameName > 0:
		return domain.Invalid("name", "There is already a view with this name.").WithRemedy("Choose another name.")
	case counts.Own >= domain.MaxOwnViews:
		return domain.Errorf(domain.StateMismatch, "You can save at most %d views.", domain.MaxOwnViews).
			WithRemedy("Delete a view first.")
	case v.Shared() && counts.SharedWith >= domain.MaxSharedWith:
		return domain.Errorf(domain.StateMismatch, "At most %d views of a list are shared with the same people.",
			domain.MaxSharedWith).WithRemedy("Delete a shared view first, or keep this one for yourself.")
	}
	return nil
}

func (w *unitOfWork) checkViewAudience(v *domain.SavedView) error {
	user, forQueue := w.user(), v.Audience == domain.ViewForQueue
	refused := func(text string) error {
		return domain.Errorf(domain.NotPermitted, "%s", text).WithRemedy("Choose other people, or keep the view for yourself.").
			WithDetail("reason", "audience")
	}
	switch {
	case !user.IsStaff():
		return refused("Only people who work on cases share views.")
	case slices.ContainsFunc(user.Queues, domain.ConfidentialQueue) &&
		!(forQueue && domain.ConfidentialQueue(v.AudienceKey)):
		// The name of a view is free text, which could say whose documents are in a confidential review.
		return refused("You work on confidential reviews, so you can share views with that queue only.")
	case v.Audience == domain.ViewForAll && !user.ManagesViews():
		return refused("Only managers and administrators share views with everyone.")
	case v.Audience == domain.ViewForRole && !user.HasRole(domain.Role(v.AudienceKey)) && !user.ManagesViews():
		return refused("You can share a view with a role that you have.")
	case forQueue && !slices.Contains(user.Queues, v.AudienceKey) &&
		(!user.ManagesViews() || domain.ConfidentialQueue(v.AudienceKey)):
		return refused("You can share a view with a queue that you work on.")
	}
	return nil
}
