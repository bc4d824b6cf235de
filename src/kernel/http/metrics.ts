import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { toListenError } from './listen-error.ts';
import type { RequestRecord } from './request-record.ts';
import { toUrl } from './transport-end.ts';

export type Metrics = Awaited<ReturnType<typeof openMetrics>>;

export interface LedgerFigures {
  /** Rows that the store does not have yet. */
  readonly backlogRows: number;
  /** The same on disk, including the files of processes that have gone. */
  readonly backlogBytes: number;
  /** Age of the oldest waiting row. Unit: ms. */
  readonly backlogAgeMs: number;
  /** Damaged records and refused rows that this process set aside. */
  readonly setAside: number;
  /** Rows that neither the disk nor memory took. */
  readonly lost: number;
  /** Requests that were refused because no row could be taken. */
  readonly refused: number;
}

/** Counts of one request. */
export interface DeciderFigures {
  readonly decider: string;
  readonly inputTokens: number;
  readonly answered: number;
  readonly abstained: number;
  readonly passed: number;
}

/** From a small decision to the longest research. Unit: s. */
const durationBuckets = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300,
];

/** Serves `/metrics` for Prometheus on a separate port. */
export async function openMetrics(host: string, port: number) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'nestor_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its reply',
    labelNames: ['operation', 'status'],
    buckets: durationBuckets,
    registers: [registry],
  });
  const masses = new Histogram({
    name: 'nestor_decision_label_mass',
    help: 'Share of the next-token distribution that fell on the labels of the options',
    buckets: [0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
    registers: [registry],
  });
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('metrics are at /metrics\n');
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end('metrics failed\n'),
    );
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw toListenError(error, { host, port, variable: 'NESTOR_METRICS_PORT' });
  });
  return {
    /** Where it is served. */
    url: `${toUrl(server.address() as AddressInfo)}/metrics`,
    observe({ operation, status, durationMs }: RequestRecord): void {
      durations.observe({ operation, status }, durationMs / 1_000);
    },
    /** Share of a model's token distribution on the labels, in [0,1]. */
    labelMass: (mass: number): void => masses.observe(mass),
    ...countDeciders(registry),
    ...countSearches(registry),
    /** Reports the ledger's backlog, read at each scrape. */
    watchLedger: (state: () => LedgerFigures): void => watchLedger(registry, state),
    async close(): Promise<void> {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

type Figure = readonly [name: string, help: string, of: (now: LedgerFigures) => number];

const gauges: readonly Figure[] = [
  ['nestor_ledger_backlog_rows', 'Billed requests that wait for the database', (now) => now.backlogRows],
  ['nestor_ledger_backlog_bytes', 'What waits for the database on disk', (now) => now.backlogBytes],
  ['nestor_ledger_backlog_age_seconds', 'How long the oldest waits', (now) => now.backlogAgeMs / 1_000],
];
const counters: readonly Figure[] = [
  ['nestor_ledger_set_aside_total', 'Rows that are damaged or refused', (now) => now.setAside],
  ['nestor_ledger_lost_total', 'Rows that were lost', (now) => now.lost],
  ['nestor_ledger_refused_total', 'Requests refused for want of room', (now) => now.refused],
];

function watchLedger(registry: Registry, state: () => LedgerFigures): void {
  const registers = [registry];
  for (const [name, help, of] of gauges) {
    const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(of(state())) });
  }
  for (const [name, help, of] of counters) {
    const collect = () => {
      counter.reset();
      counter.inc(of(state()));
    };
    const counter: Counter = new Counter({ name, help, registers, collect });
  }
}

function countSearches(registry: Registry) {
  const queries = new Counter({
    name: 'nestor_search_engine_queries_total',
    help: 'Queries that a search engine answered, or why it did not',
    labelNames: ['engine', 'outcome'],
    registers: [registry],
  });
  return {
    /** `engine` is a type of the configuration. */
    searched: (engine: string, outcome: string): void => queries.inc({ engine, outcome }),
  };
}

function countDeciders(registry: Registry) {
  const deciderQuestions = new Counter({
    name: 'nestor_decider_questions_total',
    help: 'Questions that a decider answered, abstained from or passed on to the next of its cascade',
    labelNames: ['decider', 'outcome'],
    registers: [registry],
  });
  const deciderTokens = new Counter({
    name: 'nestor_decider_input_tokens_total',
    help: 'Tokens that a decider evaluated',
    labelNames: ['decider'],
    registers: [registry],
  });
  const drifts = new Counter({
    name: 'nestor_decider_drift_total',
    help: 'Questions that deciders of accounts began to answer otherwise than when they learned them, or no longer do',
    labelNames: ['change'],
    registers: [registry],
  });
  const massDrifts = new Counter({
    name: 'nestor_decider_label_mass_drift_total',
    help: 'Times that the label mass of a decider began to differ from that of its calibration, or no longer does',
    labelNames: ['decider', 'change'],
    registers: [registry],
  });
  return {
    /** What one decider did for a request; `decider` is a name of the operator's. */
    decided({ decider, inputTokens, ...outcomes }: DeciderFigures): void {
      for (const [outcome, count] of Object.entries(outcomes))
        if (count > 0) deciderQuestions.inc({ decider, outcome }, count);
      deciderTokens.inc({ decider }, inputTokens);
    },
    drifted: (hasBegun: boolean): void => drifts.inc({ change: toChange(hasBegun) }),
    /** `decider` is a name of the operator's. */
    massDrifted: (decider: string, hasBegun: boolean): void =>
      massDrifts.inc({ decider, change: toChange(hasBegun) }),
  };
}

const toChange = (hasBegun: boolean): string => (hasBegun ? 'begun' : 'ended');
