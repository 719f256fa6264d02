// Package bpmn writes process definitions as BPMN 2.0 XML with a diagram, and reads BPMN 2.0 XML as the
// text of a definition (docs/bpmn.md).
//
// Words of BPMN have their meaning of BPMN. What BPMN has no word for is in extension elements and
// attributes of the namespace of this package, so that reading a written definition gives the same
// definition.
//
// What may enter: the mapping between definitions and BPMN, the layout of the diagram, bounds on files.
// What never happens here: checks of a definition, which workflow makes; I/O; silently dropping a part
// of a file that has a meaning.
package bpmn
