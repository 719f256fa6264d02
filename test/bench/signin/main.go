// Command signin measures how long it takes to sign in by password and by passkey while 1,000 sessions
// send requests, on a Postgres of its own (fsync on).
package main

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"countersign/casework"
	"countersign/domain"
	"countersign/identity"
	"countersign/internal/devservices"
	"countersign/internal/testpasskey"
	"countersign/test/benchservice"
)

const (
	database = "signin"
	password = "correct horse battery staple"
	// requestPause is the time between two requests of the sessions, all together.
	requestPause = 2 * time.Millisecond
)

func main() {
	sessions := flag.Int("sessions", 1000, "sessions that send requests")
	signIns := flag.Int("n", 300, "sign-ins of each kind")
	flag.Parse()
	if err := run(context.Background(), *sessions, *signIns); err != nil {
		fmt.Fprintln(os.Stderr, "signin:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, sessions, signIns int) error {
	postgres, err := devservices.StartPostgres(ctx, devservices.PostgresOptions{
		Settings: map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}})
	if err != nil {
		return err
	}
	defer func() { _ = postgres.Close() }()
	if err := benchservice.Create(ctx, postgres, database); err != nil {
		return err
	}
	db, service, err := benchservice.Open(ctx, postgres.AppURL(database), 16, "")
	if err != nil {
		return err
	}
	defer db.Close()
	defer service.Close(ctx)
	b := &bench{service: service, authenticator: identity.New(db, identity.Settings{RelyingParty: "localhost"},
		slog.New(slog.DiscardHandler))}
	defer b.authenticator.Close(ctx)
	if err := b.fill(ctx, sessions); err != nil {
		return err
	}
	return b.measure(ctx, signIns)
}

type bench struct {
	service       *casework.Service
	authenticator *identity.Authenticator
	secrets       []string // of the sessions
	phone         *testpasskey.Authenticator
}

// fill makes one person with a password, who begins the sessions, and one with a passkey.
func (b *bench) fill(ctx context.Context, sessions int) error {
	hash, err := identity.HashPassword(password)
	if err != nil {
		return err
	}
	b.phone = testpasskey.New("localhost", "http://localhost:8080")
	var kim domain.ID
	for _, name := range []string{"jo", "kim"} {
		if kim, err = b.service.PutUser(ctx, domain.SystemActor(), casework.PutUser{PasswordHash: hash,
			User: domain.User{Email: name + "@example.com", Name: name,
				Roles: []domain.Role{domain.RoleL1}}}); err != nil {
			return err
		}
	}
	_, err = b.service.AddPasskey(ctx, domain.Actor{UserID: kim, SessionID: domain.NewID()},
		b.phone.Passkey("phone"))
	for range sessions {
		if err != nil {
			return err
		}
		var begun identity.SignInResult
		begun, err = b.byPassword(ctx)
		b.secrets = append(b.secrets, begun.Secret)
	}
	return err
}

func (b *bench) byPassword(ctx context.Context) (identity.SignInResult, error) {
	return b.authenticator.SignIn(ctx, identity.SignInRequest{Email: "jo@example.com",
		Password: password, Client: "192.0.2.1"})
}

func (b *bench) byPasskey(ctx context.Context) (identity.SignInResult, error) {
	request, err := b.authenticator.BeginPasskeySignIn(ctx)
	if err != nil {
		return identity.SignInResult{}, err
	}
	raw, err := base64.RawURLEncoding.DecodeString(request.Challenge)
	if err != nil {
		return identity.SignInResult{}, err
	}
	return b.authenticator.SignInWithPasskey(ctx, identity.PasskeySignIn{
		Assertion: b.phone.Sign(raw), Client: "192.0.2.2"})
}

// measure signs in while the sessions send requests one after the other.
func (b *bench) measure(ctx context.Context, signIns int) error {
	stop := make(chan struct{})
	var requests, refused atomic.Int64
	var background sync.WaitGroup
	background.Go(func() {
		ticker := time.NewTicker(requestPause)
		defer ticker.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-ticker.C:
				requests.Add(1)
				if _, err := b.authenticator.Authenticate(ctx,
					identity.Credential{Cookie: b.secrets[i%len(b.secrets)]}); err != nil {
					refused.Add(1)
				}
			}
		}
	})
	began := time.Now()
	fmt.Printf("%d sessions\n| sign-in | median ms | p99 ms | slowest ms |\n|---|---|---|---|\n", len(b.secrets))
	for _, way := range []struct {
		name string
		do   func(context.Context) (identity.SignInResult, error)
	}{{"by password", b.byPassword}, {"by passkey, with its challenge", b.byPasskey}} {
		var took []time.Duration
		for range signIns {
			start := time.Now()
			if _, err := way.do(ctx); err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			took = append(took, time.Since(start))
		}
		slices.Sort(took)
		fmt.Printf("| %s | %.1f | %.1f | %.1f |\n", way.name, millis(took[len(took)/2]),
			millis(took[len(took)*99/100]), millis(took[len(took)-1]))
	}
	close(stop)
	background.Wait()
	fmt.Printf("requests meanwhile: %.0f/s, refused: %d\n",
		float64(requests.Load())/time.Since(began).Seconds(), refused.Load())
	return nil
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
