package casework_test

import (
	"testing"

	"countersign/domain"
)

// An amount in the base currency is compared with limits as it is, so the rate of the base currency
// is 1 and stays 1.
func TestRateOfTheBaseCurrencyIsOne(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	for _, micros := range []int64{1, 999_999, 1_000_001, 2_000_000} {
		wantCode(t, env.svc.SeedRate(env.ctx, domain.BaseCurrency, micros),
			domain.InvalidInput)
	}
	must(t, env.svc.SeedRate(env.ctx, domain.BaseCurrency, 1_000_000))
	rate, err := env.db.Reader().RateAt(env.ctx, domain.BaseCurrency, env.now())
	must(t, err)
	if rate.Micros != 1_000_000 {
		t.Errorf("the rate of %s is %d", domain.BaseCurrency, rate.Micros)
	}
}
