/** Answers that are plain text. */
import type { Answer } from "../answer.ts";

/** A text as Go's server sends it. */
export function plainText(status: number, body: string): Answer {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body };
}

/** A text that Go takes for one by itself. */
export function bareText(body: string): Answer {
  return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** A path that nobody serves. */
export function pageNotFound(): Answer {
  return plainText(404, "404 page not found\n");
}
