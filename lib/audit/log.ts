import 'server-only';
import type { Actor } from '@/lib/actor';

/** The first half of an entry: written before the change. No record, no change. */
export interface Intent {
  id: string;
  actor: Actor;
  /** The operationId. */
  action: string;
  connection: string | null;
  target: string | null;
  reason: string | null;
  /** The redacted input. */
  input: unknown;
  requestId: string | null;
}

/** The second half: how it ended. */
export interface Ending {
  id: string;
  outcome: 'succeeded' | 'failed';
  detail?: string | null;
  before?: unknown;
  after?: unknown;
  /** Epoch ms until which the change can be taken back. */
  undoUntil?: number | null;
}
