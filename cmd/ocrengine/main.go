// Command ocrengine reads the words of one page with the networks of PP-OCR on ONNX Runtime. It is a
// program of its own because it loads a library of C++, and the other programs stay static. The
// worker runs it in the sandbox, once for each page.
//
// What may enter: one picture, the library, the networks. What never happens here: what the words
// mean, a connection, a file that is written.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"countersign/cmd/ocrengine/onnx"
	"countersign/cmd/ocrengine/ppocr"
)

// files are the files that the program needs besides the picture.
type files struct{ library, detection, direction, recognition, characters string }

func main() {
	var needed files
	flag.StringVar(&needed.library, "library", "", "ONNX Runtime, libonnxruntime.so.1")
	flag.StringVar(&needed.detection, "detection", "", "network that finds lines")
	flag.StringVar(&needed.direction, "direction", "", "network that finds lines upside down")
	flag.StringVar(&needed.recognition, "recognition", "", "network that reads a line")
	flag.StringVar(&needed.characters, "characters", "", "list of the characters it reads")
	flag.Parse()
	if err := run(needed, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "ocrengine:", err)
		os.Exit(1)
	}
}

// run reads the picture and writes one JSON object for each word, and one with their number as the
// last, by which the caller sees that the output is complete.
func run(needed files, pictures []string, to io.Writer) error {
	if len(pictures) != 1 {
		return errors.New("one picture is needed after the flags")
	}
	page, err := decode(pictures[0])
	if err != nil {
		return err
	}
	debug.FreeOSMemory() // the pixels in colour, before the networks need memory
	words, err := read(page, needed)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(to)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, w := range words {
		if err := lines.Encode(map[string]any{"text": w.Text, "x": w.X, "y": w.Y, "w": w.Width,
			"h": w.Height, "confidence": w.Confidence, "line": w.Line}); err != nil {
			return err
		}
	}
	if err := lines.Encode(map[string]any{"words": len(words)}); err != nil {
		return err
	}
	return out.Flush()
}

// read loads the library and the networks, and reads the page.
func read(page ppocr.Grey, needed files) ([]ppocr.Word, error) {
	list, err := os.ReadFile(needed.characters)
	if err != nil {
		return nil, err
	}
	library, err := onnx.Open(needed.library)
	if err != nil {
		return nil, err
	}
	defer library.Close()
	networks := ppocr.Networks{Alphabet: ppocr.Alphabet(string(list))}
	for _, network := range []struct {
		file string
		to   *ppocr.Network
	}{{needed.detection, &networks.Detect}, {needed.direction, &networks.Direct},
		{needed.recognition, &networks.Recognise}} {
		session, err := library.Load(network.file)
		if err != nil {
			return nil, err
		}
		defer session.Close()
		*network.to = session.Run
	}
	return ppocr.Read(page, networks)
}
