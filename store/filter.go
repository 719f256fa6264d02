package store

import (
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"countersign/domain"
)

// filterRenderer renders a Filter as SQL over one aliased row. Values are passed as parameters,
// except the literals below.
type filterRenderer struct {
	columns map[domain.Column]string
	caseID  string // SQL of the row's case id
	duty    string // SQL of the row's duty; "" where the row is not a review
	// party and parties are the SQL of the row's party and of the array of its others.
	party, parties string
	countries      string // SQL of the array of the row's countries besides the one in force
	args           []any
	first          func() string // SQL that is true of the first rows of a list; nil for none
	alternatives   int           // how many disjunctions surround what is rendered
}

var reviewColumns = map[domain.Column]string{
	domain.ColQueue: "r.queue", domain.ColLevel: "r.level",
	domain.ColDocumentType: "r.document_type",
	domain.ColCountry:      "r.country", domain.ColBaseMinor: "r.base_minor",
	domain.ColAmountKnown: "r.amount_known",
	domain.ColSubmitter:   "r.submitter", domain.ColAssignee: "r.assignee",
	domain.ColStatus:           "r.status",
	domain.ColPreviousAssignee: "r.left_by", domain.ColUnassignCause: "r.left_how",
	domain.ColDrawn: "(r.draws > 0)", domain.ColCase: "r.case_id",
}

var caseFilterColumns = map[domain.Column]string{
	domain.ColDocumentType: "c.document_type", domain.ColCountry: "c.country",
	domain.ColBaseMinor:   "c.base_minor",
	domain.ColAmountKnown: "c.amount_known", domain.ColSubmitter: "c.submitter",
	domain.ColStatus: "c.status",
}

// renderReviews renders a filter over reviews r; args are those of the query so far.
func renderReviews(filter domain.Filter, args []any) (string, []any, error) {
	r := newReviewRenderer(args)
	text, err := r.render(filter)
	return text, r.args, err
}

func newReviewRenderer(args []any) *filterRenderer {
	return &filterRenderer{columns: reviewColumns, caseID: "r.case_id", duty: "r.duty",
		party: "r.party_id", parties: "r.other_party_ids",
		countries: "r.other_countries", args: args}
}

// renderCases renders a filter over cases c.
func renderCases(filter domain.Filter, args []any) (string, []any, error) {
	r := newCaseRenderer(args)
	text, err := r.render(filter)
	return text, r.args, err
}

func newCaseRenderer(args []any) *filterRenderer {
	return &filterRenderer{columns: caseFilterColumns, caseID: "c.id", party: "c.party_id",
		parties: "c.other_party_ids", countries: "c.other_countries", args: args}
}

func (r *filterRenderer) arg(value any) string {
	r.args = append(r.args, value)
	return "$" + strconv.Itoa(len(r.args))
}

func (r *filterRenderer) render(f domain.Filter) (string, error) {
	switch {
	case f.Const != nil:
		return strconv.FormatBool(*f.Const), nil
	case f.Not != nil:
		inner, err := r.render(*f.Not)
		return "NOT (" + inner + ")", err
	case f.Compare != nil:
		return r.compare(*f.Compare)
	case f.Anti != nil:
		return r.antiJoin(*f.Anti)
	case f.Exists != nil:
		return r.exists(*f.Exists), nil
	case f.EveryCountry != nil:
		return r.everyCountry(*f.EveryCountry)
	case f.Or != nil:
		r.alternatives++
		defer func() { r.alternatives-- }()
		return r.join(f.Or, " OR ")
	default:
		return r.join(f.And, " AND ")
	}
}

// everyCountry renders a condition for the country in force and for each of the others.
func (r *filterRenderer) everyCountry(condition domain.Filter) (string, error) {
	inForce, err := r.render(condition)
	if err != nil {
		return "", err
	}
	columns := r.columns
	r.columns = maps.Clone(columns)
	r.columns[domain.ColCountry] = "other.country"
	other, err := r.render(condition)
	r.columns = columns
	return "(" + inForce + " AND NOT EXISTS (SELECT FROM unnest(" + r.countries +
		") AS other(country) WHERE NOT " + other + "))", err
}

func (r *filterRenderer) join(parts []domain.Filter, glue string) (string, error) {
	if len(parts) == 0 {
		return strconv.FormatBool(glue == " AND "), nil
	}
	texts := make([]string, 0, len(parts))
	for _, part := range parts {
		text, err := r.render(part)
		if err != nil {
			return "", err
		}
		texts = append(texts, text)
	}
	return "(" + strings.Join(texts, glue) + ")", nil
}

var comparisons = map[string]string{"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">",
	">=": ">="}

// literalStatuses are written into the SQL, so that a prepared plan can use the partial indexes
// over rows of one status.
var literalStatuses = map[string]bool{"open": true, "claimed": true, "decided": true,
	"cancelled": true, "incident": true}

func (r *filterRenderer) compare(c domain.Comparison) (string, error) {
	column, ok := r.columns[c.Column]
	if !ok {
		return "", fmt.Errorf("store: a filter names the column %q, which this list does not have",
			c.Column)
	}
	if ids, ok := c.Value.([]domain.ID); ok && c.Op == "in" {
		return column + " = ANY(" + r.arg(ids) + "::uuid[])", nil
	}
	if c.Op == "in" {
		values := c.Values
		if values == nil {
			values = []string{}
		}
		if list, ok := queueLiterals(c.Column, values); ok {
			return column + " IN (" + list + ")", nil
		}
		return column + " = ANY(" + r.arg(values) + "::text[])", nil
	}
	op, ok := comparisons[c.Op]
	if !ok {
		return "", fmt.Errorf("store: a filter has the operator %q", c.Op)
	}
	if text, ok := literal(c.Column, c.Value); ok {
		return column + " " + op + " " + text, nil
	}
	return column + " " + op + " " + r.arg(c.Value), nil
}

// queueNamePattern matches the names of queues that may be written into the SQL.
var queueNamePattern = regexp.MustCompile(`^[A-Za-z0-9_]{1,63}$`)

// literal returns a value as SQL text if it is safe: known statuses, names of letters and digits,
// integers (there are few different limits), booleans and NoID. Only with a literal does a generic
// plan estimate the rows, and read a list in the order of an index instead of sorting it.
func literal(column domain.Column, value any) (string, bool) {
	switch v := value.(type) {
	case string:
		if column == domain.ColStatus && literalStatuses[v] || column == domain.ColQueue &&
			queueNamePattern.MatchString(v) {
			return "'" + v + "'", true
		}
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return "(" + strconv.FormatInt(v, 10) + ")::bigint", true
	case domain.ID:
		if v == domain.NoID {
			return "'" + v.String() + "'", true
		}
	}
	return "", false
}

// queueLiterals returns names of queues as an SQL list, if all of them are safe.
func queueLiterals(column domain.Column, names []string) (string, bool) {
	list := make([]string, 0, len(names))
	for _, name := range names {
		text, ok := literal(column, name)
		if !ok {
			return "", false
		}
		list = append(list, text)
	}
	return strings.Join(list, ", "), column == domain.ColQueue && len(list) > 0
}

func (r *filterRenderer) antiJoin(a domain.AntiJoin) (string, error) {
	person := r.arg(a.Person)
	switch a.Kind {
	case domain.AntiInterest:
		return fmt.Sprintf(`NOT EXISTS (SELECT FROM case_interests i WHERE i.case_id = %s
			AND i.person = %s)`, r.caseID, person), nil
	case domain.AntiConflict:
		return fmt.Sprintf(`NOT EXISTS (SELECT FROM conflicts k
			JOIN parties kp ON kp.id = k.party_id JOIN parties op ON op.group_id = kp.group_id
			WHERE k.person = %s AND k.ended_at IS NULL AND (op.id = %s OR op.id = ANY(%s)))`,
			person, r.party, r.parties), nil
	case domain.AntiVote:
		if r.duty == "" {
			return "", fmt.Errorf("store: a filter over cases asks for votes of a duty")
		}
		return fmt.Sprintf(`NOT EXISTS (SELECT FROM votes v WHERE v.case_id = %s AND v.duty = %s
			AND v.person = %s)`, r.caseID, r.duty, person), nil
	}
	return "", fmt.Errorf("store: a filter has the anti-join %q", a.Kind)
}

// exists asks for a review or a decision of the case. As one of several alternatives, Postgres answers it
// from a hash of all reviews of the queues, which a page of the newest cases does not need: the first rows
// of a list are looked up one by one, and the hash is made when those do not fill the page.
func (r *filterRenderer) exists(e domain.ReviewExists) string {
	of := fmt.Sprintf(`SELECT FROM reviews w WHERE w.case_id = %s
		AND w.status IN ('open', 'claimed') AND w.queue = `, r.caseID)
	if e.DecidedBy != domain.NoID {
		of = fmt.Sprintf(`SELECT FROM decisions d WHERE d.case_id = %s AND d.actor = %s`,
			r.caseID, r.arg(e.DecidedBy))
	} else {
		of += "ANY(" + r.arg(e.Queues) + "::text[])"
	}
	if r.first == nil || r.alternatives == 0 {
		return "EXISTS (" + of + ")"
	}
	return "CASE WHEN " + r.first() + " THEN EXISTS (" + of + " OFFSET 0) ELSE EXISTS (" + of + ") END"
}
