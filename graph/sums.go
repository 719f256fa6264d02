package graph

import (
	"context"
	"strings"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

// SumDocuments reads the documents of a sum.
func (r queryResolver) SumDocuments(ctx context.Context, caseID, rule string, first int, after *string) (
	*donotuse.SumDocuments, error) {
	id, err := scalar.IDOf(scalar.KindCase, "caseId", caseID)
	if err == nil {
		err = checkPageSize(first)
	}
	var before domain.ID
	if err == nil && after != nil {
		before, err = parseCursor("sum", *after)
	}
	if err != nil {
		return nil, err
	}
	found, err := r.views.SumDocuments(ctx, callerOf(ctx), id, rule, before, first)
	if err != nil {
		return nullIfNotFound(&donotuse.SumDocuments{}, err)
	}
	r.service.RecordRead(callerOf(ctx), id, "sum")
	return sumDocuments(found, after != nil), nil
}

func sumDocuments(found views.SumDocuments, earlier bool) *donotuse.SumDocuments {
	base := func(minor int64) domain.Money { return domain.Money{Minor: minor, Currency: domain.BaseCurrency} }
	counted := found.Counted
	sum := &donotuse.SumDocuments{Case: shape.Case{CaseView: found.Case},
		Subject: donotuse.SumSubject(strings.ToUpper(counted.By)), AsOf: counted.At, Since: counted.Since,
		Below: base(counted.Below), Own: base(counted.Own), Count: counted.Documents, Sum: base(counted.BaseMinor),
		HiddenCount: found.Hidden, HiddenSum: base(found.HiddenSum), MissingCount: found.Missing,
		MissingSum: base(found.MissingSum), Nodes: []donotuse.SumDocument{},
		PageInfo: donotuse.PageInfo{HasNextPage: found.HasMore, HasPreviousPage: earlier}}
	for _, document := range found.Documents {
		sum.Nodes = append(sum.Nodes, donotuse.SumDocument{Case: shape.Case{CaseView: document.Case},
			Amount: base(document.BaseMinor), Changed: document.Changed})
	}
	if n := len(found.Documents); n > 0 {
		start, end := makeCursor("sum", found.Documents[0].Case.ID), makeCursor("sum", found.Documents[n-1].Case.ID)
		sum.PageInfo.StartCursor, sum.PageInfo.EndCursor = &start, &end
	}
	return sum
}
