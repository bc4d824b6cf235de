import type { ServerResponse } from 'node:http';

/**
 * Writes the body of a stream once its head is written, each piece of text as one string with its length and line ends. Node would hand
 * the socket four, for which the system is asked in another way: a delta in a packet of its own cost an eighth to a fifth more.
 * To be closed, so that Node writes the last chunk.
 */
export class ChunkWriter {
  readonly #response: ServerResponse;
  /** False for HEAD, for HTTP/1.0 and on a WebSocket. */
  readonly #isChunked: boolean;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#isChunked = response.chunkedEncoding;
    if (this.#isChunked) response.chunkedEncoding = false;
  }

  /** Whether the socket takes more. An empty text is not written: a chunk without bytes is the end of a body. */
  write(text: string): boolean {
    if (text === '') return true;
    if (!this.#isChunked) return this.#response.write(text);
    return this.#response.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
  }

  close(): void {
    if (this.#isChunked) this.#response.chunkedEncoding = true;
  }
}
