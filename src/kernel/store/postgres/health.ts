/**
 * `ok`: the last news was good. `suspect`: a connection was lost and a probe runs; requests still try. `down`: the
 * probe failed; probes repeat until one succeeds. Only `Health` changes the state.
 */
type HealthState = 'ok' | 'suspect' | 'down' | 'closed';

interface HealthOptions {
  /** Rejects when the server does not answer, within a bounded time. */
  probe(): Promise<void>;
  /** Called when `down` begins: older connections are not to be trusted. */
  onDown(): void;
}

const pauseMinMs = 100;
const pauseMaxMs = 2_000;

export class Health {
  readonly #options: HealthOptions;
  #state: HealthState = 'ok';
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  get state(): HealthState {
    return this.#state;
  }

  /** Reports a lost connection; an administrator may have closed it, so the server is probed first. */
  suspect(): void {
    if (this.#state !== 'ok') return;
    this.#state = 'suspect';
    void this.#probe(pauseMinMs);
  }

  close(): void {
    this.#state = 'closed';
    clearTimeout(this.#timer);
  }

  async #probe(pauseMs: number): Promise<void> {
    try {
      await this.#options.probe();
      if (this.#state !== 'closed') this.#state = 'ok';
    } catch {
      if (this.#state === 'closed') return;
      if (this.#state === 'suspect') this.#options.onDown();
      this.#state = 'down';
      this.#timer = setTimeout(() => void this.#probe(Math.min(pauseMaxMs, pauseMs * 2)), pauseMs);
      this.#timer.unref();
    }
  }
}
