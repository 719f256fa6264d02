package layout

import (
	"fmt"
	"slices"
	"strings"
)

// Package is what the go command says of one package.
type Package struct {
	ImportPath, Name, Dir                       string
	Imports, TestImports, XTestImports          []string
	GoFiles, TestGoFiles, XTestGoFiles, Ignored []string
	Standard                                    bool
	DepOnly                                     bool
}

const module = "countersign"

// house is the tables in one value, so that tests can build another.
type house struct {
	rooms     []Room
	libraries []Library
	standard  []Library
}

// ours is the house of this tree.
var ours = house{rooms: rooms, libraries: libraries, standard: standard}

// roomOf is the room whose folder holds the package, or nil.
func (h house) roomOf(importPath string) *Room {
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return nil
	}
	for i := range h.rooms {
		if within(rest, h.rooms[i].Path) {
			return &h.rooms[i]
		}
	}
	return nil
}

// within reports whether path is folder or lies below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

// breaches lists every import that goes against the tables, and every room that is missing or not listed.
func (h house) breaches(packages []Package) []string {
	var found []string
	standing := map[string]bool{}
	for _, p := range packages {
		if p.DepOnly || p.Standard {
			continue
		}
		room := h.roomOf(p.ImportPath)
		if room == nil {
			found = append(found, fmt.Sprintf("%s is in no room of the table", p.ImportPath))
			continue
		}
		standing[room.Path] = true
		for _, path := range p.Imports {
			found = appendSome(found, p.ImportPath, h.judge(room, p, path, false))
		}
		for _, path := range slices.Concat(p.TestImports, p.XTestImports) {
			found = appendSome(found, p.ImportPath+" (tests)", h.judge(room, p, path, true))
		}
	}
	for _, room := range h.rooms {
		switch {
		case room.Present && !standing[room.Path]:
			found = append(found, fmt.Sprintf("room %s is listed as present but has no package", room.Path))
		case !room.Present && standing[room.Path]:
			found = append(found, fmt.Sprintf("room %s stands now: mark it Present in internal/layout/rooms.go", room.Path))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func appendSome(list []string, who, problem string) []string {
	if problem == "" {
		return list
	}
	return append(list, who+" "+problem)
}

// judge returns why the package may not import the path, or "".
func (h house) judge(room *Room, p Package, path string, test bool) string {
	if within(path, module) {
		return h.judgeOurs(room, path, test)
	}
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return judgeLibrary(h.libraries, room, path, test, true)
	}
	if problem := judgeLibrary(h.standard, room, path, test, false); problem != "" {
		return problem
	}
	if room.Pure && !test && p.Name != "main" && slices.Contains(impure, path) {
		return fmt.Sprintf("imports %s, but %s is pure: values in, values out", path, room.Path)
	}
	return ""
}

// judgeOurs holds the direction between rooms.
func (h house) judgeOurs(room *Room, path string, test bool) string {
	target := h.roomOf(path)
	switch {
	case target == nil:
		return fmt.Sprintf("imports %s, which is in no room of the table", path)
	case target.Path == room.Path, slices.Contains(room.Imports, everyRoom), slices.Contains(room.Imports, target.Path):
		return ""
	case slices.ContainsFunc(room.Imports, func(allowed string) bool { return path == module+"/"+allowed }):
		return "" // one package of a room
	case test && (target.Path == "internal" || target.Path == "migrations"):
		return ""
	case test && room.Wires && !slices.Contains(doors, target.Path):
		return ""
	}
	return fmt.Sprintf("imports %s, but %s may import only: %s", path, room.Path, allowedText(room.Imports))
}

func allowedText(rooms []string) string {
	if len(rooms) == 0 {
		return "nothing of ours"
	}
	return strings.Join(rooms, ", ")
}

// judgeLibrary holds the owners of libraries; one that is in no table is refused if all must be listed.
func judgeLibrary(table []Library, room *Room, path string, test, listed bool) string {
	var owner *Library
	for i := range table {
		if within(path, table[i].Path) && (owner == nil || len(table[i].Path) > len(owner.Path)) {
			owner = &table[i]
		}
	}
	switch {
	case owner == nil && listed:
		return fmt.Sprintf("imports %s, which has no owner in internal/layout/rooms.go", path)
	case owner == nil, room.Measures, slices.Contains(owner.Rooms, room.Path), test && owner.Tests:
		return ""
	case len(owner.Rooms) == 0:
		return fmt.Sprintf("imports %s, which is for tests", path)
	}
	return fmt.Sprintf("imports %s, which belongs to %s", path, strings.Join(owner.Rooms, ", "))
}
