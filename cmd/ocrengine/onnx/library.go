package onnx

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// apiVersion is the oldest version of the interface that has all the functions below. Newer libraries
// support it.
const apiVersion = 16

// function is the index of a function in the table of the interface. Indexes never change.
type function int

const (
	getErrorMessage                function = 2
	createEnv                      function = 3
	createSession                  function = 7
	runSession                     function = 9
	createSessionOptions           function = 10
	disableMemPattern              function = 17
	disableCPUMemArena             function = 19
	setIntraOpNumThreads           function = 24
	setInterOpNumThreads           function = 25
	sessionGetInputName            function = 36
	sessionGetOutputName           function = 37
	createTensorWithDataAsOrtValue function = 49
	getTensorMutableData           function = 51
	getTensorElementType           function = 60
	getDimensionsCount             function = 61
	getDimensions                  function = 62
	getTensorTypeAndShape          function = 65
	createCPUMemoryInfo            function = 69
	allocatorFree                  function = 76
	getAllocatorWithDefaultOptions function = 78
	releaseEnv                     function = 92
	releaseStatus                  function = 93
	releaseMemoryInfo              function = 94
	releaseSession                 function = 95
	releaseValue                   function = 96
	releaseTensorTypeAndShapeInfo  function = 99
	releaseSessionOptions          function = 100
	functions                               = 101
)

// Library is a loaded ONNX Runtime.
type Library struct {
	api         *[functions]uintptr
	environment handle
	allocator   handle // of the process, never released
	memory      handle
}

// handle is an address in the memory of the library.
type handle uintptr

// pointer returns the address as a pointer. The memory belongs to the library, not to Go.
func (h handle) pointer() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&h)) }

// text returns the C string at the address.
func (h handle) text() string {
	if h == 0 {
		return ""
	}
	length := 0
	for *(*byte)(unsafe.Add(h.pointer(), length)) != 0 {
		length++
	}
	return string(unsafe.Slice((*byte)(h.pointer()), length))
}

// Open loads the library. Close it after the sessions.
func Open(path string) (*Library, error) {
	loaded, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("onnx: load: %w", err)
	}
	symbol, err := purego.Dlsym(loaded, "OrtGetApiBase")
	if err != nil {
		return nil, fmt.Errorf("onnx: load: %w", err)
	}
	base, _, _ := purego.SyscallN(symbol)
	if base == 0 {
		return nil, errors.New("onnx: the library has no interface")
	}
	getAPI := *(*uintptr)(handle(base).pointer())
	table, _, _ := purego.SyscallN(getAPI, apiVersion)
	if table == 0 {
		return nil, fmt.Errorf("onnx: the library is older than version 1.%d", apiVersion)
	}
	library := &Library{api: (*[functions]uintptr)(handle(table).pointer())}
	if err := library.prepare(); err != nil {
		library.Close()
		return nil, fmt.Errorf("onnx: %w", err)
	}
	return library, nil
}

func (l *Library) prepare() (err error) {
	const onlyErrors = 3 // the level of the log
	var pins runtime.Pinner
	defer pins.Unpin()
	name := cString("countersign")
	pins.Pin(name)
	if l.environment, err = l.create(createEnv, onlyErrors,
		uintptr(unsafe.Pointer(name))); err != nil {
		return err
	}
	if l.allocator, err = l.create(getAllocatorWithDefaultOptions); err != nil {
		return err
	}
	const arenaAllocator, defaultMemory = 1, 0
	l.memory, err = l.create(createCPUMemoryInfo, arenaAllocator, defaultMemory)
	return err
}

// Close releases what belongs to the library. It may be called twice.
func (l *Library) Close() {
	l.release(releaseMemoryInfo, &l.memory)
	l.release(releaseEnv, &l.environment)
}

// call calls a function that returns a status, and returns the message of a failure.
func (l *Library) call(which function, args ...uintptr) error {
	status, _, _ := purego.SyscallN(l.api[which], args...)
	if status == 0 {
		return nil
	}
	message, _, _ := purego.SyscallN(l.api[getErrorMessage], status)
	err := errors.New(handle(message).text())
	failed := handle(status)
	l.release(releaseStatus, &failed)
	return err
}

// create calls a function whose last argument receives the address of what it creates.
func (l *Library) create(which function, args ...uintptr) (handle, error) {
	var pins runtime.Pinner
	defer pins.Unpin()
	created := new(handle)
	pins.Pin(created)
	err := l.call(which, append(args, uintptr(unsafe.Pointer(created)))...)
	return *created, err
}

// release releases what a handle refers to, once.
func (l *Library) release(which function, h *handle) {
	if *h != 0 {
		purego.SyscallN(l.api[which], uintptr(*h))
		*h = 0
	}
}

// cString returns the text as a C string, to be pinned by the caller.
func cString(text string) *byte { return &append([]byte(text), 0)[0] }
