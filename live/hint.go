package live

import (
	"encoding/binary"

	"countersign/domain"
)

// hintSize is the size of a hint: 16 bytes of stream and 8 bytes of seq, big endian.
const hintSize = 24

// maxHintsPerMessage limits one message on Redis.
const maxHintsPerMessage = 512

// packHints encodes the newest hint of each stream as one message.
func packHints(hints []domain.Hint) []byte {
	newest := make(map[domain.ID]int64, len(hints))
	order := make([]domain.ID, 0, len(hints))
	for _, hint := range hints {
		seq, known := newest[hint.Stream]
		if !known {
			order = append(order, hint.Stream)
		}
		newest[hint.Stream] = max(seq, hint.Seq)
	}
	message := make([]byte, 0, len(order)*hintSize)
	for _, stream := range order {
		message = append(message, stream[:]...)
		message = binary.BigEndian.AppendUint64(message, uint64(newest[stream]))
	}
	return message
}

// unpackHints decodes a message. It skips invalid bytes, because a lost hint costs only one poll
// interval.
func unpackHints(message []byte) []domain.Hint {
	hints := make([]domain.Hint, 0, len(message)/hintSize)
	for ; len(message) >= hintSize; message = message[hintSize:] {
		seq := int64(binary.BigEndian.Uint64(message[16:hintSize]))
		if seq < 0 {
			continue
		}
		hints = append(hints, domain.Hint{Stream: domain.ID(message[:16]), Seq: seq})
	}
	return hints
}
