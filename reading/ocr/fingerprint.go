package ocr

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// Fingerprint identifies what reads pages in the languages: this program, the other programs and the files
// of the engines, and the settings. Pages with equal fingerprints were read in the same way. It is "" if this
// program cannot be read.
func (r *Reader) Fingerprint(languages []string) string {
	own, err := ownHash()
	if err != nil {
		return ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n%q\n%q\n%+v\n%t\n%s\n", own, languages, r.programs, r.limits, r.asIs,
		r.second.nameWith(r.engine))
	for _, program := range []string{r.programs.Tesseract, r.programs.PDFToPPM, r.programs.PDFToCairo,
		r.programs.PDFToText} {
		path, _ := exec.LookPath(program) // "" if it is missing
		writeFileState(sum, path)
	}
	for _, engine := range []Engine{r.engine, r.second.engine} {
		if ppocr, ok := engine.(*PPOCR); ok {
			files := ppocr.Files
			for _, path := range []string{files.Program, files.Library, files.model(ppocrDetection),
				files.model(ppocrDirection), files.model(ppocrRecognition), files.model(ppocrCharacters)} {
				writeFileState(sum, path)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// writeFileState writes what changes when a file is replaced, without reading it.
func writeFileState(to hash.Hash, path string) {
	if info, err := os.Stat(path); err == nil {
		fmt.Fprintf(to, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
	} else {
		fmt.Fprintf(to, "%q missing\n", path)
	}
}

// ownHash returns the SHA-256 of this program, which is a version that no build forgets to change.
var ownHash = sync.OnceValues(func() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", err
	}
	file, err := os.Open(filepath.Clean(path))
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return hex.EncodeToString(sum.Sum(nil)), err
})
