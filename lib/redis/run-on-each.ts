import 'server-only';
import type { Arg, Key } from './commands';
import { ELSEWHERE } from './redo';
import type { NearScript, Writer } from './writer';

/** An argument list for each key. */
export interface ScriptItem {
  key: Key;
  args: readonly Arg[];
}

/** What a script replied for one key: a letter for its state, and the complete reply with the key's index in it. */
export interface ItemState {
  letter: string;
  reply: readonly unknown[];
  place: number;
}

/**
 * Runs a script on several keys of one node; its first result has a letter per key. A key whose slot has moved
 * meanwhile is repeated by itself on its new node.
 */
export const runOnEach = async (
  writer: Writer,
  script: NearScript,
  items: readonly ScriptItem[],
  head: readonly Arg[] = [],
): Promise<ItemState[]> => {
  const [first] = items;
  if (!first) return [];
  const argsOf = (some: readonly ScriptItem[]): Arg[] => [...head, ...some.flatMap(({ args }) => args)];
  const reply = await writer.runNear(script, first.key, argsOf(items));
  const letters = String(reply[0]);
  const states: ItemState[] = [];
  for (const [place, item] of items.entries()) {
    const letter = letters[place]!;
    if (letter !== ELSEWHERE) {
      states.push({ letter, reply, place });
      continue;
    }
    const alone = await writer.runAlone(script, item.key, argsOf([item]));
    states.push({ letter: String(alone[0]), reply: alone, place: 0 });
  }
  return states;
};
