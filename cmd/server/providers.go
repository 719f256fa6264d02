package main

import (
	"os"

	"countersign/domain"
	"countersign/identity"
	"countersign/identity/oidc"
)

// openProviders reads the providers through which people sign in. None is reached yet, so that one
// that is down does not stop the server.
func (p *components) openProviders() error {
	path := p.settings.SignIn.Providers
	if path == "" {
		if p.settings.SignIn.PasswordsOff() {
			return domain.Invalid("COUNTERSIGN_PASSWORDS", "Without passwords and providers no one could sign in.").
				WithRemedy("Set COUNTERSIGN_OIDC_FILE, or COUNTERSIGN_PASSWORDS=on.")
		}
		return nil
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the file
	if err != nil {
		return domain.Invalid("COUNTERSIGN_OIDC_FILE", "The file %s cannot be read.", path).WithCause(err)
	}
	settings, err := oidc.ParseSettings(text, os.ReadFile)
	if err != nil {
		return err
	}
	for _, one := range settings {
		p.providers = append(p.providers, oidc.New(one, p.settings.HTTP.PublicAddress(), p.clock))
	}
	return nil
}

// providerNames returns the names of the providers.
func providerNames(providers []identity.Provider) []string {
	names := make([]string, len(providers))
	for i, provider := range providers {
		names[i] = provider.Name()
	}
	return names
}
