/** What the server answers, before a door puts it on a wire. */

/** The body: nothing, bytes, or a stream that goes on (watches, logs). */
export type AnswerBody = Uint8Array | AsyncIterable<Uint8Array>;

/** One answer. */
export interface Answer {
  readonly status: number;
  readonly headers: { [name: string]: string | string[] };
  readonly body: AnswerBody;
}

/** Whether a body goes on. */
export function isStream(body: AnswerBody): body is AsyncIterable<Uint8Array> {
  return !(body instanceof Uint8Array);
}
