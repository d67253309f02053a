import { onDemand } from './on-demand';

export const RevealFoot = onDemand(async () => (await import('./reveal-foot')).RevealFoot);
