/** `operator`: the entry point of users. */
import type { RunOptions } from "./program/main.ts";
import { isOnlyLoaded } from "./program/loading.ts";
import type { ModuleFacts } from "./program/loading.ts";
import { isProgram } from "./program/entry/main.ts";
import { RunningOperator } from "./manager/operator.ts";
import type { OperatorDefinition, StartOptions } from "./manager/operator.ts";
import { madeFor } from "./errors.ts";
import { checkDefinition } from "./manager/definition.ts";
import { plan } from "./plan/plan.ts";
import type { Plan } from "./plan/plan.ts";

/**
 * An operator that can be run as a program, started by hand, or planned.
 *
 * @example
 * const start = (app: Operator) => app.run();
 */
export interface Operator {
  readonly definition: OperatorDefinition;
  /** Runs as a program: reads flags, environment and kubeconfig, and ends on SIGTERM or SIGINT. */
  run(options?: RunOptions): Promise<void>;
  /** Runs if the module is the program that Node was started with, and does nothing if it is imported: `runIfMain(import.meta)`. */
  runIfMain(module: ModuleFacts): Promise<void>;
  /** Starts on a given API. */
  start(options: StartOptions): RunningOperator;
  /** Runs every reconcile with dry-run writes and returns the planned writes. */
  plan(options: StartOptions): Promise<Plan>;
}

/**
 * Creates an operator from controllers.
 *
 * @example
 * export const app = operator({ name: "memcached-operator", controllers: [memcached] });
 * await app.runIfMain(import.meta);
 */
export function operator(definition: OperatorDefinition): Operator {
  madeFor(operator, () => checkDefinition(definition));
  const made: Operator = {
    definition,
    run: async (options) => {
      if (isOnlyLoaded(made)) return;
      // Imported lazily: tests and tools that do not run it as a program need not load its servers.
      await (await import("./program/main.ts")).runOperator(definition, options);
    },
    runIfMain: async (module) => {
      if (isProgram(module)) await made.run();
    },
    start: (options) => new RunningOperator(definition, options),
    plan: (options) => plan(definition, options),
  };
  return made;
}
