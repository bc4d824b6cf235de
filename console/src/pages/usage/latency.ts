import { formatCount } from '../../parts/formats.ts';
import { topModels, type Total } from './totals.ts';

/** How long requests took, by day, each day by model. Null where nothing was asked, or no durations are known. */
export interface Latency {
  /** Those with most requests. */
  readonly models: readonly string[];
  readonly days: readonly {
    readonly day: string;
    readonly p50: readonly (number | null)[];
    readonly p95: readonly (number | null)[];
  }[];
}

/** Quantiles cannot be added, so there are no others: what is not shown is in the table by model. */
export function latencyByModel(totals: readonly Total[], days: readonly string[]): Latency {
  const timed = totals.filter(({ p50_ms: p50 }) => typeof p50 === 'number');
  const models = topModels(timed, (total) => total.requests).shown;
  const known = new Map(timed.map((total) => [`${total.day ?? ''}\0${total.model ?? 'no model'}`, total]));
  return {
    models,
    days: days.map((day) => {
      const some = models.map((model) => known.get(`${day}\0${model}`));
      return {
        day,
        p50: some.map((total) => total?.p50_ms ?? null),
        p95: some.map((total) => total?.p95_ms ?? null),
      };
    }),
  };
}

/** 0.8 ms, 12 ms, 1.2 s, 3 min. */
export function formatDuration(ms: number): string {
  if (ms < 10) return withUnit(Number(ms.toPrecision(2)), 'ms');
  if (ms < 1_000) return withUnit(Math.round(ms), 'ms');
  if (ms < 120_000) return withUnit(Number((ms / 1_000).toPrecision(2)), 's');
  return withUnit(Math.round(ms / 60_000), 'min');
}

/** A step of a scale: powers of ten stay ones. */
export function formatStep(ms: number): string {
  return ms < 1_000 ? withUnit(ms, 'ms') : withUnit(ms / 1_000, 's');
}

/** Nothing breaks between a number and its unit. */
const withUnit = (value: number, unit: string): string => `${formatCount(value)}\u{A0}${unit}`;

/** Powers of ten around all durations. */
export function scaleOf(durations: readonly (number | null)[]): readonly number[] {
  const known = durations.filter((ms) => ms !== null && ms > 0) as readonly number[];
  const first = Math.floor(Math.log10(Math.min(...known)));
  const last = Math.max(first + 1, Math.ceil(Math.log10(Math.max(...known))));
  return Array.from({ length: last - first + 1 }, (_, step) => 10 ** (first + step));
}
