import { SMTPServer } from 'smtp-server';

/** A mail server on loopback that keeps what it gets. */
export const mailServer = async (port: number) => {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: async (stream, _session, done) => {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      mails.push(Buffer.concat(chunks).toString());
      done();
    },
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', () => resolve()));
  return { mails, close: () => new Promise<void>((resolve) => void server.close(() => resolve())) };
};
