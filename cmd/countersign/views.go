package main

import (
	"context"
	"strings"

	"countersign/domain"
)

// viewsCommand lists saved views.
type viewsCommand struct {
	List string `enum:"cases,queue" default:"cases" help:"cases or queue."`
}

// Run prints the list.
func (v *viewsCommand) Run(ctx context.Context, c *console) error {
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := listViews(ctx, client, strings.ToUpper(v.List))
	if err != nil {
		return err
	}
	rows := [][]string{}
	for _, view := range answer.SavedViews {
		first := ""
		if view.Default {
			first = "default"
		}
		filters := "not usable"
		if view.Usable {
			filters = orDash(view.filters())
		}
		rows = append(rows, []string{printable(view.Name), view.sharing(), printable(view.Owner.String()),
			orDash(first), printable(filters)})
	}
	return c.printTable(answer.SavedViews, []string{"NAME", "SHARED WITH", "OWNER", "DEFAULT", "FILTERS"},
		rows)
}

// sharing returns whom the view is shared with.
func (v *savedView) sharing() string {
	text := strings.ToLower(v.Audience)
	if v.AudienceKey != nil {
		text += " " + printable(*v.AudienceKey)
	}
	return text
}

func (v *savedView) filters() string {
	var parts []string
	for _, parameter := range v.Parameters {
		parts = append(parts, parameter.Name+"="+parameter.Value)
	}
	return strings.Join(parts, " ")
}

// viewByName returns the parameters of a view: the caller's own, or else the only shared one of that name.
func (a *api) viewByName(ctx context.Context, list, name string) (map[string]string, error) {
	answer, err := listViews(ctx, a, list)
	if err != nil {
		return nil, err
	}
	var found []savedView
	for _, view := range answer.SavedViews {
		if !strings.EqualFold(view.Name, name) {
			continue
		}
		if view.Own {
			found = []savedView{view}
			break
		}
		found = append(found, view)
	}
	switch {
	case len(found) == 0:
		return nil, domain.Errorf(domain.NotFound, "There is no view %q, or you do not have access.",
			printable(name)).WithRemedy("Run: countersign views --list %s", strings.ToLower(list))
	case len(found) > 1:
		return nil, domain.Invalid("view", "%d people share a view with this name.", len(found)).
			WithRemedy("Save one of them as your own view.")
	case !found[0].Usable:
		return nil, domain.Errorf(domain.NotPermitted,
			"The view %q filters by data that you do not have access to.", printable(name))
	}
	address := map[string]string{}
	for _, parameter := range found[0].Parameters {
		address[parameter.Name] = parameter.Value
	}
	return address, nil
}
