import 'server-only';
import { bytesEqualAt } from '@/lib/catalog/bytes';
import { byPrecedence } from '@/lib/catalog/classify';
import type { Family } from '@/lib/catalog/family';
import type { Shape } from '@/lib/catalog/grammar';
import type { SureCheck } from '@/lib/redis/whole-unlink';

const [FIRST_PRINTABLE, LAST_PRINTABLE] = [0x20, 0x7e];
const COLON = 0x3a;
/** What means something else at the ends of a range. */
const SPECIAL = '^]%-';

const single = (char: string): string => (SPECIAL.includes(char) ? `%${char}` : char);

/** A run of neighbours, the special ones at its ends by themselves. */
const range = (run: string): string => {
  const first = run.charAt(0);
  const last = run.charAt(run.length - 1);
  if (run.length < 3) return [...run].map(single).join('');
  if (SPECIAL.includes(first)) return single(first) + range(run.slice(1));
  if (SPECIAL.includes(last)) return range(run.slice(0, -1)) + single(last);
  return `${first}-${last}`;
};

/** The printable ASCII of a table as a Lua class, of few ranges: each costs a comparison for each byte. */
const luaClass = (allowed: (byte: number) => boolean): string => {
  const runs: string[] = [];
  let run = '';
  for (let byte = FIRST_PRINTABLE; byte <= LAST_PRINTABLE; byte++) {
    if (allowed(byte)) run += String.fromCharCode(byte);
    if (run !== '' && (!allowed(byte) || byte === LAST_PRINTABLE)) {
      runs.push(range(run));
      run = '';
    }
  }
  return `[${runs.join('')}]`;
};

const compatible = (a: Uint8Array, b: Uint8Array): boolean => {
  const length = Math.min(a.length, b.length);
  return bytesEqualAt(a, 0, b.subarray(0, length));
};

/**
 * How keys end that another family may win. Null where that cannot be said: a family that goes before this one begins
 * as it does.
 */
const endingsLost = (families: readonly Family[], family: Family): Uint8Array[] | null => {
  const first = family.compiled.literals[0]!;
  const endings: Uint8Array[] = [];
  for (const other of families) {
    const { literals } = other.compiled;
    const rival =
      other.id !== family.id && byPrecedence(other, family) < 0 && compatible(literals[0]!, first);
    if (!rival) continue;
    const ending = literals.at(-1)!;
    if (literals[0]!.length > 0 || ending.length === 0) return null;
    endings.push(ending);
  }
  return endings;
};

const kindOf = ({ kind }: Shape): SureCheck['kind'] | null => {
  if (kind === 'chars' || kind === 'text') return 'run';
  return kind === 'pairs' ? 'pairs' : null;
};

/** The check of a family. Null where a server cannot be told: several parameters, grammars of another kind, keys that another family may win. */
export const sureCheck = (families: readonly Family[], family: Family): SureCheck | null => {
  const { literals, params } = family.compiled;
  const [param] = params;
  const [head, tail] = literals;
  if (params.length !== 1 || !param || !head || !tail || head.length === 0) return null;
  const kind = kindOf(param.grammar.shape);
  const unless = endingsLost(families, family);
  if (kind === null || unless === null || (kind === 'pairs' && tail.length > 0)) return null;
  const { table, min, max } = param.grammar;
  const byte = luaClass((each) => table[each] !== 0 && (kind === 'run' || each !== COLON));
  return { kind, byte, head: head.length, tail: tail.length, min, max, unless };
};
