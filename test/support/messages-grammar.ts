import assert from 'node:assert/strict';

export interface MessageEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly type: string };
}

/** The events of a stream as they stand on the wire. Every one has an event line that says what its data says. */
export function parseMessageEvents(wire: string): MessageEvent[] {
  assert.ok(wire.endsWith('\n\n'), 'a stream ends with a whole event');
  return wire
    .slice(0, -2)
    .split('\n\n')
    .map((piece) => {
      const match = /^event: (?<event>[a-z_]+)\ndata: (?<data>[^\n]+)$/.exec(piece);
      assert.ok(match?.groups, `no event: ${JSON.stringify(piece)}`);
      const data = JSON.parse(match.groups['data'] ?? '') as MessageEvent['data'];
      const event = match.groups['event'] ?? '';
      assert.equal(data.type, event);
      return { event, data };
    });
}

export interface ReadMessage {
  /** As a client puts them together: text, or arguments as JSON text. */
  readonly content: readonly Record<string, unknown>[];
  readonly stopReason: string | null;
  readonly stopSequence: string | null;
  readonly start: Readonly<Record<string, unknown>>;
  readonly usage: unknown;
  /** Null where the stream ended as it should. */
  readonly error: Readonly<Record<string, unknown>> | null;
  /** Deltas in order. */
  readonly deltas: readonly string[];
}

const deltaTypes: Readonly<Record<string, string>> = {
  text: 'text_delta',
  thinking: 'thinking_delta',
  tool_use: 'input_json_delta',
};

type State = 'start' | 'between' | 'block' | 'stopping' | 'over';

/** Contract 14.4 as a machine: what may come after what. Returns what a client would have read. */
export function readMessageEvents(events: readonly MessageEvent[]): ReadMessage {
  let state: State = 'start';
  const content: { head: Record<string, unknown>; text: string }[] = [];
  const deltas: string[] = [];
  let start: Record<string, unknown> = {};
  let delta: Record<string, unknown> = {};
  let usage: unknown = null;
  let error: Record<string, unknown> | null = null;
  const expect = (...states: State[]) =>
    assert.ok(states.includes(state), `${state} does not come before this event`);
  for (const { event, data } of events) {
    switch (event) {
      case 'message_start':
        expect('start');
        start = data['message'] as Record<string, unknown>;
        state = 'between';
        break;
      case 'ping':
        expect('between', 'block');
        break;
      case 'content_block_start':
        expect('between');
        assert.equal(data['index'], content.length, 'blocks are counted without gaps');
        content.push({ head: data['content_block'] as Record<string, unknown>, text: '' });
        state = 'block';
        break;
      case 'content_block_delta': {
        expect('block');
        const block = content.at(-1);
        const told = data['delta'] as Record<string, string>;
        assert.ok(block);
        assert.equal(data['index'], content.length - 1);
        if (told['type'] === 'signature_delta') {
          assert.equal(block.head['type'], 'thinking');
          assert.equal(block.head['signature'], '', 'a thought is signed once');
          block.head['signature'] = told['signature'];
          break;
        }
        assert.equal(told['type'], deltaTypes[String(block.head['type'])]);
        const piece = told['text'] ?? told['thinking'] ?? told['partial_json'] ?? '';
        assert.notEqual(piece, '');
        deltas.push(piece);
        block.text += piece;
        break;
      }
      case 'content_block_stop':
        expect('block');
        assert.equal(data['index'], content.length - 1);
        state = 'between';
        break;
      case 'message_delta':
        expect('between');
        delta = data['delta'] as Record<string, unknown>;
        usage = data['usage'];
        state = 'stopping';
        break;
      case 'message_stop':
        expect('stopping');
        state = 'over';
        break;
      case 'error':
        expect('between', 'block');
        error = data;
        state = 'over';
        break;
      default:
        assert.fail(`unknown event ${event}`);
    }
  }
  assert.equal(state, 'over', 'a stream ends with message_stop or error');
  return {
    content: content.map(({ head, text }) => ({
      ...head,
      ...(head['type'] === 'text' && { text }),
      ...(head['type'] === 'thinking' && { thinking: text }),
      ...(head['type'] === 'tool_use' && { input: text }),
    })),
    stopReason: (delta['stop_reason'] ?? null) as string | null,
    stopSequence: (delta['stop_sequence'] ?? null) as string | null,
    start,
    usage,
    error,
    deltas,
  };
}
