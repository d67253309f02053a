import 'server-only';
import type { ChannelUses } from '@/lib/alerts/channel-uses';
import type { FigureSource } from '@/lib/figures/figure';
import type { OperationRoute } from '@/lib/http/routes';
import type { JobDefinition } from '@/lib/jobs/define';
import type { ScheduledWork } from '@/lib/jobs/schedule';

/** What a domain contributes to the interface, the job runner and alerts, which do not import domains themselves. */
export interface Domain {
  /** Its operations. Commands among them that have an `undo` can be undone. */
  routes: readonly OperationRoute[];
  jobs?: readonly JobDefinition[];
  scheduled?: readonly ScheduledWork[];
  /** What it measured, for Prometheus and alerts. */
  figures?: readonly FigureSource[];
  /** What it sends through alert channels. */
  channelUses?: ChannelUses;
}
