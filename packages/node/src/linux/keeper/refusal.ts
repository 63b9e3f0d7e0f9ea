/**
 * Tells apart what a command says and what the program before it says, which enters the container, sets the variables and could not become the
 * command. Its one line is held back until that is known. Pure.
 */

/** Where output goes. */
export type Pass = (channel: number, bytes: Buffer) => void;

/** Output that may be a refusal. */
export interface RefusalSieve {
  readonly take: Pass;
  /** The line in which the command was refused, if it was; otherwise everything has been passed on. */
  readonly end: (code: number | null) => string | undefined;
}

/** What such programs end with: there is no command, or it cannot be run. */
const refusals: ReadonlySet<number | null> = new Set([126, 127]);
const longestLine = 8192;

/** What is said besides, of a program whose name has a space in it. */
const advice = /\n[^\n]*: use -\[v\]S to pass options in shebang lines\r?$/;

/** Whether words may be a refusal: one line and no more, but for advice. */
export function isRefusal(words: string): boolean {
  return words.endsWith("\n") && !words.slice(0, -1).replace(advice, "").includes("\n");
}

/** Holds back one line that begins with the given words. */
export function createRefusalSieve(beginning: string, pass: Pass): RefusalSieve {
  const held: (readonly [number, Buffer])[] = [];
  let isOpen = beginning === "";
  const text = (): string => Buffer.concat(held.map(([, bytes]) => bytes)).toString("utf8");
  const open = (): void => {
    isOpen = true;
    for (const [channel, bytes] of held.splice(0)) pass(channel, bytes);
  };
  return {
    take(channel, bytes) {
      if (isOpen) return pass(channel, bytes);
      held.push([channel, bytes]);
      if (!mayBeRefusal(text(), beginning)) open();
    },
    end(code) {
      const line = text();
      if (refusals.has(code) && line.startsWith(beginning) && isRefusal(line))
        return line.slice(0, line.indexOf("\n")).trimEnd();
      open();
      return undefined;
    },
  };
}

function mayBeRefusal(text: string, beginning: string): boolean {
  if (text.length > longestLine) return false;
  const [first = "", second = "", ...more] = text.split("\n");
  return (
    more.join("") === "" && [first, second].every((line) => line.startsWith(beginning) || beginning.startsWith(line))
  );
}
