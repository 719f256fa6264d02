package oidc

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"countersign/domain"
	"countersign/internal/yamltext"
)

// Settings are how one provider is reached and which claims of its ID tokens are used.
type Settings struct {
	// Name is part of addresses, Label is what the sign-in page shows.
	Name             string   `yaml:"name"`
	Label            string   `yaml:"label"`
	Issuer           string   `yaml:"issuer"`
	ClientID         string   `yaml:"client_id"`
	ClientSecret     string   `yaml:"client_secret"`
	ClientSecretFile string   `yaml:"client_secret_file"`
	EmployeeClaim    string   `yaml:"employee_claim"`
	GroupsClaim      string   `yaml:"groups_claim"`
	Scopes           []string `yaml:"scopes"`
}

// maxProviders bounds the providers, because each is a button of the sign-in page.
const maxProviders = 20

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// ParseSettings reads the providers of a file. readSecret reads a file that contains a client secret.
func ParseSettings(text []byte, readSecret func(path string) ([]byte, error)) ([]Settings, error) {
	document, problem := yamltext.Parse(text, "a file of providers")
	if problem != nil {
		return nil, wrongSettings("%s", problem.Error())
	}
	var file struct {
		Providers []Settings `yaml:"providers"`
	}
	if problem := document.Decode(&file); problem != nil {
		return nil, wrongSettings("%s", problem.Error())
	}
	if len(file.Providers) == 0 || len(file.Providers) > maxProviders {
		return nil, wrongSettings("it has to name 1 to %d providers", maxProviders)
	}
	names := map[string]bool{}
	for i := range file.Providers {
		s := &file.Providers[i]
		if err := s.complete(readSecret); err != nil {
			return nil, err
		}
		if names[s.Name] {
			return nil, wrongSettings("it names %q twice", s.Name)
		}
		names[s.Name] = true
	}
	return file.Providers, nil
}

// complete sets the defaults and refuses settings that cannot work.
func (s *Settings) complete(readSecret func(path string) ([]byte, error)) error {
	switch {
	case !namePattern.MatchString(s.Name):
		return wrongSettings("the name %q must have 1 to 40 lower-case letters, digits, - or _", s.Name)
	case s.ClientID == "":
		return wrongSettings("provider %s has no client_id", s.Name)
	case s.ClientSecret != "" && s.ClientSecretFile != "":
		return wrongSettings("provider %s has a client_secret and a client_secret_file", s.Name)
	case !guarded(s.Issuer):
		return wrongSettings("the issuer of %s must be an https address", s.Name)
	}
	if s.ClientSecretFile != "" {
		secret, err := readSecret(s.ClientSecretFile)
		if err != nil {
			return wrongSettings("the client_secret_file of %s cannot be read", s.Name).WithCause(err)
		}
		s.ClientSecret = strings.TrimSpace(string(secret))
	}
	setDefault(&s.Label, s.Name)
	setDefault(&s.EmployeeClaim, "employee_id")
	setDefault(&s.GroupsClaim, "groups")
	if !slices.Contains(s.Scopes, "openid") {
		s.Scopes = append([]string{"openid"}, s.Scopes...)
	}
	return nil
}

func setDefault(value *string, otherwise string) {
	if *value == "" {
		*value = otherwise
	}
}

// guarded reports whether secrets may be sent to the address: by https, or to this machine.
func guarded(address string) bool {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.User != nil || parsed.Fragment != "" {
		return false
	}
	host := parsed.Hostname()
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	return parsed.Scheme == "https" || parsed.Scheme == "http" && local
}

func wrongSettings(format string, args ...any) *domain.Error {
	return domain.Errorf(domain.InvalidInput, "The file of providers is not valid: "+format+".", args...).
		WithRemedy("Correct the file that COUNTERSIGN_OIDC_FILE names.")
}
