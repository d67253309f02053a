// The same in bulk.
process.env.HOSTILE_COUNT ??= '50';
await import('./hostile.test');

export {};
