package graph

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
)

type (
	delegationPayloadResolver struct{ *resolver }
	absencePayloadResolver    struct{ *resolver }
)

func (r delegationPayloadResolver) Proposal(ctx context.Context, payload *donotuse.DelegationPayload) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, payload.ProposalID)
}

func (r absencePayloadResolver) Proposal(ctx context.Context, payload *donotuse.AbsencePayload) (
	*shape.ControlChange, error) {
	return r.controlChangeByID(ctx, payload.ProposalID)
}

// steeringTextOf describes a proposed delegation, substitute, list of skills or of proxies; "" for none.
func steeringTextOf(kind domain.ProposalKind, document string) string {
	var parts []string
	switch kind {
	case domain.ControlDelegation:
		var proposed casework.DelegationDocument
		if json.Unmarshal([]byte(document), &proposed) != nil {
			return ""
		}
		parts = []string{proposed.DelegateName, periodText(proposed.From, proposed.Until),
			strings.Join(proposed.Queues, ", "), strings.Join(proposed.Types, ", ")}
		if proposed.BaseMinor != nil {
			parts = append(parts, "<= "+domain.Money{Currency: domain.BaseCurrency,
				Minor: *proposed.BaseMinor}.String())
		}
	case domain.ControlAbsence:
		var proposed casework.SubstituteDocument
		if json.Unmarshal([]byte(document), &proposed) != nil {
			return ""
		}
		parts = []string{proposed.Name, periodText(time.Time{}, proposed.Until)}
	case domain.ControlSkills, domain.ControlProxies:
		var skills []string
		if json.Unmarshal([]byte(document), &skills) != nil {
			return ""
		}
		return strings.Join(skills, ", ")
	}
	return joinParts(parts)
}

// periodText is a period in UTC; a zero start is open.
func periodText(from, until time.Time) string {
	const minutes = "2006-01-02 15:04 UTC"
	if from.IsZero() {
		return "– " + until.UTC().Format(minutes)
	}
	return from.UTC().Format(minutes) + " – " + until.UTC().Format(minutes)
}
