import 'server-only';
import { Problem } from '@/lib/errors';
import type { Family } from '@/lib/keyspace/family';
import type { Registry } from '@/lib/keyspace/registry';
import type { ReadCommand } from '@/lib/redis/commands';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { isNotPermitted } from '@/lib/redis/failure';
import { danglingAmong } from './dangling';
import { firstElements, hasSmallElements } from './elements';
import type { KeyFacts, Look, Policy } from './rule';
import { Sample } from './sample';
import type { RuleId } from './schema';
import { isLock, mayBeNullMarker } from './value-rules';
import { inField, isClear, secretFieldsOf, secretsAmong, secretsIn } from './value-secrets';

/** Facts of a key, without its value. */
export type SeenKey = Omit<KeyFacts, 'look'>;

const MAX_LOCKS = 10_000;
const MAX_MARKERS = 10_000;
const MAX_INDEXES = 20_000;
const MAX_VALUE_BYTES = 4096;
/** A longer owner is not a flag, and a longer field not a digest of a secret. */
const MAX_OWNER_BYTES = 256;
const MAX_DIGEST_BYTES = 1024;
const NOTHING: Look = { text: null, secrets: [], isDangling: false };
const LONG_OWNER = Buffer.from('a long owner');
const NO_OWNER = Buffer.alloc(0);

/** The commands that read one key, and a function of their replies, which may return further questions. */
interface Question {
  rule: RuleId;
  commands: ReadCommand[];
  answer(replies: readonly unknown[]): Partial<Look> | Question;
}

interface Asked {
  of: KeyFacts & { look: Look | null };
  question: Question;
}

const bytesOf = (reply: unknown): Buffer | null => (Buffer.isBuffer(reply) ? reply : null);

const ownerField = (family: Family | null): string | null => {
  const part = family?.part('owner');
  return part && 'field' in part ? part.field : null;
};

const add = (to: Asked['of'], found: Partial<Look>): void => {
  const before = to.look ?? NOTHING;
  to.look = { ...before, ...found, secrets: [...before.secrets, ...(found.secrets ?? [])] };
};

/** The command that our user may not run, by the error; null for another failure. */
const forbiddenOf = (error: unknown, commands: readonly ReadCommand[]): string | null => {
  if (!(error instanceof Problem) || !isNotPermitted(error)) return null;
  const reported = String(error.extensions.command).toUpperCase();
  return commands.find(([name]) => name === reported)?.[0] ?? null;
};

/**
 * Reads the few values that rules depend on: owners of locks, short strings that may be null markers, a sample of each
 * family for secrets, and indexes of sessions. Bounded per walk, whatever the keyspace is.
 */
export class Looks {
  /** Rules with values that could not be read, and why. */
  readonly refused = new Map<RuleId, Error>();
  private readonly forbidden = new Map<string, Error>();
  private locks = 0;
  private markers = 0;
  private indexes = 0;
  /** The keys whose values are searched for secrets. */
  readonly searched = new Sample();

  constructor(
    private readonly handle: ConnectionHandle,
    private readonly catalog: Registry,
    private readonly policy: Policy,
  ) {}

  /** The facts with the results of each key, in order. */
  async addTo(keys: readonly SeenKey[]): Promise<KeyFacts[]> {
    const facts = keys.map((seen) => ({ ...seen, look: null as Look | null }));
    let asked = facts.flatMap((of) => this.questionsOf(of).map((question): Asked => ({ of, question })));
    while (asked.length > 0) asked = await this.askAll(asked);
    await this.searchElements(facts);
    await this.followIndexes(facts);
    return facts;
  }

  /** Applies the replies, and returns the follow-up questions. */
  private async askAll(asked: readonly Asked[]): Promise<Asked[]> {
    const replies = await this.read(asked.map(({ question }) => question));
    const next: Asked[] = [];
    let at = 0;
    for (const { of, question } of asked) {
      const own = replies.slice(at, at + question.commands.length);
      at += question.commands.length;
      const refusal = own.find(isNotPermitted);
      if (refusal) {
        this.refused.set(question.rule, refusal as Error);
        continue;
      }
      const answer = question.answer(own);
      if ('commands' in answer) next.push({ of, question: answer });
      else add(of, answer);
    }
    return next;
  }

  /** The replies to all questions. The reply to a forbidden command is its refusal. */
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
    if (facts.type === 'hash') return this.ownerIn(facts, field!);
    return {
      rule: 'lock-owner',
      commands: [this.begin(facts, MAX_OWNER_BYTES)],
      // A lock that expired meanwhile reads as an empty string.
      answer: ([reply]) => ({
        text: bytesOf(reply)?.length === 0 && facts.length !== 0 ? null : bytesOf(reply),
      }),
    };
  }

  private ownerIn({ key }: KeyFacts, field: string): Question {
    const rule = 'lock-owner';
    return {
      rule,
      commands: [['HSTRLEN', key, field]],
      answer: ([length]) => {
        if (typeof length !== 'number') return {};
        if (length > MAX_OWNER_BYTES) return { text: LONG_OWNER };
        return {
          rule,
          commands: [
            ['HGET', key, field],
            ['EXISTS', key],
          ],
          answer: ([owner, exists]) => ({ text: bytesOf(owner) ?? (exists === 1 ? NO_OWNER : null) }),
        };
      },
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
    if ((facts.type !== 'hash' && facts.type !== 'string') || !this.searched.takes(facts)) return null;
    const { family } = facts.found;
    if (facts.type === 'hash') return this.secretFieldsIn(facts, secretFieldsOf(family));
    return {
      rule: 'secrets-in-clear',
      commands: [this.begin(facts, MAX_VALUE_BYTES)],
      answer: ([reply]) => ({ secrets: secretsIn(family, bytesOf(reply) ?? Buffer.alloc(0)) }),
    };
  }

  /** Reads short fields only: a long one is not a digest. */
  private secretFieldsIn({ key }: KeyFacts, fields: readonly string[]): Question {
    const rule = 'secrets-in-clear';
    return {
      rule,
      commands: fields.map((field): ReadCommand => ['HSTRLEN', key, field]),
      answer: (lengths) => {
        const stored = fields.filter((_, i) => typeof lengths[i] === 'number' && lengths[i] > 0);
        const short = stored.filter((field) => Number(lengths[fields.indexOf(field)]) <= MAX_DIGEST_BYTES);
        const long = stored.filter((field) => !short.includes(field));
        if (short.length === 0) return { secrets: long.map(inField) };
        return {
          rule,
          commands: short.map((field): ReadCommand => ['HGET', key, field]),
          answer: (values) => {
            const clear = short.filter((_, i) => isClear(bytesOf(values[i])?.toString('utf8') ?? ''));
            return { secrets: [...long, ...clear].map(inField) };
          },
        };
      },
    };
  }

  private begin({ key }: KeyFacts, bytes: number): ReadCommand {
    return ['GETRANGE', key, 0, bytes - 1];
  }

  private async searchElements(facts: readonly Asked['of'][]): Promise<void> {
    const chosen = facts.filter((key) => hasSmallElements(key) && this.searched.takes(key));
    const lists = await Promise.all(chosen.map((key) => firstElements(this.handle, key)));
    for (const [i, one] of chosen.entries()) {
      const elements = lists[i]!;
      if (elements instanceof Error) this.refused.set('secrets-in-clear', elements);
      else add(one, { secrets: secretsAmong(one.found.family, elements) });
    }
  }

  private async followIndexes(facts: readonly Asked['of'][]): Promise<void> {
    const family = this.catalog.role('session-index');
    if (!family || !this.catalog.role('session')) return;
    const indexes = facts
      .filter(({ found, type }) => found.family === family && type !== '')
      .slice(0, Math.max(0, MAX_INDEXES - this.indexes));
    this.indexes += indexes.length;
    const keys = indexes.map(({ key }) => key);
    const dangling = await danglingAmong(this.handle, this.catalog, keys);
    for (const [i, one] of indexes.entries()) {
      const result = dangling[i]!;
      if (result instanceof Error) this.refused.set('abandoned-keys', result);
      else add(one, { isDangling: result });
    }
  }
}
