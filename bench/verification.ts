import { openBareDecisions } from '../src/features/decisions/feature.ts';
import { configuration } from '../src/configuration.ts';
import { measurePairs, type KindMeasures } from '../test/verification/measure.ts';
import { makePairs } from '../test/verification/pairs.ts';
import { printTable, type Row } from './support/table.ts';

/**
 * How well 400 sentences that were altered by rule are told from true ones, with the engine that the configuration names:
 * `npm run bench verification [tuning]`.
 */
export async function run(): Promise<void> {
  const half = process.argv[3] === 'tuning' ? 'tuning' : 'judged';
  const config = configuration.load({ env: process.env, cwd: process.cwd() });
  const engine = await openBareDecisions({ config, engine: null, remote: null, onLabelMass: () => {} });
  try {
    const pairs = await makePairs(half);
    const measured = await measurePairs(pairs, engine);
    const rows = Object.entries({ ...measured.byKind, all: measured }).map(([kind, one]) => toRow(kind, one));
    const { markedUntouched, markedReworded } = measured;
    rows.push(['untouched', '', '', '', markedUntouched], ['reworded', '', '', '', markedReworded]);
    const head = ['kind', 'pairs', 'AUROC', 'AUROC, reworded', 'marked'];
    printTable(`${half} half, decider ${engine.name}`, head, rows);
  } finally {
    await engine.close();
  }
}

const toRow = (kind: string, { pairs, auroc, aurocReworded, marked }: KindMeasures): Row => [
  kind,
  pairs,
  auroc,
  aurocReworded,
  marked,
];
