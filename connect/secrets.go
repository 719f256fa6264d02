package connect

import (
	"encoding/base64"
	"strings"

	"countersign/domain"
)

const (
	// secretPrefix begins every secret that signs webhooks, as Standard Webhooks defines it.
	secretPrefix = "whsec_"
	// loginPrefix begins every login of another receiver.
	loginPrefix = "login:"
	// minSecret is the least number of bytes of a secret that signs.
	minSecret = 24
)

// Login is a user and a password.
type Login struct{ User, Password string }

// Secrets are the secrets of the installation by name.
type Secrets struct {
	signing map[string][]byte
	logins  map[string]Login
}

// ParseSecrets reads entries of the form name=whsec_… or name=login:USER:PASSWORD. It returns
// InvalidInput for another one, without the secret.
func ParseSecrets(entries []string) (Secrets, error) {
	secrets := Secrets{signing: map[string][]byte{}, logins: map[string]Login{}}
	for _, entry := range entries {
		name, text, _ := strings.Cut(entry, "=")
		name, text = strings.TrimSpace(name), strings.TrimSpace(text)
		_, signs := secrets.signing[name]
		_, logs := secrets.logins[name]
		ok := !signs && !logs && domain.ValidConnectorName(name)
		if login, isLogin := strings.CutPrefix(text, loginPrefix); isLogin {
			user, password, found := strings.Cut(login, ":")
			ok = ok && found && user != "" && password != ""
			secrets.logins[name] = Login{user, password}
		} else {
			secret, err := ParseSecret(text)
			ok = ok && err == nil
			secrets.signing[name] = secret
		}
		if !ok {
			return secrets, domain.Invalid("COUNTERSIGN_CONNECTOR_SECRETS",
				"The secret %.60q does not have the form name=whsec_… or name=login:USER:PASSWORD, or is given twice.",
				name).WithRemedy("Use a secret of at least %d bytes in base64, see docs/connectors.md.",
				minSecret)
		}
	}
	return secrets, nil
}

// LoginOf returns the login of a spec, false if it names none. A name without a login is an error.
func (s Secrets) LoginOf(spec domain.ConnectorSpec) (Login, bool, error) {
	if len(spec.Secrets) == 0 {
		return Login{}, false, nil
	}
	login, known := s.logins[spec.Secrets[0]]
	if !known {
		return login, false, domain.Invalid("secrets",
			"The secret %q is not a login in COUNTERSIGN_CONNECTOR_SECRETS.", spec.Secrets[0])
	}
	return login, true, nil
}

// ParseSecret returns the bytes of a secret of the form whsec_<base64>.
func ParseSecret(text string) ([]byte, error) {
	encoded, found := strings.CutPrefix(text, secretPrefix)
	secret, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(secret) < minSecret {
		return nil, domain.Invalid("secret", "A secret is whsec_ and the base64 of %d bytes or more.",
			minSecret)
	}
	return secret, nil
}
