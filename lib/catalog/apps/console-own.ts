import { type Family, type FamilyDefinition, family } from '../family';
import { connectionId, ownId } from '../grammar';

/** Every key of the console's own store begins with this. */
export const CONSOLE_PREFIX = 'keyward:';

export const HOUR = 3600;
export const DAY = 86_400;

type Own = Pick<FamilyDefinition, 'type' | 'ttl' | 'title' | 'purpose'> & Partial<FamilyDefinition>;

/** A family of the console's own keys. `parameters`: what follows its name in a key. */
export const own = (name: string, parameters: string, def: Own): Family =>
  family({ id: `console.${name}`, pattern: `${CONSOLE_PREFIX}${name}${parameters}`, guarded: true, ...def });

export const id = { id: ownId };
export const digest = { digest: ownId };
export const connection = { connection: connectionId };
