import 'server-only';
import type { Family } from '@/lib/catalog/family';
import type { Registry } from '@/lib/catalog/registry';
import { Problem } from '@/lib/errors';
import type { ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isNotPermitted } from '@/lib/redis/failure';
import { isDangling } from './dangling';
import type { KeyFacts, Look, Policy } from './rule';
import type { RuleId } from './schema';
import { isDigest, secretKind } from './secret-rules';
import { isLock, mayBeNullMarker } from './value-rules';

/** Facts of a key before its value was looked at. */
export type SeenKey = Omit<KeyFacts, 'look'>;

const MAX_LOCKS = 10_000;
const MAX_MARKERS = 10_000;
const MAX_INDEXES = 20_000;
/** Keys of a family whose values are searched for secrets; those without a family are many families. */
const SECRETS_PER_FAMILY = 20;
const SECRETS_WITHOUT_FAMILY = 200;
const MAX_VALUE_BYTES = 4096;
const NOTHING: Look = { text: null, secrets: [], isDangling: false };

/** What is read of one key, and what its replies mean. */
interface Question {
  rule: RuleId;
  commands: ReadCommand[];
  answer(replies: readonly unknown[]): Partial<Look>;
}

const bytesOf = (reply: unknown): Buffer | null => (Buffer.isBuffer(reply) ? reply : null);

const ownerField = (family: Family | null): string | null => {
  const part = family?.part('owner');
  return part && 'field' in part ? part.field : null;
};

const fieldsOfJson = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

const clearFields = (family: Family, fieldOf: (field: string) => unknown): string[] =>
  (family.sensitiveFields ?? []).flatMap((field) => {
    const value = fieldOf(field);
    const isClear = value !== undefined && value !== null && value !== '' && !isDigest(String(value));
    return isClear ? [`field ${field}`] : [];
  });

/** Secrets in the clear in a string, by place and kind. */
const secretsIn = (family: Family | null, value: Buffer): string[] => {
  const text = value.toString('utf8');
  if (family?.sensitiveValue && family.role !== 'variable')
    return text === '' || isDigest(text) ? [] : ['value: declared as a secret'];
  const fields = family?.sensitiveFields ? fieldsOfJson(text) : {};
  const clear = family ? clearFields(family, (field) => fields[field]) : [];
  const kind = secretKind(text);
  return kind ? [...clear, `value: ${kind}`] : clear;
};

/** The command of which a user's lack of permission was reported; null for another failure. */
const forbiddenOf = (error: unknown, commands: readonly ReadCommand[]): string | null => {
  if (!(error instanceof Problem) || !isNotPermitted(error)) return null;
  const reported = String(error.extensions.command).toUpperCase();
  return commands.find(([name]) => name === reported)?.[0] ?? null;
};

/**
 * Looks at the few values that rules depend on: owners of locks, short strings that may be null markers, a sample of each
 * family for secrets, and indexes of sessions. Bounded for a walk, whatever the keyspace is.
 */
export class Looks {
  /** Rules whose values could not all be read, and why. */
  readonly refused = new Map<RuleId, Error>();
  private readonly forbidden = new Map<string, Error>();
  private locks = 0;
  private markers = 0;
  private indexes = 0;
  private readonly searched = new Map<string | null, number>();
  private readonly handle: ConnectionHandle;
  private readonly catalog: Registry;
  private readonly policy: Policy;

  constructor(handle: ConnectionHandle, catalog: Registry, policy: Policy) {
    this.handle = handle;
    this.catalog = catalog;
    this.policy = policy;
  }

  /** The facts with what was read of each, in order. */
  async addTo(keys: readonly SeenKey[]): Promise<KeyFacts[]> {
    const facts = keys.map((seen) => ({ ...seen, look: null as Look | null }));
    const asked = facts.map((one) => this.questionsOf(one));
    const replies = await this.read(asked.flat());
    let at = 0;
    for (const [i, questions] of asked.entries()) {
      for (const question of questions) {
        const own = replies.slice(at, at + question.commands.length);
        at += question.commands.length;
        const refusal = own.find(isNotPermitted);
        if (refusal) this.refused.set(question.rule, refusal as Error);
        if (refusal) continue;
        const found = question.answer(own);
        const before = facts[i]!.look ?? NOTHING;
        const secrets = [...before.secrets, ...(found.secrets ?? [])];
        facts[i]!.look = { ...before, ...found, secrets };
      }
    }
    await this.followIndexes(facts);
    return facts;
  }

  /** The replies to all questions. Commands that the user may not run are replied to with their refusal. */
  private async read(questions: readonly Question[]): Promise<unknown[]> {
    const commands = questions.flatMap((question) => question.commands);
    const replies: unknown[] = commands.map(([name]) => this.forbidden.get(name));
    const open = commands.filter((_, i) => replies[i] === undefined);
    if (open.length === 0) return replies;
    try {
      const read: readonly unknown[] = await this.handle.background.readMany(open);
      let at = 0;
      return replies.map((reply) => reply ?? read[at++]);
    } catch (error) {
      const name = forbiddenOf(error, open);
      if (name === null) throw error;
      this.forbidden.set(name, error as Error);
      return this.read(questions);
    }
  }

  private questionsOf(facts: KeyFacts): Question[] {
    return [this.ownerOf(facts), this.markerIn(facts), this.secretsOf(facts)].filter(
      (question) => question !== null,
    );
  }

  private ownerOf(facts: KeyFacts): Question | null {
    if (!isLock(facts, this.policy) || this.locks >= MAX_LOCKS) return null;
    const field = ownerField(facts.found.family);
    if (facts.type === 'hash' && field === null) return null;
    if (facts.type !== 'hash' && facts.type !== 'string') return null;
    this.locks += 1;
    if (facts.type === 'string')
      return {
        rule: 'lock-owner',
        commands: [this.begin(facts, 256)],
        answer: ([reply]) => ({ text: bytesOf(reply) }),
      };
    // Of an owner in a field only its length is needed: a flag is shorter than a token.
    return {
      rule: 'lock-owner',
      commands: [['HSTRLEN', facts.key, field!]],
      answer: ([length]) => ({
        text: typeof length === 'number' ? Buffer.alloc(length > 6 ? 7 : 0, 'x') : null,
      }),
    };
  }

  private markerIn(facts: KeyFacts): Question | null {
    if (!mayBeNullMarker(facts, this.policy) || this.markers >= MAX_MARKERS) return null;
    this.markers += 1;
    return {
      rule: 'null-marker-ttl',
      commands: [this.begin(facts, 8)],
      answer: ([reply]) => ({ text: bytesOf(reply) }),
    };
  }

  private secretsOf(facts: KeyFacts): Question | null {
    const { family } = facts.found;
    const isHash = facts.type === 'hash' && !!family?.sensitiveFields;
    if (!isHash && facts.type !== 'string') return null;
    const id = family?.id ?? null;
    const count = this.searched.get(id) ?? 0;
    if (count >= (family ? SECRETS_PER_FAMILY : SECRETS_WITHOUT_FAMILY)) return null;
    this.searched.set(id, count + 1);
    if (facts.type === 'string')
      return {
        rule: 'secrets-in-clear',
        commands: [this.begin(facts, MAX_VALUE_BYTES)],
        answer: ([reply]) => ({ secrets: secretsIn(family, bytesOf(reply) ?? Buffer.alloc(0)) }),
      };
    const fields = family!.sensitiveFields!;
    return {
      rule: 'secrets-in-clear',
      commands: [['HMGET', facts.key, ...fields]],
      answer: ([reply]) => {
        const values = Array.isArray(reply) ? (reply as unknown[]) : [];
        const fieldOf = (field: string) => bytesOf(values[fields.indexOf(field)])?.toString('utf8');
        return { secrets: clearFields(family!, fieldOf) };
      },
    };
  }

  private begin({ key }: KeyFacts, bytes: number): ReadCommand {
    return ['GETRANGE', key, 0, bytes - 1];
  }

  private async followIndexes(facts: { look: Look | null; key: Buffer; found: KeyFacts['found'] }[]) {
    const family = this.catalog.role('session-index');
    if (!family || !this.catalog.role('session')) return;
    const indexes = facts
      .filter(({ found }) => found.family === family)
      .slice(0, Math.max(0, MAX_INDEXES - this.indexes));
    this.indexes += indexes.length;
    for (const one of indexes) {
      const dangling = await isDangling(this.handle, this.catalog, one.key).catch((error: unknown) => {
        if (!isNotPermitted(error)) throw error;
        this.refused.set('abandoned-keys', error as Error);
        return false;
      });
      one.look = { ...(one.look ?? NOTHING), isDangling: dangling };
    }
  }
}
