import 'server-only';
import { unavailable } from './failure';
import { type ServerInfo, toServerInfo } from './info';
import { type Node, readyClient } from './topology';

/** INFO of one node. Throws a 503 `Problem` naming the connection. */
export const readInfo = async (connection: string, node: Node): Promise<ServerInfo> => {
  const redis = await readyClient(connection, node, 'read');
  try {
    const started = performance.now();
    const text = await redis.info();
    return toServerInfo(text, redis.options.db ?? 0, performance.now() - started);
  } catch (error) {
    throw unavailable(connection, error);
  }
};
