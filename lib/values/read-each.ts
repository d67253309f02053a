import 'server-only';
import type { Key, ReadCommand } from '@/lib/redis/commands';
import type { Reader } from '@/lib/redis/reader';

/** Replies to several commands of each item, in order and as `readMany`: a refusal about one key is an `Error` in its place. */
export const readEach = async <T>(
  reader: Pick<Reader, 'readMany'>,
  items: readonly T[],
  commandsOf: (item: T, i: number) => readonly ReadCommand[],
): Promise<unknown[][]> => {
  const commands = items.map(commandsOf);
  const replies: Iterator<unknown> = (await reader.readMany(commands.flat())).values();
  return commands.map((own) => own.map(() => replies.next().value));
};

/**
 * Fields of hashes, in order and in two round trips: null for one that is missing, empty, or longer than `maxBytes`, which
 * stays on the server.
 */
export const readShortFields = async (
  reader: Pick<Reader, 'readMany'>,
  hashes: readonly { key: Key; fields: readonly string[] }[],
  maxBytes: number,
): Promise<(Buffer | Error | null)[][]> => {
  const lengths = await readEach(reader, hashes, ({ key, fields }) =>
    fields.map((field): ReadCommand => ['HSTRLEN', key, field]),
  );
  const isShort = (length: unknown) => typeof length === 'number' && length > 0 && length <= maxBytes;
  const commands = hashes.flatMap(({ key, fields }, i) =>
    fields.filter((_, at) => isShort(lengths[i]![at])).map((field): ReadCommand => ['HGET', key, field]),
  );
  const values = (await reader.readMany(commands)).values() as Iterator<Buffer | Error | null>;
  return lengths.map((own) =>
    own.map((length) => {
      if (isShort(length)) return values.next().value;
      return length instanceof Error ? length : null;
    }),
  );
};

/** Reads items in batches, one after the other. */
export const inBatches = async <T, R>(
  items: readonly T[],
  size: number,
  read: (batch: readonly T[]) => Promise<readonly R[]>,
): Promise<R[]> => {
  const out: R[] = [];
  for (let from = 0; from < items.length; from += size)
    for (const result of await read(items.slice(from, from + size))) out.push(result);
  return out;
};
