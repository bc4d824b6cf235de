import type { Source } from '../sources.ts';
import { createPaint, toPlain, toWidth } from './client-paint.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';

const titleWidthMax = 100;

/** Sources below an answer, numbered as its markers are. */
export function printSources(sources: readonly Source[], { out, isPlain }: CommandContext): void {
  if (sources.length === 0) return;
  const paint = createPaint(out, isPlain);
  out.write(`\n${paint.bold('Sources')}\n`);
  for (const [index, source] of sources.entries()) out.write(`${toHead(source, index, paint)}\n`);
}

/** `[1] Title (2026-11-20)` and the address. */
export function toHead(
  { title, url, date }: Source,
  index: number,
  paint: ReturnType<typeof createPaint>,
): string {
  const name = toWidth(toPlain(title === '' ? url : title, { lines: false }), titleWidthMax);
  const day = date === null ? '' : paint.faint(` (${toPlain(date, { lines: false })})`);
  return `[${index + 1}] ${paint.bold(name)}${day}\n    ${toPlain(url, { lines: false })}`;
}
