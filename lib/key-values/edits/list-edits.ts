import 'server-only';
import { randomUUID } from 'node:crypto';
import type { Look, LookAt } from '../look';
import { argOf, cut, type HandlersOf, newValueOf, readBytes } from './step';

/** Inserted and removed within one script, so it only must not be an element of the list. */
const newMarker = (): string => `keyward-marker-${randomUUID()}`;

const atIndex = {
  types: ['list' as const],
  at: ({ index }: { index: number }): LookAt => ({ what: 'index', which: index }),
  wholeContent: true as const,
  element: ({ index }: { index: number }, look: Look) => ({ index, value: cut(readBytes(look)) }),
  parts: (_: unknown, look: Look) => [{ bytes: readBytes(look), isMember: true as const }],
};

export const listEdits: HandlersOf<'setAt' | 'removeAt' | 'push'> = {
  setAt: {
    ...atIndex,
    make: (edit, look) => {
      const [before, after] = [readBytes(look), newValueOf(edit)];
      return {
        edit: 'setAt',
        args: [edit.index, before, after],
        before,
        after,
        undo: () => ({ edit: 'setAt', args: [edit.index, after, before] }),
      };
    },
  },
  removeAt: {
    ...atIndex,
    make: ({ index }, look) => {
      const before = readBytes(look);
      return {
        edit: 'removeAt',
        args: [index, before, newMarker()],
        before,
        after: null,
        undo: ([left, right, length]) => ({
          edit: 'insertAt',
          args: [index, before, newMarker(), argOf(left), argOf(right), argOf(length)],
        }),
      };
    },
  },
  push: {
    types: ['list'],
    at: () => ({ what: '', which: '' }),
    make: (edit) => {
      const after = newValueOf(edit);
      return {
        edit: 'push',
        args: [edit.end, after],
        before: null,
        after,
        undo: () => ({ edit: 'pop', args: [edit.end, after] }),
      };
    },
  },
};
