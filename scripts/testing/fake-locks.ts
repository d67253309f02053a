interface Request {
  name: string;
  run: (lock: object | null) => unknown;
  done: (value: unknown) => void;
  fail: (reason: unknown) => void;
}

/** The Web Locks of one browser (w3.org/TR/web-locks): exclusive locks with `signal`, `ifAvailable` and `steal`. */
export class FakeLocks {
  readonly held = new Map<string, Request>();
  private readonly queue: Request[] = [];

  request(name: string, options: LockOptions, run: Request['run']): Promise<unknown> {
    return new Promise((done, fail) => {
      const request = { name, run, done, fail };
      if (options.ifAvailable && this.held.has(name)) return done(run(null));
      if (options.steal) {
        this.held.get(name)?.fail(new DOMException('stolen', 'AbortError'));
        this.held.delete(name);
        this.queue.unshift(request);
      } else this.queue.push(request);
      const onAbort = () => {
        const at = this.queue.indexOf(request);
        if (at !== -1) this.queue.splice(at, 1);
        if (at !== -1) fail(options.signal?.reason);
      };
      options.signal?.addEventListener('abort', onAbort);
      if (options.signal?.aborted) onAbort();
      this.grant(name);
    });
  }

  private grant(name: string): void {
    if (this.held.has(name)) return;
    const at = this.queue.findIndex((request) => request.name === name);
    const [request] = at === -1 ? [] : this.queue.splice(at, 1);
    if (!request) return;
    this.held.set(name, request);
    const release = () => {
      if (this.held.get(name) !== request) return;
      this.held.delete(name);
      this.grant(name);
    };
    Promise.resolve(request.run({ name })).then(request.done, request.fail).finally(release);
  }
}
