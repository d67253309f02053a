import 'server-only';
import { setTimeout as sleep } from 'node:timers/promises';
import { env } from '@/lib/configuration';
import { Problem } from '@/lib/errors';
import { digest, sameDigest } from '@/lib/keyring';
import { consoleFamilies } from '@/lib/keyspace/apps/console';
import { processWidePer } from '@/lib/process-wide';
import { runScript, script } from '@/lib/redis/scripts';
import type { Store } from '@/lib/redis/store';
import { type Lead, type NewRecord, pointerField } from './entries';
import { type Head, KnownHeads } from './known-heads';

/**
 * The hash chain. Each entry has an HMAC, under the console's own key, of itself and of the previous digest. The head
 * (digest, number, MAC) is stored beside the stream, so that a truncated tail is detected. Compare-and-append per
 * writer livelocks under many writers, so each process appends through one queue, many entries per call. Only
 * processes compete, and the loser chains its batch again.
 */
export const entryDigest = (prev: string, text: string): string => digest('audit-chain', `${prev}\n${text}`);

export const headMac = (kind: 'head' | 'base', head: Head, id: string): string =>
  digest('audit-chain', `${kind}\n${head.seq}\n${head.digest}\n${id}`);

export const isHeadMac = (kind: 'head' | 'base', head: Head, id: string, mac: string): boolean =>
  sameDigest(headMac(kind, head, id), mac);

interface Pending {
  record: NewRecord;
  lead: Lead;
  resolve: (confirmed: boolean) => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH = 100;
const MAX_RETRIES = 200;
/** From this attempt on, a loser waits a random time, so that a process far from the store succeeds too. */
const BACKOFF_AFTER = 8;
const BACKOFF_MS = 30;

export const auditKeys = {
  stream: consoleFamilies.audit.key(),
  head: consoleFamilies.auditHead.key(),
  base: consoleFamilies.auditBase.key(),
  pointer: (id: string): Buffer => consoleFamilies.auditEntry.key({ id }),
};

export class Chain {
  private readonly pending: Pending[] = [];
  private running = false;
  private head: Head = { digest: '', seq: 0 };
  /** The heads of the log that this process knows. */
  readonly known = new KnownHeads();

  constructor(private readonly store: Store) {}

  /**
   * Resolves when the record is in the stream, with whether it is safe: false where the store may fail over and no
   * replica has it yet. Rejects with a 503 `Problem` when the store cannot take it.
   */
  append(record: NewRecord, lead: Lead = { indexes: [] }): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.pending.push({ record, lead, resolve, reject });
      if (!this.running) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.running = true;
    while (this.pending.length > 0) {
      const batch = this.pending.splice(0, MAX_BATCH);
      try {
        const confirmed = await this.write(batch);
        for (const p of batch) p.resolve(confirmed);
      } catch (error) {
        for (const p of batch) p.reject(error);
      }
    }
    this.running = false;
  }

  private async write(batch: readonly Pending[]): Promise<boolean> {
    const pointers = batch.map(({ record }) => auditKeys.pointer(record.id));
    const indexes = batch.flatMap(({ lead }) => lead.indexes);
    const keys = [auditKeys.stream, auditKeys.head, auditKeys.base, ...pointers, ...indexes];
    for (let attempt = 0; attempt < MAX_RETRIES; attempt++) {
      const { args, next } = this.chained(batch);
      const before = this.known.newest;
      const { appended, present, confirmed } = await this.store.withReplica(async (redis, confirm) => {
        const reply = (await runScript(redis, script('audit-append'), keys, args)) as unknown[];
        const appended = reply[2] === 1;
        const present = { digest: String(reply[3]), seq: Number(String(reply[4])) };
        return { appended, present, confirmed: appended && (await confirm()) };
      });
      this.head = appended ? next : present;
      this.known.meet(this.head, before, { mayBeLost: this.store.mayFailOver && !confirmed });
      if (appended) return confirmed;
      if (attempt >= BACKOFF_AFTER) await sleep(Math.random() * BACKOFF_MS);
    }
    throw new Problem('store_unavailable', 'The audit log is being written by other processes. Try again.');
  }

  private chained(batch: readonly Pending[]): { args: (string | number)[]; next: Head } {
    let { digest: prev, seq } = this.head;
    const entries: (string | number)[] = [];
    const leads: (string | number)[] = [];
    for (const [i, { record, lead }] of batch.entries()) {
      seq += 1;
      const text = JSON.stringify({ ...record, seq });
      const next = entryDigest(prev, text);
      entries.push(pointerField(record), text, next, prev);
      prev = next;
      for (const _ of lead.indexes) leads.push(lead.to?.seq ?? seq, lead.to?.streamId ?? i + 1);
    }
    const next = { digest: prev, seq };
    const last = batch[batch.length - 1]!.record.id;
    const head = [next.digest, next.seq, last, headMac('head', next, last)];
    return { args: [this.head.digest, ...head, batch.length, env().auditDays, ...entries, ...leads], next };
  }
}

/** The only chain of this process on this store. */
export const chainOf = processWidePer('audit-chains', (store: Store) => new Chain(store));
