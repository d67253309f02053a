import 'server-only';
import { isOwnClient, maskedAddress, shownClientName } from '@/lib/calls/client-name';
import { displayBytes } from '@/lib/catalog/display';
import { maskSecrets } from '@/lib/catalog/mask';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { parseInfo } from '@/lib/redis/info';
import { readServer } from '@/lib/redis/server-reads';

/** The server answers nobody else while it lists its clients: about a microsecond for each. */
const MAX_LISTED = 2000;
const MAX_USER = 60;

interface Caller {
  client: string;
  user: string | null;
}

const fieldOf = (line: string, name: string): string =>
  new RegExp(`(?:^| )${name}=([^ ]*)`).exec(line)?.[1] ?? '';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Who is behind the addresses that MONITOR shows, as far as the server tells. */
export class Callers {
  /** Addresses of this console's connections. */
  readonly own: Set<string>;
  private readonly known = new Map<string, Caller>();

  constructor(own: Iterable<string>) {
    this.own = new Set(own);
  }

  /** Reads CLIENT LIST once. False where it is refused, or where there are too many clients. */
  async learn(handle: ConnectionHandle): Promise<boolean> {
    try {
      const info = parseInfo(String(await readServer(handle, ['INFO'])));
      if (!(Number(info.get('connected_clients')) <= MAX_LISTED)) return false;
      // As bytes: a name need not be UTF-8. It has neither spaces nor line breaks.
      const list = ((await readServer(handle, ['CLIENT', 'LIST'])) as Buffer).toString('latin1');
      for (const line of list.split('\n')) if (line.startsWith('id=')) this.add(line);
      return true;
    } catch {
      return false;
    }
  }

  private add(line: string): void {
    const [address, name, user] = [fieldOf(line, 'addr'), fieldOf(line, 'name'), fieldOf(line, 'user')];
    if (isOwnClient(name)) this.own.add(address);
    this.known.set(address, {
      client: name === '' ? maskedAddress(address) : shownClientName(bytes(name)),
      user: user === '' ? null : maskSecrets(displayBytes(bytes(user), MAX_USER), true),
    });
  }

  /** All clients of a Unix socket have one address. */
  of(address: string): Caller {
    return this.known.get(address) ?? { client: maskedAddress(address), user: null };
  }
}
