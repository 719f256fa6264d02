package workflow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// calledPattern matches the part of a text that Record writes: from its key to the next one.
var calledPattern = regexp.MustCompile(`(?m)^called:[ \t]*(#.*)?\n(([ \t].*)?\n|[ \t].*\z)*`)

// WithoutCalled returns a text as people write it, without what Record has added.
func WithoutCalled(source []byte) []byte { return calledPattern.ReplaceAll(source, nil) }

// Record returns the text with the newest published versions of the processes that it calls, in place
// of those that it has. The text then contains everything that cases of its version will ever need:
// what is published later changes nothing. newest returns a version 0 if there is none; Check reports
// such a call.
func Record(
	source []byte, newest func(process string) (version int, document string, err error),
) ([]byte, []Problem, error) {
	source = WithoutCalled(source)
	text, lines, problem := readText(source)
	if problem != nil {
		return source, nil, nil // Check reports it
	}
	if len(text.Called) > 0 {
		return source, []Problem{{Rule: "call",
			Message: "The list called is written when the process is proposed. Leave it out."}}, nil
	}
	var block strings.Builder
	seen := map[string]bool{text.Key: true} // Check reports a process that calls itself
	for i, node := range text.Nodes {
		if node.Kind != string(KindCall) || node.Process == "" || seen[node.Process] {
			continue
		}
		seen[node.Process] = true
		version, document, err := newest(node.Process)
		if err != nil {
			return source, nil, err
		}
		if version == 0 {
			continue
		}
		writeCalled(&block, node.Process, version, document)
		if recorded := withCalled(source, block.String()); !isRecorded(recorded, node.Process, document) {
			return source, []Problem{{Node: node.ID, Line: lines[i], Rule: "size",
				Message: fmt.Sprintf("Version %d of %s does not fit into the text of this process: "+
					"a text has at most 64 KiB with all processes that it calls.", version, node.Process)}}, nil
		}
	}
	return withCalled(source, block.String()), nil, nil
}

func withCalled(source []byte, block string) []byte {
	if block == "" {
		return source
	}
	source = append(bytes.TrimRight(source, " \t\r\n"), '\n')
	return append(source, "called:\n"+block...)
}

// writeCalled writes one called process; its text is a literal, so that people can read it.
func writeCalled(out *strings.Builder, process string, version int, document string) {
	sum := sha256.Sum256([]byte(document))
	end := []string{"|-", "|", "|+"}[min(trailing(document), 2)]
	fmt.Fprintf(out, "  - process: %s\n    version: %d\n    sha256: %s\n    text: %s\n", process,
		version, hex.EncodeToString(sum[:]), end)
	for line := range strings.Lines(document) {
		if strings.TrimRight(line, "\r\n") != "" {
			out.WriteString("      ")
		}
		out.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
}

func trailing(text string) int { return len(text) - len(strings.TrimRight(text, "\n")) }

// isRecorded reports whether the text contains the text of the process exactly.
func isRecorded(recorded []byte, process, document string) bool {
	text, _, problem := readText(recorded)
	if problem != nil {
		return false
	}
	for _, called := range text.Called {
		if called.Process == process {
			return called.Text == document
		}
	}
	return false
}
