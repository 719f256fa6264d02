package onnx

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"
)

// Session is a network with one input and one output, ready to run. It is not safe for concurrent
// use.
type Session struct {
	library       *Library
	session       handle
	input, output handle // names, in the memory of the library
}

// Load reads a network from a file. It runs in the thread of the caller. Close it.
func (l *Library) Load(path string) (*Session, error) {
	options, err := l.create(createSessionOptions)
	if err != nil {
		return nil, fmt.Errorf("onnx: options: %w", err)
	}
	defer l.release(releaseSessionOptions, &options)
	for _, option := range []struct {
		set   function
		value []uintptr
	}{
		{setIntraOpNumThreads, []uintptr{1}}, {setInterOpNumThreads, []uintptr{1}},
		// Memory that is used again for pages of the same size is memory that is kept: each process
		// reads one page only.
		{disableMemPattern, nil}, {disableCPUMemArena, nil},
	} {
		if err := l.call(option.set, append([]uintptr{uintptr(options)}, option.value...)...); err != nil {
			return nil, fmt.Errorf("onnx: options: %w", err)
		}
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	name := cString(path)
	pins.Pin(name)
	s := &Session{library: l}
	if s.session, err = l.create(createSession, uintptr(l.environment),
		uintptr(unsafe.Pointer(name)), uintptr(options)); err != nil {
		return nil, fmt.Errorf("onnx: load %s: %w", path, err)
	}
	if err := s.names(); err != nil {
		s.Close()
		return nil, fmt.Errorf("onnx: load %s: %w", path, err)
	}
	return s, nil
}

func (s *Session) names() (err error) {
	l := s.library
	if s.input, err = l.create(sessionGetInputName, uintptr(s.session), 0,
		uintptr(l.allocator)); err != nil {
		return err
	}
	s.output, err = l.create(sessionGetOutputName, uintptr(s.session), 0, uintptr(l.allocator))
	return err
}

// Close releases the network. It may be called twice.
func (s *Session) Close() {
	for _, name := range []*handle{&s.input, &s.output} {
		if *name != 0 {
			_ = s.library.call(allocatorFree, uintptr(s.library.allocator), uintptr(*name))
			*name = 0
		}
	}
	s.library.release(releaseSession, &s.session)
}

// Run passes a tensor of the shape through the network and returns a copy of the result with its
// shape.
func (s *Session) Run(data []float32, shape []int64) ([]float32, []int64, error) {
	count := int64(1)
	for _, side := range shape {
		count *= side
	}
	if len(shape) == 0 || count <= 0 || count != int64(len(data)) {
		return nil, nil, fmt.Errorf("onnx: %d values have no shape %v", len(data), shape)
	}
	var pins runtime.Pinner
	defer pins.Unpin() // after the input is released, which uses the data
	pins.Pin(&data[0])
	pins.Pin(&shape[0])
	l := s.library
	const float, size = 1, 4
	input, err := l.create(createTensorWithDataAsOrtValue, uintptr(l.memory),
		uintptr(unsafe.Pointer(&data[0])), uintptr(len(data)*size),
		uintptr(unsafe.Pointer(&shape[0])), uintptr(len(shape)), float)
	if err != nil {
		return nil, nil, fmt.Errorf("onnx: input: %w", err)
	}
	defer l.release(releaseValue, &input)
	// The names and the input are passed as arrays of one element.
	names := &[2]handle{s.input, s.output}
	inputs := &[1]handle{input}
	pins.Pin(names)
	pins.Pin(inputs)
	output, err := l.create(runSession, uintptr(s.session), 0, uintptr(unsafe.Pointer(&names[0])),
		uintptr(unsafe.Pointer(&inputs[0])), 1, uintptr(unsafe.Pointer(&names[1])), 1)
	if err != nil {
		return nil, nil, fmt.Errorf("onnx: run: %w", err)
	}
	defer l.release(releaseValue, &output)
	result, dimensions, err := l.content(output)
	if err != nil {
		return nil, nil, fmt.Errorf("onnx: output: %w", err)
	}
	return result, dimensions, nil
}

// content copies a tensor.
func (l *Library) content(value handle) ([]float32, []int64, error) {
	info, err := l.create(getTensorTypeAndShape, uintptr(value))
	if err != nil {
		return nil, nil, err
	}
	defer l.release(releaseTensorTypeAndShapeInfo, &info)
	kind, err := l.create(getTensorElementType, uintptr(info))
	if err != nil {
		return nil, nil, err
	}
	const float = 1
	if int32(kind) != float {
		return nil, nil, errors.New("the values are no floats")
	}
	dimensions, err := l.dimensions(info)
	if err != nil {
		return nil, nil, err
	}
	count := int64(1)
	for _, side := range dimensions {
		count *= side
	}
	if count <= 0 {
		return nil, dimensions, nil
	}
	data, err := l.create(getTensorMutableData, uintptr(value))
	if err != nil {
		return nil, nil, err
	}
	result := make([]float32, count)
	copy(result, unsafe.Slice((*float32)(data.pointer()), count))
	return result, dimensions, nil
}

func (l *Library) dimensions(info handle) ([]int64, error) {
	count, err := l.create(getDimensionsCount, uintptr(info))
	if err != nil || count == 0 {
		return nil, err
	}
	var pins runtime.Pinner
	defer pins.Unpin()
	dimensions := make([]int64, count)
	pins.Pin(&dimensions[0])
	err = l.call(getDimensions, uintptr(info), uintptr(unsafe.Pointer(&dimensions[0])),
		uintptr(count))
	return dimensions, err
}
