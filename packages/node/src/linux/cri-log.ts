/** Writes and reads the output of containers in the CRI log format: time, stream, F or P, text. */

/** Which output a line came from. */
export type OutputStream = "stdout" | "stderr";

const newline = 0x0a;
/** A longer line is written in parts. */
const longestPart = 16 * 1024;

/** Encodes the chunks of one stream as log lines. `time` returns RFC 3339 with nanoseconds. */
export function createLogEncoder(stream: OutputStream, time: () => string): (chunk: Buffer) => string {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const now = time();
    let text = "";
    for (;;) {
      const end = rest.indexOf(newline);
      // The byte after a part shows whether a character ends there.
      if (end === -1 && rest.length <= longestPart) return text;
      const isWhole = end !== -1 && end <= longestPart;
      const cut = isWhole ? end : startOfCharacter(rest, longestPart);
      text += `${now} ${stream} ${isWhole ? "F" : "P"} ${rest.toString("utf8", 0, cut)}\n`;
      rest = rest.subarray(isWhole ? cut + 1 : cut);
    }
  };
}

/** Where a part can end without splitting a UTF-8 character; invalid UTF-8 may be split anywhere. */
function startOfCharacter(bytes: Buffer, at: number): number {
  for (let back = 0; back < 4; back++) if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  return at;
}

/** One entry of a log. */
export interface LogEntry {
  readonly time: string;
  readonly stream: OutputStream;
  /** Whether this is the last part of the line. */
  readonly isWhole: boolean;
  readonly text: string;
}

/** Parses a log line; `undefined` if a crash truncated it. */
export function parseLogLine(line: string): LogEntry | undefined {
  const match = /^(\S+) (stdout|stderr) ([FP]) ?(.*)$/s.exec(line);
  if (match === null) return undefined;
  const [, time = "", stream, tag, text = ""] = match;
  return { time, stream: stream === "stderr" ? "stderr" : "stdout", isWhole: tag === "F", text };
}

/** Text at the end of a stream without a newline is logged as a partial line. */
export function endOfStream(encode: (chunk: Buffer) => string): string {
  const text = encode(Buffer.from("\n"));
  // If the stream ended with a newline, only the newline added above remains.
  return / [FP] \n$/.test(text) ? "" : text.replace(/ F (.*\n)$/, " P $1");
}
