package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
)

// Files of the demo's folder that hold secrets; only their owner may read them.
const (
	peopleFile      = "demo-people.txt"
	environmentFile = "demo.env"
)

// demoPerson is one of the demo's people. There are enough of them to complete every process.
type demoPerson struct {
	email, name string
	roles       []domain.Role
	queues      []string
}

var demoPeople = []demoPerson{
	{"submitter1@demo.test", "Sara Lind", []domain.Role{domain.RoleSubmitter}, nil},
	{"submitter2@demo.test", "Tom Okafor", []domain.Role{domain.RoleSubmitter}, nil},
	{"junior1@demo.test", "Jana Novak", []domain.Role{domain.RoleL1}, []string{"L1", "repair"}},
	{"junior2@demo.test", "Jun Park", []domain.Role{domain.RoleL1}, []string{"L1", "repair"}},
	{"senior1@demo.test", "Sven Berg", []domain.Role{domain.RoleSenior}, []string{"L1", "repair"}},
	{"senior2@demo.test", "Sofia Rossi", []domain.Role{domain.RoleSenior}, []string{"L1", "repair"}},
	{"manager1@demo.test", "Maria Weber", []domain.Role{domain.RoleManager}, []string{"L1", "L2", "repair"}},
	{"manager2@demo.test", "Malik Haddad", []domain.Role{domain.RoleManager}, []string{"L1", "L2", "repair"}},
	{"aml1@demo.test", "Amara Diallo", []domain.Role{domain.RoleAML}, []string{"AML"}},
	{"aml2@demo.test", "Anton Kral", []domain.Role{domain.RoleAML}, []string{"AML"}},
	{"auditor@demo.test", "Aoife Byrne", []domain.Role{domain.RoleAuditor}, nil},
	{"admin1@demo.test", "Ada Moreau", []domain.Role{domain.RoleAdmin}, nil},
	{"admin2@demo.test", "Adil Rahman", []domain.Role{domain.RoleAdmin}, nil},
}

// ensurePeople creates the demo's people once. If their file was lost, they get new passwords and
// tokens.
func (d *demo) ensurePeople(ctx context.Context, o *operator) error {
	path := filepath.Join(d.folder, peopleFile)
	users, err := o.db.Reader().Users(ctx, nil)
	if err != nil {
		return err
	}
	known := map[string]domain.ID{}
	for _, user := range users {
		known[user.Email] = user.ID
	}
	if _, err := os.Stat(path); err == nil && known[demoPeople[0].email] != domain.NoID {
		return nil
	}
	// New passwords for present accounts are given on the demo's own database only; elsewhere they would
	// pass the second operator by.
	if len(users) > 0 && (known[demoPeople[0].email] == domain.NoID || d.postgres == nil) {
		return domain.Errorf(domain.StateMismatch,
			"The database from DATABASE_URL already contains other people.").
			WithRemedy("Unset DATABASE_URL, so that the demo creates its own database.")
	}
	d.printLine("Creating the demo people …")
	lines := []string{"E-MAIL\tNAME\tROLE\tQUEUES\tPASSWORD\tAPI TOKEN"}
	for _, person := range demoPeople {
		password := randomPassword()
		hash, err := identity.HashPassword(password)
		if err != nil {
			return err
		}
		id, err := o.service.PutUser(ctx, domain.SystemActor(),
			casework.PutUser{PasswordHash: hash, User: domain.User{ID: known[person.email],
				Email: person.email, Name: person.name, Roles: person.roles,
				Queues: person.queues}})
		if err != nil {
			return err
		}
		token, _, err := o.tokenFor(ctx, id, casework.CreateToken{Name: "demo"})
		if err != nil {
			return err
		}
		lines = append(lines, strings.Join([]string{person.email,
			strings.ReplaceAll(person.name, " ", "_"), joinRoles(person.roles),
			orDash(strings.Join(person.queues, ",")), password, token}, "\t"))
	}
	return writeSecret(path, aligned(lines))
}

func aligned(lines []string) string {
	var out strings.Builder
	writer := tabwriter.NewWriter(&out, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(writer, strings.Join(lines, "\n")) // a strings.Builder never fails
	_ = writer.Flush()
	return out.String()
}

// writeSecret writes a file atomically, readable by its owner alone.
func writeSecret(path, text string) error {
	temp := path + ".part"
	if err := os.WriteFile(temp, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

// demoRates are approximate rates: the value of one unit in US dollars.
var demoRates = map[string]string{
	"EUR": "1.08", "GBP": "1.27", "CHF": "1.13", "SEK": "0.095", "NOK": "0.094", "DKK": "0.145",
	"PLN": "0.25", "CZK": "0.043", "HUF": "0.0028",
	"RON": "0.217", "BGN": "0.552", "ISK": "0.0072", "TRY": "0.031", "UAH": "0.025", "CAD": "0.73",
	"AUD": "0.66", "NZD": "0.61", "JPY": "0.0067",
	"CNY": "0.139", "HKD": "0.128", "TWD": "0.031", "KRW": "0.00074", "SGD": "0.745",
	"MYR": "0.213", "THB": "0.028", "IDR": "0.000063",
	"PHP": "0.0176", "VND": "0.00004", "INR": "0.012", "PKR": "0.0036", "BDT": "0.0085",
	"LKR": "0.0033", "AED": "0.2723", "SAR": "0.2666",
	"QAR": "0.2747", "KWD": "3.25", "BHD": "2.65", "OMR": "2.6", "JOD": "1.41", "ILS": "0.27",
	"EGP": "0.021", "ZAR": "0.054", "NGN": "0.00065",
	"KES": "0.0077", "GHS": "0.067", "MAD": "0.1", "TND": "0.32", "BRL": "0.18", "MXN": "0.055",
	"ARS": "0.001", "CLP": "0.00107", "COP": "0.00025",
	"PEN": "0.267", "UYU": "0.025",
}

// ensureRates adds a rate for every common currency without one.
func (d *demo) ensureRates(ctx context.Context, o *operator) error {
	now, err := o.db.Reader().Clock(ctx)
	if err != nil {
		return err
	}
	for currency, rate := range demoRates {
		if _, err := o.db.Reader().RateAt(ctx, currency, now); err == nil {
			continue
		} else if !domain.HasCode(err, domain.RateMissing) {
			return err
		}
		micros, err := domain.RateMicros(currency, rate)
		if err != nil {
			return err
		}
		err = o.service.SeedRate(ctx, currency, micros)
		if domain.HasCode(err, domain.FourEyes) {
			return nil // the demo's administrators manage the rates now
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// demoMark in a database address marks it as written by a demo. Postgres shows it as the
// application name of the connections.
const demoMark = "application_name=countersign_demo"

// markURL adds demoMark to the address of the demo's own database.
func (d *demo) markURL(address string) string {
	if d.postgres == nil {
		return address
	}
	if strings.Contains(address, "?") {
		return address + "&" + demoMark
	}
	return address + "?" + demoMark
}

// dropStaleSettings drops addresses that the environment still has from the .data/demo.env of an
// earlier start, because they name a database that this demo must not use.
func (d *demo) dropStaleSettings() {
	if strings.Contains(d.settings.Database.URL, demoMark) {
		d.settings.Database.URL, d.settings.Database.MigrateURL, d.settings.Redis.URL = "", "", ""
	}
}

// writeEnvironment writes the settings that the tool needs for the running demo.
func (d *demo) writeEnvironment() error {
	lines := []string{"# Settings of the running demo for the tool: . .data/" + environmentFile}
	for _, setting := range append([][2]string{{"COUNTERSIGN_URL", d.settings.HTTP.PublicAddress()},
		{"DATABASE_URL", d.markURL(d.databaseURL)},
		{"MIGRATE_DATABASE_URL", d.markURL(d.ownerURL)}, {"REDIS_URL", d.redisURL},
		{"COUNTERSIGN_BLOB_DIR", d.settings.Storage.BlobDir}}, d.checkpointSettings()...) {
		lines = append(lines, fmt.Sprintf("export %s='%s'", setting[0],
			strings.ReplaceAll(setting[1], "'", `'\''`)))
	}
	return writeSecret(filepath.Join(d.folder, environmentFile), strings.Join(lines, "\n")+"\n")
}

// printWelcome prints the addresses and what to try.
func (d *demo) printWelcome() {
	// Passkeys work for names, not for IP addresses.
	address := strings.Replace(d.settings.HTTP.PublicAddress(), "//127.0.0.1:", "//localhost:", 1)
	d.printLine(`
Countersign is running at %[1]s

Open it in a browser. The sign-in page lists these people (passwords and API tokens are also in .data/%[2]s):`, address, peopleFile)
	rows := [][]string{}
	for _, person := range demoPeople {
		rows = append(rows, []string{"  " + person.email, person.name, joinRoles(person.roles),
			orDash(strings.Join(person.queues, ", "))})
	}
	_ = d.printTable(nil, []string{"  E-MAIL", "NAME", "ROLE", "QUEUES"}, rows) // the demo continues without a terminal
	d.printLine("")
	d.printBeside()
	d.printModel(address)
	d.printLine(`
Or try this in another terminal, in this folder:
  . .data/%[1]s
  token() { awk -v who="$1@demo.test" '$1 == who { print $NF }' .data/%[2]s; }

  COUNTERSIGN_TOKEN=$(token submitter1) bin/countersign submit --watch --amount 231.22 --currency EUR .data/samples/small-invoice.pdf
  COUNTERSIGN_TOKEN=$(token senior1)    bin/countersign review list
  COUNTERSIGN_TOKEN=$(token senior1)    bin/countersign review next
  COUNTERSIGN_TOKEN=$(token senior1)    bin/countersign review decide REFERENCE approve
  COUNTERSIGN_TOKEN=$(token submitter1) bin/countersign submit --watch .data/samples/small-scan.png
  bin/countersign audit verify
  bin/countersign doctor

Programs: server %[3]d, worker %[4]d (kill -9 the worker while it reads a document: nothing is lost). Logs: .data/log
Ctrl-C stops everything and keeps the data. make demo-reset deletes it.`, environmentFile, peopleFile, d.server.pid(), d.worker.pid())
}
