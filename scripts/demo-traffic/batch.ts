import { Cluster, type Redis } from 'ioredis';

type Argument = string | number | Buffer;
type OnReply = (reply: unknown) => void;

interface Entry {
  command: string;
  args: Argument[];
  onReply: OnReply | undefined;
}

/** Collects commands to be sent together. Commands added by a reply's handler are sent the next time. */
export interface Batch {
  add(command: string, args: Argument[], onReply?: OnReply): void;
  readonly size: number;
  /** Sends the collected commands; resolves when all replies were handled. Rejects on the first error reply. */
  flush(): Promise<void>;
}

/** Where the applications write to. */
export type Target = Redis | Cluster;

type Reply = [Error | null, unknown];

/** The replies in order. A pipeline goes to one server, so on a cluster each command is sent to its key's server. */
const send = async (redis: Target, entries: readonly Entry[]): Promise<Reply[]> => {
  if (redis instanceof Cluster) {
    const sendOne = ({ command, args }: Entry): Promise<Reply> =>
      redis.call(command, ...args).then(
        (reply) => [null, reply],
        (error) => [error, null],
      );
    return Promise.all(entries.map(sendOne));
  }
  const pipeline = redis.pipeline();
  for (const { command, args } of entries) pipeline.call(command, ...args);
  return (await pipeline.exec()) ?? [];
};

export const batchOn = (redis: Target, beforeSend: () => void = () => {}): Batch => {
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
      for (const [i, [error, reply]] of (await send(redis, sent)).entries()) {
        // The message omits the key, which may contain a token.
        if (error) throw new Error(`${sent[i]!.command}: ${error.message}`);
        sent[i]!.onReply?.(reply);
      }
    },
  };
};
