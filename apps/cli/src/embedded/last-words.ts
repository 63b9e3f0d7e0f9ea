/** Extracts the error of a command from its output; it need not be the last line. Pure. */

/** The error sentence without prefix and stack; the last lines if there is none; empty for an empty log. */
export function lastWordsOf(log: string): string {
  const lines = log.trim().split("\n");
  const start = lines.findLastIndex((line) => line.startsWith(mark));
  if (start === -1) return lines.slice(-5).join("\n");
  const [first = "", ...rest] = lines.slice(start);
  const sentence = first.slice(mark.length);
  const end = rest.findIndex((line) => isFrame(line) || line.endsWith(`: ${sentence}`));
  return [sentence, ...(end === -1 ? rest : rest.slice(0, end))].join("\n");
}

const mark = "capstan: ";

function isFrame(line: string): boolean {
  return /^ +at /.test(line);
}
