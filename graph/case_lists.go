package graph

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
	"countersign/graph/direct"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

func (r queryResolver) Cases(ctx context.Context, first int, after *string,
	filter *donotuse.CaseFilter, sort views.CaseSort) (*donotuse.CaseConnection, error) {
	query, err := caseQueryOf(filter)
	if err != nil {
		return nil, err
	}
	query.Limit, query.Sort = first, sort
	selected := graphql.CollectFieldsCtx(ctx, []string{"CaseConnection"})
	query.Brief = !slices.ContainsFunc(selected, func(field graphql.CollectedField) bool {
		return field.Name == "edges" || field.Name == "nodes" && !direct.Cases.EncodesField(ctx, field)
	})
	if after != nil {
		if query.After, err = parseCaseCursor(sort, *after); err != nil {
			return nil, err
		}
	}
	if err := checkPageSize(first); err != nil {
		return nil, err
	}
	page, err := r.views.Cases(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.CaseConnection{Edges: []donotuse.CaseEdge{}, Nodes: []shape.Case{},
		PageInfo: donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	ids, known := make([]domain.ID, 0, len(page.Cases)), make([]*shape.Case, 0, len(page.Cases))
	connection.Nodes = slices.Grow(connection.Nodes, len(page.Cases))
	for i := range page.Cases {
		connection.Nodes = append(connection.Nodes, shape.Case{CaseView: page.Cases[i]})
		ids, known = append(ids, page.Cases[i].ID), append(known, &connection.Nodes[i])
	}
	if query.Brief { // which is not what other parts of the document may select of these cases
		known = nil
	}
	loadersFrom(ctx).group(ids, known...)
	if slices.ContainsFunc(selected, func(field graphql.CollectedField) bool { return field.Name == "edges" }) {
		for i := range connection.Nodes {
			connection.Edges = append(connection.Edges, donotuse.CaseEdge{
				Cursor: caseCursor(sort, page.Cursors[i]), Node: connection.Nodes[i]})
		}
	}
	if n := len(page.Cursors); n > 0 {
		first, last := caseCursor(sort, page.Cursors[0]), caseCursor(sort, page.Cursors[n-1])
		connection.PageInfo.StartCursor, connection.PageInfo.EndCursor = &first, &last
	}
	return connection, nil
}

func caseQueryOf(filter *donotuse.CaseFilter) (query views.CaseQuery, err error) {
	if filter == nil {
		return query, nil
	}
	query = views.CaseQuery{Statuses: filter.Statuses, Text: strings.TrimSpace(valueOrEmpty(filter.Text)),
		Process: valueOrEmpty(filter.Process), DocumentType: valueOrEmpty(filter.DocumentType),
		Counterparty: strings.TrimSpace(valueOrEmpty(filter.Counterparty)), MinRisk: filter.MinRisk,
		MaxRisk: filter.MaxRisk, Queue: valueOrEmpty(filter.Queue), Rule: valueOrEmpty(filter.Rule)}
	if filter.Channel != nil {
		query.Channel = *filter.Channel
	}
	if filter.SubmittedFrom != nil {
		query.From = *filter.SubmittedFrom
	}
	if filter.SubmittedTo != nil {
		query.To = *filter.SubmittedTo
	}
	for name, risk := range map[string]*int{"minRisk": filter.MinRisk, "maxRisk": filter.MaxRisk} {
		if risk != nil && (*risk < 0 || *risk > views.MaxRisk) {
			return query, domain.Invalid("filter."+name, "Enter a risk from 0 to %d.", views.MaxRisk)
		}
	}
	if filter.SubmitterID != nil {
		query.Submitter, err = scalar.IDOf(scalar.KindPerson, "filter.submitterId", *filter.SubmitterID)
	}
	if err == nil && filter.Amount != nil {
		err = setAmountRange(&query, *filter.Amount)
	}
	return query, err
}

func setAmountRange(query *views.CaseQuery, in donotuse.AmountRangeInput) error {
	zero, err := domain.ParseMoney("0", in.Currency)
	if err != nil {
		return domain.Invalid("filter.amount.currency", "%.10q is not a currency, such as EUR.", in.Currency)
	}
	query.Currency = zero.Currency
	for _, bound := range []struct {
		name string
		text *string
		into **int64
	}{{"from", in.From, &query.MinMinor}, {"to", in.To, &query.MaxMinor}} {
		if bound.text == nil {
			continue
		}
		money, err := domain.ParseMoney(*bound.text, in.Currency)
		if err != nil {
			return domain.Invalid("filter.amount."+bound.name, "%.40q is not an amount, such as 1000.00.",
				*bound.text)
		}
		*bound.into = &money.Minor
	}
	return nil
}

// caseCursor returns the cursor of a list of cases: for the newest first the id, for other orders also
// the order and its key.
func caseCursor(sort views.CaseSort, at views.CaseCursor) string {
	if sort == views.CasesNewest {
		return makeCursor("c", at.ID)
	}
	return makeCursor(fmt.Sprintf("c%s:%d", sort, at.Key), at.ID)
}

func parseCaseCursor(sort views.CaseSort, cursor string) (*views.CaseCursor, error) {
	if sort == views.CasesNewest {
		id, err := parseCursor("c", cursor)
		return &views.CaseCursor{ID: id}, err
	}
	plain, err := base64.RawURLEncoding.DecodeString(cursor)
	rest, ours := strings.CutPrefix(string(plain), "c"+string(sort)+":")
	number, id, found := strings.Cut(rest, ":")
	key, numberErr := strconv.ParseInt(number, 10, 64)
	last, idErr := domain.ParseID(id)
	if err != nil || !ours || !found || numberErr != nil || idErr != nil {
		return nil, domain.Invalid("after", "%.60q is not a valid cursor of this list.", cursor)
	}
	return &views.CaseCursor{Key: key, ID: last}, nil
}
