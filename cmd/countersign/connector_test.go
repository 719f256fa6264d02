package main

import (
	"strings"
	"testing"
)

// connectorAnswers are the answers to the commands on one connector with one delivery.
func connectorAnswers() object {
	changed := object{"userErrors": []any{}, "connector": object{"name": "books",
		"status": "PAUSED", "waiting": 2, "dead": 1}}
	return object{"connectors": []any{object{"id": "connector-1", "name": "books",
		"url": "https://receiver.example", "audience": "STAFF", "status": "ACTIVE",
		"lagSeconds": 61.2, "delivered": "1200", "waiting": 2, "dead": 1,
		"lastError": "The receiver answered 500.", "statusReason": ""}},
		"pauseConnector": changed, "resumeConnector": changed, "replayConnector": changed,
		"retryDelivery": changed, "skipDelivery": changed,
		"deliveries": object{"pageInfo": object{"hasNextPage": false, "endCursor": nil},
			"nodes": []any{object{"id": "delivery-1", "eventId": "e/1", "type": "case.rejected",
				"status": "DEAD", "attempts": 1, "nextAt": nil, "error": "refused",
				"answer": "no", "reason": ""}}},
		"testConnector": object{"userErrors": []any{}, "test": object{"delivered": false,
			"httpStatus": 500, "milliseconds": 12.0, "answer": "oops", "error": "It failed."}},
		"putConnector": object{"userErrors": []any{}, "results": []any{object{"kind": "CONNECTOR",
			"key": "books", "applied": false, "proposal": object{"id": "proposal-1",
				"kind": "CONNECTOR", "subject": "books", "before": "", "after": "x", "reason": "x",
				"status": "PROPOSED", "proposedBy": personFixture}}}}}
}

// Connectors are found by their names and operated over the API.
func TestConnectorCommands(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"list": "1m1s", "deliveries books": "delivery-1",
		"pause books": "books  PAUSED, 2 waiting, 1 dead", "resume books --reason x": "books",
		"replay books --from all": "books", "replay books --from 2026-11-26T08:00:00Z": "books",
		"retry delivery-1": "books", "skip delivery-1 --reason x": "books",
		"put books https://receiver.example --secret one --audience staff --reason x": "another administrator must confirm it",
	} {
		server := newFakeAPI(t, connectorAnswers())
		code, out, messages := server.run(append([]string{"connector"},
			strings.Fields(line)...)...)
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit code %d, %s%s", line, code, out, messages)
		}
	}
	for line, want := range map[string]string{"test books": "It failed.",
		"pause other": "no connector", "replay books --from noon": "not a time"} {
		server := newFakeAPI(t, connectorAnswers())
		code, out, messages := server.run(append([]string{"connector"},
			strings.Fields(line)...)...)
		if code == 0 || !strings.Contains(out+messages, want) {
			t.Errorf("%s: exit code %d, %s%s", line, code, out, messages)
		}
	}
}
