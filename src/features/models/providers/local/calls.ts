import { Fault } from '../../../../kernel/faults.ts';
import type { ModelEvent } from '../../model.ts';
import type { ToolFormat } from './tool-format.ts';

/** Reads calls as the grammar allows them and emits them as they come. Other text is Fault `bad_gateway`. */
export class CallReader {
  readonly #format: ToolFormat;
  readonly #isParallel: boolean;
  readonly #idOf: (index: number) => string;
  #expected: 'open' | 'name' | 'arguments' | 'next' | 'nothing' = 'open';
  /** Text that has to come before the first name. */
  readonly #open: string;
  #held = '';
  #count = 0;
  #json = new ObjectEnd();

  constructor(format: ToolFormat, open: string, isParallel: boolean, idOf: (index: number) => string) {
    this.#format = format;
    this.#open = open;
    this.#isParallel = isParallel && format.between !== null;
    this.#idOf = idOf;
  }

  get isOver(): boolean {
    return this.#expected === 'nothing';
  }

  /** Calls that are complete, and no other has begun. */
  get isComplete(): boolean {
    return this.isOver || (this.#expected === 'next' && this.#count > 0 && this.#held === this.#format.close);
  }

  push(text: string): readonly ModelEvent[] {
    this.#held += text;
    const events: ModelEvent[] = [];
    while (this.#step(events));
    return events;
  }

  get isCut(): boolean {
    return this.#expected === 'arguments';
  }

  /** Whether more can be read from what is held. */
  #step(events: ModelEvent[]): boolean {
    switch (this.#expected) {
      case 'open':
        return this.#begin();
      case 'name':
        return this.#name(events);
      case 'arguments':
        return this.#arguments(events);
      case 'next':
        return this.#next();
      case 'nothing':
        return false;
    }
  }

  #begin(): boolean {
    this.#held = this.#held.trimStart();
    const wanted = this.#open.trimStart();
    if (this.#held.startsWith(wanted)) {
      this.#held = this.#held.slice(wanted.length);
      this.#expected = 'name';
      return true;
    }
    if (!wanted.startsWith(this.#held)) throw unreadable();
    return false;
  }

  #name(events: ModelEvent[]): boolean {
    const at = this.#held.indexOf(this.#format.middle);
    if (at < 0) return false;
    events.push({ type: 'tool-call-start', id: this.#idOf(this.#count), name: this.#held.slice(0, at) });
    this.#held = this.#held.slice(at + this.#format.middle.length);
    this.#expected = 'arguments';
    this.#json = new ObjectEnd();
    return true;
  }

  #arguments(events: ModelEvent[]): boolean {
    const end = this.#json.find(this.#held);
    const piece = this.#held.slice(0, end ?? this.#held.length);
    const id = this.#idOf(this.#count);
    if (piece !== '') events.push({ type: 'tool-call-delta', id, arguments: piece });
    this.#held = this.#held.slice(piece.length);
    if (end === null) return false;
    events.push({ type: 'tool-call-end', id });
    this.#count += 1;
    this.#expected = 'next';
    return true;
  }

  /** Another call, or the end; where both begin alike, only the end of the answer decides. */
  #next(): boolean {
    const { between, close } = this.#format;
    const more = this.#isParallel ? between : null;
    if (more !== null && this.#held.startsWith(more)) {
      this.#held = this.#held.slice(more.length);
      this.#expected = 'name';
      return true;
    }
    if (more?.startsWith(this.#held)) return false;
    if (this.#held.startsWith(close)) {
      this.#expected = 'nothing';
      return false;
    }
    if (!close.startsWith(this.#held)) throw unreadable();
    return false;
  }
}

/** Finds where a JSON object ends that comes in pieces. */
class ObjectEnd {
  #depth = 0;
  #inText = false;
  #escaped = false;

  /** Index behind the object; null while it goes on. */
  find(text: string): number | null {
    for (let index = 0; index < text.length; index++) {
      const character = text[index];
      if (this.#inText) {
        this.#inText = this.#escaped || character !== '"';
        this.#escaped = !this.#escaped && character === '\\';
      } else if (character === '"') this.#inText = true;
      else if (character === '{' || character === '[') this.#depth += 1;
      else if (character === '}' || character === ']') this.#depth -= 1;
      if (this.#depth === 0 && character === '}' && !this.#inText) return index + 1;
    }
    return null;
  }
}

function unreadable(): Fault {
  return new Fault('bad_gateway', 'The local model gave an unusable answer.');
}
