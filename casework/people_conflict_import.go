package casework

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"countersign/domain"
	"countersign/store"
)

// ImportConflicts asks to record the conflicts in a CSV with a header line and the columns email,
// counterparty and reason.
type ImportConflicts struct {
	Once Once
	CSV  string
}

// ImportOutcome is the outcome of one line of an import.
type ImportOutcome string

// The outcomes.
const (
	ImportDeclared ImportOutcome = "declared" // a new conflict
	// ImportExisting is already declared, or repeated from an earlier line. Stored outcomes contain
	// the value.
	ImportExisting ImportOutcome = "stands"
	ImportRefused  ImportOutcome = "refused" // the message gives the reason
)

// missingImportColumns is the refusal of a header line without the required columns.
const missingImportColumns = "The first line must name the columns email, counterparty and reason."

// ImportLine is one line of an import with its outcome, or in a preview the outcome it would have.
type ImportLine struct {
	Line         int // line number in the file, from 1
	Email        string
	Counterparty string
	Reason       string
	Person       domain.ID
	Outcome      ImportOutcome
	Message      string
}

// maxImportLines bounds the lines of an import.
const maxImportLines = 5000

// maxColumns bounds the average number of columns per line; only three of them are read.
const maxColumns = 10

// PreviewConflicts returns the outcome that an import would have, line by line, without writing
// anything. It requires the right to manage people.
func (svc *Service) PreviewConflicts(
	ctx context.Context, actor domain.Actor, text string,
) ([]ImportLine, error) {
	if err := svc.inScope(ctx, actor, "importConflicts", domain.ActManagePeople); err != nil {
		return nil, err
	}
	if err := svc.Authorize(ctx, actor, domain.ActManagePeople); err != nil {
		return nil, err
	}
	return validateImport(ctx, svc.db.Reader(), text)
}

// ImportConflicts records every conflict of the CSV or none: one refused line refuses the whole
// import. It returns the same lines as the preview and requires the right to manage people.
func (svc *Service) ImportConflicts(
	ctx context.Context, actor domain.Actor, in ImportConflicts,
) ([]ImportLine, error) {
	if err := svc.inScope(ctx, actor, "importConflicts", domain.ActManagePeople); err != nil {
		return nil, err
	}
	spec := permissionCommand{"importConflicts", domain.PeopleStream, domain.ActManagePeople,
		in.Once, in.CSV}
	return runPermissionChange(ctx, svc, actor, spec,
		func(p *permissionChange) ([]ImportLine, error) {
			lines, err := validateImport(p.ctx, p.tx.Reader, in.CSV)
			if err != nil {
				return nil, err
			}
			for _, line := range lines {
				if line.Outcome == ImportRefused {
					return nil, domain.Invalid("csv", "Line %d was refused: %s.", line.Line,
						line.Message).
						WithRemedy("Check the preview, correct the refused lines, then import again.")
				}
			}
			for _, line := range lines {
				if line.Outcome != ImportDeclared {
					continue
				}
				conflict := domain.Conflict{Person: line.Person, Reason: line.Reason,
					Source: domain.FromImport}
				if _, err := p.declareConflict(conflict, PartyKey(line.Counterparty),
					line.Counterparty); err != nil {
					return nil, err
				}
			}
			return lines, nil
		})
}

// validateImport parses the CSV and determines the outcome of each line from the current rows.
func validateImport(ctx context.Context, r store.Reader, text string) ([]ImportLine, error) {
	lines, err := parseImport(text)
	if err != nil {
		return nil, err
	}
	users, err := r.Users(ctx, nil)
	if err != nil {
		return nil, err
	}
	people := make(map[string]domain.ID, len(users))
	for _, user := range users {
		people[user.Email] = user.ID
	}
	existing, err := r.Conflicts(ctx, domain.NoID)
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(lines))
	for i := range lines {
		keys[i] = PartyKey(lines[i].Counterparty)
	}
	parties, err := r.PartiesByKey(ctx, keys)
	if err != nil {
		return nil, err
	}
	type pair struct{ person, party domain.ID }
	onRecord := map[pair]bool{}
	for _, c := range existing {
		onRecord[pair{c.Person, c.PartyID}] = true
	}
	imported := map[string]bool{}
	for i := range lines {
		line := &lines[i]
		line.Person = people[strings.ToLower(line.Email)]
		key := line.Person.String() + keys[i]
		switch {
		case line.Outcome != "":
		case line.Person == domain.NoID:
			line.Outcome, line.Message = ImportRefused, "no user has this e-mail address"
		case keys[i] == "":
			line.Outcome, line.Message = ImportRefused, "the counterparty is missing"
		case onRecord[pair{line.Person, parties[keys[i]]}], imported[key]:
			line.Outcome = ImportExisting
		default:
			line.Outcome = ImportDeclared
		}
		imported[key] = true
	}
	return lines, nil
}

// parseImport parses the lines of the CSV. The header line determines whether the separator is a
// comma or a semicolon.
func parseImport(text string) ([]ImportLine, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	header, _, _ := strings.Cut(text, "\n")
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord, reader.TrimLeadingSpace = -1, true
	if strings.Count(header, ";") > strings.Count(header, ",") {
		reader.Comma = ';'
	}
	if strings.Count(text, string(reader.Comma)) > maxImportLines*maxColumns {
		return nil, domain.Invalid("csv", "An import has at most %d lines of %d columns.",
			maxImportLines, maxColumns).
			WithRemedy("Split the file, and keep the columns email, counterparty and reason.")
	}
	columns := map[string]int{}
	var lines []ImportLine
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, domain.Invalid("csv", "The file is not a valid CSV: %s.", err).
				WithRemedy("Save it as CSV with a header line: email, counterparty, reason.")
		}
		if len(columns) == 0 {
			for i, name := range record {
				columns[strings.ToLower(strings.TrimSpace(name))] = i
			}
			if _, ok := columns["email"]; !ok {
				return nil, domain.Invalid("csv", missingImportColumns)
			}
			if _, ok := columns["counterparty"]; !ok {
				return nil, domain.Invalid("csv", missingImportColumns)
			}
			continue
		}
		if len(lines) == maxImportLines {
			return nil, domain.Invalid("csv", "An import has at most %d lines.", maxImportLines).
				WithRemedy("Split the file.")
		}
		number, _ := reader.FieldPos(0)
		lines = append(lines, parseImportLine(number, columns, record))
	}
	if len(lines) == 0 {
		return nil, domain.Invalid("csv", "The file has no lines below its header.")
	}
	return lines, nil
}

func parseImportLine(number int, columns map[string]int, record []string) ImportLine {
	at := func(name string) string {
		if i, ok := columns[name]; ok && i < len(record) {
			return strings.TrimSpace(record[i])
		}
		return ""
	}
	line := ImportLine{Line: number, Email: at("email"), Counterparty: at("counterparty"),
		Reason: at("reason")}
	if domain.Longer(line.Counterparty, 300) || domain.Longer(line.Reason, maxReason) ||
		domain.Longer(line.Email, 320) {
		line.Outcome, line.Message = ImportRefused, "a value is too long"
	}
	return line
}
