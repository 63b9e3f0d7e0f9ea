/**
 * Tells apart what a command says and what a program before it says, which enters the container, sets the variables and could not become the
 * command. Its one line is held back until that is known. Pure.
 */

/** Where output goes. */
export type Pass = (channel: number, bytes: Buffer) => void;

/** Output that may be a refusal. */
export interface RefusalSieve {
  readonly take: Pass;
  /** The command is known to run: all that it says is its own. */
  readonly open: () => void;
  /** The line in which the command was refused, if it was by whose words begin so; otherwise everything has been passed on. */
  readonly end: (beginning: string | undefined) => string | undefined;
}

/** What programs end with that become another: there is no such command, or it cannot be run. */
const codes: ReadonlySet<number | null> = new Set([126, 127]);

/** Whether whoever sets the variables may have ended like this. */
export function isRefusalCode(code: number | null): boolean {
  return codes.has(code);
}

/** The name of a command, which is in the line, can be as long as any word on a command line. */
const longestLine = 2 ** 18;

/** What is said besides, of a program whose name has a space in it. */
const advice = /\n[^\n]*: use -\[v\]S to pass options in shebang lines\r?$/;

/** Whether words may be a refusal: one line and no more, but for advice. */
function isRefusal(words: string): boolean {
  return words.endsWith("\n") && !words.slice(0, -1).replace(advice, "").includes("\n");
}

/** Holds back one line that begins with some of the given words. */
export function createRefusalSieve(beginnings: readonly string[], pass: Pass): RefusalSieve {
  const held: (readonly [number, Buffer])[] = [];
  let isOpen = beginnings.length === 0;
  const text = (): string => Buffer.concat(held.map(([, bytes]) => bytes)).toString("utf8");
  const open = (): void => {
    isOpen = true;
    for (const [channel, bytes] of held.splice(0)) pass(channel, bytes);
  };
  return {
    open,
    take(channel, bytes) {
      if (isOpen) return pass(channel, bytes);
      held.push([channel, bytes]);
      const words = text();
      if (!beginnings.some((beginning) => mayBeRefusal(words, beginning))) open();
    },
    end(beginning) {
      const line = text();
      if (beginning !== undefined && line.startsWith(beginning) && isRefusal(line))
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
