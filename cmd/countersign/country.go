package main

import (
	"context"
	"strings"

	"countersign/domain"
)

// countryCommands manage country risks, which rules read.
type countryCommands struct {
	Set    countrySet    `cmd:"" help:"Set the risk level of a country. A lower level waits for a second person."`
	Import countryImport `cmd:"" help:"Set the risk levels of a CSV with the columns country and level, or none of them."`
	List   countryList   `cmd:"" default:"1" help:"List the countries with a risk level."`
}

// countrySet sets the risk of one country.
type countrySet struct {
	Country string `arg:"" help:"Country code or name, such as IR or Iran."`
	Level   string `arg:"" enum:"high,elevated,none" help:"Risk level: high, elevated or none."`
	Reason  string `required:"" help:"Reason."`
}

// Run sets it.
func (s *countrySet) Run(ctx context.Context, c *console) error {
	return c.setCountries(ctx, [][2]string{{strings.ToUpper(s.Country), s.Level}}, s.Reason)
}

// countryImport sets the risks of a file.
type countryImport struct {
	File   string `arg:"" help:"CSV file." type:"existingfile"`
	Reason string `required:"" help:"Reason."`
}

// Run sets them.
func (i *countryImport) Run(ctx context.Context, c *console) error {
	pairs, err := readPairs(i.File, "country", "level")
	if err != nil {
		return err
	}
	return c.setCountries(ctx, pairs, i.Reason)
}

func (c *console) setCountries(ctx context.Context, pairs [][2]string, reason string) error {
	countries := make([]CountryRiskInput, 0, len(pairs))
	for _, pair := range pairs {
		level := strings.ToUpper(pair[1])
		if level != "HIGH" && level != "ELEVATED" && level != "NONE" {
			return domain.Invalid("level",
				"The risk level of %s must be high, elevated or none, not %q.", pair[0], pair[1])
		}
		countries = append(countries, CountryRiskInput{Country: pair[0], Level: level})
	}
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := setCountries(ctx, client, countries, reason)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "")
}

// countryList lists the country risks.
type countryList struct{}

// countryRow is the risk of a country.
type countryRow struct{ Country, Level string }

// Run prints the list.
func (countryList) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	risks, err := o.db.Reader().CountryRisks(ctx)
	if err != nil {
		return err
	}
	found, rows := []countryRow{}, [][]string{}
	for _, risk := range risks {
		found = append(found, countryRow{risk.Country, risk.Level})
		rows = append(rows, []string{risk.Country, risk.Level})
	}
	return c.printTable(found, []string{"COUNTRY", "RISK"}, rows)
}
