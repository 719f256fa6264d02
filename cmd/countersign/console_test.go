package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"countersign/domain"
)

// written is a console with its outputs.
func written() (c *console, out, errs *bytes.Buffer) {
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	return &console{out: out, errs: errs}, out, errs
}

// Scripts decide by the exit code, and people by the sentence.
func TestExitCodesAndSentencesOfErrors(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection refused")
	for name, tc := range map[string]struct {
		err  error
		code int
		text string
	}{
		"none":           {nil, exitDone, ""},
		"a rejected one": {exitStatus(exitRejected), exitRejected, ""},
		"a wrapped exit": {fmt.Errorf("watch: %w", exitStatus(exitIncident)), exitIncident, ""},
		"a plain error":  {cause, exitFailed, "countersign: connection refused\n"},
		"an invalid argument": {domain.Invalid("until", "The status is unknown."), exitUsage,
			"countersign: The status is unknown.\n"},
		"no full stop": {domain.Invalid("until", "The status is unknown").WithRemedy("Use another."),
			exitUsage, "countersign: The status is unknown. Use another.\n"},
		"with a remedy": {domain.Errorf(domain.Busy, "The case is busy.").WithRemedy("Wait."),
			exitFailed, "countersign: The case is busy. Wait.\n"},
		"with a cause": {domain.Errorf(domain.Unavailable, "No answer.").WithCause(cause), exitFailed,
			"countersign: No answer.\n  cause: connection refused\n"},
		"wrapped": {fmt.Errorf("submit: %w", domain.Errorf(domain.NotFound, "Not found.")),
			exitFailed, "countersign: Not found.\n"},
		"a code without a sentence": {&domain.Error{Code: domain.NotFound}, exitFailed,
			"countersign: NotFound.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, out, errs := written()
			if code := c.printError(tc.err); code != tc.code || errs.String() != tc.text {
				t.Errorf("exit code %d and %q, want %d and %q", code, errs, tc.code, tc.text)
			}
			if out.Len() > 0 {
				t.Errorf("an error is printed to the output: %q", out)
			}
		})
	}
}

func TestUsageErrorsNameTheFile(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"The file a.pdf does not exist.": &fs.PathError{Op: "open", Path: "a.pdf",
			Err: fs.ErrNotExist},
		"You do not have permission to read the file a.pdf.": &fs.PathError{Op: "open",
			Path: "a.pdf", Err: fs.ErrPermission},
		"The file a.pdf cannot be read: too many links": &fs.PathError{Op: "open", Path: "a.pdf",
			Err: errors.New("too many links")},
		"invoices is a folder, not a file.": errors.New(
			"<file>: invoices exists but is a directory"),
		"countersign: unknown flag --fast": errors.New("unknown flag --fast"),
	} {
		c, _, errs := written()
		if code := c.printUsage(err); code != exitUsage || !strings.Contains(errs.String(), want) ||
			!strings.HasSuffix(errs.String(), "Try: countersign --help\n") {
			t.Errorf("%v: exit code %d and %q", err, code, errs)
		}
	}
}

func TestTablesAreAlignedOrJSON(t *testing.T) {
	t.Parallel()
	type row struct{ CaseID, Name string }
	value := []row{{"1", "Acme"}, {"22", "<b> & co"}}
	rows := func() [][]string { return [][]string{{"1", "Acme"}, {"22", "<b> & co"}} }
	c, out, _ := written()
	if err := c.printTable(value, []string{"CASE", "NAME"}, rows()); err != nil ||
		out.String() != "CASE  NAME\n1     Acme\n22    <b> & co\n" {
		t.Errorf("printed %q, %v", out, err)
	}
	c, out, _ = written()
	if err := c.printTable(value, []string{"CASE"}, nil); err != nil || out.String() != "none\n" {
		t.Errorf("without rows %q, %v", out, err)
	}
	c, out, _ = written()
	c.json = true
	if err := c.printTable(value, []string{"CASE", "NAME"}, rows()); err != nil || out.String() !=
		`[{"caseId":"1","name":"Acme"},{"caseId":"22","name":"<b> & co"}]`+"\n" {
		t.Errorf("as JSON %q, %v", out, err)
	}
}

// A document must not be able to clear the terminal of an operator or to reorder a line.
func TestTextsOfDocumentsCannotControlTheTerminal(t *testing.T) {
	t.Parallel()
	c, out, _ := written()
	if err := c.printTable(nil, []string{"NAME"},
		[][]string{{"\x1b[2JAcme\r\n\tGmbH\u202egnp.exe\u009b31m"}}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\r\t\u202e\u009b") ||
		strings.Count(out.String(), "\n") != 2 || !strings.Contains(out.String(), "Acme") {
		t.Errorf("printed %q", out)
	}
}

func TestNamesOfJSONAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Reference": "reference", "ID": "id",
		"CaseID": "caseId", "URLPath": "urlPath", "PolicyVersion": "policyVersion", "A": "a",
		"already": "already", "": "", "BaseMinor": "baseMinor"} {
		if got := camel(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}

// Only keys are rewritten. A value is data, whatever it looks like.
func TestValuesOfJSONStayAsTheyAre(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		text, err := json.Marshal(map[string]any{"Name": value, "List": []string{value}})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Name string   `json:"name"`
			List []string `json:"list"`
		}
		decoder := json.NewDecoder(bytes.NewReader(camelKeys(text)))
		decoder.DisallowUnknownFields()
		var plain string
		if err := json.Unmarshal(mustJSON(value), &plain); err != nil {
			t.Fatal(err)
		}
		if err := decoder.Decode(&got); err != nil || got.Name != plain || got.List[0] != plain {
			t.Fatalf("%s becomes %s, %v", text, camelKeys(text), err)
		}
	})
}

// mustJSON is the value as JSON, in which invalid UTF-8 is replaced.
func mustJSON(value string) []byte {
	text, _ := json.Marshal(value) // a text can always be written
	return text
}

func TestOutcomesOfFollowedCases(t *testing.T) {
	t.Parallel()
	for status, code := range map[domain.Status]int{domain.Archived: exitDone,
		domain.Rejected: exitRejected, domain.Incident: exitIncident, domain.InReview: exitWaiting,
		domain.Returned: exitWaiting, domain.Abandoned: exitAbandoned, domain.Processing: exitDone} {
		c, _, _ := written()
		if got := c.printError(exitStatusOf(status)); got != code {
			t.Errorf("%s ends with %d, want %d", status, got, code)
		}
	}
	for _, status := range domain.Statuses() {
		if outcomeSentence(status) == "" {
			t.Errorf("%s has no sentence", status)
		}
	}
}

// Of several followed cases the command ends with what needs attention first, in any order.
func TestTheWorstOutcomeCounts(t *testing.T) {
	t.Parallel()
	order := []error{nil, exitStatus(exitAbandoned), exitStatus(exitRejected),
		exitStatus(exitWaiting), exitStatus(exitIncident), errors.New("no connection")}
	for i, better := range order {
		for _, worse := range order[i:] {
			if worseOutcome(better, worse) != worse || worseOutcome(worse, better) != worse {
				t.Errorf("of %v and %v the worse is %v or %v", better, worse,
					worseOutcome(better, worse), worseOutcome(worse, better))
			}
		}
	}
}

func TestFollowingEnds(t *testing.T) {
	t.Parallel()
	for _, status := range domain.Statuses() {
		waits := status == domain.InReview || status == domain.Returned || status == domain.Incident
		if got := (following{Watch: true}).ends(status); got != (status.Final() || waits) {
			t.Errorf("without a status, %s ends: %t", status, got)
		}
		until := following{Until: strings.ToUpper(string(domain.Approved))}
		if got := until.ends(status); got != (status.Final() || status == domain.Approved) {
			t.Errorf("until approved, %s ends: %t", status, got)
		}
		if err := (following{Until: string(status)}).Validate(); err != nil {
			t.Errorf("--until %s: %v", status, err)
		}
	}
	if err := (following{Until: "done"}).Validate(); !domain.HasCode(err, domain.InvalidInput) ||
		!strings.Contains(err.Error(), "archived") {
		t.Errorf("--until done: %v", err)
	}
	if (following{}).enabled() || !(following{Until: "archived"}).enabled() {
		t.Error("a case is followed only if a flag asks for it")
	}
}
