import type { Redis } from 'ioredis';

type Argument = string | number | Buffer;
type OnReply = (reply: unknown) => void;

interface Entry {
  command: string;
  args: Argument[];
  onReply: OnReply | undefined;
}

/** Collects commands for one pipeline. Commands added by a reply's handler go into the next one. */
export interface Batch {
  add(command: string, args: Argument[], onReply?: OnReply): void;
  readonly size: number;
  /** Sends the collected commands; resolves when all replies were handled. Rejects on the first error reply. */
  flush(): Promise<void>;
}

export const batchOn = (redis: Redis, beforeSend: () => void = () => {}): Batch => {
  let entries: Entry[] = [];
  return {
    add: (command, args, onReply) => entries.push({ command, args, onReply }),
    get size() {
      return entries.length;
    },
    flush: async () => {
      const sent = entries;
      entries = [];
      beforeSend();
      if (sent.length === 0) return;
      const pipeline = redis.pipeline();
      for (const { command, args } of sent) pipeline.call(command, ...args);
      const replies = (await pipeline.exec()) ?? [];
      for (const [i, [error, reply]] of replies.entries()) {
        // The key stays out of the message: it may contain a token.
        if (error) throw new Error(`${sent[i]!.command}: ${error.message}`);
        sent[i]!.onReply?.(reply);
      }
    },
  };
};
