// Package expr is the only package that uses CEL. It compiles the conditions of process
// definitions, rules and the policy, evaluates them under a cost limit and turns policy conditions
// into filters over rows.
//
// Belongs here: functions over condition texts and facts as values.
//
// Never here: I/O, a clock, knowledge of what a condition is used for, or a panic for any text.
package expr
