package views

import "countersign/workflow"

// Graph is a process as nodes and lines, for drawing.
type Graph struct{ workflow.Graph }

// NewGraph returns the graph of a definition.
func NewGraph(def *workflow.Definition) Graph { return Graph{workflow.NewGraph(def)} }

// Problem is an error or a warning about a document, with the steps of its counter-example.
type Problem struct {
	workflow.Problem
	Steps []PathStep
}

// PathStep is one event of a counter-example. Node is "" for events of the whole case.
type PathStep struct{ Event, Node string }

// NewProblems adds the nodes to the paths of problems.
func NewProblems(problems []workflow.Problem) []Problem {
	all := make([]Problem, 0, len(problems))
	for _, problem := range problems {
		steps := make([]PathStep, 0, len(problem.Path))
		for _, event := range problem.Path {
			steps = append(steps, PathStep{Event: event, Node: workflow.PathNode(event)})
		}
		all = append(all, Problem{Problem: problem, Steps: steps})
	}
	return all
}
