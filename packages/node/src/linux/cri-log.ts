/** Writes and reads the output of containers in the format of the container runtime interface: time, stream, F or P, text. */

/** Which output a line came from. */
export type OutputStream = "stdout" | "stderr";

const newline = 0x0a;
/** A line that is longer is written in parts. */
const longestPart = 16 * 1024;

/** Turns the chunks of one stream into lines of a log. `time` gives RFC 3339 with nanoseconds. */
export function createLogEncoder(stream: OutputStream, time: () => string): (chunk: Buffer) => string {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const now = time();
    let text = "";
    for (;;) {
      const end = rest.indexOf(newline);
      // The byte after a part tells whether a character ends with it.
      if (end === -1 && rest.length <= longestPart) return text;
      const isWhole = end !== -1 && end <= longestPart;
      const cut = isWhole ? end : startOfCharacter(rest, longestPart);
      text += `${now} ${stream} ${isWhole ? "F" : "P"} ${rest.toString("utf8", 0, cut)}\n`;
      rest = rest.subarray(isWhole ? cut + 1 : cut);
    }
  };
}

/** Where a part can end so that no character of UTF-8 is cut in two; what is no text may be cut anywhere. */
function startOfCharacter(bytes: Buffer, at: number): number {
  for (let back = 0; back < 4; back++) if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  return at;
}

/** One entry of a log. */
export interface LogEntry {
  readonly time: string;
  readonly stream: OutputStream;
  /** Whether the line ends here. */
  readonly isWhole: boolean;
  readonly text: string;
}

/** Reads a line of a log; `undefined` is one that was cut off by a crash. */
export function parseLogLine(line: string): LogEntry | undefined {
  const match = /^(\S+) (stdout|stderr) ([FP]) ?(.*)$/s.exec(line);
  if (match === null) return undefined;
  const [, time = "", stream, tag, text = ""] = match;
  return { time, stream: stream === "stderr" ? "stderr" : "stdout", isWhole: tag === "F", text };
}

/** What is left of a stream that ends without a newline is told as the part of a line that it is. */
export function endOfStream(encode: (chunk: Buffer) => string): string {
  const text = encode(Buffer.from("\n"));
  // A stream that ended with a newline has nothing left but the one just added.
  return / [FP] \n$/.test(text) ? "" : text.replace(/ F (.*\n)$/, " P $1");
}
