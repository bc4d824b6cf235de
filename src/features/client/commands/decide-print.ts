import type { Share, Verdict } from '../decide.ts';
import { toBar, toPlain, toWidth, type Paint } from './client-paint.ts';

interface Layout {
  readonly paint: Paint;
  /** Characters of a line. */
  readonly columns: number;
}

const nameWidthMax = 28;
const barWidthMax = 40;

/** Verdicts as bars, a block for each question. */
export function toBlocks(verdicts: ReadonlyMap<string, Verdict>, layout: Layout): string {
  return [...verdicts].map(([name, verdict]) => toBlock(name, verdict, layout)).join('\n\n');
}

function toBlock(name: string, verdict: Verdict, layout: Layout): string {
  const { paint } = layout;
  const title = paint.bold(toPlain(name, { lines: false }));
  switch (verdict.type) {
    case 'noul': {
      const { probability } = verdict;
      const shares = [
        { name: 'yes', probability },
        { name: 'no', probability: 1 - probability },
      ];
      return `${title}  ${probability >= 0.5 ? 'yes' : 'no'}\n${toBars(shares, layout)}`;
    }
    case 'choice':
      return `${title}  ${toPlain(verdict.choice, { lines: false })} ${confidenceOf(verdict, layout)}\n${toBars(verdict.probabilities, layout)}`;
    case 'score': {
      const top = Math.max(0, verdict.probabilities.length - 1);
      return `${title}  ${verdict.score.toFixed(2)} of ${top} ${confidenceOf(verdict, layout)}\n${toBars(verdict.probabilities, layout)}`;
    }
  }
}

function confidenceOf({ confidence }: { readonly confidence: number }, { paint }: Layout): string {
  return paint.faint(`(confidence ${confidence.toFixed(2)})`);
}

function toBars(shares: readonly Share[], { paint, columns }: Layout): string {
  const names = shares.map(({ name }) => toWidth(toPlain(name, { lines: false }), nameWidthMax));
  const width = Math.max(...names.map((name) => [...name].length), 0);
  const barWidth = Math.max(8, Math.min(barWidthMax, columns - width - 12));
  const best = Math.max(...shares.map(({ probability }) => probability));
  return shares
    .map(({ probability }, index) => {
      const name = names[index] ?? '';
      const bar = toBar(probability, barWidth);
      const padded = name + ' '.repeat(width - [...name].length);
      return `  ${padded}  ${probability === best ? paint.good(bar) : paint.faint(bar)}  ${probability.toFixed(3)}`;
    })
    .join('\n');
}
