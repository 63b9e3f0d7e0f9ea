/** The compiled expressions of a policy: match conditions, variables (each may use earlier ones), and validations or mutations. */
import {
  billOf,
  BOOL,
  CelError,
  CelObject,
  DYN,
  fromJson,
  MUTATION,
  objectType,
  type Activation,
  type CelResult,
  type Env,
  type Json,
  type Type,
  type TypeProvider,
} from "@capstan/cel";
import type { KubeObject } from "@capstan/model";
import { compile, perCallLimit, type Budget, type Compiled } from "../expression/compiled.ts";
import { admissionEnv, admissionVariables, type Scene } from "../expression/variables.ts";
import type { PolicySpec } from "./policy.ts";

const VARIABLES: Type = objectType("kubernetes.variables");

export interface Program {
  readonly conditions: readonly Compiled[];
  /** Compiles another expression of the policy; cached. */
  expression(source: string, wanted: readonly Type[]): Compiled;
  /** The variables of the expressions. `variables` are evaluated lazily and charged to the budget. */
  bind(scene: Scene, params: KubeObject | undefined, budget: Budget): Activation;
}

interface NamedExpression {
  readonly name: string;
  readonly compiled: Compiled;
}

export function compilePolicy(spec: PolicySpec, mutates: boolean): Program {
  const types = new Map<string, Type>();
  const env = policyEnv(spec, types, mutates);
  const variables: NamedExpression[] = (spec.variables ?? []).map(({ name, expression }) => {
    const compiled = compile(env, expression, []);
    types.set(name, compiled.expression?.outputType ?? DYN);
    return { name, compiled };
  });
  const known = new Map<string, Compiled>();
  return {
    conditions: (spec.matchConditions ?? []).map(({ expression }) => compile(env, expression, [BOOL])),
    expression(source, wanted) {
      let found = known.get(source);
      if (found === undefined) known.set(source, (found = compile(env, source, wanted)));
      return found;
    },
    bind(scene, params, budget) {
      const values = admissionVariables(scene);
      if (spec.paramKind !== undefined) values.set("params", fromJson(params as unknown as Json | undefined));
      values.set("variables", new Variables(variables, values, budget));
      return values;
    },
  };
}

function policyEnv({ paramKind }: PolicySpec, types: ReadonlyMap<string, Type>, mutates: boolean): Env {
  const provider: TypeProvider = {
    findType: (name) => (name === VARIABLES.name ? VARIABLES : undefined),
    findField: (typeName, field) => (typeName === VARIABLES.name ? types.get(field) : undefined),
  };
  return admissionEnv().extend({
    variables: { variables: VARIABLES, ...(paramKind === undefined ? {} : { params: DYN }) },
    types: [provider],
    ...(mutates ? { libraries: [MUTATION] } : {}),
  });
}

/** The value of `variables`: each is evaluated once, on first use. */
class Variables extends CelObject {
  override readonly type: Type = VARIABLES;
  readonly #expressions: ReadonlyMap<string, Compiled>;
  readonly #known = new Map<string, CelResult>();
  readonly #activation: Activation;
  readonly #budget: Budget;

  constructor(expressions: readonly NamedExpression[], activation: Activation, budget: Budget) {
    super();
    this.#expressions = new Map(expressions.map(({ name, compiled }) => [name, compiled]));
    this.#activation = activation;
    this.#budget = budget;
  }

  override field(name: string): CelResult | undefined {
    const compiled = this.#expressions.get(name);
    if (compiled === undefined) return undefined;
    let known = this.#known.get(name);
    if (known === undefined) this.#known.set(name, (known = this.#evaluate(name, compiled)));
    return known;
  }

  override has(name: string): boolean {
    return this.#expressions.has(name);
  }

  override equals(): CelError {
    return new CelError("no such overload");
  }

  #evaluate(name: string, { expression, problem }: Compiled): CelResult {
    if (expression === undefined) return new CelError(`composited variable "${name}" fails to compile: ${problem}`);
    const evaluation = expression.evaluateWithCost(this.#activation, { costLimit: perCallLimit });
    const { result } = evaluation;
    this.#budget.remaining -= billOf(evaluation);
    if (!(result instanceof CelError)) return result;
    return new CelError(`composited variable "${name}" fails to evaluate: ${result.message}`);
  }
}

const programs = new WeakMap<KubeObject, Program>();

/** The compiled policy. Stored policies are frozen, so the program is cached by object identity. */
export function programOf(policy: KubeObject & { readonly spec: PolicySpec }, mutates: boolean): Program {
  let found = programs.get(policy);
  if (found === undefined) programs.set(policy, (found = compilePolicy(policy.spec, mutates)));
  return found;
}
