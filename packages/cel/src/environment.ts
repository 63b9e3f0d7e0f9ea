/** Environments: declarations, and the compilation of source to a program. */

import { check } from "./check/checker.ts";
import type { FunctionDeclaration, TypeProvider } from "./check/declarations.ts";
import { mergeFunctions } from "./check/declarations.ts";
import type { Declarations } from "./check/scope.ts";
import { validate } from "./check/validate.ts";
import { estimateCost } from "./cost/estimate.ts";
import type { CostEstimate, SizeEstimator } from "./cost/estimate.ts";
import type { Activation } from "./evaluate/frame.ts";
import { COST_EXCEEDED, Frame } from "./evaluate/frame.ts";
import type { Program } from "./evaluate/planner.ts";
import { plan, PlanError } from "./evaluate/planner.ts";
import type { Library } from "./library/library.ts";
import type { Issue } from "./source.ts";
import { formatIssues } from "./source.ts";
import type { Node } from "./syntax/ast.ts";
import type { Macro } from "./syntax/macros.ts";
import { macroKey } from "./syntax/builder.ts";
import { parse } from "./syntax/parser.ts";
import type { Type } from "./type.ts";
import { DYN } from "./type.ts";
import type { CelResult } from "./values/value.ts";
import { CelError } from "./values/value.ts";
import { withinWork, WORK_LIMIT, WorkExceededError } from "./work.ts";

/** What an environment consists of. */
export interface EnvOptions {
  readonly variables?: Readonly<Record<string, Type>> | ReadonlyMap<string, Type>;
  /** Object types that the caller knows. */
  readonly types?: readonly TypeProvider[];
  readonly libraries: readonly Library[];
  /** The namespace that names are looked up in first. */
  readonly container?: string;
  /** The elements of a list or map literal must be of one type. */
  readonly homogeneousLiterals?: boolean;
  /** `1 < 1.5` is allowed. */
  readonly crossTypeComparisons?: boolean;
  /** Constant durations, timestamps, patterns and formats are checked at once. */
  readonly validators?: boolean;
  /** Backquoted field names are read. */
  readonly escapedFields?: boolean;
  /** False skips the type check: types are then determined at run time. */
  readonly checked?: boolean;
}

/** Why an expression was rejected. */
export interface CompileFailure {
  readonly ok: false;
  /** `syntax`: it does not parse; `check`: it has a type error; `program`: a constant part of it fails, such as an invalid pattern. */
  readonly phase: "syntax" | "check" | "program";
  readonly issues: readonly Issue[];
  /** All issues with their positions, as cel-go prints them. */
  readonly message: string;
  /** The type, if the type check succeeded. */
  readonly outputType?: Type;
  /** The estimated cost, if the type check succeeded. */
  readonly estimateCost?: (sizes?: SizeEstimator) => CostEstimate;
}

/** An expression ready to run. */
export interface CompileSuccess {
  readonly ok: true;
  readonly expression: Expression;
}

/** An expression, or its errors. */
export type CompileResult = CompileSuccess | CompileFailure;

/** Limits of an evaluation. */
export interface EvaluateOptions {
  readonly costLimit?: number;
  /** The limit of work that CEL's cost does not cover, such as compiling a pattern. Default: WORK_LIMIT. */
  readonly workLimit?: number;
}

/** The result of an evaluation, its cost as in cel-go, and its work. */
export interface Evaluation {
  readonly result: CelResult;
  readonly cost: number;
  readonly work: number;
}

/** Units of work that count as one unit of cost. */
const WORK_PER_COST = 10;

/** The share of the cost budget of one object that an evaluation uses: its cost or its work, whichever is larger. */
export function billOf({ cost, work }: Evaluation): number {
  return Math.max(cost, Math.floor(work / WORK_PER_COST));
}

/** A compiled expression. */
export interface Expression {
  readonly source: string;
  readonly outputType: Type;
  /** The checked tree. */
  readonly node: Node;
  /** The least and most that an evaluation can cost, given how large values can be. */
  estimateCost(sizes?: SizeEstimator): CostEstimate;
  /** The value, or a CelError; never throws for what an expression does. */
  evaluate(activation: Activation, options?: EvaluateOptions): CelResult;
  /** The same, with the cost. */
  evaluateWithCost(activation: Activation, options?: EvaluateOptions): Evaluation;
}

/** Compiles expressions against the declarations. */
export interface Env {
  compile(source: string): CompileResult;
  /** The same environment with more variables and types. */
  extend(more: Pick<EnvOptions, "variables" | "types"> & { readonly libraries?: readonly Library[] }): Env;
}

/** Creates an environment from declarations; see kubernetesOptions for those of Kubernetes. */
export function createEnv(options: EnvOptions): Env {
  const declarations = declare(options);
  const macros = collectMacros(options.libraries);
  const parseOptions = {
    macros,
    optionalSyntax: options.libraries.some((library) => library.optionalSyntax),
    escapedFields: options.escapedFields ?? false,
  };
  const validations = {
    homogeneousLiterals: options.homogeneousLiterals ?? false,
    constants: options.validators ?? false,
    formats: declarations.functions.has("format"),
  };
  return {
    compile(source) {
      const parsed = parse(source, parseOptions);
      if (parsed.issues.length > 0) return failure("syntax", source, parsed.issues);
      if (options.checked === false) return program(source, parsed.node, declarations);
      const issues = check(source, parsed.node, declarations, {
        crossTypeComparisons: options.crossTypeComparisons ?? true,
      });
      if (issues.length > 0) return failure("check", source, issues);
      const invalid = validate(source, parsed.node, validations);
      return invalid.length > 0 ? failure("check", source, invalid) : program(source, parsed.node, declarations);
    },
    extend: (more) => createEnv(extendOptions(options, more)),
  };
}

function extendOptions(options: EnvOptions, more: Partial<EnvOptions>): EnvOptions {
  return {
    ...options,
    variables: new Map([...variableEntries(options.variables), ...variableEntries(more.variables)]),
    types: [...(options.types ?? []), ...(more.types ?? [])],
    libraries: [...options.libraries, ...(more.libraries ?? [])],
  };
}

function variableEntries(variables: EnvOptions["variables"]): readonly (readonly [string, Type])[] {
  if (!variables) return [];
  return variables instanceof Map ? [...variables] : Object.entries(variables as Readonly<Record<string, Type>>);
}

function failure(phase: CompileFailure["phase"], source: string, issues: readonly Issue[]): CompileFailure {
  return { ok: false, phase, issues, message: formatIssues(source, issues) };
}

function program(source: string, node: Node, declarations: Declarations): CompileResult {
  const outputType = node.type ?? DYN;
  const estimate = (sizes?: SizeEstimator): CostEstimate => estimateCost(node, sizes);
  try {
    return { ok: true, expression: new CompiledExpression(source, node, plan(node, declarations)) };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    const issue: Issue = { line: -1, column: -1, message: error.message };
    return { ok: false, phase: "program", issues: [issue], message: error.message, outputType, estimateCost: estimate };
  }
}

class CompiledExpression implements Expression {
  readonly source: string;
  readonly node: Node;
  private readonly program: Program;

  constructor(source: string, node: Node, program: Program) {
    this.source = source;
    this.node = node;
    this.program = program;
  }

  get outputType(): Type {
    return this.node.type ?? DYN;
  }

  estimateCost(sizes?: SizeEstimator): CostEstimate {
    return estimateCost(this.node, sizes);
  }

  evaluate(activation: Activation, options?: EvaluateOptions): CelResult {
    return this.evaluateWithCost(activation, options).result;
  }

  evaluateWithCost(activation: Activation, options?: EvaluateOptions): Evaluation {
    const frame = this.frame(activation, options);
    let work = 0;
    const limit = options?.workLimit ?? WORK_LIMIT;
    const result = this.run(() =>
      withinWork(
        limit,
        () => this.program.step(frame),
        (units) => (work = units),
      ),
    );
    return { result, cost: frame.cost, work };
  }

  private frame(activation: Activation, options: EvaluateOptions | undefined): Frame {
    return new Frame(activation, this.program.slots, options?.costLimit ?? Number.POSITIVE_INFINITY);
  }

  private run(evaluate: () => CelResult): CelResult {
    try {
      return evaluate();
    } catch (error) {
      if (error === COST_EXCEEDED || error instanceof WorkExceededError) return COST_EXCEEDED;
      if (error instanceof CelError) return error;
      throw error;
    }
  }
}

function declare(options: EnvOptions): Declarations {
  const functions = new Map<string, FunctionDeclaration>();
  for (const library of options.libraries) {
    for (const fn of library.functions ?? []) {
      const known = functions.get(fn.name);
      functions.set(fn.name, known ? mergeFunctions(known, fn) : fn);
    }
  }
  const provided = options.libraries.flatMap((library) => (library.types ? [library.types] : []));
  return {
    container: options.container ?? "",
    variables: new Map(variableEntries(options.variables)),
    functions,
    types: [...(options.types ?? []), ...provided],
    constants: new Map(options.libraries.flatMap((library) => [...(library.constants ?? [])])),
  };
}

function collectMacros(libraries: readonly Library[]): ReadonlyMap<string, Macro> {
  const macros = new Map<string, Macro>();
  for (const library of libraries) {
    for (const macro of library.macros ?? []) macros.set(macroKey(macro.name, macro.args, macro.receiver), macro);
  }
  return macros;
}
