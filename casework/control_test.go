package casework_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/casework"
	"countersign/domain"
)

// setCountry sets the risk of one country.
func (env *testEnv) setCountry(
	by domain.Actor, country, level string,
) (casework.ControlResult, error) {
	env.t.Helper()
	results, err := env.svc.SetCountryRisks(env.ctx, by, casework.SetCountryRisks{
		Changes: []casework.CountryRiskChange{{Country: country, Level: level}},
		Reason:  "list of the FATF"})
	if err != nil {
		return casework.ControlResult{}, err
	}
	return results[0], nil
}

// setRate sets the rate of one currency.
func (env *testEnv) setRate(
	by domain.Actor, currency, rate string,
) (casework.ControlResult, error) {
	env.t.Helper()
	results, err := env.svc.SetRates(env.ctx, by, casework.SetRates{
		Rates: []casework.RateText{{Currency: currency, Rate: rate}}, Reason: "market"})
	if err != nil {
		return casework.ControlResult{}, err
	}
	return results[0], nil
}

func (env *testEnv) confirm(by domain.Actor, proposal domain.ID) error {
	env.t.Helper()
	_, err := env.svc.ConfirmControlChange(env.ctx, by,
		casework.EndProposal{ProposalID: proposal})
	return err
}

// joinGroups joins the groups of two companies by two administrators of its own.
func (env *testEnv) joinGroups(party, with string) {
	env.t.Helper()
	proposed, err := env.svc.GroupParty(env.ctx,
		env.person("proposer-"+domain.NewID().String(), domain.RoleAdmin),
		casework.GroupParty{Party: party, With: with})
	must(env.t, err)
	must(env.t, env.confirm(env.person("confirmer-"+domain.NewID().String(), domain.RoleAdmin),
		proposed.ProposalID))
}

// endConflict ends a conflict by two administrators.
func (env *testEnv) endConflict(proposer, confirmer domain.Actor, conflict domain.ID) error {
	env.t.Helper()
	proposed, err := env.svc.EndConflict(env.ctx, proposer,
		casework.EndConflict{ID: conflict, Reason: "over"})
	if err != nil {
		return err
	}
	return env.confirm(confirmer, proposed.ProposalID)
}

func (env *testEnv) wantRisk(country, level string) {
	env.t.Helper()
	risk, err := env.db.Reader().CountryRisk(env.ctx, country)
	must(env.t, err)
	if risk.Level != level {
		env.t.Errorf("%s has the risk %q, want %q", country, risk.Level, level)
	}
}

func (env *testEnv) wantRate(currency string, micros int64) {
	env.t.Helper()
	rate, err := env.db.Reader().NewestRate(env.ctx, currency)
	must(env.t, err)
	if rate.Micros != micros {
		env.t.Errorf("%s has the rate %d, want %d", currency, rate.Micros, micros)
	}
}

// eventsOf returns the types of the events of a stream, in order.
func (env *testEnv) eventsOf(stream string) string {
	env.t.Helper()
	var types string
	must(env.t, env.owner.QueryRow(env.ctx, `SELECT coalesce(string_agg(e.type, ' '
		ORDER BY e.seq), '') FROM events e JOIN streams s ON s.id = e.case_id
		WHERE s.name = $1`, stream).Scan(&types))
	return types
}

// A higher risk takes effect immediately. A lower one waits for a second person, and a change in
// between makes it stale.
func TestCountryRiskIsEasedByTwoPersons(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	raised, err := env.setCountry(ada, "AE", "high")
	must(t, err)
	if raised.ProposalID != domain.NoID {
		t.Error("a higher risk waits for a second person")
	}
	env.wantRisk("AE", "high")
	eased, err := env.setCountry(ada, "AE", "elevated")
	must(t, err)
	env.wantRisk("AE", "high")
	wantCode(t, env.confirm(ada, eased.ProposalID), domain.FourEyes)
	wantCode(t, env.confirm(env.person("mia", domain.RoleManager), eased.ProposalID),
		domain.NotPermitted)
	must(t, env.confirm(adam, eased.ProposalID))
	env.wantRisk("AE", "elevated")
	wantCode(t, env.confirm(adam, eased.ProposalID), domain.StateMismatch)

	stale, err := env.setCountry(ada, "AE", "")
	must(t, err)
	_, err = env.setCountry(adam, "AE", "high")
	must(t, err)
	wantCode(t, env.confirm(adam, stale.ProposalID), domain.StaleVersion)
	_, err = env.svc.WithdrawControlChange(env.ctx, adam,
		casework.EndProposal{ProposalID: stale.ProposalID, Reason: "sanctions"})
	must(t, err)
	env.wantRisk("AE", "high")
	same, err := env.setCountry(ada, "AE", "high")
	must(t, err)
	if !same.Unchanged {
		t.Errorf("the present level: %+v", same)
	}
	if got, want := env.eventsOf("control"), strings.Join([]string{"rate.changed",
		"country_risk.changed", "control.proposed", "country_risk.changed", "control.proposed",
		"country_risk.changed", "control.withdrawn"}, " "); got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	var proposer, confirmer domain.ID
	must(t, env.owner.QueryRow(env.ctx, `SELECT (body::jsonb ->> 'proposedBy')::uuid,
		(body::jsonb ->> 'by')::uuid FROM events WHERE type = 'country_risk.changed'
		AND body::jsonb ->> 'after' = 'elevated'`).Scan(&proposer, &confirmer))
	if proposer != ada.UserID || confirmer != adam.UserID {
		t.Errorf("the audit names %s and %s", proposer, confirmer)
	}
	env.verifyStream(domain.ControlStream, 7)
}

// Two small steps do not add up to a large one, in whichever direction they go, and however much
// time passes between them.
func TestRatesMoveFarByTwoPersons(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	set := func(rate string, waits bool) domain.ID {
		t.Helper()
		done, err := env.setRate(ada, "EUR", rate)
		must(t, err)
		if (done.ProposalID != domain.NoID) != waits {
			t.Errorf("the rate %s waits: %v, want %v", rate, !waits, waits)
		}
		return done.ProposalID
	}
	set("1.144", false) // 4 % above 1.1
	env.wantRate("EUR", 1_144_000)
	set("1.1901", true) // 4 % above the present rate, 8.2 % above the confirmed one
	_, err := env.setRate(ada, "EUR", "1.1901")
	wantCode(t, err, domain.StateMismatch) // it is already proposed
	env.setClockOffset(env.clockOffset + 48*3600*1_000_000_000)
	far := set("1.19", true)
	set("1.06", true) // near the confirmed rate, 7.3 % below the present one
	env.wantRate("EUR", 1_144_000)
	wantCode(t, env.confirm(ada, far), domain.FourEyes)
	must(t, env.confirm(adam, far))
	env.wantRate("EUR", 1_190_000)
	set("1.24", false) // 4.2 % above the newly confirmed rate
	set("1.2495", false)
	set("1.2496", true) // just above 5 %

	added, err := env.setRate(ada, "CHF", "1.13")
	must(t, err)
	if added.ProposalID == domain.NoID {
		t.Error("a new currency took effect by one person")
	}
	must(t, env.confirm(adam, added.ProposalID))
	env.wantRate("CHF", 1_130_000)
	for _, bad := range []casework.RateText{{Currency: "USD", Rate: "1.01"},
		{Currency: "EUR", Rate: "0"}, {Currency: "XXY", Rate: "1"}} {
		_, err := env.setRate(ada, bad.Currency, bad.Rate)
		wantCode(t, err, domain.InvalidInput)
	}
}

// One refused line refuses all lines of an import.
func TestImportsOfControlDataAreWhole(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada := env.person("ada", domain.RoleAdmin)
	_, err := env.svc.SetRates(env.ctx, ada, casework.SetRates{Reason: "import",
		Rates: []casework.RateText{{Currency: "EUR", Rate: "1.11"}, {Currency: "GBP", Rate: "-1"}}})
	wantCode(t, err, domain.InvalidInput)
	_, err = env.svc.SetRates(env.ctx, ada, casework.SetRates{Reason: "import",
		Rates: []casework.RateText{{Currency: "EUR", Rate: "1.11"},
			{Currency: "EUR", Rate: "1.12"}}})
	wantCode(t, err, domain.InvalidInput)
	_, err = env.svc.SetCountryRisks(env.ctx, ada, casework.SetCountryRisks{Reason: "import",
		Changes: []casework.CountryRiskChange{{Country: "AE", Level: "high"},
			{Country: "Atlantis", Level: "high"}}})
	wantCode(t, err, domain.InvalidInput)
	_, err = env.svc.SetCountryRisks(env.ctx, ada, casework.SetCountryRisks{
		Changes: []casework.CountryRiskChange{{Country: "AE", Level: "high"}}})
	wantCode(t, err, domain.InvalidInput) // without a reason
	env.wantRate("EUR", 1_100_000)
	env.wantRisk("AE", "")
	import2 := casework.SetRates{Reason: "import", Once: casework.Once{Key: "k"},
		Rates: []casework.RateText{{Currency: "EUR", Rate: "1.11"}, {Currency: "GBP", Rate: "1.27"}}}
	for range 2 { // the second call replays the first
		results, err := env.svc.SetRates(env.ctx, ada, import2)
		must(t, err)
		if len(results) != 2 || results[0].ProposalID != domain.NoID ||
			results[1].ProposalID == domain.NoID {
			t.Errorf("results %+v", results)
		}
	}
	env.wantRate("EUR", 1_110_000)
	if n := env.queryInt(`SELECT count(*) FROM proposals WHERE kind = 'rate'`); n != 1 {
		t.Errorf("%d proposals, want 1", n)
	}
}

// Only administrators change control data: no manager, no token without the scope, no delegate, and
// not the system once a person has set a value.
func TestWhoChangesControlData(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, mia := env.person("ada", domain.RoleAdmin), env.person("mia", domain.RoleManager)
	read, onBehalf := ada, mia
	read.Scopes, onBehalf.OnBehalfOf = []string{"read"}, ada.UserID
	people := ada
	people.Scopes = []string{"manage_people"}
	for name, by := range map[string]domain.Actor{"manager": mia, "token": read,
		"delegate": onBehalf, "token for people": people} {
		_, err := env.setCountry(by, "AE", "high")
		if !domain.HasCode(err, domain.NotPermitted) {
			t.Errorf("%s raises a country: %v", name, err)
		}
		if _, err = env.setRate(by, "EUR", "1.11"); name != "token for people" &&
			!domain.HasCode(err, domain.NotPermitted) {
			t.Errorf("%s sets a rate: %v", name, err)
		}
	}
	eased, err := env.setCountry(ada, "IR", "")
	must(t, err)
	people.UserID = env.person("adam", domain.RoleAdmin).UserID
	wantCode(t, env.confirm(people, eased.ProposalID), domain.NotPermitted)
	wantCode(t, env.confirm(mia, domain.NewID()), domain.NotPermitted)
	wantCode(t, env.confirm(ada, domain.NewID()), domain.NotFound)
	system := domain.SystemActor()
	_, err = env.setCountry(system, "IR", "")
	wantCode(t, err, domain.FourEyes)
	wantCode(t, env.confirm(system, eased.ProposalID), domain.FourEyes)
	wantCode(t, env.svc.SeedRate(env.ctx, "EUR", 2_000_000), domain.FourEyes)
	must(t, env.svc.SeedRate(env.ctx, "EUR", 1_110_000)) // the present rate
	wantCode(t, env.svc.SeedRate(env.ctx, "GBP", 1_270_000), domain.FourEyes)
	env.wantRisk("IR", "high")
}

// The database refuses the application what the service refuses.
func TestApplicationRoleCannotEaseControls(t *testing.T) {
	t.Parallel()
	env := newTestEnv(t)
	ada, adam := env.person("ada", domain.RoleAdmin), env.person("adam", domain.RoleAdmin)
	conflict, err := env.svc.DeclareConflict(env.ctx, ada, casework.DeclareConflict{
		Person: env.person("rita", domain.RoleL1).UserID, Party: "Acme", Reason: "x"})
	must(t, err)
	open, err := env.setCountry(ada, "IR", "elevated")
	must(t, err)
	used, err := env.setCountry(ada, "KP", "elevated")
	must(t, err)
	must(t, env.confirm(adam, used.ProposalID))
	app := env.appPool()
	for sql, code := range map[string]string{
		`DELETE FROM country_risk WHERE country = 'IR'`:               "CS011",
		`UPDATE country_risk SET level = '' WHERE country = 'IR'`:     "CS011",
		`UPDATE country_risk SET country = 'QQ' WHERE country = 'IR'`: "CS011",
		`UPDATE country_risk SET level = 'elevated', version = 0, proposal_id = '` +
			open.ProposalID.String() + `' WHERE country = 'IR'`: "CS011",
		`UPDATE country_risk SET level = 'elevated', proposal_id = '` +
			used.ProposalID.String() + `' WHERE country = 'MM'`: "CS011",
		`UPDATE country_risk SET level = '' WHERE country = 'KP'`: "CS011",
		`INSERT INTO rates (id, currency, micros, valid_from)
			VALUES (gen_random_uuid(), 'EUR', 1200000, clock())`: "CS011",
		`INSERT INTO rates (id, currency, micros, valid_from, confirmed_micros)
			VALUES (gen_random_uuid(), 'EUR', 1160000, clock(), 1160000)`: "CS011",
		`INSERT INTO rates (id, currency, micros, valid_from, set_by)
			VALUES (gen_random_uuid(), 'CHF', 1, clock(), '` + ada.UserID.String() + `')`: "CS011",
		`INSERT INTO rates (id, currency, micros, valid_from, proposal_id)
			VALUES (gen_random_uuid(), 'EUR', 1100001, clock(), '` +
			used.ProposalID.String() + `')`: "CS011",
		`INSERT INTO rates (id, currency, micros, valid_from)
			VALUES (gen_random_uuid(), 'EUR', 1100001, clock() - interval '1 day')`: "CS009",
		`INSERT INTO rates (id, currency, micros, valid_from)
			VALUES (gen_random_uuid(), 'EUR', 1100001, clock() + interval '1 day')`: "CS009",
		`UPDATE rates SET micros = 5 WHERE currency = 'EUR'`: "CS009",
		`DELETE FROM rates`: "42501",
		`UPDATE control_settings SET rate_percent = 100`: "42501",
		`UPDATE conflicts SET ended_at = clock()`:        "CS011",
		`UPDATE conflicts SET ended_at = clock(), ended_by = '` + adam.UserID.String() +
			`', end_proposal_id = '` + used.ProposalID.String() + `'`: "CS011",
		`UPDATE conflicts SET person = '` + ada.UserID.String() + `'`: "CS009",
		`WITH made AS (INSERT INTO parties (id, key, name, group_id) SELECT g, 'zz', 'zz', g
			FROM gen_random_uuid() g RETURNING id)
			UPDATE conflicts SET party_id = (SELECT id FROM parties WHERE key <> 'acme'
			UNION ALL SELECT id FROM made LIMIT 1)`: "",
		`DELETE FROM conflicts`: "42501",
		`INSERT INTO proposals (id, kind, key, base_version, document, status, proposed_by,
			decided_by, decided_at) VALUES (gen_random_uuid(), 'country_risk', 'IR', 1,
			'{"after": ""}', 'published', '` + ada.UserID.String() + `', '` +
			ada.UserID.String() + `', clock())`: "23514",
	} {
		if code != "" {
			refusedBySQL(t, app, code, sql)
			continue
		}
		if _, err := app.Exec(env.ctx, sql); err == nil {
			t.Errorf("accepted: %s", sql)
		}
	}
	must(t, env.endConflict(ada, adam, conflict))
	refusedBySQL(t, app, "CS009", `UPDATE conflicts SET ended_at = NULL`)
}

func (env *testEnv) appPool() *pgxpool.Pool {
	env.t.Helper()
	pool, err := pgxpool.New(env.ctx, env.appURL)
	must(env.t, err)
	env.t.Cleanup(pool.Close)
	return pool
}

// refusedBySQL runs a statement that the database must refuse with the code.
func refusedBySQL(t *testing.T, pool *pgxpool.Pool, code, sql string) {
	t.Helper()
	_, err := pool.Exec(t.Context(), sql)
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != code {
		t.Errorf("got %v, want %s: %s", err, code, sql)
	}
}
