import 'server-only';
import { env } from '@/lib/configuration';
import { digest } from '@/lib/keyring';
import { log } from '@/lib/log';
import { SECOND } from '@/lib/time';

const TIMEOUT_MS = 10 * SECOND;

/** The head of the log, for a receiver outside the reach of everyone who can write to our store. */
export interface SentHead {
  seq: number;
  digest: string;
  at: string;
  /** Figures of the last verification; null before the first. While an alarm is raised `ok` is false. */
  entries: number | null;
  ok: boolean | null;
  problem: string | null;
  /** The unacknowledged problem. */
  alarm?: string;
}

/**
 * Posts the head to KEYWARD_AUDIT_WEBHOOK, if set. `X-Keyward-Signature` is an HMAC-SHA-256 of the body, in base64url.
 * A failure is logged without the address, which may contain a secret; the next hour sends the next head.
 */
export const sendHead = async (head: SentHead): Promise<void> => {
  const url = env().auditWebhook;
  if (url === null) return;
  const body = JSON.stringify(head);
  const headers = {
    'content-type': 'application/json',
    'x-keyward-signature': digest('audit-webhook', body),
  };
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await answer.body?.cancel();
    if (!answer.ok) log('error', `KEYWARD_AUDIT_WEBHOOK answered ${answer.status}.`);
  } catch (error) {
    log('error', `KEYWARD_AUDIT_WEBHOOK was not reached: ${error instanceof Error ? error.name : 'error'}.`);
  }
};
