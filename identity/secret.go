package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// tokenPrefix begins every API token, so that scanners find leaked ones and distinguish them from
// other secrets.
const tokenPrefix = "cs_"

// secretBytes is the entropy of a secret: 256 bits, so that it cannot be guessed from its SHA-256.
const secretBytes = 32

// NewToken returns the secret of an API token, which is shown once, and the hash to store.
func NewToken() (secret string, hash []byte) {
	secret = tokenPrefix + randomSecret()
	return secret, hashSecret(secret)
}

// newSession returns the secret of a session's cookie and the hash to store.
func newSession() (secret string, hash []byte) {
	secret = randomSecret()
	return secret, hashSecret(secret)
}

func randomSecret() string {
	var bits [secretBytes]byte
	_, _ = rand.Read(bits[:]) // crypto/rand never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// hashSecret returns the stored hash of a secret.
func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// wellFormed reports whether the text can be a secret, so that other text does not query the
// database.
func wellFormed(secret string) bool {
	body := strings.TrimPrefix(secret, tokenPrefix)
	decoded, err := base64.RawURLEncoding.DecodeString(body)
	return err == nil && len(decoded) == secretBytes
}
