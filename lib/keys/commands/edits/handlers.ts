import 'server-only';
import type { KeyEdit } from '../../schema';
import { hashEdits } from './hash-edits';
import { listEdits } from './list-edits';
import { memberEdits } from './member-edits';
import type { Handler, HandlersOf } from './step';
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
