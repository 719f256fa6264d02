// Package expr is the one owner of CEL: it compiles the conditions of process definitions and of the policy, evaluates
// them under a cost limit and turns policy conditions into filters over rows.
//
// What may enter: condition texts and the facts they are asked about, as values.
// What never happens here: I/O, a clock, a decision about what a condition is for; nor a panic, whatever the text is.
package expr
