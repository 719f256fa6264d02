// Command promql reads PromQL expressions, one JSON string per line, and writes for each the metrics
// that it selects, or why it cannot be parsed.
//
// What may enter: the parser of Prometheus. What never happens here: a query. The program is a
// module of its own, because the parser needs other versions of libraries than the programs.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// selector is a metric of an expression with the labels that it is selected by.
type selector struct {
	Metric string   `json:"metric"`
	Labels []string `json:"labels"`
}

// answer is what an expression selects.
type answer struct {
	Expression string     `json:"expression"`
	Error      string     `json:"error,omitempty"`
	Selectors  []selector `json:"selectors"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "promql:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	decoder, encoder := json.NewDecoder(in), json.NewEncoder(out)
	for decoder.More() {
		var text string
		if err := decoder.Decode(&text); err != nil {
			return err
		}
		if err := encoder.Encode(read(text)); err != nil {
			return err
		}
	}
	return nil
}

func read(text string) answer {
	result := answer{Expression: text}
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
		if vector, ok := node.(*parser.VectorSelector); ok {
			found := selector{Metric: vector.Name}
			for _, matcher := range vector.LabelMatchers {
				if matcher.Name != labels.MetricName {
					found.Labels = append(found.Labels, matcher.Name)
				}
			}
			result.Selectors = append(result.Selectors, found)
		}
		return nil
	})
	return result
}
