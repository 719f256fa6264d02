package config

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Environment != Production || c.HTTP.MaxUploadBytes != 50<<20 ||
		c.Work.ClaimLease != 30*time.Minute {
		t.Errorf("defaults: %+v", c)
	}
	if c.Reading.Languages != "" {
		t.Errorf("languages %q; the reader itself looks for another script only if it is told none",
			c.Reading.Languages)
	}
	if c.Reading.SandboxAcceptLimits {
		t.Error("resource limits alone must be asked for")
	}
	if got := strings.Join(c.Work.Queues, " "); got != "light ocr model timers connect" {
		t.Errorf("queues: %q", got)
	}
	if got := c.HTTP.PublicAddress(); got != "http://127.0.0.1:8080" {
		t.Errorf("public address: %q", got)
	}
}

func TestGivenValues(t *testing.T) {
	t.Parallel()
	c, err := parse([]string{
		"COUNTERSIGN_ENV=demo", "DATABASE_URL=postgres://app@db/x",
		"COUNTERSIGN_QUEUES= ocr , ,light ",
		"COUNTERSIGN_CLAIM_LEASE=90s", "COUNTERSIGN_METRICS=0",
		"COUNTERSIGN_PUBLIC_URL=https://review.example/",
		"COUNTERSIGN_LOG_LEVEL=", "HOME=/nowhere", "=strange", "alone",
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.Environment != Demo || c.Work.ClaimLease != 90*time.Second || c.HTTP.Metrics ||
		c.Log.Level != "info" {
		t.Errorf("given values: %+v", c)
	}
	if !reflect.DeepEqual(c.Work.Queues, []string{"ocr", "light"}) {
		t.Errorf("queues: %q", c.Work.Queues)
	}
	if c.Database.MigrationURL() != c.Database.URL {
		t.Error("without an owner's URL, migrate uses the application's")
	}
	if got := c.HTTP.PublicAddress(); got != "https://review.example" {
		t.Errorf("public address: %q", got)
	}
}

func TestPublicAddressOfAListenerEverywhere(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		":8080": "http://127.0.0.1:8080", "0.0.0.0:80": "http://127.0.0.1:80",
		"[::1]:9": "http://[::1]:9",
	} {
		if got := (HTTP{Addr: addr}).PublicAddress(); got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ line, want string }{
		"misspelt": {"COUNTERSIGN_ADRR=:80",
			"COUNTERSIGN_ADRR is not a setting (COUNTERSIGN_ADDR is)"},
		"unknown": {"COUNTERSIGN_TELEPHONE=1", "COUNTERSIGN_TELEPHONE is not a setting"},
		"word": {"COUNTERSIGN_ENV=prod",
			`COUNTERSIGN_ENV must be one of production, development, demo, not "prod"`},
		"number": {"COUNTERSIGN_MAX_UPLOAD_BYTES=50M",
			`COUNTERSIGN_MAX_UPLOAD_BYTES must be a whole number, not "50M"`},
		"duration": {"COUNTERSIGN_CLAIM_LEASE=30",
			`COUNTERSIGN_CLAIM_LEASE must be a duration like 30s or 5m, not "30"`},
		"truth": {"COUNTERSIGN_METRICS=maybe",
			`COUNTERSIGN_METRICS must be true or false, not "maybe"`},
		"too small": {"COUNTERSIGN_DB_CONNECTIONS=1",
			`COUNTERSIGN_DB_CONNECTIONS must be at least 2, not "1"`},
		"beyond an int64": {"COUNTERSIGN_MAX_UPLOAD_BYTES=99999999999999999999", "a whole number"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse([]string{tc.line})
			if !domain.HasCode(err, domain.InvalidInput) ||
				!strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestEveryWrongVariableIsNamedAtOnce(t *testing.T) {
	t.Parallel()
	_, err := parse([]string{"COUNTERSIGN_METRICS=x", "COUNTERSIGN_ENV=x",
		"COUNTERSIGN_NOPE_NOPE=x"})
	for _, name := range []string{"COUNTERSIGN_METRICS", "COUNTERSIGN_ENV",
		"COUNTERSIGN_NOPE_NOPE"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is missing in %v", name, err)
		}
	}
}

// TestSettingsAreWellFormed holds the rules of the struct by reflection, so that a new field cannot
// break them.
func TestSettingsAreWellFormed(t *testing.T) {
	t.Parallel()
	shared := map[string]bool{"DATABASE_URL": true, "MIGRATE_DATABASE_URL": true, "REDIS_URL": true,
		"TEST_DATABASE_URL": true}
	// The names that OpenTelemetry gives its own settings.
	isShared := func(name string) bool { return shared[name] || strings.HasPrefix(name, "OTEL_") }
	seen := map[string]bool{}
	for _, s := range Settings() {
		if seen[s.Name] {
			t.Errorf("%s stands twice", s.Name)
		}
		seen[s.Name] = true
		if !strings.HasPrefix(s.Name, prefix) && !isShared(s.Name) {
			t.Errorf("%s lacks the prefix %s", s.Name, prefix)
		}
		if !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("%s has no sentence of explanation", s.Name)
		}
		if secretName := strings.HasSuffix(s.Name, "_TOKEN") ||
			strings.Contains(s.Name, "PASSWORD") && s.Default != "on" || // on or off is no secret
			strings.Contains(s.Name, "SECRET") || strings.Contains(s.Name, "KEY"); secretName &&
			!s.Secret {
			t.Errorf("%s sounds secret but is not marked so", s.Name)
		}
		if s.Secret && s.Default != "" {
			t.Errorf("%s is a secret with a default", s.Name)
		}
	}
}

func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	c, err := parse([]string{"COUNTERSIGN_TOKEN=hush-hush",
		"DATABASE_URL=postgres://u:hush-hush@h/d"})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(c.Redacted(), "\n")
	if strings.Contains(text, "hush") || !strings.Contains(text, "COUNTERSIGN_TOKEN=…") {
		t.Errorf("redacted: %s", text)
	}
}

// Whatever Redacted prints of a setting that is no secret reads back to the same value.
func TestValuesReadBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lease := time.Duration(rapid.Int64Range(int64(time.Second), int64(1000*time.Hour)).Draw(t,
			"lease"))
		upload := rapid.Int64Range(1, 1<<40).Draw(t, "upload")
		var c Config
		first, err := parse([]string{"COUNTERSIGN_CLAIM_LEASE=" + lease.String(),
			"COUNTERSIGN_MAX_UPLOAD_BYTES=" + strconv.FormatInt(upload, 10)})
		if err != nil {
			t.Fatal(err)
		}
		if c, err = parse(first.Redacted()); err != nil || !reflect.DeepEqual(c, first) {
			t.Fatalf("%v: %+v is not %+v", err, c, first)
		}
	})
}

func TestLoadReadsTheProcess(t *testing.T) {
	t.Setenv("COUNTERSIGN_TESSERACT", "/opt/tesseract")
	c, err := Load()
	if err != nil || c.Reading.Tesseract != "/opt/tesseract" {
		t.Fatalf("%v: %+v", err, c.Reading)
	}
}
