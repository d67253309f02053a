import 'server-only';
import {
  argOf,
  cut,
  fieldOf,
  type HandlersOf,
  newValueOf,
  readBytes,
  targetOf,
} from '@/lib/key-values/edits/step';
import type { Look, LookAt } from '@/lib/key-values/look';
import type { BytesInput } from '@/lib/key-values/schema';
import { SECOND } from '@/lib/time';

const NO_EXPIRY = '-1';

type Named = { field: BytesInput };

/** What edits of an existing field have in common. */
const ofField = {
  types: ['hash' as const],
  at: (edit: Named): LookAt => ({ what: 'field', which: fieldOf(edit) }),
  element: (edit: Named, look: Look) => ({ field: cut(fieldOf(edit)), value: cut(readBytes(look)) }),
  parts: (edit: Named, look: Look) => [{ field: fieldOf(edit), bytes: readBytes(look) }],
};

export const hashEdits: HandlersOf<'addField' | 'setField' | 'renameField' | 'removeField' | 'setFieldTtl'> =
  {
    addField: {
      types: ['hash'],
      at: () => ({ what: '', which: '' }),
      make: (edit) => {
        const [field, after] = [fieldOf(edit), newValueOf(edit)];
        return {
          edit: 'addField',
          args: [field, after, NO_EXPIRY],
          field,
          before: null,
          after,
          undo: () => ({ edit: 'removeField', args: [field, after] }),
        };
      },
    },
    setField: {
      ...ofField,
      make: (edit, look) => {
        const [field, before, after] = [fieldOf(edit), readBytes(look), newValueOf(edit)];
        return {
          edit: 'setField',
          args: [field, before, after],
          field,
          before,
          after,
          undo: () => ({ edit: 'setField', args: [field, after, before] }),
        };
      },
    },
    renameField: {
      ...ofField,
      make: (edit, look) => {
        const [field, to, value] = [fieldOf(edit), targetOf(edit), readBytes(look)];
        return {
          edit: 'renameField',
          args: [field, value, to],
          before: field,
          after: to,
          undo: () => ({ edit: 'renameField', args: [to, value, field] }),
        };
      },
    },
    removeField: {
      ...ofField,
      make: (edit, look) => {
        const [field, before] = [fieldOf(edit), readBytes(look)];
        return {
          edit: 'removeField',
          args: [field, before],
          field,
          before,
          after: null,
          undo: ([expires]) => ({ edit: 'addField', args: [field, before, argOf(expires)] }),
        };
      },
    },
    setFieldTtl: {
      ...ofField,
      make: (edit, look) => {
        const [field, value] = [fieldOf(edit), readBytes(look)];
        const { ttlSeconds } = edit;
        return {
          edit: 'setFieldTtl',
          args: [field, value, ttlSeconds === null ? NO_EXPIRY : ttlSeconds * SECOND, 'in'],
          field,
          before: null,
          after: Buffer.from(ttlSeconds === null ? 'no TTL' : `TTL ${ttlSeconds} s`),
          undo: ([expires]) => ({ edit: 'setFieldTtl', args: [field, value, argOf(expires), 'at'] }),
        };
      },
    },
  };
