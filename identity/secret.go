package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// tokenPrefix begins every API token, so that a leaked one can be found by scanners and told from other secrets.
const tokenPrefix = "cs_"

// secretBytes is how much chance is in a secret: 256 bits, so that its bare SHA-256 cannot be guessed back.
const secretBytes = 32

// NewToken makes the secret of an API token, to be shown once, and the hash to be kept.
func NewToken() (secret string, hash []byte) {
	secret = tokenPrefix + randomSecret()
	return secret, hashSecret(secret)
}

// newSession makes the secret of a session's cookie and the hash to be kept.
func newSession() (secret string, hash []byte) {
	secret = randomSecret()
	return secret, hashSecret(secret)
}

func randomSecret() string {
	var bits [secretBytes]byte
	_, _ = rand.Read(bits[:]) // crypto/rand never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// hashSecret is what is kept of a secret.
func hashSecret(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// wellFormed reports whether the text can be a secret of ours, so that rubbish asks nothing of the database.
func wellFormed(secret string) bool {
	body := strings.TrimPrefix(secret, tokenPrefix)
	decoded, err := base64.RawURLEncoding.DecodeString(body)
	return err == nil && len(decoded) == secretBytes
}
