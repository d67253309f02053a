import 'server-only';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Redis } from 'ioredis';

/** Causes that only the handshake reveals, as codes for `classify`. */
type HandshakeCode = 'CLIENT_CERTIFICATE' | 'NO_TLS' | 'CLOSED_EARLY';

interface Connector {
  connect(emit: unknown): Promise<Socket>;
}

/**
 * A TLS server may send an alert after it refused our certificate. Node then emits an error on a destroyed socket,
 * where ioredis no longer listens, and an unhandled error would end the process.
 */
export const guardConnections = (redis: Redis): void => {
  const { connector } = redis as unknown as { connector: Connector };
  const connect = connector.connect.bind(connector);
  connector.connect = async (emit) => (await connect(emit)).on('error', () => undefined);
};

/**
 * Guards and watches the connections of a client. Returns a function that adds the cause, as a code, to an error from
 * before the server's first answer.
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
    // TCP is connected; TLS emits `secureConnect`.
    stream.once('connect', () => {
      isReached = true;
    });
    return stream;
  };
  const codeFor = (code: string | undefined): HandshakeCode | null => {
    const isTls = stream instanceof TLSSocket;
    // In TLS 1.3 the server judges the client certificate after the client has finished its handshake. Data the client
    // sent by then causes a reset, which overtakes the server's alert.
    if (code === 'ECONNRESET' || code === 'EPIPE') {
      if (!isTls) return 'CLOSED_EARLY';
      return (stream as TLSSocket).authorized ? 'CLIENT_CERTIFICATE' : null;
    }
    // A Redis without TLS reads the handshake as a command and waits for the end of its line.
    return code === 'ETIMEDOUT' && isTls && isReached ? 'NO_TLS' : null;
  };
  return (error) => {
    const code = codeFor((error as { code?: string } | null)?.code);
    return code ? Object.assign(new Error('handshake', { cause: error }), { code }) : error;
  };
};
