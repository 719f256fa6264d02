package graph

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"

	"countersign/casework"
	"countersign/domain"
	"countersign/graph/donotuse"
	"countersign/graph/shape"
)

func (r caseResolver) SupportingDocuments(ctx context.Context, c *shape.Case) (
	[]donotuse.SupportingDocument, error) {
	all, err := r.views.Reader().Supporting(ctx, c.ID)
	shown := []donotuse.SupportingDocument{}
	if err != nil || len(all) == 0 {
		return shown, err
	}
	rules, err := r.views.DocumentRules(ctx, c.Case)
	if err != nil {
		return nil, err
	}
	for i := range all {
		d := &all[i]
		replaced := slices.ContainsFunc(all,
			func(o domain.SupportingDocument) bool { return o.Replaces == d.Number })
		label := rules[d.Kind].Label
		shown = append(shown, donotuse.SupportingDocument{Number: d.Number, Kind: d.Kind,
			Label: titleOf(label, d.Kind), Labels: namedValues(label), Replaces: optional(d.Replaces),
			Current: !replaced, FileName: d.FileName, MediaType: d.MediaType, Size: d.Size,
			Sha256: hex.EncodeToString(d.SHA256), CreatedAt: d.CreatedAt,
			Path: fmt.Sprintf("/cases/%s/documents/%d", d.CaseID, d.Number)})
	}
	return shown, nil
}

func (r caseResolver) SupportingReadings(ctx context.Context, c *shape.Case) (
	[]donotuse.SupportingReading, error) {
	reader, shown := r.views.Reader(), []donotuse.SupportingReading{}
	all, err := reader.Supporting(ctx, c.ID)
	if err != nil || len(all) == 0 {
		return shown, err
	}
	pages, counts, err := reader.SupportingPages(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	opened, err := reader.OpenedSupporting(ctx, c.ID, callerOf(ctx).UserID)
	if err != nil {
		return nil, err
	}
	for i := range all {
		number := all[i].Number
		_, read := counts[number]
		one := donotuse.SupportingReading{Number: number, Read: read,
			Opened: slices.Contains(opened, number), Pages: []donotuse.SupportingPage{}}
		for j := range pages {
			if page := &pages[j]; page.Supporting == number {
				one.Pages = append(one.Pages, donotuse.SupportingPage{Number: page.Number, Width: page.Width,
					Height: page.Height, Path: pagePath(page)})
			}
		}
		shown = append(shown, one)
	}
	return shown, nil
}

// documentDeclarations returns the kinds of supporting documents that a process declares.
func documentDeclarations(rules []domain.DocumentRule) []donotuse.DocumentDeclaration {
	shown := []donotuse.DocumentDeclaration{}
	for _, rule := range rules {
		shown = append(shown, donotuse.DocumentDeclaration{Kind: rule.Kind,
			Label: titleOf(rule.Label, rule.Kind), Labels: namedValues(rule.Label),
			Required: rule.Required, Max: rule.Max})
	}
	return shown
}

func supportingFiles(in []donotuse.SupportingDocumentInput) ([]casework.SupportingFile, error) {
	var files []casework.SupportingFile
	for _, one := range in {
		file := casework.SupportingFile{Kind: one.Kind}
		var err error
		if file.File, file.UploadID, err = fileOf(one.File, one.UploadID); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func (r mutationResolver) AddDocument(ctx context.Context, in donotuse.AddDocumentInput) (
	*donotuse.CasePayload, error) {
	on, err := onCase(in.CaseID, in.ExpectedVersion, in.ExpectedStatus, in.IdempotencyKey)
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	files, err := supportingFiles([]donotuse.SupportingDocumentInput{in.Document})
	if err != nil {
		return casePayload(casework.CaseResult{}, err)
	}
	command := casework.AddDocument{CaseTarget: on, SupportingFile: files[0]}
	if in.Replaces != nil {
		command.Replaces = *in.Replaces
	}
	return casePayload(r.service.AddDocument(ctx, callerOf(ctx), command))
}
