import 'server-only';
import { looksRandom } from '@/lib/keyspace/mask';
import { firstPart, isIdLike, LOOK_LIMIT, nameParts, wordsOf } from './key-name';
import type { KeyFacts, KeyRule } from './rule';
import { RULE_TEXTS } from './rule-texts';
import type { RuleId } from './schema';

/** A rule about keys with the texts of its id. Without `isUnread` it only needs the name, which is always known. */
export const keyRule = <I extends RuleId>(
  id: I,
  applies: KeyRule['applies'],
  faultOf: KeyRule['faultOf'],
  isUnread: KeyRule['isUnread'] = () => false,
): KeyRule & { id: I } => {
  const { severity, checklist } = RULE_TEXTS[id];
  return { id, severity, checklist, applies, isUnread, faultOf };
};

const always = (): boolean => true;
const CAPITAL = /\p{Lu}/u;
const WORD = /^\p{L}[\p{L}\p{N}._-]*$/u;

const formatFault = (facts: KeyFacts): string | null => {
  if (facts.key.includes(':')) return null;
  const separator = facts.key.includes('/') ? '/' : facts.key.includes('_') ? '_' : null;
  return separator ? `${separator} separates its parts` : 'it has one part';
};

const caseFault = (facts: KeyFacts): string | null => {
  const { family } = facts.found;
  const words = family
    ? wordsOf(family).words
    : nameParts(facts)
        .filter((part) => !isIdLike(part))
        .join('\0');
  return CAPITAL.test(words) ? 'it has capital letters' : null;
};

const COLONS = Buffer.from('::');

const emptyPartFault = ({ key }: KeyFacts): string | null => {
  if (key.length === 0) return 'the name is empty';
  if (key[0] === 0x3a) return 'its first part is empty';
  if (key.at(-1) === 0x3a) return 'its last part is empty';
  return key.includes(COLONS) ? 'a part in its middle is empty' : null;
};

const businessFault = (facts: KeyFacts): string | null => {
  const { family } = facts.found;
  const first = family ? wordsOf(family).first : firstPart(facts);
  if (first === null) return 'it begins with an id';
  return WORD.test(first) && !looksRandom(first) ? null : 'it does not begin with a word';
};

/** A character takes one to four bytes. Names longer than the limit needs are not counted to their end. */
const lengthFault: KeyRule['faultOf'] = ({ key }, { maxNameLength }) => {
  if (key.length <= maxNameLength) return null;
  const read = Math.max(LOOK_LIMIT, 4 * (maxNameLength + 1));
  if (key.length > read) return `more than ${maxNameLength} characters, ${key.length} bytes`;
  const characters = Array.from(key.toString('utf8')).length;
  return characters > maxNameLength ? `${characters} characters` : null;
};

export const NAME_RULES: readonly KeyRule[] = [
  keyRule('name-format', always, formatFault),
  keyRule('name-case', always, caseFault),
  keyRule('name-empty-part', always, emptyPartFault),
  keyRule('name-business', always, businessFault),
  keyRule('name-length', always, lengthFault),
  keyRule('name-known-prefix', always, (facts, policy) =>
    facts.found.family || policy.isKnownPrefix(firstPart(facts)) ? null : 'its first part is not known',
  ),
];
