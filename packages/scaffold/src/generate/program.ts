/** What a user's program declares, found among the values that its modules export. Nothing is parsed: the program was run. */
import type { Kind } from "@capstan/model";
import { settingsOf } from "@capstan/schema";
import type { JsonSchema, Resource, Setting } from "@capstan/schema";
import { ScaffoldError } from "../errors.ts";
import type { PodFacts } from "./pod.ts";

/** The names of a kind. */
export type KindNames = Pick<Kind, "group" | "version" | "kind" | "plural" | "scope">;

/** A controller as far as its permissions go. */
export interface ControllerFacts {
  readonly name: string;
  readonly kind: KindNames;
  readonly owns: readonly KindNames[];
  readonly reads: readonly KindNames[];
  readonly watches: readonly KindNames[];
}

/** A program: its name, the resources it defines, the controllers it runs. */
export interface Program {
  readonly name: string;
  /** The name of the lease that its replicas contend for. */
  readonly lease: string;
  readonly resources: readonly Resource[];
  readonly controllers: readonly ControllerFacts[];
  /** Whether a namespace annotation pauses objects, so that namespaces are watched. */
  readonly pausesByNamespace: boolean;
  /** The settings that the operator declares. */
  readonly settings: readonly Setting[];
  /** The options of its pods. */
  readonly pod: PodFacts;
  /** The webhook settings of the program. */
  readonly webhooks: WebhookSettings;
  /** What earlier versions of it were called and had. */
  readonly previous: Former;
  /** What is billable. */
  readonly meters: readonly MeterFacts[];
}

/** A meter: its name, the spec of its Meter object, and the kind that it counts. */
export interface MeterFacts {
  readonly name: string;
  readonly spec: MeterSpecFacts;
  readonly kind?: KindNames;
}

/** The parts of the spec that documentation names. */
export interface MeterSpecFacts {
  readonly type: string;
  readonly unit: string;
  readonly objects?: { readonly value: string; readonly dimensions?: { readonly [name: string]: string } };
  readonly dimensions?: readonly string[];
}

/** What earlier versions had and this one has not: names of the operator, kinds that it owned, CRDs of kinds that it had hooks for. */
export interface Former {
  readonly names: readonly string[];
  readonly owned: readonly KindNames[];
  readonly hooked: readonly string[];
}

/** The failure policy and timeout of webhooks, and their paths by CRD name. */
export interface WebhookSettings {
  readonly paths?: { readonly [crd: string]: { readonly default?: string; readonly validate?: string } } | undefined;
  readonly failurePolicy?: "Fail" | "Ignore" | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** What is known about a program from other sources. */
export interface Hints {
  /** The name, where the operator states none. */
  readonly name: string;
  /** `plural.group` of resources that others define: their CRDs are not ours to ship. */
  readonly foreign?: ReadonlySet<string>;
}

/** Reads a program from the exports of its modules. */
export function readProgram(exported: readonly unknown[], { name, foreign = new Set() }: Hints): Program {
  const operators = unique(exported.filter(isOperator));
  const running = operators.flatMap(({ definition }) => definition.controllers.filter(isController));
  const controllers = unique(operators.length > 0 ? running : exported.filter(isController));
  const kinds: readonly unknown[] = controllers.map(({ kind }) => kind);
  const resources = new Map<string, Resource>();
  for (const resource of [...exported, ...kinds].filter(isResource)) {
    const id = `${resource.plural}.${resource.group}`;
    if (!foreign.has(id)) resources.set(id, resource);
  }
  if (controllers.length === 0 && resources.size === 0) {
    throw new ScaffoldError(
      "BadProgram",
      operators.length > 0
        ? "the operator has no controller yet, and the program exports no resource: add a kind with `capstan create api`"
        : "the program exports neither an operator nor a resource: write `export const app = operator({ ... })`",
    );
  }
  const stated = operators.find(({ definition }) => definition.name !== undefined)?.definition.name;
  return {
    name: stated ?? name,
    lease: stated ?? name,
    resources: [...resources.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource),
    controllers: controllers.map(toFacts),
    pausesByNamespace: operators.some(({ definition }) => definition.pauseByNamespace === true),
    settings: operators.flatMap(({ definition }) => (definition.settings ? settingsOf(definition.settings.json) : [])),
    pod: operators.find(({ definition }) => definition.pod !== undefined)?.definition.pod ?? {},
    webhooks: operators.find(({ definition }) => definition.webhooks !== undefined)?.definition.webhooks ?? {},
    previous: formerOf(operators.flatMap(({ definition }) => definition.previous ?? [])),
    meters: operators.flatMap(({ definition }) => definition.meters ?? []),
  };
}

function formerOf(all: readonly Partial<Former>[]): Former {
  return {
    names: all.flatMap(({ names = [] }) => names),
    owned: all.flatMap(({ owned = [] }) => owned),
    hooked: all.flatMap(({ hooked = [] }) => hooked),
  };
}

interface OperatorLike {
  readonly definition: {
    readonly name?: string;
    readonly controllers: readonly unknown[];
    readonly pauseByNamespace?: boolean;
    readonly previous?: Partial<Former>;
    readonly webhooks?: WebhookSettings;
    readonly meters?: readonly MeterFacts[];
    readonly settings?: { readonly json: JsonSchema };
    readonly pod?: PodFacts;
  };
}

interface ControllerLike extends Omit<ControllerFacts, "watches"> {
  readonly options?: { readonly watches?: readonly { readonly kind: KindNames }[] };
}

// By shape and not by class: the program may have brought another copy of the framework.
function isOperator(value: unknown): value is OperatorLike {
  return isRecord(value) && isRecord(value["definition"]) && Array.isArray(value["definition"]["controllers"]);
}

function isController(value: unknown): value is ControllerLike {
  return isRecord(value) && "handlers" in value && Array.isArray(value["owns"]) && isKind(value["kind"]);
}

function isResource(value: unknown): value is Resource {
  return isKind(value) && "toCrd" in value && typeof value.toCrd === "function";
}

function isKind(value: unknown): value is KindNames & object {
  return (
    isRecord(value) &&
    typeof value["kind"] === "string" &&
    typeof value["plural"] === "string" &&
    typeof value["group"] === "string"
  );
}

function toFacts({ name, kind, owns, reads, options }: ControllerLike): ControllerFacts {
  return { name, kind, owns, reads, watches: (options?.watches ?? []).map((watch) => watch.kind) };
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
