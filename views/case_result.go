package views

import (
	"context"
	"encoding/hex"
	"path"
	"slices"

	"countersign/audit"
	"countersign/domain"
	"countersign/export"
)

// CaseResult reads the result of one case: the values in force, findings, decisions and hashes of the
// evidence, as far as the actor may see them. It returns NotFound if they may not read the case.
func (v *Views) CaseResult(ctx context.Context, actor domain.Actor, id domain.ID) (
	export.Result, error) {
	viewer, err := v.loadViewer(ctx, actor)
	if err != nil {
		return export.Result{}, err
	}
	c, _, err := v.readable(ctx, viewer, id)
	if err != nil {
		return export.Result{}, err
	}
	shown := v.caseViewer(viewer)
	seen, err := shown.Case(ctx, c)
	if err != nil {
		return export.Result{}, err
	}
	result := export.Result{Format: export.ResultFormat, ID: c.ID, Reference: c.Reference,
		Status: string(c.Status), Final: c.Status.Final(),
		Process:      export.Versioned{Key: c.ProcessKey, Version: c.ProcessVersion},
		DocumentType: export.Versioned{Key: c.DocumentType, Version: c.DocumentTypeVersion},
		Channel:      string(c.Channel), Counterparty: c.Counterparty, Country: c.Country,
		Amount:         export.MoneyOrNil(c.Amount, c.AmountKnown),
		DeclaredAmount: export.MoneyOrNil(c.DeclaredAmount, true),
		Attributes:     append([]domain.Attribute{}, c.Attributes...),
		AmountAtRisk:   export.MoneyOrNil(c.AtRisk, true), Missing: listed(c.Missing),
		DifferingFields: listed(seen.DifferingFields), CreatedAt: c.CreatedAt.UTC()}
	visible, err := v.readVisible(ctx, viewer.user.ID, []CaseView{seen})
	if err != nil {
		return result, err
	}
	result.Risk, result.UpdatedAt = visible.risk(seen), visible.updatedAt(seen).UTC()
	names, err := v.personNames(ctx, []domain.ID{c.Submitter})
	if err != nil {
		return result, err
	}
	result.Submitter = personOrNil(c.Submitter, names)
	if err := v.resultValues(ctx, seen, &result); err != nil {
		return result, err
	}
	return result, v.resultReviews(ctx, shown, seen, &result)
}

func personOrNil(id domain.ID, names map[domain.ID]string) *export.Person {
	if id == domain.NoID {
		return nil
	}
	return &export.Person{ID: id, Name: names[id]}
}

func (v *Views) resultSupporting(ctx context.Context, id domain.ID, result *export.Result) error {
	supporting, err := v.reader.Supporting(ctx, id)
	result.SupportingDocuments = []export.ResultSupporting{}
	for i := range supporting {
		d := &supporting[i]
		result.SupportingDocuments = append(result.SupportingDocuments, export.ResultSupporting{
			Number: d.Number, Kind: d.Kind, Replaces: d.Replaces, FileName: d.FileName,
			MediaType: d.MediaType, Size: d.Size, SHA256: hex.EncodeToString(d.SHA256),
			CreatedAt: d.CreatedAt.UTC()})
	}
	return err
}

// resultValues adds documents and fields, which everyone who may read the case sees.
func (v *Views) resultValues(ctx context.Context, c CaseView, result *export.Result) error {
	documents, err := v.reader.Documents(ctx, c.ID)
	if err != nil {
		return err
	}
	documents = slices.Clone(documents)
	slices.SortFunc(documents, func(a, b domain.Document) int { return b.Revision - a.Revision })
	result.Documents = []export.ResultDocument{}
	for _, d := range documents {
		result.Documents = append(result.Documents, export.ResultDocument{Revision: d.Revision,
			FileName: d.FileName, MediaType: d.MediaType, Size: d.Size,
			SHA256: hex.EncodeToString(d.SHA256), CreatedAt: d.CreatedAt.UTC()})
	}
	if err := v.resultSupporting(ctx, c.ID, result); err != nil {
		return err
	}
	fields, err := v.reader.Fields(ctx, c.ID)
	result.Fields = []export.ResultField{}
	for _, f := range fields {
		result.Fields = append(result.Fields, export.ResultField{Name: f.Name, Value: f.Normalised,
			Raw: f.Raw, Source: string(f.Source), Page: f.Page, Box: f.Box,
			Confidence: f.Confidence, Grounded: f.Grounded, Revision: f.Revision})
	}
	if err != nil {
		return err
	}
	lines, err := v.reader.LineItems(ctx, c.ID)
	result.LineItems = resultLines(lines)
	return err
}

// resultLines returns the line items of a result.
func resultLines(lines domain.LineItems) export.ResultLineItems {
	money := func(minor *int64) *export.Money {
		if minor == nil {
			return nil
		}
		return export.MoneyOrNil(domain.Money{Minor: *minor, Currency: lines.Currency}, true)
	}
	result := export.ResultLineItems{Currency: lines.Currency, Sum: money(lines.Sum),
		Corrected: lines.By != domain.NoID, Items: []export.ResultLineItem{}}
	for _, item := range lines.Items {
		out := export.ResultLineItem{Description: item.Description, Quantity: item.Quantity,
			Unit: item.Unit, UnitPrice: item.UnitPrice, PriceQuantity: item.PriceQuantity,
			TaxRate: item.TaxRate, Amount: money(item.Minor), Source: string(item.Source),
			Confidence: item.Confidence}
		if item.Allowance != 0 {
			out.Allowance = money(&item.Allowance)
		}
		result.Items = append(result.Items, out)
	}
	return result
}

// resultReviews adds what only staff see: findings, decisions and hashes.
func (v *Views) resultReviews(ctx context.Context, shown *CaseViewer, c CaseView,
	result *export.Result) error {
	result.Findings, result.Decisions = []export.ResultFinding{}, []export.ResultDecision{}
	if c.Audience != domain.AudienceStaff {
		return nil
	}
	rows, err := v.reader.Findings(ctx, c.ID)
	if err != nil {
		return err
	}
	var findings []domain.Finding
	for _, row := range rows {
		findings = append(findings, row.Finding)
	}
	findings = c.Findings(findings)
	for _, f := range findings {
		title, err := v.FindingTitle(ctx, f, "en")
		if err != nil {
			return err
		}
		evidence := f.Evidence
		if evidence == nil {
			evidence = map[string]string{}
		}
		result.Findings = append(result.Findings, export.ResultFinding{Rule: f.Rule,
			RuleSet: f.RuleSet, RuleVersion: f.RuleVersion, Title: title,
			Severity: string(f.Severity), Score: f.Score, Message: f.Message, Evidence: evidence})
	}
	if !c.Redacted {
		result.Chain = &export.Chain{Head: hex.EncodeToString(c.HeadHash), Length: c.LastSeq}
		if c.ManifestKey != "" && c.Status.Final() {
			result.Manifest = &export.Manifest{SHA256: path.Base(c.ManifestKey),
				Path: "/cases/" + c.ID.String() + "/manifest"}
		}
	}
	return v.resultDecisions(ctx, shown, c, findings, result)
}

// resultDecisions adds the decisions of the reviews that the viewer may see.
func (v *Views) resultDecisions(ctx context.Context, shown *CaseViewer, c CaseView,
	findings []domain.Finding, result *export.Result) error {
	reviews, err := v.reader.ReviewsOf(ctx, c.ID)
	if err != nil {
		return err
	}
	if c.Redacted {
		reviews = shown.Reviews(c, reviews)
	}
	if len(reviews) == 0 {
		return nil
	}
	byID := map[domain.ID]domain.Review{}
	for _, review := range reviews {
		byID[review.ID] = review
	}
	decisions, err := v.reader.Decisions(ctx, c.ID)
	if err != nil {
		return err
	}
	var people []domain.ID
	for _, d := range decisions {
		people = append(people, d.Actor, d.OnBehalfOf)
	}
	names, err := v.personNames(ctx, people)
	if err != nil {
		return err
	}
	for _, d := range decisions {
		review, ok := byID[d.ReviewID]
		if !ok {
			continue
		}
		out := export.ResultDecision{ReviewID: d.ReviewID, Queue: review.Queue, Duty: review.Duty,
			Verdict: string(d.Verdict), Reason: d.Reason, Actor: personOrNil(d.Actor, names),
			OnBehalfOf: personOrNil(d.OnBehalfOf, names), At: d.At.UTC(),
			Evidence: c.Evidence(d.Evidence, findings)}
		// The hash of evidence that is partly hidden could be compared with guesses of it.
		if !c.Redacted {
			hash, err := audit.EvidenceHash(d.Evidence)
			if err != nil {
				return err
			}
			out.EvidenceSHA256 = &hash
		}
		result.Decisions = append(result.Decisions, out)
	}
	return nil
}
