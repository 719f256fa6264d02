package languagemodel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/domain"
)

// Bounds of an answer. Validation and storage of the values outside of them cost far more than their
// bytes, or fail.
const (
	maxValues      = 10_000
	maxDepth       = 32
	maxNumber      = 64  // characters
	maxExponent    = 300 // of ten
	maxProblems    = 10
	maxProblemText = 200 // bytes
)

// schemaAddress is the name under which a schema is compiled.
const schemaAddress = "urn:countersign:answer"

// noLoader refuses references to other addresses: a schema must not read files or call hosts.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema of an answer refers to no other address")
}

func compile(text []byte) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, domain.Invalid("schema", "The schema is not valid JSON.").WithCause(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(schemaAddress, document); err != nil {
		return nil, domain.Invalid("schema", "The schema cannot be used.").WithCause(err)
	}
	schema, err := compiler.Compile(schemaAddress)
	if err != nil {
		return nil, domain.Invalid("schema", "The schema cannot be used.").WithCause(err)
	}
	return schema, nil
}

// parse returns the one JSON value of a text.
func parse(text string) (any, *failure) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, invalidJSON("it is not valid JSON: " + err.Error())
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, invalidJSON("there is text after the JSON value")
	}
	values := 0
	if problem := boundsProblem(value, 1, &values); problem != "" {
		return nil, invalidJSON(problem)
	}
	return value, nil
}

// boundsProblem returns the first value outside of the bounds, as a sentence.
func boundsProblem(value any, depth int, values *int) string {
	*values++
	if *values > maxValues || depth > maxDepth {
		return fmt.Sprintf("it has more than %d values, or more than %d levels", maxValues, maxDepth)
	}
	switch value := value.(type) {
	case json.Number:
		if !plainNumber(value.String()) {
			return "a number has too many digits or too large an exponent"
		}
	case string:
		return nulProblem(value)
	case []any:
		for _, element := range value {
			if problem := boundsProblem(element, depth+1, values); problem != "" {
				return problem
			}
		}
	case map[string]any:
		for name, element := range value {
			if problem := nulProblem(name); problem != "" {
				return problem
			}
			if problem := boundsProblem(element, depth+1, values); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// nulProblem reports a text that Postgres cannot store.
func nulProblem(text string) string {
	if strings.Contains(text, "\x00") {
		return "a text contains the character NUL"
	}
	return ""
}

func plainNumber(number string) bool {
	if len(number) > maxNumber {
		return false
	}
	at := strings.IndexAny(number, "eE")
	if at < 0 {
		return true
	}
	exponent, err := strconv.Atoi(number[at+1:])
	return err == nil && exponent >= -maxExponent && exponent <= maxExponent
}

// hasText reports whether any text of the value is accepted by the function.
func hasText(value any, accept func(string) bool) bool {
	switch value := value.(type) {
	case string:
		return accept(value)
	case []any:
		for _, element := range value {
			if hasText(element, accept) {
				return true
			}
		}
	case map[string]any:
		for name, element := range value {
			if accept(name) || hasText(element, accept) {
				return true
			}
		}
	}
	return false
}

// matched returns the value as compact JSON if it matches the schema. It is encoded from what was
// validated, so that no reader of the text can see another value of a name that occurs twice.
func matched(schema *jsonschema.Schema, value any) (json.RawMessage, *failure) {
	if err := schema.Validate(value); err != nil {
		return nil, schemaMiss(problemsOf(err))
	}
	var encoded bytes.Buffer
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, invalidJSON("it cannot be encoded again")
	}
	return bytes.TrimSuffix(encoded.Bytes(), []byte("\n")), nil
}

// problemsOf returns where and how a value differs from its schema.
func problemsOf(err error) []string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{"it does not match the schema"}
	}
	var problems []string
	for _, unit := range invalid.BasicOutput().Errors {
		if unit.Error == nil || len(problems) == maxProblems {
			continue
		}
		where := unit.InstanceLocation
		if where == "" {
			where = "the whole value"
		}
		problem := fmt.Sprintf("%s: %s", where, unit.Error.String())
		problems = append(problems, strings.ToValidUTF8(problem[:min(len(problem), maxProblemText)], ""))
	}
	if len(problems) == 0 {
		problems = []string{"it does not match the schema: " + invalid.Error()[:min(len(invalid.Error()), maxProblemText)]}
	}
	return problems
}
