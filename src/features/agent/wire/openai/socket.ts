import { invalidValue } from '../../../../kernel/faults.ts';
import type { SocketForm } from '../../../../kernel/http/operation.ts';
import type { Json, JsonObject } from '../../../../kernel/kit/json.ts';

/** How OpenAI's clients ask for responses over a WebSocket. */
export const responseSocket: SocketForm = {
  read(message) {
    const { type, stream_id: lane = null, stream: _stream, background: _background, ...body } = message;
    if (type === 'response.steer') return { answer: refuseSteering(message) };
    if (type !== 'response.create')
      throw invalidValue("Invalid value: 'type' must be response.create.", 'type');
    if (lane !== null && typeof lane !== 'string')
      throw invalidValue("Invalid value: 'stream_id'.", 'stream_id');
    return { lane, body: { ...body, stream: true } };
  },
  // Events are written by the server, so that their end is known.
  write: (data, lane) => (lane === null ? data : `${data.slice(0, -1)},"stream_id":${JSON.stringify(lane)}}`),
  fail(status, { 'retry-after': wait }, body, lane) {
    return {
      type: 'error',
      status,
      ...body,
      ...(wait !== undefined && { headers: { 'retry-after': wait } }),
      ...(lane !== null && { stream_id: lane }),
    };
  },
  expired: {
    type: 'error',
    status: 400,
    error: {
      type: 'invalid_request_error',
      code: 'websocket_connection_limit_reached',
      message: 'This connection is 60 minutes old. Open a new one to go on.',
      param: null,
    },
  },
};

/** No model here takes input while it answers. */
function refuseSteering({
  previous_response_id: id = '',
  input = [],
}: JsonObject): Readonly<Record<string, Json>> {
  return {
    type: 'response.steer.failed',
    sequence_number: 0,
    steer: { previous_response_id: id, input },
    error: {
      type: 'invalid_request_error',
      code: 'steering_not_supported',
      message: 'This server does not support steering: wait for the end of the response, and go on from it.',
    },
  };
}
