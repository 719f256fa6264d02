package graph

import (
	"context"
	"strings"

	"countersign/graph/donotuse"
	"countersign/views"
)

func (r queryResolver) PolicyMatrix(ctx context.Context, document *string) (*donotuse.PolicyMatrix, error) {
	found, err := r.views.PolicyMatrix(ctx, callerOf(ctx), valueOrEmpty(document))
	if err != nil || found == nil {
		return nil, err
	}
	shown := &donotuse.PolicyMatrix{Types: []donotuse.PolicyMatrixType{},
		Cells: make([]donotuse.PolicyMatrixCell, 0, len(found.Cells))}
	for _, one := range found.Types {
		shown.Types = append(shown.Types, donotuse.PolicyMatrixType{Name: one.Name, Taken: one.Taken})
	}
	for _, cell := range found.Cells {
		one := donotuse.PolicyMatrixCell{Role: string(cell.Role), Action: string(cell.Action),
			Limited: cell.Limited, Others: matrixEntryOf(cell.Others), Types: []donotuse.PolicyMatrixEntry{}}
		for _, entry := range cell.Types {
			one.Types = append(one.Types, matrixEntryOf(entry))
		}
		shown.Cells = append(shown.Cells, one)
	}
	return shown, nil
}

func matrixEntryOf(entry views.PolicyMatrixEntry) donotuse.PolicyMatrixEntry {
	shown := donotuse.PolicyMatrixEntry{DocumentType: entry.DocumentType,
		Verdict: donotuse.PolicyVerdict(strings.ToUpper(string(entry.Verdict))),
		Grants:  []donotuse.PolicyMatrixGrant{}}
	for _, grant := range entry.Grants {
		shown.Grants = append(shown.Grants,
			donotuse.PolicyMatrixGrant{Object: string(grant.Object), Conditional: grant.Conditional})
	}
	if entry.Limit != nil {
		limit := roleLimitOf(*entry.Limit)
		shown.Limit = &limit
	}
	return shown
}
