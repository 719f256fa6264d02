package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

// riskLevels maps the stored risk levels to those of the API.
var riskLevels = map[string]donotuse.CountryRiskLevel{"": donotuse.CountryRiskLevelNone,
	"elevated": donotuse.CountryRiskLevelElevated, "high": donotuse.CountryRiskLevelHigh}

func storedRiskLevel(level donotuse.CountryRiskLevel) string {
	for stored, shown := range riskLevels {
		if shown == level {
			return stored
		}
	}
	return ""
}

func (r queryResolver) CountryRisks(ctx context.Context) ([]donotuse.CountryRisk, error) {
	risks, err := r.views.CountryRisks(ctx, callerOf(ctx))
	shown := make([]donotuse.CountryRisk, 0, len(risks))
	for _, risk := range risks {
		shown = append(shown, donotuse.CountryRisk{Country: risk.Country,
			Level: riskLevels[risk.Level], Reason: risk.Reason, By: risk.ChangedBy,
			ChangedAt: risk.ChangedAt})
	}
	return shown, err
}

func (r queryResolver) ExchangeRates(ctx context.Context) (*donotuse.ExchangeRates, error) {
	found, err := r.views.Rates(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	shown := &donotuse.ExchangeRates{Percent: found.Percent, BaseCurrency: domain.BaseCurrency,
		Rates: []donotuse.ExchangeRate{}}
	for _, rate := range found.Rates {
		since := timeOrNil(rate.SetAt)
		if rate.SetAt.Year() <= 1 { // '-infinity' in the table
			since = nil
		}
		shown.Rates = append(shown.Rates, donotuse.ExchangeRate{Currency: rate.Currency,
			Rate:          domain.RateText(rate.Currency, rate.Micros),
			ConfirmedRate: domain.RateText(rate.Currency, rate.Confirmed), Reason: rate.Reason,
			By: rate.SetBy, Since: since})
	}
	return shown, nil
}

// personOrSystem loads a person; the system is shown as null.
func personOrSystem(ctx context.Context, id domain.ID) (*domain.User, error) {
	if id == domain.SystemUserID || id == domain.NoID {
		return nil, nil
	}
	return loadPerson(ctx, id)
}

func (countryRiskResolver) ChangedBy(ctx context.Context, risk *donotuse.CountryRisk) (
	*domain.User, error) {
	return personOrSystem(ctx, risk.By)
}

func (exchangeRateResolver) SetBy(ctx context.Context, rate *donotuse.ExchangeRate) (
	*domain.User, error) {
	return personOrSystem(ctx, rate.By)
}

func (r queryResolver) ControlChanges(ctx context.Context, first int, after *string,
	filter *donotuse.ControlChangeFilter) (*donotuse.ControlChangeConnection, error) {
	query := views.ProposalQuery{Limit: first}
	err := checkPageSize(first)
	if err == nil && after != nil {
		query.Before, err = parseCursor("p", *after)
	}
	if err != nil {
		return nil, err
	}
	if filter != nil && filter.Kind != nil {
		query.Kind = *filter.Kind
	}
	if filter != nil && filter.Status != nil {
		query.Status = *filter.Status
	}
	page, err := r.views.ControlChanges(ctx, callerOf(ctx), query)
	if err != nil {
		return nil, err
	}
	connection := &donotuse.ControlChangeConnection{Edges: []donotuse.ControlChangeEdge{},
		Nodes:    []shape.ControlChange{},
		PageInfo: donotuse.PageInfo{HasNextPage: page.HasMore, HasPreviousPage: after != nil}}
	for _, proposal := range page.Proposals {
		change := controlChangeOf(proposal)
		connection.Nodes = append(connection.Nodes, change)
		connection.Edges = append(connection.Edges,
			donotuse.ControlChangeEdge{Cursor: makeCursor("p", proposal.ID), Node: change})
	}
	if n := len(connection.Edges); n > 0 {
		connection.PageInfo.StartCursor,
			connection.PageInfo.EndCursor = &connection.Edges[0].Cursor,
			&connection.Edges[n-1].Cursor
	}
	return connection, nil
}

func controlChangeOf(p domain.Proposal) shape.ControlChange {
	change := shape.ControlChange{Proposal: p, Kind: p.Kind, Subject: p.Key, Reason: p.Note,
		Status: p.Status, ProposedAt: p.ProposedAt, WithdrawalReason: p.Reason}
	if p.Status != domain.ProposalOpen {
		change.DecidedAt = timeOrNil(p.DecidedAt)
	}
	var document domain.ControlDocument
	_ = json.Unmarshal([]byte(p.Document), &document) // the service wrote it
	change.Before, change.After, change.PersonID = document.Before, document.After, document.Person
	switch p.Kind {
	case domain.ControlRate:
		change.Before = rateTextOf(p.Key, document.Before)
		change.After = rateTextOf(p.Key, document.After)
	case domain.ControlSampleShare:
		change.Before, change.After = shareTextOf(document.Before), shareTextOf(document.After)
	case domain.ControlDrawMark:
		change.Before, change.After = markTextOf(document.Before), markTextOf(document.After)
	case domain.ControlConnector:
		change.Before, change.After = specTextOf(document.Before), specTextOf(document.After)
	case domain.ControlPerson, domain.ControlSignIn:
		change.Subject = document.Name
		change.Before, change.After = accountTextOf(document.Before), accountTextOf(document.After)
	case domain.ControlQueue:
		change.Before, change.After = queueTextOf(document.Before), queueTextOf(document.After)
	case domain.ControlCalendar:
		change.Before, change.After = calendarTextOf(document.Before), calendarTextOf(document.After)
	case domain.ControlProxies:
		change.Subject = ""
		change.Before, change.After = steeringTextOf(p.Kind, document.Before),
			steeringTextOf(p.Kind, document.After)
	case domain.ControlDelegation, domain.ControlAbsence, domain.ControlSkills:
		change.Subject = document.Name
		change.Before, change.After = steeringTextOf(p.Kind, document.Before),
			steeringTextOf(p.Kind, document.After)
	case domain.ControlLimit:
		change.Before, change.After = limitTextOf(document.Before), limitTextOf(document.After)
	case domain.ControlConflictEnd, domain.ControlPartyLeave, domain.ControlPartyJoin,
		domain.ControlErasure, domain.ControlLegalHold:
		change.Subject = document.Name
	case domain.ControlGroupRole:
		mapped, _ := domain.ParseGroupRole(p.Key)
		change.Subject, change.After = mapped.Provider+": "+mapped.Group, string(mapped.Role)
	case domain.ControlMigration:
		change.After = migrationTextOf(document.After)
	case domain.ControlOwners:
		change.Before, change.After = ownersTextOf(document.Before), ownersTextOf(document.After)
	}
	return change
}

// accountTextOf describes an account of a proposal; "" for none.
func accountTextOf(document string) string {
	var account casework.PersonDocument
	if json.Unmarshal([]byte(document), &account) != nil {
		return ""
	}
	roles := make([]string, 0, len(account.Roles))
	for _, role := range account.Roles {
		roles = append(roles, string(role))
	}
	parts := []string{account.Email, account.EmployeeID, strings.Join(roles, ", "),
		strings.Join(account.Queues, ", ")}
	if account.Disabled {
		parts = append(parts, "disabled")
	}
	return joinParts(parts)
}

// joinParts joins the parts of a description that are not empty.
func joinParts(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "; ")
}

// queueTextOf describes the rule of a queue; "" for none.
func queueTextOf(document string) string {
	var rule domain.QueueRule
	if json.Unmarshal([]byte(document), &rule) != nil {
		return ""
	}
	parts := []string{string(rule.Strategy), rule.Calendar}
	if rule.Cap > 0 {
		parts = append(parts, fmt.Sprintf("<= %d", rule.Cap))
	}
	if rule.MoveToQueue != "" {
		parts = append(parts, fmt.Sprintf("%d -> %s", rule.MoveAfterMissedClaims, rule.MoveToQueue))
	}
	return joinParts(parts)
}

// calendarTextOf describes a calendar, its weekdays counted from Sunday; "" for none.
func calendarTextOf(document string) string {
	var calendar casework.CalendarDocument
	if json.Unmarshal([]byte(document), &calendar) != nil {
		return ""
	}
	parts := []string{calendar.Zone}
	for day, spans := range calendar.Hours {
		for _, span := range spans {
			parts = append(parts, fmt.Sprintf("%s %s-%s", time.Weekday(day), clockText(span.From),
				clockText(span.To)))
		}
	}
	return strings.Join(append(parts, calendar.Holidays...), "; ")
}

// limitTextOf is a limit of a proposal in the base currency; "unlimited", or "" for none.
func limitTextOf(minor string) string {
	n, err := strconv.ParseInt(minor, 10, 64)
	if err != nil {
		return minor
	}
	return domain.Money{Currency: domain.BaseCurrency, Minor: n}.String()
}

func rateTextOf(currency, micros string) string {
	n, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return ""
	}
	return domain.RateText(currency, n)
}

// controlChangeByID loads a proposal for a payload; without one it returns null.
func (r *resolver) controlChangeByID(ctx context.Context, id domain.ID) (
	*shape.ControlChange, error) {
	if id == domain.NoID {
		return nil, nil
	}
	proposal, err := r.views.ControlChange(ctx, callerOf(ctx), id)
	change := controlChangeOf(proposal)
	return nullIfNotFound(&change, err)
}

func (controlChangeResolver) ID(_ context.Context, c *shape.ControlChange) (string, error) {
	return scalar.GlobalID(scalar.KindProposal, c.Proposal.ID), nil
}

func (controlChangeResolver) Version(_ context.Context, c *shape.ControlChange) (string, error) {
	return casework.ProposalVersion(c.Proposal), nil
}

func (controlChangeResolver) Person(ctx context.Context, c *shape.ControlChange) (
	*domain.User, error) {
	return personOrSystem(ctx, c.PersonID)
}

func (controlChangeResolver) ProposedBy(ctx context.Context, c *shape.ControlChange) (
	*domain.User, error) {
	return loadPerson(ctx, c.Proposal.ProposedBy)
}

func (controlChangeResolver) DecidedBy(ctx context.Context, c *shape.ControlChange) (
	*domain.User, error) {
	return personOrSystem(ctx, c.Proposal.DecidedBy)
}

func (r controlResultResolver) Proposal(ctx context.Context, result *donotuse.ControlResult) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, result.ProposalID)
}

func (r endConflictResolver) Proposal(ctx context.Context, payload *donotuse.EndConflictPayload) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, payload.ProposalID)
}

func (r groupPartyResolver) Proposal(ctx context.Context, payload *donotuse.GroupPartyPayload) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, payload.ProposalID)
}

func (r putPersonResolver) Proposal(ctx context.Context, payload *donotuse.PutPersonPayload) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, payload.ProposalID)
}

func (r setLimitResolver) Proposal(ctx context.Context, payload *donotuse.SetLimitPayload) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, payload.ProposalID)
}

// controlPayload converts the outcome of a command; confirmed says that a proposal took effect.
func controlPayload(done []casework.ControlResult, confirmed bool, err error) (
	*donotuse.ControlPayload, error) {
	payload := &donotuse.ControlPayload{Results: []donotuse.ControlResult{}}
	if err == nil {
		for _, result := range done {
			shown := donotuse.ControlResult{Kind: result.Kind,
				Key: result.Key, ProposalID: result.ProposalID,
				Applied: confirmed || result.ProposalID == domain.NoID && !result.Unchanged}
			if result.Link != nil {
				shown.SignInLink = &donotuse.SignInLink{Secret: result.Link.Secret,
					ExpiresAt: result.Link.ExpiresAt}
			}
			shown.SignInLinkSentTo, shown.SignInLinkFailed = optional(result.LinkSentTo), result.LinkFailed
			payload.Results = append(payload.Results, shown)
		}
	}
	payload.UserErrors, err = userErrorsOf(err)
	return payload, err
}

func (r mutationResolver) SetCountryRisks(ctx context.Context, in donotuse.SetCountryRisksInput) (
	*donotuse.ControlPayload, error) {
	command := casework.SetCountryRisks{Reason: in.Reason,
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}}
	for _, country := range in.Countries {
		change := casework.CountryRiskChange{
			Country: strings.ToUpper(country.Country), Level: storedRiskLevel(country.Level)}
		if country.ExpectedLevel != nil {
			change.Expected = new(string)
			*change.Expected = storedRiskLevel(*country.ExpectedLevel)
		}
		command.Changes = append(command.Changes, change)
	}
	done, err := r.service.SetCountryRisks(ctx, callerOf(ctx), command)
	return controlPayload(done, false, err)
}

func (r mutationResolver) SetExchangeRates(ctx context.Context,
	in donotuse.SetExchangeRatesInput) (*donotuse.ControlPayload, error) {
	command := casework.SetRates{Reason: in.Reason,
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}}
	for _, rate := range in.Rates {
		command.Rates = append(command.Rates, casework.RateText{
			Currency: strings.ToUpper(strings.TrimSpace(rate.Currency)), Rate: rate.Rate,
			Expected: rate.ExpectedRate})
	}
	done, err := r.service.SetRates(ctx, callerOf(ctx), command)
	return controlPayload(done, false, err)
}

func (r mutationResolver) ConfirmControlChange(ctx context.Context,
	in donotuse.ConfirmControlChangeInput) (*donotuse.ControlPayload, error) {
	end := casework.EndProposal{Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)},
		ExpectedVersion: valueOrEmpty(in.ExpectedVersion),
		WithoutOwners:   valueOrEmpty(in.WithoutOwners),
		ExpectedEffect:  valueOrEmpty(in.ExpectedEffect)}
	return endControlChange(ctx, in.ProposalID, end, true, r.service.ConfirmControlChange)
}

// ResetSignIn proposes a link by which a person chooses another password.
func (r mutationResolver) ResetSignIn(ctx context.Context, in donotuse.ResetSignInInput) (
	*donotuse.ControlPayload, error) {
	command := casework.ResetSignIn{Reason: in.Reason,
		Once: casework.Once{Key: valueOrEmpty(in.IdempotencyKey)}}
	var err error
	if command.PersonID, err = scalar.IDOf(scalar.KindPerson, "personId", in.PersonID); err != nil {
		return controlPayload(nil, false, err)
	}
	done, err := r.service.ResetSignIn(ctx, callerOf(ctx), command)
	return controlPayload([]casework.ControlResult{done}, false, err)
}

func (r mutationResolver) WithdrawControlChange(ctx context.Context,
	in donotuse.WithdrawProposalInput) (*donotuse.ControlPayload, error) {
	return endControlChange(ctx, in.ProposalID, withdrawCommand(in), false,
		r.service.WithdrawControlChange)
}

// endControlChange parses the id of a proposal and runs a command that ends it.
func endControlChange(ctx context.Context, id string, end casework.EndProposal, confirms bool,
	run func(context.Context, domain.Actor, casework.EndProposal) (casework.ControlResult, error),
) (*donotuse.ControlPayload, error) {
	var err error
	if end.ProposalID, err = scalar.IDOf(scalar.KindProposal, "proposalId", id); err != nil {
		return controlPayload(nil, false, err)
	}
	done, err := run(ctx, callerOf(ctx), end)
	return controlPayload([]casework.ControlResult{done}, confirms, err)
}
