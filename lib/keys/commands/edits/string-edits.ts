import 'server-only';
import { createHash } from 'node:crypto';
import { badField } from '@/lib/errors';
import { argOf, type HandlersOf, newValueOf, readBytes } from '@/lib/key-values/edits/step';
import { MAX_EDITED_BYTES } from '@/lib/key-values/look';

const sha1 = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('hex');

/** SETBIT fills everything up to the bit with zeros. */
const refuseGrowth = (offset: number, length: number): void => {
  const bytes = Math.floor(offset / 8) + 1;
  if (bytes > length && bytes > MAX_EDITED_BYTES)
    throw badField('edit.offset', `This would extend the value to ${bytes} bytes; at most 8 MiB.`);
};

export const stringEdits: HandlersOf<'setString' | 'setBit'> = {
  setString: {
    types: ['string'],
    at: () => ({ what: 'value', which: '' }),
    wholeContent: true,
    parts: (_, look) => [{ bytes: readBytes(look) }],
    make: (edit, look) => {
      const [before, after] = [readBytes(look), newValueOf(edit)];
      return {
        edit: 'setString',
        args: [sha1(before), after],
        before,
        after,
        undo: () => ({ edit: 'setString', args: [sha1(after), before] }),
      };
    },
  },
  setBit: {
    types: ['string'],
    at: ({ offset }) => ({ what: 'bit', which: offset }),
    wholeContent: true,
    // Bit by bit a masked value could be found out. The beginning says what it is.
    parts: async (_, { key }, { reader }) => {
      const value = await reader.getString(key);
      return value ? [{ bytes: value.bytes }] : [];
    },
    make: ({ offset, bit }, { state, read }) => {
      refuseGrowth(offset, state.length ?? 0);
      const before = read as number;
      const shown = (each: number) => Buffer.from(`bit ${offset}: ${each}`);
      return {
        edit: 'setBit',
        args: [offset, before, bit],
        before: shown(before),
        after: shown(bit),
        undo: ([shorter, length]) => ({
          edit: 'resetBit',
          args: [offset, bit, before, argOf(length), argOf(shorter)],
        }),
      };
    },
  },
};
