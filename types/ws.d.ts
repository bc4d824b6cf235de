/** What is used of it: types for it are a package of their own, and larger than this. */
declare module 'ws' {
  import type { EventEmitter } from 'node:events';
  import type { IncomingMessage } from 'node:http';
  import type { Duplex } from 'node:stream';

  export class WebSocket extends EventEmitter<{
    message: [data: Buffer, isBinary: boolean];
    pong: [];
    close: [];
    error: [error: Error];
    'unexpected-response': [request: unknown, response: IncomingMessage];
  }> {
    /** The client, which the tests use. */
    constructor(url: string, options: { readonly headers: Readonly<Record<string, string>> });
    static readonly OPEN: number;
    static readonly CLOSED: number;
    pause(): void;
    resume(): void;
    send(text: string, done: (error?: Error | null) => void): void;
    ping(): void;
    close(code: number, reason: string): void;
    terminate(): void;
  }

  export class WebSocketServer extends EventEmitter {
    constructor(options: {
      noServer: true;
      maxPayload: number;
      perMessageDeflate: false;
      clientTracking: false;
    });
    handleUpgrade(
      request: IncomingMessage,
      socket: Duplex,
      head: Buffer,
      done: (socket: WebSocket) => void,
    ): void;
  }
}
