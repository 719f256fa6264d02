package main

import (
	"context"
	"strconv"
	"strings"

	"countersign/domain"
)

// rateCommands manage exchange rates.
type rateCommands struct {
	Set  rateSet  `cmd:"" help:"Set the value of one unit of a currency in the base currency, from now on."`
	List rateList `cmd:"" default:"1" help:"List the current rates."`
}

// rateSet sets one rate.
type rateSet struct {
	Currency string `arg:"" help:"Currency code of three letters, such as EUR."`
	Rate     string `arg:"" help:"Base currency (USD) for one unit, such as 1.0875."`
}

// Run sets it.
func (r *rateSet) Run(ctx context.Context, c *console) error {
	currency := strings.ToUpper(r.Currency)
	micros, err := rateMicros(currency, r.Rate)
	if err != nil {
		return err
	}
	o, err := c.openOperator(ctx)
	if err != nil {
		return err
	}
	defer o.close()
	if err := o.service.PutRate(ctx, domain.SystemActor(), currency, micros); err != nil {
		return err
	}
	// the stored rate, because a rate of more decimals than are stored was rounded up
	stored := rateRow{currency, rateText(currency, micros), domain.BaseCurrency}
	return c.printDone(stored, "1 %s = %s %s from now on", currency, stored.Rate, stored.Base)
}

// rateMicros converts "base units for one unit" to millionths of a base minor unit for one minor
// unit, rounded up. Currencies differ in minor digits: the yen has none, the dinar three.
func rateMicros(currency, rate string) (int64, error) {
	digits, ok := domain.Exponent(currency)
	base, _ := domain.Exponent(domain.BaseCurrency)
	if !ok {
		return 0, domain.Invalid("currency", "The currency %q is not known.", currency)
	}
	whole, fraction, _ := strings.Cut(strings.TrimSpace(rate), ".")
	if len(whole) > 9 || len(fraction) > 9 || strings.Trim(whole+fraction, "0123456789") != "" ||
		whole+fraction == "" {
		return 0, domain.Invalid("rate", "%q is not a valid rate.",
			rate).WithRemedy("Write it like 1.0875.")
	}
	nanos, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 9-len(fraction)), 10, 64)
	if err != nil || nanos == 0 {
		return 0, domain.Invalid("rate", "The rate %q is not above zero.", rate)
	}
	divisor := int64(1000) // from nanos to micros
	for ; digits > base; digits-- {
		divisor *= 10
	}
	for ; digits < base; digits++ {
		if nanos > (1<<62)/10 {
			return 0, domain.Invalid("rate", "The rate %s is too large.", rate)
		}
		nanos *= 10
	}
	return (nanos + divisor - 1) / divisor, nil
}

// rateText converts a rate in micros back to base units for one unit.
func rateText(currency string, micros int64) string {
	digits, _ := domain.Exponent(currency)
	base, _ := domain.Exponent(domain.BaseCurrency)
	scale := 6 + base - digits // decimal places of the rate
	text := strconv.FormatInt(micros, 10)
	if scale <= 0 {
		return text + strings.Repeat("0", -scale)
	}
	if len(text) <= scale {
		text = strings.Repeat("0", scale-len(text)+1) + text
	}
	return strings.TrimRight(strings.TrimRight(text[:len(text)-scale]+"."+text[len(text)-scale:],
		"0"), ".")
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
		row := rateRow{currency, rateText(currency, rate.Micros), domain.BaseCurrency}
		found, rows = append(found, row), append(rows, []string{"1 " + row.Currency,
			row.Rate + " " + row.Base})
	}
	return c.printTable(found, []string{"UNIT", "IS WORTH"}, rows)
}
