/** Why a command ended, out of all that it said: its own sentence, not the lines that happen to come last. Pure. */

/** The sentence of a log without its mark and without a stack; the last lines where there is none, nothing where nothing was said. */
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
