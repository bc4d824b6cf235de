import { plotLeft, round, toSvg } from '../evaluation/svg.ts';
import type { NormalizedQuestion } from '../engine.ts';
import type { Point, Target } from './threshold.ts';

export interface CoverageDiagram {
  /** Engine and file, in words. */
  readonly subject: string;
  readonly group: {
    readonly kind: NormalizedQuestion['kind'];
    readonly rows: number;
    /** From the strictest threshold on. */
    readonly curve: readonly Point[];
    /** What was found, with the thresholds of the deciders in order; null where nothing keeps to the target. */
    readonly at: (Point & { readonly thresholds: readonly (number | null)[] }) | null;
  };
  readonly target: Target;
}

const height = 520;
const plot = { left: plotLeft, top: 92, width: 520, height: 340, right: 598, bottom: 432 };

/** The share of wrong answers over the share of questions that are answered, with the target and what was found. */
export function toCoverageSvg({ subject, group, target }: CoverageDiagram): string {
  const { kind, rows, curve, at } = group;
  const title = `Error over coverage: ${kind}, at most ${percent(target.maxError)} wrong`;
  const summary =
    at === null
      ? `${rows} rows: no threshold keeps to it, nothing is answered`
      : `${rows} rows: confidence ${at.thresholds.map((one) => one ?? 'none').join(', ')} or more answers ${percent(at.coverage)}, ${percent(at.error ?? 0)} of them wrong`;
  const top = topOf(curve, target);
  const x = (coverage: number) => round(plot.left + coverage * plot.width);
  const y = (error: number) => round(plot.bottom - (Math.min(error, top) / top) * plot.height);
  const place = ({ coverage, error }: Point) => `${x(coverage)},${y(error ?? 0)}`;
  const band = [
    ...curve.map(({ coverage, errorInterval: [, high] }) => `${x(coverage)},${y(high)}`),
    ...curve.toReversed().map(({ coverage, errorInterval: [low] }) => `${x(coverage)},${y(low)}`),
  ];
  return toSvg({ title, subject, summary, height, style }, [
    ...axes(top, x, y),
    `<polygon class="band" points="${band.join(' ')}"/>`,
    `<polyline class="curve" points="${curve.map(place).join(' ')}"/>`,
    `<line class="target" x1="${plot.left}" y1="${y(target.maxError)}" x2="${plot.right}" y2="${y(target.maxError)}"/>`,
    ...(at === null ? [] : [`<circle class="found" cx="${x(at.coverage)}" cy="${y(at.error ?? 0)}" r="5"/>`]),
  ]);
}

const style = `.band { fill: #3b82f6; fill-opacity: 0.2; }
.curve { fill: none; stroke: #3b82f6; stroke-width: 2; }
.target { stroke: #f97316; stroke-width: 1.5; stroke-dasharray: 5 4; }
.found { fill: #f97316; }`;

/** Room above the curve and the target, in steps that can be read. */
function topOf(curve: readonly Point[], { maxError }: Target): number {
  const most = Math.max(maxError * 1.5, ...curve.map(({ error }) => error ?? 0));
  return [0.02, 0.05, 0.1, 0.2, 0.5].find((step) => step >= most) ?? 1;
}

type Scale = (value: number) => number;

function axes(top: number, x: Scale, y: Scale): string[] {
  const middle = (plot.top + plot.bottom) / 2;
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  return [
    ...ticks.flatMap((at) => [
      `<line class="grid" x1="${plot.left}" y1="${y(at * top)}" x2="${plot.right}" y2="${y(at * top)}"/>`,
      `<text text-anchor="end" x="${plot.left - 8}" y="${y(at * top) + 4}">${percent(at * top)}</text>`,
      `<text text-anchor="middle" x="${x(at)}" y="${plot.bottom + 18}">${percent(at)}</text>`,
    ]),
    `<rect class="frame" x="${plot.left}" y="${plot.top}" width="${plot.width}" height="${plot.height}"/>`,
    `<text class="axis" text-anchor="middle" x="${x(0.5)}" y="${plot.bottom + 42}">Answered (share of all questions)</text>`,
    `<text class="axis" text-anchor="middle" transform="translate(24 ${middle}) rotate(-90)">Wrong (share of what is answered)</text>`,
    `<text text-anchor="middle" x="${x(0.5)}" y="${plot.bottom + 64}">Band: 95 % interval of the error at each threshold alone. Dashed: the target. Dot: what was found.</text>`,
  ];
}

const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`;
