/** Splits a stream of chunks into lines; a line within one chunk is a view, not a copy. */

const newline = 0x0a;

/** Keeps the incomplete line between chunks. */
export interface LineSplitter {
  /** The lines that this chunk completes, without newline. */
  push(chunk: Uint8Array): Uint8Array[];
  /** The incomplete last line when the stream ends, if any. */
  remainder(): Uint8Array | undefined;
}

/** Creates a splitter. Empty lines are dropped by default. */
export function createLineSplitter(empty?: "keep empty lines"): LineSplitter {
  let begun: Uint8Array[] = [];

  function complete(end: Uint8Array): Uint8Array {
    if (begun.length === 0) return end;
    const line = Buffer.concat([...begun, end]);
    begun = [];
    return line;
  }

  return {
    push(chunk) {
      const lines: Uint8Array[] = [];
      let from = 0;
      for (let to = chunk.indexOf(newline); to !== -1; to = chunk.indexOf(newline, from)) {
        const line = complete(chunk.subarray(from, to));
        if (line.length > 0 || empty !== undefined) lines.push(line);
        from = to + 1;
      }
      if (from < chunk.length) begun.push(chunk.subarray(from));
      return lines;
    },
    remainder() {
      const line = complete(new Uint8Array());
      return line.length === 0 ? undefined : line;
    },
  };
}
