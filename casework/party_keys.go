package casework

import (
	"context"

	"countersign/domain"
	"countersign/events/generated"
)

// rekeyBatch is the maximum number of parties in one transaction.
const rekeyBatch = 200

// RekeyParties converts the keys of parties that an older version wrote to the current format.
// Parties with the same new key are merged for conflicts and duplicates, and claims of users who
// then have a conflict are released.
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
