// An alert on the demo's noisy address, which fires as soon as the guard has sampled it.
import { request } from './demo-consent.mjs';
import { say } from './setup.mjs';

const RULE = {
  name: 'Address over the threshold',
  description: 'Ban it on the page of the traffic guard, or ask its owner.',
  severity: 'critical',
  source: { metric: 'keyward_guard_addresses_over_threshold' },
  condition: 'above',
  value: 0,
  clearForSeconds: 60,
};

/** Creates the rule if it does not exist. The demo continues without it. */
export const watchNoisyAddress = async (url, token, connection) => {
  const alerts = `${url}/api/v1/connections/${connection}/alerts`;
  try {
    const { items } = await request(alerts, token);
    if (items.length === 0) await request(alerts, token, { method: 'POST', body: RULE });
  } catch (error) {
    say(`The demo has no alert: ${error.message}`);
  }
};
