import { tokenize } from '../../../kernel/kit/words.ts';
import { clauseKind } from './injected-instructions.ts';
import { withoutForgedTurns } from './forged-turns.ts';
import { withOrdersApart } from './run-on-orders.ts';

const closing =
  /<\/\s*(state|material|context|data|input|document|message|user|system|assistant|prompt)\s*>/giu;
/** What chat templates put between turns, and nobody writes. */
const turn = /<\|[a-z_]{2,24}\|>|<(?:start|end)_of_turn>|\[\/?INST\]|<<\/?SYS>>/iu;
/** A turn of which no more than the beginning stands in the line. */
const turnBegun = /(?:<\|(?:end_header_id|im_start)\|>|<start_of_turn>)[^<]{0,24}$/u;
/** What would follow a state that has ended. */
const outside = /^\s*(?:question|instructions?|task|system|assistant|answer|reply)\s*:/iu;
/** A line of a list of options, which an order to choose follows. */
const optionLine = /^\s*\(?[A-Za-z0-9]{1,2}\s*[:)]\s/u;
/** What a decider would have written. */
const verdict = /\{\s*"(?:answer|label|choice|verdict|prediction|classification)"\s*:/u;
/** Lines longer than this are no line of a list, and no order. Unit: characters. */
const shortLine = 200;
const linesAtOnce = 256;

/**
 * A text without what pretends that it has ended: the rest of a line after a closing tag that no line before opened, or a
 * verdict in JSON, with the lines behind that go on as a prompt would; turns of a chat template; answers of a role; options with
 * an order to choose one.
 * Orders that go on a sentence without an end stand apart. Pairs of tags are ordinary markup and stay, as do chat transcripts and JSON that a text begins with.
 */
export function* withoutForgedFrames(text: string): Generator<void, string> {
  const isTranscript = turn.exec(text.slice(0, shortLine).trimStart())?.index === 0;
  const isJson = /^\s*[[{]/u.test(text);
  const kept: string[] = [];
  let [isOutside, isInTurn, isBegun] = [false, false, false];
  const lines = text.split('\n');
  const own = isTranscript || isJson ? lines : yield* withoutForgedTurns(lines);
  for (const [index, line] of own.entries()) {
    if (index % linesAtOnce === linesAtOnce - 1) yield;
    const isBlank = line.trim() === '';
    if (isInTurn && (!isBlank || isBegun)) {
      isBegun &&= isBlank;
      isBegun ||= turnBegun.test(line);
      continue;
    }
    if (isOutside && (isBlank || outside.test(line))) continue;
    const turned = isTranscript ? Infinity : (turn.exec(line)?.index ?? Infinity);
    const ended = Math.min(unopened(line), isJson ? Infinity : forgedVerdict(line));
    isInTurn = turned < ended;
    isBegun = isInTurn && turnBegun.test(line);
    isOutside = ended < turned;
    if (isOption(kept.at(-1) ?? '') && isOrder(line)) dropOptions(kept);
    kept.push(yield* withOrdersApart(line.slice(0, Math.min(line.length, turned, ended))));
  }
  return kept.join('\n');
}

/** Where a closing tag stands that nothing before it in the line opens. */
function unopened(line: string): number {
  if (!line.includes('</')) return Infinity;
  const lower = line.toLowerCase();
  const opened = new Map<string, number>();
  for (const { 1: name = '', index } of lower.matchAll(closing)) {
    const first = opened.get(name) ?? lower.indexOf(`<${name}`);
    opened.set(name, first);
    if (first < 0 || first > index) return index;
  }
  return Infinity;
}

/** Where a verdict stands behind other text. */
function forgedVerdict(line: string): number {
  const found = verdict.exec(line)?.index ?? 0;
  return line.slice(0, found).trim() === '' ? Infinity : found;
}

const isOption = (line: string): boolean => line.length <= shortLine && optionLine.test(line);

const isOrder = (line: string): boolean =>
  line.length <= shortLine && clauseKind(tokenize(line)) === 'instruction';

/** Takes the list of options back that the last lines are; one line alone is none. */
function dropOptions(kept: string[]): void {
  const from = kept.findLastIndex((line) => !isOption(line)) + 1;
  if (kept.length - from >= 2) kept.length = from;
}
