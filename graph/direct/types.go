package direct

import (
	"strconv"
	"strings"

	"countersign/domain"
)

var (
	box = Type[domain.Box]{"Box", map[string]Member[domain.Box]{
		"x": Integer(func(b *domain.Box) int { return b.X }),
		"y": Integer(func(b *domain.Box) int { return b.Y }),
		"w": Integer(func(b *domain.Box) int { return b.W }),
		"h": Integer(func(b *domain.Box) int { return b.H }),
	}}
	// Money is an amount.
	Money = Type[domain.Money]{"Money", map[string]Member[domain.Money]{
		"amount":   Text(func(m *domain.Money) string { return m.Decimal() }),
		"currency": Text(func(m *domain.Money) string { return m.Currency }),
	}}
	// Words are those of a page.
	Words = Type[domain.Word]{"Word", map[string]Member[domain.Word]{
		"text":        Text(func(w *domain.Word) string { return w.Text }),
		"alternative": Text(func(w *domain.Word) string { return w.Alternative }),
		"box":         Object(box, func(w *domain.Word) *domain.Box { return &w.Box }),
		"confidence":  Number(func(w *domain.Word) float64 { return w.Confidence }),
		"line":        Integer(func(w *domain.Word) int { return w.Line }),
	}}
	// Fields are those of a case.
	Fields = Type[domain.Field]{"Field", map[string]Member[domain.Field]{
		"name":       Text(func(f *domain.Field) string { return f.Name }),
		"raw":        Text(func(f *domain.Field) string { return f.Raw }),
		"normalised": Text(func(f *domain.Field) string { return f.Normalised }),
		"page":       Integer(func(f *domain.Field) int { return f.Page }),
		"box":        Object(box, func(f *domain.Field) *domain.Box { return f.Box }),
		"confidence": Number(func(f *domain.Field) float64 { return f.Confidence }),
		"source":     Text(func(f *domain.Field) string { return strings.ToUpper(string(f.Source)) }),
		"grounded":   Bool(func(f *domain.Field) bool { return f.Grounded }),
		"revision":   Text(func(f *domain.Field) string { return strconv.FormatInt(f.Revision, 10) }),
	}}
)
