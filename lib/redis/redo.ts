import 'server-only';
import { codeOf } from './failure';

/** What a repeated call found on the new primary, in numbers of keys. */
export interface Found {
  /** Changed again, because the new primary had not received the first call. */
  cameBack: number;
  /** Keys where it is unknown whether the call had an effect, or whose value differs there. */
  unknown: number;
}

export const NOTHING: Found = { cameBack: 0, unknown: 0 };

/** How a call is repeated on the next primary. Every call of a job may be repeated: it compares before it changes. */
export interface Redo<T> {
  /** Compares the counted reply with the reply of the repetition. */
  compare(counted: T, repeated: T): Found;
  /** For a call whose reply was lost: the reply to count, derived from the repetition, and what stays unknown. */
  lost?(repeated: T): { reply: T; found: Found };
  /** The server's error inside a reply. */
  errorIn?(reply: T): Error | null;
  /** For a call that is not repeated: how many of its changes a new primary may lack. Null where it is repeated. */
  unrepeated?(counted: T): number | null;
}

/** The state of a key that is on another node now (`include/elsewhere.lua`). */
export const ELSEWHERE = 'm';

const lettersIn = (reply: readonly unknown[]): string[] => [...String(reply[0] ?? '')];

const countPairs = (
  counted: readonly unknown[],
  repeated: readonly unknown[],
  { changed, back, open }: { changed: string; back: string; open: string },
): Found => {
  const after = lettersIn(repeated);
  const counts = { ...NOTHING };
  lettersIn(counted).forEach((letter, i) => {
    if (letter !== changed) return;
    if (after[i] === back) counts.cameBack += 1;
    // Its slot has moved since then, possibly to an unknown node.
    if (after[i] === open || after[i] === ELSEWHERE) counts.unknown += 1;
  });
  return counts;
};

/** Reads one letter as another: a state found after a lost reply is most likely the effect of the lost call. */
const readAs = (repeated: unknown[], from: string, to: string): { reply: unknown[]; found: Found } => {
  const letters = lettersIn(repeated);
  const reply = [
    Buffer.from(letters.map((letter) => (letter === from ? to : letter)).join('')),
    ...repeated.slice(1),
  ];
  return { reply, found: { cameBack: 0, unknown: letters.filter((letter) => letter === from).length } };
};

type ScriptRedo = Redo<unknown[]>;

/** By script name. */
const SCRIPTS: Readonly<Record<string, ScriptRedo>> = {
  // A key with another value stays: the new primary has a version older or newer than the copy.
  'unlink-unchanged': {
    compare: (counted, repeated) => countPairs(counted, repeated, { changed: 'd', back: 'd', open: 'c' }),
    lost: (repeated) => readAs(repeated, 'v', 'd'),
  },
  'restore-keys': {
    compare: (counted, repeated) => countPairs(counted, repeated, { changed: 'r', back: 'r', open: 'x' }),
    lost: (repeated) => readAs(repeated, 'b', 'r'),
    errorIn: ([, refusal]) => (String(refusal ?? '') === '' ? null : new Error(String(refusal))),
  },
  // The script only reads.
  'snapshot-keys': { compare: () => NOTHING, lost: (reply) => ({ reply, found: NOTHING }) },
};

/** For other scripts a lost reply leaves the effect unknown. */
const REPEATED: Redo<unknown> = { compare: () => NOTHING };

export const redoOfScript = (name: string): ScriptRedo => SCRIPTS[name] ?? (REPEATED as ScriptRedo);

/**
 * For a script over keys of several slots. It skips keys that another node has. If that node becomes the next primary,
 * a repetition would change them there before the job does.
 */
export const redoOfNear = (name: string): ScriptRedo => ({
  ...redoOfScript(name),
  unrepeated: (counted) => {
    const letters = lettersIn(counted);
    return letters.includes(ELSEWHERE) ? letters.filter((letter) => letter !== ELSEWHERE).length : null;
  },
});

export const redoOfUnlink = (keys: number): Redo<number> => ({
  compare: (_counted, repeated) => ({ cameBack: repeated, unknown: 0 }),
  lost: (repeated) => ({ reply: keys, found: { cameBack: 0, unknown: keys - repeated } }),
});

export const redoOfWrite = <T>(): Redo<T> => REPEATED as Redo<T>;

/** Whether the server did not execute a call because it currently does not serve as primary, or is unreachable. */
export const isAway = (error: unknown): boolean =>
  ['unreachable', 'loading', 'replica'].includes(codeOf(error) ?? '');
