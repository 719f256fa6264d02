package views

import (
	"context"

	"countersign/domain"
)

// PersonSettings reads what the viewer chose about the layout of the pages.
func (v *Views) PersonSettings(ctx context.Context, actor domain.Actor) (map[domain.PersonSetting]int, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return nil, err
	}
	return v.reader.PersonSettings(ctx, viewer.user.ID)
}
