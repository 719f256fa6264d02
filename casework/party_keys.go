package casework

import (
	"context"

	"countersign/domain"
	"countersign/events/generated"
)

// rekeyBatch bounds the parties of one transaction.
const rekeyBatch = 200

// RekeyParties brings the keys of parties that an older program wrote into the present form. Parties that have one key now
// become one for conflicts and duplicates; claims of people whom a conflict bars by that are withdrawn.
func (svc *Service) RekeyParties(ctx context.Context) error {
	for {
		older, err := svc.db.Reader().HasOlderKeys(ctx)
		if err != nil || !older {
			return err
		}
		spec := permissionCommand{operation: "rekeyParties", stream: domain.PeopleStream}
		if _, err := runPermissionChange(ctx, svc, domain.SystemActor(), spec, rekey); err != nil {
			return err
		}
	}
}

func rekey(p *permissionChange) (int, error) {
	parties, err := p.tx.LockOlderKeys(p.ctx, rekeyBatch)
	if err != nil {
		return 0, err
	}
	for _, party := range parties {
		key := PartyKey(party.Key)
		free, err := p.tx.Rekey(p.ctx, party.ID, key)
		if err != nil {
			return 0, err
		}
		if free {
			continue
		}
		into, err := p.tx.PartyByKey(p.ctx, key)
		if err != nil {
			return 0, err
		}
		if err := p.tx.FoldParty(p.ctx, party.ID, into); err != nil {
			return 0, err
		}
		barred, err := p.tx.PeopleInConflict(p.ctx, into)
		if err != nil {
			return 0, err
		}
		p.affectedUsers = append(p.affectedUsers, barred...)
		p.emit(generated.PartyGroupedV1{PartyID: party.ID, WithPartyID: into})
	}
	return len(parties), nil
}
