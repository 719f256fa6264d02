package places_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"countersign/audit"
	"countersign/checkpoint"
	"countersign/checkpoint/places"
	"countersign/domain"
	"countersign/internal/config"
	"countersign/internal/devservices"
)

const bucketName = "checkpoints"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// chain seals checkpoints of one log.
type chain struct {
	t      *testing.T
	signer audit.Signer
	state  []byte
	before *audit.SignedCheckpoint
}

func newChain(t *testing.T, signer audit.Signer) *chain {
	return &chain{t: t, signer: signer, state: audit.NewMerkleLog().State()}
}

// seal seals the next checkpoint over one more leaf, and proves consistency with the one before.
func (c *chain) seal(minute int, leaf audit.Leaf) (audit.SignedCheckpoint, []byte, checkpoint.Prove) {
	c.t.Helper()
	tree, err := audit.ParseMerkleLog(c.state)
	must(c.t, err)
	position := domain.FeedPosition{Era: 1, TxID: int64(minute), ID: 1}
	at := time.Date(2026, 3, 4, 5, minute, 0, 0, time.UTC)
	sealed, err := tree.Seal(c.signer, audit.Checkpoint{At: at, Events: position, Access: position}, c.before,
		[]audit.Leaf{leaf})
	must(c.t, err)
	opened, err := audit.OpenNote(sealed.Note, c.signer.Keys())
	must(c.t, err)
	before := c.before
	c.state, c.before = sealed.State, &opened
	digest := leaf.Digest()
	return opened, sealed.Note, func(_ context.Context, older uint64) ([][]byte, error) {
		if before == nil || older != before.Size {
			return nil, errors.New("no proof of this size")
		}
		return [][]byte{digest}, nil // from one leaf to two
	}
}

func head(n byte) audit.Leaf {
	return audit.Leaf{Kind: audit.LeafHead, Subject: domain.ID{n}, Seq: int64(n), Hash: bytes.Repeat([]byte{n}, 32)}
}

// A bucket with object lock keeps checkpoints, continues after a restart, refuses a fork, and returns what
// was kept first whatever is written over it or deleted later.
func TestBucketKeepsCheckpoints(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server, err := devservices.StartS3(ctx, t.TempDir())
	must(t, err)
	t.Cleanup(server.Close)
	client, err := minio.New(strings.TrimPrefix(server.Endpoint, "http://"), &minio.Options{
		Creds: credentials.NewStaticV4(server.AccessKey, server.SecretKey, "")})
	must(t, err)
	must(t, client.MakeBucket(ctx, bucketName, minio.MakeBucketOptions{ObjectLocking: true}))
	var settings config.Config
	settings.Audit.Bucket, settings.Audit.LockDays = bucketName, 1
	settings.S3.Endpoint, settings.S3.AccessKey, settings.S3.SecretKey = server.Endpoint, server.AccessKey,
		server.SecretKey
	settings.Storage.TempDir = t.TempDir()
	open := func() checkpoint.Place {
		opened, err := places.Open(ctx, settings)
		must(t, err)
		if len(opened) != 1 || opened[0].Name() != "bucket" {
			t.Fatalf("opened %v", opened)
		}
		return opened[0]
	}
	private, public, err := audit.NewSigningKey(rand.Reader, "test.example/log")
	must(t, err)
	signer, err := audit.ParseSigner(private + "\n" + public + "\n")
	must(t, err)
	log := newChain(t, signer)
	first, firstNote, prove := log.seal(1, head(1))
	place := open()
	_, err = place.Keep(ctx, first.Checkpoint, firstNote, prove)
	must(t, err)
	second, secondNote, prove := log.seal(2, head(2))
	_, err = open().Keep(ctx, second.Checkpoint, secondNote, prove) // another process
	must(t, err)
	_, err = open().Keep(ctx, second.Checkpoint, secondNote, prove)
	must(t, err)

	other := newChain(t, signer)
	_, _, _ = other.seal(1, head(7))
	forked, forkedNote, prove := other.seal(3, head(8))
	var fork *checkpoint.ForkError
	if _, err := open().Keep(ctx, forked.Checkpoint, forkedNote, prove); !errors.As(err, &fork) {
		t.Errorf("a fork was kept: %v", err)
	}

	// The owner of the bucket writes over the objects and deletes them.
	for object := range client.ListObjects(ctx, bucketName, minio.ListObjectsOptions{Recursive: true}) {
		must(t, object.Err)
		_, err := client.PutObject(ctx, bucketName, object.Key, bytes.NewReader(forkedNote),
			int64(len(forkedNote)), minio.PutObjectOptions{})
		must(t, err)
		must(t, client.RemoveObject(ctx, bucketName, object.Key, minio.RemoveObjectOptions{}))
	}
	notes, err := open().Notes(ctx)
	must(t, err)
	if len(notes) == 0 || !bytes.Equal(notes[len(notes)-1].Note, secondNote) {
		t.Fatalf("%d notes without the newest", len(notes))
	}
	for _, note := range notes {
		if !bytes.Equal(note.Note, firstNote) && !bytes.Equal(note.Note, secondNote) {
			t.Errorf("a forged note: %q", note.Note)
		}
	}
}
