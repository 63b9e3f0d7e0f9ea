/** Encodes and decodes frames: one byte for the channel, four for the length, then the bytes. */

/** Bytes on a channel. */
export interface Frame {
  readonly channel: number;
  readonly bytes: Buffer;
}

const headerLength = 5;

export function toFrame(channel: number, bytes: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headerLength + bytes.length);
  frame[0] = channel;
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, headerLength);
  return frame;
}

/** Returns the frames that each chunk completes. */
export function createFrameCutter(): (chunk: Buffer) => readonly Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames: Frame[] = [];
    while (rest.length >= headerLength) {
      const end = headerLength + rest.readUInt32BE(1);
      if (rest.length < end) break;
      frames.push({ channel: rest[0] ?? 0, bytes: rest.subarray(headerLength, end) });
      rest = rest.subarray(end);
    }
    return frames;
  };
}
