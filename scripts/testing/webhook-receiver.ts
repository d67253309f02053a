import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Received {
  headers: IncomingMessage['headers'];
  body: string;
}

/** A receiver of webhooks on this machine; `answer` may be replaced. */
export const webhookReceiver = async () => {
  const received: Received[] = [];
  const receiver = {
    received,
    answer: (_: IncomingMessage, response: ServerResponse): void => void response.end('ok'),
    url: '',
    close: (): void => undefined,
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    receiver.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`;
  receiver.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return receiver;
};
