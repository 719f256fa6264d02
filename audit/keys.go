package audit

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Keys are the public keys of one log. The zero Keys has none.
type Keys struct {
	list []note.Verifier
	text []string
}

// ParseKeys reads public keys, one per line (name+hash+key); empty lines and lines that begin with
// "//" are ignored. All keys must have the name of the same log.
func ParseKeys(text string) (Keys, error) {
	var keys Keys
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		next, err := keys.with(line)
		if err != nil {
			return Keys{}, err
		}
		keys = next
	}
	if len(keys.list) == 0 {
		return Keys{}, errors.New("read keys: there is no public key")
	}
	return keys, nil
}

// with returns the keys and one more.
func (k Keys) with(text string) (Keys, error) {
	key, err := note.NewVerifier(text)
	if err != nil {
		return k, fmt.Errorf("read keys: %q is not a public key of a log: %w", shorten(text), err)
	}
	if k.Origin() != "" && key.Name() != k.Origin() {
		return k, fmt.Errorf("read keys: one key is of log %s, another of log %s", k.Origin(), key.Name())
	}
	for _, known := range k.list {
		if known.KeyHash() == key.KeyHash() {
			return k, nil
		}
	}
	return Keys{list: append(k.list[:len(k.list):len(k.list)], key),
		text: append(k.text[:len(k.text):len(k.text)], text)}, nil
}

// Origin is the name of the log.
func (k Keys) Origin() string {
	if len(k.list) == 0 {
		return ""
	}
	return k.list[0].Name()
}

// String returns the keys in the form that ParseKeys reads.
func (k Keys) String() string { return strings.Join(k.text, "\n") + "\n" }

func shorten(text string) string {
	if len(text) > 60 {
		return text[:60] + "…"
	}
	return text
}

// Signer signs the checkpoints of a log. Earlier keys sign only the checkpoint at which a new key
// takes over.
type Signer struct {
	signers []note.Signer // the present one last
	keys    Keys
}

// ParseSigner reads private keys, one per line, the present one last, as NewSigningKey returns them.
// Each private key must be followed by its public key, because a checkpoint announces the next one.
func ParseSigner(text string) (Signer, error) {
	var s Signer
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "//"):
		case strings.HasPrefix(line, "PRIVATE+KEY+"):
			signer, err := note.NewSigner(line)
			if err != nil {
				return Signer{}, errors.New("read signing key: a private key is damaged")
			}
			s.signers = append(s.signers, signer)
		default:
			next, err := s.keys.with(line)
			if err != nil {
				return Signer{}, err
			}
			s.keys = next
		}
	}
	if len(s.signers) == 0 || len(s.signers) != len(s.keys.list) {
		return Signer{}, errors.New("read signing key: the file must have private keys, each followed by its public key")
	}
	for i, signer := range s.signers {
		if signer.Name() != s.keys.list[i].Name() || signer.KeyHash() != s.keys.list[i].KeyHash() {
			return Signer{}, errors.New("read signing key: a private key is followed by another key's public key")
		}
	}
	return s, nil
}

// Origin is the name of the log.
func (s Signer) Origin() string { return s.keys.Origin() }

// Keys are the public keys.
func (s Signer) Keys() Keys { return s.keys }

// NewSigningKey returns the text of a new key of the named log, for ParseSigner and ParseKeys. It
// reads the key from random.
func NewSigningKey(random io.Reader, origin string) (private, public string, err error) {
	if origin == "" || strings.ContainsAny(origin, " +\n\r\t") {
		return "", "", fmt.Errorf("new signing key: %q is not a valid name of a log", origin)
	}
	private, public, err = note.GenerateKey(random, origin)
	if err != nil {
		return "", "", fmt.Errorf("new signing key: %w", err)
	}
	return private, public, nil
}

// seal signs the checkpoint. If an earlier key signed the checkpoint before, both sign this one, and
// it announces the present key.
func (s Signer) seal(c Checkpoint, before *SignedCheckpoint) ([]byte, error) {
	present := len(s.signers) - 1
	if before == nil {
		return c.Sign(s.signers[present])
	}
	signedBy := -1
	for i, key := range s.keys.list {
		if before.SignedBy(key) {
			signedBy = i // the newest of them
		}
	}
	switch signedBy {
	case -1:
		return nil, errors.New("sign checkpoint: none of the keys signed the checkpoint before")
	case present:
		return c.Sign(s.signers[present])
	}
	c.NextKey = s.keys.text[present]
	return c.Sign(s.signers[signedBy], s.signers[present])
}

// Verifiers returns the keys for the library of signed notes.
func (k Keys) Verifiers() note.Verifiers { return note.VerifierList(k.list...) }
