package doctype

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/internal/yamltext"
)

// Limits of a definition; yamltext limits the size of its text.
const (
	// maxFields is the number of values that one request can set, so that a form can be saved.
	maxFields     = 50
	maxLabel      = 80 // characters of a title, a label or an option
	maxPageLabels = 10
	maxPageLabel  = 60
	maxOptions    = 50
)

// Problem is one error in the text of a definition, reported to its author.
type Problem struct {
	Line, Column int    // in the YAML, from 1; 0 when the whole definition is meant
	Field        string // name of the field, "" when none is meant
	Check        string // stable name: syntax, name, type, label …
	Message      string
}

// String renders the problem with its line and field.
func (p Problem) String() string {
	text := p.Message
	if p.Field != "" {
		text = p.Field + ": " + text
	}
	if p.Line > 0 {
		text = fmt.Sprintf("line %d: %s", p.Line, text)
	}
	return text
}

// typeText is the YAML as written.
type typeText struct {
	Key     string            `yaml:"key"`
	Version int               `yaml:"version"`
	Title   map[string]string `yaml:"title"`
	Accepts []string          `yaml:"accepts"`
	Private []string          `yaml:"never_sent"`
	Fields  []fieldText       `yaml:"fields"`
}

type fieldText struct {
	Name      string            `yaml:"name"`
	Type      string            `yaml:"type"`
	Label     map[string]string `yaml:"label"`
	Required  bool              `yaml:"required"`
	Labels    []string          `yaml:"labels"`
	Options   []optionText      `yaml:"options"`
	MaxLength int               `yaml:"max_length"`
}

type optionText struct {
	Value string            `yaml:"value"`
	Label map[string]string `yaml:"label"`
}

// Parse reads a definition from YAML. Its error is UnsoundDefinition with the first problem; Check
// returns all.
func Parse(source []byte) (*domain.DocumentType, error) {
	return typeOrError(Check(source))
}

// ParsePublished reads a published definition. It accepts names and labels that a later program uses
// itself, because a published version never changes.
func ParsePublished(source []byte) (*domain.DocumentType, error) {
	return typeOrError(check(source, published))
}

func typeOrError(t *domain.DocumentType, problems []Problem) (*domain.DocumentType, error) {
	if len(problems) > 0 {
		return nil, domain.Errorf(domain.UnsoundDefinition, "The document type is invalid: %s.",
			strings.TrimSuffix(problems[0].String(), ".")).
			WithRemedy("Correct the document type and check it again.")
	}
	return t, nil
}

// Check reads a definition like Parse, but returns all problems that it finds. The type is nil if
// there is a problem.
func Check(source []byte) (*domain.DocumentType, []Problem) { return check(source, proposed) }

// stage says whether the names of the program are refused.
type stage bool

const (
	proposed  stage = true
	published stage = false
)

func check(source []byte, stage stage) (*domain.DocumentType, []Problem) {
	var text typeText
	document, unreadable := yamltext.Parse(source, "a document type")
	if unreadable == nil {
		unreadable = document.Decode(&text)
	}
	if unreadable != nil {
		check := "syntax"
		if unreadable.TooLarge {
			check = "size"
		}
		return nil, []Problem{{Line: unreadable.Line, Column: unreadable.Column, Check: check,
			Message: unreadable.Message}}
	}
	b := builder{stage: stage, lines: document.EntryLines("fields"), labelled: map[string]string{},
		made: &domain.DocumentType{Key: text.Key, Version: max(text.Version, 1),
			Title: text.Title}}
	b.header(text)
	b.accepts(text.Accepts)
	for i, field := range text.Fields[:min(len(text.Fields), maxFields)] {
		b.field(i, field)
	}
	b.neverSent(text.Private)
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	return b.made, nil
}

// builder makes a type from its text and collects the problems.
type builder struct {
	made     *domain.DocumentType
	stage    stage
	lines    []int
	line     int
	name     string            // of the present field
	labelled map[string]string // folded label -> name of its field
	problems []Problem
}

func (b *builder) addProblem(check, format string, args ...any) {
	b.problems = append(b.problems, Problem{Line: b.line, Field: b.name, Check: check,
		Message: fmt.Sprintf(format, args...)})
}

// The key is the document type of submissions, which has at most 40 characters.
var (
	keyPattern  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)
	namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,62}$`)
)

// reservedNames have another meaning in events, findings, guards, payment orders or scripts.
var reservedNames = []string{"amount", "counterparty", "account", "document_hash", "fields", "cases",
	"case", "constructor", domain.FieldPayer, domain.FieldPurpose, domain.FieldReference}

// languages are the languages in which every text for users is required.
var languages = []string{"en", "zh"}

func (b *builder) header(text typeText) {
	if !keyPattern.MatchString(text.Key) {
		b.addProblem("name", "the key %q is not valid: use at most 40 lower-case letters, digits and "+
			"underscores, starting with a letter", shorten(text.Key))
	}
	// The page of a new type has this address.
	if b.stage == proposed && text.Key == "new" {
		b.addProblem("name", "the key is reserved; choose another one")
	}
	if text.Version < 0 {
		b.addProblem("version", "version %d is negative; versions start at 1", text.Version)
	}
	b.texts("title", text.Title)
	if len(text.Fields) == 0 || len(text.Fields) > maxFields {
		b.addProblem("size", "a document type must have 1 to %d fields, not %d", maxFields,
			len(text.Fields))
	}
}

// accepts checks the kinds that documents of the type may be.
func (b *builder) accepts(kinds []string) {
	for i, kind := range kinds {
		switch {
		case !domain.IsDocumentKind(kind):
			b.addProblem("accepts", "the document kind %q is unknown; the kinds are %s", shorten(kind),
				kindNames())
		case slices.Contains(kinds[:i], kind):
			b.addProblem("accepts", "the document kind %s is listed twice", kind)
		}
	}
	b.made.Accepts = kinds
}

// texts checks that a text exists in each language, and is short and printable.
func (b *builder) texts(what string, texts map[string]string) {
	for _, language := range languages {
		b.printable(what+" in "+language, texts[language], maxLabel)
	}
	for language := range texts {
		if !slices.Contains(languages, language) {
			b.addProblem("language", "%s has the language %q; the languages are en and zh", what,
				shorten(language))
		}
	}
}

// printable checks that a text is not empty, not longer than most characters, and has no invisible
// characters, which could make one label look like another.
func (b *builder) printable(what, text string, most int) {
	switch {
	case strings.TrimSpace(text) == "":
		b.addProblem("label", "%s is missing", what)
	case domain.Longer(text, most):
		b.addProblem("label", "%s is longer than %d characters", what, most)
	case strings.TrimSpace(text) != text || strings.ContainsFunc(text, invisible):
		b.addProblem("label", "%s begins or ends with a space or has invisible characters", what)
	}
}

func (b *builder) field(index int, text fieldText) {
	b.line, b.name = 0, text.Name
	if index < len(b.lines) {
		b.line = b.lines[index]
	}
	spec, builtin := domain.FieldSpecOf(text.Name)
	switch {
	case !namePattern.MatchString(text.Name):
		b.name = ""
		b.addProblem("name", "the name %q is not valid: use at most 63 lower-case letters, digits "+
			"and underscores, starting with a letter", shorten(text.Name))
		return
	case b.made.Has(text.Name):
		b.addProblem("name", "another field has the same name")
	case b.stage == proposed && slices.Contains(reservedNames, text.Name):
		b.addProblem("name", "the name is reserved; choose another one")
	}
	made := domain.DocumentField{FieldSpec: spec, Required: text.Required,
		PageLabels: text.Labels, MaxLength: text.MaxLength}
	made.Name = text.Name
	if builtin && (text.Type == "" || b.stage == proposed || !isLaterName(spec)) {
		b.builtinField(text, spec)
	} else {
		builtin, made.Own, made.Detail = false, builtin, false
		made.Type = domain.FieldType(text.Type)
		b.ownField(text, made.Type)
	}
	if len(text.Label) > 0 || !builtin {
		b.texts("label", text.Label)
		made.English, made.Chinese = text.Label["en"], text.Label["zh"]
	}
	b.uniqueLabels(made)
	if made.Options = domain.OptionsOf(text.Name); !builtin || len(text.Options) > 0 {
		made.Options = b.options(text, made.Type)
	}
	if made.MaxLength == 0 {
		made.MaxLength = domain.MaxFieldValue
	}
	if made.MaxLength < 1 || made.MaxLength > domain.MaxFieldValue {
		b.addProblem("size", "max_length must be 1 to %d, not %d", domain.MaxFieldValue,
			text.MaxLength)
	}
	b.made.Fields = append(b.made.Fields, made)
}

// isLaterName reports whether the name became a built-in one after types had own fields. Such a field
// takes no type, so that a version with one is known to have an own field of that name.
func isLaterName(spec domain.FieldSpec) bool { return spec.Detail }

// builtinField checks a field that the built-in extractor fills: amounts, parties and accounts are
// recognised by these names, so that their types cannot be changed.
func (b *builder) builtinField(text fieldText, spec domain.FieldSpec) {
	if text.Type != "" && isLaterName(spec) {
		b.addProblem("type", "the built-in field has the type %s; leave out the type, or rename the "+
			"field if it is one of your own", spec.Type)
	} else if text.Type != "" && text.Type != string(spec.Type) {
		b.addProblem("type", "the built-in field has the type %s, not %q", spec.Type,
			shorten(text.Type))
	}
	if len(text.Labels) > 0 {
		b.addProblem("labels", "the built-in extractor finds this field, so it takes no labels")
	}
	if len(text.Options) > 0 {
		b.addProblem("options", "the options of a built-in field cannot be changed")
	}
	if text.MaxLength != 0 {
		b.addProblem("size", "the length of a built-in field cannot be limited")
	}
}

// soleNames are the field types that only the built-in field of the name has: rules and payments
// look for the values there.
var soleNames = map[domain.FieldType]string{domain.FieldTypeIBAN: domain.FieldIBAN,
	domain.FieldTypeVATID: domain.FieldVATID, domain.FieldTypeCurrency: domain.FieldCurrency}

// ownField checks a field of the type's own.
func (b *builder) ownField(text fieldText, kind domain.FieldType) {
	if !slices.Contains(domain.FieldTypes(), kind) {
		b.addProblem("type", "the type %q is unknown; the types are %s", shorten(text.Type),
			typeNames())
	}
	if sole, only := soleNames[kind]; only && b.stage == proposed {
		b.addProblem("type", "a field of the type %s must have the name %s, because rules and "+
			"payments look for it there", kind, sole)
	}
	if len(text.Labels) > maxPageLabels {
		b.addProblem("labels", "a field can have at most %d labels", maxPageLabels)
	}
	for _, label := range text.Labels {
		b.printable("a label on the page", label, maxPageLabel)
		if b.stage == proposed && namesAccount(label) {
			b.addProblem("labels", "the label %q belongs to the field iban", shorten(label))
		}
	}
}

// uniqueLabels refuses a label that another field has: of two fields that look alike, a person could
// fill the one that no limit and no rule reads.
func (b *builder) uniqueLabels(made domain.DocumentField) {
	for _, label := range []string{made.English, made.Chinese} {
		folded := strings.ToLower(strings.Join(strings.Fields(label), " "))
		if folded == "" || b.stage == published {
			continue
		}
		if other, taken := b.labelled[folded]; taken && other != made.Name {
			b.addProblem("label", "the field %s has the label %q too", other, label)
		}
		b.labelled[folded] = made.Name
		for _, spec := range domain.FieldSpecs() {
			if spec.Name != made.Name && (strings.ToLower(spec.English) == folded ||
				strings.ToLower(spec.Chinese) == folded) {
				b.addProblem("label", "%q is the label of the built-in field %s", label, spec.Name)
			}
		}
		if made.Name != domain.FieldIBAN && namesAccount(label) {
			b.addProblem("label", "the label %q belongs to the field iban", label)
		}
	}
}

// options reads the values of a choice.
func (b *builder) options(text fieldText, kind domain.FieldType) []domain.FieldOption {
	choice := kind == domain.FieldTypeChoice
	if !choice && len(text.Options) > 0 {
		b.addProblem("options", "only a field of the type choice has options")
	}
	if choice && (len(text.Options) < 2 || len(text.Options) > maxOptions) {
		b.addProblem("options", "a choice must have 2 to %d options, not %d", maxOptions,
			len(text.Options))
	}
	made := make([]domain.FieldOption, 0, len(text.Options))
	for _, option := range text.Options[:min(len(text.Options), maxOptions)] {
		if !namePattern.MatchString(option.Value) {
			b.addProblem("options", "the value %q is not valid: use lower-case letters, digits and "+
				"underscores, starting with a letter", shorten(option.Value))
		}
		if slices.ContainsFunc(made, func(o domain.FieldOption) bool {
			return o.Value == option.Value
		}) {
			b.addProblem("options", "the value %q is listed twice", shorten(option.Value))
		}
		b.texts("the label of "+shorten(option.Value), option.Label)
		made = append(made, domain.FieldOption{Value: option.Value, English: option.Label["en"],
			Chinese: option.Label["zh"]})
	}
	return made
}
