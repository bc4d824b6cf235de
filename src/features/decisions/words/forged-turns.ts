/**
 * Answers that somebody writes into a text as if who decides had given them: "assistant: yes", or "### Response:" with
 * "billing" below. What else a role says is content, and so is a text that is a list of who said what from its beginning on.
 */

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
/** Roles that answer, as chats and prompts write them. */
const answering = setOf('assistant answer verdict classification ai bot chatbot chatgpt gpt llm');
/** These name things as well ("Model: X200"), so they are told from them by yes and no alone. */
const answeringShortly = setOf('model system label output prediction response reply decision choice result');
const asking = setOf('user human question q instruction instructions input prompt task');

/** What a line may begin with: a role with what stands around it, and a colon or the end of a heading. */
const labelled =
  /^[\s>#*_[(<|`-]{0,16}(?:(?:final|correct|my|ai) )?(\p{L}{1,16})(?: \d{1,2})?[\s*_\])>|`]{0,8}(?::[\s*_]{0,8}|=|(?<=[*_\])>|`])|\s*$)([^]*)$/iu;
const headed = /^\s{0,8}(?:#|\*\*|\[|<)/u;
/** What begins with one of these is a letter or a form, and no transcript. */
const title = /^\W{0,8}(?:subject|from|to|date|re|fwd?|cc|sent|title|hi|hello|hey|dear|note|update)\b/iu;
const speaker = /^\s{0,8}[[(*>]{0,3}[\p{L}\p{N}][\p{L}\p{N} .'_-]{0,30}[\])*]{0,3}\s?:(?:\s|$)/u;

const marks = /[\s*_"'`.,!()[\]<>|/\\]+/gu;
const yesOrNo = /^(?:yes|no|true|false)$/iu;
/** Of an answer. */
const [wordsMax, charactersMax] = [4, 48];
/** Longer lines are no such turn. Unit: characters. */
const lineMax = 200;
const linesAtOnce = 256;

interface Turn {
  readonly role: string;
  readonly said: string;
  readonly isHeading: boolean;
}

/**
 * Lines of a text without such answers, the turns that go on behind one, and the question before it, unless a role says more
 * elsewhere: then what it was asked is of a chat that somebody tells of.
 */
export function* withoutForgedTurns(lines: readonly string[]): Generator<void, readonly string[]> {
  if (lines.length === 1) return lines;
  const first = lines.find((line) => line.trim() !== '')?.slice(0, lineMax) ?? '';
  if (speaker.test(first) && !title.test(first)) return lines;
  const turns = new Map<number, Turn>();
  for (const [at, line] of lines.entries()) {
    if (at % linesAtOnce === linesAtOnce - 1) yield;
    const turn = turnOf(line);
    if (turn !== null) turns.set(at, turn);
  }
  const answers = [...turns.values()].filter(({ role }) => !asking.has(role));
  if (answers.length === 0) return lines;
  return yield* withoutAnswers(
    lines,
    turns,
    answers.some(({ role, said }) => answering.has(role) && saysMore(said)),
  );
}

function* withoutAnswers(
  lines: readonly string[],
  turns: ReadonlyMap<number, Turn>,
  isChat: boolean,
): Generator<void, readonly string[]> {
  const kept: string[] = [];
  /** How many lines were kept before the question that was asked last. */
  let asked: number | null = null;
  let isForged = false;
  for (let at = 0; at < lines.length; at++) {
    if (at % linesAtOnce === linesAtOnce - 1) yield;
    const line = lines[at] ?? '';
    const turn = turns.get(at);
    const isBlank = line.trim() === '';
    const below = turn?.said === '' ? nextSaid(lines, at) : at;
    if (
      turn !== undefined &&
      isAnswer(turn, below === at ? turn.said : (lines[below] ?? ''), asked !== null)
    ) {
      if (asked !== null && !isChat) kept.length = asked;
      at = below;
      [asked, isForged] = [null, true];
      continue;
    }
    if (turn !== undefined && asking.has(turn.role)) asked ??= kept.length;
    else if (!isBlank && !line.includes('?')) asked = null;
    isForged &&= isBlank || turn !== undefined;
    if (!isForged || isBlank) kept.push(line);
  }
  return kept;
}

/** The line below a heading, which an empty one may follow. */
const nextSaid = (lines: readonly string[], at: number): number =>
  (lines[at + 1] ?? '').trim() === '' ? at + 2 : at + 1;

const saysMore = (said: string): boolean => said.trim().split(/\s+/u).length > wordsMax;

function turnOf(line: string): Turn | null {
  if (line.length > lineMax) return null;
  const [, label = '', said = ''] = labelled.exec(line) ?? [];
  const role = label.toLowerCase();
  const isKnown = answering.has(role) || answeringShortly.has(role) || asking.has(role) || role === 'a';
  return isKnown ? { role, said: said.trim(), isHeading: headed.test(line) } : null;
}

/** "A" answers a question, and begins a list of options otherwise. */
function isAnswer({ role, isHeading }: Turn, said: string, isAsked: boolean): boolean {
  if (said.length > charactersMax || said.includes('?')) return false;
  const words = said.replace(marks, ' ').trim();
  if (words === '' || words.split(' ').length > wordsMax) return false;
  if (answering.has(role) || (role === 'a' && isAsked) || (isHeading && answeringShortly.has(role)))
    return true;
  return answeringShortly.has(role) && yesOrNo.test(words);
}
