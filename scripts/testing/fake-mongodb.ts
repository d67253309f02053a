import { createServer, type Socket } from 'node:net';
import { BSON, Long } from 'mongodb';

const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013];
const HEADER = 16;

type Command = Record<string, unknown>;

interface FakeMongo {
  port: number;
  /** Every command received, in order. */
  commands: Command[];
  close(): Promise<void>;
}

const framed = (opcode: number, to: number, body: Buffer): Buffer => {
  const header = Buffer.alloc(HEADER);
  header.writeInt32LE(HEADER + body.length, 0);
  header.writeInt32LE(to, 8);
  header.writeInt32LE(opcode, 12);
  return Buffer.concat([header, body]);
};

/** The handshake may have the old format, and is answered in it. */
const decode = (message: Buffer): { opcode: number; id: number; command: Command } => {
  const [id, opcode] = [message.readInt32LE(4), message.readInt32LE(12)];
  const at = opcode === OP_QUERY ? message.indexOf(0, HEADER + 4) + 9 : HEADER + 5;
  return { opcode, id, command: BSON.deserialize(message.subarray(at)) };
};

const encode = (opcode: number, to: number, answer: Command): Buffer => {
  const document = Buffer.from(BSON.serialize(answer));
  if (opcode !== OP_QUERY) return framed(OP_MSG, to, Buffer.concat([Buffer.alloc(5), document]));
  const head = Buffer.alloc(20);
  head.writeInt32LE(1, HEADER);
  return framed(OP_REPLY, to, Buffer.concat([head, document]));
};

const HELLO = {
  ismaster: true,
  isWritablePrimary: true,
  helloOk: true,
  readOnly: false,
  ok: 1,
  minWireVersion: 0,
  maxWireVersion: 21,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
};

/** The part of a MongoDB server that the driver needs to list collections, because tests cannot install one. */
export const startFakeMongo = async (
  collections: Record<string, Command[]>,
  wantedPort = 0,
): Promise<FakeMongo> => {
  const commands: Command[] = [];
  const sockets = new Set<Socket>();
  const answer = (command: Command): Command => {
    const name = Object.keys(command)[0]!;
    if (/^(hello|ismaster)$/i.test(name)) return HELLO;
    commands.push(command);
    if (name !== 'find') return { ok: name === 'endSessions' ? 1 : 0 };
    const firstBatch = collections[String(command.find)] ?? [];
    return { ok: 1, cursor: { id: Long.ZERO, ns: `${command.$db}.${command.find}`, firstBatch } };
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    let rest = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
        const message = rest.subarray(0, rest.readInt32LE(0));
        rest = rest.subarray(message.length);
        const { opcode, id, command } = decode(message);
        socket.write(encode(opcode, id, answer(command)));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    commands,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
