/** Rejects header values with line breaks, which would inject headers or requests (RFC 9110, section 5.5). */
import { ApiError } from "../error/api-error.ts";
import type { RequestHeaders } from "../transport/transport.ts";

const forbiddenCharacters = /[\0\r\n]/u;

/** The name of the first invalid header, if any. */
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

/** The error names the header but not its value, which may be secret. */
export function headerError(name: string): ApiError {
  const message = `Cannot send a request: its header ${JSON.stringify(name)} holds a line break or a zero. Remove it where the value comes from.`;
  return new ApiError({ code: "BadRequest", message });
}
