/** The user's functions of a controller, without the types of its kinds. */
import type { StoredObject } from "@capstan/model";
import type { AnyContext } from "./context.ts";
import type { Daemon } from "./daemons.ts";
import type { FailureConditions } from "./stall.ts";

/** The user's functions. */
export interface Handlers {
  readonly reconcile: (context: AnyContext) => unknown;
  /** Runs when the object is to be deleted; the object stays until it has succeeded. */
  readonly cleanup: ((context: AnyContext) => unknown) | undefined;
  /** Runs beside the reconciles of each object. */
  readonly daemon: Daemon | undefined;
  /** Handlers that run when a field differs from its last handled value. */
  readonly fieldHandlers: readonly FieldHandler[];
  /** Whether its kind declares conditions, so that a pause and a failure can be shown in them. */
  readonly hasConditions: boolean;
  /** The conditions that its kind declares; undefined if the kind has no declared conditions. */
  readonly conditions: readonly string[] | undefined;
  /** Which of the conditions that report a failure are declared. */
  readonly declares: FailureConditions;
  /** Why a stored object is invalid, if it is. */
  readonly problemOf: ((object: StoredObject) => string | undefined) | undefined;
}

/** A handler of one field. */
export interface FieldHandler {
  readonly path: readonly string[];
  readonly run: (context: never) => unknown;
}
