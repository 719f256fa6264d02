package graph

import (
	"context"
	"slices"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/views"
)

func (r queryResolver) SavedViews(ctx context.Context, list domain.ViewList) ([]donotuse.SavedView, error) {
	return r.savedViews(ctx, list)
}

func (r *resolver) savedViews(ctx context.Context, list domain.ViewList) ([]donotuse.SavedView, error) {
	found, err := r.views.SavedViews(ctx, callerOf(ctx), list)
	if err != nil {
		return nil, err
	}
	shown := make([]donotuse.SavedView, 0, len(found))
	for i := range found {
		view, err := r.shownView(ctx, &found[i])
		if err != nil {
			return nil, err
		}
		shown = append(shown, view)
	}
	return shown, nil
}

func (r *resolver) shownView(ctx context.Context, v *views.SavedView) (donotuse.SavedView, error) {
	shown := donotuse.SavedView{ID: scalar.GlobalID(scalar.KindView, v.ID), Version: int(v.Version),
		List: v.List, Name: v.Name, Parameters: []donotuse.ViewParameter{}, Audience: v.Audience,
		AudienceKey: optional(v.AudienceKey), Own: v.Own, Changeable: v.Changeable, Default: v.Default,
		Usable: v.Usable, UpdatedAt: v.UpdatedAt}
	for _, name := range domain.ViewParameters(v.List) {
		if value := v.Parameters[name]; value != "" {
			shown.Parameters = append(shown.Parameters, donotuse.ViewParameter{Name: name, Value: value})
		}
	}
	var err error
	if shown.Owner, err = r.visiblePerson(ctx, v.Owner); err == nil {
		shown.UpdatedBy, err = r.visiblePerson(ctx, v.UpdatedBy)
	}
	return shown, err
}

// visiblePerson returns a person whom the caller may know; nil for others.
func (r *resolver) visiblePerson(ctx context.Context, id domain.ID) (*domain.User, error) {
	if sees, err := r.views.MaySeePerson(ctx, callerOf(ctx), id); !sees || err != nil {
		return nil, err
	}
	return loadPerson(ctx, id)
}

func (r mutationResolver) SaveView(ctx context.Context, in donotuse.SaveViewInput) (
	*donotuse.SaveViewPayload, error) {
	command := casework.SaveView{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, List: in.List,
		Name: in.Name, Parameters: map[string]string{}, Audience: in.Audience,
		AudienceKey: valueOrEmpty(in.AudienceKey), ExpectedVersion: valueOrEmpty(in.ExpectedVersion)}
	var err error
	if in.ViewID != nil {
		command.ID, err = scalar.IDOf(scalar.KindView, "viewId", *in.ViewID)
	}
	for _, parameter := range in.Parameters {
		command.Parameters[parameter.Name] = parameter.Value
	}
	payload := &donotuse.SaveViewPayload{}
	if err == nil {
		var done casework.ViewResult
		if done, err = r.service.SaveView(ctx, callerOf(ctx), command); err == nil {
			payload.View, err = r.viewByID(ctx, in.List, done.ID)
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

// viewByID returns one of the views that the caller sees; nil for others.
func (r *resolver) viewByID(ctx context.Context, list domain.ViewList, id domain.ID) (
	*donotuse.SavedView, error) {
	found, err := r.views.SavedViews(ctx, callerOf(ctx), list)
	at := slices.IndexFunc(found, func(v views.SavedView) bool { return v.ID == id })
	if err != nil || at < 0 {
		return nil, err
	}
	shown, err := r.shownView(ctx, &found[at])
	return &shown, err
}

func (r mutationResolver) DeleteView(ctx context.Context, in donotuse.DeleteViewInput) (
	*donotuse.DeleteViewPayload, error) {
	id, err := scalar.IDOf(scalar.KindView, "viewId", in.ViewID)
	if err == nil {
		err = r.service.DeleteView(ctx, callerOf(ctx), casework.DeleteView{
			Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}, ID: id})
	}
	payload := &donotuse.DeleteViewPayload{}
	if err == nil {
		payload.ViewID = &in.ViewID
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) SetDefaultView(ctx context.Context, in donotuse.SetDefaultViewInput) (
	*donotuse.SetDefaultViewPayload, error) {
	command := casework.SetDefaultView{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		List: in.List}
	var err error
	if in.ViewID != nil {
		command.ID, err = scalar.IDOf(scalar.KindView, "viewId", *in.ViewID)
	}
	if err == nil {
		err = r.service.SetDefaultView(ctx, callerOf(ctx), command)
	}
	payload := &donotuse.SetDefaultViewPayload{Done: err == nil}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}
