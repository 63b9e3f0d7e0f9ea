/** A solver for propositional formulas: clauses and "at most one" groups, solved under assumptions. */
import { ActivityHeap } from "./heap.ts";

/** A variable or its negation: twice the number of the variable, plus one if it is negated. */
export type Literal = number;

/** The negation of a literal. */
export function not(literal: Literal): Literal {
  return literal ^ 1;
}

interface Clause {
  readonly literals: Literal[];
}

/** Variables of which at most one is true, as long as the guard is true. */
interface Group {
  readonly members: readonly Literal[];
  readonly guard: Literal | undefined;
}

/** Solved, or the assumptions that cannot hold together. */
export type Verdict = { readonly type: "satisfiable" } | { readonly type: "unsatisfiable"; readonly core: Literal[] };

const [unassigned, isTrue, isFalse] = [0, 1, 2];
const firstRestart = 100;

/**
 * Solves by conflict-driven clause learning. The same calls in the same order give the same results: nothing is random.
 * Invariant: the first two literals of a clause are watched, and a watched literal is false only if the other one is true.
 */
export class SatSolver {
  private readonly values: number[] = [];
  private readonly phases: number[] = [];
  private readonly levels: number[] = [];
  private readonly reasons: (readonly Literal[] | undefined)[] = [];
  private readonly watches: Clause[][] = [];
  private readonly groups: Group[][] = [];
  private readonly trail: Literal[] = [];
  private readonly starts: number[] = [];
  private readonly heap = new ActivityHeap();
  private readonly seen: boolean[] = [];
  private model: boolean[] = [];
  private head = 0;
  private isBroken = false;

  /** The positive literal of a new variable. */
  addVariable(): Literal {
    const variable = this.levels.length;
    this.values.push(unassigned, unassigned);
    this.phases.push(isFalse);
    this.levels.push(0);
    this.reasons.push(undefined);
    this.watches.push([], []);
    this.groups.push([], []);
    this.seen.push(false);
    this.heap.add();
    return 2 * variable;
  }

  /** At least one of the literals is true. */
  addClause(given: readonly Literal[]): void {
    this.backtrack(0);
    const literals = [...new Set(given)].filter((literal) => this.valueOf(literal) !== isFalse);
    const holds = literals.some((one) => this.valueOf(one) === isTrue || literals.includes(not(one)));
    if (this.isBroken || holds) return;
    const [first] = literals;
    if (first === undefined) this.isBroken = true;
    else if (literals.length > 1) this.watch({ literals });
    else {
      this.assign(first, undefined);
      this.isBroken = this.propagate() !== undefined;
    }
  }

  /** At most one of the literals is true; with a guard, only where the guard is true. */
  addAtMostOne(members: readonly Literal[], guard?: Literal): void {
    this.backtrack(0);
    const group = { members: [...new Set(members)], guard };
    for (const member of group.members) this.groups[member]?.push(group);
    if (guard !== undefined) this.groups[guard]?.push(group);
    // Values that level zero has fixed already have to reach the group.
    this.head = 0;
    if (!this.isBroken) this.isBroken = this.propagate() !== undefined;
  }

  /** Whether the formula has a model in which the assumptions hold. */
  solve(assumptions: readonly Literal[] = []): Verdict {
    this.backtrack(0);
    if (this.isBroken) return { type: "unsatisfiable", core: [] };
    let [conflicts, limit] = [0, firstRestart];
    for (;;) {
      const conflict = this.propagate();
      if (conflict !== undefined) {
        conflicts++;
        if (this.starts.length === 0) return this.fail();
        this.learn(conflict);
        continue;
      }
      if (conflicts >= limit) {
        [conflicts, limit] = [0, limit * 1.5];
        this.backtrack(0);
      }
      const next = this.decide(assumptions);
      if (next.type !== "decision") return next;
      this.starts.push(this.trail.length);
      if (next.literal !== undefined) this.assign(next.literal, undefined);
    }
  }

  /** The value of a literal in the model of the last satisfiable call. */
  isTrueInModel(literal: Literal): boolean {
    return (this.model[literal >> 1] ?? false) === ((literal & 1) === 0);
  }

  private fail(): Verdict {
    this.isBroken = true;
    return { type: "unsatisfiable", core: [] };
  }

  /** Each assumption has a level of its own, also if it holds already: so the level tells which one is next. */
  private decide(
    assumptions: readonly Literal[],
  ): Verdict | { readonly type: "decision"; readonly literal: Literal | undefined } {
    const assumption = assumptions[this.starts.length];
    if (assumption !== undefined) {
      const value = this.valueOf(assumption);
      if (value === isFalse) return { type: "unsatisfiable", core: this.coreOf(assumption) };
      return { type: "decision", literal: value === isTrue ? undefined : assumption };
    }
    for (let variable = this.heap.pop(); variable !== undefined; variable = this.heap.pop()) {
      if (this.valueOf(2 * variable) !== unassigned) continue;
      return { type: "decision", literal: 2 * variable + (this.phases[variable] === isTrue ? 0 : 1) };
    }
    this.model = this.levels.map((_, variable) => this.valueOf(2 * variable) === isTrue);
    return { type: "satisfiable" };
  }

  private valueOf(literal: Literal): number {
    return this.values[literal] ?? unassigned;
  }

  private assign(literal: Literal, reason: readonly Literal[] | undefined): void {
    this.values[literal] = isTrue;
    this.values[not(literal)] = isFalse;
    this.phases[literal >> 1] = (literal & 1) === 0 ? isTrue : isFalse;
    this.levels[literal >> 1] = this.starts.length;
    this.reasons[literal >> 1] = reason;
    this.trail.push(literal);
  }

  private backtrack(level: number): void {
    const end = this.starts[level];
    if (end === undefined) return;
    for (const literal of this.trail.splice(end)) {
      this.values[literal] = unassigned;
      this.values[not(literal)] = unassigned;
      this.heap.push(literal >> 1);
    }
    this.starts.length = level;
    this.head = Math.min(this.head, end);
  }

  private watch(clause: Clause): void {
    for (const literal of clause.literals.slice(0, 2)) this.watches[literal]?.push(clause);
  }

  /** Draws all consequences; the clause that they contradict, if there is one. */
  private propagate(): readonly Literal[] | undefined {
    for (let literal = this.trail[this.head]; literal !== undefined; literal = this.trail[this.head]) {
      this.head++;
      const conflict = this.visitClauses(not(literal)) ?? this.visitGroups(literal);
      if (conflict !== undefined) return conflict;
    }
    return undefined;
  }

  /** Gives each clause that watches a literal that became false another literal to watch. */
  private visitClauses(falsified: Literal): readonly Literal[] | undefined {
    const watching = this.watches[falsified] ?? [];
    let kept = 0;
    for (const [at, clause] of watching.entries()) {
      const { literals } = clause;
      if (literals[0] === falsified) swap(literals, 0, 1);
      const [other = falsified] = literals;
      if (this.valueOf(other) !== isTrue && this.moveWatch(clause)) continue;
      watching[kept++] = clause;
      if (this.valueOf(other) === isTrue) continue;
      if (this.valueOf(other) === isFalse) {
        watching.splice(kept, at + 1 - kept);
        return literals;
      }
      this.assign(other, literals);
    }
    watching.length = kept;
    return undefined;
  }

  private moveWatch(clause: Clause): boolean {
    const { literals } = clause;
    for (let at = 2; at < literals.length; at++) {
      const literal = literals[at] ?? 0;
      if (this.valueOf(literal) === isFalse) continue;
      swap(literals, 1, at);
      this.watches[literal]?.push(clause);
      return true;
    }
    return false;
  }

  private visitGroups(literal: Literal): readonly Literal[] | undefined {
    for (const group of this.groups[literal] ?? []) {
      if (group.guard !== undefined && this.valueOf(group.guard) !== isTrue) continue;
      const chosen = literal === group.guard ? group.members.find((one) => this.valueOf(one) === isTrue) : literal;
      const conflict = chosen === undefined ? undefined : this.excludeOthers(group, chosen);
      if (conflict !== undefined) return conflict;
    }
    return undefined;
  }

  private excludeOthers({ members, guard }: Group, chosen: Literal): readonly Literal[] | undefined {
    for (const other of members) {
      if (other === chosen || this.valueOf(other) === isFalse) continue;
      const reason = [not(other), not(chosen), ...(guard === undefined ? [] : [not(guard)])];
      if (this.valueOf(other) === isTrue) return reason;
      this.assign(not(other), reason);
    }
    return undefined;
  }

  /** Adds the clause that the conflict teaches, up to the first point that all paths to the conflict share. */
  private learn(conflict: readonly Literal[]): void {
    const learned: Literal[] = [];
    const marked: number[] = [];
    let [reason, open, at]: [readonly Literal[], number, number] = [conflict, 0, this.trail.length - 1];
    let asserted = 0;
    do {
      for (const literal of reason) {
        const variable = literal >> 1;
        if (this.seen[variable] === true || this.levelOf(literal) === 0 || this.valueOf(literal) === isTrue) continue;
        this.seen[variable] = true;
        marked.push(variable);
        this.heap.bump(variable);
        if (this.levelOf(literal) === this.starts.length) open++;
        else learned.push(literal);
      }
      while (this.seen[(this.trail[at] ?? 0) >> 1] !== true) at--;
      asserted = this.trail[at--] ?? 0;
      reason = this.reasons[asserted >> 1] ?? [];
    } while (--open > 0);
    for (const variable of marked) this.seen[variable] = false;
    this.heap.decay();
    this.assertLearned(not(asserted), learned);
  }

  private assertLearned(asserted: Literal, others: Literal[]): void {
    others.sort((a, b) => this.levelOf(b) - this.levelOf(a));
    const [highest] = others;
    this.backtrack(highest === undefined ? 0 : this.levelOf(highest));
    const literals = [asserted, ...others];
    if (highest !== undefined) this.watch({ literals });
    this.assign(asserted, highest === undefined ? undefined : literals);
  }

  private levelOf(literal: Literal): number {
    return this.levels[literal >> 1] ?? 0;
  }

  /** The assumptions from which the negation of one of them follows, with this one. */
  private coreOf(failed: Literal): Literal[] {
    const core = [failed];
    const marked = new Set([failed >> 1]);
    for (const literal of this.trail.slice(this.starts[0] ?? 0).toReversed()) {
      if (!marked.has(literal >> 1)) continue;
      const reason = this.reasons[literal >> 1];
      // Only assumptions are decided so far, so a value without a reason is one.
      if (reason === undefined) core.push(literal);
      for (const one of reason ?? []) if (this.levelOf(one) > 0) marked.add(one >> 1);
    }
    return core;
  }
}

function swap(literals: Literal[], a: number, b: number): void {
  const [left = 0, right = 0] = [literals[a], literals[b]];
  literals[a] = right;
  literals[b] = left;
}
