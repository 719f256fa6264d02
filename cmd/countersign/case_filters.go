package main

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/domain"
)

// caseFilters select cases by the filters of the page of cases.
type caseFilters struct {
	Status       []string `help:"Only cases with these statuses."`
	Text         string   `help:"Part of the reference, the counterparty or the document number."`
	Process      string   `help:"Key of the process."`
	Type         string   `help:"Document type, such as invoice."`
	Counterparty string   `help:"Part of the name of the counterparty."`
	Submitter    string   `help:"Id of the person who submitted the case."`
	Source       string   `enum:",web,api,cli,mail,folder" default:"" help:"web, api, cli, mail or folder."`
	From         string   `placeholder:"DATE" help:"Submitted on or after this date, such as 2026-11-01."`
	To           string   `placeholder:"DATE" help:"Submitted on or before this date."`
	Currency     string   `help:"Currency of the amounts, three letters."`
	AmountFrom   string   `placeholder:"AMOUNT" help:"Smallest amount. Needs --currency."`
	AmountTo     string   `placeholder:"AMOUNT" help:"Largest amount. Needs --currency."`
	MinRisk      string   `placeholder:"POINTS" help:"Smallest risk, from 0 to 100."`
	MaxRisk      string   `placeholder:"POINTS" help:"Largest risk, from 0 to 100."`
	Queue        string   `help:"Queue of a review that is not decided."`
	Rule         string   `help:"Rule of which the case has a finding."`
	View         string   `help:"Name of a saved view of cases. Other options change its filters."`
}

// given returns the filters of the options, by the parameters of the page's address.
func (f *caseFilters) given() map[string]string {
	address := map[string]string{}
	for name, value := range map[string]string{"status": strings.Join(f.Status, ","), "text": f.Text,
		"process": f.Process, "type": f.Type, "counterparty": f.Counterparty, "submitter": f.Submitter,
		"source": f.Source, "from": f.From, "to": f.To, "currency": f.Currency, "amountFrom": f.AmountFrom,
		"amountTo": f.AmountTo, "minRisk": f.MinRisk, "maxRisk": f.MaxRisk, "queue": f.Queue,
		"rule": f.Rule} {
		setParameter(address, name, value)
	}
	return address
}

func setParameter(address map[string]string, name, value string) {
	if value != "" {
		address[name] = value
	}
}

// address returns the filters of the saved view, changed by those of the options.
func (f *caseFilters) address(ctx context.Context, client *api) (map[string]string, error) {
	given := f.given()
	if err := client.checkType(ctx, f.Type); err != nil {
		return nil, err
	}
	address := map[string]string{}
	if f.View != "" {
		var err error
		if address, err = client.viewByName(ctx, "CASES", f.View); err != nil {
			return nil, err
		}
	}
	maps.Copy(address, given)
	if (address["amountFrom"] != "" || address["amountTo"] != "") && address["currency"] == "" {
		return nil, domain.Invalid("currency", "Amounts need the option --currency.")
	}
	return address, nil
}

// dayStart returns the beginning of a day in the local time zone, in the format of the API; "" for "".
func dayStart(option, text string, days int) (string, error) {
	if text == "" {
		return "", nil
	}
	day, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	if err != nil {
		return "", domain.Invalid(option, "%.40q is not a date, such as 2026-11-01.", text)
	}
	return day.AddDate(0, 0, days).UTC().Format(time.RFC3339), nil
}

// exportQuery returns the parameters of an export of the cases of an address.
func exportQuery(address map[string]string) (url.Values, error) {
	query := url.Values{}
	for name, value := range address {
		if name != "sort" && name != "columns" { // an export has its own order and columns
			query.Set(name, value)
		}
	}
	if query.Has("submitter") {
		query.Set("submitter", plainID(query.Get("submitter")))
	}
	for name, days := range map[string]int{"from": 0, "to": 1} {
		at, err := dayStart(name, address[name], days)
		if err != nil {
			return nil, err
		}
		if at != "" {
			query.Set(name, at)
		}
	}
	return query, nil
}

// listCasesOf reads the first cases of an address.
func listCasesOf(ctx context.Context, client *api, first int, address map[string]string) (
	*listCasesResponse, error) {
	from, err := dayStart("from", address["from"], 0)
	if err != nil {
		return nil, err
	}
	to, err := dayStart("to", address["to"], 1)
	if err != nil {
		return nil, err
	}
	risks := map[string]*int{}
	for option, name := range map[string]string{"min-risk": "minRisk", "max-risk": "maxRisk"} {
		if address[name] == "" {
			continue
		}
		points, err := strconv.Atoi(address[name])
		if err != nil {
			return nil, domain.Invalid(option, "%.40q is not a risk from 0 to 100.", address[name])
		}
		risks[name] = &points
	}
	var amount *AmountRangeInput
	if address["currency"] != "" {
		amount = &AmountRangeInput{Currency: strings.ToUpper(address["currency"]), From: address["amountFrom"],
			To: address["amountTo"]}
	}
	var statuses []string
	if address["status"] != "" {
		statuses = strings.Split(strings.ToUpper(address["status"]), ",")
	}
	submitter := address["submitter"]
	if id, err := domain.ParseID(submitter); err == nil {
		submitter = domain.PublicID("Person", id)
	}
	return listCases(ctx, client, first, statuses, address["text"], address["process"], address["type"],
		address["counterparty"], submitter, strings.ToUpper(address["source"]), from, to, amount,
		risks["minRisk"], risks["maxRisk"], address["queue"], address["rule"],
		strings.ToUpper(address["sort"]))
}

// checkType refuses a document type that the server does not know, and names those that it knows. A
// caller who may not read the types is not checked here.
func (a *api) checkType(ctx context.Context, name string) error {
	if name == "" {
		return nil
	}
	answer, err := documentTypeKeys(ctx, a)
	if err != nil {
		if domain.HasCode(err, domain.NotPermitted) {
			return nil
		}
		return err
	}
	var known []string
	for _, row := range answer.DocumentTypes.Nodes {
		known = append(known, row.Key)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	if len(known) == 0 || slices.Contains(known, name) {
		return nil
	}
	return domain.Invalid("type", "There is no document type %q.", name).
		WithRemedy("Choose one of: %s.", strings.Join(known, ", "))
}
