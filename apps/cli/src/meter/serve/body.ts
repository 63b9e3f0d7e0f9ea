/** Reads the body of a request as text, up to a limit. */
import type { IncomingMessage } from "node:http";
import { HttpError } from "./http-error.ts";

/** The largest body. */
export const bodyLimit: number = 64 * 1024 * 1024;

/** The body; one beyond the limit is refused before it is kept. */
export async function readBody(request: IncomingMessage): Promise<string> {
  if (request.headers["content-encoding"] !== undefined)
    throw new HttpError(415, "send the body without a content encoding");
  if (Number(request.headers["content-length"] ?? 0) > bodyLimit) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > bodyLimit) throw tooLarge();
    parts.push(part);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch (cause) {
    throw new HttpError(400, "the body is not UTF-8", { cause });
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, "the body is larger than 64 MiB; send the records in parts");
}
