import 'server-only';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Redis } from 'ioredis';

/** As `classify` names what only the handshake itself shows. */
type HandshakeCode = 'CLIENT_CERTIFICATE' | 'NO_TLS' | 'CLOSED_EARLY';

interface Connector {
  connect(emit: unknown): Promise<Socket>;
}

/**
 * Node reports an alert that a server sends after its certificate was refused: on a socket that is destroyed, whose errors
 * ioredis no longer awaits. Nobody would take it, and the process would end.
 */
export const guardConnections = (redis: Redis): void => {
  const { connector } = redis as unknown as { connector: Connector };
  const connect = connector.connect.bind(connector);
  connector.connect = async (emit) => (await connect(emit)).on('error', () => undefined);
};

/**
 * Guards and watches the connections of a client. Returns a function that gives an error from before the server's first answer the
 * code of what it means then.
 */
export const watchHandshakes = (redis: Redis): ((error: unknown) => unknown) => {
  guardConnections(redis);
  const { connector } = redis as unknown as { connector: Connector };
  const connect = connector.connect.bind(connector);
  let stream: Socket | null = null;
  let isReached = false;
  connector.connect = async (emit) => {
    [stream, isReached] = [null, false];
    stream = await connect(emit);
    // The end of TCP's handshake; that of TLS is `secureConnect`.
    stream.once('connect', () => {
      isReached = true;
    });
    return stream;
  };
  const codeFor = (code: string | undefined): HandshakeCode | null => {
    const isTls = stream instanceof TLSSocket;
    // In TLS 1.3 a client certificate is judged when the client's handshake is over, and what it has sent by then makes the
    // reset overtake the server's alert.
    if (code === 'ECONNRESET' || code === 'EPIPE') {
      if (!isTls) return 'CLOSED_EARLY';
      return (stream as TLSSocket).authorized ? 'CLIENT_CERTIFICATE' : null;
    }
    // A Redis without TLS waits for the end of a line.
    return code === 'ETIMEDOUT' && isTls && isReached ? 'NO_TLS' : null;
  };
  return (error) => {
    const code = codeFor((error as { code?: string } | null)?.code);
    return code ? Object.assign(new Error('handshake', { cause: error }), { code }) : error;
  };
};
