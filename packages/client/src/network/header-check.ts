/** What no header may hold: a line break in it would begin another header, or another request (RFC 9110, section 5.5). */
import { ApiError } from "../error/api-error.ts";
import type { RequestHeaders } from "../transport/transport.ts";

const forbiddenCharacters = /[\0\r\n]/u;

/** The name of a header that must not be sent, if there is one. */
export function invalidHeader(headers: RequestHeaders): string | undefined {
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const isBroken =
      typeof value === "string" ? forbiddenCharacters.test(value) : value.some((one) => forbiddenCharacters.test(one));
    if (isBroken || forbiddenCharacters.test(name)) return name;
  }
  return undefined;
}

/** What is said of it; not what it holds, which may be a secret. */
export function headerError(name: string): ApiError {
  const message = `Cannot send a request: its header ${JSON.stringify(name)} holds a line break or a zero. Remove it where the value comes from.`;
  return new ApiError({ code: "BadRequest", message });
}
