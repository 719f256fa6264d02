package audit

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"slices"

	"countersign/domain"
)

// PackFormat names the layout of an evidence pack: an archive (ZIP, stored without compression) with
// everything about one case. record.jsonl has its events and rows, index.html the same for people,
// pack.json the checkpoint, the proofs of inclusion and the hashes of all files. The archive has exactly
// one spelling, so that every altered byte is found.
const PackFormat = "countersign.pack.v1"

// The names of the files that every pack has.
const (
	packRecord = "record.jsonl"
	packPage   = "index.html"
	packIndex  = "pack.json"
)

// Role says what a file of a pack is.
type Role string

// The roles of files.
const (
	RoleOriginal Role = "original"
	RolePage     Role = "page" // the image that was read and shown
	// RoleSupportingPage is the image of a page of a supporting document. Earlier verifiers do not require
	// that the record has its hash, because it has none of what earlier programs read.
	RoleSupportingPage Role = "supporting_page"

	RoleManifest   Role = "manifest"   // of the archive
	RoleDefinition Role = "definition" // the text of a process, rule set, policy or document type
	roleOwn        Role = "pack"       // the record and its page
)

// PackSource is a file to be packed.
type PackSource struct {
	Name string
	Role Role
	Open func() (io.ReadCloser, error)
}

// LeafProof proves that a leaf is in the checkpoint of the pack.
type LeafProof struct {
	Leaf  Leaf
	Index uint64
	Path  [][]byte
}

// Pack is everything about one case.
type Pack struct {
	Origin    string // of the log; "" if there is no checkpoint
	Reference string
	Case      domain.ID
	MadeAt    int64             // microseconds since 1970
	People    map[string]string // names by id
	Keys      string            // public keys of the log, in the form of ParseKeys
	Note      []byte            // the newest checkpoint; nil if there is none
	Proofs    []LeafProof
	Head      ChainHead
	Events    []*domain.Event
	Rows      *StreamRows
	Files     []PackSource
	Passkeys  []RegisteredKey // by which the approvals are signed
}

// packDocument is pack.json.
type packDocument struct {
	Format    string            `json:"format"`
	Origin    string            `json:"origin,omitempty"`
	Reference string            `json:"reference"`
	Case      domain.ID         `json:"case"`
	MadeAt    int64             `json:"madeAt"`
	People    map[string]string `json:"people"`
	Keys      string            `json:"keys,omitempty"`
	Note      string            `json:"note,omitempty"`
	Proofs    []packProof       `json:"proofs"`
	Files     []packFile        `json:"files"`
	Passkeys  []RegisteredKey   `json:"passkeys,omitempty"`
}

type packProof struct {
	Leaf  exportLeaf `json:"leaf"`
	Index uint64     `json:"index"`
	Path  []string   `json:"path"`
}

type packFile struct {
	Name   string `json:"name"`
	Role   Role   `json:"role"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// WritePack writes the pack.
func WritePack(out io.Writer, pack *Pack) error {
	archive := newPackArchive(out)
	document := packDocument{Format: PackFormat, Origin: pack.Origin, Reference: pack.Reference,
		Case: pack.Case, MadeAt: pack.MadeAt, People: pack.People, Keys: pack.Keys,
		Note: string(pack.Note), Proofs: []packProof{}, Passkeys: pack.Passkeys}
	for _, proof := range pack.Proofs {
		document.Proofs = append(document.Proofs, proofLine(proof))
	}
	record, err := packedRecord(pack)
	if err != nil {
		return err
	}
	page, err := packPageOf(&document, pack.Events, pack.Rows)
	if err != nil {
		return err
	}
	for _, own := range []struct {
		name string
		text []byte
	}{{packRecord, record}, {packPage, page}} {
		if err := archive.add(own.name, roleOwn, bytes.NewReader(own.text)); err != nil {
			return err
		}
	}
	for _, file := range pack.Files {
		content, err := file.Open()
		if err != nil {
			return err
		}
		err = archive.add("files/"+file.Name, file.Role, content)
		if closeErr := content.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
	}
	document.Files = archive.files
	text, err := json.MarshalIndent(document, "", " ")
	if err != nil {
		return fmt.Errorf("write pack: %w", err)
	}
	return archive.end(text)
}

func packedRecord(pack *Pack) ([]byte, error) {
	var record bytes.Buffer
	exporter, err := NewExporter(&record, pack.Origin, timeOf(pack.MadeAt), false)
	if err != nil {
		return nil, err
	}
	err = exporter.Stream(pack.Case, pack.Head, func(yield func(*domain.Event, error) bool) {
		for _, event := range pack.Events {
			if !yield(event, nil) {
				return
			}
		}
	}, pack.Rows)
	if err == nil {
		err = exporter.Close()
	}
	return record.Bytes(), err
}

func proofLine(proof LeafProof) packProof {
	line := packProof{Leaf: leafLine(proof.Leaf), Index: proof.Index, Path: []string{}}
	for _, hash := range proof.Path {
		line.Path = append(line.Path, hex.EncodeToString(hash))
	}
	return line
}

func (p packProof) toProof() (LeafProof, error) {
	leaf, err := p.Leaf.toLeaf()
	proof := LeafProof{Leaf: leaf, Index: p.Index}
	for _, text := range p.Path {
		hash, hexErr := hex.DecodeString(text)
		if hexErr != nil {
			return proof, fmt.Errorf("a proof is not in hex: %w", hexErr)
		}
		proof.Path = append(proof.Path, hash)
	}
	return proof, err
}

// packArchive writes the files of a pack in the one spelling.
type packArchive struct {
	zip   *zip.Writer
	files []packFile
}

func newPackArchive(out io.Writer) *packArchive { return &packArchive{zip: zip.NewWriter(out)} }

// create begins a file. Times are left out, because they would be another spelling.
func (a *packArchive) create(name string) (io.Writer, error) {
	return a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
}

func (a *packArchive) add(name string, role Role, content io.Reader) error {
	entry, err := a.create(name)
	if err != nil {
		return fmt.Errorf("write pack: %w", err)
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(entry, sum), content)
	if err != nil {
		return fmt.Errorf("write %s of the pack: %w", name, err)
	}
	a.files = append(a.files, packFile{name, role, size, hexOf(sum)})
	return nil
}

func (a *packArchive) end(index []byte) error {
	entry, err := a.create(packIndex)
	if err == nil {
		_, err = entry.Write(index)
	}
	if err == nil {
		err = a.zip.Close()
	}
	if err != nil {
		return fmt.Errorf("write pack: %w", err)
	}
	return nil
}

func hexOf(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)) }

// SortPackSources orders the files of a pack, so that the same case has the same pack.
func SortPackSources(files []PackSource) {
	slices.SortFunc(files, func(x, y PackSource) int { return bytes.Compare([]byte(x.Name), []byte(y.Name)) })
}
