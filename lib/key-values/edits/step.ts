import 'server-only';
import type { ReadContext } from '@/lib/command/context';
import type { Arg } from '@/lib/redis/commands';
import { bytesOf } from '../bytes';
import { cutOf, type ElementParts } from '../etag';
import type { Look, LookAt } from '../look';
import type { ValuePart } from '../masked';
import type { EditableType, KeyEdit } from '../schema';

/** One call of the script `key-edit`: an edit, or what undoes one. */
export interface EditCall {
  edit: string;
  args: readonly Arg[];
}

/** An edit of a key that was looked at. */
export interface Step extends EditCall {
  /** What undoes it, from the results of the script. */
  undo(results: readonly unknown[]): EditCall;
  /** For the audit log: the field, and what was and is there. */
  field?: Buffer;
  before: Buffer | null;
  after: Buffer | null;
}

export interface Handler<E> {
  types: readonly EditableType[];
  /** What to read before the edit. */
  at(edit: E): LookAt;
  /** Whether the etag must match, because the edit depends on the complete value or on a place in it. */
  wholeContent?: true;
  /** What the caller read, to be compared with its id. */
  element?(edit: E, read: Look): ElementParts;
  /** The parts that are edited, none of which may be masked. */
  parts?(edit: E, read: Look, ctx: ReadContext): readonly ValuePart[] | Promise<readonly ValuePart[]>;
  make(edit: E, read: Look): Step;
}

export type HandlersOf<O extends KeyEdit['op']> = {
  [K in O]: Handler<Extract<KeyEdit, { op: K }>>;
};

type Bytes = Parameters<typeof bytesOf>[0];

export const fieldOf = (edit: { field: Bytes }): Buffer => bytesOf(edit.field, 'edit.field');
export const newValueOf = (edit: { value: Bytes }): Buffer => bytesOf(edit.value, 'edit.value');
export const targetOf = (edit: { to: Bytes }): Buffer => bytesOf(edit.to, 'edit.to');
export const memberOf = (edit: { member: Bytes }): Buffer => bytesOf(edit.member, 'edit.member');

/** What was read, where it is one value. */
export const readBytes = ({ read }: Look): Buffer => read as Buffer;

/** A result of the script as an argument of the one that undoes it. */
export const argOf = (result: unknown): Arg => result as Arg;

export const cut = (bytes: Buffer) => cutOf(bytes);
