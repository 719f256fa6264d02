package domain

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// MaxDocumentKinds limits the kinds of supporting documents of a process, MaxSupporting the supporting
// documents that a case has at a time, and MaxSupportingRows those that it ever had.
const (
	MaxDocumentKinds  = 10
	MaxSupporting     = 20
	MaxSupportingRows = 100
)

// DocumentRule declares a kind of supporting documents, such as a payslip. A process declares it.
type DocumentRule struct {
	Kind     string
	Label    map[string]string // by language ("en", "zh")
	Required bool
	Max      int // how many of the kind a case can have, at least 1
}

// SupportingDocument is a file of a case beside its document, such as the payslip of an application.
// It never changes; a later one can replace it. No value of the case is read from it.
type SupportingDocument struct {
	CaseID    ID
	Number    int // in the case, from 1
	Kind      string
	Replaces  int // the number of the one that it replaces; 0 if none
	FileName  string
	MediaType string
	Size      int64
	SHA256    []byte
	BlobKey   string // "" after the erasure of the case
	CreatedBy ID
	CreatedAt time.Time
}

// SupportingReading is what was read of a supporting document.
type SupportingReading struct {
	CaseID ID
	Number int    // of the document
	SHA256 []byte // of the file that was read; nil if there are pages without a reading
	Pages  int
	Images []PageImage
}

// PageImage is the image of a page; SHA256 is "" if the page has none.
type PageImage struct {
	Number int
	SHA256 string // in hexadecimal
}

// CurrentSupporting returns the documents that no later one replaces.
func CurrentSupporting(all []SupportingDocument) []SupportingDocument {
	var current []SupportingDocument
	for i := range all {
		if !slices.ContainsFunc(all,
			func(d SupportingDocument) bool { return d.Replaces == all[i].Number }) {
			current = append(current, all[i])
		}
	}
	return current
}

// NextSupporting returns the supporting documents with the next one. It refuses a kind that the rules do
// not declare, too many files, and bytes that the case has already. main is the hash of its document.
// Files whose hashes are not known yet are not compared.
func NextSupporting(rules []DocumentRule, all []SupportingDocument, next SupportingDocument,
	main []byte) ([]SupportingDocument, error) {
	at := slices.IndexFunc(rules, func(r DocumentRule) bool { return r.Kind == next.Kind })
	if at < 0 {
		return nil, refuseSupporting(next, "kind", "The process has no document of the kind %.40q.", next.Kind).
			WithRemedy("Remove it, or choose the process that has it.")
	}
	if next.Replaces != 0 && !slices.ContainsFunc(CurrentSupporting(all), func(d SupportingDocument) bool {
		return d.Number == next.Replaces && d.Kind == next.Kind
	}) {
		return nil, refuseSupporting(next, "replaces",
			"Document %d is not a current document of the kind %s.", next.Replaces, next.Kind).
			WithRemedy("Reload the case.")
	}
	next.Number = len(all) + 1
	with := append(slices.Clone(all), next)
	current := CurrentSupporting(with)
	ofKind := 0
	for i := range current {
		if current[i].Kind == next.Kind {
			ofKind++
		}
	}
	switch {
	case ofKind > rules[at].Max:
		return nil, refuseSupporting(next, "too_many",
			"A case of this process has at most %d documents of the kind %s.", rules[at].Max, next.Kind).
			WithDetail("most", strconv.Itoa(rules[at].Max))
	case len(current) > MaxSupporting || len(with) > MaxSupportingRows:
		return nil, refuseSupporting(next, "too_many", "A case has at most %d supporting documents.",
			MaxSupporting).WithDetail("most", strconv.Itoa(MaxSupporting))
	case len(main) > 0 && slices.Equal(next.SHA256, main):
		return nil, refuseSupporting(next, "duplicate", "%s is the same file as the document.",
			next.FileName).WithRemedy("Choose another file.")
	}
	for i := range current[:len(current)-1] {
		if len(next.SHA256) > 0 && slices.Equal(current[i].SHA256, next.SHA256) {
			return nil, refuseSupporting(next, "duplicate", "%s is the same file as %s.", next.FileName,
				current[i].FileName).WithRemedy("Choose another file.")
		}
	}
	return with, nil
}

// SupportingField returns the name of a supporting document in errors: its kind and its file.
func SupportingField(kind string) string { return "documents." + cut(kind) }

func refuseSupporting(d SupportingDocument, reason, format string, args ...any) *Error {
	return Invalid(SupportingField(d.Kind), format, args...).WithDetail("reason", "document_"+reason).
		WithDetail("kind", cut(d.Kind)).WithDetail("file", d.FileName)
}

// RequireSupporting refuses a case that lacks a document that the rules require.
func RequireSupporting(rules []DocumentRule, all []SupportingDocument) error {
	current := CurrentSupporting(all)
	for i := range rules {
		kind := rules[i].Kind
		if rules[i].Required && !slices.ContainsFunc(current,
			func(d SupportingDocument) bool { return d.Kind == kind }) {
			return Invalid(SupportingField(kind), "The process requires a document of the kind %s.", kind).
				WithRemedy("Add it.").WithDetail("reason", "document_missing").WithDetail("kind", kind)
		}
	}
	return nil
}

// FitSupporting checks that a case with these documents fits a process with the rules: that each kind is
// declared, with enough and not too many files.
func FitSupporting(rules []DocumentRule, all []SupportingDocument) error {
	var checked []SupportingDocument
	for _, one := range CurrentSupporting(all) {
		one.Replaces = 0
		var err error
		if checked, err = NextSupporting(rules, checked, one, nil); err != nil {
			return fmt.Errorf("domain: supporting document %d: %w", one.Number, err)
		}
	}
	return RequireSupporting(rules, checked)
}

// SupportingHashes returns what a decision rested on beside the document: the kind and the hash of each
// current supporting document, in their order.
func SupportingHashes(all []SupportingDocument) []string {
	var hashes []string
	for _, one := range CurrentSupporting(all) {
		hashes = append(hashes, one.Kind+":"+hex.EncodeToString(one.SHA256))
	}
	return hashes
}
