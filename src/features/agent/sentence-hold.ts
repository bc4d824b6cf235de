import { toAnswerSentences, type AnswerSentence } from '../verification/feature.ts';
import type { AgentEvent, Citation } from './events.ts';

type Judge = (
  sentences: readonly AnswerSentence[],
) => Promise<readonly ({ readonly isSupported: boolean } | null)[]>;

/** What stands where nothing of a message is left. */
const nothingLeft = 'The sources do not support what was to be said here.';
/** A paragraph that is longer without an end is let through in parts. Unit: UTF-16 units. */
const heldCharsMax = 8_000;

interface Kept {
  /** In the text as it was written, and where it begins in what was emitted. */
  readonly start: number;
  readonly end: number;
  readonly at: number;
}

/**
 * Holds the text of messages until their sentences are judged, and lets only those pass that are supported or cite
 * nothing. A sentence without citations waits for the one whose citations it shares.
 */
export class SentenceHold {
  readonly #judge: Judge;
  readonly #cites: () => boolean;
  #held = '';
  /** Units of the message before what is held. */
  #offset = 0;
  #emitted = '';
  #kept: Kept[] = [];
  #isOpen = false;

  /** `cites`: whether there is anything yet that could be cited; text is held only then. */
  constructor(judge: Judge, cites: () => boolean) {
    this.#judge = judge;
    this.#cites = cites;
  }

  async read(event: AgentEvent): Promise<readonly AgentEvent[]> {
    switch (event.type) {
      case 'message-start':
      case 'citation':
        return [];
      case 'text-delta':
        this.#held += event.text;
        if (!this.#cites()) return this.#release(true);
        // Only what may end a sentence can let one go.
        return /[.!?。\n\]]/.test(event.text) || this.#held.length > heldCharsMax ? this.#release(false) : [];
      case 'message-end':
        return this.#end(event.citations);
      default:
        return [event];
    }
  }

  async #release(isEnd: boolean): Promise<readonly AgentEvent[]> {
    const sentences = toAnswerSentences(this.#held);
    const count = isEnd || this.#held.length > heldCharsMax ? sentences.length : settled(sentences);
    const whole = sentences.slice(0, count);
    const last = whole.at(-1);
    const end = isEnd ? this.#held.length : (last?.end ?? 0);
    if (end === 0) return [];
    const judged = await this.#judge(whole);
    let text = '';
    let at = 0;
    for (const [place, sentence] of whole.entries()) {
      if (judged[place]?.isSupported !== false) text += this.#keep(at, sentence.end, text);
      at = sentence.end;
    }
    if (end > at) text += this.#keep(at, end, text);
    this.#held = this.#held.slice(end);
    this.#offset += end;
    return this.#say(text);
  }

  /** The text of a part, which is noted for the citations in it. */
  #keep(from: number, end: number, before: string): string {
    const said = this.#emitted + before;
    // Nothing begins with the space that followed what was left out.
    const start = said === '' ? end - this.#held.slice(from, end).trimStart().length : from;
    this.#kept.push({ start: this.#offset + start, end: this.#offset + end, at: said.length });
    return this.#held.slice(start, end);
  }

  #say(text: string): readonly AgentEvent[] {
    if (text === '') return [];
    const events: AgentEvent[] = this.#isOpen ? [] : [{ type: 'message-start' }];
    this.#isOpen = true;
    this.#emitted += text;
    return [...events, { type: 'text-delta', text }];
  }

  async #end(citations: readonly Citation[]): Promise<readonly AgentEvent[]> {
    const events = [...(await this.#release(true))];
    if (this.#emitted.trim() === '') events.push(...this.#say(nothingLeft));
    const moved = citations.flatMap((citation) => {
      const kept = this.#kept.find(({ start, end }) => citation.start >= start && citation.end <= end);
      if (kept === undefined) return [];
      const by = kept.at - kept.start;
      return [{ ...citation, start: citation.start + by, end: citation.end + by }];
    });
    for (const citation of moved) events.push({ type: 'citation', citation });
    events.push({ type: 'message-end', text: this.#emitted, citations: moved });
    [this.#held, this.#offset, this.#emitted, this.#kept, this.#isOpen] = ['', 0, '', [], false];
    return events;
  }
}

/** How many of the first sentences have ended, with those whose citations they share. The last may still go on. */
function settled(sentences: readonly AnswerSentence[]): number {
  let count = 0;
  for (let at = 0; at < sentences.length - 1; at++) {
    const [one, next] = [sentences[at], sentences[at + 1]];
    if (one === undefined || next === undefined) break;
    if (one.block !== next.block || /\[\d{1,4}[\d, ]*\]\s*[.!?]?\s*$/.test(one.text)) count = at + 1;
  }
  return count;
}
