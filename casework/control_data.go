package casework

import (
	"context"
	"slices"
	"strconv"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/events"
	"countersign/events/generated"
	"countersign/store"
)

// riskLevels ranks the risk levels of countries. A higher rank only restricts.
var riskLevels = map[string]int{"": 0, "elevated": 1, "high": 2}

// CountryRiskChange is the wanted risk level of one country: elevated, high, or "" for none.
type CountryRiskChange struct {
	Country string
	Level   string
	// Expected is the present level that the caller read; nil skips the check.
	Expected *string `json:",omitempty"`
}

// SetCountryRisks asks to set the risk levels of countries.
type SetCountryRisks struct {
	Once    Once
	Changes []CountryRiskChange
	Reason  string
}

// SetCountryRisks raises the risk of countries immediately and proposes lower levels, which another
// person must confirm. One refused country refuses all. It requires the right to publish.
func (svc *Service) SetCountryRisks(
	ctx context.Context, actor domain.Actor, in SetCountryRisks,
) ([]ControlResult, error) {
	const operation = "setCountryRisks"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActPublish); err != nil {
		return nil, err
	}
	keys := make([]string, len(in.Changes))
	in.Changes = slices.Clone(in.Changes)
	for i, change := range in.Changes {
		code, ok := country.Parse(change.Country)
		if !ok {
			return nil, unknownCountry(change.Country)
		}
		keys[i], in.Changes[i].Country = code, code
		if _, ok := riskLevels[change.Level]; !ok {
			return nil, domain.Invalid("level",
				"The risk level must be elevated, high or empty, not %q.", change.Level)
		}
	}
	reason, err := checkControlChanges("country", keys, in.Reason)
	if err != nil {
		return nil, err
	}
	spec := permissionCommand{operation, domain.ControlStream, domain.ActPublish, in.Once, in}
	return runControlChanges(ctx, svc, actor, spec, reason, in.Changes,
		(*permissionChange).setCountryRisk)
}

// runControlChanges makes the changes of one command in their order; one refusal refuses all.
func runControlChanges[C any](
	ctx context.Context, svc *Service, actor domain.Actor, spec permissionCommand, reason string,
	changes []C, apply func(p *permissionChange, change C, reason string) (ControlResult, error),
) ([]ControlResult, error) {
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) ([]ControlResult, error) {
			results := make([]ControlResult, 0, len(changes))
			for _, change := range changes {
				result, err := apply(p, change, reason)
				if err != nil {
					return nil, err
				}
				results = append(results, result)
			}
			return results, nil
		})
}

func (p *permissionChange) setCountryRisk(
	change CountryRiskChange, reason string,
) (ControlResult, error) {
	result := ControlResult{Kind: domain.ControlCountryRisk, Key: change.Country}
	present, err := p.tx.CountryRisk(p.ctx, change.Country)
	if err != nil {
		return result, err
	}
	if present.Level == change.Level {
		result.Unchanged = true
		return result, nil
	}
	if err := p.checkPresent(change.Expected, present.Level, levelName(present.Level),
		present.ChangedBy); err != nil {
		return result, err
	}
	if riskLevels[change.Level] < riskLevels[present.Level] {
		return p.proposeControl(result.Kind, result.Key, reason,
			domain.ControlDocument{Before: present.Level, After: change.Level})
	}
	return result, p.putCountryRisk(present, change.Level, reason, domain.Proposal{})
}

// putCountryRisk writes a country's risk with its event; proposal is the confirmed one, if any.
func (p *permissionChange) putCountryRisk(
	present store.CountryRisk, level, reason string, proposal domain.Proposal,
) error {
	if err := p.tx.PutCountryRisk(p.ctx, store.CountryRisk{Country: present.Country, Level: level,
		Reason: reason, ChangedBy: p.actor.UserID, ProposalID: proposal.ID}); err != nil {
		return err
	}
	p.controlChanged(generated.CountryRiskChangedV1{Country: present.Country,
		Before: levelName(present.Level), After: levelName(level), Reason: reason,
		By: p.actor.UserID, ProposedBy: proposal.ProposedBy, ProposalID: proposal.ID})
	return nil
}

func levelName(level string) string {
	if level == "" {
		return "none"
	}
	return level
}

// controlChanged records that control data has changed. Every change of country risks, rates,
// conflicts and groups that affects the evaluation of running cases passes here; see
// controlChangeOf.
func (p *permissionChange) controlChanged(body events.Body) { p.emit(body) }

func countryRiskVersion(ctx context.Context, r store.Reader, key string) (int, error) {
	risk, err := r.CountryRisk(ctx, key)
	return risk.Version, err
}

func (p *permissionChange) applyCountryRisk(
	proposal domain.Proposal, change domain.ControlDocument,
) error {
	present, err := p.tx.CountryRisk(p.ctx, proposal.Key)
	if err != nil {
		return err
	}
	return p.putCountryRisk(present, change.After, proposal.Note, proposal)
}

// RateText is the wanted rate of one currency: units of the base currency for one unit, as text.
type RateText struct {
	Currency string
	Rate     string
	// Expected is the present rate that the caller read, "" for none; nil skips the check.
	Expected *string `json:",omitempty"`
}

// rateChange is a wanted rate in millionths of a base minor unit per minor unit.
type rateChange struct {
	Currency string
	Micros   int64
	Expected *string // in micros
}

// SetRates asks to set exchange rates from now on.
type SetRates struct {
	Once   Once
	Rates  []RateText
	Reason string
}

// SetRates sets exchange rates. A rate near the present and the last confirmed one takes effect
// immediately; a larger change and a new currency become proposals, which another person must
// confirm. One refused rate refuses all. It requires the right to manage people.
func (svc *Service) SetRates(
	ctx context.Context, actor domain.Actor, in SetRates,
) ([]ControlResult, error) {
	const operation = "setRates"
	if err := svc.beginControlChange(ctx, actor, operation, domain.ActManagePeople); err != nil {
		return nil, err
	}
	keys, rates := make([]string, len(in.Rates)), make([]rateChange, len(in.Rates))
	for i, wanted := range in.Rates {
		micros, err := domain.RateMicros(wanted.Currency, wanted.Rate)
		expected, wrong := expectedRate(wanted)
		keys[i], rates[i] = wanted.Currency, rateChange{wanted.Currency, micros, expected}
		if err := firstError(firstError(err, checkRate(rates[i])), wrong); err != nil {
			return nil, err
		}
	}
	reason, err := checkControlChanges("currency", keys, in.Reason)
	if err != nil {
		return nil, err
	}
	spec := permissionCommand{operation, domain.ControlStream, domain.ActManagePeople, in.Once, in}
	return runControlChanges(ctx, svc, actor, spec, reason, rates, (*permissionChange).setRate)
}

func expectedRate(wanted RateText) (*string, error) {
	if wanted.Expected == nil || *wanted.Expected == "" {
		return textOf(wanted.Expected, func(string) string { return "0" }), nil
	}
	micros, err := domain.RateMicros(wanted.Currency, *wanted.Expected)
	return textOf(&micros, func(m int64) string { return strconv.FormatInt(m, 10) }), err
}

func checkRate(rate rateChange) error {
	switch {
	case !domain.KnownCurrency(rate.Currency):
		return domain.Invalid("currency", "The currency %q is not known.", rate.Currency)
	case rate.Micros <= 0:
		return domain.Invalid("rate", "The rate of %s is not above zero.", rate.Currency)
	case rate.Currency == domain.BaseCurrency:
		return domain.Invalid("currency", "The rate of the base currency %s is always 1.",
			domain.BaseCurrency)
	}
	return nil
}

func (p *permissionChange) setRate(rate rateChange, reason string) (ControlResult, error) {
	result := ControlResult{Kind: domain.ControlRate, Key: rate.Currency}
	present, err := p.tx.NewestRate(p.ctx, rate.Currency)
	if err != nil {
		return result, err
	}
	if present.Micros == rate.Micros {
		result.Unchanged = true
		return result, nil
	}
	if err := p.checkPresent(rate.Expected, strconv.FormatInt(present.Micros, 10),
		domain.RateText(rate.Currency, present.Micros), present.SetBy); err != nil {
		return result, err
	}
	waits, err := p.tx.RateNeedsConfirmation(p.ctx, rate.Currency, rate.Micros)
	if err != nil {
		return result, err
	}
	if waits {
		change := domain.ControlDocument{After: strconv.FormatInt(rate.Micros, 10)}
		if present.Version > 0 {
			change.Before = strconv.FormatInt(present.Micros, 10)
		}
		return p.proposeControl(result.Kind, result.Key, reason, change)
	}
	return result, p.addRate(present, rate.Micros, reason, domain.Proposal{})
}

// addRate writes a rate with its event; proposal is the confirmed one, if any.
func (p *permissionChange) addRate(
	present store.DatedRate, micros int64, reason string, proposal domain.Proposal,
) error {
	if err := p.tx.AddRate(p.ctx, store.DatedRate{Currency: present.Currency, Micros: micros,
		Reason: reason, SetBy: p.actor.UserID, ProposalID: proposal.ID}); err != nil {
		return err
	}
	p.controlChanged(generated.RateChangedV1{Currency: present.Currency, Before: present.Micros,
		After: micros, Reason: reason, By: p.actor.UserID, ProposedBy: proposal.ProposedBy,
		ProposalID: proposal.ID})
	return nil
}

func rateVersion(ctx context.Context, r store.Reader, key string) (int, error) {
	rate, err := r.NewestRate(ctx, key)
	return rate.Version, err
}

func (p *permissionChange) applyRate(
	proposal domain.Proposal, change domain.ControlDocument,
) error {
	micros, err := strconv.ParseInt(change.After, 10, 64)
	if err != nil {
		return domain.Errorf(domain.Internal, "The proposed rate cannot be read.").WithCause(err)
	}
	present, err := p.tx.NewestRate(p.ctx, proposal.Key)
	if err != nil {
		return err
	}
	return p.addRate(present, micros, proposal.Note, proposal)
}

// SeedRate sets the first rate of a currency as the system, for a first installation. It does
// nothing if the rate is already the present one. It is refused if the currency has another rate or
// a person has set a rate, because then two persons are needed.
func (svc *Service) SeedRate(ctx context.Context, currency string, micros int64) error {
	rate := rateChange{Currency: currency, Micros: micros}
	present, err := svc.db.Reader().NewestRate(ctx, currency)
	if err != nil || present.Micros == micros {
		return err
	}
	if err := checkRate(rate); err != nil {
		return err
	}
	spec := permissionCommand{operation: "seedRate", stream: domain.ControlStream, request: rate}
	_, err = runPermissionChange(ctx, svc, domain.SystemActor(), spec,
		func(p *permissionChange) (bool, error) {
			present, err := p.tx.NewestRate(p.ctx, currency)
			if err != nil {
				return false, err
			}
			if present.Version > 0 {
				return false, domain.Errorf(domain.FourEyes, "The currency %s already has a rate.",
					currency).WithRemedy(confirmAnotherPerson)
			}
			return true, p.addRate(present, micros, "", domain.Proposal{})
		})
	return err
}
