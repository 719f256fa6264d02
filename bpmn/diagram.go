package bpmn

import "fmt"

// diagram returns the part of the file that says where shapes and lines are.
func diagram(key string, shapes []*shape, flows []*flow) *element {
	plane := newElement("bpmndi:BPMNPlane", "id", "Plane_"+key, "bpmnElement", processID(key))
	for _, one := range shapes {
		drawn := newElement("bpmndi:BPMNShape", "id", one.id+"_di", "bpmnElement", one.id)
		if one.element.name == "bpmn:exclusiveGateway" {
			drawn.set("isMarkerVisible", "true")
		}
		plane.add(drawn.add(newElement("dc:Bounds", "x", fmt.Sprint(one.x), "y", fmt.Sprint(one.y),
			"width", fmt.Sprint(one.width), "height", fmt.Sprint(one.height))))
	}
	for _, one := range flows {
		id := one.element.attribute("id")
		line := newElement("bpmndi:BPMNEdge", "id", id+"_di", "bpmnElement", id)
		for _, at := range one.points {
			line.add(newElement("di:waypoint", "x", fmt.Sprint(at.x), "y", fmt.Sprint(at.y)))
		}
		plane.add(line)
	}
	return newElement("bpmndi:BPMNDiagram", "id", "Diagram_"+key).add(plane)
}
