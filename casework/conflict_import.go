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

// ImportConflicts asks to put the conflicts of a CSV on record: columns email, counterparty, reason, with a heading.
type ImportConflicts struct {
	Once Once
	CSV  string
}

// ImportOutcome is what becomes of one line of an import.
type ImportOutcome string

// The outcomes.
const (
	ImportDeclared ImportOutcome = "declared" // a conflict that was not on record
	ImportStands   ImportOutcome = "stands"   // on record already, or named by an earlier line
	ImportRefused  ImportOutcome = "refused"  // the message says why
)

// ImportLine is one line of an import with what becomes, or would become, of it.
type ImportLine struct {
	Line         int // of the file, from 1
	Email        string
	Counterparty string
	Reason       string
	Person       domain.ID
	Outcome      ImportOutcome
	Message      string
}

// maxImport bounds the lines of an import.
const maxImport = 5000

// PreviewConflicts says line by line what an import would do; it writes nothing. It needs the right to manage people.
func (h *Hall) PreviewConflicts(ctx context.Context, actor domain.Actor, text string) ([]ImportLine, error) {
	if err := h.May(ctx, actor, domain.ActManagePeople); err != nil {
		return nil, err
	}
	return readImport(ctx, h.db.Reader(), text)
}

// ImportConflicts puts every conflict of the CSV on record, or none: one refused line refuses the import. It returns the
// lines as the preview does. It needs the right to manage people.
func (h *Hall) ImportConflicts(ctx context.Context, actor domain.Actor, in ImportConflicts) ([]ImportLine, error) {
	command := powerCommand{"importConflicts", domain.PeopleStream, domain.ActManagePeople, in.Once, in.CSV}
	return onPower(ctx, h, actor, command, func(p *powers) ([]ImportLine, error) {
		lines, err := readImport(p.ctx, p.tx.Reader, in.CSV)
		if err != nil {
			return nil, err
		}
		for _, line := range lines {
			if line.Outcome == ImportRefused {
				return nil, domain.Invalid("csv", "Line %d cannot be taken: %s", line.Line, line.Message).
					WithWayOut("Look at the preview, mend the lines that are refused, then import again.")
			}
		}
		for _, line := range lines {
			if line.Outcome != ImportDeclared {
				continue
			}
			conflict := domain.Conflict{Person: line.Person, Reason: line.Reason, Source: domain.FromImport}
			if _, err := p.declare(conflict, PartyKey(line.Counterparty), line.Counterparty); err != nil {
				return nil, err
			}
		}
		return lines, nil
	})
}

// readImport parses the CSV and judges each line on the rows as they are.
func readImport(ctx context.Context, r store.Reader, text string) ([]ImportLine, error) {
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
	standing, err := r.Conflicts(ctx, domain.NoID)
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
	for _, c := range standing {
		onRecord[pair{c.Person, c.PartyID}] = true
	}
	named := map[string]bool{}
	for i := range lines {
		line := &lines[i]
		line.Person = people[strings.ToLower(line.Email)]
		twice := line.Person.String() + keys[i]
		switch {
		case line.Outcome != "":
		case line.Person == domain.NoID:
			line.Outcome, line.Message = ImportRefused, "nobody has this e-mail address"
		case keys[i] == "":
			line.Outcome, line.Message = ImportRefused, "no company or person is named"
		case onRecord[pair{line.Person, parties[keys[i]]}], named[twice]:
			line.Outcome = ImportStands
		default:
			line.Outcome = ImportDeclared
		}
		named[twice] = true
	}
	return lines, nil
}

// parseImport reads the CSV's lines; separators are comma or semicolon, as the heading shows.
func parseImport(text string) ([]ImportLine, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	heading, _, _ := strings.Cut(text, "\n")
	reader := csv.NewReader(strings.NewReader(text))
	reader.FieldsPerRecord, reader.TrimLeadingSpace = -1, true
	if strings.Count(heading, ";") > strings.Count(heading, ",") {
		reader.Comma = ';'
	}
	columns := map[string]int{}
	var lines []ImportLine
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, domain.Invalid("csv", "The file is no CSV: %s.", err).WithWayOut("Save it as CSV with a heading line: email, counterparty, reason.")
		}
		if len(columns) == 0 {
			for i, name := range record {
				columns[strings.ToLower(strings.TrimSpace(name))] = i
			}
			if _, ok := columns["email"]; !ok {
				return nil, domain.Invalid("csv", "The first line has to name the columns email, counterparty and reason.")
			}
			if _, ok := columns["counterparty"]; !ok {
				return nil, domain.Invalid("csv", "The first line has to name the columns email, counterparty and reason.")
			}
			continue
		}
		if len(lines) == maxImport {
			return nil, domain.Invalid("csv", "An import has at most %d lines.", maxImport).WithWayOut("Split the file.")
		}
		number, _ := reader.FieldPos(0)
		lines = append(lines, importLine(number, columns, record))
	}
	if len(lines) == 0 {
		return nil, domain.Invalid("csv", "The file has no lines below its heading.")
	}
	return lines, nil
}

func importLine(number int, columns map[string]int, record []string) ImportLine {
	at := func(name string) string {
		if i, ok := columns[name]; ok && i < len(record) {
			return strings.TrimSpace(record[i])
		}
		return ""
	}
	line := ImportLine{Line: number, Email: at("email"), Counterparty: at("counterparty"), Reason: at("reason")}
	if len(line.Counterparty) > 300 || len(line.Reason) > maxReason || len(line.Email) > 300 {
		line.Outcome, line.Message = ImportRefused, "a value is too long"
	}
	return line
}
