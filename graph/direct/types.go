package direct

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
	"countersign/graph/scalar"
	"countersign/graph/shape"
)

// Case is a case of a list with the fields that were read for it.
type Case struct {
	*shape.Case
	ReadFields []domain.Field
}

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
	// Cases are those of a list. Members that need other reads are missing, so the executor resolves a
	// list that selects one of them.
	Cases = Type[Case]{"Case", map[string]Member[Case]{
		"id":                  Text(func(c *Case) string { return c.GlobalID() }),
		"version":             Text(func(c *Case) string { return c.FactsVersion() }),
		"reference":           Text(func(c *Case) string { return c.Reference }),
		"processKey":          Text(func(c *Case) string { return c.ProcessKey }),
		"processVersion":      Integer(func(c *Case) int { return c.ProcessVersion }),
		"documentType":        Text(func(c *Case) string { return c.DocumentType }),
		"documentTypeVersion": Integer(func(c *Case) int { return c.DocumentTypeVersion }),
		"channel":             Text(func(c *Case) string { return strings.ToUpper(string(c.Channel)) }),
		"status":              Text(func(c *Case) string { return strings.ToUpper(string(c.Status)) }),
		"final":               Bool(func(c *Case) bool { return c.IsFinal() }),
		"counterparty":        Text(func(c *Case) string { return c.Counterparty }),
		"country":             Text(func(c *Case) string { return c.Country }),
		"hasAmount":           Bool(func(c *Case) bool { return c.HasAmount }),
		"amount":              Object(Money, func(c *Case) *domain.Money { return c.KnownAmount() }),
		"declaredAmount":      Object(Money, func(c *Case) *domain.Money { return c.StatedAmount() }),
		"createdAt":           Time(func(c *Case) time.Time { return c.CreatedAt }),
		"fields":              ListOf(Fields, func(c *Case) []domain.Field { return c.ReadFields }),
	}}
)

// Time is a member of type DateTime.
func Time[T any](of func(*T) time.Time) Member[T] {
	return plain(func(out []byte, value *T) []byte {
		written := bytes.NewBuffer(out)
		scalar.MarshalDateTime(of(value)).MarshalGQL(written)
		return written.Bytes()
	})
}
