/**
 * Separates the output of a command from the error of the program before it, which enters the container, sets the variables and could not
 * execute the command. Its one line is held back until that is known. Pure.
 */

export type Pass = (channel: number, bytes: Buffer) => void;

/** Output that may be an exec error. */
export interface ExecErrorFilter {
  readonly take: Pass;
  /** The command is known to run: all further output is its own. */
  readonly open: () => void;
  /** The error line, if the exec failed and the line has this prefix; otherwise everything has been passed on. */
  readonly end: (beginning: string | undefined) => string | undefined;
}

/** The exit codes of programs that execute another: command not found, or not executable. */
const codes: ReadonlySet<number | null> = new Set([126, 127]);

/** Whether the program that sets the variables may have exited like this. */
export function isExecErrorCode(code: number | null): boolean {
  return codes.has(code);
}

/** The line contains the name of the command, which can be as long as any argument. */
const longestLine = 2 ** 18;

/** An additional hint, for a program with a space in its name. */
const advice = /\n[^\n]*: use -\[v\]S to pass options in shebang lines\r?$/;

/** Whether text may be an exec error: one line and no more, except for the hint. */
function isExecError(words: string): boolean {
  return words.endsWith("\n") && !words.slice(0, -1).replace(advice, "").includes("\n");
}

/** Holds back one line that begins with one of the prefixes. */
export function createExecErrorFilter(beginnings: readonly string[], pass: Pass): ExecErrorFilter {
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
      if (!beginnings.some((beginning) => mayBeExecError(words, beginning))) open();
    },
    end(beginning) {
      const line = text();
      if (beginning !== undefined && line.startsWith(beginning) && isExecError(line))
        return line.slice(0, line.indexOf("\n")).trimEnd();
      open();
      return undefined;
    },
  };
}

function mayBeExecError(text: string, beginning: string): boolean {
  if (text.length > longestLine) return false;
  const [first = "", second = "", ...more] = text.split("\n");
  return (
    more.join("") === "" && [first, second].every((line) => line.startsWith(beginning) || beginning.startsWith(line))
  );
}
