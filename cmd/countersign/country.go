package main

import (
	"context"

	"countersign/domain"
	"countersign/domain/country"
	"countersign/store"
)

// countryCommands manage country risks, which rules read.
type countryCommands struct {
	Set  countrySet  `cmd:"" help:"Set the risk level of a country."`
	List countryList `cmd:"" default:"1" help:"List the countries with a risk level."`
}

// countrySet sets the risk of one country.
type countrySet struct {
	Country string `arg:"" help:"Country code or name, such as IR or Iran."`
	Level   string `arg:"" enum:"high,elevated,none" help:"Risk level: high, elevated or none."`
}

// Run sets it.
func (s *countrySet) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	name, level := s.Country, s.Level
	if code, ok := country.Parse(name); ok {
		name = code
	}
	if level == "none" {
		level = ""
	}
	if err := o.service.SetCountryRisk(ctx, domain.SystemActor(), name, level); err != nil {
		return err
	}
	return c.printDone(store.CountryRisk{Country: name, Level: s.Level}, "%s  %s", name,
		s.Level)
}

// countryList lists the country risks.
type countryList struct{}

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
	rows := [][]string{}
	for _, risk := range risks {
		rows = append(rows, []string{risk.Country, risk.Level})
	}
	return c.printTable(risks, []string{"COUNTRY", "RISK"}, rows)
}
