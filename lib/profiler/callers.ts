import 'server-only';
import { maskedAddress, shownClientName } from '@/lib/calls/client-name';
import { displayBytes } from '@/lib/catalog/display';
import { maskSecrets } from '@/lib/catalog/mask';
import { clientFields } from '@/lib/redis/client-line';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { parseInfo } from '@/lib/redis/info';
import { isAddressShared, ownAddresses } from '@/lib/redis/own-clients';
import { readServer } from '@/lib/redis/server-reads';

/** The server answers nobody else while it lists its clients: about a microsecond for each. */
const MAX_LISTED = 2000;
const MAX_USER = 60;
/** Addresses that are remembered as not ours. */
const MAX_SEEN = 20_000;

interface Caller {
  client: string;
  user: string | null;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Who is behind the addresses that MONITOR shows, as far as the server tells. */
export class Callers {
  /** Whether addresses tell our connections from others. Over a Unix socket all clients have one. */
  canTellOwn = true;
  private readonly known = new Map<string, Caller>();
  /** Addresses of this process's connections while the profile lasts. A name proves nothing. */
  private readonly own = new Set<string>();
  private readonly seen = new Set<string>();
  private readonly handle: ConnectionHandle;

  constructor(handle: ConnectionHandle) {
    this.handle = handle;
    this.refresh();
  }

  /** Adds connections that were made since. */
  refresh(): void {
    for (const address of ownAddresses(this.handle))
      if (isAddressShared(address)) this.canTellOwn = false;
      else this.own.add(address);
  }

  isOwn(address: string): boolean {
    if (this.own.has(address)) return true;
    if (this.seen.has(address) || this.seen.size >= MAX_SEEN) return false;
    // It may be one of ours that was made just now.
    this.seen.add(address);
    this.refresh();
    return this.own.has(address);
  }

  /** Reads CLIENT LIST once. False where it is refused, or where there are too many clients. */
  async learn(): Promise<boolean> {
    const { handle } = this;
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
    const fields = clientFields(line);
    const [address = '', name = ''] = [fields.get('addr'), fields.get('name')];
    const user = fields.get('user') ?? '';
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
