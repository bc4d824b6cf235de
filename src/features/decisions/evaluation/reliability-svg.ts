import type { Measures } from './measures.ts';
import { binsOfEce, type Bin } from './reliability.ts';
import { plotLeft, round, toSvg } from './svg.ts';

export interface Diagram extends Pick<Measures, 'count' | 'accuracy' | 'ece'> {
  /** Engine and file, in words. */
  readonly subject: string;
  readonly bins: readonly Bin[];
}

const height = 640;
/** The square of accuracy over confidence. */
const plot = { left: plotLeft, top: 92, size: 400, right: 478, bottom: 492 };
/** Histogram of the bins, below the plot on the same axis. */
const counts = { top: 518, bottom: 580 };

/**
 * A reliability diagram: accuracy over confidence by bins, with the distance to the diagonal marked and the size of
 * every bin below. One file without references; colours that read on white and on black, no background of its own.
 */
export function toReliabilitySvg(diagram: Diagram): string {
  const { subject, bins, count, accuracy, ece } = diagram;
  const title = `Reliability: ECE ${ece.toFixed(3)} (${binsOfEce} bins)`;
  const summary = `${count} questions, accuracy ${accuracy.toFixed(3)}`;
  return toSvg({ title, subject, summary, height, style }, [
    ...grid(),
    ...bins.flatMap(bar),
    `<line class="ideal" x1="${plot.left}" y1="${plot.bottom}" x2="${plot.right}" y2="${plot.top}"/>`,
    ...bins.flatMap(dot),
    ...histogram(bins),
    ...axes(),
    ...legend(),
  ]);
}

const style = `.count { font-size: 10px; }
.ideal { stroke: #808890; stroke-width: 1.5; stroke-dasharray: 5 4; }
.right { fill: #3b82f6; fill-opacity: 0.75; }
.gap { fill: #f97316; fill-opacity: 0.3; stroke: #f97316; stroke-opacity: 0.8; }
.dot { fill: #f97316; }
.size { fill: #808890; fill-opacity: 0.55; }`;

const x = (share: number): number => round(plot.left + share * plot.size);
const y = (share: number): number => round(plot.bottom - share * plot.size);

function grid(): string[] {
  return [0.2, 0.4, 0.6, 0.8].flatMap((at) => [
    `<line class="grid" x1="${plot.left}" y1="${y(at)}" x2="${plot.right}" y2="${y(at)}"/>`,
    `<line class="grid" x1="${x(at)}" y1="${plot.top}" x2="${x(at)}" y2="${plot.bottom}"/>`,
  ]);
}

/** Accuracy as a bar, and the gap between it and the confidence. */
function bar({ from, to, count, confidence, accuracy }: Bin): string[] {
  if (confidence === null || accuracy === null) return [];
  const place = `x="${round(x(from) + 1)}" width="${round(x(to) - x(from) - 2)}"`;
  const gap = Math.abs(confidence - accuracy) * plot.size;
  const title = `${share(from)} to ${share(to)}: ${count} questions, confidence ${share(confidence)}, accuracy ${share(accuracy)}`;
  return [
    '<g>',
    `<title>${title}</title>`,
    `<rect class="right" ${place} y="${y(accuracy)}" height="${round(accuracy * plot.size)}"/>`,
    `<rect class="gap" ${place} y="${y(Math.max(confidence, accuracy))}" height="${round(gap)}"/>`,
    '</g>',
  ];
}

function dot({ confidence, accuracy }: Bin): string[] {
  if (confidence === null || accuracy === null) return [];
  return [`<circle class="dot" cx="${x(confidence)}" cy="${y(accuracy)}" r="3"/>`];
}

function histogram(bins: readonly Bin[]): string[] {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return bins.flatMap(({ from, to, count }) => {
    if (count === 0) return [];
    const tall = round(Math.max(1, ((counts.bottom - counts.top - 12) * count) / most));
    const top = round(counts.bottom - tall);
    const middle = round((x(from) + x(to)) / 2);
    return [
      `<rect class="size" x="${round(x(from) + 1)}" width="${round(x(to) - x(from) - 2)}" y="${top}" height="${tall}"/>`,
      `<text class="count" text-anchor="middle" x="${middle}" y="${round(top - 3)}">${toShort(count)}</text>`,
    ];
  });
}

function axes(): string[] {
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const middle = (plot.top + plot.bottom) / 2;
  return [
    `<rect class="frame" x="${plot.left}" y="${plot.top}" width="${plot.size}" height="${plot.size}"/>`,
    `<line class="frame" x1="${plot.left}" y1="${counts.bottom}" x2="${plot.right}" y2="${counts.bottom}"/>`,
    ...ticks.flatMap((at) => [
      `<text text-anchor="end" x="${plot.left - 8}" y="${y(at) + 4}">${at}</text>`,
      `<text text-anchor="middle" x="${x(at)}" y="${counts.bottom + 18}">${at}</text>`,
    ]),
    `<text class="axis" text-anchor="middle" x="${x(0.5)}" y="${counts.bottom + 42}">Confidence (probability of the chosen option)</text>`,
    `<text class="axis" text-anchor="middle" transform="translate(30 ${middle}) rotate(-90)">Accuracy (share that is right)</text>`,
    `<text text-anchor="end" x="${plot.left - 8}" y="${counts.bottom - 20}">Questions</text>`,
  ];
}

function legend(): string[] {
  const left = plot.right + 20;
  const entry = (index: number, mark: (top: number) => string, text: string) => {
    const top = plot.top + 6 + index * 24;
    return [mark(top), `<text x="${left + 22}" y="${top + 10}">${text}</text>`];
  };
  const square = (name: string) => (top: number) =>
    `<rect class="${name}" x="${left}" y="${top}" width="14" height="12"/>`;
  return [
    ...entry(0, square('right'), 'accuracy'),
    ...entry(1, square('gap'), 'gap to confidence'),
    ...entry(2, (top) => `<circle class="dot" cx="${left + 7}" cy="${top + 6}" r="3"/>`, 'mean of the bin'),
    ...entry(
      3,
      (top) => `<line class="ideal" x1="${left}" y1="${top + 6}" x2="${left + 16}" y2="${top + 6}"/>`,
      'ideal',
    ),
    ...entry(4, square('size'), 'questions in bin'),
  ];
}

/** Five digits are wider than a bin. */
function toShort(count: number): string {
  return count < 10_000 ? String(count) : `${Math.round(count / 1_000)}k`;
}

function share(value: number): string {
  return value.toFixed(3);
}
