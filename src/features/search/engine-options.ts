import type { Clock } from '../../kernel/kit/clock.ts';
import type { EngineCalls } from './engine-calls.ts';

/** What a web engine is opened with. */
export interface EngineOptions {
  /** Address of the interface; null is the public one. */
  readonly url: string | null;
  readonly key: string | null;
  readonly calls: EngineCalls;
  readonly clock: Clock;
}
