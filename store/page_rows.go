package store

import (
	"countersign/domain"
	"countersign/store/bulk"
)

// writePages replaces the pages of the same revision, which a retry after a crash reads again.
func (s *statement) writePages(pages []domain.Page) error {
	if len(pages) == 0 {
		return nil
	}
	words, err := pageWords(pages)
	if err != nil {
		return err
	}
	set := pageRows(s, pages, words, "revision", func(p *domain.Page) int { return p.Revision })
	s.insertRows("p", "pages", set.Names(), set.List("x"), set.From("x"),
		onConflictReplace(set.Names(), 3))
	return nil
}

// pageWords returns the words of pages as JSON.
func pageWords(pages []domain.Page) (map[*domain.Page]string, error) {
	words := make(map[*domain.Page]string, len(pages))
	for i := range pages {
		list := pages[i].Words
		if list == nil {
			list = []domain.Word{}
		}
		text, err := jsonText(list)
		if err != nil {
			return nil, err
		}
		words[&pages[i]] = text
	}
	return words, nil
}

// pageRows passes pages to a statement. The first columns are the key: that of the case, the given one
// and the number.
func pageRows(
	s *statement, pages []domain.Page, words map[*domain.Page]string, of string, number func(*domain.Page) int,
) *bulk.Rows[domain.Page] {
	set := bulk.NewRows(&s.Statement, pages)
	bulk.Column(set, "case_id", "uuid", func(p *domain.Page) domain.ID { return p.CaseID })
	bulk.Column(set, of, "int", number)
	bulk.Column(set, "number", "int", func(p *domain.Page) int { return p.Number })
	bulk.Column(set, "raster_key", "text", func(p *domain.Page) string { return p.RasterKey })
	bulk.Column(set, "width", "int", func(p *domain.Page) int { return p.Width })
	bulk.Column(set, "height", "int", func(p *domain.Page) int { return p.Height })
	bulk.Column(set, "dpi", "int", func(p *domain.Page) int { return p.DPI })
	bulk.Column(set, "rotation", "int", func(p *domain.Page) int { return p.Rotation })
	bulk.Column(set, "source", "text", func(p *domain.Page) string { return string(p.Source) })
	bulk.Column(set, "engine", "text", func(p *domain.Page) string { return p.Engine })
	bulk.Column(set, "text", "text", func(p *domain.Page) string { return p.Text })
	bulk.Column(set, "words", "jsonb", func(p *domain.Page) string { return words[p] })
	return set
}
