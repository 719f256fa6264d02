package domain_test

import (
	"errors"
	"slices"
	"testing"

	"countersign/domain"
)

func documentRules() []domain.DocumentRule {
	return []domain.DocumentRule{{Kind: "payslip", Required: true, Max: 2}, {Kind: "identity", Max: 1}}
}

func supporting(kind, file string) domain.SupportingDocument {
	return domain.SupportingDocument{Kind: kind, FileName: file, SHA256: []byte(file)}
}

func TestSupportingDocumentsAreRefusedAtTheFile(t *testing.T) {
	t.Parallel()
	var all []domain.SupportingDocument
	add := func(kind, file string, replaces int) error {
		next := supporting(kind, file)
		next.Replaces = replaces
		with, err := domain.NextSupporting(documentRules(), all, next, []byte("main"))
		if err == nil {
			all = with
		}
		return err
	}
	for _, step := range []struct {
		kind, file, reason string
		replaces           int
	}{
		{kind: "passport", file: "a", reason: "document_kind"},
		{kind: "payslip", file: "main", reason: "document_duplicate"},
		{kind: "payslip", file: "a"},
		{kind: "identity", file: "a", reason: "document_duplicate"},
		{kind: "payslip", file: "b"},
		{kind: "payslip", file: "c", reason: "document_too_many"},
		{kind: "payslip", file: "c", replaces: 1},
		{kind: "payslip", file: "d", replaces: 1, reason: "document_replaces"},
		{kind: "identity", file: "d", replaces: 2, reason: "document_replaces"},
		{kind: "identity", file: "a"}, // its bytes were replaced
		{kind: "payslip", file: "a", replaces: 2, reason: "document_duplicate"},
	} {
		err := add(step.kind, step.file, step.replaces)
		var refused *domain.Error
		switch {
		case step.reason == "" && err != nil:
			t.Errorf("%+v: %v", step, err)
		case step.reason != "" && (!errors.As(err, &refused) || refused.Code != domain.InvalidInput ||
			refused.Detail["reason"] != step.reason || refused.Detail["file"] != step.file):
			t.Errorf("%+v: %v", step, err)
		}
	}
	got := domain.SupportingHashes(all)
	if want := []string{"payslip:62", "payslip:63", "identity:61"}; !slices.Equal(got, want) {
		t.Errorf("current %v, want %v", got, want)
	}
}

func TestRequiredSupportingDocumentsAreNamed(t *testing.T) {
	t.Parallel()
	err := domain.RequireSupporting(documentRules(), []domain.SupportingDocument{supporting("identity", "a")})
	var refused *domain.Error
	if !errors.As(err, &refused) || refused.Field != "documents.payslip" ||
		refused.Detail["reason"] != "document_missing" {
		t.Errorf("%v", err)
	}
	numbered := supporting("payslip", "b")
	numbered.Number = 1
	for name, test := range map[string]struct {
		rules []domain.DocumentRule
		fits  bool
	}{
		"same": {documentRules(), true}, "none": {nil, false},
		"other": {[]domain.DocumentRule{{Kind: "identity", Required: true, Max: 1}}, false},
	} {
		if err := domain.FitSupporting(test.rules, []domain.SupportingDocument{numbered}); (err == nil) != test.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
}
