package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/bulk"
)

// writeOrders adds the parts for payment orders, their grounds, and what they take from their
// evidence.
func (s *statement) writeOrders(changes []*Change) {
	var orders []domain.Order
	var grounds []domain.OrderGround
	var added, changed []domain.OrderUse
	for _, change := range changes {
		if change.Order != nil {
			orders = append(orders, *change.Order)
		}
		grounds = append(grounds, change.Grounds...)
		switch use := change.OrderUse; {
		case use != nil && change.Order != nil && change.Order.Revision == 1:
			added = append(added, *use)
		case use != nil:
			changed = append(changed, *use)
		}
	}
	if len(orders) > 0 {
		s.insertOrders(orders)
	}
	if len(grounds) > 0 {
		s.writeGrounds(grounds)
	}
	if len(added) > 0 {
		set := s.orderUseRows(added)
		s.insertRows("ou", "order_uses", set.Names(), set.List("x"), set.From("x"), "")
	}
	if len(changed) > 0 {
		set := s.orderUseRows(changed)
		s.AddCTE("ou", `UPDATE order_uses u SET %s FROM c JOIN %s ON x.case_id = c.id
			WHERE u.case_id = c.id`, set.Assignments("x"), set.From("x"))
	}
}

func (s *statement) insertOrders(orders []domain.Order) {
	set := bulk.NewRows(&s.Statement, orders)
	bulk.Column(set, "case_id", "uuid", func(o *domain.Order) domain.ID { return o.CaseID })
	bulk.Column(set, "revision", "int", func(o *domain.Order) int { return o.Revision })
	bulk.Column(set, "payer", "text", func(o *domain.Order) string { return o.Payer })
	bulk.Column(set, "payer_key", "text",
		func(o *domain.Order) string { return domain.PartyKey(o.Payer) })
	bulk.Column(set, "payee", "text", func(o *domain.Order) string { return o.Payee })
	bulk.Column(set, "account", "text", func(o *domain.Order) string { return o.Account })
	bulk.Column(set, "bic", "text", func(o *domain.Order) string { return o.BIC })
	bulk.Column(set, "country", "text", func(o *domain.Order) string { return o.Country })
	bulk.Column(set, "amount_minor", "bigint",
		func(o *domain.Order) int64 { return o.Amount.Minor })
	bulk.Column(set, "currency", "text",
		func(o *domain.Order) string { return o.Amount.Currency })
	bulk.Column(set, "purpose", "text", func(o *domain.Order) string { return o.Purpose })
	bulk.Column(set, "reference", "text", func(o *domain.Order) string { return o.Reference })
	bulk.Column(set, "reference_key", "text",
		func(o *domain.Order) string { return domain.OrderReferenceKey(o.Reference) })
	bulk.Column(set, "stated_by", "uuid", func(o *domain.Order) domain.ID { return o.StatedBy })
	bulk.Column(set, "stated_at", "timestamptz",
		func(o *domain.Order) time.Time { return o.StatedAt })
	s.insertRows("o", "orders", set.Names(), set.List("x"), set.From("x"), "")
}

// writeGrounds adds grounds, or the confirmation of grounds that are stored.
func (s *statement) writeGrounds(grounds []domain.OrderGround) {
	set := bulk.NewRows(&s.Statement, grounds)
	bulk.Column(set, "case_id", "uuid", func(g *domain.OrderGround) domain.ID { return g.CaseID })
	bulk.Column(set, "number", "int", func(g *domain.OrderGround) int { return g.Number })
	bulk.Column(set, "kind", "text", func(g *domain.OrderGround) string { return string(g.Kind) })
	bulk.Column(set, "explanation", "text",
		func(g *domain.OrderGround) string { return g.Explanation })
	bulk.Column(set, "covers", "text", func(g *domain.OrderGround) string { return g.Covers })
	bulk.Column(set, "stated_by", "uuid", func(g *domain.OrderGround) domain.ID { return g.StatedBy })
	bulk.Column(set, "stated_at", "timestamptz",
		func(g *domain.OrderGround) time.Time { return g.StatedAt })
	known := func(id domain.ID) *domain.ID {
		if id == domain.NoID {
			return nil
		}
		return &id
	}
	bulk.Column(set, "confirmed_by", "uuid",
		func(g *domain.OrderGround) *domain.ID { return known(g.ConfirmedBy) })
	bulk.Column(set, "stated_on_behalf_of", "uuid",
		func(g *domain.OrderGround) *domain.ID { return known(g.StatedOnBehalfOf) })
	bulk.Column(set, "confirmed_on_behalf_of", "uuid",
		func(g *domain.OrderGround) *domain.ID { return known(g.ConfirmedOnBehalfOf) })
	bulk.Column(set, "confirmed_at", "timestamptz", func(g *domain.OrderGround) *time.Time {
		if !g.Confirmed() {
			return nil
		}
		return &g.ConfirmedAt
	})
	s.insertRows("og", "order_grounds", set.Names(), set.List("x"), set.From("x"),
		` ON CONFLICT (case_id, number) DO UPDATE SET covers = excluded.covers,
		confirmed_by = excluded.confirmed_by, confirmed_at = excluded.confirmed_at,
		confirmed_on_behalf_of = excluded.confirmed_on_behalf_of`)
}

func (s *statement) orderUseRows(uses []domain.OrderUse) *bulk.Rows[domain.OrderUse] {
	known := func(u *domain.OrderUse, value int64) *int64 {
		if u.Evidence.Currency == "" {
			return nil
		}
		return &value
	}
	set := bulk.NewRows(&s.Statement, uses)
	bulk.Column(set, "case_id", "uuid", func(u *domain.OrderUse) domain.ID { return u.CaseID })
	bulk.ArrayColumn(set, "evidence_keys", "text",
		func(u *domain.OrderUse) string { return textArray(u.EvidenceKeys) })
	bulk.Column(set, "minor", "bigint", func(u *domain.OrderUse) int64 { return u.Amount.Minor })
	bulk.Column(set, "currency", "text",
		func(u *domain.OrderUse) string { return u.Amount.Currency })
	bulk.Column(set, "base_minor", "bigint", func(u *domain.OrderUse) int64 { return u.BaseMinor })
	bulk.Column(set, "evidence_minor", "bigint",
		func(u *domain.OrderUse) *int64 { return known(u, u.Evidence.Minor) })
	bulk.Column(set, "evidence_currency", "text",
		func(u *domain.OrderUse) string { return u.Evidence.Currency })
	bulk.Column(set, "evidence_base", "bigint",
		func(u *domain.OrderUse) *int64 { return known(u, u.EvidenceBase) })
	bulk.Column(set, "covered", "bool", func(u *domain.OrderUse) bool { return u.Covered })
	bulk.Column(set, "passed_at", "timestamptz", func(u *domain.OrderUse) *time.Time {
		if !u.Passed {
			return nil
		}
		return &u.PassedAt
	})
	return set
}

const orderColumns = `o.case_id, o.revision, o.payer, o.payee, o.account, o.bic, o.country,
	o.amount_minor, o.currency, o.purpose, o.reference, o.stated_by, o.stated_at`

func scanOrder(row pgx.CollectableRow) (domain.Order, error) {
	var o domain.Order
	err := row.Scan(&o.CaseID, &o.Revision, &o.Payer, &o.Payee, &o.Account, &o.BIC, &o.Country,
		&o.Amount.Minor, &o.Amount.Currency, &o.Purpose, &o.Reference, &o.StatedBy, &o.StatedAt)
	o.StatedAt = o.StatedAt.UTC()
	return o, err
}

// Orders reads every revision of the payment orders of the cases, newest first within a case.
func (r Reader) Orders(ctx context.Context, cases ...domain.ID) ([]domain.Order, error) {
	return queryAll(ctx, r.q, "orders", `SELECT `+orderColumns+` FROM orders o
		WHERE o.case_id = ANY($1) ORDER BY o.case_id, o.revision DESC`, scanOrder, cases)
}

// OrderCase names the case of an order.
type OrderCase struct {
	ID        domain.ID
	Reference string
}

// OrderWithReference returns the case of the payer's order with the reference; NotFound if there is
// none.
func (r Reader) OrderWithReference(
	ctx context.Context, payer, reference string,
) (OrderCase, error) {
	return queryOne(ctx, r.q, "order with reference", `SELECT c.id, c.reference FROM orders o
		JOIN cases c ON c.id = o.case_id WHERE o.payer_key = $1 AND o.reference_key = $2
		AND o.revision = 1`, func(row pgx.CollectableRow) (OrderCase, error) {
		var found OrderCase
		return found, row.Scan(&found.ID, &found.Reference)
	}, domain.PartyKey(payer), domain.OrderReferenceKey(reference))
}

// IsOrderReferenceUsed reports whether the error says that the payer used the reference before.
func IsOrderReferenceUsed(err error) bool { return uniqueViolation(err, "orders_reference") }

// OrderGrounds reads the grounds of the cases' orders, oldest first within a case.
func (r Reader) OrderGrounds(
	ctx context.Context, cases ...domain.ID,
) ([]domain.OrderGround, error) {
	return queryAll(ctx, r.q, "order grounds", `SELECT case_id, number, kind, explanation, covers,
		stated_by, stated_at, coalesce(stated_on_behalf_of, $2), confirmed_by, confirmed_at,
		coalesce(confirmed_on_behalf_of, $2) FROM order_grounds
		WHERE case_id = ANY($1) ORDER BY case_id, number`, scanOrderGround, cases, domain.NoID)
}

func scanOrderGround(row pgx.CollectableRow) (domain.OrderGround, error) {
	var g domain.OrderGround
	var by *domain.ID
	var at *time.Time
	err := row.Scan(&g.CaseID, &g.Number, &g.Kind, &g.Explanation, &g.Covers, &g.StatedBy,
		&g.StatedAt, &g.StatedOnBehalfOf, &by, &at, &g.ConfirmedOnBehalfOf)
	if g.StatedAt = g.StatedAt.UTC(); by != nil && at != nil {
		g.ConfirmedBy, g.ConfirmedAt = *by, at.UTC()
	}
	return g, err
}

const orderUseColumns = `u.case_id, c.reference, u.evidence_keys, u.minor, u.currency,
	u.base_minor, coalesce(u.evidence_minor, 0), u.evidence_currency,
	coalesce(u.evidence_base, 0), u.covered, u.passed_at IS NOT NULL,
	coalesce(u.passed_at, '0001-01-01Z')`

func scanOrderUse(row pgx.CollectableRow) (domain.OrderUse, error) {
	var u domain.OrderUse
	err := row.Scan(&u.CaseID, &u.Reference, &u.EvidenceKeys, &u.Amount.Minor,
		&u.Amount.Currency, &u.BaseMinor, &u.Evidence.Minor, &u.Evidence.Currency,
		&u.EvidenceBase, &u.Covered, &u.Passed, &u.PassedAt)
	u.PassedAt = u.PassedAt.UTC()
	return u, err
}

// OrderUse reads what the order of the case takes from its evidence; NotFound if it has none.
func (r Reader) OrderUse(ctx context.Context, caseID domain.ID) (domain.OrderUse, error) {
	return queryOne(ctx, r.q, "order use", `SELECT `+orderUseColumns+`
		FROM order_uses u JOIN cases c ON c.id = u.case_id WHERE u.case_id = $1`,
		scanOrderUse, caseID)
}

// OtherOrderUses reads the orders of other cases on the same evidence that were not rejected or
// abandoned, oldest first, at most 100.
func (r Reader) OtherOrderUses(
	ctx context.Context, caseID domain.ID, keys []string,
) ([]domain.OrderUse, error) {
	return queryAll(ctx, r.q, "order uses", `SELECT `+orderUseColumns+`
		FROM order_uses u JOIN cases c ON c.id = u.case_id
		WHERE u.evidence_keys && $2 AND u.case_id <> $1 AND c.status NOT IN ('rejected', 'abandoned')
		ORDER BY u.case_id LIMIT 100`, scanOrderUse, caseID, keys)
}
