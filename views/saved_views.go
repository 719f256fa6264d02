package views

import (
	"context"
	"slices"

	"countersign/domain"
)

// SavedView is a saved view as its reader sees it.
type SavedView struct {
	domain.SavedView
	Own        bool
	Changeable bool // the reader may change and delete it
	// Usable is false for a view of the reader's own that filters by what they may not see any more. Its
	// parameters are withheld.
	Usable bool
}

// SavedViews reads the views of a list that the actor may see, by name: their own, those shared with them,
// and, for managers and administrators, all that are shared. A shared view that names something which the
// actor may not know is left out; ADR 0089.
func (v *Views) SavedViews(ctx context.Context, actor domain.Actor, list domain.ViewList) (
	[]SavedView, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	if !list.Valid() {
		return nil, domain.Invalid("list", "There is no list %q.", string(list))
	}
	manages := viewer.user.ManagesViews()
	found, err := v.reader.SavedViews(ctx, &viewer.user, list, manages)
	if err != nil {
		return nil, err
	}
	conflicts, err := v.reader.Conflicts(ctx, viewer.user.ID)
	if err != nil {
		return nil, err
	}
	parties, submitters := domain.PartiesOf(conflicts), map[string]bool{"": true}
	views := make([]SavedView, 0, len(found))
	for i := range found {
		view := SavedView{SavedView: found[i], Own: found[i].Owner == viewer.user.ID}
		view.Changeable = view.Own || manages
		view.Usable = view.UsableBy(&viewer.user, parties)
		if view.Usable {
			if view.Usable, err = v.seesSubmitter(ctx, actor, submitters,
				view.Parameters["submitter"]); err != nil {
				return nil, err
			}
		}
		switch {
		case view.Own && !view.Usable:
			view.Parameters, view.Default = nil, false
		case !view.Own && (!view.Usable || !view.OfferedTo(&viewer.user)):
			continue
		}
		views = append(views, view)
	}
	return slices.Clip(views), nil
}

// seesSubmitter reports whether the actor may filter by the submitter, whose public id it is. The answers
// are kept in known.
func (v *Views) seesSubmitter(ctx context.Context, actor domain.Actor, known map[string]bool, id string) (
	bool, error) {
	if seen, asked := known[id]; asked {
		return seen, nil
	}
	kind, person, valid := domain.ParsePublicID(id)
	if !valid || kind != "Person" { // the list does not filter by it
		known[id] = true
		return true, nil
	}
	seen, err := v.MaySeePerson(ctx, actor, person)
	known[id] = seen
	return seen, err
}
