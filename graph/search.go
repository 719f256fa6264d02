package graph

import (
	"context"
	"encoding/base64"
	"fmt"
	"math"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

func (r queryResolver) Search(
	ctx context.Context, query string, unfinished bool, caseID *string, first int, after *string,
) (*donotuse.SearchConnection, error) {
	if err := checkPageSize(first); err != nil {
		return nil, err
	}
	asked := views.SearchQuery{Text: query, Unfinished: unfinished, Limit: first}
	if caseID != nil {
		var err error
		if asked.Case, err = scalar.IDOf(scalar.KindCase, "caseId", *caseID); err != nil {
			return nil, err
		}
	}
	if after != nil {
		var err error
		if asked.After, err = parseSearchCursor(*after); err != nil {
			return nil, err
		}
	}
	page, err := r.views.Search(ctx, callerOf(ctx), asked)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.SearchConnection{Edges: []donotuse.SearchEdge{}, Nodes: []donotuse.SearchHit{},
		Words: page.Words, Corrections: []donotuse.SearchCorrection{},
		PageInfo: donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	for _, correction := range page.Corrections {
		connection.Corrections = append(connection.Corrections, donotuse.SearchCorrection(correction))
	}
	ids, known := make([]domain.ID, 0, len(page.Hits)), make([]*shape.Case, 0, len(page.Hits))
	for i := range page.Hits {
		hit := &page.Hits[i]
		node := donotuse.SearchHit{Case: shape.Case{CaseView: hit.Case}, Rank: float64(hit.Position.Rank),
			Kinds: hit.Kinds, Snippets: snippetsShown(hit.Snippets)}
		ids, known = append(ids, hit.Case.ID), append(known, &node.Case)
		connection.Edges = append(connection.Edges,
			donotuse.SearchEdge{Cursor: searchCursor(hit.Position), Node: node})
		connection.Nodes = append(connection.Nodes, node)
	}
	loadersFrom(ctx).group(ids, known...)
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func snippetsShown(snippets []views.SearchSnippet) []donotuse.SearchSnippet {
	shown := make([]donotuse.SearchSnippet, 0, len(snippets))
	for i := range snippets {
		snippet := &snippets[i]
		one := donotuse.SearchSnippet{Kind: snippet.Kind, Field: snippet.Field, Text: snippet.Text,
			Marks: []donotuse.SearchMark{}}
		for _, mark := range snippet.Marks {
			one.Marks = append(one.Marks, donotuse.SearchMark(mark))
		}
		if page := snippet.Page; page != nil {
			one.Page = &donotuse.SearchedPage{Revision: page.Revision, Number: page.Number,
				Width: page.Width, Height: page.Height, Path: pagePath(page), Boxes: []domain.Box{}}
			for _, word := range page.Words {
				one.Page.Boxes = append(one.Page.Boxes, word.Box)
			}
		}
		shown = append(shown, one)
	}
	return shown
}

// searchCursor returns a cursor over hits: their rank and id.
func searchCursor(p views.SearchPosition) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "h:%08x:%s", math.Float32bits(p.Rank), p.CaseID))
}

func parseSearchCursor(text string) (p views.SearchPosition, err error) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	var bits uint32
	var id string
	if err == nil {
		_, err = fmt.Sscanf(string(plain), "h:%08x:%s", &bits, &id)
	}
	if err == nil {
		p.Rank = math.Float32frombits(bits)
		p.CaseID, err = domain.ParseID(id)
	}
	if err != nil || math.IsNaN(float64(p.Rank)) || searchCursor(p) != text {
		return p, domain.Invalid("after", "The cursor is not one of this list.")
	}
	return p, nil
}
