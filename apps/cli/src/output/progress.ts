/** Reports work that takes longer than a second. Scripts, which parse the output, get no reports. */
import type { Terminal } from "../terminal.ts";
import { styleOf } from "./style.ts";

const PATIENCE = 1_000;
const EVERY = 5_000;

interface Work {
  readonly doing: string;
  readonly began: number;
}

/** The running works of a terminal, the innermost last. */
interface Progress {
  readonly works: Work[];
  /** A question is open, and the user may take any time. */
  isAsking: boolean;
}

const shown = new WeakMap<Terminal, Progress>();

/** Runs work and reports it after a second, then every five seconds. Of nested works the innermost is named. */
export async function withProgress<T>(terminal: Terminal, doing: string, work: () => Promise<T>): Promise<T> {
  if (!terminal.isWatched) return work();
  const outer = shown.get(terminal);
  return outer === undefined
    ? withTimers(terminal, () => within(terminal, doing, work))
    : within(terminal, doing, work);
}

/** Asks a question; progress is silent until the answer. */
export async function withoutProgress<T>(terminal: Terminal, ask: () => Promise<T>): Promise<T> {
  const progress = shown.get(terminal);
  if (progress === undefined) return ask();
  progress.isAsking = true;
  try {
    return await ask();
  } finally {
    progress.isAsking = false;
  }
}

async function withTimers<T>(terminal: Terminal, work: () => Promise<T>): Promise<T> {
  const progress: Progress = { works: [], isAsking: false };
  shown.set(terminal, progress);
  let every: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    say(terminal, progress);
    every = setInterval(() => say(terminal, progress), EVERY);
  }, PATIENCE);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(every);
    shown.delete(terminal);
  }
}

async function within<T>(terminal: Terminal, doing: string, work: () => Promise<T>): Promise<T> {
  const works = shown.get(terminal)?.works ?? [];
  const own: Work = { doing, began: performance.now() };
  works.push(own);
  try {
    return await work();
  } finally {
    works.splice(works.indexOf(own), 1);
  }
}

function say(terminal: Terminal, { works, isAsking }: Progress): void {
  const work = works.at(-1);
  if (work === undefined || isAsking) return;
  const seconds = Math.round((performance.now() - work.began) / 1000);
  terminal.err(styleOf(terminal).dim(`${work.doing} … ${seconds} s\n`));
}
