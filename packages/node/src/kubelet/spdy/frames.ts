/**
 * Cuts the bytes of a SPDY/3.1 connection into frames. Data is passed on as it arrives; only control frames are buffered, and they are
 * small.
 */

/** A frame, or the part of a data frame that has arrived. */
export type Frame =
  | { readonly is: "control"; readonly type: number; readonly flags: number; readonly payload: Buffer }
  | { readonly is: "data"; readonly id: number; readonly bytes: Buffer; readonly isLast: boolean };

/** The client violates the protocol, or the limits of this server. */
export class SpdyError extends Error {
  override readonly name = "SpdyError";
  readonly code: "TooLarge" | "TooMany" | "Malformed";

  constructor(code: SpdyError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** The largest payload of a control frame. Kubernetes clients send some hundred bytes. */
export const LARGEST_CONTROL: number = 64 * 1024;

/** Flag of the last frame of a stream. */
export const LAST = 0x01;

const headerLength = 8;

/** Makes a function that takes chunks as they arrive and yields their frames. */
export function createFrameCutter(): (chunk: Buffer) => Generator<Frame> {
  const head = Buffer.alloc(headerLength);
  let headAt = 0;
  let left = 0;
  let parts: Buffer[] = [];

  function* take(bytes: Buffer): Generator<Frame> {
    left -= bytes.length;
    const flags = head[4] ?? 0;
    if (!isControl(head)) {
      const isLast = left === 0 && (flags & LAST) !== 0;
      yield { is: "data", id: head.readUInt32BE(0), bytes, isLast };
    } else {
      parts.push(bytes);
      if (left > 0) return;
      yield { is: "control", type: head.readUInt16BE(2), flags, payload: Buffer.concat(parts) };
      parts = [];
    }
    if (left === 0) headAt = 0;
  }

  return function* cut(chunk) {
    for (let at = 0; at < chunk.length;) {
      if (headAt < headerLength) {
        const copied = chunk.copy(head, headAt, at, at + headerLength - headAt);
        headAt += copied;
        at += copied;
        if (headAt < headerLength) return;
        left = head.readUIntBE(5, 3);
        if (isControl(head) && left > LARGEST_CONTROL)
          throw new SpdyError("TooLarge", `a control frame has ${left} bytes, more than ${LARGEST_CONTROL}`);
        if (left > 0) continue;
      }
      const end = Math.min(at + left, chunk.length);
      yield* take(chunk.subarray(at, end));
      at = end;
    }
  };
}

function isControl(head: Buffer): boolean {
  return ((head[0] ?? 0) & 0x80) !== 0;
}
