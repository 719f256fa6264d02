package views

import (
	"bytes"
	"context"
	"fmt"

	"countersign/audit"
	"countersign/domain"
)

// signatureProblems returns the decisions of a case whose signature is not valid.
func (v *Views) signatureProblems(ctx context.Context, decisions []domain.Decision) (
	[]audit.RowProblem, error) {
	var ids []domain.ID
	for i := range decisions {
		if signature := decisions[i].Signature; signature != nil {
			ids = append(ids, signature.PasskeyID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	passkeys, err := v.reader.Passkeys(ctx, ids)
	if err != nil {
		return nil, err
	}
	keys := map[domain.ID]audit.RegisteredKey{}
	for _, p := range passkeys {
		keys[p.ID] = audit.KeyOf(p)
	}
	return audit.SignatureProblems(decisions, keys), nil
}

// passkeysOf reads the rows of passkeys that follow from the events of a stream.
func (v *Views) passkeysOf(ctx context.Context, stream domain.ID) ([]domain.Passkey, error) {
	if stream != domain.PeopleStream.ID {
		return nil, nil
	}
	return v.reader.AllPasskeys(ctx)
}

// passkeyProblems compares the rows of passkeys with the events about their registration. The rows
// were read after the event recorded and before the events, so the rows of later events may be absent.
func passkeyProblems(passkeys []domain.Passkey, registered map[domain.ID]*domain.Event,
	recorded int64) []audit.RowProblem {
	var problems []audit.RowProblem
	found := map[domain.ID]bool{}
	for _, p := range passkeys {
		event := registered[p.ID]
		if event == nil {
			problems = append(problems, audit.RowProblem{Message: fmt.Sprintf(
				"the passkey %s was added: no event registers it", p.ID)})
			continue
		}
		found[p.ID] = true
		key, err := audit.ParseRegistration(event)
		if err != nil || !bytes.Equal(key.Hash(), audit.KeyOf(p).Hash()) {
			problems = append(problems, audit.RowProblem{Seq: event.Seq, Message: fmt.Sprintf(
				"the passkey %s was changed: it is not the one of event %d", p.ID, event.Seq)})
		}
	}
	for id, event := range registered {
		if !found[id] && event.Seq <= recorded {
			problems = append(problems, audit.RowProblem{Seq: event.Seq, Message: fmt.Sprintf(
				"the passkey %s of event %d is missing", id, event.Seq)})
		}
	}
	return problems
}
