/** The frames of HTTP/2 (RFC 9113, section 4): a nine-byte header and a payload. */

/** The frame types. */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** The frame flags; some bits differ by type. */
export const flag = { endStream: 0x1, ack: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

/** The error codes (section 7) that we send or understand. */
export const code = {
  none: 0,
  protocol: 1,
  flowControl: 3,
  frameSize: 6,
  refused: 7,
  cancel: 8,
  compression: 9,
} as const;

/** One frame; the payload is a view of the input. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const headLength = 9;

/** The default limit, which we never change. */
export const maxFrameSize = 16_384;

/** Writes a frame header into a buffer. */
function writeHead(into: Buffer, at: number, { type, flags, stream }: Omit<Frame, "payload">, length: number): void {
  into[at] = (length >> 16) & 0xff;
  into[at + 1] = (length >> 8) & 0xff;
  into[at + 2] = length & 0xff;
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(stream, at + 5);
}

/** A whole frame. */
export function toFrame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headLength + payload.length);
  writeHead(bytes, 0, { type, flags, stream }, payload.length);
  bytes.set(payload, headLength);
  return bytes;
}

/** A frame with a 32-bit number as payload. */
export function toNumberFrame(type: number, stream: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(headLength + 4);
  writeHead(bytes, 0, { type, flags: 0, stream }, 4);
  bytes.writeUInt32BE(value, headLength);
  return bytes;
}

/** Settings as a frame. */
export function toSettings(values: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.allocUnsafe(values.length * 6);
  values.forEach(([id, value], index) => {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  });
  return toFrame(frameType.settings, 0, 0, payload);
}

/** The peer violated the protocol: the connection must close. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: number;

  constructor(message: string, reason: number = code.protocol) {
    super(message);
    this.code = reason;
  }
}

/** Splits the input into frames. */
export class FrameReader {
  #rest: Buffer | undefined;

  /** Calls `onFrame` for every completed frame. */
  push(chunk: Buffer, onFrame: (frame: Frame) => void): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= headLength) {
      const length = bytes.readUIntBE(at, 3);
      if (length > maxFrameSize) throw new ProtocolError("a frame is larger than allowed", code.frameSize);
      const end = at + headLength + length;
      if (end > bytes.length) break;
      onFrame({
        type: bytes[at + 3] ?? 0,
        flags: bytes[at + 4] ?? 0,
        stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
        payload: bytes.subarray(at + headLength, end),
      });
      at = end;
    }
    this.#rest = at === bytes.length ? undefined : bytes.subarray(at);
  }
}

/** The payload without padding and priority. */
export function withoutPadding({ flags, payload }: Frame, mayHavePriority: boolean): Buffer {
  let from = 0;
  let to = payload.length;
  if ((flags & flag.padded) !== 0) {
    from = 1;
    to -= payload[0] ?? 0;
  }
  if (mayHavePriority && (flags & flag.priority) !== 0) from += 5;
  if (from > to) throw new ProtocolError("a frame is padded with more than it holds");
  return from === 0 && to === payload.length ? payload : payload.subarray(from, to);
}
