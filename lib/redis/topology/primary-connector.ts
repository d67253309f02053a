import 'server-only';
import { connect as connectPlain, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type Redis, type RedisOptions } from 'ioredis';
import { endpointOf, type Finder } from '../client';
import { classify } from '../failure';
import type { ServerFacts } from '../server-facts';
import { servernameOf } from '../tls';

/** The open sockets to a connection's primary. */
export type OpenSockets = Set<{ address: string; stream: Socket }>;

/**
 * Closes all sockets to other addresses, including those of a silent server, and lets every client reconnect without
 * delay.
 */
export const goOnAt = (address: string, open: OpenSockets, clients: Iterable<Redis>): void => {
  for (const socket of open) if (socket.address !== address) socket.stream.destroy();
  for (const redis of clients) if (redis.status === 'reconnecting') redis.connect().catch(() => undefined);
};

/** Finds the current primary of a node. */
export interface Places {
  /** Its `host:port` from here. Rejects with the reason where no one names it. */
  primary(): Promise<string>;
  /** Called when the primary at an address was reached. */
  reached(address: string): void;
  /** Why the primary at an address cannot be used; `text` is null for a replica. */
  unusable(address: string, text: string | null): Error;
}

/** Makes the connector of ioredis that looks up the primary at each connection. */
export const connectorTo = (watch: Places, open: OpenSockets): RedisOptions['Connector'] =>
  class PrimaryConnector extends AbstractConnector implements Finder {
    private place: string | null = null;
    private readonly options: RedisOptions;

    constructor(options: unknown) {
      super((options as RedisOptions).disconnectTimeout!);
      this.options = options as RedisOptions;
    }

    async connect(): Promise<Socket> {
      this.connecting = true;
      this.firstError = undefined;
      const address = await watch.primary().catch((error: Error) => {
        this.firstError = error;
        return null;
      });
      // A rejection would end the client for ever; a closed socket is one more failed attempt.
      if (address === null || !this.connecting) return new Socket().destroy();
      this.place = address;
      const { tls } = this.options;
      const at = endpointOf(address);
      const stream = tls ? connectTls({ ...at, ...servernameOf(at.host), ...tls }) : connectPlain(at);
      this.stream = stream;
      const opened = { address, stream };
      open.add(opened);
      stream.once('close', () => open.delete(opened));
      return stream;
    }

    address(): string | null {
      return this.place;
    }

    refusal({ role }: ServerFacts): Error | null {
      if (role === 'replica') return watch.unusable(this.place!, null);
      watch.reached(this.place!);
      return null;
    }

    explain(error: unknown): unknown {
      const failure = classify(error);
      if (this.firstError === error || failure?.code !== 'unreachable') return error;
      return this.place === null ? error : watch.unusable(this.place, failure.text);
    }
  };
