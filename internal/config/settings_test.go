package config

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/domain"
)

func TestSystemsThatSagasCall(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		value string
		want  map[string]string
	}{
		"none": {"", map[string]string{}},
		"one":  {"bank=https://bank.example/api", map[string]string{"bank": "https://bank.example/api"}},
		"two": {"bank=https://b.example,erp=https://e.example",
			map[string]string{"bank": "https://b.example", "erp": "https://e.example"}},
		"an equals sign in the address": {"bank=https://b.example/?k=v",
			map[string]string{"bank": "https://b.example/?k=v"}},
		"blanks around names and addresses": {" bank = https://b.example , erp= https://e.example ",
			map[string]string{"bank": "https://b.example", "erp": "https://e.example"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := parse([]string{"COUNTERSIGN_CONNECTORS=" + tc.value})
			if err != nil {
				t.Fatal(err)
			}
			got, wrong, ok := c.Connect.Systems()
			if !ok || wrong != "" || !maps.Equal(got, tc.want) {
				t.Errorf("got %v, %q %t", got, wrong, ok)
			}
		})
	}
}

// Money would be ordered at the wrong system if one of two addresses of a name were chosen silently.
func TestSystemsThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ value, wrong string }{
		"no address":             {"bank", "bank"},
		"an empty address":       {"bank=", "bank="},
		"an address of blanks":   {"bank= ,erp=https://e.example", "bank="},
		"no name":                {"=https://b.example", "=https://b.example"},
		"the second is wrong":    {"bank=https://b.example,erp", "erp"},
		"two addresses of one":   {"bank=https://a.example,bank=https://b.example", "bank=https://b.example"},
		"two, with other blanks": {"bank=https://a.example, bank =https://b.example", "bank =https://b.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := parse([]string{"COUNTERSIGN_CONNECTORS=" + tc.value})
			if err != nil {
				t.Fatal(err)
			}
			if got, wrong, ok := c.Connect.Systems(); ok || wrong != tc.wrong || got != nil {
				t.Errorf("got %v, %q %t, want %q", got, wrong, ok, tc.wrong)
			}
		})
	}
}

func TestFolderOfUploads(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ blobs, uploads, want string }{
		"beside the originals":          {"/data/blobs", "", "/data/uploads"},
		"beside, with a slash at last":  {"/data/blobs/", "", "/data/uploads"},
		"beside a relative folder":      {".data/blobs", "", ".data/uploads"},
		"in the working folder":         {"blobs", "", "uploads"},
		"a folder of its own":           {"/data/blobs", "/fast/pieces", "/fast/pieces"},
		"beside the folder, not inside": {"/data/a/../blobs", "", "/data/uploads"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storage := Storage{BlobDir: tc.blobs, UploadDir: tc.uploads}
			if got := storage.UploadFolder(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ addr, public, want string }{
		"the listen address":         {"10.0.0.7:8080", "", "http://10.0.0.7:8080"},
		"a name":                     {"review.internal:80", "", "http://review.internal:80"},
		"everywhere over IPv6":       {"[::]:8080", "", "http://127.0.0.1:8080"},
		"the one people type":        {"127.0.0.1:8080", "https://r.example", "https://r.example"},
		"one with slashes at last":   {"127.0.0.1:8080", "https://r.example//", "https://r.example"},
		"one with a path":            {":80", "https://e.example/review/", "https://e.example/review"},
		"an address of another form": {"8080", "", "http://127.0.0.1:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (HTTP{Addr: tc.addr, PublicURL: tc.public}).PublicAddress(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestMigrationsRunAsTheOwner(t *testing.T) {
	t.Parallel()
	both := Database{URL: "postgres://app@db/x", MigrateURL: "postgres://owner@db/x"}
	if got := both.MigrationURL(); got != both.MigrateURL {
		t.Errorf("migrations run as %q", got)
	}
}

// Every number and duration with a minimum refuses a value below it, and its own default is valid.
func TestMinimaOfAllSettings(t *testing.T) {
	t.Parallel()
	for name, tooSmall := range map[string]string{
		"COUNTERSIGN_DB_CONNECTIONS": "1", "COUNTERSIGN_MAX_UPLOAD_BYTES": "0",
		"COUNTERSIGN_REQUESTS_PER_MINUTE": "0", "COUNTERSIGN_ADDRESS_REQUESTS_PER_MINUTE": "-1",
		"COUNTERSIGN_SIGN_INS_PER_MINUTE": "0", "COUNTERSIGN_UPLOADS_PER_MINUTE": "0",
		"COUNTERSIGN_OPEN_UPLOADS": "0", "COUNTERSIGN_OPEN_UPLOAD_BYTES": "0",
		"COUNTERSIGN_CONNECTIONS_PER_PERSON": "0", "COUNTERSIGN_CONNECTIONS_PER_ADDRESS": "0",
		"COUNTERSIGN_SUBSCRIPTIONS_PER_PERSON": "0", "COUNTERSIGN_ORPHAN_GRACE": "59m",
		"COUNTERSIGN_UPLOAD_KEEP": "59s", "COUNTERSIGN_READ_TIMEOUT": "999ms",
		"COUNTERSIGN_OCR_CONCURRENCY": "-1", "COUNTERSIGN_CLAIM_LEASE": "0s",
		"COUNTERSIGN_DEADLINE_SPEED": "0", "COUNTERSIGN_CONNECTOR_TIMEOUT": "-5s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := parse([]string{name + "=" + tooSmall})
			if !domain.HasCode(err, domain.InvalidInput) ||
				!strings.Contains(err.Error(), name+" must be at least ") {
				t.Errorf("%s=%s: %v", name, tooSmall, err)
			}
		})
	}
}

func TestEnvironmentsAreGuardedByDefault(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]Environment{"": Production, "production": Production,
		"development": Development, "demo": Demo} {
		if c, err := parse([]string{"COUNTERSIGN_ENV=" + value}); err != nil || c.Environment != want {
			t.Errorf("%q: %q %v", value, c.Environment, err)
		}
	}
	for _, value := range []string{"Demo", "prod", " demo", "test"} {
		if c, err := parse([]string{"COUNTERSIGN_ENV=" + value}); err == nil {
			t.Errorf("%q is accepted as %q", value, c.Environment)
		}
	}
}

func TestMisspeltNamesAreCorrected(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"COUNTERSIGN_ADDRS":        "(COUNTERSIGN_ADDR is)",
		"COUNTERSIGN_QUEUE":        "(COUNTERSIGN_QUEUES is)",
		"COUNTERSIGN_LOGLEVEL":     "(COUNTERSIGN_LOG_LEVEL is)",
		"COUNTERSIGN_BLOBS_DIR":    "(COUNTERSIGN_BLOB_DIR is)",
		"COUNTERSIGN_READ_TIMEOUT": "",
		"COUNTERSIGN_ELEPHANT":     "is not a setting",
	} {
		_, err := parse([]string{name + "=1m"})
		if want == "" && err != nil || want != "" && (err == nil ||
			!strings.Contains(err.Error(), name+" is not a setting") ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
}

// Names of other programs may begin in any way; only the prefix is ours.
func TestVariablesOfOtherProgramsAreIgnored(t *testing.T) {
	t.Parallel()
	if _, err := parse([]string{"COUNTERSIGNATURE=1", "MY_COUNTERSIGN_X=1", "countersign_x=1",
		"PATH=/bin"}); err != nil {
		t.Error(err)
	}
}

func TestSecretsAreNotInTheErrorOfTheirVariable(t *testing.T) {
	t.Parallel()
	var secrets []string
	for _, s := range Settings() {
		if s.Secret {
			secrets = append(secrets, s.Name)
		}
	}
	if len(secrets) < 5 {
		t.Fatalf("secrets %q", secrets)
	}
	environ := []string{"COUNTERSIGN_METRICS=x"}
	for i, name := range secrets {
		environ = append(environ, fmt.Sprintf("%s=hidden-%d", name, i))
	}
	if _, err := parse(environ); err == nil || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v", err)
	}
}

func TestListsAreSplitAtCommas(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringMatching(`[a-z.:/=]{1,8}`)).Draw(t, "words")
		blank := rapid.SampledFrom([]string{"", " ", "\t", " , "}).Draw(t, "blank")
		text := strings.Join(words, blank+","+blank)
		if got := splitList(text); strings.Join(got, "|") != strings.Join(words, "|") {
			t.Fatalf("%q is split into %q", text, got)
		}
	})
}

func TestDurationsOfTheStart(t *testing.T) {
	t.Parallel()
	c, err := parse(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Storage.OrphanGrace < 2*c.Reading.Timeout {
		t.Errorf("a file of a reading of %s could be removed after %s", c.Reading.Timeout,
			c.Storage.OrphanGrace)
	}
	if c.Connect.Timeout >= c.Work.ClaimLease || c.Storage.UploadKeep < time.Hour {
		t.Errorf("calls %s, claims %s, uploads %s", c.Connect.Timeout, c.Work.ClaimLease,
			c.Storage.UploadKeep)
	}
}
