import 'server-only';
import { maskedAddress, shownClientName } from '@/lib/calls/client-name';
import { displayBytes } from '@/lib/keyspace/display';
import { maskSecrets } from '@/lib/keyspace/mask';
import { clientFields } from '@/lib/redis/client-line';
import type { ConnectionHandle } from '@/lib/redis/connections';
import { parseInfo } from '@/lib/redis/info';
import { isAddressShared, ownAddresses } from '@/lib/redis/own-clients';
import { readServer } from '@/lib/redis/server-reads';
import type { Node } from '@/lib/redis/topology';

/** The server blocks while it lists its clients: about a microsecond per client. */
const MAX_LISTED = 2000;
const MAX_USER = 60;
/** Addresses remembered as not ours. */
const MAX_SEEN = 20_000;

/** Separates an address from the server it is connected to; neither contains it. */
const AT = '\0';

interface Caller {
  client: string;
  user: string | null;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Identifies the clients behind the addresses in MONITOR, as far as the server reports them. */
export class Callers {
  /** Whether addresses identify our connections. Over a Unix socket all clients share one. */
  canTellOwn = true;
  private readonly known = new Map<string, Caller>();
  /**
   * Addresses of this process's connections during the profile. Names are no evidence, because any client can set one.
   */
  private readonly own = new Set<string>();
  private readonly seen = new Set<string>();
  private readonly handle: ConnectionHandle;
  private readonly nodes: readonly Node[];

  constructor(handle: ConnectionHandle, nodes: readonly Node[]) {
    [this.handle, this.nodes] = [handle, nodes];
    this.refresh();
  }

  /** A client's address together with its server: clients of two servers may share an address. */
  sourceOf(node: Node, address: string): string {
    return this.nodes.length > 1 ? `${address}${AT}${node.id}` : address;
  }

  /** Adds connections made since the last call. */
  refresh(): void {
    for (const node of this.nodes)
      for (const address of ownAddresses(node))
        if (isAddressShared(address)) this.canTellOwn = false;
        else this.own.add(this.sourceOf(node, address));
  }

  isOwn(source: string): boolean {
    if (this.own.has(source)) return true;
    if (this.seen.has(source) || this.seen.size >= MAX_SEEN) return false;
    // The address may belong to a new connection of ours.
    this.seen.add(source);
    this.refresh();
    return this.own.has(source);
  }

  /** Reads CLIENT LIST once per server. False where a server refuses it or has too many clients. */
  async learn(): Promise<boolean> {
    const learned = await Promise.all(this.nodes.map((node) => this.learnOf(node)));
    return learned.every((isListed) => isListed);
  }

  private async learnOf(node: Node): Promise<boolean> {
    const { handle } = this;
    try {
      const info = parseInfo(String(await readServer(handle, node, ['INFO'])));
      if (!(Number(info.get('connected_clients')) <= MAX_LISTED)) return false;
      // As bytes: a name need not be UTF-8, but contains neither spaces nor line breaks.
      const list = ((await readServer(handle, node, ['CLIENT', 'LIST'])) as Buffer).toString('latin1');
      for (const line of list.split('\n')) if (line.startsWith('id=')) this.add(node, line);
      return true;
    } catch {
      return false;
    }
  }

  private add(node: Node, line: string): void {
    const fields = clientFields(line);
    const [address = '', name = ''] = [fields.get('addr'), fields.get('name')];
    const user = fields.get('user') ?? '';
    this.known.set(this.sourceOf(node, address), {
      client: name === '' ? maskedAddress(address) : shownClientName(bytes(name)),
      user: user === '' ? null : maskSecrets(displayBytes(bytes(user), MAX_USER), true),
    });
  }

  /** All clients of a Unix socket have one address. */
  of(source: string): Caller {
    const [address = ''] = source.split(AT);
    return this.known.get(source) ?? { client: maskedAddress(address), user: null };
  }
}
