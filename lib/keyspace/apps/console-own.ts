import { type Family, type FamilyDefinition, family } from '../family';
import { connectionId, ownId, plainText, word } from '../grammar';

/** The prefix of every key in the console's own store. */
export const CONSOLE_PREFIX = 'keyward:';

export const HOUR = 3600;
export const DAY = 86_400;

/** The grammar of each parameter name. */
const PARAMETERS = {
  connection: connectionId,
  id: ownId,
  digest: ownId,
  queue: ownId,
  kind: word,
  resolution: word,
  seen: word,
  name: plainText,
  rest: plainText,
};

/** A TTL between two numbers of seconds. */
export const within = (minSeconds: number, maxSeconds: number) => ({ minSeconds, maxSeconds });

type Own = Pick<FamilyDefinition, 'title' | 'purpose'> & Partial<FamilyDefinition>;

/** A family of the console's own keys: `pattern` gives its name and its parameters. */
export const own = (
  pattern: string,
  type: FamilyDefinition['type'],
  ttl: FamilyDefinition['ttl'],
  def: Own,
): Family => {
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as keyof typeof PARAMETERS);
  return family({
    id: `console.${pattern.split(':')[0]}`,
    pattern: CONSOLE_PREFIX + pattern,
    params: Object.fromEntries(names.map((name) => [name, PARAMETERS[name]])),
    type,
    ttl,
    guarded: true,
    ...def,
  });
};
