package testcluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/blob"
	"countersign/casework"
	"countersign/domain"
	"countersign/internal/einvoice"
	"countersign/internal/pgtest"
)

// Person is a user of a cluster. Roles and queues are separated by commas.
type Person struct{ Email, Name, Roles, Queues string }

// people of every cluster.
var people = []Person{
	{"submitter@test.test", "submitter", "submitter", ""},
	{"junior@test.test", "junior", "reviewer_l1", "L1,repair"},
	{"senior@test.test", "senior", "reviewer_senior", "L1,repair"},
	{"manager@test.test", "manager", "manager", "L1,L2,repair"},
	{"auditor@test.test", "auditor", "auditor", ""},
	{"admin@test.test", "admin", "administrator", ""},
}

// seed is a template database with people and exchange rates. The command line fills it once for a
// test process, because its twenty runs cost more than all else that a new cluster needs.
type seed struct {
	people            []Person
	key               string
	mutex             sync.Mutex
	tokens, passwords map[string]string // by e-mail
	cases             []domain.ID       // of knowVendors
}

// seeds holds the seeds of this process by their people.
var seeds struct {
	sync.Mutex
	byPeople map[string]*seed
}

func seedOf(more []Person) *seed {
	all := append(append([]Person{}, people...), more...)
	key := fmt.Sprint(all)
	seeds.Lock()
	defer seeds.Unlock()
	if seeds.byPeople == nil {
		seeds.byPeople = map[string]*seed{}
	}
	if seeds.byPeople[key] == nil {
		seeds.byPeople[key] = &seed{people: all, key: key, tokens: map[string]string{},
			passwords: map[string]string{}}
	}
	return seeds.byPeople[key]
}

// database clones the seed for a test. The key names the process, since only it knows the tokens.
func (s *seed) database(tb testing.TB, bin string) *pgtest.DB {
	tb.Helper()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	schema := pgtest.Newest(tb)
	schema.Key = fmt.Sprintf("%s %d %d %s", schema.Key, os.Getpid(), processStart, s.key)
	schema.Fill = func(ctx context.Context, db *pgtest.DB) error { return s.fill(ctx, db, bin) }
	return pgtest.NewWith(tb, schema)
}

// processStart distinguishes two processes with the same number.
var processStart = time.Now().UnixNano()

func (s *seed) fill(ctx context.Context, db *pgtest.DB, bin string) error {
	folder, err := os.MkdirTemp("", "countersign-seed-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	run := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, filepath.Join(bin, "countersign"), args...)
		cmd.Env, cmd.Dir = environment(folder, db), folder
		output, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("countersign %s: %w", strings.Join(args, " "), err)
		}
		return string(output), nil
	}
	for _, args := range [][]string{{"migrate"}, {"rate", "seed", "EUR", "1.08"},
		{"rate", "seed", "GBP", "1.27"}} {
		if _, err := run(args...); err != nil {
			return err
		}
	}
	if s.cases, err = knowVendors(ctx, db); err != nil {
		return err
	}
	for _, person := range s.people {
		if s.passwords[person.Email], s.tokens[person.Email], err = addUser(person,
			run); err != nil {
			return err
		}
	}
	return nil
}

// knowVendors makes the vendors of Invoice and XML known: an invoice and a remittance of each were
// approved before, so that their documents need a person only for other reasons. It returns the ids
// of these cases.
func knowVendors(ctx context.Context, db *pgtest.DB) (cases []domain.ID, err error) {
	owner, err := pgx.Connect(ctx, db.OwnerURL)
	if err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	defer func() { _ = owner.Close(ctx) }()
	accounts := map[string]string{XMLSeller: einvoice.Account}
	for n := range trades {
		accounts[vendor(n)] = account(n)
	}
	for name, account := range accounts {
		for _, documentType := range []string{"invoice", "remittance"} {
			id := domain.NewID()
			past := einvoice.Past{ID: id, Key: casework.PartyKey(name), Vendor: name,
				DocumentType: documentType, Account: account}
			if err := past.Insert(ctx, owner); err != nil {
				return nil, fmt.Errorf("seed: %w", err)
			}
			cases = append(cases, id)
		}
	}
	return cases, nil
}

// KnownCases is the number of archived cases with which a cluster starts.
func KnownCases() int { return 2 * (len(trades) + 1) }

// putManifests stores the manifests of the cases that the seed has: empty files.
func (s *seed) putManifests(ctx context.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // the programs' own folder
		return fmt.Errorf("seed: %w", err)
	}
	files, err := blob.OpenFolder(folder)
	if err != nil {
		return err
	}
	for _, id := range s.cases {
		if _, _, _, err := files.Put(ctx, id, strings.NewReader("")); err != nil {
			return errors.Join(err, files.Close())
		}
	}
	return files.Close() // otherwise its journal stores them again after a test has moved them
}

// addUser adds a person with a password and an API token through the command line.
func addUser(person Person, run func(args ...string) (string, error)) (password,
	token string, err error) {
	args := []string{"user", "add", person.Email, "--name", person.Name, "--role", person.Roles,
		"--json"}
	if person.Queues != "" {
		args = append(args, "--queue", person.Queues)
	}
	var made struct{ Password, Token string }
	for _, command := range [][]string{args, {"token", "create", person.Email, "--name", "test",
		"--json"}} {
		output, err := run(command...)
		if err == nil {
			err = json.Unmarshal([]byte(output), &made)
		}
		if err != nil {
			return "", "", fmt.Errorf("add %s: %w", person.Email, err)
		}
	}
	return made.Password, made.Token, nil
}
