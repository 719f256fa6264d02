package views

import (
	"context"
	"slices"

	"countersign/domain"
	"countersign/search"
	"countersign/store"
)

// SearchQuery is a search for words in the cases that the actor may read.
type SearchQuery struct {
	Text string
	// Unfinished says that the last word may be the beginning of a longer one.
	Unfinished bool
	Case       domain.ID      // the only case that is searched; NoID for all
	After      SearchPosition // cursor; the zero value is before the first hit
	Limit      int
}

// SearchPosition is the sort key of a hit.
type SearchPosition struct {
	Rank   float32
	CaseID domain.ID
}

// SearchPage is one page of hits.
type SearchPage struct {
	Hits        []SearchHit
	HasMore     bool
	Words       []string // of the query
	Corrections []SearchCorrection
}

// SearchHit is a found case and where the words were found in it.
type SearchHit struct {
	Case     CaseView
	Position SearchPosition
	Kinds    []search.Kind
	Snippets []SearchSnippet
}

// SearchSnippet is a text in which words were found.
type SearchSnippet struct {
	search.Snippet
	Kind  search.Kind
	Field string       // name; "" if it is no field
	Page  *domain.Page // of search.KindPage, with only the found words
}

// SearchCorrection is a word that occurs in no case that the actor may read, and the similar words that
// were searched instead.
type SearchCorrection struct {
	Word         string
	Replacements []string
}

// Search reads a page of the cases that the actor may read and in which every word of the query occurs,
// the best first.
func (v *Views) Search(ctx context.Context, actor domain.Actor, query SearchQuery) (SearchPage, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return SearchPage{}, err
	}
	parsed, err := search.Parse(query.Text)
	if err != nil {
		return SearchPage{}, err
	}
	page := SearchPage{Words: parsed.Words(), Corrections: []SearchCorrection{}}
	if len(parsed.Terms) == 0 {
		return page, nil
	}
	if query.Unfinished {
		parsed = parsed.Unfinished()
	}
	s := &searching{views: v, viewer: viewer, of: query.Case, shown: v.caseViewer(viewer)}
	if s.filter, err = viewer.readFilter(); err != nil {
		return page, err
	}
	size := pageSize(query.Limit)
	hits, err := s.find(ctx, parsed, query.After, size+1)
	if err == nil && len(hits) == 0 {
		parsed, page.Corrections, err = s.correct(ctx, parsed)
		if err == nil && len(page.Corrections) > 0 {
			hits, err = s.find(ctx, parsed, query.After, size+1)
		}
	}
	if err != nil {
		return page, err
	}
	page.HasMore = len(hits) > size
	page.Hits, err = s.show(ctx, parsed, hits[:min(len(hits), size)])
	return page, err
}

// searching is one search of one viewer.
type searching struct {
	views  *Views
	viewer viewer
	shown  *CaseViewer
	filter domain.Filter
	of     domain.ID // the only case that is searched; NoID for all
}

// find reads hits. The viewer's rights on each case decide whether words that only staff see match.
func (s *searching) find(ctx context.Context, query search.Query, after SearchPosition, limit int) (
	[]store.SearchHit, error) {
	user, whole := s.viewer.user, query.Whole()
	return s.views.reader.SearchCases(ctx, s.filter, store.SearchQuery{
		Words: store.SearchWords{All: query.Literal(false), Public: query.Literal(true)},
		Whole: store.SearchWords{All: whole.Literal(false), Public: whole.Literal(true)},
		Case:  s.of, After: store.SearchPosition(after), Limit: limit, Viewer: store.SearchViewer{ID: user.ID,
			Staff: audienceOf(user) == domain.AudienceStaff, Clearance: s.shown.clearance,
			OwnToo: user.HasRole(domain.RoleAuditor) || user.HasRole(domain.RoleManager)}})
}

// The bounds of the correction of a word.
const (
	similarRead = 30 // similar words read
	similarUsed = 10 // of them compared with the cases that the viewer may read
	similarHits = 500
	similarMost = 3 // of them searched
)

// correct replaces the words that occur in no case which the viewer may read by similar ones that do, so
// that no word of other cases is revealed. Without such words, or if one word has no replacement, it
// returns no corrections.
func (s *searching) correct(ctx context.Context, query search.Query) (search.Query, []SearchCorrection, error) {
	mended, corrections := query, []SearchCorrection{}
	for _, term := range query.Terms {
		if len(query.Terms) > 1 { // otherwise the search found nothing
			found, err := s.occurs(ctx, term)
			if err != nil {
				return query, nil, err
			}
			if found {
				continue
			}
		}
		replacements, err := s.similar(ctx, term)
		if err != nil || len(replacements) == 0 {
			return query, []SearchCorrection{}, err
		}
		mended = mended.Replace(term.Text, replacements)
		corrections = append(corrections, SearchCorrection{term.Text, replacements})
	}
	return mended, corrections, nil
}

// similar returns similar words that occur in cases which the viewer may read.
func (s *searching) similar(ctx context.Context, term search.Term) ([]string, error) {
	word, ok := term.Mendable()
	if !ok {
		return nil, nil
	}
	words, err := s.views.reader.SimilarWords(ctx, word, similarRead)
	if err != nil {
		return nil, err
	}
	candidates := search.Similar(word, words, similarUsed)
	if len(candidates) == 0 {
		return nil, nil
	}
	either := search.Term{Text: word}
	for _, candidate := range candidates {
		either.Alternatives = append(either.Alternatives, []string{candidate})
	}
	hits, err := s.find(ctx, search.Query{Terms: []search.Term{either}}, SearchPosition{}, similarHits)
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	readable, err := s.views.reader.WordsInHits(ctx, candidates, hits)
	return readable[:min(len(readable), similarMost)], err
}

func (s *searching) occurs(ctx context.Context, term search.Term) (bool, error) {
	hits, err := s.find(ctx, search.Query{Terms: []search.Term{term}}, SearchPosition{}, 1)
	return len(hits) > 0, err
}

// show reads the found cases, and where the words are in what the viewer may see of them. A case that
// the viewer may not read any more is left out.
func (s *searching) show(ctx context.Context, query search.Query, hits []store.SearchHit) ([]SearchHit, error) {
	ids := make([]domain.ID, 0, len(hits))
	for _, hit := range hits {
		ids = append(ids, hit.CaseID)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	cases, err := s.views.reader.MatchingCases(ctx, s.filter, ids)
	if err != nil {
		return nil, err
	}
	sources, err := s.views.reader.SearchSources(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := make([]SearchHit, 0, len(hits))
	for _, hit := range hits {
		at := slices.IndexFunc(cases, func(c domain.Case) bool { return c.ID == hit.CaseID })
		from := slices.IndexFunc(sources, func(source search.Source) bool { return source.CaseID == hit.CaseID })
		if at < 0 || from < 0 {
			continue
		}
		seen, err := s.shown.Case(ctx, cases[at])
		if err != nil {
			return nil, err
		}
		one := SearchHit{Case: seen, Position: SearchPosition(hit.SearchPosition)}
		all := seen.Audience == domain.AudienceStaff && !seen.Redacted
		one.Kinds, one.Snippets = snippetsOf(query, sources[from].Texts(), all)
		found = append(found, one)
	}
	return found, s.addPages(ctx, query, found)
}

// The bounds of the snippets of a hit.
const (
	maxSnippets = 8
	maxPages    = 3
)

// snippetsOf returns where the words of the query are in the texts that the viewer may see, and the
// kinds of all of them.
func snippetsOf(query search.Query, texts []search.Text, all bool) ([]search.Kind, []SearchSnippet) {
	kinds, snippets, pages := []search.Kind{}, []SearchSnippet{}, 0
	type value struct{ field, value string }
	seen, values := map[string]bool{}, map[value]bool{}
	for i := range texts {
		text := &texts[i]
		of := value{text.Field, text.Value}
		if text.Staff && !all {
			continue
		}
		ranges := query.Find(text.Text, text.Kind == search.KindFileName)
		if len(ranges) == 0 {
			continue
		}
		if !slices.Contains(kinds, text.Kind) {
			kinds = append(kinds, text.Kind)
		}
		page := text.Kind == search.KindPage
		if len(snippets) == maxSnippets || page && pages == maxPages || !page && seen[text.Text] ||
			values[of] { // another writing of the same value
			continue
		}
		seen[text.Text], values[of] = !page, text.Field != ""
		one := SearchSnippet{Snippet: search.Cut(text.Text, ranges), Kind: text.Kind, Field: text.Field}
		if page {
			pages++
			one.Page = &domain.Page{Revision: text.Page.Revision, Number: text.Page.Number}
		}
		snippets = append(snippets, one)
	}
	return kinds, snippets
}

// maxBoxes is how many found words of a page are shown.
const maxBoxes = 200

// addPages reads the found pages, and replaces their texts by those of their words, because these have
// places on the page.
func (s *searching) addPages(ctx context.Context, query search.Query, hits []SearchHit) error {
	var ids []domain.ID
	var revisions, numbers []int
	var snippets []*SearchSnippet
	for i := range hits {
		for j := range hits[i].Snippets {
			if snippet := &hits[i].Snippets[j]; snippet.Page != nil {
				snippet.Page.CaseID = hits[i].Case.ID
				ids = append(ids, snippet.Page.CaseID)
				revisions, numbers = append(revisions, snippet.Page.Revision), append(numbers, snippet.Page.Number)
				snippets = append(snippets, snippet)
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	pages, err := s.views.reader.PagesWithWords(ctx, ids, revisions, numbers)
	if err != nil {
		return err
	}
	for _, snippet := range snippets {
		for i := range pages {
			page := &pages[i]
			if page.CaseID != snippet.Page.CaseID || page.Number != snippet.Page.Number {
				continue
			}
			words, text := query.FindWords(page.Words)
			snippet.Page = page
			page.Words = words[:min(len(words), maxBoxes)]
			if len(words) > 0 {
				snippet.Snippet = text
			}
			break
		}
	}
	return nil
}
