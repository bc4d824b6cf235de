import assert from 'node:assert/strict';

export type Json = Readonly<Record<string, unknown>>;

export interface WireEvent {
  readonly event: string;
  readonly data: Json & { readonly type: string; readonly sequence_number: number };
}

/** Every key of a response object, in the order of the wire. Contract 7.4. */
export const responseKeys = [
  'id',
  'object',
  'created_at',
  'completed_at',
  'status',
  'model',
  'output',
  'error',
  'incomplete_details',
  'usage',
  'background',
  'store',
  'previous_response_id',
  'instructions',
  'metadata',
  'max_output_tokens',
  'max_tool_calls',
  'max_steps',
  'parallel_tool_calls',
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'top_logprobs',
  'reasoning',
  'service_tier',
  'text',
  'tool_choice',
  'tools',
  'truncation',
  'user',
  'safety_identifier',
  'prompt_cache_key',
];

/** The events of a stream as they stand on the wire; pings are passed over. */
export function parseEvents(wire: string): WireEvent[] {
  if (wire === '') return [];
  assert.ok(wire.endsWith('\n\n'), 'a stream ends with a whole event');
  return wire
    .slice(0, -2)
    .split('\n\n')
    .filter((piece) => piece !== ': ping')
    .map((piece) => {
      const match = /^event: (?<event>[a-z_.]+)\ndata: (?<data>[^\n]+)$/.exec(piece);
      assert.ok(match?.groups, `no event: ${JSON.stringify(piece.slice(0, 200))}`);
      const data = JSON.parse(match.groups['data'] ?? '') as WireEvent['data'];
      assert.equal(data.type, match.groups['event'], 'the event line says what the data says');
      return { event: data.type, data };
    });
}

export function assertResponse(response: unknown): asserts response is Json {
  assert.ok(typeof response === 'object' && response !== null);
  assert.deepEqual(Object.keys(response), responseKeys);
  const { status, output, usage, completed_at: completedAt, error } = response as Json;
  assert.ok(
    ['completed', 'failed', 'in_progress', 'requires_action'].includes(String(status)),
    String(status),
  );
  assert.equal(error === null, status !== 'failed');
  assert.equal(completedAt === null, status === 'failed' || status === 'in_progress');
  if (status === 'in_progress') assert.deepEqual([output, usage], [[], null]);
}

export interface ReadRun {
  readonly response: Json;
  readonly events: readonly WireEvent[];
  /** Items as they were told to be done. */
  readonly items: readonly Json[];
  readonly deltas: readonly string[];
  /** Names of reasoning events in order. */
  readonly reasoning: readonly string[];
}

type State = 'start' | 'created' | 'between' | 'tools' | 'message' | 'call' | 'item' | 'over';

/** Contract 7.6 as a machine: what may come after what. Returns what a client would have read. */
export function readRun(events: readonly WireEvent[]): ReadRun {
  const machine = new Machine();
  for (const event of events) machine.read(event);
  return machine.end(events);
}

type Step = 'added' | 'part' | 'delta' | 'annotated' | 'text-done' | 'part-done' | 'arguments-done';

class Machine {
  #state: State = 'start';
  #sequence = 0;
  #index = 0;
  #items: Json[] = [];
  #deltas: string[] = [];
  #reasoning: string[] = [];
  #response: Json = {};
  /** Of the open item. */
  #item: Json = {};
  #text = '';
  #step: Step = 'added';
  #annotations: unknown[] = [];
  #loaded: string[] = [];

  read({ event, data }: WireEvent): void {
    assert.equal(data.sequence_number, this.#sequence++, 'sequence numbers have no gaps');
    assert.notEqual(this.#state, 'over', `${event} after the end`);
    switch (event) {
      case 'response.created':
      case 'response.in_progress':
        this.#expect(event === 'response.created' ? 'start' : 'created');
        assertResponse(data['response']);
        assert.equal(data['response']['status'], 'in_progress');
        this.#state = event === 'response.created' ? 'created' : 'between';
        return;
      case 'response.completed':
      case 'response.failed':
        return this.#over(event, data);
      case 'response.skill.loaded':
        this.#expect('tools');
        this.#loaded.push(String(data['name']));
        return;
      case 'response.output_item.added':
        return this.#added(data);
      case 'response.output_item.done':
        return this.#done(data);
      default:
        if (event.startsWith('response.reasoning.')) return this.#think(event, data);
        assert.ok(this.#state === 'message' || this.#state === 'call', `${event} in ${this.#state}`);
        assert.equal(data['item_id'], this.#item['id']);
        assert.equal(data['output_index'], this.#index - 1);
        if (this.#state === 'message') this.#message(event, data);
        else this.#call(event, data);
    }
  }

  end(events: readonly WireEvent[]): ReadRun {
    assert.equal(this.#state, 'over', 'a stream ends with its last event');
    return {
      response: this.#response,
      events,
      items: this.#items,
      deltas: this.#deltas,
      reasoning: this.#reasoning,
    };
  }

  #expect(...states: State[]): void {
    assert.ok(states.includes(this.#state), `unexpected in ${this.#state}`);
  }

  #over(event: string, data: Json): void {
    assertResponse(data['response']);
    const response = data['response'];
    if (event === 'response.completed') {
      this.#expect('between');
      assert.ok(['completed', 'requires_action'].includes(String(response['status'])));
    } else {
      assert.equal(response['status'], 'failed');
      assert.deepEqual(Object.keys(data['error'] as object), ['message', 'code', 'type']);
      assert.deepEqual(data['error'], response['error']);
    }
    assert.deepEqual(response['output'], this.#items, 'the output is the items that were told');
    this.#response = response;
    this.#state = 'over';
  }

  #think(event: string, data: Json): void {
    const name = event.slice('response.reasoning.'.length);
    assert.equal(typeof data['thought'], 'string');
    this.#reasoning.push(name);
    if (name === 'started') {
      this.#expect('between');
      this.#state = 'tools';
      return;
    }
    this.#expect('tools');
    if (name === 'stopped') this.#state = 'between';
    else {
      const keys = {
        search_queries: 'queries',
        search_results: 'results',
        fetch_url_queries: 'urls',
        fetch_url_results: 'contents',
      };
      assert.ok(Object.hasOwn(keys, name), name);
      assert.ok(Array.isArray(data[keys[name as keyof typeof keys]]), name);
    }
  }

  #added({ output_index: index, item: told }: Json): void {
    this.#expect('between');
    assert.equal(index, this.#index++, 'items are counted without gaps');
    const item = told as Json;
    this.#item = item;
    [this.#text, this.#step, this.#annotations] = ['', 'added', []];
    const { type } = item;
    this.#state = type === 'message' ? 'message' : type === 'function_call' ? 'call' : 'item';
    if (type === 'message') {
      assert.match(String(item['id']), /^msg_[0-9a-f-]{36}$/);
      assert.deepEqual([item['status'], item['content'], item['role']], ['in_progress', [], 'assistant']);
    } else if (type === 'function_call') {
      assert.match(String(item['id']), /^fc_[0-9a-f-]{36}$/);
      assert.match(String(item['call_id']), /^call_[0-9A-Za-z]{24}$/);
      assert.deepEqual([item['status'], item['arguments']], ['in_progress', '']);
    } else if (type === 'skill_loaded')
      assert.ok(this.#loaded.includes(String(item['name'])), 'a skill is told before its item');
  }

  #message(event: string, data: Json): void {
    assert.equal(data['content_index'], 0);
    const name = event.slice('response.'.length);
    switch (name) {
      case 'content_part.added':
        this.#after('added');
        assert.deepEqual(data['part'], { type: 'output_text', text: '', annotations: [], logprobs: [] });
        this.#step = 'part';
        return;
      case 'output_text.delta':
        this.#after('part', 'delta');
        assert.notEqual(data['delta'], '');
        assert.deepEqual(data['logprobs'], []);
        this.#deltas.push(String(data['delta']));
        this.#text += String(data['delta']);
        this.#step = 'delta';
        return;
      case 'output_text.annotation.added':
        this.#after('delta', 'annotated');
        assert.equal(data['annotation_index'], this.#annotations.length);
        this.#annotations.push(data['annotation']);
        this.#step = 'annotated';
        return;
      case 'output_text.done':
        this.#after('delta', 'annotated');
        assert.equal(data['text'], this.#text, 'deltas are the text');
        this.#step = 'text-done';
        return;
      case 'content_part.done':
        this.#after('text-done');
        assert.deepEqual(data['part'], {
          type: 'output_text',
          text: this.#text,
          annotations: this.#annotations,
          logprobs: [],
        });
        this.#step = 'part-done';
        return;
      default:
        assert.fail(`unknown event ${event}`);
    }
  }

  #call(event: string, data: Json): void {
    switch (event) {
      case 'response.function_call_arguments.delta':
        this.#after('added', 'delta');
        assert.deepEqual(Object.keys(data), ['type', 'sequence_number', 'item_id', 'output_index', 'delta']);
        this.#text += String(data['delta']);
        this.#step = 'delta';
        return;
      case 'response.function_call_arguments.done':
        this.#after('delta');
        assert.deepEqual([data['arguments'], data['name']], [this.#text, this.#item['name']]);
        this.#step = 'arguments-done';
        return;
      default:
        assert.fail(`unknown event ${event}`);
    }
  }

  #done({ output_index: index, item: told }: Json): void {
    assert.equal(index, this.#index - 1);
    const item = told as Json;
    if (this.#state === 'message') {
      this.#after('part-done');
      const [part] = item['content'] as readonly Json[];
      assert.deepEqual(
        [item['id'], item['status'], part?.['text']],
        [this.#item['id'], 'completed', this.#text],
      );
      for (const annotation of this.#annotations as readonly Record<string, number>[])
        assert.match(this.#text.slice(annotation['start_index'], annotation['end_index']), /^\[\d+\]$/);
    } else if (this.#state === 'call') {
      this.#after('arguments-done');
      assert.deepEqual(item, { ...this.#item, arguments: this.#text, status: 'completed' });
    } else {
      this.#expect('item');
      assert.deepEqual(item, this.#item);
    }
    this.#items.push(item);
    this.#state = 'between';
  }

  #after(...steps: Step[]): void {
    assert.ok(steps.includes(this.#step), `unexpected after ${this.#step}`);
  }
}
