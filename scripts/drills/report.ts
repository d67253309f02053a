import { type ConnectionEntry, type PrivateConsole, privateConsole } from '../testing/private-console';

/** Receives a drill's figures and the results of its checks. */
export interface Report {
  say: (text: string) => void;
  check: (what: string, held: boolean, figures?: string) => void;
}

/** Runs `work` with a separate console and servers, and always stops them. */
export const withConsole = async (
  connections: readonly ConnectionEntry[],
  work: (own: PrivateConsole) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> => {
  const own = await privateConsole(environment, ...connections);
  try {
    await work(own);
  } finally {
    await own.close();
  }
};
