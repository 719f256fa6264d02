package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
)

// CountryRisk is the risk of a country and its last change.
type CountryRisk struct {
	Country    string
	Level      string // elevated, high, or "" for none
	Version    int    // number of changes; the database counts
	Reason     string
	ChangedBy  domain.ID
	ChangedAt  time.Time
	ProposalID domain.ID // NoID if one person made the change
}

const countryRiskColumns = `country, level, version, reason, changed_by, changed_at,
	coalesce(proposal_id, '00000000-0000-0000-0000-000000000000')`

// CountryRisks reads the countries that have a risk, the highest first.
func (r Reader) CountryRisks(ctx context.Context) ([]CountryRisk, error) {
	return queryAll(ctx, r.q, "country risk", `SELECT `+countryRiskColumns+` FROM country_risk
		WHERE level <> '' ORDER BY level DESC, country`, pgx.RowToStructByPos[CountryRisk])
}

// CountryRisk reads the risk of one country; without a row it has no risk and version 0.
func (r Reader) CountryRisk(ctx context.Context, country string) (CountryRisk, error) {
	risk, err := queryOne(ctx, r.q, "country risk", `SELECT `+countryRiskColumns+`
		FROM country_risk WHERE country = $1`, pgx.RowToStructByPos[CountryRisk], country)
	if domain.HasCode(err, domain.NotFound) {
		return CountryRisk{Country: country}, nil
	}
	return risk, err
}

// PutCountryRisk sets the risk of a country. The database refuses a lower risk without a confirmed
// proposal.
func (t *Tx) PutCountryRisk(ctx context.Context, risk CountryRisk) error {
	_, err := t.exec(ctx, "country risk",
		`INSERT INTO country_risk (country, level, reason, changed_by, proposal_id)
		VALUES ($1, $2, $3, $4, nullif($5, '00000000-0000-0000-0000-000000000000'::uuid))
		ON CONFLICT (country) DO UPDATE SET level = excluded.level, reason = excluded.reason,
		changed_by = excluded.changed_by, changed_at = clock(),
		proposal_id = excluded.proposal_id`, risk.Country, risk.Level, risk.Reason, risk.ChangedBy,
		risk.ProposalID)
	return err
}

// DatedRate is an exchange rate and who set it.
type DatedRate struct {
	Currency  string
	Micros    int64
	Version   int   // number of rates of the currency; the database counts
	Confirmed int64 // the last rate that two persons carried
	Reason    string
	SetBy     domain.ID
	// SetAt is when the rate began. The zero time means that it always existed.
	SetAt      time.Time
	ProposalID domain.ID // NoID if one person set it
}

const datedRateColumns = `currency, micros, version, confirmed_micros, reason, set_by,
	greatest(valid_from, '0001-01-01 00:00:00+00'),
	coalesce(proposal_id, '00000000-0000-0000-0000-000000000000')`

// Rates reads the present rate of every currency.
func (r Reader) Rates(ctx context.Context) ([]DatedRate, error) {
	return queryAll(ctx, r.q, "rates", `SELECT DISTINCT ON (currency) `+datedRateColumns+`
		FROM rates ORDER BY currency, valid_from DESC`, pgx.RowToStructByPos[DatedRate])
}

// NewestRate reads the present rate of a currency; version 0 if there is none.
func (r Reader) NewestRate(ctx context.Context, currency string) (DatedRate, error) {
	rate, err := queryOne(ctx, r.q, "newest rate", `SELECT `+datedRateColumns+` FROM rates
		WHERE currency = $1 ORDER BY valid_from DESC LIMIT 1`, pgx.RowToStructByPos[DatedRate],
		currency)
	if domain.HasCode(err, domain.NotFound) {
		return DatedRate{Currency: currency}, nil
	}
	return rate, err
}

// RateNeedsConfirmation reports whether one person may not set the rate alone.
func (r Reader) RateNeedsConfirmation(
	ctx context.Context, currency string, micros int64,
) (bool, error) {
	return queryOne(ctx, r.q, "rate bound", `SELECT rate_needs_confirmation($1, $2)`,
		pgx.RowTo[bool], currency, micros)
}

// RatePercent returns by how many percent one person may change a rate.
func (r Reader) RatePercent(ctx context.Context) (string, error) {
	return queryOne(ctx, r.q, "rate bound", `SELECT rate_percent::text FROM control_settings`,
		pgx.RowTo[string])
}

// AddRate adds a rate that begins now. The database refuses one that needs a confirmed proposal and
// has none.
func (t *Tx) AddRate(ctx context.Context, rate DatedRate) error {
	_, err := t.exec(ctx, "add rate",
		`INSERT INTO rates (id, currency, micros, valid_from, reason, set_by, proposal_id)
		VALUES ($1, $2, $3, clock(), $4, $5,
		nullif($6, '00000000-0000-0000-0000-000000000000'::uuid))`, domain.NewID(), rate.Currency,
		rate.Micros, rate.Reason, rate.SetBy, rate.ProposalID)
	return err
}
