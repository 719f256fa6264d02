import { beforeEach, expect, test } from 'vitest';
import { dropAllNotes, dropNote, loadNote, saveNote } from './note-draft';

type Audience = 'EVERYONE' | 'REVIEWERS' | 'AML';
const all: readonly Audience[] = ['EVERYONE', 'REVIEWERS', 'AML'];
const secret = { text: 'a named person', audience: 'AML' as Audience, mentioned: [] };

beforeEach(() => sessionStorage.clear());

test('a note is of one user and one case', () => {
  saveNote('amy', 'case-1', secret);
  expect(loadNote('amy', 'case-1', all)).toEqual(secret);
  expect(loadNote('rita', 'case-1', all)).toBeNull();
  expect(loadNote('amy', 'case-2', all)).toBeNull();
});

test('a note for the AML team is never offered to other readers', () => {
  saveNote('amy', 'case-1', secret);
  expect(loadNote('amy', 'case-1', ['EVERYONE', 'REVIEWERS'])).toBeNull();
  expect(loadNote('amy', 'case-1', all)).toEqual(secret);
});

test('a sent note is deleted, text that was typed meanwhile is not', () => {
  saveNote('amy', 'case-1', { ...secret, text: 'more' });
  dropNote('amy', 'case-1', secret.text);
  expect(loadNote('amy', 'case-1', all)?.text).toBe('more');
  dropNote('amy', 'case-1', 'more');
  expect(loadNote('amy', 'case-1', all)).toBeNull();
});

test('signing out deletes all notes and nothing else', () => {
  sessionStorage.setItem('countersign.definition.x', 'kept');
  saveNote('amy', 'case-1', secret);
  saveNote('amy', 'case-2', secret);
  dropAllNotes();
  expect(Object.keys(sessionStorage)).toEqual(['countersign.definition.x']);
});

test('what is not a note is not read as one', () => {
  sessionStorage.setItem('countersign.note.amy.case-1', '{"text": 5}');
  expect(loadNote('amy', 'case-1', all)).toBeNull();
  sessionStorage.setItem('countersign.note.amy.case-1', 'x');
  expect(loadNote('amy', 'case-1', all)).toBeNull();
});
