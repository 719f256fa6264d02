package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Checkpoint is the signed state of a log at a time.
type Checkpoint struct {
	Origin string // name of the log, one line without spaces or plus signs
	Size   uint64 // number of leaves
	Root   []byte
	At     time.Time
}

// signatureMark begins the signature lines of a note.
const signatureMark = "\u2014 "

// Sign returns the checkpoint as a signed note in the format of transparency logs: origin, size,
// root, one line with the time, an empty line, and the signature prefixed with the key's name and
// hash.
func (c Checkpoint) Sign(key ed25519.PrivateKey) ([]byte, error) {
	if !validOrigin(c.Origin) {
		return nil, fmt.Errorf("sign checkpoint: %q is not a valid name of a log", c.Origin)
	}
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok || len(key) != ed25519.PrivateKeySize {
		return nil, errors.New("sign checkpoint: the key is not an Ed25519 key")
	}
	text := c.text()
	signed := append(keyHash(c.Origin, public), ed25519.Sign(key, text)...)
	return append(text,
		"\n"+signatureMark+c.Origin+" "+base64.StdEncoding.EncodeToString(signed)+"\n"...), nil
}

func (c Checkpoint) text() []byte {
	return fmt.Appendf(nil, "%s\n%d\n%s\nat %d\n", c.Origin, c.Size,
		base64.StdEncoding.EncodeToString(c.Root), c.At.UnixMicro())
}

// OpenNote verifies a note's signature and parses the note. It ignores signatures by other keys on
// the same note.
func OpenNote(note []byte, origin string, key ed25519.PublicKey) (Checkpoint, error) {
	if len(key) != ed25519.PublicKeySize || !validOrigin(origin) {
		return Checkpoint{},
			errors.New("open checkpoint: a valid name and an Ed25519 key are required")
	}
	text, signatures, found := bytes.Cut(note, []byte("\n\n"))
	if !found {
		return Checkpoint{}, errors.New("open checkpoint: the note has no signature")
	}
	text = append(bytes.Clone(text), '\n')
	if !signedBy(text, string(signatures), origin, key) {
		return Checkpoint{}, errors.New("open checkpoint: the signature is missing or wrong")
	}
	checkpoint, err := parseCheckpoint(string(text))
	if err != nil {
		return Checkpoint{}, err
	}
	// Accept only the spelling that Sign writes, so that a note has exactly one interpretation.
	if checkpoint.Origin != origin || !bytes.Equal(checkpoint.text(), text) {
		return Checkpoint{},
			errors.New("open checkpoint: the note belongs to another log or has another format")
	}
	return checkpoint, nil
}

func parseCheckpoint(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 5 || lines[4] != "" {
		return Checkpoint{}, errors.New("open checkpoint: the note does not have four lines")
	}
	size, err1 := strconv.ParseUint(lines[1], 10, 64)
	root, err2 := base64.StdEncoding.DecodeString(lines[2])
	micros, err3 := strconv.ParseInt(strings.TrimPrefix(lines[3], "at "), 10, 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return Checkpoint{}, fmt.Errorf("open checkpoint: %w", err)
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: root, At: time.UnixMicro(micros).UTC()},
		nil
}

func signedBy(text []byte, signatures, origin string, key ed25519.PublicKey) bool {
	for line := range strings.Lines(signatures) {
		encoded, matches := strings.CutPrefix(strings.TrimSuffix(line, "\n"),
			signatureMark+origin+" ")
		if !matches {
			continue
		}
		signed, err := base64.StdEncoding.DecodeString(encoded)
		if err == nil && len(signed) == 4+ed25519.SignatureSize &&
			bytes.Equal(signed[:4], keyHash(origin, key)) && ed25519.Verify(key, text, signed[4:]) {
			return true
		}
	}
	return false
}

// keyHash returns the first four bytes of SHA-256(name, newline, algorithm 1, key).
func keyHash(name string, key ed25519.PublicKey) []byte {
	sum := sha256.Sum256(append([]byte(name+"\n\x01"), key...))
	return bytes.Clone(sum[:4])
}

func validOrigin(name string) bool {
	return name != "" && !strings.ContainsAny(name, " +\n\r\t")
}
