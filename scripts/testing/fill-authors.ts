import { Redis } from 'ioredis';

const BATCH = 10_000;

/** `author:id:{n}`; a node of a cluster refuses keys of the others. */
const FILL = `for i = tonumber(ARGV[1]), tonumber(ARGV[1]) + tonumber(ARGV[2]) - 1 do
  redis.pcall('SET', 'author:id:' .. i, '{"id":' .. i .. ',"name":"Anna"}')
end`;

/** Fills a server, or its part of a cluster, by a script. Resolves with the server's process. */
export const fillAuthors = async (url: string, keys: number): Promise<number> => {
  const redis = new Redis(url);
  for (let from = 0; from < keys; from += BATCH) await redis.eval(FILL, 0, from, BATCH);
  const [, process] = /process_id:(\d+)/.exec(await redis.info('server'))!;
  redis.disconnect();
  return Number(process);
};
