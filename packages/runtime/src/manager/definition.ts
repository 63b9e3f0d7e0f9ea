/** Validates an operator when it is defined, not when it is run or packaged. */
import { settingsOf } from "@capstan/schema";
import { kindId } from "../api.ts";
import type { Controller } from "../define.ts";
import { RuntimeError } from "../errors.ts";
import { kindsOf } from "./cache-settings.ts";
import type { OperatorDefinition } from "./operator.ts";
import { checkPodOptions } from "./pod-options.ts";
import { checkSettings } from "../program/own-settings.ts";
import { commonFlags } from "../program/settings.ts";
import { isVersion } from "../crds/version.ts";

/** Throws if a definition is invalid. */
export function checkDefinition(definition: OperatorDefinition): void {
  const { controllers, version } = definition;
  mustBeNamed(definition);
  mustBeVersion(version);
  if (definition.settings !== undefined) checkSettings(definition.settings, commonFlags);
  checkPodOptions(definition.pod ?? {}, variablesOf(definition));
  mustBeDistinct(controllers);
  mustBeTold(definition);
  mustBeMetersByName(definition);
  for (const controller of controllers) mustBeFormer(controller, controllers);
  for (const controller of controllers) mustBeCached(controller, controllers);
}

/** The variables that the manifests set, with OLM's. */
function variablesOf({ settings }: OperatorDefinition): readonly string[] {
  const own = settings === undefined ? [] : settingsOf(settings.json).map(({ env }) => env);
  return ["POD_NAMESPACE", "WATCH_NAMESPACE", ...own];
}

/** Whether no other controller reconciles the same kind. */
export function isAlone({ kind }: Controller, controllers: readonly Controller[]): boolean {
  return controllers.filter((other) => kindId(other.kind) === kindId(kind)).length === 1;
}

/** The compiler requires a name. Names in JavaScript programs, and computed names, are checked here. */
function mustBeNamed({ name }: { readonly name?: unknown }): void {
  if (typeof name === "string" && name !== "") return;
  throw new RuntimeError(
    "BadSetting",
    'Cannot define an operator without a name: write operator({ name: "my-operator", ... }). ' +
      "Its lease, field managers, finalizers and labels are named after it, so choose a name that never changes.",
  );
}

/** A meter is an object of the cluster with that name. */
function mustBeMetersByName({ meters = [] }: OperatorDefinition): void {
  const twice = meters.find(({ name }, at) => meters.findIndex((other) => other.name === name) !== at);
  if (twice === undefined) return;
  throw new RuntimeError("BadSetting", `Cannot define two meters "${twice.name}": give one of them another name.`);
}

/** An invalid version cannot be compared. */
function mustBeVersion(version: string | undefined): void {
  if (version === undefined || isVersion(version)) return;
  throw new RuntimeError("BadSetting", `Cannot use "${version}" as the operator's version: write one such as 1.2.3.`);
}

/** Two controllers with the same (previous) name would each prune the children of the other. */
function mustBeFormer({ name, previousNames }: Controller, controllers: readonly Controller[]): void {
  const taken = previousNames.find((former) => former !== name && controllers.some((other) => other.name === former));
  if (taken === undefined) return;
  throw new RuntimeError(
    "BadSetting",
    `Cannot run a controller "${name}" that was called "${taken}" before: there is a controller of that name. ` +
      "Take it out of `previousNames`, or give the other one another `name`.",
  );
}

/**
 * In the cluster, operator and controller name are joined to one name: if two pairs give the same name, each would take over the other's
 * objects.
 */
function mustBeTold({ name, previous, controllers }: OperatorDefinition): void {
  const known = new Map<string, { readonly operator: string; readonly controller: string }>();
  for (const operator of [name, ...(previous?.names ?? [])]) {
    for (const controller of controllers.flatMap((each) => [each.name, ...each.previousNames])) {
      const joined = `${operator}-${controller}`;
      const other = known.get(joined) ?? { operator, controller };
      known.set(joined, other);
      if (other.controller === controller) continue;
      throw new RuntimeError(
        "BadSetting",
        `Cannot tell the controller "${other.controller}" of "${other.operator}" from "${controller}" of "${operator}": ` +
          `both are "${joined}" in the cluster. Give one of them another name.`,
      );
    }
  }
}

/** Settings for a misspelt kind would have no effect. A kind that is only watched later is named in full. */
function mustBeCached({ name, options }: Controller, controllers: readonly Controller[]): void {
  const used = controllers.flatMap(kindsOf);
  const known = new Set(used.flatMap((kind) => [kind.kind, kindId(kind)]));
  for (const [kind, { namespaces }] of Object.entries(options.cache)) {
    const of = `\`cache\` of controller "${name}"`;
    if (!known.has(kind) && !WHOLE_NAME.test(kind)) {
      const names = [...new Set(used.map((each) => each.kind))].join(", ");
      throw new RuntimeError(
        "BadSetting",
        `Cannot use "${kind}" in the ${of}: no controller has such a kind; there are ${names}. ` +
          "Correct the name, or write it as `plural.version.group` if it is watched later on.",
      );
    }
    if (namespaces === undefined || Array.isArray(namespaces) || !Object.hasOwn(namespaces, "")) continue;
    throw new RuntimeError(
      "BadSetting",
      `Cannot use "" as a namespace of ${kind} in the ${of}: leave \`namespaces\` out for every namespace, and say beside it how they are watched.`,
    );
  }
}

/** `pods.v1.` and `deployments.v1.apps`. */
const WHOLE_NAME = /^[^.]+\.[^.]+\./u;

/** Names identify controllers in metrics and in field managers. */
function mustBeDistinct(controllers: readonly Controller[]): void {
  const known = new Map<string, Controller>();
  for (const controller of controllers) {
    const { name, kind } = controller;
    const other = known.get(name);
    known.set(name, controller);
    if (other === undefined) continue;
    const what =
      other === controller
        ? `the controller "${name}" of ${kind.kind} twice: list it once.`
        : `two controllers named "${name}": give one of them another \`name\`.`;
    throw new RuntimeError("BadSetting", `Cannot run ${what}`);
  }
}
