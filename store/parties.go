package store

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"countersign/domain"
	"countersign/store/batch"
	"countersign/store/bulk"
)

// EnsureParty returns the party with the normalized name and creates it if it does not exist;
// created reports which.
func (t *Tx) EnsureParty(ctx context.Context,
	key, name string) (id domain.ID, created bool, err error) {
	found, err := t.EnsureParties(ctx, PartyNames{Key: key, Name: name})
	return found.ID, found.Created, err
}

// PartyNames are a party's name with the tax ids that were stated with it.
type PartyNames struct {
	Key, Name string // the normalized name, and as it was stated
	// TaxIDs are normalized like names. The parties of those that are unknown are created in the group
	// of the name if CreateTaxIDs is true, and left out otherwise.
	TaxIDs       []string
	CreateTaxIDs bool
}

// FoundParty is the party of a name. Others are the parties of its tax ids that are in another group.
type FoundParty struct {
	ID      domain.ID
	Created bool
	Others  []domain.ID
	group   domain.ID
}

// EnsureParties returns the party with a name, which it creates if it does not exist, and those of
// its tax ids.
func (t *Tx) EnsureParties(ctx context.Context, names PartyNames) (FoundParty, error) {
	return batchedOr(ctx, t.availableBatchers().parties, names,
		func() (FoundParty, error) {
			values, errs := t.ensureParties(ctx, []PartyNames{names})
			return values[0], errs[0]
		})
}

// ensureParties is EnsureParties for several requests, outside of a transaction.
func (db *DB) ensureParties(ctx context.Context, requests []PartyNames) ([]FoundParty, []error) {
	return (&Tx{Reader: Reader{q: db.pool}}).ensureParties(ctx, requests)
}

// newParty is a party to be created in the group of a name.
type newParty struct {
	id        domain.ID
	key, name string
	ofName    string
}

// ensureParties creates the missing parties in the order of their keys and returns all.
func (t *Tx) ensureParties(
	ctx context.Context, requests []PartyNames,
) ([]FoundParty, []error) {
	known, err := t.partiesByKey(ctx, requests)
	if missing := missingParties(requests, known); err == nil && len(missing) > 0 {
		s := &bulk.Statement{}
		set := bulk.NewRows(s, missing)
		bulk.Column(set, "id", "uuid", func(p *newParty) domain.ID { return p.id })
		bulk.Column(set, "key", "text", func(p *newParty) string { return p.key })
		bulk.Column(set, "name", "text", func(p *newParty) string { return p.name })
		bulk.Column(set, "grp", "uuid",
			func(p *newParty) domain.ID { return known[p.ofName].group })
		var made int64
		made, err = t.exec(ctx, "parties",
			`INSERT INTO parties (id, key, name, group_id, key_form) SELECT x.id, x.key, x.name,
			x.grp, 1
			FROM `+set.From("x")+` ORDER BY x.key ON CONFLICT (key) DO NOTHING`, s.Args()...)
		if err == nil && made < int64(len(missing)) { // another process created some
			known, err = t.partiesByKey(ctx, requests)
		}
	}
	values, errs := batch.SameError[FoundParty](len(requests),
		batch.ErrorOfEach(err, len(requests)))
	for i, request := range requests {
		values[i] = known[request.Key]
		for _, taxID := range request.TaxIDs {
			if of, ok := known[taxID]; ok && of.group != values[i].group {
				values[i].Others = append(values[i].Others, of.ID)
			}
		}
		// created for the first request only
		found := known[request.Key]
		found.Created = false
		known[request.Key] = found
	}
	return values, errs
}

// missingParties adds the parties that do not exist to the known ones, and returns them.
func missingParties(requests []PartyNames, known map[string]FoundParty) (missing []newParty) {
	add := func(key, name, ofName string) {
		if _, ok := known[key]; ok {
			return
		}
		party := newParty{domain.NewID(), key, name, ofName}
		group := party.id
		if ofName != key {
			group = known[ofName].group
		}
		known[key] = FoundParty{ID: party.id, Created: ofName == key, group: group}
		missing = append(missing, party)
	}
	for _, request := range requests {
		add(request.Key, request.Name, request.Key)
	}
	for _, request := range requests {
		for _, taxID := range request.TaxIDs {
			if request.CreateTaxIDs {
				add(taxID, strings.ToUpper(taxID), request.Key)
			}
		}
	}
	return missing
}

func (r Reader) partiesByKey(ctx context.Context,
	requests []PartyNames) (map[string]FoundParty, error) {
	keys := make([]string, 0, len(requests))
	for i := range requests {
		keys = append(append(keys, requests[i].Key), requests[i].TaxIDs...)
	}
	type keyed struct {
		ID    domain.ID
		Key   string
		Group domain.ID
	}
	rows, err := queryAll(ctx, r.q, "parties",
		`SELECT id, key, group_id FROM parties WHERE key = ANY($1)`,
		pgx.RowToStructByPos[keyed], keys)
	known := make(map[string]FoundParty, len(requests))
	for _, row := range rows {
		known[row.Key] = FoundParty{ID: row.ID, group: row.Group}
	}
	return known, err
}
