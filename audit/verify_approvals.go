package audit

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"countersign/domain"
)

// approvalVerifier verifies the signatures of approvals. A passkey signs only what is recorded later
// than its own registration.
type approvalVerifier struct {
	keys       map[domain.ID]RegisteredKey // by passkey
	registered map[domain.ID]indexedLeaf   // by passkey
	decided    map[domain.ID]int64         // index of the leaf by review
	signed     []*domain.Decision
	leaves     int64 // number of leaves so far
	valid      int64
}

type indexedLeaf struct {
	Leaf
	index int64
}

func newApprovalVerifier() approvalVerifier {
	return approvalVerifier{keys: map[domain.ID]RegisteredKey{},
		registered: map[domain.ID]indexedLeaf{}, decided: map[domain.ID]int64{}}
}

func (v *approvalVerifier) addLeaf(leaf Leaf, index int64) {
	switch leaf.Kind {
	case LeafPasskey:
		v.registered[leaf.Item] = indexedLeaf{leaf, index}
	case LeafDecision:
		v.decided[leaf.Item] = index
	}
}

// addEvent adds an event whose chain is verified separately.
func (v *approvalVerifier) addEvent(event *domain.Event) {
	if event.Type != domain.PasskeyRegistered {
		return
	}
	if key, err := ParseRegistration(event); err == nil {
		v.keys[key.ID] = key
	}
}

func (v *approvalVerifier) addDecisions(decisions []domain.Decision) {
	for i := range decisions {
		if decisions[i].Signature != nil {
			v.signed = append(v.signed, &decisions[i])
		}
	}
}

// breaks returns what is wrong after everything was added. A complete record has all registrations that
// the checkpoints have.
func (v *approvalVerifier) breaks(complete bool) []Break {
	var found []Break
	for _, id := range slices.SortedFunc(maps.Keys(v.registered), domain.CompareIDs) {
		leaf := v.registered[id].Leaf
		key, known := v.keys[id]
		if known && !bytes.Equal(key.Hash(), leaf.Hash) || !known && complete {
			found = append(found, *MissingLeaf(leaf))
		}
	}
	for _, d := range v.signed {
		if fault := v.faultOf(d); fault != "" {
			found = append(found, Break{Stream: d.CaseID, Kind: BreakAlteredRow, Message: fault})
			continue
		}
		v.valid++
	}
	return found
}

// faultOf returns what is wrong with the signature of a decision, "" if nothing is.
func (v *approvalVerifier) faultOf(d *domain.Decision) string {
	if fault := signatureFault(d, v.keys); fault != "" {
		return fault
	}
	at, recorded := v.decided[d.ReviewID]
	if !recorded {
		return "" // no checkpoint has the decision yet
	}
	registered, known := v.registered[d.Signature.PasskeyID]
	if !known || registered.index > at {
		return fmt.Sprintf("the passkey that signed the decision on review %s was registered after it",
			d.ReviewID)
	}
	return ""
}
