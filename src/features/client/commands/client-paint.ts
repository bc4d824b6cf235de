import type { Source } from '../search.ts';
import type { CommandContext } from '../../../kernel/commands/command.ts';
import type { Terminal } from '../../../kernel/commands/progress.ts';

/** Marks a part of a line; leaves it as it is where colours are not wanted. */
export type Paint = ReturnType<typeof createPaint>;

const escape = '\u001b[';

/** Colours for a terminal, none for a file, a pipe, or someone who set NO_COLOR. */
export function createPaint(terminal: Terminal, isPlain: boolean) {
  const isOn = terminal.isTTY === true && !isPlain;
  const mark = (on: number, off: number) => (text: string) =>
    isOn && text !== '' ? `${escape}${on}m${text}${escape}${off}m` : text;
  return {
    bold: mark(1, 22),
    faint: mark(2, 22),
    good: mark(32, 39),
    warn: mark(33, 39),
    bad: mark(31, 39),
  };
}

/** A text on one line, without the characters that a terminal would obey. */
export function toLine(text: string): string {
  return text.replaceAll(/(?!\u200d)[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
}

/** The same with its ends of lines. */
export function toLines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\n\t\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu, '');
}

/** Cut to a width in characters, with a mark that something is missing. */
export function toWidth(text: string, width: number): string {
  const letters = [...text];
  return letters.length <= width ? text : `${letters.slice(0, Math.max(1, width - 1)).join('')}…`;
}

/** `███████░░░` of a share from 0 to 1. */
export function toBar(share: number, width: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

const titleWidthMax = 100;

/** Sources below an answer, numbered as its markers are. */
export function printSources(sources: readonly Source[], { out, isPlain }: CommandContext): void {
  if (sources.length === 0) return;
  const paint = createPaint(out, isPlain);
  out.write(`\n${paint.bold('Sources')}\n`);
  for (const [index, source] of sources.entries()) out.write(`${toHead(source, index, paint)}\n`);
}

/** `[1] Title (2026-11-20)` and the address. */
export function toHead({ title, url, date }: Source, index: number, paint: Paint): string {
  const name = toWidth(toLine(title === '' ? url : title), titleWidthMax);
  const day = date === null ? '' : paint.faint(` (${toLine(date)})`);
  return `[${index + 1}] ${paint.bold(name)}${day}\n    ${toLine(url)}`;
}
