import 'server-only';
import { listEdits } from '@/lib/key-values/edits/list-edits';
import { memberEdits } from '@/lib/key-values/edits/member-edits';
import type { Handler, HandlersOf } from '@/lib/key-values/edits/step';
import type { KeyEdit } from '@/lib/key-values/schema';
import { hashEdits } from './hash-edits';
import { streamEdits } from './stream-edits';
import { stringEdits } from './string-edits';

const HANDLERS: HandlersOf<KeyEdit['op']> = {
  ...stringEdits,
  ...hashEdits,
  ...listEdits,
  ...memberEdits,
  ...streamEdits,
};

/** How an edit is made and undone. */
export const handlerOf = (edit: KeyEdit): Handler<KeyEdit> =>
  HANDLERS[edit.op] as unknown as Handler<KeyEdit>;
