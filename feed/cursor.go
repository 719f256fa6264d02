package feed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"countersign/domain"
)

// Cursors encrypts positions of the feed. A cursor is opaque, because a position shows how many
// events a receiver may not see, and each cursor is different, so that two of the same position
// cannot be recognized.
type Cursors struct {
	aead cipher.AEAD
	key  []byte
	log  Log
}

// Log is what the cursors are positions of. A cursor of one is not a cursor of another.
type Log string

// The logs that can be followed.
const (
	EventCursors  Log = ""
	AccessCursors Log = "access"
)

// NewCursors returns the cursors of a log with the installation's key of 32 bytes.
func NewCursors(key []byte, log Log) (Cursors, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return Cursors{}, fmt.Errorf("feed: key of the cursors: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return Cursors{}, fmt.Errorf("feed: key of the cursors: %w", err)
	}
	return Cursors{aead, key, log}, nil
}

// cursorSize is the size of a cursor before encryption: a format version, the era in which it was
// issued, and the position.
const cursorSize = 1 + 4 + 16 + 4 + 8 + 8

const cursorFormat = 1

// Seal returns a cursor at the position, issued in the era.
func (c Cursors) Seal(position domain.FeedPosition, issued domain.FeedEra) string {
	plain := make([]byte, 0, cursorSize)
	plain = append(plain, cursorFormat)
	plain = binary.BigEndian.AppendUint32(plain, uint32(issued.Number)) //nolint:gosec // read back alike
	plain = append(plain, issued.Tag[:]...)
	plain = binary.BigEndian.AppendUint32(plain, uint32(position.Era))  //nolint:gosec // read back alike
	plain = binary.BigEndian.AppendUint64(plain, uint64(position.TxID)) //nolint:gosec // read back alike
	plain = binary.BigEndian.AppendUint64(plain, uint64(position.ID))   //nolint:gosec // read back alike
	nonce := make([]byte, c.aead.NonceSize(), c.aead.NonceSize()+cursorSize+c.aead.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(c.aead.Seal(nonce, nonce, plain, []byte(c.log)))
}

// Name returns a name of the position that is always the same and shows nothing of it.
func (c Cursors) Name(position domain.FeedPosition) string {
	mac := hmac.New(sha256.New, c.key)
	fmt.Fprintf(mac, "%s/%d/%d/%d", c.log, position.Era, position.TxID, position.ID)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Open returns the position of a cursor and the era in which it was issued. A text that Seal did not
// return is InvalidInput.
func (c Cursors) Open(cursor string) (position domain.FeedPosition, issued domain.FeedEra,
	err error) {
	invalid := domain.Invalid("after", "This is not a cursor of the feed of this installation.").
		WithRemedy("Pass a cursor back unchanged, or leave it out to read from the beginning.")
	sealed, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(sealed) != c.aead.NonceSize()+cursorSize+c.aead.Overhead() {
		return position, issued, invalid
	}
	nonce, sealed := sealed[:c.aead.NonceSize()], sealed[c.aead.NonceSize():]
	plain, err := c.aead.Open(nil, nonce, sealed, []byte(c.log))
	if err != nil || plain[0] != cursorFormat {
		return position, issued, invalid
	}
	issued.Number = int32(binary.BigEndian.Uint32(plain[1:])) //nolint:gosec // written alike
	copy(issued.Tag[:], plain[5:])
	position.Era = int32(binary.BigEndian.Uint32(plain[21:]))  //nolint:gosec // written alike
	position.TxID = int64(binary.BigEndian.Uint64(plain[25:])) //nolint:gosec // written alike
	position.ID = int64(binary.BigEndian.Uint64(plain[33:]))   //nolint:gosec // written alike
	return position, issued, nil
}

// ResumeDetail is the detail of the error about a cursor of another era: the cursor with which the
// receiver can continue.
const ResumeDetail = "resume"

// CheckEra refuses a cursor that was issued in another era than the newest of the known ones. The
// error has a cursor with which the receiver misses nothing: the same position if the era is one of
// this database, otherwise the beginning of the feed.
func (c Cursors) CheckEra(position domain.FeedPosition, issued domain.FeedEra,
	known []domain.FeedEra) error {
	if len(known) == 0 {
		return domain.Errorf(domain.Internal, "The feed has no era.")
	}
	newest := known[len(known)-1]
	if issued == newest {
		return nil
	}
	found := false
	for _, era := range known {
		found = found || era == issued
	}
	remedy := "The database was restored or failed over after this cursor was issued, and events that you " +
		"received may be missing from it. Compare what you have with the feed read from its beginning (without a cursor)"
	if !found {
		return eraError(issued, newest).WithRemedy("%s.", remedy).
			WithDetail(ResumeDetail, c.Seal(domain.FeedPosition{}, newest))
	}
	return eraError(issued, newest).
		WithRemedy("%s, or continue with the cursor %s of this error: it skips no event.", remedy,
			ResumeDetail).
		WithDetail(ResumeDetail, c.Seal(position, newest))
}

func eraError(issued, newest domain.FeedEra) *domain.Error {
	return domain.Errorf(domain.StaleVersion,
		"This cursor was issued in era %d of the feed, which has ended. The feed is in era %d.",
		issued.Number, newest.Number).WithDetail("era", fmt.Sprint(newest.Number))
}
