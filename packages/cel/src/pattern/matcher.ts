/** Decides whether a pattern matches anywhere in a text: sets of instructions advance together and are cached as states. */

import { spend } from "../work.ts";
import type { Kind, Program } from "./program.ts";
import { BEGIN, CHARACTER_WORK, END, INSTRUCTION_WORK, kindOf, OP, placeFlags } from "./program.ts";

/** A set of instructions that wait for a character, and what was read before. */
interface State {
  readonly waiting: Int32Array;
  readonly before: Kind;
  /** Where each character that was seen in this state leads. */
  readonly next: Map<number, State | "match">;
}

/** What the states of one pattern may hold together, in instructions and ways between them. */
const MOST_REMEMBERED = 1024;
/** The work to make a state, besides that of its instructions. */
const STATE_WORK = 20;

export class Matcher {
  private readonly program: Program;
  private readonly limit: number;
  private readonly states: Map<number, State[]> = new Map();
  private remembered = 0;
  /** The instructions of the set under construction; `members` has the round in which an instruction was added last. */
  private readonly members: Int32Array;
  private round = 0;

  constructor(program: Program) {
    this.program = program;
    this.limit = MOST_REMEMBERED + 8 * program.instructions.length;
    this.members = new Int32Array(program.instructions.length);
  }

  matches(text: string): boolean {
    spend(1 + text.length * CHARACTER_WORK);
    let state: State = this.state([], BEGIN);
    for (let index = 0; index < text.length; index++) {
      if (this.program.anchored && index > 0 && state.waiting.length === 0) return false;
      const rune = text.codePointAt(index) ?? END;
      if (rune > 0xffff) index++;
      const next = state.next.get(rune) ?? this.advance(state, rune);
      if (next === "match") return true;
      state = next;
    }
    return (state.next.get(END) ?? this.advance(state, END)) === "match";
  }

  private advance(state: State, rune: number): State | "match" {
    const reached = this.step(state, rune);
    const next = reached === "match" ? reached : this.state(reached, kindOf(rune));
    this.remembered += 4;
    state.next.set(rune, next);
    return next;
  }

  /** The instructions after a character, or "match" when the pattern ends before it. */
  private step(state: State, rune: number): number[] | "match" {
    const { instructions, start } = this.program;
    const flags = placeFlags(state.before, rune);
    const pending = [...state.waiting, start];
    const reached: number[] = [];
    const round = this.nextRound();
    let visited = 0;
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      visited++;
      const instruction = instructions[at];
      if (instruction === undefined || this.members[at] === round) continue;
      this.members[at] = round;
      const { op, out, arg } = instruction;
      if (op === OP.match) return "match";
      if (op === OP.alt || op === OP.altMatch) pending.push(arg, out);
      else if (op === OP.nop || op === OP.capture) pending.push(out);
      else if (op === OP.emptyWidth && (arg & ~flags) === 0) pending.push(out);
      else if (op > OP.nop && rune !== END && instruction.matchRune(rune)) reached.push(out);
    }
    spend(STATE_WORK + visited * INSTRUCTION_WORK);
    return this.distinct(reached);
  }

  private distinct(items: number[]): number[] {
    const round = this.nextRound();
    return items.filter((item) => {
      const isNew = this.members[item] !== round;
      this.members[item] = round;
      return isNew;
    });
  }

  private nextRound(): number {
    if (this.round >= 0x7fffffff) {
      this.members.fill(0);
      this.round = 0;
    }
    return ++this.round;
  }

  /** The state for a set; known states are found in the cache, which is cleared when it has too many. */
  private state(waiting: readonly number[], before: Kind): State {
    let hash: number = before;
    for (const at of waiting) hash = (Math.imul(hash, 31) + at) | 0;
    const known = this.states.get(hash)?.find((state) => isSame(state, waiting, before));
    if (known) return known;
    if (this.remembered > this.limit) {
      this.states.clear();
      this.remembered = 0;
    }
    const state: State = { waiting: Int32Array.from(waiting), before, next: new Map() };
    this.remembered += 16 + waiting.length;
    this.states.set(hash, [...(this.states.get(hash) ?? []), state]);
    return state;
  }
}

function isSame(state: State, waiting: readonly number[], before: Kind): boolean {
  return (
    state.before === before &&
    state.waiting.length === waiting.length &&
    waiting.every((at, index) => state.waiting[index] === at)
  );
}
