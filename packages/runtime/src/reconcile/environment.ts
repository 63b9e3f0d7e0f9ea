/** The dependencies and settings of a running controller, listed once: the controller and its reconciles use the same record. */
import type { Api } from "../api.ts";
import { Breaker } from "../apply/breaker.ts";
import { Echoes } from "../apply/echoes.ts";
import type { Learned } from "../apply/children.ts";
import type { Sibling } from "../apply/siblings.ts";
import type { UncachedChildren } from "../apply/uncached.ts";
import { Writer } from "../apply/writer.ts";
import type { Fence, Write } from "../apply/writer.ts";
import type { Caches } from "../cache/caches.ts";
import type { Informer } from "../cache/informer.ts";
import type { Random } from "../clock.ts";
import type { Controller } from "../define.ts";
import type { Identity } from "../manager/identity.ts";
import type { MetricOf } from "../metrics/metric.ts";
import type { SettingsSchema } from "../program/own-settings.ts";
import type { ReporterOptions } from "../report/reporter.ts";
import { Reads } from "../trigger/reads.ts";

/** The dependencies and settings that an operator gives to a controller. */
export interface ControllerEnvironment extends Identity, ReporterOptions {
  readonly api: Api;
  readonly caches: Caches;
  readonly random: Random;
  readonly fence: Fence;
  readonly dryRun: boolean;
  readonly metric: MetricOf;
  /** The values of the settings that the operator declares with this schema. */
  readonly settings: (schema: SettingsSchema) => object;
  readonly uncached: UncachedChildren;
  /** Whether the annotation of a namespace pauses the objects in it. */
  readonly pauseByNamespace: boolean;
  /** Whether no other controller of the operator reconciles the kind. */
  readonly isAlone: boolean;
  /** The other controllers of the operator that reconcile the kind. */
  readonly siblings: readonly Sibling[];
  /** Whether errors of every reconcile name the user's calling line; otherwise only reconciles after a failure do. */
  readonly namesCalls: boolean;
  readonly onWrite?: ((write: Write) => void) | undefined;
}

/** The same, with the state that the reconciles of one controller share. */
export interface ReconcileEnvironment extends ControllerEnvironment {
  readonly definition: Controller;
  /** The objects of the controller's kind. */
  readonly informer: Informer;
  readonly writer: Writer;
  readonly tracked: Reads;
  readonly breaker: Breaker;
  readonly echoes: Echoes;
  /** The server's spelling of values of children; entries of deleted objects are dropped. */
  readonly learned: Learned;
  /** Keys with a TypeError in their last reconcile, as a write to a frozen object throws. */
  readonly suspects: Map<string, TypeError>;
  /** The warnings that were logged. */
  readonly warned: Set<string>;
}

/** Adds the state that the reconciles of a controller share. */
export function reconcileEnvironment(definition: Controller, environment: ControllerEnvironment): ReconcileEnvironment {
  const { clock, api, manager, log, controller, caches } = environment;
  return {
    ...environment,
    log: log.with({ controller }),
    definition,
    informer: caches.of(definition.kind),
    writer: new Writer(environment),
    tracked: new Reads(),
    breaker: new Breaker({ clock, api, manager, budget: definition.options.hotLoopLimit }),
    echoes: new Echoes({ clock, budget: definition.options.hotLoopLimit }),
    learned: new Map(),
    suspects: new Map(),
    warned: new Set(),
  };
}
