package graph

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/scalar"
	"countersign/graph/shape"
	"countersign/views"
)

// isStaff reports whether the viewer may see the review work on the case.
func isStaff(c *shape.Case) bool { return c.Audience == domain.AudienceStaff }

func (caseResolver) Risk(ctx context.Context, c *shape.Case) (*int, error) {
	if !isStaff(c) {
		return nil, nil
	}
	findings, err := findingsOf(ctx, c)
	risk := c.VisibleRisk(findings)
	return &risk, err
}

// UpdatedAt is the time of the last event that the viewer may see.
func (caseResolver) UpdatedAt(ctx context.Context, c *shape.Case) (*time.Time, error) {
	if !c.Redacted {
		return &c.Case.UpdatedAt, nil
	}
	visible, err := visibleEventsOf(ctx, c)
	if len(visible) == 0 {
		return &c.CreatedAt, err
	}
	return &visible[len(visible)-1].At, err
}

func (caseResolver) CorrelationID(_ context.Context, c *shape.Case) (*string, error) {
	if !isStaff(c) || c.Case.CorrelationID == "" {
		return nil, nil
	}
	return &c.Case.CorrelationID, nil
}

func (caseResolver) Submitter(ctx context.Context, c *shape.Case) (*domain.User, error) {
	return loadPerson(ctx, c.Case.Submitter)
}

func (caseResolver) Cursor(ctx context.Context, c *shape.Case) (string, error) {
	if !c.Redacted {
		return scalar.EventCursor(c.LastSeq), nil
	}
	visible, err := visibleEventsOf(ctx, c)
	return scalar.EventCursor(int64(len(visible))), err
}

func (caseResolver) Document(ctx context.Context, c *shape.Case) (*domain.Document, error) {
	documents, err := shareOfCase(loadersFrom(ctx).batchOf(c.ID).documents())(c.ID)
	if err != nil || len(documents) == 0 {
		return nil, err
	}
	newest := slices.MaxFunc(documents, func(a, b domain.Document) int {
		return a.Revision - b.Revision
	})
	return &newest, nil
}

func (caseResolver) Documents(ctx context.Context, c *shape.Case) ([]domain.Document, error) {
	documents, err := shareOfCase(loadersFrom(ctx).batchOf(c.ID).documents())(c.ID)
	documents = slices.Clone(documents)
	slices.SortFunc(documents, func(a, b domain.Document) int { return b.Revision - a.Revision })
	return documents, err
}

func (caseResolver) Fields(ctx context.Context, c *shape.Case) ([]domain.Field, error) {
	return shareOfCase(loadersFrom(ctx).batchOf(c.ID).fields())(c.ID)
}

func (r caseResolver) CounterpartyUncertain(ctx context.Context, c *shape.Case) (bool, error) {
	if c.Counterparty == "" {
		return false, nil
	}
	fields, err := r.Fields(ctx, c)
	return views.CounterpartyUncertain(c.Counterparty, fields), err
}

func (caseResolver) Findings(ctx context.Context, c *shape.Case) ([]domain.Finding, error) {
	return findingsOf(ctx, c)
}

func (caseResolver) OpenReview(ctx context.Context, c *shape.Case) (*domain.Review, error) {
	reviews, err := reviewsOf(ctx, c)
	for i := range reviews {
		if s := reviews[i].Status; s == domain.ReviewOpen || s == domain.ReviewClaimed {
			return &reviews[i], nil
		}
	}
	return nil, err
}

func (caseResolver) Reviews(ctx context.Context, c *shape.Case) ([]domain.Review, error) {
	return reviewsOf(ctx, c)
}

func (caseResolver) Decisions(ctx context.Context, c *shape.Case) ([]domain.Decision, error) {
	reviews, err := reviewsOf(ctx, c)
	if err != nil || len(reviews) == 0 {
		return []domain.Decision{}, err
	}
	decisions, err := shareOfCase(loadersFrom(ctx).batchOf(c.ID).decisions())(c.ID)
	return slices.DeleteFunc(slices.Clone(decisions), func(d domain.Decision) bool {
		return !slices.ContainsFunc(reviews, func(r domain.Review) bool {
			return r.ID == d.ReviewID
		})
	}), err
}

// maxEvents limits the events shown with a case; subscriptions and the audit trail read the whole
// log.
const maxEvents = 100

func (caseResolver) LastEvents(ctx context.Context, c *shape.Case, last int) (
	[]shape.CaseEvent, error) {
	if last < 1 || last > maxEvents {
		return nil, domain.Invalid("last", "Request between 1 and %d events.", maxEvents)
	}
	if c.Redacted {
		visible, err := visibleEventsOf(ctx, c)
		shown := []shape.CaseEvent{}
		for _, event := range visible[max(len(visible)-last, 0):] {
			shown = append(shown, shape.CaseEvent{VisibleEvent: event, CaseID: c.ID})
		}
		return shown, err
	}
	all, err := shareOfCase(loadersFrom(ctx).batchOf(c.ID).
		lastEvents(newestEvents{last, c.Audience}))(c.ID)
	return visibleEvents(all, c, callerOf(ctx).UserID), err
}

func (caseResolver) Incident(ctx context.Context, c *shape.Case) (*domain.StageRun, error) {
	if c.Status != domain.Incident {
		return nil, nil
	}
	runs, err := shareOfCase(loadersFrom(ctx).batchOf(c.ID).runs())(c.ID)
	for i := range slices.Backward(runs) {
		if runs[i].Status == domain.RunIncident {
			return &runs[i], nil
		}
	}
	return nil, err
}

func (r caseResolver) FieldForm(ctx context.Context, c *shape.Case) ([]views.FieldForm, error) {
	fields, err := r.Fields(ctx, c)
	if err != nil {
		return nil, err
	}
	findings, err := findingsOf(ctx, c)
	if err != nil {
		return nil, err
	}
	kind, err := r.views.DocumentTypeOf(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	return views.Form(kind, c.Case, fields, findings), nil
}

func (caseResolver) Chain(_ context.Context, c *shape.Case) (*donotuse.Chain, error) {
	if !isStaff(c) || c.Redacted {
		return nil, nil
	}
	return &donotuse.Chain{Head: hex.EncodeToString(c.HeadHash), Length: c.LastSeq}, nil
}

// ManifestPath follows the check of the service: submitters and people who may not know of
// confidential reviews cannot open the manifest.
func (caseResolver) ManifestPath(_ context.Context, c *shape.Case) (*string, error) {
	if c.ManifestKey == "" || !isStaff(c) || c.Redacted {
		return nil, nil
	}
	path := fmt.Sprintf("/cases/%s/manifest", c.ID)
	return &path, nil
}

// PackPath is the address of the evidence pack. The HTTP adapter checks the right itself.
func (caseResolver) PackPath(_ context.Context, c *shape.Case) (*string, error) {
	if !isStaff(c) || c.Redacted {
		return nil, nil
	}
	path := fmt.Sprintf("/cases/%s/pack", c.ID)
	return &path, nil
}

func (documentResolver) Sha256(_ context.Context, d *domain.Document) (string, error) {
	return hex.EncodeToString(d.SHA256), nil
}

// The HTTP adapter serves these paths and checks the right itself.
func (documentResolver) Path(_ context.Context, d *domain.Document) (string, error) {
	return fmt.Sprintf("/cases/%s/document?revision=%d", d.CaseID, d.Revision), nil
}

func (documentResolver) ArchiveCopyPath(_ context.Context, d *domain.Document) (*string, error) {
	// An e-invoice without pages has no copy, and nothing has one after its erasure.
	if d.ReadAt.IsZero() || d.BlobKey == "" || d.MediaType == "application/xml" {
		return nil, nil
	}
	path := fmt.Sprintf("/cases/%s/archive-copy?revision=%d", d.CaseID, d.Revision)
	return &path, nil
}

func (r documentResolver) Pages(ctx context.Context, d *domain.Document) ([]domain.Page, error) {
	return r.views.Reader().Pages(ctx, d.CaseID, d.Revision)
}

func (pageResolver) Path(_ context.Context, p *domain.Page) (string, error) {
	return pagePath(p), nil
}

func pagePath(p *domain.Page) string {
	if p.Supporting > 0 {
		return fmt.Sprintf("/cases/%s/documents/%d/pages/%d", p.CaseID, p.Supporting, p.Number)
	}
	return fmt.Sprintf("/cases/%s/pages/%d?revision=%d", p.CaseID, p.Number, p.Revision)
}

func (findingResolver) Evidence(_ context.Context, f *domain.Finding) (
	[]donotuse.NameValue, error) {
	return namedValues(f.Evidence), nil
}

func namedValues(from map[string]string) []donotuse.NameValue {
	values := make([]donotuse.NameValue, 0, len(from))
	for _, name := range slices.Sorted(maps.Keys(from)) {
		values = append(values, donotuse.NameValue{Name: name, Value: from[name]})
	}
	return values
}

func (caseEventResolver) Cursor(_ context.Context, e *shape.CaseEvent) (string, error) {
	return scalar.EventCursor(e.Seq), nil
}

func (caseEventResolver) Type(_ context.Context, e *shape.CaseEvent) (string, error) {
	return string(e.VisibleEvent.Type), nil
}

func (caseEventResolver) Status(_ context.Context, e *shape.CaseEvent) (*domain.Status, error) {
	if e.VisibleEvent.Status == "" {
		return nil, nil
	}
	return &e.VisibleEvent.Status, nil
}

func (caseEventResolver) Actor(ctx context.Context, e *shape.CaseEvent) (*domain.User, error) {
	return loadPerson(ctx, e.VisibleEvent.Actor)
}

func (caseEventResolver) OnBehalfOf(ctx context.Context, e *shape.CaseEvent) (*domain.User, error) {
	return loadPerson(ctx, e.VisibleEvent.OnBehalfOf)
}

// Traceparent is for viewers who see the whole log, because events of one request have one trace id,
// also those that others may not see.
func (caseEventResolver) Traceparent(_ context.Context, e *shape.CaseEvent) (*string, error) {
	if !e.Whole || e.VisibleEvent.Traceparent == "" {
		return nil, nil
	}
	return &e.VisibleEvent.Traceparent, nil
}

// personIDProperties are the properties of event bodies that contain user ids.
var personIDProperties = []string{"assignee", "formerAssignee", "from", "to", "by", "person"}

func (caseEventResolver) People(ctx context.Context, e *shape.CaseEvent) (
	[]donotuse.EventPerson, error) {
	named := []donotuse.EventPerson{}
	var body map[string]any
	if json.Unmarshal(e.Body, &body) != nil {
		return named, nil // erased
	}
	for _, property := range personIDProperties {
		written, _ := body[property].(string)
		id, err := domain.ParseID(written)
		if err != nil || id == domain.NoID {
			continue
		}
		someone, err := loadPerson(ctx, id)
		if err != nil {
			return nil, err
		}
		if someone != nil {
			named = append(named, donotuse.EventPerson{Property: property, Person: *someone})
		}
	}
	return named, nil
}

func (caseEventResolver) Case(ctx context.Context, e *shape.CaseEvent) (*shape.Case, error) {
	return loadersFrom(ctx).cases.Load(ctx, e.CaseID)
}

func (incidentResolver) ID(_ context.Context, run *domain.StageRun) (string, error) {
	return scalar.GlobalID(scalar.KindIncident, run.ID), nil
}

func (incidentResolver) Version(_ context.Context, run *domain.StageRun) (string, error) {
	return strconv.Itoa(run.Attempt), nil
}

func (incidentResolver) Case(ctx context.Context, run *domain.StageRun) (*shape.Case, error) {
	return loadersFrom(ctx).cases.Load(ctx, run.CaseID)
}

func (incidentResolver) Code(_ context.Context, run *domain.StageRun) (string, error) {
	return string(run.ErrorCode), nil
}

func (incidentResolver) Message(_ context.Context, run *domain.StageRun) (string, error) {
	return run.ErrorText, nil
}

func (incidentResolver) OpenedAt(_ context.Context, run *domain.StageRun) (*time.Time, error) {
	return timeOrNil(run.EndedAt), nil
}

var incidentActions = map[domain.Action]donotuse.IncidentAction{
	domain.ActRetry:   donotuse.IncidentActionRetry,
	domain.ActReplace: donotuse.IncidentActionReplaceDocument,
	domain.ActEnter:   donotuse.IncidentActionEnterFields,
	domain.ActAbandon: donotuse.IncidentActionAbandon,
}

func (incidentResolver) Actions(ctx context.Context, run *domain.StageRun) (
	[]donotuse.IncidentAction, error) {
	allowed, err := loadersFrom(ctx).batchOf(run.CaseID).incidentActions()
	actions := []donotuse.IncidentAction{}
	for _, action := range allowed[run.CaseID] {
		actions = append(actions, incidentActions[action])
	}
	return actions, err
}
