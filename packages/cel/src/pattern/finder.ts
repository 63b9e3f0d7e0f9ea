/** Finds where a pattern matches: the leftmost match, and of those the one that a backtracking search finds first. */

import { spend } from "../work.ts";
import type { Kind, Program } from "./program.ts";
import { BEGIN, CHARACTER_WORK, END, INSTRUCTION_WORK, kindOf, OP, placeFlags } from "./program.ts";

/** Where a match begins and ends. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/** Instructions in order of preference, each with the place where its match began. */
interface Threads {
  readonly at: number[];
  readonly start: number[];
}

function noThreads(): Threads {
  return { at: [], start: [] };
}

export class Finder {
  private readonly program: Program;
  /** In which round an instruction was added last. */
  private readonly members: Float64Array;
  private round = 0;

  constructor(program: Program) {
    this.program = program;
    this.members = new Float64Array(program.instructions.length);
  }

  /** The first match that begins at a place or after it. */
  find(text: string, from: number): Found | undefined {
    let waiting = noThreads();
    let before = kindBefore(text, from);
    let found: Found | undefined;
    for (let index = from; ;) {
      const rune = text.codePointAt(index) ?? END;
      spend(CHARACTER_WORK);
      if (found === undefined && !(this.program.anchored && index > 0)) {
        waiting.at.push(this.program.start);
        waiting.start.push(index);
      }
      const { reached, match } = this.step(waiting, rune, placeFlags(before, rune));
      if (match !== undefined) found = { start: match, end: index };
      const done = reached.at.length === 0 && (found !== undefined || this.program.anchored);
      if (rune === END || done) return found;
      waiting = reached;
      before = kindOf(rune);
      index += rune > 0xffff ? 2 : 1;
    }
  }

  /** Follows threads in their order up to a match, which ends those after it. */
  private step(
    threads: Threads,
    rune: number,
    flags: number,
  ): { readonly reached: Threads; readonly match: number | undefined } {
    const reached = noThreads();
    this.round++;
    for (let index = 0; index < threads.at.length; index++) {
      const start = threads.start[index] ?? 0;
      if (this.follow(threads.at[index] ?? 0, { rune, flags, start, reached })) return { reached, match: start };
    }
    return { reached, match: undefined };
  }

  /** Follows one thread to the instructions after a character; true when it meets the end of the pattern. */
  private follow(
    from: number,
    here: { readonly rune: number; readonly flags: number; readonly start: number; readonly reached: Threads },
  ): boolean {
    const pending = [from];
    let visited = 0;
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      visited++;
      const instruction = this.program.instructions[at];
      if (instruction === undefined || this.members[at] === this.round) continue;
      this.members[at] = this.round;
      const { op, out, arg } = instruction;
      if (op === OP.match) return true;
      if (op === OP.alt || op === OP.altMatch) pending.push(arg, out);
      else if (op === OP.nop || op === OP.capture) pending.push(out);
      else if (op === OP.emptyWidth && (arg & ~here.flags) === 0) pending.push(out);
      else if (op > OP.nop && here.rune !== END && instruction.matchRune(here.rune)) {
        here.reached.at.push(out);
        here.reached.start.push(here.start);
      }
    }
    spend(visited * INSTRUCTION_WORK);
    return false;
  }
}

function kindBefore(text: string, index: number): Kind {
  return index === 0 ? BEGIN : kindOf(text.charCodeAt(index - 1));
}
