/** Plain text responses. */
import type { Answer } from "../answer.ts";

/** A text with the headers of Go's `http.Error`. */
export function plainText(status: number, body: string): Answer {
  const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
  return { status, headers, body };
}

/** A text with the content type that Go detects. */
export function bareText(body: string): Answer {
  return { status: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** The response for an unknown path. */
export function pageNotFound(): Answer {
  return plainText(404, "404 page not found\n");
}
