package main

import (
	"context"
	"strings"

	"countersign/domain"
)

// rateCommands manage exchange rates.
type rateCommands struct {
	Set    rateSet    `cmd:"" help:"Set the value of one unit of a currency in the base currency, from now on. A large change waits for a second person."`
	Import rateImport `cmd:"" help:"Set the rates of a CSV with the columns currency and rate, or none of them."`
	Seed   rateSeed   `cmd:"" help:"Set the first rate of a currency, for a new installation. Refused after a person has set a rate."`
	List   rateList   `cmd:"" default:"1" help:"List the current rates."`
}

// rateSet sets one rate.
type rateSet struct {
	Currency string `arg:"" help:"Currency code of three letters, such as EUR."`
	Rate     string `arg:"" help:"Base currency (USD) for one unit, such as 1.0875."`
	Reason   string `required:"" help:"Reason."`
}

// Run sets it.
func (r *rateSet) Run(ctx context.Context, c *console) error {
	return c.setRates(ctx, [][2]string{{strings.ToUpper(r.Currency), r.Rate}}, r.Reason)
}

// rateImport sets the rates of a file.
type rateImport struct {
	File   string `arg:"" help:"CSV file." type:"existingfile"`
	Reason string `required:"" help:"Reason."`
}

// Run sets them.
func (r *rateImport) Run(ctx context.Context, c *console) error {
	pairs, err := readPairs(r.File, "currency", "rate")
	if err != nil {
		return err
	}
	return c.setRates(ctx, pairs, r.Reason)
}

func (c *console) setRates(ctx context.Context, pairs [][2]string, reason string) error {
	rates := make([]ExchangeRateInput, 0, len(pairs))
	for _, pair := range pairs {
		if _, err := domain.RateMicros(pair[0], pair[1]); err != nil {
			return err
		}
		rates = append(rates, ExchangeRateInput{Currency: pair[0], Rate: pair[1]})
	}
	client, err := c.api()
	if err != nil {
		return err
	}
	answer, err := setRates(ctx, client, rates, reason)
	if err != nil {
		return err
	}
	return c.printControl(answer.Done, "")
}

// rateSeed sets the first rate of a currency.
type rateSeed struct {
	Currency string `arg:"" help:"Currency code of three letters, such as EUR."`
	Rate     string `arg:"" help:"Base currency (USD) for one unit, such as 1.0875."`
}

// Run sets it.
func (r *rateSeed) Run(ctx context.Context, c *console) error {
	currency := strings.ToUpper(r.Currency)
	micros, err := domain.RateMicros(currency, r.Rate)
	if err != nil {
		return err
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	if err := o.service.SeedRate(ctx, currency, micros); err != nil {
		return err
	}
	// the stored rate, because a rate of more decimals than are stored was rounded up
	stored := rateRow{currency, domain.RateText(currency, micros), domain.BaseCurrency}
	return c.printDone(stored, "1 %s = %s %s from now on", currency, stored.Rate, stored.Base)
}

// rateList lists the rates.
type rateList struct{}

// rateRow is a current rate.
type rateRow struct{ Currency, Rate, Base string }

// Run prints the current rates.
func (rateList) Run(ctx context.Context, c *console) error {
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	now, err := o.db.Reader().Clock(ctx)
	if err != nil {
		return err
	}
	found, rows := []rateRow{}, [][]string{}
	for _, currency := range domain.Currencies() {
		rate, err := o.db.Reader().RateAt(ctx, currency, now)
		if domain.HasCode(err, domain.RateMissing) {
			continue
		}
		if err != nil {
			return err
		}
		row := rateRow{currency, domain.RateText(currency, rate.Micros), domain.BaseCurrency}
		found, rows = append(found, row), append(rows, []string{"1 " + row.Currency,
			row.Rate + " " + row.Base})
	}
	return c.printTable(found, []string{"UNIT", "IS WORTH"}, rows)
}
