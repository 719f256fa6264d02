// Package scalar converts the API's scalars.
//
// What may enter: pairs of marshal and unmarshal functions. What never happens here: rules and
// reads.
package scalar

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"countersign/domain"
)

const timeLayout = "2006-01-02T15:04:05.000000Z07:00"

// neverYear is the first year of stored deadlines that never occur.
const neverYear = 9999

// MarshalDateTime writes a time in UTC with microseconds. The zero time and deadlines that never
// occur become null.
func MarshalDateTime(at time.Time) graphql.Marshaler {
	if at.IsZero() || at.UTC().Year() >= neverYear {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) {
		_, _ = io.WriteString(w, strconv.Quote(at.UTC().Format(timeLayout)))
	})
}

// UnmarshalDateTime parses RFC 3339.
func UnmarshalDateTime(value any) (time.Time, error) {
	text, ok := value.(string)
	if !ok {
		return time.Time{}, domain.Invalid("", "Enter a time like 2026-01-31T12:00:00Z.")
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, domain.Invalid("", "%.40q is not a time like 2026-01-31T12:00:00Z.",
			text)
	}
	return at.UTC(), nil
}

// MarshalBigInt writes an integer as decimal text.
func MarshalBigInt(number int64) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		_, _ = io.WriteString(w, `"`+strconv.FormatInt(number, 10)+`"`)
	})
}

// UnmarshalBigInt parses decimal text or an integer.
func UnmarshalBigInt(value any) (int64, error) {
	number, err := strconv.ParseInt(fmt.Sprint(value), 10, 64)
	if err != nil {
		return 0, domain.Invalid("", "%.40q is not an integer.", fmt.Sprint(value))
	}
	return number, nil
}

// MarshalJSON writes the value unchanged; an empty value becomes null.
func MarshalJSON(value json.RawMessage) graphql.Marshaler {
	if len(value) == 0 {
		return graphql.Null
	}
	return graphql.WriterFunc(func(w io.Writer) { _, _ = w.Write(value) })
}

// UnmarshalJSON accepts any value.
func UnmarshalJSON(value any) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, domain.Invalid("", "This is not valid JSON.").WithCause(err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}

// Kind is the type part of a global id.
type Kind string

// Kinds of objects that can be read by id.
const (
	KindCase       Kind = "Case"
	KindReview     Kind = "Review"
	KindIncident   Kind = "Incident"
	KindPerson     Kind = "Person"
	KindAPIToken   Kind = "ApiToken"
	KindConflict   Kind = "Conflict"
	KindDelegation Kind = "Delegation"
	KindAbsence    Kind = "Absence"
	KindProposal   Kind = "Proposal"
	KindTask       Kind = "ExternalTask"
	KindSample     Kind = "QualitySample"
	KindLesson     Kind = "VendorLesson"
	KindConnector  Kind = "Connector"
	KindNotice     Kind = "Notice"
	KindDelivery   Kind = "Delivery"
	KindLegalHold  Kind = "LegalHold"
	KindNote       Kind = "Note"
	KindComment    Kind = "ProposalComment"
	KindView       Kind = "View"
	KindMigration  Kind = "CaseMigration"

	KindOperatorRequest Kind = "OperatorRequest"
)

// GlobalID returns the opaque id of an object.
func GlobalID(kind Kind, id domain.ID) string {
	return domain.PublicID(string(kind), id)
}

// ParseID parses an opaque id and returns its kind. The plain UUID of an object is not an id of the
// API.
func ParseID(text string) (Kind, domain.ID, error) {
	kind, id, ok := domain.ParsePublicID(text)
	if !ok {
		return "", domain.NoID, invalidID(text)
	}
	return Kind(kind), id, nil
}

// IDOf parses an opaque id of the given kind; field is the input's name for the error.
func IDOf(kind Kind, field, text string) (domain.ID, error) {
	found, id, err := ParseID(text)
	if err != nil || found != kind {
		return domain.NoID, domain.Invalid(field, "%.60q is not the id of a %s.", text, kind)
	}
	return id, nil
}

func invalidID(text string) error { return domain.Invalid("id", "%.60q is not a valid id.", text) }

// EventCursor returns the opaque cursor of a position in an event log.
func EventCursor(seq int64) string {
	return base64.RawURLEncoding.EncodeToString([]byte("e:" + strconv.FormatInt(seq, 10)))
}

// ParseEventCursor parses the cursor; "" is the beginning.
func ParseEventCursor(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	plain, err := base64.RawURLEncoding.DecodeString(text)
	digits, found := strings.CutPrefix(string(plain), "e:")
	seq, numberErr := strconv.ParseInt(digits, 10, 64)
	if err != nil || !found || numberErr != nil || seq < 0 {
		return 0, domain.Invalid("after", "%.60q is not a valid event cursor.", text)
	}
	return seq, nil
}
