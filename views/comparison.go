package views

import (
	"context"
	"slices"
	"strconv"
	"time"

	"countersign/domain"
	"countersign/store"
)

// ComparisonCase is what a comparison shows of the other case, and all that it shows.
type ComparisonCase struct {
	Reference string
	Version   string // of its values
	Status    domain.Status
	CreatedAt time.Time
	// DecidedAt and DecidedBy are about the decisions by which a case ended; empty before, after an end
	// without a person, and if reviews of the case may be confidential.
	DecidedAt time.Time
	DecidedBy []domain.ID
	Pages     []store.PageInfo
	Fields    []ComparisonField // those with a value, in the order of the document type
}

// ComparisonField is one field of the other document, without what is known about its reading.
type ComparisonField struct {
	Spec            domain.DocumentField
	Raw, Normalised string
}

// ComparisonCase reads the other case of a comparison. The caller has checked by the service that the
// actor may compare it. Reviews, findings, events, notes and files beside the pages are left out.
func (v *Views) ComparisonCase(ctx context.Context, actor domain.Actor, c domain.Case) (
	ComparisonCase, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return ComparisonCase{}, err
	}
	shown := v.caseViewer(viewer)
	seen, err := shown.Case(ctx, c)
	if err != nil {
		return ComparisonCase{}, err
	}
	compared := ComparisonCase{Reference: seen.Reference, Status: seen.Status, CreatedAt: seen.CreatedAt,
		Version: strconv.FormatInt(seen.FactsRevision, 10)}
	if compared.Pages, err = v.reader.NewestPages(ctx, c.ID); err != nil {
		return compared, err
	}
	if compared.Fields, err = v.comparisonFields(ctx, seen); err != nil || seen.Redacted {
		return compared, err
	}
	return compared, v.addDecisions(ctx, shown, seen, &compared)
}

func (v *Views) comparisonFields(ctx context.Context, seen CaseView) ([]ComparisonField, error) {
	kind, err := v.DocumentTypeOf(ctx, seen.Case)
	if err != nil {
		return nil, err
	}
	rows, err := v.reader.Fields(ctx, seen.ID)
	if err != nil {
		return nil, err
	}
	var fields []ComparisonField
	for _, spec := range kind.Fields {
		at := slices.IndexFunc(rows, func(row store.CaseField) bool { return row.Name == spec.Name })
		if at >= 0 && !rows[at].IsEmpty() {
			fields = append(fields, ComparisonField{Spec: spec, Raw: rows[at].Raw,
				Normalised: rows[at].Normalised})
		}
	}
	return fields, nil
}

// endingVerdict is the verdict of the decisions by which a case ended with the status.
var endingVerdict = map[domain.Status]domain.Verdict{domain.Archived: domain.Approve,
	domain.Rejected: domain.Reject}

// addDecisions adds who decided a case that has ended. Hidden votes are never among the decisions that
// the reader returns, and those of confidential reviews are only for people who may know of them.
func (v *Views) addDecisions(ctx context.Context, shown *CaseViewer, seen CaseView,
	compared *ComparisonCase) error {
	verdict, ended := endingVerdict[seen.Status]
	if !ended {
		return nil
	}
	reviews, err := v.reader.ReviewsOf(ctx, seen.ID)
	if err != nil {
		return err
	}
	decisions, err := v.reader.Decisions(ctx, seen.ID)
	for i := range decisions {
		decision := &decisions[i]
		confidential := slices.ContainsFunc(reviews, func(review domain.Review) bool {
			return review.ID == decision.ReviewID && domain.ConfidentialQueue(review.Queue)
		})
		if decision.Verdict != verdict || confidential && !shown.seesConfidential(seen.Case) {
			continue
		}
		compared.DecidedAt = decision.At
		if !slices.Contains(compared.DecidedBy, decision.Actor) {
			compared.DecidedBy = append(compared.DecidedBy, decision.Actor)
		}
	}
	return err
}
