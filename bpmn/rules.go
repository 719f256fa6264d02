package bpmn

// rules are the names of the problems and notes of an import. The page has a text in each language for
// every one.
var rules = map[string]bool{
	"bpmn_bytes": true, "bpmn_unreadable": true, "bpmn_elements": true, "bpmn_depth": true,
	"bpmn_attributes": true, "bpmn_dtd": true, "bpmn_root": true, "bpmn_extension": true,
	"bpmn_element": true, "bpmn_not_kept": true, "bpmn_processes": true, "bpmn_no_id": true,
	"bpmn_duplicate_id": true, "bpmn_attribute": true, "bpmn_value": true, "bpmn_missing": true,
	"bpmn_renamed": true, "bpmn_task": true, "bpmn_lane": true, "bpmn_event": true,
	"bpmn_duration": true, "bpmn_seats": true, "bpmn_condition": true, "bpmn_boundary": true,
	"bpmn_reference": true, "bpmn_code": true, "bpmn_gateway": true, "bpmn_flows": true,
	"bpmn_target": true, "bpmn_flows_end": true, "bpmn_split": true, "bpmn_language": true,
	"bpmn_sources": true,
}
