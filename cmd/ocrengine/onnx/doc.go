// Package onnx runs neural networks with ONNX Runtime, whose library is loaded when the program runs,
// so that no C compiler is needed.
//
// What may enter: the library, networks and their tensors of 32-bit floats. What never happens here:
// anything about text recognition.
package onnx
