import 'server-only';
import { bytesOf } from '@/lib/key-values/bytes';
import { argOf, type HandlersOf } from '@/lib/key-values/edits/step';
import { MAX_SNAPSHOT_BYTES } from '@/lib/snapshots/snapshots';

const joined = (pairs: readonly Buffer[]): Buffer =>
  Buffer.concat(pairs.flatMap((each, i) => [Buffer.from(i === 0 ? '' : i % 2 === 0 ? '\n' : ': '), each]));

export const streamEdits: HandlersOf<'addEntry' | 'removeEntry'> = {
  addEntry: {
    types: ['stream'],
    at: () => ({ what: '', which: '' }),
    make: ({ fields }) => {
      const pairs = fields.flatMap((pair, i) => [
        bytesOf(pair.field, `edit.fields[${i}].field`),
        bytesOf(pair.value, `edit.fields[${i}].value`),
      ]);
      return {
        edit: 'addEntry',
        args: pairs,
        before: null,
        after: joined(pairs),
        undo: ([id]) => ({ edit: 'removeEntry', args: [argOf(id)] }),
      };
    },
  },
  removeEntry: {
    types: ['stream'],
    at: ({ entryId }) => ({ what: 'entry', which: entryId }),
    element: ({ entryId }) => ({ entryId }),
    parts: (_, { read }) => {
      const pairs = read as Buffer[];
      return pairs.flatMap((field, i) => (i % 2 === 0 ? [{ field, bytes: pairs[i + 1]! }] : []));
    },
    make: ({ entryId }, { read }) => ({
      edit: 'takeEntry',
      args: [entryId, MAX_SNAPSHOT_BYTES],
      before: joined(read as Buffer[]),
      after: null,
      undo: ([dump, check]) => ({ edit: 'restoreStream', args: [argOf(check), argOf(dump)] }),
    }),
  },
};
