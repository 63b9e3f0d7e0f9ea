/** Sends requests to a server in process and parses the response as JSON. */
import type { ApiServer } from "../src/index.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
}

/** Sends a request; a body is sent as JSON. */
export async function ask(server: ApiServer, method: string, path: string, body?: unknown): Promise<Reply> {
  const init =
    body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await server.fetch(new Request(`http://in-process${path}`, { method, ...init }));
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Repeats a GET until the response is as expected. */
export async function askUntil(server: ApiServer, path: string, isExpected: (reply: Reply) => boolean): Promise<Reply> {
  // Limited by time, not by count: the number of possible requests depends on the machine.
  for (const end = performance.now() + 120_000; performance.now() < end;) {
    const reply = await ask(server, "GET", path);
    if (isExpected(reply)) return reply;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${path} never showed what was expected`);
}
