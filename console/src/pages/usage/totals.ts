/** A sum of `/v1/account/usage/totals` or `/admin/v1/usage/totals`. */
export interface Total {
  readonly account_id?: string;
  readonly key_id?: string;
  readonly model?: string | null;
  readonly operation?: string;
  /** `2026-11-20`, of UTC. */
  readonly day?: string;
  readonly requests: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: number;
  /** Null for days of which no durations are known. */
  readonly p50_ms?: number | null;
  readonly p95_ms?: number | null;
}

type Sum = Pick<Total, 'requests' | 'input_tokens' | 'output_tokens' | 'cost_usd'>;

/** What can be chosen, in days up to and with today. */
export const ranges = { '7 days': 7, '30 days': 30, '90 days': 90 } as const;
export type RangeName = keyof typeof ranges;

const dayMs = 86_400_000;

export interface Range {
  /** First instant that counts, at midnight UTC. Unit: s. */
  readonly from: number;
  /** Every day of the range, first to last. */
  readonly days: readonly string[];
}

export function rangeOf(name: RangeName, nowMs: number): Range {
  const count = ranges[name];
  const today = Math.floor(nowMs / dayMs) * dayMs;
  const first = today - (count - 1) * dayMs;
  const days = Array.from({ length: count }, (_, index) => toDay(first + index * dayMs));
  return { from: first / 1_000, days };
}

export interface DaySum extends Sum {
  readonly day: string;
}

/** A sum for every day, also those on which nothing was asked: a chart without them would lie about time. */
export function byDay(totals: readonly Total[], days: readonly string[]): DaySum[] {
  const known = Map.groupBy(totals, ({ day }) => day);
  return days.map((day) => ({ ...sumOf(known.get(day) ?? []), day }));
}

/** A figure by day, each day split into models. */
export interface Split {
  /** Those with most of it, then `others` where there are more. */
  readonly models: readonly string[];
  /** A day in order, with the figure of each model at its place. */
  readonly days: readonly { readonly day: string; readonly figures: readonly number[] }[];
}

/** More colours cannot be told apart. */
const modelsMax = 5;
export const others = 'others';

export function splitByModel(
  totals: readonly Total[],
  days: readonly string[],
  figure: (total: Sum) => number,
): Split {
  const { shown, isCut } = topModels(totals, figure);
  const models = isCut ? [...shown, others] : shown;
  const placeOf = (model: string) => {
    const place = shown.indexOf(model);
    return place === -1 ? modelsMax : place;
  };
  const byDay = new Map(days.map((day) => [day, models.map(() => 0)]));
  for (const total of totals) {
    const figures = byDay.get(total.day ?? '');
    const place = placeOf(total.model ?? 'no model');
    if (figures !== undefined) figures[place] = (figures[place] ?? 0) + figure(total);
  }
  return { models, days: [...byDay].map(([day, figures]) => ({ day, figures })) };
}

/** The models with most of a figure, the first with most of all. */
export function topModels(totals: readonly Total[], figure: (total: Sum) => number) {
  const byModel = Map.groupBy(totals, ({ model }) => model ?? 'no model');
  const sumBy = (some: readonly Total[]) => some.reduce((sum, total) => sum + figure(total), 0);
  const ordered = [...byModel].map(([model, some]) => [model, sumBy(some)] as const);
  ordered.sort(([, one], [, other]) => other - one);
  const shown = ordered.slice(0, modelsMax).map(([model]) => model);
  return { shown, isCut: ordered.length > modelsMax };
}

const nothing: Sum = { requests: 0, input_tokens: 0, output_tokens: 0, cost_usd: 0 };

export function sumOf(totals: readonly Sum[]): Sum {
  return totals.reduce<Sum>(
    (sum, one) => ({
      requests: sum.requests + one.requests,
      input_tokens: sum.input_tokens + one.input_tokens,
      output_tokens: sum.output_tokens + one.output_tokens,
      cost_usd: sum.cost_usd + one.cost_usd,
    }),
    nothing,
  );
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
