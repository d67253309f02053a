import 'server-only';
import { codeOf } from './failure';

/** What a repeated call found on the new primary, in keys. */
export interface Found {
  /** Changed again, because the new primary had not received the first call. */
  cameBack: number;
  /** Whether the call had an effect is not known, or the key is another one there. */
  unknown: number;
}

export const NOTHING: Found = { cameBack: 0, unknown: 0 };

/** How a call is repeated on the primary that follows. Every call of a job may be: it checks what it finds. */
export interface Redo<T> {
  /** Compares the reply that the job has already counted with the reply of the repetition. */
  compare(counted: T, repeated: T): Found;
  /** Whose reply was lost: the reply to count, from that of the repetition, and what it leaves open. */
  lost?(repeated: T): { reply: T; found: Found };
  /** The server's error inside a reply. */
  errorIn?(reply: T): Error | null;
  /** Of a call that is not repeated: how many of its changes a new primary may lack. Null where it is repeated. */
  unrepeated?(counted: T): number | null;
}

/** The state of a key that is on another node by now (`include/elsewhere.lua`). */
export const ELSEWHERE = 'm';

const lettersIn = (reply: readonly unknown[]): string[] => [...String(reply[0] ?? '')];

const countPairs = (
  counted: readonly unknown[],
  repeated: readonly unknown[],
  { changed, back, open }: { changed: string; back: string; open: string },
): Found => {
  const after = lettersIn(repeated);
  const found = { ...NOTHING };
  lettersIn(counted).forEach((letter, i) => {
    if (letter !== changed) return;
    if (after[i] === back) found.cameBack += 1;
    // Its slot has moved since, and it may not have been known where it went.
    if (after[i] === open || after[i] === ELSEWHERE) found.unknown += 1;
  });
  return found;
};

/** Reads one letter as another: what is so already after a lost reply was most likely made so by the lost call. */
const readAs = (repeated: unknown[], from: string, to: string): { reply: unknown[]; found: Found } => {
  const letters = lettersIn(repeated);
  const reply = [Buffer.from(letters.map((one) => (one === from ? to : one)).join('')), ...repeated.slice(1)];
  return { reply, found: { cameBack: 0, unknown: letters.filter((one) => one === from).length } };
};

type ScriptRedo = Redo<unknown[]>;

/** By name of the script. */
const SCRIPTS: Readonly<Record<string, ScriptRedo>> = {
  // A key with another value stays: the new primary has an older or newer one than the copy.
  'unlink-unchanged': {
    compare: (counted, repeated) => countPairs(counted, repeated, { changed: 'd', back: 'd', open: 'c' }),
    lost: (repeated) => readAs(repeated, 'v', 'd'),
  },
  'restore-keys': {
    compare: (counted, repeated) => countPairs(counted, repeated, { changed: 'r', back: 'r', open: 'x' }),
    lost: (repeated) => readAs(repeated, 'b', 'r'),
    errorIn: ([, refusal]) => (String(refusal ?? '') === '' ? null : new Error(String(refusal))),
  },
  // It only reads.
  'snapshot-keys': { compare: () => NOTHING, lost: (reply) => ({ reply, found: NOTHING }) },
};

/** Of the others, a lost reply stays in doubt. */
const REPEATED: Redo<unknown> = { compare: () => NOTHING };

export const redoOfScript = (name: string): ScriptRedo => SCRIPTS[name] ?? (REPEATED as ScriptRedo);

/**
 * Of a script over keys of several slots. Where it left some to another node, which may be the primary that follows, its
 * repetition would change them there before the job does.
 */
export const redoOfNear = (name: string): ScriptRedo => ({
  ...redoOfScript(name),
  unrepeated: (counted) => {
    const letters = lettersIn(counted);
    return letters.includes(ELSEWHERE) ? letters.filter((one) => one !== ELSEWHERE).length : null;
  },
});

export const redoOfUnlink = (keys: number): Redo<number> => ({
  compare: (_counted, repeated) => ({ cameBack: repeated, unknown: 0 }),
  lost: (repeated) => ({ reply: keys, found: { cameBack: 0, unknown: keys - repeated } }),
});

export const redoOfWrite = <T>(): Redo<T> => REPEATED as Redo<T>;

/** Whether the server did not execute a call because it does not serve as primary at the moment, or cannot be reached. */
export const isAway = (error: unknown): boolean =>
  ['unreachable', 'loading', 'replica'].includes(codeOf(error) ?? '');
